package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// Events that are no answers.
const (
	evEvent = "EVENT" // of GetContainerEvents
	evKill  = "KILL"  // the runtime is killed
	evStart = "START" // it is started again
)

// Pod says what sandbox is run.
type Pod struct {
	Attempt     uint32 `json:"attempt,omitempty"`
	HostNetwork bool   `json:"hostNetwork,omitempty"`
	Same        bool   `json:"same,omitempty"`     // the very sandbox that was run before
	Handler     string `json:"handler,omitempty"`  // the runtime handler; "named": the one of the fixture
	Mappings    int    `json:"mappings,omitempty"` // a user namespace with so many mappings of uids; 1 is right
}

// namedHandler stands for the runtime handler of the fixture.
const namedHandler = "named"

// needs returns the features that a sandbox needs.
func (p Pod) needs() (all []harness.Feature) {
	if p.Mappings > 0 {
		all = append(all, UserNamespaces)
	}
	if p.Mappings == 1 { // the host's network has no users of its own
		all = append(all, PodNetwork)
	}
	if p.Handler == namedHandler {
		all = append(all, Handlers)
	}
	return all
}

// Container says what container is created.
type Container struct {
	Attempt uint32 `json:"attempt,omitempty"`
	Work    Work   `json:"work,omitzero"`
	Same    bool   `json:"same,omitempty"`   // the very container that was created before
	Image   string `json:"image,omitempty"`  // what the image is named by: "id", "digest", or empty for its tag
	Signal  string `json:"signal,omitempty"` // the stop signal, as "SIGUSR1"
}

// Stop says how a container is stopped.
type Stop struct {
	Grace int64 `json:"grace,omitempty"` // seconds
}

// Command says what is run in a container.
type Command struct {
	Script  string `json:"script"`            // of a shell; a path is run by itself
	Timeout int64  `json:"timeout,omitempty"` // seconds; 0: none
}

// Kill says when the runtime is killed.
type Kill struct {
	In string `json:"in,omitempty"` // in the middle of this word, as "run-pod": one of KillsIn; empty: between calls
}

// Validate returns an error for a word in which the runtime cannot be killed.
func (k Kill) Validate() error {
	return story.OneOf("word in whose middle the runtime is killed", []string{k.In}, append([]string{""}, KillsIn...)...)
}

func (k Kill) needs() []harness.Feature {
	own := map[string]harness.Feature{"exec": Exec, "update": Update, "pull": ImagePull, "remove-image": ImagePull, "checkpoint": Checkpoint}
	if f, ok := own[k.In]; ok {
		return []harness.Feature{Restart, f}
	}
	return []harness.Feature{Restart}
}

// podWord reports whether the word is about a sandbox.
func (k Kill) podWord() bool { return strings.HasSuffix(k.In, "-pod") }

// KillsIn are the words in the middle of which the runtime can be killed.
var KillsIn = []string{"run-pod", "stop-pod", "remove-pod", "create", "start", "stop", "remove", "exec", "update", "pull", "remove-image", "checkpoint"}

// Resources are the limits of a container; 0 leaves one as it is.
type Resources struct {
	Shares int64 `json:"shares,omitempty"`
	Quota  int64 `json:"quota,omitempty"`
	Period int64 `json:"period,omitempty"`
	Memory int64 `json:"memory,omitempty"`
}

// Filter says what is listed.
type Filter struct {
	What  string `json:"what,omitempty"`  // "pods", "stats", "pod-stats", "pod-metrics", "images", or empty for containers
	Of    string `json:"of,omitempty"`    // a pod or a container of the story: those whose ids are its own; empty: all of the run
	State string `json:"state,omitempty"` // "CONTAINER_RUNNING" or "SANDBOX_READY" for one
	Short bool   `json:"short,omitempty"` // the id is cut
	Label string `json:"label,omitempty"` // the name without its pod of containers, or the name of pods, which is a label of theirs; empty: any
}

var vocabulary = story.NewVocabulary("runtime",
	story.Says("run-pod", "runs a sandbox.", sayRun, stepRun, Pod.needs),
	story.Plain("stop-pod", "stops a sandbox.", "stop the sandbox {obj}", stepStopPod),
	story.Plain("remove-pod", "removes a sandbox.", "remove the sandbox {obj}", stepRemovePod),
	story.Plain("pod-status", "asks for the status of a sandbox.", "ask for the status of the sandbox {obj}", stepPodStatus),
	story.Says("create", "creates a container. obj is POD/CONTAINER.", sayCreate, stepCreate, nil),
	story.Plain("start", "starts a container.", "start {obj}", stepStart),
	story.Says("stop", "stops a container.", sayStop, stepStop, nil),
	story.Plain("remove", "removes a container.", "remove {obj}", stepRemove),
	story.Plain("status", "asks for the status of a container.", "ask for the status of {obj}", stepStatus),
	story.Says("exec", "runs a script in a container, and waits for it.", sayExec, stepExec, func(Command) []harness.Feature { return []harness.Feature{Exec} }),
	story.Says("list", "lists containers, or what \"what\" says.", sayList("list"), stepList, Filter.needs),
	story.Says("stream", "does so as a stream.", sayList("stream"), stepStream, func(f Filter) []harness.Feature { return append(f.needs(), StreamingLists) }),
	story.Plain("stats", "asks for what the container obj uses, or the sandbox obj.", "ask for what {obj} uses", stepStats, Stats),
	story.Says("update", "changes the limits of a container.", sayUpdate, stepUpdate, func(Resources) []harness.Feature { return []harness.Feature{Update} }),
	story.Plain("update-pod", "changes the limits of a sandbox.", "change the limits of the sandbox {obj}", stepUpdatePod),
	story.Plain("log", "reads the log of a container.", "read the log of {obj}", stepLog, Logs),
	story.Plain("rotate", "renames the log of a container, and has the runtime open a new one.", "rotate the log of {obj}", stepRotate, Logs),
	story.Plain("checkpoint", "saves the container obj, by a checkpoint of its sandbox.", "save {obj}", stepCheckpoint, Checkpoint),
	story.Plain("count", "counts what the runtime holds on this machine.", "count what the runtime holds", stepCount, Leaks),
	story.Plain("look", "asks for the status of everything, and lists it.", "ask for the status of everything, and list it", stepLook),
	story.Plain("info", "asks for the version, the status and the configuration of the runtime.", "ask what the runtime is", stepInfo),
	story.Says("image-status", "asks for the image obj: a name, \"id\" or \"digest\" of the one that was asked for before, or the image of all containers if it is empty.", sayImageStatus,
		func(w *world, s story.Step, _ struct{}) error { return stepImageStatus(w, s) }, nil),
	story.Plain("filesystem", "asks where images are stored.", "ask where images are stored", stepFilesystem),
	story.Says("pull", "pulls the image obj: one of the suite's registry (one, one-again, two, private, missing), or \"id\" or \"digest\" of the one that was asked for before; one if it is empty.", sayPull, stepPull, func(Pull) []harness.Feature { return []harness.Feature{ImagePull} }),
	story.Says("remove-image", "removes the image obj, which is named as for pull.", func(s story.Step, _ struct{}) string { return "remove the image " + cmp.Or(s.Obj, "one") },
		func(w *world, s story.Step, _ struct{}) error { return stepRemoveImage(w, s) }, func(struct{}) []harness.Feature { return []harness.Feature{ImagePull} }),
	story.Plain("watch", "watches events as actor.", "watch events as {actor}", stepWatch, Events),
	story.Plain("settle", "waits until events have come, and for a moment more.", "wait until nothing moves", stepSettle),
	story.Plain("advance", "lets the time in \"for\" pass.", "let {for} pass", stepAdvance),
	story.Plain("await-exit", "waits until a container has ended, for thirty seconds at most.", "wait until {obj} has ended", stepAwaitExit),
	story.Says("kill", "kills the runtime, also in the middle of a call for obj, the time in \"for\" after that began. Containers go on.", sayKill, stepKill, Kill.needs),
	story.Plain("restart", "starts the runtime again.", "start the runtime again", stepRestart, Restart),
).Random(draws, drawBegin, drawEnd).Cross(cross)

func sayRun(s story.Step, a Pod) string {
	text := "run the sandbox " + s.Obj
	if a.Same {
		text += " again, as it was"
	}
	if a.Attempt > 0 {
		text += fmt.Sprintf(", attempt %d", a.Attempt)
	}
	if a.HostNetwork {
		text += ", with the host's network"
	}
	if a.Handler != "" {
		text += ", by the runtime handler " + a.Handler
	}
	if a.Mappings > 0 {
		text += fmt.Sprintf(", in a user namespace with %d mappings", a.Mappings)
	}
	return text
}

func stepRun(w *world, s story.Step, a Pod) error {
	p := w.podOf(s.Obj)
	config := p.config
	if !a.Same {
		config = w.podConfig(s.Obj, a)
	}
	if config.GetLogDirectory() != "" && !w.t.Virtual() { // a kubelet makes it first
		if err := os.MkdirAll(w.here(config.GetLogDirectory()), 0o755); err != nil {
			return fmt.Errorf("the folder for the logs of a pod cannot be made: %w", err)
		}
	}
	handler := a.Handler
	if handler == namedHandler {
		handler = w.s.Fixture().Handler
	}
	reply, err := call(w, s, "RunPodSandbox", s.Obj, "", w.rt.RunPodSandbox, &runtimeapi.RunPodSandboxRequest{Config: config, RuntimeHandler: handler})
	if err != nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pods[s.Obj] = &pod{id: reply.GetPodSandboxId(), config: config}
	w.names[reply.GetPodSandboxId()] = s.Obj
	return nil
}

func stepStopPod(w *world, s story.Step) error {
	id := w.podOf(s.Obj).id
	_, _ = call(w, s, "StopPodSandbox", s.Obj, id, w.rt.StopPodSandbox, &runtimeapi.StopPodSandboxRequest{PodSandboxId: id})
	return nil
}

func stepRemovePod(w *world, s story.Step) error {
	id := w.podOf(s.Obj).id
	_, _ = call(w, s, "RemovePodSandbox", s.Obj, id, w.rt.RemovePodSandbox, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: id})
	return nil
}

func stepPodStatus(w *world, s story.Step) error {
	id := w.podOf(s.Obj).id
	_, _ = call(w, s, "PodSandboxStatus", s.Obj, id, w.rt.PodSandboxStatus, &runtimeapi.PodSandboxStatusRequest{PodSandboxId: id})
	return nil
}

func sayCreate(s story.Step, a Container) string {
	text := "create " + s.Obj + ", a container " + a.Work.says()
	if a.Same {
		text = "create " + s.Obj + " again, as it was"
	}
	if a.Attempt > 0 {
		text += fmt.Sprintf(", attempt %d", a.Attempt)
	}
	if a.Image != "" {
		text += ", of the image by its " + a.Image
	}
	if a.Signal != "" {
		text += ", to be stopped by " + a.Signal
	}
	if s.For > 0 {
		text += fmt.Sprintf(", within %s", s.For)
	}
	return text
}

func stepCreate(w *world, s story.Step, a Container) error {
	name, _, ok := strings.Cut(s.Obj, "/")
	if !ok {
		return story.SkipStep("%q names no container: say POD/CONTAINER", s.Obj)
	}
	p := w.podOf(name)
	c := w.containerOf(s.Obj)
	if !a.Same || c.config == nil {
		c = &container{pod: p, config: w.containerConfig(s.Obj, a, p)}
	}
	reply, err := call(w, s, "CreateContainer", s.Obj, "", w.rt.CreateContainer, &runtimeapi.CreateContainerRequest{PodSandboxId: p.id, Config: c.config, SandboxConfig: p.config})
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.containers[s.Obj] = &container{id: reply.GetContainerId(), pod: p, config: c.config}
		w.names[reply.GetContainerId()] = s.Obj
	} else if w.containers[s.Obj] == nil {
		w.containers[s.Obj] = &container{id: noID, pod: p, config: c.config} // for those who try again
	}
	return nil
}

func stepStart(w *world, s story.Step) error {
	id := w.containerOf(s.Obj).id
	_, _ = call(w, s, "StartContainer", s.Obj, id, w.rt.StartContainer, &runtimeapi.StartContainerRequest{ContainerId: id})
	return nil
}

func sayStop(s story.Step, a Stop) string {
	return fmt.Sprintf("stop %s within %d seconds", s.Obj, a.Grace)
}

func stepStop(w *world, s story.Step, a Stop) error {
	id := w.containerOf(s.Obj).id
	_, _ = call(w, s, "StopContainer", s.Obj, id, w.rt.StopContainer, &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: a.Grace})
	return nil
}

func stepRemove(w *world, s story.Step) error {
	id := w.containerOf(s.Obj).id
	_, _ = call(w, s, "RemoveContainer", s.Obj, id, w.rt.RemoveContainer, &runtimeapi.RemoveContainerRequest{ContainerId: id})
	return nil
}

func stepStatus(w *world, s story.Step) error {
	id := w.containerOf(s.Obj).id
	_, _ = call(w, s, "ContainerStatus", s.Obj, id, w.rt.ContainerStatus, &runtimeapi.ContainerStatusRequest{ContainerId: id})
	return nil
}

func sayExec(s story.Step, a Command) string {
	text := fmt.Sprintf("run %q in %s", a.Script, s.Obj)
	if a.Timeout > 0 {
		text += fmt.Sprintf(", for %d seconds at most", a.Timeout)
	}
	return text
}

func stepExec(w *world, s story.Step, a Command) error {
	id := w.containerOf(s.Obj).id
	argv := []string{"sh", "-c", a.Script}
	if strings.HasPrefix(a.Script, "/") {
		argv = []string{a.Script}
	}
	_, _ = call(w, s, "ExecSync", s.Obj, id, cutOutput(w.rt.ExecSync), &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: argv, Timeout: a.Timeout})
	return nil
}

func sayList(verb string) func(story.Step, Filter) string {
	return func(_ story.Step, f Filter) string {
		text := verb + " " + cmp.Or(f.What, "containers")
		if f.State != "" {
			text += " in the state " + f.State
		}
		if f.Of != "" {
			text += " of " + f.Of
		}
		if f.Short {
			text += ", by the beginning of its id"
		}
		if f.Label != "" {
			text += ", with the label " + f.Label
		}
		return text
	}
}

// needs returns the features that a list needs.
func (f Filter) needs() []harness.Feature {
	switch f.What {
	case "stats":
		return []harness.Feature{Stats}
	case "pod-stats":
		return []harness.Feature{PodStats}
	case "pod-metrics":
		return []harness.Feature{PodMetrics}
	}
	return nil
}

// id is the id that a filter names.
func (f Filter) id(full string) string {
	if f.Short {
		return full[:12]
	}
	return full
}

// labelled is a selector for what this run has made and, if a filter names a label, for that.
func (w *world) labelled(name string, f Filter) map[string]string {
	all := w.ofRun()
	if f.Label != "" {
		all[name] = f.Label
	}
	return all
}

func (w *world) containerFilter(f Filter) *runtimeapi.ContainerFilter {
	out := &runtimeapi.ContainerFilter{LabelSelector: w.labelled(containerLabel, f)}
	if state, ok := runtimeapi.ContainerState_value[f.State]; ok {
		out.State = &runtimeapi.ContainerStateValue{State: runtimeapi.ContainerState(state)}
	}
	w.mu.Lock()
	_, isPod := w.pods[f.Of]
	w.mu.Unlock()
	switch {
	case isPod:
		out.PodSandboxId = f.id(w.podOf(f.Of).id)
	case f.Of != "":
		out.Id = f.id(w.containerOf(f.Of).id)
	}
	return out
}

func (w *world) podFilter(f Filter) *runtimeapi.PodSandboxFilter {
	out := &runtimeapi.PodSandboxFilter{LabelSelector: w.labelled(podLabel, f)}
	if state, ok := runtimeapi.PodSandboxState_value[f.State]; ok {
		out.State = &runtimeapi.PodSandboxStateValue{State: runtimeapi.PodSandboxState(state)}
	}
	if f.Of != "" {
		out.Id = f.id(w.podOf(f.Of).id)
	}
	return out
}

func stepList(w *world, s story.Step, f Filter) error {
	switch f.What {
	case "pods":
		reply, _ := call(w, s, "ListPodSandbox", "", "", w.rt.ListPodSandbox, &runtimeapi.ListPodSandboxRequest{Filter: w.podFilter(f)})
		w.adopt(reply.GetItems())
	case "stats":
		_, _ = call(w, s, "ListContainerStats", "", "", w.rt.ListContainerStats, &runtimeapi.ListContainerStatsRequest{Filter: w.statsFilter(f)})
	case "pod-stats":
		_, _ = call(w, s, "ListPodSandboxStats", "", "", w.rt.ListPodSandboxStats, &runtimeapi.ListPodSandboxStatsRequest{Filter: w.podStatsFilter(f)})
	case "pod-metrics":
		_, _ = call(w, s, "ListPodSandboxMetrics", "", "", w.rt.ListPodSandboxMetrics, &runtimeapi.ListPodSandboxMetricsRequest{})
	case "images":
		_, _ = call(w, s, "ListImages", "", "", w.im.ListImages, &runtimeapi.ListImagesRequest{})
	default:
		_, _ = call(w, s, "ListContainers", "", "", w.rt.ListContainers, &runtimeapi.ListContainersRequest{Filter: w.containerFilter(f)})
	}
	return nil
}

// stepStream lists as a stream. Its answer in the history has the items of all messages.
func stepStream(w *world, s story.Step, f Filter) error {
	switch f.What {
	case "pods":
		_, _ = call(w, s, "StreamPodSandboxes", "", "", collect(w.rt.StreamPodSandboxes), &runtimeapi.StreamPodSandboxesRequest{Filter: w.podFilter(f)})
	case "stats":
		_, _ = call(w, s, "StreamContainerStats", "", "", collect(w.rt.StreamContainerStats), &runtimeapi.StreamContainerStatsRequest{Filter: w.statsFilter(f)})
	case "pod-stats":
		_, _ = call(w, s, "StreamPodSandboxStats", "", "", collect(w.rt.StreamPodSandboxStats), &runtimeapi.StreamPodSandboxStatsRequest{Filter: w.podStatsFilter(f)})
	case "pod-metrics":
		_, _ = call(w, s, "StreamPodSandboxMetrics", "", "", collect(w.rt.StreamPodSandboxMetrics), &runtimeapi.StreamPodSandboxMetricsRequest{})
	case "images":
		_, _ = call(w, s, "StreamImages", "", "", collect(w.im.StreamImages), &runtimeapi.StreamImagesRequest{})
	default:
		_, _ = call(w, s, "StreamContainers", "", "", collect(w.rt.StreamContainers), &runtimeapi.StreamContainersRequest{Filter: w.containerFilter(f)})
	}
	return nil
}

func (w *world) statsFilter(f Filter) *runtimeapi.ContainerStatsFilter {
	by := w.containerFilter(f)
	return &runtimeapi.ContainerStatsFilter{Id: by.Id, PodSandboxId: by.PodSandboxId, LabelSelector: by.LabelSelector}
}

func (w *world) podStatsFilter(f Filter) *runtimeapi.PodSandboxStatsFilter {
	by := w.podFilter(f)
	return &runtimeapi.PodSandboxStatsFilter{Id: by.Id, LabelSelector: by.LabelSelector}
}

func stepStats(w *world, s story.Step) error {
	if strings.Contains(s.Obj, "/") {
		id := w.containerOf(s.Obj).id
		_, _ = call(w, s, "ContainerStats", s.Obj, id, w.rt.ContainerStats, &runtimeapi.ContainerStatsRequest{ContainerId: id})
	} else if id := w.podOf(s.Obj).id; w.t.Has(PodStats) {
		_, _ = call(w, s, "PodSandboxStats", s.Obj, id, w.rt.PodSandboxStats, &runtimeapi.PodSandboxStatsRequest{PodSandboxId: id})
	}
	return nil
}

func stepLook(w *world, s story.Step) error {
	pods, containers := w.known()
	for _, name := range pods {
		s.Obj = name
		_ = stepPodStatus(w, s)
	}
	for _, name := range containers {
		s.Obj = name
		_ = stepStatus(w, s)
	}
	_ = stepList(w, s, Filter{What: "pods"})
	return stepList(w, s, Filter{})
}

func stepInfo(w *world, s story.Step) error {
	_, _ = call(w, s, "Version", "", "", w.rt.Version, &runtimeapi.VersionRequest{Version: "0.1.0"})
	_, _ = call(w, s, "Status", "", "", w.rt.Status, &runtimeapi.StatusRequest{})
	if w.t.Has(Config) {
		_, _ = call(w, s, "RuntimeConfig", "", "", w.rt.RuntimeConfig, &runtimeapi.RuntimeConfigRequest{})
	}
	return nil
}

// image is the image that a step is about; "": it is not known.
func (w *world) image(name string) *runtimeapi.ImageSpec {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch name {
	case "id":
		name = w.stored.GetId()
	case "digest":
		name = strings.Join(w.stored.GetRepoDigests()[:min(1, len(w.stored.GetRepoDigests()))], "")
	case "":
		name = w.s.Fixture().Image
	default:
		if path, ok := RegistryImages[name]; ok {
			name = w.s.Fixture().registry(name, path)
		}
	}
	return &runtimeapi.ImageSpec{Image: name}
}

func stepImageStatus(w *world, s story.Step) error {
	image := w.image(s.Obj)
	if image.Image == "" {
		return story.SkipStep("nothing is known of the %s of the image", s.Obj)
	}
	reply, _ := call(w, s, "ImageStatus", image.Image, "", w.im.ImageStatus, &runtimeapi.ImageStatusRequest{Image: image})
	w.mu.Lock()
	defer w.mu.Unlock()
	if reply.GetImage() != nil {
		w.stored = reply.GetImage()
		if image.Image == w.s.Fixture().Image {
			for _, name := range append(w.stored.GetRepoDigests(), w.stored.GetId()) {
				w.own[name] = true
			}
		}
	}
	return nil
}

func stepFilesystem(w *world, s story.Step) error {
	_, _ = call(w, s, "ImageFsInfo", "", "", w.im.ImageFsInfo, &runtimeapi.ImageFsInfoRequest{})
	return nil
}

// pullable returns the image that a pull or a removal is about: "one" if it does not say. The image of containers stays.
func (w *world) pullable(s story.Step) (*runtimeapi.ImageSpec, error) {
	image := w.image(cmp.Or(s.Obj, "one"))
	if _, ours := RegistryImages[cmp.Or(s.Obj, "one")]; !ours && s.Obj != "id" && s.Obj != "digest" {
		return nil, story.SkipStep("%q is no image that the suite may pull and remove", s.Obj)
	}
	if image.Image == "" || image.Image == w.s.Fixture().Image && w.s.Fixture().Registry != "" || w.isOwn(image.Image) {
		return nil, story.SkipStep("%q is no image that the suite may pull and remove", s.Obj)
	}
	return image, nil
}

// isOwn reports whether a name is that of the image of containers, by its id or digest, beside a registry.
func (w *world) isOwn(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.own[name] && w.s.Fixture().Registry != ""
}

// Pull says with what credentials an image is pulled.
type Pull struct {
	As string `json:"as,omitempty"` // "user" or "stranger"; empty: none
}

func sayImageStatus(s story.Step, _ struct{}) string {
	return "ask for the image " + cmp.Or(s.Obj, "of all containers")
}

func sayPull(s story.Step, a Pull) string {
	text := "pull the image " + cmp.Or(s.Obj, "one")
	if a.As != "" {
		text += " as " + a.As
	}
	return text
}

func stepPull(w *world, s story.Step, a Pull) error {
	image, err := w.pullable(s)
	if err != nil {
		return err
	}
	var auth *runtimeapi.AuthConfig
	if a.As != "" {
		auth = &runtimeapi.AuthConfig{Username: a.As, Password: Password}
	}
	_, _ = call(w, s, "PullImage", image.Image, "", w.im.PullImage, &runtimeapi.PullImageRequest{Image: image, Auth: auth})
	return nil
}

func stepRemoveImage(w *world, s story.Step) error {
	image, err := w.pullable(s)
	if err != nil {
		return err
	}
	_, _ = call(w, s, "RemoveImage", image.Image, "", w.im.RemoveImage, &runtimeapi.RemoveImageRequest{Image: image})
	return nil
}

// stepWatch records events until the story ends.
func stepWatch(w *world, s story.Step) error {
	w.mu.Lock()
	watches := w.watching[s.Actor]
	w.watching[s.Actor] = true
	w.mu.Unlock()
	if watches {
		return story.SkipStep("%s watches already, or did", s.Actor)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	stop := w.stop
	w.stop = func() { cancel(); stop() }
	var stream runtimeapi.RuntimeService_GetContainerEventsClient
	var err error
	w.t.Do(harness.Call{Actor: s.Actor, Kind: "GetContainerEvents"}, func(context.Context) harness.Answer {
		if stream, err = w.rt.GetContainerEvents(ctx, &runtimeapi.GetEventsRequest{}); err != nil {
			return harness.Answer{Err: failure(err)}
		}
		w.breathe() // until the runtime has taken note of the stream: gRPC does not say when
		return harness.Answer{}
	})
	if err != nil {
		return nil
	}
	w.watches.Go(func() {
		for {
			e, err := stream.Recv()
			if err != nil {
				if ctx.Err() == nil {
					w.t.Seen(s.Actor, history.Ended, 0, harness.Answer{Err: failure(err)})
				}
				return
			}
			w.mu.Lock()
			name := w.names[e.GetContainerId()]
			w.mu.Unlock()
			w.t.Seen(s.Actor, evEvent, 0, harness.Answer{Obj: history.Ref{Key: name, UID: e.GetContainerId()}, Body: e})
		}
	})
	return nil
}

// moment is what events need to come, in real time.
const moment = 500 * time.Millisecond

// breathe waits until nothing moves, for a moment in real time.
func (w *world) breathe() {
	if w.t.Virtual() {
		w.t.Wait()
	} else {
		w.t.Sleep(moment)
	}
}

func stepSettle(w *world, _ story.Step) error {
	w.breathe()
	w.t.Seen(history.Engine, history.Settled, 0, harness.Answer{})
	return nil
}

func stepAdvance(w *world, s story.Step) error {
	w.t.Sleep(time.Duration(s.For))
	return nil
}

func stepAwaitExit(w *world, s story.Step) error {
	for range 300 {
		reply, err := w.peek(s)
		if err != nil || reply.GetStatus().GetState() == exited {
			break
		}
		w.t.Sleep(100 * time.Millisecond)
	}
	return stepStatus(w, s)
}

// peek asks for the status of a container. The call is recorded only if it is not answered within a second.
func (w *world) peek(s story.Step) (*runtimeapi.ContainerStatusResponse, error) {
	type answer struct {
		reply *runtimeapi.ContainerStatusResponse
		err   error
	}
	q, done := &runtimeapi.ContainerStatusRequest{ContainerId: w.containerOf(s.Obj).id}, make(chan answer, 1)
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	w.t.Go(func() {
		reply, err := w.rt.ContainerStatus(ctx, q)
		done <- answer{reply, err}
	})
	wait := func(ctx context.Context, _ *runtimeapi.ContainerStatusRequest, _ ...grpc.CallOption) (*runtimeapi.ContainerStatusResponse, error) {
		select {
		case a := <-done:
			return a.reply, a.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	soon, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	if reply, err := wait(soon, q); soon.Err() == nil {
		return reply, err
	}
	return call(w, s, "ContainerStatus", s.Obj, q.ContainerId, wait, q)
}

func sayKill(s story.Step, a Kill) string {
	if a.In == "" {
		return "kill the runtime"
	}
	return fmt.Sprintf("kill the runtime %s after the beginning of %s for %s", cmp.Or(s.For, middle), a.In, s.Obj)
}

// middle is when the runtime is killed in a call, if a step does not say.
const middle = story.Duration(20 * time.Millisecond)

func stepKill(w *world, s story.Step, a Kill) error {
	if a.In == "" {
		return w.kill()
	}
	after := time.Duration(cmp.Or(s.For, middle))
	s.For, s.Async = 0, true // the call has the deadline that it always has
	if strings.Contains(a.In, "image") || a.In == "pull" {
		s.Obj = ""
	}
	done := make(chan error, 1)
	w.t.Go(func() { done <- w.killedIn(s, a.In) })
	w.t.Sleep(after)
	return errors.Join(w.kill(), <-done)
}

// killedIn makes the call of a word, with its usual arguments.
func (w *world) killedIn(s story.Step, word string) error {
	switch word {
	case "run-pod":
		return stepRun(w, s, Pod{})
	case "create":
		return stepCreate(w, s, Container{Work: forever})
	case "stop":
		return stepStop(w, s, Stop{Grace: 5})
	case "exec":
		return stepExec(w, s, Command{Script: scriptLong, Timeout: 5})
	case "pull":
		return stepPull(w, s, Pull{})
	case "update":
		return stepUpdate(w, s, Resources{Shares: 512})
	}
	return map[string]func(*world, story.Step) error{"stop-pod": stepStopPod, "remove-pod": stepRemovePod, "start": stepStart, "remove": stepRemove,
		"remove-image": stepRemoveImage, "checkpoint": stepCheckpoint}[word](w, s)
}

func (w *world) kill() error {
	w.down.Store(true)
	return w.admin(evKill, func(r Restarter, ctx context.Context) error { return r.Kill(ctx) })
}

func stepRestart(w *world, _ story.Step) error {
	err := w.admin(evStart, func(r Restarter, ctx context.Context) error { return r.Start(ctx) })
	w.down.CompareAndSwap(true, err != nil)
	return err
}

// admin kills or starts the runtime.
func (w *world) admin(kind string, f func(Restarter, context.Context) error) error {
	r, ok := w.s.(Restarter)
	if !ok {
		return fmt.Errorf("the feature %s is declared, but the subject has no Kill and Start", Restart)
	}
	var failed error
	w.t.Do(harness.Call{Actor: "admin", Kind: kind}, func(ctx context.Context) harness.Answer {
		if failed = f(r, ctx); failed != nil {
			return harness.Answer{Err: &history.Error{Msg: failed.Error()}}
		}
		return harness.Answer{}
	})
	return failed
}
