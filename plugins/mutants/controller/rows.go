package controller

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
	plugin "github.com/lwtest/lwtest/plugins/controller"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// row is a mutant or an oddity.
type row struct {
	name, rule, about string
	fleet             fleet
}

var faulty = []row{
	{"remembers", "converge/same", "It remembers what it has created, and does not look whether that has come about.", fleet{memory: true}},
	{"edge", "safety/create", "It deletes ships only when it sees the size fall.", fleet{edge: true}},
	{"never-again", "converge/same", "It tries nothing again.", fleet{once: true}},
	{"status-first", "converge/same", "It writes the status before it does the work, and believes that.", fleet{statusFirst: true}},
	{"let-go-early", "safety/create", "It takes its finalizer away before it has cleaned up.", fleet{early: true}},
	{"no-finalizer", "safety/create", "It cleans up when it sees a deletion, without a finalizer.", fleet{noFinalizer: true}},
	{"drawn-from-cache", "safety/create", "It draws names, and counts in its cache what it has created. It takes nothing back.", fleet{draws: true, stale: true, keeps: true}},
	{"drawn-surplus", "safety/surplus", "It draws names, and counts in its cache what it has created. What is too much it takes back.", fleet{draws: true, stale: true}},
	{"forgets", "safety/own-creates", "It draws names, and counts what it has created for five minutes, whether its cache has it or not.", fleet{draws: true, stale: true, trusts: 5 * time.Minute, resync: time.Minute}},
	{"sweeps-claims", "safety/delete", "At its start it deletes the claims of fleets that its cache does not have.", fleet{clean: true}},
	{"looks-again", "quiet/writes", "Its status has the time of the last look, and each write makes it look again.", fleet{flips: true}},
	{"polls", "quiet/reads", "It lists ten times a second.", fleet{polls: true}},
	{"tight", "pace/errors", "What is refused it tries again at once.", fleet{tight: true}},
	{"overwrites", "overwrite/fields", "It updates ships as it wants them, without a resourceVersion.", fleet{overwrites: true}},
	{"holds-old", "conflict/fresh", "It updates what it has read first, again and again.", fleet{keepsOld: true}},
	{"ahead", "status/observed", "Its observedGeneration is one ahead.", fleet{ahead: 1}},
	{"must-find", "cleanup/finalizers", "A deletion waits until it has taken an entry away, which may be gone already.", fleet{mustRegister: true}},
	{"paints-anew", "restart/quiet", "Each life writes all ships with the time.", fleet{paints: true}},
	{"runs-on", "stop/ends", "It goes on for two minutes after it is told to stop.", fleet{deaf: true}},
}

var odd = []row{
	{"plain", "", "A fleet as it should be.", fleet{}},
	{"workers", "", "Five workers reconcile at the same time.", fleet{workers: 5}},
	{"drawn", "", "Names are drawn. Each create is preceded by a list from the API server.", fleet{draws: true}},
	{"apply", "", "Ships are written by server-side apply.", fleet{apply: true}},
	{"resync", "", "The informers resync each minute.", fleet{resync: time.Minute}},
	{"heartbeat", "", "Its status has a time that it writes every two minutes.", fleet{beats: 2 * time.Minute}},
}

const sample = `{apiVersion: example.com/v1, kind: Fleet, metadata: {name: f}, spec: {size: 2, colour: red}}`

// scenario is what users do with a fleet.
func scenario() []story.Step {
	return []story.Step{
		plugin.Create(sample),
		plugin.Annotate("configmaps/f-0"),
		plugin.Change("fleets.example.com/f", `{spec: {size: 3}}`),
		plugin.Change("fleets.example.com/f", `{spec: {size: 1, colour: blue}}`),
		plugin.Create(`{apiVersion: example.com/v1, kind: Fleet, metadata: {name: g}, spec: {size: 1, colour: red}}`),
		plugin.Delete("fleets.example.com/g"),
	}
}

// Definition is the CustomResourceDefinition of fleets.
const Definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: fleets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: fleets, singular: fleet, kind: Fleet, listKind: FleetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, minimum: 0}, colour: {type: string}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// open returns a row as a target.
func (r row) open(kind string) mutants.Target {
	name := "controller:" + kind + "/" + r.name
	if r.rule != "" {
		r.rule = "controller/" + r.rule
	}
	target := harness.Target{Name: name}
	return mutants.Target{Name: r.name, Rule: r.rule, About: r.about, Target: target, Cases: func() []harness.Case {
		t, err := plugin.Target(plugin.Subject{Name: kind + "/" + r.name, Run: r.fleet.run, Definitions: []string{Definition}, Scenario: scenario()})
		if err != nil {
			panic(fmt.Sprintf("%s: %v", name, err)) // our own controllers
		}
		return t.Cases
	}}
}

// Mutants returns the controllers with one fault each.
func Mutants() []mutants.Target { return opened("mutant", faulty) }

// Oddities returns the controllers that are odd but correct.
func Oddities() []mutants.Target { return opened("oddity", odd) }

// Open opens a controller by its name: mutant/NAME or oddity/NAME.
func Open(name string) (harness.Target, error) {
	return mutants.Find("controller:"+name, append(Mutants(), Oddities()...))
}

func opened(kind string, rows []row) (all []mutants.Target) {
	for _, r := range rows {
		all = append(all, r.open(kind))
	}
	return all
}
