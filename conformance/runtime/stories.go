package runtime

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

type steps = []story.Step

// The words that most stories are made of.
func op(name, obj string) story.Step { return story.Step{Op: name, Obj: obj} }
func run(pod string) story.Step      { return op("run-pod", pod) }
func createOne(name string, x Work) story.Step {
	return story.Step{Op: "create", Obj: name, With: Container{Work: x}}
}
func start(name string) story.Step { return op("start", name) }
func stop(name string, grace int64) story.Step {
	return story.Step{Op: "stop", Obj: name, With: Stop{Grace: grace}}
}
func advance(d time.Duration) story.Step { return story.Step{Op: "advance", For: story.Duration(d)} }
func look() story.Step                   { return story.Step{Op: "look"} }
func execute(name, script string, t int64) story.Step {
	return story.Step{Op: "exec", Obj: name, With: Command{Script: script, Timeout: t}}
}

// started is a sandbox with a container that was started.
func started(name string, x Work) steps { return steps{createOne(name, x), start(name)} }

// The works of most containers.
var (
	forever  = Work{Runs: true, Term: new(3)}
	stubborn = Work{Runs: true}
	ends     = Work{Exit: 42, After: story.Duration(time.Second)}
	succeeds = Work{}
	missing  = Work{Missing: true}
)

func needs(all ...harness.Feature) []harness.Feature { return all }

var stories = []check{
	{
		Name: "status/conditions", About: "The runtime is asked what it is.",
		Rules: []harness.Rule{statusConditions, versionAnswer}, Steps: steps{{Op: "info"}},
	}, {
		Name: "config/cgroup-driver", About: "The runtime is asked for its configuration.", Needs: needs(Config),
		Rules: []harness.Rule{configDriver}, Steps: steps{{Op: "info"}},
	}, {
		Name: "image/status", About: "An image that is there and one that is not are asked for.",
		Rules: []harness.Rule{imageStatus}, Steps: steps{op("image-status", ""), op("image-status", absentImage)},
	}, {
		Name: "image/remove", About: "An image is removed twice, and pulled again.", Needs: needs(ImagePull),
		Rules: []harness.Rule{imageRemove, idempotentAbsent},
		Steps: steps{op("pull", ""), op("image-status", ""), op("remove-image", ""), op("image-status", ""), op("list-images", ""), op("remove-image", ""), op("pull", ""), op("image-status", "")},
	}, {
		Name: "sandbox/status", About: "Sandboxes are run, with two attempts of one pod, and stopped and removed.",
		Rules: []harness.Rule{sandboxStatus, sandboxStop},
		Steps: steps{run("a"), {Op: "run-pod", Obj: "b", With: Pod{Attempt: 3}}, {Op: "run-pod", Obj: "n", With: Pod{HostNetwork: true}}, look(), op("stop-pod", "a"), look(), op("stop-pod", "a"), op("remove-pod", "a"), look()},
	}, {
		Name: "sandbox/unique", About: "A sandbox is run again while it is there, when it is stopped, and after its removal.",
		Rules: []harness.Rule{sandboxUnique},
		Steps: steps{run("a"), {Op: "run-pod", Obj: "a", With: Pod{Same: true}}, op("remove-pod", "a"), {Op: "run-pod", Obj: "a", With: Pod{Same: true}}, look()},
	}, {
		Name: "sandbox/address", About: "Three pods have addresses.", Needs: needs(PodNetwork),
		Rules: []harness.Rule{sandboxAddress}, Steps: steps{run("a"), run("b"), run("c"), look(), op("remove-pod", "b"), run("d"), look()},
	}, {
		Name: "sandbox/stop", About: "A sandbox with containers that run, have ended and were not started is stopped; then another container is created in it.",
		Rules: []harness.Rule{sandboxStop},
		Steps: story.Concat(steps{run("a")}, started("a/runs", stubborn), started("a/ended", succeeds), steps{createOne("a/new", forever), op("stop-pod", "a"), look(), createOne("a/late", forever), look()}),
	}, {
		Name: "container/unique", About: "A container is created again while it is there, and again after its removal.",
		Rules: []harness.Rule{containerUnique},
		Steps: steps{run("a"), createOne("a/c", forever), {Op: "create", Obj: "a/c", For: story.Duration(2 * time.Second), With: Container{Same: true}}, look(), op("remove", "a/c"), {Op: "create", Obj: "a/c", With: Container{Same: true}}, look()},
	}, {
		Name: "container/echo", About: "Containers are created, started, and end.",
		Rules: []harness.Rule{containerEcho, containerTimes, containerImage},
		Steps: story.Concat(steps{op("image-status", ""), run("a"), createOne("a/c", ends), {Op: "create", Obj: "a/d", With: Container{Attempt: 2, Work: forever}}, look(), start("a/c"), start("a/d"), look(), op("await-exit", "a/c"), look()}),
	}, {
		Name: "container/log-path", About: "A container with a log is asked for its status.", Needs: needs(Logs),
		Rules: []harness.Rule{containerLogPath}, Steps: steps{run("a"), createOne("a/c", forever), look()},
	}, {
		Name: "container/exit", About: "Containers end by themselves, with success and without.",
		Rules: []harness.Rule{containerExit, containerFinal},
		Steps: story.Concat(steps{run("a")}, started("a/c", ends), started("a/d", succeeds), steps{op("await-exit", "a/c"), op("await-exit", "a/d"), look(), start("a/c"), stop("a/c", 5), look(), advance(time.Second), look()}),
	}, {
		Name: "container/start", About: "A container is started, and one whose binary is missing.",
		Rules: []harness.Rule{containerStart},
		Steps: story.Concat(steps{run("a")}, started("a/c", forever), steps{look(), createOne("a/m", missing), start("a/m"), look()}),
	}, {
		Name: "stop/term", About: "A container that ends at a SIGTERM is stopped with a long grace.",
		Rules: []harness.Rule{stopTerm}, Steps: story.Concat(steps{run("a")}, started("a/c", forever), steps{advance(slack), stop("a/c", 15), look(), stop("a/c", 15), look()}), Span: 30 * time.Second,
	}, {
		Name: "stop/kill", About: "A container that ignores SIGTERM is stopped.",
		Rules: []harness.Rule{stopKill}, Steps: story.Concat(steps{run("a")}, started("a/c", stubborn), steps{advance(time.Second), stop("a/c", 2), look()}),
	}, {
		Name: "stop/again", About: "A stop with a long grace is under way when another comes with a short one.",
		Rules: []harness.Rule{stopAgain}, Span: 30 * time.Second,
		Steps: story.Concat(steps{run("a")}, started("a/c", stubborn), steps{
			{Op: "stop", Actor: "c1", Obj: "a/c", With: Stop{Grace: 20}, Async: true}, advance(time.Second), {Op: "stop", Actor: "c2", Obj: "a/c", With: Stop{Grace: 1}}, {Op: "join"}, look()}),
	}, {
		Name: "remove/gone", About: "A container that runs is removed, and then a sandbox with one.",
		Rules: []harness.Rule{removeGone, errorNotFound},
		Steps: story.Concat(steps{run("a")}, started("a/c", stubborn), started("a/d", stubborn), steps{op("remove", "a/c"), look(), op("status", "a/c"), op("remove-pod", "a"), look(), op("status", "a/d")}),
	}, {
		Name: "error/not-found", About: "What was never there and what was removed is asked for.",
		Rules: []harness.Rule{errorNotFound, idempotentAbsent},
		Steps: steps{op("status", "a/none"), op("pod-status", "none"), op("start", "a/none"), stop("a/none", 1), op("remove", "a/none"), op("stop-pod", "none"), op("remove-pod", "none"),
			run("a"), createOne("a/c", forever), op("remove", "a/c"), op("remove", "a/c"), stop("a/c", 1), start("a/c"), op("status", "a/c"), op("remove-pod", "a"), op("remove-pod", "a"), op("stop-pod", "a"), op("pod-status", "a")},
	}, {
		Name: "exec/code", About: "Commands are run in a container, and in one that has ended.", Needs: needs(Exec),
		Rules: []harness.Rule{execCode, execState},
		Steps: story.Concat(steps{run("a")}, started("a/c", forever), started("a/d", succeeds), steps{execute("a/c", scriptCode, 5), op("await-exit", "a/d"), execute("a/d", scriptCode, 5)}),
	}, {
		Name: "exec/timeout", About: "A command takes longer than it may, and one leaves a process in the background.", Needs: needs(Exec),
		Rules: []harness.Rule{execTimeout}, Steps: story.Concat(steps{run("a")}, started("a/c", forever), steps{execute("a/c", scriptLong, 1), execute("a/c", scriptBack, 1), execute("a/c", scriptCode, 5)}),
	}, {
		Name: "list/complete", About: "Containers in every state are listed by every filter.",
		Rules: []harness.Rule{listComplete}, Steps: manyListed("list"),
	}, {
		Name: "stream/same", About: "They are listed as a stream.", Needs: needs(StreamingLists),
		Rules: []harness.Rule{streamSame}, Steps: manyListed("stream"),
	}, {
		Name: "stats/running", About: "Statistics of containers that run, have ended and were removed.", Needs: needs(Stats),
		Rules: []harness.Rule{statsRunning},
		Steps: story.Concat(steps{run("a")}, started("a/c", forever), started("a/d", forever), started("a/e", succeeds), steps{advance(time.Second), op("stats", ""), advance(2 * time.Second), op("stats", ""), op("remove", "a/d"), op("stats", "")}),
	}, {
		Name: "event/order", About: "Two watch while containers come and go.", Needs: needs(Events),
		Rules: []harness.Rule{eventStopped, eventOrder, eventAll},
		Steps: story.Concat(steps{{Op: "watch", Actor: "w1"}, {Op: "watch", Actor: "w2"}, run("a")}, started("a/c", ends), started("a/d", succeeds), started("a/e", forever), steps{
			op("await-exit", "a/c"), stop("a/e", 5), advance(2 * time.Second), op("settle", ""), op("remove", "a/c"), op("remove-pod", "a"), op("settle", "")}),
	}, {
		Name: "event/order/many", About: "Thirty containers that end at once are started together (cri-o#9738).", Needs: needs(Events), Span: 30 * time.Second,
		Rules: []harness.Rule{eventStopped, eventOrder},
		Steps: story.Concat(steps{{Op: "watch", Actor: "w1"}, run("a")}, story.Repeat(30, func(i int) steps { return steps{createOne(nth(i), succeeds)} }),
			story.Repeat(30, func(i int) steps { return steps{{Op: "start", Actor: actor(i), Obj: nth(i), Async: true}} }), steps{{Op: "join"}},
			story.Repeat(30, func(i int) steps { return steps{op("await-exit", nth(i))} }), steps{op("settle", "")}),
	}, {
		Name: "restart/keeps", About: "The runtime is killed and started again while containers run.", Needs: needs(Restart), Span: 30 * time.Second, Isolation: harness.Alone,
		Rules: []harness.Rule{restartKeeps},
		Steps: story.Concat(steps{run("a")}, started("a/c", forever), steps{createOne("a/new", forever), look(), op("kill", ""), advance(time.Second), op("restart", ""), look(), start("a/new"), advance(slack), stop("a/c", 5), look()}),
	}, {
		Name: "restart/exit", About: "A container ends while the runtime is down.", Needs: needs(Restart), Span: 30 * time.Second, Isolation: harness.Alone,
		Rules: []harness.Rule{restartExit},
		Steps: story.Concat(steps{run("a")}, started("a/c", Work{Exit: 77, After: story.Duration(2 * time.Second)}), steps{look(), op("kill", ""), advance(4 * time.Second), op("restart", ""), look(), look()}),
	},
}

// manyListed lists two pods with containers in every state.
func manyListed(word string) steps {
	list := func(f Filter) story.Step { return story.Step{Op: word, With: f} }
	all := story.Concat(steps{run("a"), run("b")}, started("a/runs", forever), started("a/ended", succeeds), started("b/runs", forever), steps{createOne("b/new", forever), op("await-exit", "a/ended")},
		steps{list(Filter{}), list(Filter{Of: "a"}), list(Filter{Of: "a", Short: true}), list(Filter{Of: "a/runs"}), list(Filter{Of: "a/runs", Short: true}),
			list(Filter{State: running.String()}), list(Filter{State: created.String()}), list(Filter{State: exited.String()}), list(Filter{Of: "b", State: running.String()})})
	for _, f := range []Filter{{}, {Of: "a"}, {Of: "a", Short: true}, {State: "SANDBOX_READY"}, {State: "SANDBOX_NOTREADY"}} {
		all = append(all, story.Step{Op: "list-pods", With: f})
	}
	return append(all, op("stop-pod", "b"), story.Step{Op: "list-pods", With: Filter{State: "SANDBOX_READY"}}, list(Filter{}))
}

// nth names one of many containers, and actor one of many clients.
func nth(i int) string   { return "a/n" + string(rune('a'+i/10)) + string(rune('0'+i%10)) }
func actor(i int) string { return "c" + string(rune('a'+i/10)) + string(rune('0'+i%10)) }
