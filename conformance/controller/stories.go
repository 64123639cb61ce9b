package controller

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

type steps = []story.Step

var each = At{Each: true}

var scenario = story.Step{Op: "scenario"}

func last(op string, d time.Duration, with any) story.Step {
	return story.Step{Op: op, For: story.Duration(d), With: with}
}

// swept is a check that plays the scenario once for each place at which a disturbance may strike.
func swept(name, about string, d story.Step, rules ...harness.Rule) story.Check {
	return story.Check{Name: "converge/same/" + name, About: about, Rules: append([]harness.Rule{convergeSame}, rules...), Steps: steps{d, scenario}}
}

// lasting returns a swept check whose disturbance lasts for minutes.
func lasting(name, about string, d story.Step) story.Check {
	c := swept(name, about, d)
	c.Needs, c.Span = []harness.Feature{LongDelays}, 2*time.Hour
	return c
}

// brief returns a swept check that takes the place of a lasting one in real time.
func brief(name, about string, d story.Step) story.Check {
	c := swept(name, about, d)
	c.Unless = []harness.Feature{LongDelays}
	return c
}

func stories() []story.Check {
	return []story.Check{
		{Name: "quiet/writes", About: "The scenario is played with nothing wrong.", Rules: []harness.Rule{quietWrites, quietReads, stopEnds}, Steps: steps{scenario}},
		{Name: "restart/quiet", About: "The controller is restarted when the scenario is over.", Rules: []harness.Rule{restartQuiet, stopEnds}, Steps: steps{scenario, {Op: "restart"}}},
		{Name: "rights/enough", About: "The controller is killed after each of its writes. All that it asks for is compared with its role.", Needs: []harness.Feature{Role},
			Rules: []harness.Rule{rightsEnough, rightsUsed}, Steps: steps{{Op: "kill", With: Kill{At: each, After: true}}, scenario}},
		swept("killed-before", "The controller is killed before each of its writes.", story.Step{Op: "kill", With: Kill{At: each}}),
		swept("killed-after", "The controller is killed after each of its writes.", story.Step{Op: "kill", With: Kill{At: each, After: true}}),
		{Name: "converge/same/behind", About: "The controller is killed after each write, and starts again on an API server that does not show it.", Needs: []harness.Feature{StaleViews},
			Rules: []harness.Rule{convergeSame}, Steps: steps{{Op: "kill", With: Kill{At: each, After: true, Behind: 1}}, scenario}},
		{Name: "converge/same/behind/user", About: "The controller is killed after each write, and starts again on an API server that does not show what a user wrote last.", Needs: []harness.Feature{StaleViews},
			Rules: []harness.Rule{convergeSame}, Steps: steps{{Op: "kill", With: Kill{At: each, After: true, Before: "user"}}, scenario}},
		{Name: "converge/same/behind/far", About: "The controller is killed after each write, and starts again on an API server that does not show the last six.", Needs: []harness.Feature{StaleViews},
			Rules: []harness.Rule{convergeSame}, Steps: steps{{Op: "kill", With: Kill{At: each, After: true, Behind: 6}}, scenario}},
		swept("unseen", "Nobody can watch while users do a step of the scenario, each step in turn. The controller sees only how things are afterwards.", last("unseen", unseenFor, Unseen{Each: true})),
		swept("answer-lost", "The answer of each write is lost.", story.Step{Op: "lose", With: each}),
		swept("refused/conflict", "Each write is refused once with 409.", story.Step{Op: "refuse", With: Refuse{At: each, Code: 409}}),
		swept("refused/busy", "Each write is refused once with 429.", story.Step{Op: "refuse", With: Refuse{At: each, Code: 429}}),
		swept("refused/error", "Each write is refused once with 500.", story.Step{Op: "refuse", With: Refuse{At: each, Code: 500}}),
		swept("refused/timeout", "Each write is refused once with 504.", story.Step{Op: "refuse", With: Refuse{At: each, Code: 504}}),
		swept("refused/again", "Each write is refused for ten seconds with 500.", last("refuse", 10*time.Second, Refuse{At: each, Code: 500}), paceErrors),
		swept("interference", "Another client changes the object of each write just before that arrives.", story.Step{Op: "interfere", With: each}),
		swept("late/second", "The events of each resource come a second late.", last("late", time.Second, Late{Each: true})),
		brief("late/seconds", "The events of each resource come twenty seconds late.", last("late", 20*time.Second, Late{Each: true})),
		lasting("late/minute", "The events of each resource come a minute late.", last("late", time.Minute, Late{Each: true})),
		lasting("late/minutes", "The events of each resource come six minutes late.", last("late", 6*time.Minute, Late{Each: true})),
		swept("watches/end", "All watches end after each write.", story.Step{Op: "cut", With: Cut{At: each}}),
		swept("watches/expire", "All watches end after each write, and cannot go on where they were.", story.Step{Op: "cut", With: Cut{At: each, How: "expire"}}),
		lasting("watches/hang", "After each write all watches hang for five minutes.", last("cut", 5*time.Minute, Cut{At: each, How: "hang"})),
		brief("watches/hang/seconds", "After each write all watches hang for twenty seconds.", last("cut", 20*time.Second, Cut{At: each, How: "hang"})),
		lasting("watches/deaf", "After each write nobody can watch for a minute. What happens meanwhile is seen together.", last("cut", time.Minute, Cut{At: each, How: "deaf"})),
		brief("watches/deaf/seconds", "After each write nobody can watch for twenty seconds. What happens meanwhile is seen together.", last("cut", 20*time.Second, Cut{At: each, How: "deaf"})),
		swept("overlap", "At each write a second life begins, twenty seconds before the first ends.", last("overlap", 20*time.Second, each)),
	}
}
