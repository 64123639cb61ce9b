package informer

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var sharedInformer = source.Symbol(source.Cache + "shared_informer.go#SharedInformer")

var convergeEqual = harness.Rule{
	Clause: harness.Clause{
		ID:      "converge/equal",
		Level:   harness.Must,
		Text:    "when what disturbs it ends, the store comes to equal the server, and stays so",
		Sources: []harness.Source{sharedInformer},
		Why:     "a controller acts on a copy that is wrong for ever, and nothing tells it so",
	},
	Judge: judgeEqual,
}

var convergeTime = harness.Rule{
	Clause: harness.Clause{
		ID:    "converge/no-time-travel",
		Level: harness.Must,
		Text:  "neither the store nor a handler ever goes back to an older state of an object, whichever view of the server answers, nor shows one that it never had",
		Sources: []harness.Source{sharedInformer, source.Symbol(source.Cache + "reflector.go#Reflector.relistResourceVersion"),
			{Name: "kubernetes#59848", URL: "https://github.com/kubernetes/kubernetes/issues/59848"}},
		Why: "what was deleted comes to life: a node agent starts pods that are gone, beside those that replaced them",
	},
	Judge: judgeTimeTravel,
}

var convergeRules = []harness.Rule{convergeEqual, convergeTime}

var convergeChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:  "converge/equal",
		About: "objects come, change, go and come again before the start and while it runs",
		Rules: []harness.Rule{convergeEqual, convergeTime},
	}, Drive: drive(driveEqual)},
}
