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
func list(f Filter) story.Step           { return story.Step{Op: "list", With: f} }
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
	ticks    = Work{Runs: true, Ticks: true, Term: new(3)}
	prints   = Work{Lines: 20, Long: 8000}
	signaled = Work{Runs: true, Signal: "USR1", Term: new(5)}
)

func needs(all ...harness.Feature) []harness.Feature { return all }

func stories() []story.Check {
	return []story.Check{
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
			Name: "image/remove", About: "An image is removed twice, and pulled again.", Needs: needs(ImagePull), Isolation: harness.Disturbs,
			Rules: []harness.Rule{imageRemove, idempotentAbsent},
			Steps: steps{op("pull", "one"), op("image-status", "one"), op("remove-image", "one"), op("image-status", "one"), list(Filter{What: "images"}), op("remove-image", "one"), op("pull", "one"), op("image-status", "one")},
		}, {
			Name: "image/remove/id", About: "Two tags of one image are pulled, and it is removed by its id. It comes back by its digest.", Needs: needs(ImagePull), Isolation: harness.Disturbs,
			Rules: []harness.Rule{imageRemove},
			Steps: steps{op("pull", "one"), op("pull", "one-again"), op("image-status", "one-again"), op("image-status", "one"), op("remove-image", "id"), op("image-status", "one"), op("image-status", "one-again"), list(Filter{What: "images"}), op("pull", "digest"), op("image-status", "digest"), op("remove-image", "digest")},
		}, {
			Name: "image/pull", About: "Images are pulled that the registry has, that it does not have, and that need credentials.", Needs: needs(ImagePull), Isolation: harness.Disturbs,
			Rules: []harness.Rule{imagePull},
			Steps: steps{op("pull", "one"), op("pull", "one"), op("image-status", "one"), op("pull", "missing"), op("pull", "private"), pullAs("private", "stranger"), pullAs("private", User), op("image-status", "private"), op("remove-image", "private"), op("pull", "private"), op("remove-image", "one")},
		}, {
			Name: "image/filesystem", About: "The runtime is asked where images are stored.",
			Rules: []harness.Rule{imageFilesystem}, Steps: steps{op("filesystem", "")},
		}, {
			Name: "image/names", About: "Containers are created of one image by its tag, its id and its digest (cri-o#7143).",
			Rules: []harness.Rule{containerImage, imageStatus},
			Steps: steps{op("image-status", ""), op("image-status", "id"), op("image-status", "digest"), run("a"), createOne("a/c", forever),
				{Op: "create", Obj: "a/d", With: Container{Work: forever, Image: "id"}}, {Op: "create", Obj: "a/e", With: Container{Work: forever, Image: "digest"}}, look()},
		}, {
			Name: "sandbox/handler", About: "A sandbox is run with a runtime handler that there is not.",
			Rules: []harness.Rule{sandboxHandler}, Steps: steps{{Op: "run-pod", Obj: "a", With: Pod{Handler: noHandler}}, look()},
		}, {
			Name: "sandbox/users", About: "A sandbox is run in a user namespace with two mappings.", Needs: needs(UserNamespaces),
			Rules: []harness.Rule{sandboxUsers}, Steps: steps{{Op: "run-pod", Obj: "a", With: Pod{Mappings: 2}}, look()},
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
			Name: "container/retry", About: "The deadlines of creates pass in the middle, and they are repeated (containerd#4604, cri-o#9097).",
			Rules: []harness.Rule{containerRetry}, Span: 30 * time.Second,
			Steps: story.Concat(steps{run("a")}, tooLate(), story.Repeat(4, func(int) steps { return story.Concat(steps{advance(time.Second)}, repeated()) }), steps{look()}),
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
			Rules: []harness.Rule{stopKill, stopInTime}, Steps: story.Concat(steps{run("a")}, started("a/c", stubborn), steps{advance(slack), stop("a/c", 2), look()}),
		}, {
			Name: "stop/ended", About: "Containers are stopped just when they end by themselves, and removed.",
			Rules: []harness.Rule{stopEnded, removeGone},
			Steps: story.Concat(steps{run("a")}, story.Repeat(8, func(i int) steps {
				return steps{createOne(nth(i), succeeds), start(nth(i)), advance(20 * time.Millisecond), stop(nth(i), 5), op("status", nth(i)), op("remove", nth(i))}
			})),
		}, {
			Name: "stop/signal", About: "A container with a stop signal of its own is stopped.", Needs: needs(Signals),
			Rules: []harness.Rule{stopSignal},
			Steps: steps{run("a"), {Op: "create", Obj: "a/c", With: Container{Work: signaled, Signal: "SIGUSR1"}}, start("a/c"), look(), advance(slack), stop("a/c", 10), look()},
		}, {
			Name: "stop/again", About: "A stop with a long grace is under way when another comes with a short one.",
			Rules: []harness.Rule{stopAgain}, Span: 30 * time.Second,
			Steps: story.Concat(steps{run("a")}, started("a/c", stubborn), steps{
				advance(slack), {Op: "stop", Actor: "c1", Obj: "a/c", With: Stop{Grace: 20}, Async: true}, advance(time.Second), {Op: "stop", Actor: "c2", Obj: "a/c", With: Stop{Grace: 1}}, {Op: "join"}, look()}),
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
			Name: "error/unimplemented", About: "Calls that a runtime need not have are made.",
			Rules: []harness.Rule{errorUnimplemented}, Steps: steps{run("a"), op("update-pod", "a"), op("update-pod", "none")},
		}, {
			Name: "error/unavailable", About: "Three pods come and go, one after the other, so that each call is made three times.",
			Rules: []harness.Rule{errorUnavailable, errorServed, answerInTime},
			Steps: story.Concat(served("a"), served("b"), served("c")),
		}, {
			Name: "error/unavailable/running", About: "What is asked of a container that runs, and of its pod, is asked three times.", Needs: needs(Exec, Stats, Update),
			Rules: []harness.Rule{errorUnavailable, errorServed},
			Steps: story.Concat(steps{run("a")}, story.Repeat(3, func(i int) steps {
				c := nth(i)
				return story.Concat(started(c, forever), steps{op("status", c), execute(c, scriptCode, 5), op("stats", c), list(Filter{What: "stats"}), {Op: "update", Obj: c, With: Resources{Shares: 512}}, op("update-pod", "a")},
					story.When(Logs, op("rotate", c)), story.When(PodStats, op("stats", "a"), list(Filter{What: "pod-stats"})), story.When(PodMetrics, list(Filter{What: "pod-metrics"})))
			})),
		}, {
			Name: "error/no-answer", About: "Everything that can be read is asked for at once, for as long as a kubelet waits.", Span: 150 * time.Second,
			Rules: []harness.Rule{answerInTime}, Steps: story.Concat(steps{run("a")}, started("a/c", forever), story.Async(patiently(op("status", "a/c"), op("pod-status", "a"), list(Filter{}), list(Filter{What: "pods"}), list(Filter{What: "images"}), op("image-status", ""), op("filesystem", ""))...), story.Join()),
		}, {
			Name: "error/unavailable/images", About: "An image is pulled and removed three times.", Needs: needs(ImagePull), Isolation: harness.Disturbs,
			Rules: []harness.Rule{errorServed},
			Steps: story.Concat(steps{run("a")}, story.Repeat(3, func(int) steps { return steps{op("pull", "one"), op("remove-image", "one")} }), steps{op("pull", "one")}),
		}, {
			Name: "error/not-found/stats", About: "Statistics and updates of what is not there.", Needs: needs(Stats, Update),
			Rules: []harness.Rule{errorNotFound},
			Steps: steps{op("stats", "a/none"), op("stats", "none"), {Op: "update", Obj: "a/none", With: Resources{Shares: 100}}},
		}, {
			Name: "exec/code", About: "Commands are run in a container, and in one that has ended.", Needs: needs(Exec),
			Rules: []harness.Rule{execCode, execState},
			Steps: story.Concat(steps{run("a")}, started("a/c", forever), started("a/d", succeeds), steps{execute("a/c", scriptCode, 5), op("await-exit", "a/d"), execute("a/d", scriptCode, 5)}),
		}, {
			Name: "exec/missing", About: "A binary that is missing is run in a container.", Needs: needs(Exec),
			Rules: []harness.Rule{execMissing}, Steps: story.Concat(steps{run("a")}, started("a/c", forever), steps{execute("a/c", notThere, 5)}),
		}, {
			Name: "exec/output", About: "A command writes 17 MiB.", Needs: needs(Exec),
			Rules: []harness.Rule{execOutput}, Steps: story.Concat(steps{run("a")}, started("a/c", forever), steps{execute("a/c", scriptMuch, 8)}),
		}, {
			Name: "exec/timeout", About: "A command takes longer than it may, and one leaves a process in the background.", Needs: needs(Exec),
			Rules: []harness.Rule{execTimeout}, Steps: story.Concat(steps{run("a")}, started("a/c", forever), steps{execute("a/c", scriptLong, 1), execute("a/c", scriptBack, 1), execute("a/c", scriptCode, 5)}),
		}, {
			Name: "list/complete", About: "Containers in every state are listed by every filter.",
			Rules: []harness.Rule{listComplete}, Steps: manyListed("list"),
		}, {
			Name: "stream/same", About: "They are listed as a stream.", Needs: needs(StreamingLists),
			Rules: []harness.Rule{streamSame, listComplete}, Steps: manyListed("stream"),
		}, {
			Name: "stream/all", About: "All that can be listed is listed in both ways.", Needs: needs(StreamingLists),
			Rules: []harness.Rule{streamAll, streamSame, errorUnimplemented},
			Steps: story.Concat(steps{{Op: "stream"}, run("a"), run("b")}, started("a/c", forever), steps{createOne("b/new", forever), look()}, bothWays("", "pods", "images", "stats", "pod-stats", "pod-metrics")),
		}, {
			Name: "log/format", About: "A container prints short lines, a long one, and one to stderr.", Needs: needs(Logs),
			Rules: []harness.Rule{logFormat}, Steps: story.Concat(steps{run("a")}, started("a/c", prints), steps{op("await-exit", "a/c"), op("log", "a/c")}),
		}, {
			Name: "log/reopen", About: "The log of a container that prints is rotated, and that of one that has ended.", Needs: needs(Logs),
			Rules: []harness.Rule{logReopen},
			Steps: story.Concat(steps{run("a")}, started("a/c", ticks), started("a/d", prints), steps{advance(2 * time.Second), op("rotate", "a/c"), advance(slack + time.Second), op("log", "a/c"),
				op("await-exit", "a/d"), op("rotate", "a/d"), op("log", "a/d")}),
		}, {
			Name: "resources/update", About: "The limits of a container are changed before and after its start, one by one.", Needs: needs(Update),
			Rules: []harness.Rule{resourcesUpdate},
			Steps: steps{run("a"), createOne("a/c", forever), look(), {Op: "update", Obj: "a/c", With: Resources{Memory: 96 << 20}}, look(), start("a/c"),
				{Op: "update", Obj: "a/c", With: Resources{Shares: 512}}, look(), {Op: "update", Obj: "a/c", With: Resources{Quota: 20000, Period: 100000}}, look(),
				{Op: "update", Obj: "a/c", With: Resources{Memory: 128 << 20}}, look()},
		}, {
			Name: "resources/update/restart", About: "The limits of a container are changed, and the runtime is restarted (kubernetes#125559).", Needs: needs(Update, Restart), Span: 30 * time.Second, Isolation: harness.Alone,
			Rules: []harness.Rule{resourcesUpdate},
			Steps: story.Concat(steps{run("a")}, started("a/c", forever), steps{{Op: "update", Obj: "a/c", With: Resources{Shares: 512, Memory: 128 << 20}}, op("kill", ""), op("restart", ""), look()}),
		}, {
			Name: "stats/running", About: "Statistics of containers that run, have ended and were removed.", Needs: needs(Stats),
			Rules: []harness.Rule{statsRunning},
			Steps: story.Concat(steps{run("a")}, started("a/c", forever), started("a/d", forever), started("a/e", succeeds), steps{advance(time.Second), list(Filter{What: "stats"}), op("stats", "a/c"), advance(2 * time.Second), op("stats", "a/c"), list(Filter{What: "stats"}), op("remove", "a/d"), list(Filter{What: "stats"})}),
		}, {
			Name: "stats/pods", About: "Statistics of sandboxes, one of which is stopped.", Needs: needs(PodStats),
			Rules: []harness.Rule{statsPods},
			Steps: story.Concat(steps{run("a"), run("b")}, started("a/c", forever), steps{advance(time.Second), list(Filter{What: "pod-stats"}), list(Filter{What: "pod-stats", Of: "a", Short: true}), op("stop-pod", "b"), list(Filter{What: "pod-stats"})}),
		}, {
			Name: "event/order", About: "Two watch while containers come and go.", Needs: needs(Events),
			Rules: []harness.Rule{eventStopped, eventOrder, eventAll},
			Steps: story.Concat(steps{{Op: "watch", Actor: "w1"}, {Op: "watch", Actor: "w2"}, run("a")}, started("a/c", ends), started("a/d", succeeds), started("a/e", forever), steps{
				op("await-exit", "a/c"), stop("a/e", 5), advance(2 * time.Second), op("settle", ""), op("remove", "a/c"), op("remove-pod", "a"), op("settle", "")}),
		}, {
			Name: "event/idle", About: "Somebody watches while nothing happens, and then a container ends (cri-o#7164).", Needs: needs(Events),
			Rules: []harness.Rule{eventAll, eventStopped, eventList},
			Steps: story.Concat(steps{{Op: "watch", Actor: "w1"}, {Op: "watch", Actor: "w2"}, advance(5 * time.Second), run("a")}, started("a/c", ends), steps{op("status", "a/c"), advance(1500 * time.Millisecond), op("settle", ""), look(), op("settle", "")}),
		}, {
			Name: "event/order/many", About: "Sixteen containers that end at once are started together (cri-o#9738).", Needs: needs(Events), Span: 30 * time.Second,
			Rules: []harness.Rule{eventStopped, eventOrder},
			Steps: story.Concat(steps{{Op: "watch", Actor: "w1"}, run("a")}, story.Repeat(16, func(i int) steps { return steps{createOne(nth(i), succeeds)} }),
				story.Repeat(16, func(i int) steps { return steps{{Op: "start", Actor: actor(i), Obj: nth(i), Async: true}} }), steps{{Op: "join"}},
				story.Repeat(16, func(i int) steps { return steps{op("await-exit", nth(i))} }), steps{op("settle", "")}),
		}, {
			Name: "restart/keeps", About: "The runtime is killed and started again while containers run.", Needs: needs(Restart), Span: 30 * time.Second, Isolation: harness.Alone,
			Rules: []harness.Rule{restartKeeps},
			Steps: story.Concat(steps{run("a")}, started("a/c", forever), steps{createOne("a/new", forever), look(), op("kill", ""), advance(time.Second), op("restart", ""), look(), start("a/new"), advance(slack), stop("a/c", 5), look()}),
		}, {
			Name: "restart/exit", About: "A container ends while the runtime is down.", Needs: needs(Restart), Span: 30 * time.Second, Isolation: harness.Alone,
			Rules: []harness.Rule{restartExit},
			Steps: story.Concat(steps{run("a")}, started("a/c", Work{Exit: 77, After: story.Duration(2 * time.Second)}), steps{look(), op("kill", ""), advance(4 * time.Second), op("restart", ""), look(), look()}),
		}, {
			Name: "restart/stop", About: "The runtime is killed in the middle of a stop.", Needs: needs(Restart), Span: 30 * time.Second, Isolation: harness.Alone,
			Rules: []harness.Rule{restartStop},
			Steps: story.Concat(steps{run("a")}, started("a/c", stubborn), started("a/d", stubborn), steps{advance(slack), {Op: "stop", Actor: "c2", Obj: "a/c", With: Stop{Grace: 30}, Async: true}, advance(time.Second),
				op("kill", ""), op("restart", ""), {Op: "join"}, look(), stop("a/c", 1), stop("a/d", 1), look()}),
		}, {
			Name: "restart/start", About: "The runtime is killed between the creation of a container and its start.", Needs: needs(Restart), Span: 30 * time.Second, Isolation: harness.Alone,
			Rules: []harness.Rule{restartStart},
			Steps: steps{run("a"), createOne("a/c", forever), op("kill", ""), op("restart", ""), start("a/c"), look(), op("remove", "a/c"), {Op: "create", Obj: "a/c", With: Container{Same: true}}, start("a/c"), look()},
		}, {
			Name: "restart/half", About: "The runtime is killed in the middle of the run of a sandbox and of the creation of a container, soon and late, and asked for both again.", Needs: needs(Restart), Span: 30 * time.Second, Isolation: harness.Alone,
			Rules: []harness.Rule{restartHalf},
			Steps: story.Concat(killedIn("run-pod", "a", "a", 20*time.Millisecond), killedIn("run-pod", "b", "b", 200*time.Millisecond), steps{run("c")}, killedIn("create", "c/c", "c", 20*time.Millisecond), killedIn("create", "c/d", "c", 60*time.Millisecond)),
		}, {
			Name: "leak/half", About: "The runtime is killed in the middle of the run of eight sandboxes. Those that are listed then are removed.", Needs: needs(Leaks, Restart), Span: 30 * time.Second, Isolation: harness.Alone,
			Rules: []harness.Rule{leakNone},
			Steps: story.Concat(pass(2), steps{op("kill", ""), op("restart", ""), advance(2 * time.Second), op("count", "")}, story.Each(halfTimes, func(_ int, d time.Duration) steps {
				return steps{killIn("run-pod", "a", d), op("restart", ""), advance(time.Second), list(Filter{What: "pods"}), op("stop-pod", "a"), op("remove-pod", "a"), list(Filter{What: "pods"})}
			}), steps{advance(2 * time.Second), op("count", "")}),
		}, {
			Name: "checkpoint/pod", About: "Containers that run, and that do not, are saved.", Needs: needs(Checkpoint, Logs),
			Rules: []harness.Rule{checkpointPod},
			Steps: story.Concat(steps{run("a")}, started("a/c", forever), steps{createOne("a/new", forever), op("checkpoint", "a/c"), look(), op("checkpoint", "a/new"), op("checkpoint", "none/none"), look()}),
		}, {
			Name: "leak/none", About: "Pods come and go.", Needs: needs(Leaks), Span: 30 * time.Second, Isolation: harness.Alone,
			Rules: []harness.Rule{leakNone},
			Steps: story.Concat(pass(2), steps{op("count", "")}, pass(8), steps{op("settle", ""), op("count", "")}),
		},
	}
}

// pass runs pods with a container each, one after the other, and removes them.
func pass(n int) steps {
	return story.Repeat(n, func(int) steps {
		return story.Concat(steps{run("a")}, started("a/c", forever), steps{execute("a/c", scriptCode, 5), stop("a/c", 0), op("remove", "a/c"), op("stop-pod", "a"), op("remove-pod", "a")})
	})
}

// halfTimes are when a runtime is killed in the run of a sandbox: the fake needs 40 ms for one, others up to half a second.
var halfTimes = []time.Duration{10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond, 450 * time.Millisecond, 20 * time.Millisecond, 35 * time.Millisecond}

// killIn kills the runtime in the middle of a word.
func killIn(word, obj string, after time.Duration) story.Step {
	return story.Step{Op: "kill", Obj: obj, For: story.Duration(after), With: Kill{In: word}}
}

// killedIn does so, and makes the call again after a restart. What it has left in the sandbox pod is listed before that and after it.
func killedIn(word, obj, pod string, after time.Duration) steps {
	again := run(obj)
	if word == "create" {
		again = createOne(obj, forever)
	}
	return steps{killIn(word, obj, after), op("restart", ""), look(), again, look()}
}

// pullAs pulls an image with credentials.
func pullAs(image, user string) story.Step {
	return story.Step{Op: "pull", Obj: image, With: Pull{As: user}}
}

// served makes every call that a pod with a container needs, and asks for the rest.
func served(pod string) steps {
	c := pod + "/c"
	return steps{{Op: "info"}, op("image-status", absentImage), op("filesystem", ""), list(Filter{What: "images"}), run(pod), op("pod-status", pod), createOne(c, forever), start(c), op("status", c),
		list(Filter{What: "pods"}), list(Filter{}), stop(c, 5), op("remove", c), op("stop-pod", pod), op("remove-pod", pod)}
}

// deadlines are those of creates that are given up. A runtime may be so fast that only the shorter ones pass; the last one always
// does.
var deadlines = []time.Duration{10 * time.Millisecond, 2 * time.Millisecond, 400 * time.Microsecond, time.Microsecond}

// tooLate creates a container with each of the deadlines, and repeated does so again, with more time.
func tooLate() steps {
	return story.Repeat(len(deadlines), func(i int) steps {
		return steps{{Op: "create", Obj: nth(i), For: story.Duration(deadlines[i]), With: Container{Work: forever}}}
	})
}

func repeated() steps {
	return story.Repeat(len(deadlines), func(i int) steps {
		return steps{{Op: "create", Obj: nth(i), For: story.Duration(1500 * time.Millisecond), With: Container{Same: true}}}
	})
}

// bothWays lists each of some things, and streams it.
func bothWays(all ...string) (out steps) {
	for _, what := range all {
		out = append(out, list(Filter{What: what}), story.Step{Op: "stream", With: Filter{What: what}})
	}
	return out
}

// manyListed lists two pods with containers in every state.
func manyListed(word string) steps {
	list := func(f Filter) story.Step { return story.Step{Op: word, With: f} }
	all := story.Concat(steps{run("a"), run("b")}, started("a/runs", forever), started("a/ended", succeeds), started("b/runs", forever), steps{createOne("b/new", forever), op("await-exit", "a/ended")},
		steps{list(Filter{}), list(Filter{Of: "a"}), list(Filter{Of: "a", Short: true}), list(Filter{Of: "a/runs"}), list(Filter{Of: "a/runs", Short: true}),
			list(Filter{State: running.String()}), list(Filter{State: created.String()}), list(Filter{State: exited.String()}), list(Filter{Of: "b", State: running.String()})})
	for _, f := range []Filter{{}, {Of: "a"}, {Of: "a", Short: true}, {State: "SANDBOX_READY"}, {State: "SANDBOX_NOTREADY"}} {
		f.What = "pods"
		all = append(all, list(f))
	}
	return append(all, op("stop-pod", "b"), list(Filter{What: "pods", State: "SANDBOX_READY"}), list(Filter{}))
}

// patiently makes each call as a client of its own that waits for as long as a kubelet.
func patiently(all ...story.Step) steps {
	for i := range all {
		all[i].Actor, all[i].For = actor(i), story.Duration(requestTime)
	}
	return all
}

// nth names one of many containers, and actor one of many clients.
func nth(i int) string   { return "a/n" + string(rune('a'+i/10)) + string(rune('0'+i%10)) }
func actor(i int) string { return "c" + string(rune('a'+i/10)) + string(rune('0'+i%10)) }
