package node

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Edit is a strategic merge patch of an object.
type Edit struct {
	Patch       json.RawMessage `json:"patch"`
	Subresource string          `json:"subresource,omitempty"`
}

// Delete says how an object is deleted.
type Delete struct {
	Grace *int64 `json:"grace,omitempty"` // seconds; nil: that of the pod
}

// Await says what is waited for. All that is set must be so at once.
type Await struct {
	Phase     v1.PodPhase `json:"phase,omitempty"`
	Reason    string      `json:"reason,omitempty"`    // of the pod
	Ready     *bool       `json:"ready,omitempty"`     // the pod
	Condition string      `json:"condition,omitempty"` // "TYPE=STATUS", of a pod or a node
	Running   int         `json:"running,omitempty"`   // so many containers of the name run in the runtime
	Waiting   string      `json:"waiting,omitempty"`   // the reason for which the container waits
	Ended     bool        `json:"ended,omitempty"`     // it is told to have terminated
	Restarts  int32       `json:"restarts,omitempty"`  // it was restarted at least so often
	CPU       string      `json:"cpu,omitempty"`       // the CPUs that the container is told to have
	Lacks     string      `json:"lacks,omitempty"`     // a condition that it does not have
	Exists    bool        `json:"exists,omitempty"`    // there is such an object
	Gone      bool        `json:"gone,omitempty"`      // there is no such object
	None      bool        `json:"none,omitempty"`      // no container of the name runs in the runtime
	Label     string      `json:"label,omitempty"`     // NAME=VALUE
	Dead      int         `json:"dead,omitempty"`      // at most so many containers of the name are in the runtime
	New       bool        `json:"new,omitempty"`       // it has another UID than the one that the last such step saw
	Clause    string      `json:"clause,omitempty"`    // the rule that promises it
}

// Secret is what pods pull images with.
type Secret struct {
	Registry string `json:"registry"`
	Username string `json:"username"`
	Password string `json:"password"`
}

// Serve is what the manifest URL answers.
type Serve struct {
	Code int     `json:"code,omitempty"` // 0: 200
	Body string  `json:"body,omitempty"` // instead of pods
	Pods []Named `json:"pods,omitempty"`
	Hang bool    `json:"hang,omitempty"`
}

// Named is a static pod with its name.
type Named struct {
	Name string `json:"name"`
	Pod
}

// Restart says what a runtime knows after a restart.
type Restart struct {
	Forgets bool `json:"forgets,omitempty"`
}

// Conditions are those of a runtime.
type Conditions struct {
	Runtime bool `json:"runtime"`
	Network bool `json:"network"`
}

var vocabulary = story.NewVocabulary("node",
	story.Says("start", "starts the agent.", sayStart, stepStart, Start.needs),
	story.Plain("kill", "kills the agent at once. Containers go on.", "kill the agent", stepKill, Restarts),
	story.Says("put", "creates the pod obj.", sayPut, stepPut, nil),
	story.Says("secret", "creates the secret obj, with which pods pull images.", saySecret, stepSecret, func(Secret) []harness.Feature { return []harness.Feature{Images} }),
	story.Says("edit", "changes the object obj: a pod, \"node\" or \"lease\".", sayEdit, stepEdit, nil),
	story.Says("delete", "deletes the object obj.", sayDelete, stepDelete, nil),
	story.Says("manifest", "writes the static pod obj into the folder of manifests, in the file \"as\", or one of its own name.", sayManifest, stepManifest, func(Pod) []harness.Feature { return []harness.Feature{StaticPods} }),
	story.Plain("remove-manifest", "removes the file obj from the folder of manifests.", "remove the manifest {obj}", stepRemoveManifest, StaticPods),
	story.Says("serve", "sets what the manifest URL answers.", sayServe, stepServe, func(Serve) []harness.Feature { return []harness.Feature{HTTPSource} }),
	story.Plain("exit", "ends the container obj, POD/CONTAINER, with the code n.", "end {obj} with {n}", stepExit, Containers),
	story.Says("answer", "sets what an exec probe of the container obj gets.", sayAnswer, stepAnswer, func(Probe) []harness.Feature { return []harness.Feature{Probes} }),
	story.Plain("end-sandbox", "ends the sandbox of the pod obj.", "end the sandbox of {obj}", stepEndSandbox, Containers),
	story.Plain("twin-sandbox", "runs a second sandbox of the pod obj, as nobody asked for.", "run a second sandbox of {obj}", stepTwin, Containers),
	story.Plain("drop-address", "takes the address of the sandbox of the pod obj away.", "take the address of the sandbox of {obj} away", stepDropAddress, Containers),
	story.Plain("forget", "removes the container obj, which has ended, from the runtime.", "remove {obj} from the runtime", stepForget, Containers),
	story.Plain("fill", "fills the file system of images to n percent.", "fill the file system of images to {n} percent", stepFill, Eviction),
	story.Plain("crash", "kills the runtime. Containers go on.", "kill the runtime", stepCrash, Containers),
	story.Says("restart", "starts the runtime again.", sayRestart, stepRestart, func(Restart) []harness.Feature { return []harness.Feature{Containers} }),
	story.Says("conditions", "sets the conditions of the runtime.", sayConditions, stepConditions, func(Conditions) []harness.Feature { return []harness.Feature{Containers} }),
	story.Says("runtime-fault", "arms a fault of the runtime.", sayRuntimeFault, stepRuntimeFault, RuntimeFault.needs),
	story.Says("api-fault", "arms a fault of the API server.", sayAPIFault, stepAPIFault, nil),
	story.Plain("clear", "ends the faults that were armed as \"as\".", "end the fault {as}", stepClear),
	story.Plain("refuse", "breaks the agent's connections to the API server, and accepts no more.", "refuse connections to the API server", stepRefuse(true)),
	story.Plain("accept", "accepts connections to the API server again.", "accept connections to the API server", stepRefuse(false)),
	story.Says("await", "waits until the object obj is so, for \"for\" at most, or twenty seconds.", sayAwait, stepAwait, nil),
	story.Plain("converge", "ends all faults, starts what is down, and waits until all pods are as their specs want them: those that restart run, those that were deleted are gone.", "end all faults, and wait until all pods are as they should be", stepConverge),
	story.Plain("advance", "lets the time in \"for\" pass.", "let {for} pass", stepAdvance),
	story.Plain("settle", "lets the agent do what it does in three syncs.", "let three syncs pass", stepSettle),
).Random(draws, drawBegin, drawEnd).Cross(cross)

func sayStart(_ story.Step, a Start) string {
	text := "start the agent"
	if a.Events {
		text += ", which listens to events"
	}
	if a.Streaming {
		text += ", which lists by streams"
	}
	if a.BackOff > 0 {
		text += fmt.Sprintf(", which waits up to %s before it restarts a container", time.Duration(a.BackOff))
	}
	if a.ImageAge > 0 {
		text += fmt.Sprintf(", which keeps unused images for %s", time.Duration(a.ImageAge))
	}
	if a.Timeout > 0 {
		text += fmt.Sprintf(", which waits up to %s for most answers of the runtime", time.Duration(a.Timeout))
	}
	return text
}

// needs returns the features that a start needs.
func (a Start) needs() (all []harness.Feature) {
	if a.Events {
		all = append(all, PLEGEvents)
	}
	if a.Streaming {
		all = append(all, Streaming)
	}
	if a.BackOff > 0 || a.ImageAge > 0 || a.Timeout > 0 {
		all = append(all, Configured)
	}
	return all
}

func stepStart(w *world, _ story.Step, a Start) error { return w.start(a) }

func stepFill(w *world, s story.Step) error {
	w.filled = true
	return w.do("FILL", "", args{Body: raw(s.N)}, func(context.Context) (runtime.Object, error) { return nil, w.rt.Fill(s.N) })
}

func stepKill(w *world, _ story.Step) error {
	w.kill()
	return nil
}

// sayPod describes the containers of a pod.
func sayPod(p Pod) string {
	var parts []string
	add := func(kind string, all []v1.Container) {
		for _, c := range all {
			text := kind + c.Name
			if len(c.Command) > 0 {
				text += fmt.Sprintf(" (%s)", c.Command[len(c.Command)-1])
			}
			parts = append(parts, text)
		}
	}
	add("init container ", p.Spec.InitContainers)
	add("container ", p.Spec.Containers)
	if len(parts) == 0 {
		return ""
	}
	return " with " + strings.Join(parts, ", ")
}

func sayPut(s story.Step, p Pod) string { return "create the pod " + s.Obj + sayPod(p) }

func stepPut(w *world, s story.Step, p Pod) error {
	pod := newPod(w.podName(s.Obj), w.config.Node, p)
	w.names[s.Obj] = true
	return refused(w.do("CREATE pods", pod.Namespace+"/"+pod.Name, args{Body: raw(pod)}, func(ctx context.Context) (runtime.Object, error) {
		return w.api.Create(ctx, Object{Resource: podResource, Namespace: pod.Namespace, Name: pod.Name}, pod)
	}))
}

func saySecret(s story.Step, a Secret) string {
	return "create the secret " + s.Obj + " for " + a.Registry
}

func stepSecret(w *world, s story.Step, a Secret) error {
	config := map[string]any{"auths": map[string]any{a.Registry: map[string]string{"username": a.Username, "password": a.Password}}}
	o := &v1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: s.Obj}, Type: v1.SecretTypeDockerConfigJson, Data: map[string][]byte{v1.DockerConfigJsonKey: raw(config)}}
	return refused(w.do("CREATE secrets", o.Namespace+"/"+o.Name, nil, func(ctx context.Context) (runtime.Object, error) {
		return w.api.Create(ctx, Object{Resource: v1.SchemeGroupVersion.WithResource("secrets"), Namespace: o.Namespace, Name: o.Name}, o)
	}))
}

// refused makes a step that the API server refused one that does not apply.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return story.SkipStep("%v", err)
}

func sayEdit(s story.Step, a Edit) string {
	text := "change " + s.Obj
	if a.Subresource != "" {
		text += ", its " + a.Subresource + ","
	}
	return text + " by " + string(a.Patch)
}

func stepEdit(w *world, s story.Step, a Edit) error {
	o := w.object(s.Obj)
	o.Subresource = a.Subresource
	w.changed[s.Obj] = w.manifest[s.Obj] // a mirror pod that somebody changed stays as it is
	kind := strings.TrimSuffix("PATCH "+o.Resource.Resource+"/"+a.Subresource, "/")
	return refused(w.do(kind, key(o), args{PatchType: types.StrategicMergePatchType, Body: a.Patch}, func(ctx context.Context) (runtime.Object, error) {
		return w.api.Patch(ctx, o, types.StrategicMergePatchType, a.Patch)
	}))
}

func sayDelete(s story.Step, a Delete) string {
	text := "delete " + s.Obj
	if a.Grace != nil {
		text += fmt.Sprintf(" within %d seconds", *a.Grace)
	}
	return text
}

func stepDelete(w *world, s story.Step, a Delete) error {
	o := w.object(s.Obj)
	options := metav1.DeleteOptions{GracePeriodSeconds: a.Grace}
	return refused(w.do("DELETE "+o.Resource.Resource, key(o), args{Options: raw(options)}, func(ctx context.Context) (runtime.Object, error) {
		return nil, w.api.Delete(ctx, o, options)
	}))
}

func sayManifest(s story.Step, p Pod) string { return "write the manifest " + s.Obj + sayPod(p) }

func stepManifest(w *world, s story.Step, p Pod) error {
	if invalidPod(s.Obj, p) {
		return story.SkipStep(noPod)
	}
	pod := w.staticPod(s.Obj, p)
	if s.As != "" && s.As != s.Obj { // of two files, the agent chooses
		w.manifest[s.Obj] = ""
	}
	return w.write(cmp.Or(s.As, s.Obj), pod)
}

// noPod says why a static pod is none.
const noPod = "the pod or a container has no name, or a probe has no action"

// invalidPod reports whether a static pod is one that no agent runs, as a story that is shrunk may have it.
func invalidPod(name string, p Pod) bool {
	return name == "" || slices.ContainsFunc(slices.Concat(p.Spec.InitContainers, p.Spec.Containers), invalid)
}

// invalid reports whether a container is one that no agent runs, as a story that is shrunk may have it.
func invalid(c v1.Container) bool {
	return c.Name == "" || slices.ContainsFunc([]*v1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe}, func(p *v1.Probe) bool {
		return p != nil && (p.ProbeHandler == v1.ProbeHandler{} || p.Exec != nil && len(p.Exec.Command) == 0)
	})
}

// staticPod returns the pod of a manifest. Its containers are there already, or the agent must not look for its node.
func (w *world) staticPod(name string, p Pod) *v1.Pod {
	pod := newPod(name, "", p)
	pod.UID = types.UID(p.UID)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.static[name], w.names[name], w.manifest[name] = true, true, programs(pod)
	w.ending[name] = pod.Spec.RestartPolicy == v1.RestartPolicyNever || pod.Spec.RestartPolicy == v1.RestartPolicyOnFailure || pod.Spec.ActiveDeadlineSeconds != nil
	return pod
}

func (w *world) write(name string, pod *v1.Pod) error {
	kind, body := "MANIFEST", []byte(nil)
	if pod != nil {
		body = manifest(pod)
	}
	w.wanted[name] = pod != nil && !refers(pod)
	return w.do(kind, name, args{Body: raw(body)}, func(context.Context) (runtime.Object, error) {
		return nil, w.s.Manifests().Write(name+".yaml", body)
	})
}

func stepRemoveManifest(w *world, s story.Step) error {
	if !w.wanted[s.Obj] {
		return story.SkipStep("there is no manifest %s", s.Obj)
	}
	return w.write(s.Obj, nil)
}

func sayServe(_ story.Step, a Serve) string {
	if a.Hang {
		return "let the manifest URL hang"
	}
	var names []string
	for _, p := range a.Pods {
		names = append(names, p.Name)
	}
	return fmt.Sprintf("let the manifest URL answer %d with %s", cmp.Or(a.Code, 200), cmp.Or(strings.Join(names, ", "), a.Body, "nothing"))
}

func stepServe(w *world, s story.Step, a Serve) error {
	if slices.ContainsFunc(a.Pods, func(p Named) bool { return invalidPod(p.Name, p.Pod) }) {
		return story.SkipStep(noPod)
	}
	body, code := []byte(a.Body), cmp.Or(a.Code, 200)
	if a.Hang {
		code = 0
	}
	if code == 200 && a.Body == "" {
		for _, p := range w.served.Pods {
			w.wanted[p.Name] = false
		}
		w.served = a
	}
	if len(a.Pods) > 0 {
		list := v1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
		for _, p := range a.Pods {
			pod := w.staticPod(p.Name, p.Pod)
			w.wanted[p.Name] = code == 200 && !refers(pod) || code != 200 && w.wanted[p.Name]
			list.Items = append(list.Items, *pod)
		}
		body = raw(list)
	}
	return w.do("SERVE", fmt.Sprint(code), args{Body: raw(body)}, func(context.Context) (runtime.Object, error) {
		w.s.Manifests().Serve(code, body)
		return nil, nil
	})
}

// mark records what the story does to the runtime.
func (w *world) mark(kind, key string, args any, f func()) error {
	return w.do(kind, key, args, func(context.Context) (runtime.Object, error) {
		f()
		return nil, nil
	})
}

func stepExit(w *world, s story.Step) error {
	pod, container := w.containerName(s.Obj)
	return w.mark("EXIT", s.Obj, s.N, func() { w.rt.Exit(pod, container, int32(s.N)) })
}

func sayAnswer(s story.Step, a Probe) string {
	if a.Hang {
		return fmt.Sprintf("let the %s probe of %s hang", a.Probe, s.Obj)
	}
	return fmt.Sprintf("let the %s probe of %s answer %d", a.Probe, s.Obj, a.Code)
}

func stepAnswer(w *world, s story.Step, a Probe) error {
	pod, container := w.containerName(s.Obj)
	w.answers[[2]string{s.Obj, a.Probe}] = true
	return w.mark("ANSWER", s.Obj, a, func() { w.rt.Answer(pod, container, a) })
}

func stepEndSandbox(w *world, s story.Step) error {
	return w.mark("END-SANDBOX", s.Obj, nil, func() { w.rt.EndSandbox(w.podName(s.Obj)) })
}

func stepTwin(w *world, s story.Step) error {
	return w.mark("TWIN-SANDBOX", s.Obj, nil, func() { w.rt.TwinSandbox(w.podName(s.Obj)) })
}

func stepDropAddress(w *world, s story.Step) error {
	return w.mark("DROP-ADDRESS", s.Obj, nil, func() { w.rt.DropAddress(w.podName(s.Obj)) })
}

func stepForget(w *world, s story.Step) error {
	pod, container := w.containerName(s.Obj)
	return w.mark("FORGET", s.Obj, nil, func() { w.rt.Forget(pod, container) })
}

func stepCrash(w *world, _ story.Step) error { return w.mark("CRASH", "", nil, w.rt.Crash) }

func sayRestart(_ story.Step, a Restart) string {
	if a.Forgets {
		return "start the runtime, which knows of nothing"
	}
	return "start the runtime again"
}

func stepRestart(w *world, _ story.Step, a Restart) error {
	return w.mark("RESTART", "", a, func() { w.rt.Restart(a.Forgets) })
}

func sayConditions(_ story.Step, a Conditions) string {
	return fmt.Sprintf("set RuntimeReady to %t, and NetworkReady to %t", a.Runtime, a.Network)
}

func stepConditions(w *world, _ story.Step, a Conditions) error {
	return w.mark("CONDITIONS", "", a, func() { w.rt.Ready(a.Runtime, a.Network) })
}

// needs returns the features that a fault needs.
func (f RuntimeFault) needs() []harness.Feature {
	if f.Dies == "agent" {
		return []harness.Feature{Containers, Restarts}
	}
	return []harness.Feature{Containers}
}

// lacks reports whether the fault is that the runtime does not have a call that it need not have.
func (f RuntimeFault) lacks() bool {
	return f.Code == uint32(codes.Unimplemented) && slices.Contains([]string{"Stream*", "StreamContainers", "StreamPodSandboxes", "GetContainerEvents", "RuntimeConfig", "UpdatePodSandboxResources"}, f.Method)
}

func sayRuntimeFault(_ story.Step, f RuntimeFault) string {
	f.Name = ""
	return "arm a fault of the runtime: " + string(raw(f))
}

func stepRuntimeFault(w *world, s story.Step, f RuntimeFault) error {
	f.Name = s.As
	w.clear(s.As)
	w.faults[s.As] = !f.lacks() // with what the runtime lacks the agent must live
	var struck func()
	armed := &atomic.Bool{}
	armed.Store(true)
	w.armed[s.As] = armed
	whileArmed := func(dies func()) func() { // a call that ends because the fault has ended kills nobody
		return func() {
			if armed.Load() {
				dies()
			}
		}
	}
	switch f.Dies {
	case "agent": // it may wait for the call in which it dies
		struck = whileArmed(func() { go w.kill() })
	case "runtime":
		struck = whileArmed(func() { _ = stepCrash(w, s) })
	}
	return w.do("RUNTIME-FAULT", s.As, f, func(context.Context) (runtime.Object, error) { return nil, w.rt.Arm(f, struck) })
}

func sayAPIFault(_ story.Step, f APIFault) string {
	return "arm a fault of the API server: " + string(raw(f))
}

func stepAPIFault(w *world, s story.Step, f APIFault) error {
	f.Name = s.As
	w.api.Clear(s.As)
	w.faults[s.As] = true
	return w.do("API-FAULT", s.As, f, func(context.Context) (runtime.Object, error) { return nil, w.api.Arm(f) })
}

// clear ends a fault of the runtime.
func (w *world) clear(name string) {
	if armed := w.armed[name]; armed != nil {
		armed.Store(false)
	}
	w.rt.Clear(name)
}

func stepClear(w *world, s story.Step) error {
	return w.mark("CLEAR", s.As, nil, func() {
		w.clear(s.As)
		w.api.Clear(s.As)
	})
}

func stepRefuse(on bool) func(*world, story.Step) error {
	kind := map[bool]string{true: "REFUSE", false: "ACCEPT"}[on]
	return func(w *world, _ story.Step) error { return w.mark(kind, "", nil, func() { w.api.Refuse(on) }) }
}

func stepAdvance(w *world, s story.Step) error {
	w.t.Sleep(time.Duration(s.For))
	return nil
}

func stepSettle(w *world, _ story.Step) error {
	w.t.Sleep(3 * max(w.config.SyncFrequency*3/2, time.Second))
	return nil
}

func sayAwait(s story.Step, a Await) string {
	a.Clause = ""
	return fmt.Sprintf("wait until %s is %s", s.Obj, string(raw(a)))
}

func stepAwait(w *world, s story.Step, a Await) error {
	o := w.object(strings.Split(s.Obj, "/")[0])
	pod, container := w.containerName(s.Obj)
	what := sayAwait(s, a)
	w.wait(Awaited{Clause: a.Clause, What: strings.TrimPrefix(what, "wait until "), For: time.Duration(s.For)}, s.Obj, func() bool {
		switch running, all := w.rt.Count(pod, container); {
		case a.Running > 0 && running != a.Running, a.None && running > 0, a.Dead > 0 && all > a.Dead:
			return false
		}
		if !a.asks() {
			return true
		}
		obj, err := w.api.Get(w.t.Context(), o)
		if a.Gone {
			return err != nil && notFound(err)
		}
		if err != nil || !a.holds(obj, container) {
			return false
		}
		return w.isNew(obj, s.Obj, a.New)
	})
	return nil
}

// isNew reports whether an object is another one than the last that was waited for by a name, or need not be.
func (w *world) isNew(obj runtime.Object, name string, must bool) bool {
	m, err := meta.Accessor(obj)
	if err != nil || must && w.uids[name] == m.GetUID() {
		return false
	}
	w.uids[name] = m.GetUID()
	return true
}

func notFound(err error) bool { return apiError(err).Code == 404 }

// asks reports whether the API server must be asked.
func (a Await) asks() bool {
	a.Running, a.None, a.Dead, a.Clause = 0, false, 0, ""
	return a != Await{}
}

// holds reports whether an object is as it should be.
func (a Await) holds(obj runtime.Object, name string) bool {
	switch o := obj.(type) {
	case *v1.Pod:
		return a.pod(o, name)
	case *v1.Node:
		return a.Condition == "" || hasCondition(a.Condition, o.Status.Conditions, func(c v1.NodeCondition) string { return string(c.Type) + "=" + string(c.Status) })
	}
	return true
}

func hasCondition[C any](want string, all []C, text func(C) string) bool {
	for _, c := range all {
		if text(c) == want {
			return true
		}
	}
	return false
}

func (a Await) pod(p *v1.Pod, name string) bool {
	is := func(want string) bool {
		return hasCondition(want, p.Status.Conditions, func(c v1.PodCondition) string { return string(c.Type) + "=" + string(c.Status) })
	}
	switch {
	case a.Phase != "" && p.Status.Phase != a.Phase, a.Reason != "" && p.Status.Reason != a.Reason:
		return false
	case a.Ready != nil && is("Ready=True") != *a.Ready, a.Condition != "" && !is(a.Condition):
		return false
	case a.Lacks != "" && condition(p, v1.PodConditionType(a.Lacks)) != nil, a.CPU != "" && !hasCPU(p, name, a.CPU):
		return false
	case a.Label != "" && !labeled(p, a.Label):
		return false
	case a.Waiting == "" && !a.Ended && a.Restarts == 0:
		return true
	}
	c := statusOf(p, name)
	switch {
	case c == nil:
		return false
	case a.Waiting != "" && (c.State.Waiting == nil || c.State.Waiting.Reason != a.Waiting):
		return false
	case a.Ended && c.State.Terminated == nil:
		return false
	}
	return c.RestartCount >= a.Restarts
}

// hasCPU reports whether the status of a container tells a limit of CPUs.
func hasCPU(p *v1.Pod, name, want string) bool {
	c := statusOf(p, name)
	return c != nil && c.Resources != nil && c.Resources.Limits.Cpu().Equal(resource.MustParse(want))
}

// labeled reports whether a pod has a label, NAME=VALUE.
func labeled(p *v1.Pod, want string) bool {
	key, value, _ := strings.Cut(want, "=")
	return p.Labels[key] == value
}

// statusOf returns the status of a container of any sort; nil: there is none.
func statusOf(p *v1.Pod, name string) *v1.ContainerStatus {
	for _, all := range [][]v1.ContainerStatus{p.Status.ContainerStatuses, p.Status.InitContainerStatuses, p.Status.EphemeralContainerStatuses} {
		for i := range all {
			if all[i].Name == name {
				return &all[i]
			}
		}
	}
	return nil
}
