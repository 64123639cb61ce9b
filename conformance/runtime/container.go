package runtime

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

const (
	created = runtimeapi.ContainerState_CONTAINER_CREATED
	running = runtimeapi.ContainerState_CONTAINER_RUNNING
	exited  = runtimeapi.ContainerState_CONTAINER_EXITED
)

var containerUnique = harness.Rule{
	Clause: harness.Clause{
		ID:      "container/unique",
		Level:   harness.Must,
		Text:    "While a container is there, no other one of its sandbox has its name and attempt: to create it again fails, or gives its id. After its removal it can be created again.",
		Sources: []harness.Source{api("ContainerMetadata"), inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.startContainer")},
		Why:     "A kubelet whose call timed out creates the container again: two of one name run, or none ever can.",
		Advice:  "Reserve sandbox, name and attempt in one atomic step before CreateContainer makes anything, and free them when RemoveContainer is done or the creation fails.",
		Classes: []string{"CreateContainer again"},
	},
	Judge: judgeContainerUnique,
}

var containerEcho = harness.Rule{
	Clause: harness.Clause{
		ID:      "container/echo",
		Level:   harness.Must,
		Text:    "The status of a container has its id, and the metadata, the labels and the annotations that it was created with, and nothing beside them.",
		Sources: []harness.Source{api("ContainerStatus"), api("ContainerConfig"), inKubelet("kuberuntime/labels.go#getContainerInfoFromLabels")},
		Why:     "A kubelet finds out by labels and annotations which container of which pod it is, and what its specification was.",
		Advice:  "Save the ContainerConfig as it came and fill the status from it, with the attempt and annotations without a value. Keep labels of your own somewhere else.",
		Classes: []string{"ContainerStatus OK"},
	},
	Judge: judgeContainerEcho,
}

var containerTimes = harness.Rule{
	Clause: harness.Clause{
		ID:      "container/times",
		Level:   harness.Must,
		Text:    "A container that was not started has no time of start and none of end. The times of creation, start and end of others are in this order, and none changes.",
		Sources: []harness.Source{api("ContainerStatus"), inKubelet("container/helpers.go#GetContainerSpec"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.doBackOff")},
		Why:     "A kubelet takes the time of the end for the beginning of a back-off, and of a grace period.",
		Advice:  "Save each time once, in nanoseconds, when it happens: creation, start, end. Leave those to come at 0, and do not compute any of them in ContainerStatus.",
		Classes: []string{"ContainerStatus CONTAINER_CREATED", "ContainerStatus CONTAINER_EXITED"},
	},
	Judge: judgeContainerTimes,
}

var containerExit = harness.Rule{
	Clause: harness.Clause{
		ID:      "container/exit",
		Level:   harness.Must,
		Text:    "A container that has ended by itself is EXITED, with the exit code of its process, and with the reason Completed if that is 0, else Error.",
		Sources: []harness.Source{api("ContainerStatus"), inKubelet("kubelet_pods.go#Kubelet.convertStatusToAPIStatus")},
		Why:     "Whether a pod has succeeded, and whether a container is started again, hangs on the code.",
		Advice:  "Wait for the container's process from its start on. At its end save EXITED, its exit code and the reason (Completed for 0, else Error) in one step.",
		Classes: []string{"ContainerStatus CONTAINER_EXITED"},
	},
	Judge: judgeContainerExit,
}

var containerFinal = harness.Rule{
	Clause: harness.Clause{
		ID:      "container/final",
		Level:   harness.Must,
		Text:    "The state of a container never goes back. One that has ended stays so, with the same exit code, reason and time of its end, and cannot be started again.",
		Sources: []harness.Source{api("ContainerState"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.computePodActions"), inKubelet("status/status_manager.go#checkContainerStateTransition")},
		Why:     "A kubelet restarts a container that has ended, and counts that. It refuses a status in which a container that has ended runs.",
		Advice:  "Write the state, code, reason and time of the end once, and let later stops and status calls only read them. Let StartContainer refuse what is EXITED.",
		Classes: []string{"ContainerStatus CONTAINER_EXITED", "StartContainer again"},
	},
	Judge: judgeContainerFinal,
}

var containerStart = harness.Rule{
	Clause: harness.Clause{
		ID:      "container/start",
		Level:   harness.Must,
		Text:    "Once a start has succeeded, the container runs or has ended. If its binary is missing, the start fails and it has ended with the code 128 and the reason StartError or ContainerCannotRun, or it cannot be created and leaves nothing.",
		Sources: []harness.Source{api("RuntimeService.StartContainer"), inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.startContainer")},
		Why:     "A pod waits for ever for a container that is neither started nor failed.",
		Advice:  "Return from StartContainer only once the process has begun. If it cannot begin, save EXITED with the code 128 and the reason StartError, and return an error.",
		Classes: []string{"StartContainer OK", "StartContainer failed"},
	},
	Judge: judgeContainerStart,
}

var containerLogPath = harness.Rule{
	Clause: harness.Clause{
		ID:      "container/log-path",
		Level:   harness.Must,
		Text:    "The log_path of a status is absolute: the log_directory of the sandbox and the log_path of the container.",
		Sources: []harness.Source{api("ContainerStatus"), inKubelet("logs/container_log_manager.go#containerLogManager.rotateLogs")},
		Why:     "With an empty path a kubelet rotates, and deletes, files in its own working folder (kubernetes#107717).",
		Advice:  "Join the sandbox's log_directory and the container's log_path when the container is created, save the result, and return it in each ContainerStatus.",
		Classes: []string{"ContainerStatus OK"},
	},
	Needs: []harness.Feature{Logs},
	Judge: judgeLogPath,
}

var containerImage = harness.Rule{
	Clause: harness.Clause{
		ID:      "container/image",
		Level:   harness.Must,
		Text:    "The image_id of a container is the id of the image that it was created from, in its status and in lists; a pull answers with this id, too.",
		Sources: []harness.Source{api("ContainerStatus"), api("Container"), api("PullImageResponse"), inKubelet("images/image_gc_manager.go#realImageGCManager.detectImages")},
		Why:     "The garbage collection of images removes one that a container uses.",
		Advice:  "Resolve the image to the id that ImageStatus has, and use this in ContainerStatus, ListContainers and PullImage, not the tag or digest of the request.",
		Classes: []string{"ContainerStatus OK", "ImageStatus OK"},
	},
	Judge: judgeContainerImage,
}

func judgeContainerUnique(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).of("CreateContainer") {
		ask, _ := x.Ask.(*runtimeapi.CreateContainerRequest)
		if x.ok() && madeBy(x) == "" {
			j.Tested++
			j.Fail("the id of a container", "none", x.Num, x.Return)
		}
		if c, _ := l.byID[madeBy(x)].(*containerLife); c != nil && !sameName(c.made, x) && l.there(c.id, x.Return) {
			j.Tested++
			j.Fail("an id of its own", short(c.id)+", which the container "+c.made.Key+" has", c.made.Return, x.Return)
		}
		s, _ := l.byID[ask.GetPodSandboxId()].(*sandboxLife)
		if s == nil || x.Return == 0 {
			continue
		}
		for _, c := range s.containers {
			if c.made == x || !sameName(c.made, x) {
				continue
			}
			switch {
			case c.made.Return > x.Num:
				if l.twoAtOnce(c.made, x) {
					j.Tested++
					j.Fail("an error, or the id "+short(c.id)+" of the other call", "another id: "+short(madeBy(x)), c.made.Num, c.made.Return, x.Return)
				}
			case l.there(c.id, x.Return):
				if j.Tested++; x.ok() && madeBy(x) != c.id {
					j.Fail("an error, or the id "+short(c.id)+" of the one that is there", "another id: "+short(madeBy(x)), c.made.Return, x.Return)
				}
			case proto.Equal(c.made.Ask, x.Ask) && !lost(x) && creatable(h, s, x):
				if j.Tested++; x.Err != nil {
					j.Fail("a container: the one of the name was removed", outcome(x), l.gone(c.id, x.Num).Return, x.Return)
				}
			}
		}
	}
	return j
}

// creatable reports whether nothing stands against the creation of a container: its sandbox and the images are there, and all
// containers of its name are gone.
func creatable(h *history.History, s *sandboxLife, x *exchange) bool {
	r, l := recordOf(h), livesOf(h)
	taken := slices.ContainsFunc(s.containers, func(c *containerLife) bool {
		return c.made != x && c.made.Num < x.Return && sameName(c.made, x) && l.gone(c.id, x.Num) == nil
	})
	return !taken && !isMissing(x) && !contested(h, x) && !begunBefore(s.stops, x.Return) && !begunBefore(r.of("RemoveImage"), x.Return)
}

// sights yields the statuses of all containers.
func sights(h *history.History, f func(*containerLife, sight)) {
	for _, c := range livesOf(h).containers {
		for _, s := range c.seen {
			f(c, s)
		}
	}
}

func judgeContainerEcho(h *history.History) (j harness.Judgement) {
	sights(h, func(c *containerLife, s sight) {
		j.Tested++
		switch {
		case s.status.GetId() != c.id:
			j.Fail("the id "+short(c.id), fmt.Sprintf("%q", short(s.status.GetId())), c.made.Num, s.Return)
		case !proto.Equal(s.status.GetMetadata(), c.config.GetMetadata()):
			j.Fail(fmt.Sprint("the metadata ", c.config.GetMetadata()), fmt.Sprint(s.status.GetMetadata()), c.made.Num, s.Return)
		case !maps.Equal(s.status.GetLabels(), c.config.GetLabels()):
			j.Fail(fmt.Sprint("the labels ", c.config.GetLabels()), fmt.Sprint(s.status.GetLabels()), c.made.Num, s.Return)
		case !maps.Equal(s.status.GetAnnotations(), c.config.GetAnnotations()):
			j.Fail(fmt.Sprint("the annotations ", c.config.GetAnnotations()), fmt.Sprint(s.status.GetAnnotations()), c.made.Num, s.Return)
		}
	})
	for _, x := range recordOf(h).of("ContainerStatus") {
		reply, ok := x.Reply.(*runtimeapi.ContainerStatusResponse)
		if c, _ := livesOf(h).byID[x.ID].(*containerLife); c != nil && ok && reply.GetStatus() == nil {
			j.Tested++
			j.Fail("a status", "none", c.made.Num, x.Return)
		}
	}
	return j
}

func judgeContainerTimes(h *history.History) (j harness.Judgement) {
	before := map[string]*runtimeapi.ContainerStatus{}
	sights(h, func(c *containerLife, s sight) {
		got := s.status
		times := fmt.Sprintf("created %d, started %d, finished %d", got.GetCreatedAt(), got.GetStartedAt(), got.GetFinishedAt())
		want := ""
		switch was := before[c.id]; {
		case got.GetCreatedAt() <= 0:
			want = "a time of creation"
		case got.GetState() == created && (got.GetStartedAt() != 0 || got.GetFinishedAt() != 0):
			want = "no time of start or end: it was not started"
		case got.GetState() == running && (got.GetStartedAt() < got.GetCreatedAt() || got.GetFinishedAt() != 0):
			want = "a time of start after that of creation, and none of end"
		case got.GetState() == exited && (got.GetFinishedAt() < got.GetCreatedAt() || got.GetStartedAt() > got.GetFinishedAt()+int64(time.Second)): // a kubelet keeps whole seconds
			want = "a time of end after those of creation and start"
		case was != nil && (was.GetCreatedAt() != got.GetCreatedAt() || was.GetState() == got.GetState() && was.GetStartedAt() != got.GetStartedAt()):
			want = fmt.Sprintf("times that stay: created %d, started %d", was.GetCreatedAt(), was.GetStartedAt())
		}
		if j.Tested++; want != "" {
			j.Fail(want, times, c.made.Return, s.Return)
		}
		before[c.id] = got
	})
	return j
}

// byItself reports whether a container has ended by itself by the time of a sight: nobody had begun to end it.
func (c *containerLife) byItself(s sight) bool {
	return c.works && len(c.starts) > 0 && c.starts[0].ok() && !begunBefore(c.stops, s.Return) && !c.work.Runs && !c.work.Missing
}

func judgeContainerExit(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	sights(h, func(c *containerLife, s sight) {
		if s.status.GetState() != exited || !c.byItself(s) || r.killed(c.starts[0].Num, s.Num) { // restart/exit judges that
			return
		}
		reason := "Error"
		if c.work.Exit == 0 {
			reason = "Completed"
		}
		want, got := fmt.Sprintf("the exit code %d and the reason %s", c.work.Exit, reason), fmt.Sprintf("%d and %s", s.status.GetExitCode(), s.status.GetReason())
		if j.Tested++; int(s.status.GetExitCode()) != c.work.Exit || s.status.GetReason() != reason {
			j.Fail(want, got, c.starts[0].Num, s.Return)
		}
	})
	for _, c := range livesOf(h).containers { // time has come for it to have ended
		for _, s := range c.seen {
			if len(c.starts) > 0 && c.byItself(s) && s.From-c.starts[0].To > timeOf(c.work)+recordOf(h).slack && s.status.GetState() == running {
				j.Tested++
				j.Fail("the state CONTAINER_EXITED: it ends "+c.work.After.String()+" after its start", s.status.GetState().String(), c.starts[0].Return, s.Return)
			}
		}
	}
	return j
}

func judgeContainerFinal(h *history.History) (j harness.Judgement) {
	for _, c := range livesOf(h).containers {
		for i, s := range c.seen {
			for _, was := range c.seen[:i] {
				if was.Return > s.Num {
					continue // they overlap
				}
				j.Tested++
				a, b := was.status, s.status
				switch {
				case b.GetState() < a.GetState() && a.GetState() <= exited:
					j.Fail("a state that does not go back from "+a.GetState().String(), b.GetState().String(), was.Return, s.Return)
				case a.GetState() == exited && (a.GetExitCode() != b.GetExitCode() || a.GetReason() != b.GetReason() || a.GetFinishedAt() != b.GetFinishedAt()):
					j.Fail(ending(a), ending(b), was.Return, s.Return)
				default:
					continue
				}
				return j
			}
		}
		for _, x := range c.starts {
			at := slices.IndexFunc(c.seen, func(s sight) bool { return s.Return < x.Num && s.status.GetState() == exited })
			if at < 0 || lost(x) {
				continue
			}
			if j.Tested++; x.ok() {
				j.Fail("an error: it has ended", "the start succeeded", c.seen[at].Return, x.Return)
			}
		}
	}
	return j
}

// ending describes how a container has ended.
func ending(s *runtimeapi.ContainerStatus) string {
	return fmt.Sprintf("exit code %d, reason %s, finished at %d", s.GetExitCode(), s.GetReason(), s.GetFinishedAt())
}

func judgeContainerStart(h *history.History) (j harness.Judgement) {
	for _, c := range livesOf(h).containers {
		if at := slices.IndexFunc(c.starts, (*exchange).ok); at >= 0 && c.work.Missing {
			j.Tested++
			j.Fail("an error: the binary is missing", "the start succeeded", c.starts[at].Num, c.starts[at].Return)
			continue
		}
		for _, s := range c.seen {
			if len(c.starts) != 1 || c.starts[0].Return == 0 || c.starts[0].Return > s.Num {
				continue
			}
			x, got := c.starts[0], s.status
			switch {
			case x.ok():
				if j.Tested++; got.GetState() == created {
					j.Fail("a container that runs, or has ended, after it was started", got.GetState().String(), x.Return, s.Return)
				}
			case c.work.Missing && !lost(x) && !begunBefore(c.stops, s.Return):
				if j.Tested++; got.GetState() != exited || got.GetExitCode() != 128 || !slices.Contains([]string{"StartError", "ContainerCannotRun"}, got.GetReason()) {
					j.Fail("CONTAINER_EXITED, the exit code 128 and the reason StartError or ContainerCannotRun", fmt.Sprint(got.GetState(), ", ", ending(got)), x.Return, s.Return)
				}
			}
		}
	}
	for _, x := range recordOf(h).of("CreateContainer") { // one that fails for want of a binary, where others can be created
		if x.Err == nil || lost(x) || len(livesOf(h).containers) == 0 || !isMissing(x) {
			continue
		}
		j.Tested++
		if list := leftOf(h, x); list != nil {
			j.Fail("nothing of a container that could not be created", "it is listed", x.Return, list.Return)
		}
	}
	return j
}

// leftOf returns a list that has what a call has left that failed to create a container, and that no other one can have made;
// nil: none.
func leftOf(h *history.History, x *exchange) *exchange {
	r := recordOf(h)
	ask, _ := x.Ask.(*runtimeapi.CreateContainerRequest)
	for _, list := range r.of("ListContainers", "StreamContainers") {
		others := slices.ContainsFunc(r.of("CreateContainer"), func(y *exchange) bool { return y != x && y.Num < list.Return && sameName(x, y) })
		if list.Num > x.Return && !others && namedIn(list, ask.GetPodSandboxId(), ask.GetConfig().GetMetadata()) > 0 {
			return list
		}
	}
	return nil
}

func judgeLogPath(h *history.History) (j harness.Judgement) {
	sights(h, func(c *containerLife, s sight) {
		if c.pod == nil || c.config.GetLogPath() == "" || c.pod.config.GetLogDirectory() == "" {
			return
		}
		want := filepath.Join(c.pod.config.GetLogDirectory(), c.config.GetLogPath())
		if j.Tested++; s.status.GetLogPath() != want {
			j.Fail("the log_path "+want, fmt.Sprintf("%q", s.status.GetLogPath()), c.made.Num, s.Return)
		}
	})
	return j
}

func judgeContainerImage(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	images, known := imagesOf(r), map[*containerLife]*exchange{}
	same := func(c *containerLife, got string, x *exchange) {
		is, asked := known[c]
		if !asked {
			is = images.at(c.config.GetImage().GetImage(), c.made)
			known[c] = is
		}
		if is != nil {
			if j.Tested++; got != imageOf(is) {
				j.Fail("the image_id "+imageOf(is), fmt.Sprintf("%q", got), is.Return, x.Return)
			}
		}
	}
	for _, x := range images.answers {
		if is := images.at(x.Key, x); is != nil && is.Method == "PullImage" && x.Method == "ImageStatus" && imageOf(x) != "" {
			if j.Tested++; imageOf(is) != imageOf(x) {
				j.Fail("the id of the image: "+imageOf(x), "a pull that answers "+imageOf(is), is.Return, x.Return)
			}
		}
	}
	sights(h, func(c *containerLife, s sight) { same(c, s.status.GetImageId(), s.exchange) })
	for _, x := range r.calls {
		for _, item := range itemsOf(x) {
			if c, _ := livesOf(h).byID[item.GetId()].(*containerLife); c != nil {
				same(c, item.GetImageId(), x)
			}
		}
	}
	return j
}
