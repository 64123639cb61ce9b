package node

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	v1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	conformance "github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/cri"
	agent "github.com/lwtest/lwtest/fakes/node"
)

// asks makes a function that changes requests of one type.
func asks[Q any](f func(Q)) func(any) {
	return func(q any) {
		if x, ok := q.(Q); ok {
			f(x)
		}
	}
}

// answers makes a function that changes replies of one type.
func answers[R any](f func(R)) func(q, reply any, err error) error {
	return func(_, m any, err error) error {
		if r, ok := m.(R); ok && err == nil {
			f(r)
		}
		return err
	}
}

// statuses changes the statuses of containers that the agent sees.
func statuses(f func(*v1.ContainerStatus)) func(q, reply any, err error) error {
	return answers(func(r *v1.ContainerStatusResponse) { f(r.GetStatus()) })
}

// sticky fails a call for ever after it failed once.
func sticky() around {
	var mu sync.Mutex
	var first error
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		mu.Lock()
		failed := first
		mu.Unlock()
		if failed != nil {
			return failed
		}
		err := invoke(ctx, method, q, reply)
		if err != nil && status.Code(err) != codes.NotFound {
			mu.Lock()
			first = err
			mu.Unlock()
		}
		return err
	}
}

// patient makes calls go on beyond their deadlines.
func patient() around {
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return invoke(ctx, method, q, reply)
	}
}

// oneCall makes the calls about pods wait for each other.
func oneCall() around {
	turn := make(chan struct{}, 1)
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		if !slices.Contains([]string{"RunPodSandbox", "StopPodSandbox", "CreateContainer", "StartContainer", "StopContainer"}, method) {
			return invoke(ctx, method, q, reply)
		}
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
		defer func() { <-turn }()
		return invoke(ctx, method, q, reply)
	}
}

// onStatus changes the status that a patch of a pod has.
func onStatus(f func(map[string]any)) func(string, map[string]any) {
	return func(resource string, body map[string]any) {
		if s, ok := body["status"].(map[string]any); ok && resource == "pods/status" {
			f(s)
		}
	}
}

// onNode changes the status that a patch of a Node has.
func onNode(f func(map[string]any)) func(string, map[string]any) {
	return func(resource string, body map[string]any) {
		if s, ok := body["status"].(map[string]any); ok && resource == "nodes/status" {
			f(s)
		}
	}
}

// without takes a condition out of a status.
func without(kind string) func(map[string]any) {
	return func(s map[string]any) {
		for _, field := range []string{"conditions", "$setElementOrder/conditions"} {
			all, _ := s[field].([]any)
			var rest []any
			for _, c := range all {
				if m, ok := c.(map[string]any); !ok || m["type"] != kind {
					rest = append(rest, c)
				}
			}
			if all != nil {
				s[field] = rest
			}
		}
	}
}

func onPod(f func(*core.Pod)) func(runtime.Object) {
	return func(obj runtime.Object) {
		if p, ok := obj.(*core.Pod); ok {
			f(p)
		}
	}
}

func eachProbe(f func(*core.Probe)) func(runtime.Object) {
	return onPod(func(p *core.Pod) {
		for _, c := range p.Spec.Containers {
			for _, x := range []*core.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
				if x != nil {
					f(x)
				}
			}
		}
	})
}

func created[T runtime.Object](f func(T)) func(string, runtime.Object) {
	return func(_ string, obj runtime.Object) {
		if x, ok := obj.(T); ok {
			f(x)
		}
	}
}

// always returns one function for manifests.
func always(f func(name string, body []byte) []byte) func() func(string, []byte) []byte {
	return func() func(string, []byte) []byte { return f }
}

// firstOnly keeps the first content of each manifest.
func firstOnly() func(string, []byte) []byte {
	first := map[string][]byte{}
	return func(name string, body []byte) []byte {
		if body == nil {
			delete(first, name)
			return nil
		}
		if first[name] == nil {
			first[name] = body
		}
		return first[name]
	}
}

// keeping does not remove manifests.
func keeping() func(string, []byte) []byte {
	last := map[string][]byte{}
	return func(name string, body []byte) []byte {
		if body != nil {
			last[name] = body
		}
		return last[name]
	}
}

// harmless takes the references to objects of the API out of a manifest.
func harmless(_ string, body []byte) []byte {
	var p core.Pod
	if json.Unmarshal(body, &p) != nil {
		return body
	}
	p.Spec.ServiceAccountName, p.Spec.DeprecatedServiceAccount, p.Spec.Volumes = "", "", nil
	for i := range p.Spec.Containers {
		p.Spec.Containers[i].VolumeMounts = nil
	}
	b, err := json.Marshal(p)
	if err != nil {
		return body
	}
	return b
}

// hidesErrors makes an empty answer of an error of the manifest URL.
type hidesErrors struct{ http.RoundTripper }

func (h hidesErrors) RoundTrip(q *http.Request) (*http.Response, error) {
	r, err := h.RoundTripper.RoundTrip(q)
	if err == nil && r.StatusCode >= 500 {
		r.Body.Close()
		r.StatusCode, r.Body, r.ContentLength = http.StatusOK, http.NoBody, 0
	}
	return r, err
}

// probes reports whether an exec is the probe of a name.
func probes(q any, name string) bool {
	x, ok := q.(*v1.ExecSyncRequest)
	return ok && len(x.GetCmd()) == 2 && x.GetCmd()[0] == "probe" && x.GetCmd()[1] == name
}

// succeeds makes an exec one that has succeeded, if it is chosen.
func succeeds(chosen func(q any) bool) func(q, reply any, err error) error {
	return func(q, m any, err error) error {
		if r, ok := m.(*v1.ExecSyncResponse); ok && err == nil && chosen(q) {
			r.ExitCode = 0
		}
		return err
	}
}

func isHook(q any) bool {
	x, ok := q.(*v1.ExecSyncRequest)
	return ok && len(x.GetCmd()) > 0 && x.GetCmd()[0] == "sh"
}

// named remembers the ids of containers by their names.
type named struct {
	mu  sync.Mutex
	ids map[string]string
}

func (n *named) set(name, id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ids == nil {
		n.ids = map[string]string{}
	}
	n.ids[name] = id
}

func (n *named) get(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ids[name]
}

// sidecarsFirst stops the sidecar s, or x, before another container is stopped.
func sidecarsFirst() around {
	var ids named
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		if x, ok := q.(*v1.StopContainerRequest); ok && ids.get("s") != "" && x.ContainerId != ids.get("s") {
			_ = invoke(ctx, method, &v1.StopContainerRequest{ContainerId: ids.get("s"), Timeout: 1}, &v1.StopContainerResponse{})
		}
		err := invoke(ctx, method, q, reply)
		if x, ok := q.(*v1.CreateContainerRequest); ok && err == nil && slices.Contains([]string{"s", "x"}, x.GetConfig().GetMetadata().GetName()) {
			ids.set("s", reply.(*v1.CreateContainerResponse).GetContainerId())
		}
		return err
	}
}

// twins starts a second container beside each.
func twins() around {
	var mu sync.Mutex
	made := map[string]*v1.CreateContainerRequest{}
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		err := invoke(ctx, method, q, reply)
		mu.Lock()
		defer mu.Unlock()
		switch x := q.(type) {
		case *v1.CreateContainerRequest:
			if err == nil {
				made[reply.(*v1.CreateContainerResponse).GetContainerId()] = proto.Clone(x).(*v1.CreateContainerRequest)
			}
		case *v1.StartContainerRequest:
			if again := made[x.GetContainerId()]; err == nil && again != nil {
				again.Config.Metadata.Attempt += 100
				var r v1.CreateContainerResponse
				if invoke(ctx, "CreateContainer", again, &r) == nil {
					_ = invoke(ctx, "StartContainer", &v1.StartContainerRequest{ContainerId: r.GetContainerId()}, &v1.StartContainerResponse{})
				}
			}
		}
		return err
	}
}

// twice makes each container of a name twice.
func twice(name string) func() around {
	return func() around {
		return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
			err := invoke(ctx, method, q, reply)
			if x, ok := q.(*v1.CreateContainerRequest); ok && err == nil && x.GetConfig().GetMetadata().GetName() == name {
				again := proto.Clone(x).(*v1.CreateContainerRequest)
				again.Config.Metadata.Attempt++
				_ = invoke(ctx, method, again, &v1.CreateContainerResponse{})
			}
			return err
		}
	}
}

// otherUID runs each sandbox of a static pod twice, with another UID.
func otherUID() around {
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		err := invoke(ctx, method, q, reply)
		if x, ok := q.(*v1.RunPodSandboxRequest); ok && err == nil && strings.HasSuffix(x.GetConfig().GetMetadata().GetName(), "-node-1") {
			again := proto.Clone(x).(*v1.RunPodSandboxRequest)
			again.Config.Metadata.Uid += "0"
			_ = invoke(ctx, method, again, &v1.RunPodSandboxResponse{})
		}
		return err
	}
}

// stopsAny stops a container that runs at each fifth list.
func stopsAny() around {
	n := 0
	var mu sync.Mutex
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		err := invoke(ctx, method, q, reply)
		r, ok := reply.(*v1.ListContainersResponse)
		mu.Lock()
		defer mu.Unlock()
		if n++; ok && err == nil && n%5 == 0 {
			for _, c := range r.GetContainers() {
				if c.GetState() == v1.ContainerState_CONTAINER_RUNNING {
					_ = invoke(ctx, "StopContainer", &v1.StopContainerRequest{ContainerId: c.GetId()}, &v1.StopContainerResponse{})
					break
				}
			}
		}
		return err
	}
}

// oneFailure makes the first failure of a probe the answer for ever.
func oneFailure() around {
	var mu sync.Mutex
	failed := map[string]bool{}
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		x, ok := q.(*v1.ExecSyncRequest)
		mu.Lock()
		known := ok && failed[x.GetContainerId()]
		mu.Unlock()
		if !ok || !probes(q, "live") {
			return invoke(ctx, method, q, reply)
		}
		r := reply.(*v1.ExecSyncResponse)
		if known {
			r.ExitCode = 1
			return nil
		}
		err := invoke(ctx, method, q, reply)
		if err == nil && r.GetExitCode() != 0 {
			mu.Lock()
			failed[x.GetContainerId()] = true
			mu.Unlock()
		}
		return err
	}
}

// early runs the liveness probe beside the startup probe.
func early() around {
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		if x, ok := q.(*v1.ExecSyncRequest); ok && probes(q, "start") {
			_ = invoke(ctx, method, &v1.ExecSyncRequest{ContainerId: x.ContainerId, Cmd: []string{"probe", "live"}, Timeout: 1}, &v1.ExecSyncResponse{})
		}
		return invoke(ctx, method, q, reply)
	}
}

// late runs the liveness probe two seconds into a stop.
func late() around {
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		x, ok := q.(*v1.StopContainerRequest)
		if !ok {
			return invoke(ctx, method, q, reply)
		}
		var done sync.WaitGroup
		done.Go(func() {
			select {
			case <-time.After(2 * time.Second):
				_ = invoke(ctx, "ExecSync", &v1.ExecSyncRequest{ContainerId: x.ContainerId, Cmd: []string{"probe", "live"}, Timeout: 1}, &v1.ExecSyncResponse{})
			case <-ctx.Done():
			}
		})
		defer done.Wait()
		return invoke(ctx, method, q, reply)
	}
}

// hurried repeats a pull that failed at once.
func hurried() around {
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		err := invoke(ctx, method, q, reply)
		if err != nil {
			return invoke(ctx, method, q, reply)
		}
		return nil
	}
}

// unpulled pulls nothing that is there.
func unpulled() around {
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		x := q.(*v1.PullImageRequest)
		var r v1.ImageStatusResponse
		if invoke(ctx, "ImageStatus", &v1.ImageStatusRequest{Image: x.GetImage()}, &r) == nil && r.GetImage() != nil {
			reply.(*v1.PullImageResponse).ImageRef = r.GetImage().GetId()
			return nil
		}
		return invoke(ctx, method, q, reply)
	}
}

// eager removes the image of the last container with each other image.
func eager() around {
	var mu sync.Mutex
	used := ""
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		mu.Lock()
		if x, ok := q.(*v1.CreateContainerRequest); ok {
			used = x.GetConfig().GetImage().GetImage()
		}
		image := used
		mu.Unlock()
		if _, ok := q.(*v1.RemoveImageRequest); ok {
			_ = invoke(ctx, method, &v1.RemoveImageRequest{Image: &v1.ImageSpec{Image: image}}, &v1.RemoveImageResponse{})
		}
		return invoke(ctx, method, q, reply)
	}
}

// newestImage deletes the image of the last container in place of another one.
func newestImage() around {
	var mu sync.Mutex
	newest, used := "", map[string]string{}
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		mu.Lock()
		switch x := q.(type) {
		case *v1.CreateContainerRequest:
			used[x.GetConfig().GetImage().GetUserSpecifiedImage()] = x.GetConfig().GetImage().GetImage()
			newest = used["registry.example/other:1"]
		case *v1.RemoveImageRequest:
			if newest != "" {
				q, newest = &v1.RemoveImageRequest{Image: &v1.ImageSpec{Image: newest}}, ""
			}
		}
		mu.Unlock()
		return invoke(ctx, method, q, reply)
	}
}

// twoLives runs the sandboxes of two pods of a name, and none of others.
func twoLives() around {
	var mu sync.Mutex
	lives := map[string][]string{}
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		x, _ := q.(*v1.RunPodSandboxRequest) // it is only for these
		m := x.GetConfig().GetMetadata()
		mu.Lock()
		uids := lives[m.GetName()]
		if !slices.Contains(uids, m.GetUid()) {
			uids = append(uids, m.GetUid())
			lives[m.GetName()] = uids
		}
		mu.Unlock()
		if len(uids) > 2 {
			return status.Error(codes.Internal, "the mutant has run two pods of the name")
		}
		return invoke(ctx, method, q, reply)
	}
}

// sharing answers a pull without a secret with what was pulled with one.
func sharing() around {
	var mu sync.Mutex
	refs := map[string]string{}
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		ask, _ := q.(*v1.PullImageRequest) // it is only for these
		answer, _ := reply.(*v1.PullImageResponse)
		image := ask.GetImage().GetImage()
		mu.Lock()
		ref := refs[image]
		mu.Unlock()
		if ask.GetAuth() == nil && ref != "" {
			answer.ImageRef = ref
			return nil
		}
		err := invoke(ctx, method, q, reply)
		if err == nil && ask.GetAuth() != nil {
			mu.Lock()
			refs[image] = answer.GetImageRef()
			mu.Unlock()
		}
		return err
	}
}

// swallowing takes an error for an answer without contents.
func swallowing() around {
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		_ = invoke(ctx, method, q, reply)
		return nil
	}
}

// onceOnly asks for new logs of a container until that has failed, and then no more.
func onceOnly() around {
	var failed sync.Map
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		id := q.(*v1.ReopenContainerLogRequest).GetContainerId()
		if _, ok := failed.Load(id); ok {
			return nil
		}
		err := invoke(ctx, method, q, reply)
		if err != nil {
			failed.Store(id, true)
		}
		return err
	}
}

// deaf ends calls only when they are done.
func deaf() around {
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		return invoke(context.WithoutCancel(ctx), method, q, reply)
	}
}

// oneLife refuses to run sandboxes after the agent has started again.
func oneLife() around {
	var mu sync.Mutex
	starts := 0
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		mu.Lock()
		if method == "RuntimeConfig" {
			starts++
		}
		over := starts > 1 && method == "RunPodSandbox"
		mu.Unlock()
		if over {
			return status.Error(codes.Internal, "the mutant has lived before")
		}
		return invoke(ctx, method, q, reply)
	}
}

// noReboot refuses to run sandboxes once the runtime has lost those it had.
func noReboot() around {
	var mu sync.Mutex
	had, lost := false, false
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		mu.Lock()
		over := lost && method == "RunPodSandbox"
		mu.Unlock()
		if over {
			return status.Error(codes.Internal, "the mutant does not reboot")
		}
		err := invoke(ctx, method, q, reply)
		if r, ok := reply.(*v1.ListPodSandboxResponse); ok && err == nil {
			mu.Lock()
			lost = lost || had && len(r.GetItems()) == 0
			had = had || len(r.GetItems()) > 0
			mu.Unlock()
		}
		return err
	}
}

// skipped does nothing, and says that it succeeded.
func skipped(chosen func(q any) bool) func() around {
	return func() around {
		return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
			if chosen(q) {
				return nil
			}
			return invoke(ctx, method, q, reply)
		}
	}
}

func all(any) bool { return true }

// stopsLater takes a request to stop for the end: it stops a container or a sandbox five seconds later, and says meanwhile that it has
// ended.
func stopsLater() around {
	var mu sync.Mutex
	over := map[string]time.Time{} // when that began, by the id of what is to be stopped; zero: it was stopped
	locked := func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		f()
	}
	return func(ctx context.Context, method string, q, reply any, invoke invoker) error {
		var due []string
		asked := idOf(q)
		locked(func() {
			for id, at := range over {
				if !at.IsZero() && time.Since(at) > 5*time.Second {
					over[id], due = time.Time{}, append(due, id)
				}
			}
			if _, known := over[asked]; asked != "" && !known {
				over[asked] = time.Now()
			}
		})
		for _, id := range due {
			_ = invoke(ctx, "StopContainer", &v1.StopContainerRequest{ContainerId: id}, &v1.StopContainerResponse{})
			_ = invoke(ctx, "StopPodSandbox", &v1.StopPodSandboxRequest{PodSandboxId: id}, &v1.StopPodSandboxResponse{})
		}
		if asked != "" {
			return nil
		}
		err := invoke(ctx, method, q, reply)
		locked(func() { ends(reply, over) })
		return err
	}
}

// idOf returns the id of what a request is to stop; empty: nothing.
func idOf(q any) string {
	switch x := q.(type) {
	case *v1.StopContainerRequest:
		return x.GetContainerId()
	case *v1.StopPodSandboxRequest:
		return x.GetPodSandboxId()
	}
	return ""
}

// ends makes a reply say that some containers and sandboxes have ended.
func ends[T any](reply any, over map[string]T) {
	is := func(id string) bool { _, ok := over[id]; return ok }
	switch r := reply.(type) {
	case *v1.ListContainersResponse:
		for _, c := range r.GetContainers() {
			if is(c.GetId()) || is(c.GetPodSandboxId()) {
				c.State = v1.ContainerState_CONTAINER_EXITED
			}
		}
	case *v1.ListPodSandboxResponse:
		for _, s := range r.GetItems() {
			if is(s.GetId()) {
				s.State = v1.PodSandboxState_SANDBOX_NOTREADY
			}
		}
	case *v1.ContainerStatusResponse:
		if s := r.GetStatus(); is(s.GetId()) && s.GetState() == v1.ContainerState_CONTAINER_RUNNING {
			s.State, s.Reason, s.FinishedAt = v1.ContainerState_CONTAINER_EXITED, "Completed", time.Now().UnixNano()
		}
	case *v1.PodSandboxStatusResponse:
		if is(r.GetStatus().GetId()) {
			r.Status.State = v1.PodSandboxState_SANDBOX_NOTREADY
		}
	}
}

// unready makes all pods not ready when the agent has started again.
func unready() func(context.Context, apiserver.API, string) {
	n := 0
	return func(ctx context.Context, api apiserver.API, resource string) {
		if resource != "pods" {
			return
		}
		if n++; n%2 == 1 { // the first of each case
			return
		}
		list, err := api.List(ctx, apiserver.Request{Resource: core.SchemeGroupVersion.WithResource("pods")}, metav1.ListOptions{})
		if err != nil {
			return
		}
		for _, p := range list.(*core.PodList).Items {
			patch := `{"metadata":{"uid":"` + string(p.UID) + `"},"status":{"conditions":[{"type":"Ready","status":"False"}]}}`
			_, _ = api.Patch(ctx, apiserver.Request{Resource: core.SchemeGroupVersion.WithResource("pods"), Namespace: p.Namespace, Name: p.Name, Subresource: "status"}, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
		}
	}
}

var rows = []row{
	{name: "all-pods", rule: "source/scope", about: "it watches the pods of all nodes", list: func(resource string, o *metav1.ListOptions) {
		if resource == "pods" {
			o.FieldSelector = ""
		}
	}},
	{name: "url-forgotten", rule: "source/ready", about: "it does not wait for its manifest URL", config: func(c *agent.Config) { c.ManifestURL = "" }},
	{name: "url-errors-empty", rule: "source/http", about: "it takes an error of its manifest URL for no pods", config: func(c *agent.Config) { c.HTTP.Transport = hidesErrors{c.HTTP.Transport} }},
	{name: "no-manifests", rule: "source/offline", about: "it reads no manifests", config: func(c *agent.Config) { c.Manifests = "" }},
	{name: "static-twice", rule: "source/duplicate", about: "it runs two sandboxes of a static pod", on: "RunPodSandbox", around: otherUID},
	{name: "references-ignored", rule: "source/refused", about: "it runs static pods that name objects of the API", manifest: always(harmless)},

	{name: "mirror-unmarked", rule: "static/identity", about: "a mirror pod does not say its source", create: created(func(p *core.Pod) { delete(p.Annotations, "kubernetes.io/config.source") })},
	{name: "mirror-orphaned", rule: "static/mirror", about: "a mirror pod has no owner", create: created(func(p *core.Pod) { p.OwnerReferences = nil })},
	{name: "mirror-forgotten", rule: "static/mirror", about: "it makes no mirror pods", skip: "create pods"},
	{name: "manifest-first-only", rule: "static/replace", about: "it reads each manifest once", manifest: firstOnly},
	{name: "replaced-at-once", rule: "static/replace", about: "the new pod of a manifest runs while the old one ends", on: "*", around: stopsLater},
	{name: "manifest-stays", rule: "static/remove", about: "it goes on with manifests that were removed", manifest: keeping},
	{name: "mirror-foreign-stays", rule: "static/foreign", about: "it deletes no mirror pods", skip: "delete pods"},

	{name: "init-early", rule: "order/init", about: "it takes an init container that runs for one that has succeeded", on: "ContainerStatus", answer: statuses(func(s *v1.ContainerStatus) {
		if strings.HasPrefix(s.GetMetadata().GetName(), "i") && s.State == v1.ContainerState_CONTAINER_RUNNING {
			s.State, s.ExitCode, s.Reason, s.FinishedAt = v1.ContainerState_CONTAINER_EXITED, 0, "Completed", s.StartedAt
		}
	})},
	{name: "init-failure-ignored", rule: "order/init-failure", about: "it takes an init container that failed for one that succeeded", on: "ContainerStatus", answer: statuses(func(s *v1.ContainerStatus) {
		if s.GetMetadata().GetName() == "i" {
			s.ExitCode = 0
		}
	})},
	{name: "sidecar-unprobed", rule: "order/sidecar", about: "it does not wait for the startup probe of a sidecar", on: "ExecSync", answer: succeeds(func(q any) bool { return probes(q, "start") })},
	{name: "sidecar-stopped-first", rule: "order/termination", about: "it stops sidecars before other containers", on: "*Container", around: sidecarsFirst},
	{name: "sandbox-attempt-0", rule: "order/sandbox", about: "each sandbox has the attempt 0", on: "RunPodSandbox", ask: asks(func(q *v1.RunPodSandboxRequest) { q.Config.Metadata.Attempt = 0 })},
	{name: "sandboxes-two", rule: "order/sandbox", about: "it does not see a second sandbox", on: "ListPodSandbox", answer: answers(func(r *v1.ListPodSandboxResponse) {
		oldest := map[string]*v1.PodSandbox{}
		for _, s := range r.GetItems() {
			if s.GetState() == v1.PodSandboxState_SANDBOX_READY {
				oldest[s.GetMetadata().GetUid()] = s // the newest is first
			}
		}
		r.Items = slices.DeleteFunc(r.Items, func(s *v1.PodSandbox) bool {
			return s.GetState() == v1.PodSandboxState_SANDBOX_READY && oldest[s.GetMetadata().GetUid()] != s
		})
	})},
	{name: "sandbox-bare", rule: "order/sandbox", about: "it goes on in a sandbox that has lost its address", on: "PodSandboxStatus", answer: answers(func(r *v1.PodSandboxStatusResponse) {
		if n := r.GetStatus().GetNetwork(); n != nil && n.Ip == "" {
			n.Ip = "10.0.0.1"
		}
	})},

	{name: "pull-never", rule: "image/policy", about: "it pulls no image that is there", on: "PullImage", around: unpulled},
	{name: "pull-parallel", rule: "image/serial", about: "it pulls images side by side", config: func(c *agent.Config) { c.SerializeImagePulls = new(false) }},
	{name: "pull-hurried", rule: "image/back-off", about: "it repeats a pull that failed at once", on: "PullImage", around: hurried},
	{name: "image-unnamed", rule: "image/name", about: "it does not say which image the spec names", on: "CreateContainer", ask: asks(func(q *v1.CreateContainerRequest) { q.Config.Image.UserSpecifiedImage = "" })},
	{name: "variable-lost", rule: "image/program", about: "it drops the first variable of a container", on: "CreateContainer", ask: asks(func(q *v1.CreateContainerRequest) { q.Config.Envs = q.Config.Envs[min(1, len(q.Config.Envs)):] })},
	{name: "arguments-unread", rule: "image/program", about: "it does not read $(NAME)", on: "CreateContainer", ask: asks(func(q *v1.CreateContainerRequest) {
		for i, arg := range q.Config.Args {
			q.Config.Args[i] = strings.ReplaceAll(arg, "1", "$(ONE)")
		}
	})},
	{name: "pull-unlimited", rule: "image/rate", about: "it pulls as fast as it can", config: func(c *agent.Config) { c.RegistryQPS = -1 }},
	{name: "image-unmounted", rule: "image/volume", about: "it mounts nothing", on: "CreateContainer", ask: asks(func(q *v1.CreateContainerRequest) { q.Config.Mounts = nil })},

	{name: "probe-early", rule: "probe/startup", about: "the liveness probe runs beside the startup probe", on: "ExecSync", around: early},
	{name: "probe-one-failure", rule: "probe/liveness", about: "one failure of a liveness probe counts for all that follow", on: "ExecSync", around: oneFailure},
	{name: "probe-one-success", rule: "probe/readiness", about: "one success of a readiness probe is enough", shows: eachProbe(func(p *core.Probe) { p.SuccessThreshold = 1 })},
	{name: "probe-at-once", rule: "probe/delay", about: "it does not wait before it probes", shows: eachProbe(func(p *core.Probe) { p.InitialDelaySeconds = 0 })},
	{name: "probe-grace-ignored", rule: "probe/liveness", about: "a container whose probe fails gets the grace of its pod", shows: eachProbe(func(p *core.Probe) { p.TerminationGracePeriodSeconds = nil })},
	{name: "probe-always-ready", rule: "probe/readiness", about: "readiness probes always succeed", on: "ExecSync", answer: succeeds(func(q any) bool { return probes(q, "ready") })},
	{name: "restart-unready", rule: "probe/agent-restart", about: "after a restart of the agent all pods are not ready", also: unready()},
	{name: "probe-while-stopping", rule: "probe/termination", about: "the liveness probe runs while a container is stopped", on: "StopContainer", around: late},

	{name: "stops-any", rule: "restart/reason", about: "it stops a container now and then", on: "ListContainers", around: stopsAny},
	{name: "restarts-for-status", rule: "restart/reason", about: "it restarts a container when somebody else writes a condition", shows: onPod(func(p *core.Pod) {
		for _, c := range p.Status.Conditions {
			if strings.Contains(string(c.Type), "/") {
				p.Spec.Containers[0].Image = "registry.example/other:1"
			}
		}
	})},
	{name: "container-beside", rule: "restart/single", about: "it starts each container twice", on: "*Container", around: twins},
	{name: "starts-beside", rule: "restart/single", about: "it starts a container while the one before ends", on: "*", around: stopsLater},
	{name: "never-is-always", rule: "restart/policy", about: "it restarts the containers of every pod", shows: onPod(func(p *core.Pod) { p.Spec.RestartPolicy = core.RestartPolicyAlways })},
	{name: "success-restarted", rule: "restart/policy", about: "it takes all exits for failures", on: "ContainerStatus", answer: statuses(func(s *v1.ContainerStatus) {
		if s.State == v1.ContainerState_CONTAINER_EXITED && s.ExitCode == 0 {
			s.ExitCode = 1
		}
	})},
	{name: "attempt-0", rule: "restart/count", about: "each container has the attempt 0", on: "CreateContainer", ask: asks(func(q *v1.CreateContainerRequest) { q.Config.Metadata.Attempt = 0 })},
	{name: "no-back-off", rule: "restart/back-off", about: "it restarts containers at once", config: func(c *agent.Config) { c.MaxContainerRestartPeriod = 100 * time.Millisecond }},
	{name: "back-off-flat", rule: "restart/back-off", about: "from the third time on it takes a container to have ended ten seconds earlier", on: "ContainerStatus", answer: statuses(func(s *v1.ContainerStatus) {
		if s.GetMetadata().GetAttempt() > 1 {
			s.FinishedAt -= int64(10 * time.Second)
		}
	})},
	{name: "rules-ignored", rule: "restart/rules", about: "it does not know the exit code 42", on: "ContainerStatus", answer: statuses(func(s *v1.ContainerStatus) {
		if s.ExitCode == 42 {
			s.ExitCode = 41
		}
	})},
	{name: "ephemeral-twice", rule: "restart/ephemeral", about: "it creates ephemeral containers twice", on: "CreateContainer", around: twice("e")},
	{name: "relist-seldom", rule: "pleg/exit", about: "it lists containers every fifteen seconds", config: func(c *agent.Config) { c.Relist = 15 * time.Second }},
	{name: "events-only", rule: "pleg/events", about: "it trusts events", config: func(c *agent.Config) { c.Relist = time.Hour }},
	{name: "status-stuck", rule: "pleg/stuck", about: "after one status that hung it asks for no more", on: "ContainerStatus", around: sticky},
	{name: "no-lists", rule: "pleg/streams", about: "it does not fall back to lists", on: "Stream*", stream: func(err error) error {
		if status.Code(err) == codes.Unimplemented {
			return status.Error(codes.Internal, "the mutant wants streams")
		}
		return err
	}},

	{name: "delete-graceful", rule: "termination/delete", about: "it deletes pods with a grace", remove: func(resource string, o *metav1.DeleteOptions) {
		if resource == "pods" {
			o.GracePeriodSeconds = new(int64(30))
		}
	}},
	{name: "delete-any", rule: "termination/delete", about: "it deletes pods whatever their UID is", remove: func(resource string, o *metav1.DeleteOptions) { o.Preconditions = nil }},
	{name: "delete-early", rule: "termination/delete", about: "it deletes pods before their containers have ended", on: "*", around: stopsLater},
	{name: "grace-long", rule: "termination/grace", about: "it stops containers with thirty seconds more", on: "StopContainer", ask: asks(func(q *v1.StopContainerRequest) { q.Timeout += 30 })},
	{name: "grace-none", rule: "termination/grace", about: "it kills containers at once", on: "StopContainer", ask: asks(func(q *v1.StopContainerRequest) { q.Timeout = 0 })},
	{name: "hooks-skipped", rule: "termination/pre-stop", about: "it runs no hooks", on: "ExecSync", around: skipped(isHook)},
	{name: "post-start-ignored", rule: "termination/post-start", about: "hooks always succeed", on: "ExecSync", answer: succeeds(isHook)},
	{name: "shorter-ignored", rule: "termination/shorter", about: "it goes on with the first grace, as kubelet 1.37 does", on: "StopContainer", around: deaf},
	{name: "stop-gives-up", rule: "termination/stuck", about: "after one stop that failed it stops nothing", on: "Stop*", around: sticky},
	{name: "stops-nothing", rule: "termination/force", about: "it stops nothing, and believes that it did", on: "Stop*", around: skipped(all)},
	{name: "deadline-unseen", rule: "termination/deadline", about: "it does not read deadlines", shows: onPod(func(p *core.Pod) { p.Spec.ActiveDeadlineSeconds = nil })},

	{name: "phase-back", rule: "phase/monotone", about: "a pod that has ended is said to run", patch: onStatus(func(s map[string]any) {
		if s["phase"] == "Failed" {
			s["phase"] = "Unknown"
		}
	})},
	{name: "phase-early", rule: "phase/terminal", about: "a pod that runs is said to have failed", patch: onStatus(func(s map[string]any) {
		if s["phase"] == "Running" {
			s["phase"] = "Failed"
		}
	})},
	{name: "phase-while-stopping", rule: "phase/terminal", about: "a pod has ended before its containers have", on: "*", around: stopsLater},
	{name: "patch-any", rule: "status/patch", about: "patches of pods have no UID", patch: func(resource string, body map[string]any) {
		if resource == "pods/status" {
			delete(body, "metadata")
		}
	}},
	{name: "patch-twice", rule: "status/quiet", about: "each status is written twice", twice: "pods/status"},
	{name: "conditions-lost", rule: "status/conditions", about: "it takes conditions of others away", patch: onStatus(func(s map[string]any) {
		all, _ := s["conditions"].([]any)
		s["conditions"] = append(all, map[string]any{"type": "example.com/checked", "$patch": "delete"})
	})},
	{name: "gates-unread", rule: "status/readiness-gate", about: "it does not read readiness gates", shows: onPod(func(p *core.Pod) { p.Spec.ReadinessGates = nil })},
	{name: "generation-ahead", rule: "status/generation", about: "it has observed generations that are not there yet", patch: onStatus(func(s map[string]any) { s["observedGeneration"] = 99 })},
	{name: "never-ready", rule: "phase/runs", about: "no pod is ever Ready", patch: onStatus(func(s map[string]any) {
		conditions, _ := s["conditions"].([]any)
		for _, c := range conditions {
			if c, ok := c.(map[string]any); ok && c["type"] == "Ready" {
				c["status"] = "False"
			}
		}
	})},
	{name: "two-lives", rule: "phase/runs", about: "it runs two pods of a name, and no third", on: "RunPodSandbox", around: twoLives},
	{name: "revert-missing", rule: "status/revert", about: "it does not write a phase alone", patch: onStatus(func(s map[string]any) {
		if s["containerStatuses"] == nil {
			delete(s, "phase")
		}
	})},
	{name: "admits-all", rule: "admission/refused", about: "it reads neither requests nor node selectors", shows: onPod(func(p *core.Pod) {
		p.Spec.NodeSelector = nil
		for i := range p.Spec.Containers {
			p.Spec.Containers[i].Resources.Requests = nil
		}
	})},

	{name: "resize-skipped", rule: "resize/applied", about: "it does not tell the runtime of new resources", on: "UpdateContainerResources", around: skipped(all)},
	{name: "resize-pending-untold", rule: "resize/pending", about: "it does not say that a resize waits", patch: onStatus(without("PodResizePending"))},
	{name: "cgroup-root", rule: "cgroup/parent", about: "sandboxes have no cgroup parent", on: "RunPodSandbox", ask: asks(func(q *v1.RunPodSandboxRequest) { q.Config.Linux.CgroupParent = "" })},
	{name: "eviction-unmarked", rule: "eviction/pressure", about: "an evicted pod has no condition DisruptionTarget", patch: onStatus(without("DisruptionTarget"))},
	{name: "pressure-forgotten", rule: "eviction/pressure", about: "DiskPressure ends as soon as there is room", config: func(c *agent.Config) { c.EvictionPressureTransitionPeriod = time.Second }},
	{name: "image-pinned", rule: "image-gc/unused", about: "it deletes images that are pinned", on: "ListImages", answer: answers(func(r *v1.ListImagesResponse) {
		for _, i := range r.GetImages() {
			i.Pinned = false
		}
	})},
	{name: "image-young", rule: "image-gc/unused", about: "it deletes images that were just pulled", config: func(c *agent.Config) { c.ImageMinimumGCAge = -1 }},
	{name: "image-order", rule: "image-gc/unused", about: "it takes the image that was used last for the first to be deleted", on: "*", around: newestImage},
	{name: "image-in-use", rule: "image-gc/unused", about: "it deletes an image that a container uses", on: "*", around: eager},

	{name: "image-ageless", rule: "image-gc/age", about: "it deletes images only for want of room", config: func(c *agent.Config) { c.ImageMaximumGCAge = 0 }},
	{name: "image-shared", rule: "image/credentials", about: "it takes an image that another pod pulled with a secret", on: "PullImage", around: sharing},
	{name: "driver-guessed", rule: "config/driver", about: "it does not ask again when the runtime fails to tell its cgroup driver", on: "RuntimeConfig", around: swallowing},
	{name: "log-once", rule: "container-gc/log-rotation", about: "it does not ask for a new log again when that has failed", on: "ReopenContainerLog", around: onceOnly},

	{name: "lease-orphaned", rule: "lease/owner", about: "the lease has no owner", create: created(func(l *coordination.Lease) { l.OwnerReferences = nil })},
	{name: "lease-short", rule: "lease/renew", about: "the lease lasts three seconds", create: created(func(l *coordination.Lease) { l.Spec.LeaseDurationSeconds = new(int32(3)) })},
	{name: "node-nowhere", rule: "node-status/register", about: "the Node has no addresses", create: created(func(n *core.Node) { n.Status.Addresses = nil }), patch: onNode(func(s map[string]any) { delete(s, "addresses") })},
	{name: "node-talks", rule: "node-status/report", about: "it writes the status of the Node all the time", config: func(c *agent.Config) { c.NodeStatusReportFrequency = time.Second }},
	{name: "node-always-ready", rule: "node-status/ready", about: "it takes the runtime for ready", on: "Status", answer: answers(func(r *v1.StatusResponse) {
		for _, c := range r.GetStatus().GetConditions() {
			c.Status = true
		}
	})},
	{name: "handlers-untold", rule: "node-status/features", about: "the Node does not tell the handlers of the runtime", create: created(func(n *core.Node) { n.Status.RuntimeHandlers = nil }), patch: onNode(func(s map[string]any) { delete(s, "runtimeHandlers") })},
	{name: "dead-stay", rule: "container-gc/dead", about: "it removes no containers", on: "RemoveContainer", around: skipped(all)},
	{name: "log-path-flat", rule: "container-gc/log-path", about: "all logs of a pod have one name", on: "CreateContainer", ask: asks(func(q *v1.CreateContainerRequest) { q.Config.LogPath = "log" })},

	{name: "sandbox-gives-up", rule: "fault/recovers", about: "after one sandbox that failed it runs no other", on: "RunPodSandbox", around: sticky},
	{name: "no-deadline", rule: "fault/deadline", about: "it waits for the start of a container as long as that takes", on: "StartContainer", around: patient},
	{name: "one-call", rule: "fault/independent", about: "while it waits for the answer of a call about one pod it makes none about another", on: "*", around: oneCall},
	{name: "watch-blind", rule: "fault/api", about: "from the second on its watches of pods bring nothing", blind: 1},
	{name: "one-life", rule: "fault/agent-restart", about: "after a restart it runs no pods", on: "*", around: oneLife},
	{name: "no-reboot", rule: "fault/reboot", about: "once the runtime has forgotten everything it runs no pods", on: "*", around: noReboot},
}

var oddities = []row{
	{name: "cri-o", about: "the runtime answers as CRI-O does", runtime: cri.Options{Personality: cri.CRIO}},
	{name: "slow-sync", about: "it syncs pods every eight seconds", config: func(c *agent.Config) { c.SyncFrequency = 8 * time.Second }},
	{name: "fast-relist", about: "it lists containers five times a second", config: func(c *agent.Config) { c.Relist = 200 * time.Millisecond }},
	{name: "events-and-streams", about: "it listens to events, and lists by streams", config: func(c *agent.Config) { c.Events, c.ListStreaming = true, true }},
	{name: "parallel-pulls", about: "it is configured to pull images side by side", lacks: conformance.SerialPulls, config: func(c *agent.Config) { c.SerializeImagePulls = new(false) }},
}

// nodeOnly sees no pods.
var nodeOnly = row{name: "node-only", about: "it has its Node, and runs no pod", blind: -1, config: func(c *agent.Config) { c.Manifests, c.ManifestURL = "", "" }}
