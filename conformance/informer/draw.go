package informer

import (
	"maps"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// draws says how random stories use the words of this kind.
func draws() map[string]story.Drawing {
	all := map[string]story.Drawing{
		"open":           {Weight: 1, Draw: drawSecond},
		"start":          {Weight: 4, Draw: drawInformer},
		"start-again":    {Weight: 1, Draw: drawInformer},
		"stop":           {Weight: 1, Draw: drawInformer},
		"cancel":         {Weight: 1, Draw: drawInformer},
		"await-stop":     {Weight: 1, Draw: drawInformer},
		"settle":         {Weight: 4},
		"catch-up":       {Weight: 2},
		"look":           {Weight: 4, Draw: func(c harness.Choices) story.Step { return story.Step{With: Look{SyncedOnly: story.Chance(c, 6)}} }},
		"poll":           {Weight: 2, Draw: drawPoll},
		"handle":         {Weight: 3, Draw: drawHandle},
		"hold":           {Weight: 2, Draw: drawHold},
		"release":        {Weight: 3, Draw: drawHandler},
		"remove-handler": {Weight: 1, Draw: drawRemove},
		"own-write":      {Weight: 2, Draw: drawOwn},
		"own-write-held": {Weight: 1, Draw: drawOwnHeld},
		"own-read":       {Weight: 1, Draw: drawOwn},
	}
	maps.Copy(all, rig.Draws())
	all["advance"] = story.Drawing{Weight: all["advance"].Weight, Draw: drawTime}
	return all
}

// drawTime seldom chooses a time in which an informer pauses dozens of times, if nothing comes through.
func drawTime(c harness.Choices) story.Step {
	if story.Chance(c, 100) {
		return story.Step{For: story.Duration(6 * time.Hour)}
	}
	return rig.Draws()["advance"].Draw(c)
}

// begins makes what random stories begin with: an informer, perhaps with options, objects, a handler, and something that may
// be wrong from the start.
func begins(c harness.Choices) steps {
	if story.Chance(c, 8) {
		return beginsInPages(c)
	}
	var all steps
	switch c.IntN(5) {
	case 0:
		s := rig.DrawSecure(c)
		s.Op = "serve-tls"
		all = seq(steps{s}, opened(drawOpen(c)))
	case 1, 2:
		all = opened(drawOpen(c))
	}
	switch {
	case story.Chance(c, 40):
		all = seq(all, fill(120))
	case story.Chance(c, 20):
		all = seq(all, story.Each(rig.Alike(), func(_ int, name string) steps { return put(name) }))
	case story.Chance(c, 2):
		all = seq(all, fill(1+c.IntN(8)))
	}
	if story.Chance(c, 2) {
		all = seq(all, handle("h1"))
	}
	if story.Chance(c, 3) {
		s := rig.Draws()["fault"].Draw(c)
		s.Op = "fault"
		all = seq(all, steps{s})
	}
	if story.Chance(c, 8) {
		return all // the story starts it, or never does
	}
	switch all = seq(all, start()); c.IntN(12) {
	case 0, 1:
		all = seq(all, catchUp(), whileDisconnected(drawMissed(c)))
	case 2:
		all = seq(all, catchUp(), atOnce(drawMissed(c), deleteTogether("o0", "o1")))
	case 3: // a later list takes long
		all = seq(all, catchUp(), fault("f0", lists(rig.Fault{Latency: rig.Duration(12 * time.Second), Times: 1})),
			whileDisconnected(drawMissed(c)), advance(5*time.Second), look())
	}
	return all
}

// drawMissed chooses what happens while no watch is open: an informer that has missed it lists.
func drawMissed(c harness.Choices) (all steps) {
	for range 1 + c.IntN(3) {
		all = seq(all, story.Pick(c, op("delete-all"), del("o0"), put("o0"), put("o1"), change(c.IntN(4))))
	}
	return all
}

// slowPages are further pages that the informer waits for.
var slowPages = []rig.Fault{{Latency: rig.Duration(12 * time.Second)}, {Hang: "headers", For: rig.Duration(20 * time.Second)}}

// beginsInPages makes the beginning of a story whose informer lists in pages. A further page meets a fault, and then something
// happens.
func beginsInPages(c harness.Choices) steps {
	f := story.Pick(c, slices.Concat(expiredPages, failingPages, emptyPages, slowPages)...)
	f.Continued, f.Nth, f.Times = ptr(true), c.IntN(3), story.Pick(c, 1, 1, 2)
	if s := f.Status; s != nil && (s.Code == 429 || s.Code == 503) && story.Chance(c, 2) {
		f.Status = &rig.Status{Code: s.Code, RetryAfter: 30}
	}
	all := seq(opened(Open{PageSize: int64(1 + c.IntN(3))}), fill(4+c.IntN(5)), fault("f0", lists(f)))
	if story.Chance(c, 2) {
		all = seq(all, handle("h1"))
	}
	if story.Chance(c, 2) {
		all = seq(all, noStreams())
	}
	all = seq(all, start(), pause())
	for range c.IntN(4) {
		all = seq(all, story.Pick(c, del("o0"), put("o1"), forget(), advance(time.Second), stop()))
	}
	return all
}

// ends makes what they end with: nothing is wrong any more, nobody is held, and all is looked at.
func ends(harness.Choices) steps {
	return seq(release("h1"), release("h2"), rig.Ends(), settle())
}

func drawOpen(c harness.Choices) (o Open) {
	switch c.IntN(7) {
	case 0:
		o.Resync = story.Duration(story.Pick(c, 10*time.Second, time.Minute))
	case 1:
		o.PageSize = int64(1 + c.IntN(3))
	case 2:
		o.Transform = true
	case 3:
		o.Index, o.Namespace = true, story.Pick(c, "", "all")
	case 4:
		o.Namespace = story.Pick(c, "own", "other", "all")
	case 5:
		o.Labels, o.Fields = story.Chance(c, 2), story.Chance(c, 3)
	}
	return o
}

func drawSecond(c harness.Choices) story.Step {
	return story.Step{Actor: story.Pick(c, secondActor, informerActor+"-2"), With: drawOpen(c)}
}

// drawInformer chooses the first informer mostly.
func drawInformer(c harness.Choices) story.Step {
	return story.Step{Actor: story.Pick(c, "", "", "", "", secondActor, informerActor+"-2")}
}

func drawPoll(c harness.Choices) story.Step {
	return story.Step{N: 1 + c.IntN(8), For: story.Duration(story.Pick(c, 10*time.Millisecond, 400*time.Millisecond, 5*time.Second))}
}

func drawHandler(c harness.Choices) story.Step { return story.Step{Actor: story.Pick(c, "h1", "h2")} }

func drawHandle(c harness.Choices) story.Step {
	s := drawHandler(c)
	switch c.IntN(6) {
	case 0:
		s.For = story.Duration(story.Pick(c, 20*time.Second, time.Minute))
	case 1:
		s.With = Handle{Held: true}
	}
	return s
}

func drawHold(c harness.Choices) story.Step {
	s := drawHandler(c)
	if story.Chance(c, 2) {
		s.Obj = rig.DrawObject(c)
	}
	return s
}

func drawRemove(c harness.Choices) story.Step {
	s := drawHandler(c)
	if story.Chance(c, 2) {
		s.With = Remove{Wait: true}
		s.Async = true
	}
	return s
}

func drawOwnHeld(c harness.Choices) story.Step {
	s := drawOwn(c)
	s.For = story.Duration(time.Duration(1+c.IntN(20)) * time.Second)
	return s
}

func drawOwn(c harness.Choices) story.Step {
	s := drawInformer(c)
	s.Obj = rig.DrawObject(c)
	return s
}
