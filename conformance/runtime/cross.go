package runtime

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// cross is what random stories of runtimes combine: a call, how it fails, the pod and the container that it is about, and the moment.
var cross = story.Cross{
	Dimensions: []story.Dimension{
		{Name: "call", Values: []story.Value{
			{Name: "StopContainer", With: stop("a/c", 5)},
			{Name: "StopContainer at once", With: stop("a/c", 0)},
			{Name: "RunPodSandbox", With: run("b")},
			{Name: "RunPodSandbox with a handler that there is not", With: story.Step{Op: "run-pod", Obj: "b", With: Pod{Handler: noHandler}}},
			{Name: "RunPodSandbox with two mappings", With: story.Step{Op: "run-pod", Obj: "b", With: Pod{Mappings: 2}}},
			{Name: "RunPodSandbox again", With: story.Step{Op: "run-pod", Obj: "a", With: Pod{Same: true}}},
			{Name: "StopPodSandbox", With: op("stop-pod", "a")},
			{Name: "RemovePodSandbox", With: op("remove-pod", "a")},
			{Name: "PodSandboxStatus", With: op("pod-status", "a")},
			{Name: "CreateContainer", With: createOne("a/d", forever)},
			{Name: "CreateContainer again", With: story.Step{Op: "create", Obj: "a/c", With: Container{Same: true}}},
			{Name: "StartContainer", With: start("a/c")},
			{Name: "RemoveContainer", With: op("remove", "a/c")},
			{Name: "ContainerStatus", With: op("status", "a/c")},
			{Name: "ExecSync", With: execute("a/c", scriptCode, 5)},
			{Name: "ExecSync too long", With: execute("a/c", scriptLong, 1)},
			{Name: "ExecSync missing", With: execute("a/c", notThere, 5)},
			{Name: "ListContainers", With: list(Filter{})},
			{Name: "ListContainers of a pod", With: list(Filter{Of: "a"})},
			{Name: "ListContainers by state", With: list(Filter{State: running.String()})},
			{Name: "ListContainers by id and state", With: list(Filter{Of: "a/c", State: exited.String()})},
			{Name: "ListContainers of a pod by state", With: list(Filter{Of: "a", State: created.String(), Short: true})},
			{Name: "ListContainers by label and state", With: list(Filter{Label: "c", State: running.String()})},
			{Name: "ListPodSandbox", With: list(Filter{What: "pods"})},
			{Name: "ListPodSandbox by state", With: list(Filter{What: "pods", State: "SANDBOX_READY"})},
			{Name: "ListPodSandbox by id and state", With: list(Filter{What: "pods", Of: "a", State: "SANDBOX_NOTREADY"})},
			{Name: "ListPodSandbox by label and state", With: list(Filter{What: "pods", Label: "a", State: "SANDBOX_READY"})},
			{Name: "ListImages", With: list(Filter{What: "images"})},
			{Name: "ListContainerStats", With: list(Filter{What: "stats"})},
			{Name: "ListContainerStats of a pod", With: list(Filter{What: "stats", Of: "a"})},
			{Name: "ListPodSandboxStats", With: list(Filter{What: "pod-stats"})},
			{Name: "ListPodSandboxStats by id", With: list(Filter{What: "pod-stats", Of: "a"})},
			{Name: "ListPodSandboxMetrics", With: list(Filter{What: "pod-metrics"})},
			{Name: "PodSandboxStats", With: op("stats", "a"), Needs: needs(PodStats)},
			{Name: "GetContainerEvents", With: story.Step{Op: "watch", Actor: "w2"}},
			{Name: "StreamContainers", With: story.Step{Op: "stream"}},
			{Name: "StreamPodSandboxes", With: story.Step{Op: "stream", With: Filter{What: "pods"}}},
			{Name: "ContainerStats", With: op("stats", "a/c")},
			{Name: "UpdateContainerResources", With: story.Step{Op: "update", Obj: "a/c", With: Resources{Shares: 512, Memory: 128 << 20}}},
			{Name: "UpdatePodSandboxResources", With: op("update-pod", "a")},
			{Name: "ReopenContainerLog", With: op("rotate", "a/c")},
			{Name: "ImageStatus", With: op("image-status", "")},
			{Name: "ImageStatus absent", With: op("image-status", absentImage)},
			{Name: "ImageFsInfo", With: op("filesystem", "")},
			{Name: "PullImage", With: op("pull", "")},
			{Name: "PullImage by digest", With: op("pull", "digest")},
			{Name: "PullImage without credentials", With: op("pull", "private")},
			{Name: "RemoveImage", With: op("remove-image", "")},
			{Name: "RemoveImage by id", With: op("remove-image", "id")},
			{Name: "CheckpointContainer", With: op("checkpoint", "a/c")},
			{Name: "Status", With: op("info", "")},
		}},
		{Name: "failure", Values: []story.Value{
			{Name: "none", With: func(s story.Step) steps { return steps{s} }},
			{Name: "made again", With: func(s story.Step) steps { return steps{s, s, s} }},
			{Name: "by two at once", Met: overlaps, With: func(s story.Step) steps {
				return story.Concat(story.Async(byClient("c1", s), byClient("c2", s)), story.Join())
			}},
			{Name: "given up", Met: meets((*exchange).unanswered), With: func(s story.Step) steps { return steps{givenUp(s), s} }},
			{Name: "killed at its beginning", Met: meetsKill, With: killed(time.Millisecond)},
			{Name: "killed in the middle", Met: meetsKill, With: killed(20 * time.Millisecond)},
		}},
		{Name: "pod", Values: []story.Value{
			{Name: "plain", With: Pod{}},
			{Name: "host network", With: Pod{HostNetwork: true}},
			{Name: "second attempt", With: Pod{Attempt: 1}},
			{Name: "in a user namespace", With: Pod{Mappings: 1}},
			{Name: "with a runtime handler", With: Pod{Handler: namedHandler}},
		}},
		{Name: "work", Values: []story.Value{
			{Name: "ends at SIGTERM", With: forever},
			{Name: "ignores SIGTERM", With: stubborn},
			{Name: "ends by itself", With: ends},
			{Name: "succeeds at once", With: succeeds},
			{Name: "has no binary", With: missing},
			{Name: "prints each second", With: ticks},
			{Name: "prints much", With: prints},
			{Name: "has a stop signal", With: signaled},
		}},
		{Name: "image", Values: []story.Value{{Name: "by tag", With: ""}, {Name: "by id", With: "id"}, {Name: "by digest", With: "digest"}}},
		{Name: "moment", Values: []story.Value{
			{Name: "at rest", With: moments{before: steps{start("a/c"), advance(slack)}}},
			{Name: "created", With: moments{}},
			{Name: "just started", With: moments{before: steps{start("a/c")}}},
			{Name: "after its end", With: moments{before: steps{start("a/c"), stop("a/c", 1), look()}}},
			{Name: "being stopped", With: moments{
				before: steps{start("a/c"), advance(slack), {Op: "stop", Actor: "c3", Obj: "a/c", With: Stop{Grace: 8}, Async: true}, advance(10 * time.Millisecond)},
				after:  story.Join("c3")}},
			{Name: "in a burst", With: moments{
				before: story.Concat(steps{start("a/c"), run("n")}, story.Async(byClient("c3", createOne("n/c", ends)), byClient("c3", start("n/c")), byClient("c4", createOne("n/d", stubborn)), byClient("c4", start("n/d"))), steps{advance(time.Millisecond)}), // it has begun
				after:  story.Join("c3", "c4")}},
			{Name: "after a restart", With: moments{before: steps{start("a/c"), advance(slack), op("kill", ""), op("restart", "")}}},
			{Name: "without its pod", With: moments{before: steps{start("a/c"), op("stop-pod", "a")}}},
		}},
	},
	Never: []story.Never{
		{A: "moment=being stopped", B: "work=has no binary", Why: "it never ran"},
		{A: "moment=being stopped", B: "work=succeeds at once", Why: "it has ended before"},
		{A: "moment=being stopped", B: "work=prints much", Why: "it has ended before"},
		{A: "moment=being stopped", B: "work=ends by itself", Why: "it has ended before"},
		{A: "call=GetContainerEvents", B: "failure=made again", Why: "a client watches once"},
		{A: "call=GetContainerEvents", B: "failure=given up", Why: "a watch has no deadline"},
		{A: "call=GetContainerEvents", B: "failure=killed *", Why: "a watch begins at once, and then no answer is due"},
	},
	Story: crossed,
}

// moments is what happens before and after the call of a story.
type moments struct{ before, after steps }

// byClient returns a step as another client takes it: actor is its name.
func byClient(actor string, s story.Step) story.Step {
	s.Actor = actor
	return s
}

// givenUp returns a call whose deadline passes in the middle.
func givenUp(s story.Step) story.Step {
	s.For = story.Duration(10 * time.Millisecond)
	return s
}

// harmless are the words that change nothing.
var harmless = []string{"list", "stream", "status", "pod-status", "stats", "exec", "image-status", "filesystem", "info"}

// killed has the runtime killed in a call, started again, and asked again. A call that changes nothing is made before, too: after the
// restart the moment is another one.
func killed(after time.Duration) func(story.Step) steps {
	return func(s story.Step) steps {
		all := story.Concat(story.Async(byClient("c2", s)), steps{advance(after), op("kill", ""), op("restart", "")}, story.Join(), steps{s})
		if slices.Contains(harmless, s.Op) {
			return append(steps{s}, all...)
		}
		return all
	}
}

// met returns the calls among some events that a story makes on purpose.
func met(h *history.History, nums []int32) (all []*exchange) {
	for _, x := range recordOf(h).calls {
		if slices.Contains(nums, x.Num) && x.Method != evKill && x.Method != evStart {
			all = append(all, x)
		}
	}
	return all
}

func meets(struck func(*exchange) bool) func(*history.History, []int32) bool {
	return func(h *history.History, nums []int32) bool { return slices.ContainsFunc(met(h, nums), struck) }
}

// meetsKill reports whether a call was under way when the runtime was killed, and was not answered.
func meetsKill(h *history.History, nums []int32) bool {
	return meets(func(x *exchange) bool { return lost(x) && recordOf(h).killed(x.Num, max(x.Return, x.Num)) })(h, nums)
}

// overlaps reports whether two calls were under way at once.
func overlaps(h *history.History, nums []int32) bool {
	all := met(h, nums)
	return slices.ContainsFunc(all, func(x *exchange) bool {
		return slices.ContainsFunc(all, func(y *exchange) bool {
			return x != y && x.Method == y.Method && x.Num < y.Num && (x.Return == 0 || x.Return > y.Num)
		})
	})
}

// pulled has an image that the call may remove, and names by its id or digest.
var pulled = steps{op("pull", ""), op("image-status", "one")}

// callOf is the call of a row. A sandbox that it runs is of the shape of the row.
func callOf(r story.Row) story.Step {
	s, shape := story.With[story.Step](r, "call"), story.With[Pod](r, "pod")
	if s.Op == "run-pod" && s.With == nil {
		s.With = shape
	}
	return s
}

// twin makes the call of a row in the pod t, of the same shape as a, before anything happens there: so each call succeeds once with each
// shape that lets it. Calls that are about no container or pod have none, nor has a run of another pod.
func twin(r story.Row, shape Container) []story.Part {
	s := callOf(r)
	name, of, _ := strings.Cut(s.Obj, "/")
	if name != "a" {
		return nil
	}
	s.Obj = path.Join("t", of)
	begin := steps{start("t/c")}
	if s.Op == "start" {
		begin = nil
	}
	return []story.Part{
		story.Shows("pod", story.Step{Op: "run-pod", Obj: "t", With: story.With[Pod](r, "pod")}),
		{Of: []string{"work", "image"}, Steps: steps{{Op: "create", Obj: "t/c", With: shape}}},
		story.Scene(begin...),
		story.Shows("call", s),
		story.Scene(op("status", "t/c"), op("remove-pod", "t")),
	}
}

func crossed(r story.Row) []story.Part {
	x := Container{Work: story.With[Work](r, "work"), Image: story.With[string](r, "image")}
	if x.Work.Signal != "" {
		x.Signal = "SIG" + x.Work.Signal
	}
	moment := story.With[moments](r, "moment")
	call := story.With[func(story.Step) steps](r, "failure")(callOf(r))
	scene := story.Scene(story.Step{Op: "watch", Actor: "w1"}, op("image-status", ""))
	return slices.Concat([]story.Part{scene}, twin(r, x), []story.Part{
		story.Shows("pod", story.Step{Op: "run-pod", Obj: "a", With: story.With[Pod](r, "pod")}),
		{Of: []string{"work", "image"}, Steps: steps{{Op: "create", Obj: "a/c", With: x}}},
		story.Scene(story.When(ImagePull, pulled...)...),
		story.Shows("moment", moment.before...),
		{Of: []string{"call", "failure"}, Steps: call},
		story.Scene(moment.after...),
		story.Scene(story.When(ImagePull, op("image-status", "one"), op("remove-image", "id"), op("image-status", "one"), list(Filter{What: "images"}))...),
		story.Scene(look(), list(Filter{What: "stats"}), op("settle", ""), op("await-exit", "a/c"), op("remove", "a/c"), op("log", "a/c"), op("remove-pod", "a"), look(), op("count", ""), op("settle", "")),
	})
}
