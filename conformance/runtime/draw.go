package runtime

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// storyPods and storyContainers are those of random stories: few, so that stories come back to them.
var (
	storyPods       = []string{"a", "b"}
	storyContainers = []string{"a/c", "a/d", "b/c"}
)

// draws says how random stories use the words.
var draws = map[string]story.Drawing{
	"run-pod":      {Weight: 5, Draw: drawPod},
	"stop-pod":     {Weight: 2, Draw: drawPodName},
	"remove-pod":   {Weight: 2, Draw: drawPodName},
	"pod-status":   {Weight: 3, Draw: drawPodName},
	"create":       {Weight: 10, Draw: drawContainer},
	"start":        {Weight: 12, Draw: drawName},
	"stop":         {Weight: 6, Draw: drawStop},
	"remove":       {Weight: 4, Draw: drawName},
	"status":       {Weight: 8, Draw: drawName},
	"exec":         {Weight: 4, Draw: drawExec},
	"list":         {Weight: 7, Draw: drawFilter},
	"stream":       {Weight: 4, Draw: drawFilter},
	"stats":        {Weight: 2, Draw: drawAny},
	"update":       {Weight: 3, Draw: drawResources},
	"update-pod":   {Weight: 1, Draw: drawPodName},
	"log":          {Weight: 2, Draw: drawName},
	"rotate":       {Weight: 1, Draw: drawName},
	"checkpoint":   {Weight: 1, Draw: drawName},
	"count":        {Weight: 1},
	"filesystem":   {Weight: 1},
	"image-status": {Weight: 2, Draw: drawImage},
	"pull": {Weight: 2, Draw: func(c harness.Choices) story.Step {
		s := drawImage(c)
		s.With = Pull{As: story.Pick(c, "", "", User, "stranger")}
		return s
	}},
	"remove-image": {Weight: 1, Draw: drawImage},
	"info":         {Weight: 1},
	"look":         {Weight: 4},
	"watch":        {Weight: 2, Draw: func(c harness.Choices) story.Step { return story.Step{Actor: story.Pick(c, "w1", "w2")} }},
	"settle":       {Weight: 4},
	"advance":      {Weight: 6, Draw: drawTime},
	"await-exit":   {Weight: 2, Draw: drawName},
	"kill":         {Weight: 2, Draw: drawKill},
	"restart":      {Weight: 2},
}

// drawBegin runs a sandbox with a container, mostly.
func drawBegin(c harness.Choices) []story.Step {
	if story.Chance(c, 6) {
		return nil
	}
	all := steps{{Op: "watch", Actor: "w1"}, run("a"), {Op: "create", Obj: "a/c", With: Container{Work: drawWork(c)}}}
	if story.Chance(c, 2) {
		all = append(all, start("a/c"))
	}
	return all
}

// drawEnd brings the runtime back, and looks at everything.
func drawEnd(harness.Choices) []story.Step {
	return steps{{Op: "join"}, op("restart", ""), look(), op("settle", "")}
}

// by chooses who makes a call, and seldom lets the next one begin before it has ended, or gives it up in the middle.
func by(c harness.Choices, s story.Step) story.Step {
	s.Actor, s.Async = story.Pick(c, "c1", "c2"), story.Chance(c, 5)
	if story.Chance(c, 16) {
		s.For = story.Duration(story.Pick(c, time.Millisecond, 20*time.Millisecond, 500*time.Millisecond))
	}
	return s
}

// drawKill kills the runtime, mostly in the middle of a call.
func drawKill(c harness.Choices) story.Step {
	s := story.Step{Actor: story.Pick(c, "c1", "c2"), Obj: story.Pick(c, storyContainers...)}
	if story.Chance(c, 3) {
		return story.Step{}
	}
	in := Kill{In: story.Pick(c, KillsIn...)}
	if in.podWord() {
		s.Obj = story.Pick(c, storyPods...)
	}
	s.With, s.For = in, story.Duration(story.Pick(c, 0, 0, time.Millisecond, 60*time.Millisecond, 300*time.Millisecond))
	return s
}

// drawImage chooses a name of an image.
func drawImage(c harness.Choices) story.Step {
	return by(c, story.Step{Obj: story.Pick(c, "", "one", "one", "one-again", "two", "private", "missing", "id", "digest", absentImage)})
}

func drawPodName(c harness.Choices) story.Step {
	return by(c, story.Step{Obj: story.Pick(c, storyPods...)})
}

func drawPod(c harness.Choices) story.Step {
	s := drawPodName(c)
	if story.Chance(c, 8) {
		s.With = story.Pick(c, Pod{Handler: noHandler}, Pod{Handler: namedHandler}, Pod{Mappings: 2}, Pod{Mappings: 1}, Pod{Mappings: 1})
		return s
	}
	s.With = Pod{Attempt: uint32(story.Pick(c, 0, 0, 1)), HostNetwork: story.Chance(c, 6), Same: story.Chance(c, 3)}
	return s
}

func drawName(c harness.Choices) story.Step {
	return by(c, story.Step{Obj: story.Pick(c, storyContainers...)})
}

func drawWork(c harness.Choices) Work {
	switch c.IntN(8) {
	case 6:
		return story.Pick(c, ticks, prints)
	case 7:
		return signaled
	case 0:
		return missing
	case 1:
		return stubborn
	case 2, 3:
		return forever
	}
	return Work{Exit: story.Pick(c, 0, 0, 1, 42), After: story.Duration(story.Pick(c, 0, time.Second, 5*time.Second))}
}

func drawContainer(c harness.Choices) story.Step {
	s := drawName(c)
	x := Container{Attempt: uint32(story.Pick(c, 0, 0, 1)), Work: drawWork(c), Same: story.Chance(c, 3), Image: story.Pick(c, "", "", "", "id", "digest")}
	if x.Work.Signal != "" {
		x.Signal = "SIG" + x.Work.Signal
	}
	if s.With = x; story.Chance(c, 5) {
		s.For = story.Duration(story.Pick(c, 10*time.Millisecond, 1500*time.Millisecond))
	}
	return s
}

func drawResources(c harness.Choices) story.Step {
	s := drawName(c)
	s.With = story.Pick(c, Resources{Shares: 512}, Resources{Quota: 20000, Period: 100000}, Resources{Memory: 128 << 20}, Resources{Shares: 2, Memory: 64 << 20})
	return s
}

// drawAny chooses a container or a sandbox.
func drawAny(c harness.Choices) story.Step {
	if story.Chance(c, 2) {
		return drawPodName(c)
	}
	return drawName(c)
}

func drawStop(c harness.Choices) story.Step {
	s := drawName(c)
	s.With = Stop{Grace: story.Pick[int64](c, 0, 1, 5, 30, 300)}
	return s
}

func drawExec(c harness.Choices) story.Step {
	s := drawName(c)
	s.With = Command{Script: story.Pick(c, scriptCode, scriptCode, scriptLong, scriptBack, scriptMuch, notThere), Timeout: story.Pick[int64](c, 0, 1, 5)}
	return s
}

func drawFilter(c harness.Choices) story.Step {
	f := Filter{What: story.Pick(c, "", "", "", "pods", "pods", "images", "stats", "pod-stats", "pod-metrics"), Short: story.Chance(c, 4)}
	if story.Chance(c, 2) {
		f.Of = story.Pick(c, storyPods...)
	}
	if story.Chance(c, 3) {
		f.State = story.Pick(c, running.String(), created.String(), exited.String(), "SANDBOX_READY", "SANDBOX_NOTREADY")
	}
	if story.Chance(c, 8) {
		f.Label = story.Pick(c, "a", "c", "d")
	}
	return story.Step{With: f}
}

func drawTime(c harness.Choices) story.Step {
	return story.Step{For: story.Duration(story.Pick(c, 20*time.Millisecond, time.Second, 4*time.Second, 10*time.Second, time.Minute))}
}
