package controller

import (
	"fmt"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
	plugin "github.com/lwtest/lwtest/plugins/controller"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// row is a mutant or an oddity.
type row struct {
	name, rule, about string
	fleet             fleet
	may               []rbacv1.PolicyRule // its role; nil: nobody has said
}

// rights are what a fleet needs, with claims as the verbs that it has for them.
func rights(claims ...string) []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{Verbs: []string{"list", "watch", "get", "patch"}, APIGroups: []string{"example.com"}, Resources: []string{"fleets"}},
		{Verbs: []string{"update"}, APIGroups: []string{"example.com"}, Resources: []string{"fleets/status"}},
		{Verbs: []string{"list", "watch", "create", "update", "delete"}, APIGroups: []string{""}, Resources: []string{"configmaps"}},
		{Verbs: claims, APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}},
	}
}

// The patterns of Sieve's bugs (github.com/sieve-project/sieve, docs/bugs.md) come first.
var faulty = []row{
	// A stale state: time goes back for a new life.
	{"wipes", "safety/delete", "For a fleet that its cache shows as deleted it deletes the claim by name, which may be that of a new fleet.", fleet{wipes: true}, nil},
	{"trims", "safety/delete", "It deletes the claims of ships that are too many for the size in its cache.", fleet{holds: true, trims: true}, nil},
	{"foreign", "safety/delete", "It deletes a claim that belongs to another uid than that of the fleet in its cache.", fleet{foreign: true}, nil},
	{"sweeps-claims", "safety/delete", "At its start it deletes the claims of fleets that its cache does not have.", fleet{clean: true}, nil},
	{"drawn-from-cache", "safety/create", "It draws names, and counts in its cache what it has created. It takes nothing back.", fleet{draws: true, stale: true, keeps: true}, nil},
	{"drawn-surplus", "safety/surplus", "It draws names, and counts in its cache what it has created. What is too much it takes back.", fleet{draws: true, stale: true}, nil},
	{"forgets", "safety/own-creates", "It draws names, and counts what it has created for five minutes, whether its cache has it or not.", fleet{draws: true, stale: true, trusts: 5 * time.Minute, resync: time.Minute}, nil},
	// A state that it never sees.
	{"edge", "safety/create", "It deletes ships only when it sees the size fall.", fleet{edge: true}, nil},
	{"no-finalizer", "safety/create", "It cleans up when it sees a deletion, without a finalizer.", fleet{noFinalizer: true}, nil},
	{"by-name", "converge/same", "It remembers by name what it has done, until it sees the fleet go.", fleet{bare: true, byName: true}, nil},
	{"trips", "survive/disturbances", "A ship that is gone when it looks again ends the process.", fleet{trips: true}, nil},
	{"unaware", "restart/quiet", "It does not see that a ship is deleted, until it starts again.", fleet{unaware: true}, nil},
	// A life that ends between two writes.
	{"status-first", "converge/same", "It writes the status before it does the work, and believes that.", fleet{statusFirst: true}, nil},
	{"register-first", "converge/same", "It makes the entry in the register before the finalizer. That it is there already is an error for ever.", fleet{first: true}, nil},
	{"marks-first", "converge/same", "It notes that it has made the claim before it makes it.", fleet{marks: true}, nil},
	{"halves", "converge/same", "It makes a ship, then gives it a colour. A ship without a colour it leaves to others.", fleet{halves: true}, nil},
	{"locks", "converge/same", "It writes a lock with its name before it works, and takes it away then.", fleet{locks: true}, nil},
	{"logs-twice", "converge/same", "It adds each change to a log before the status says that it is done.", fleet{logs: true}, nil},
	{"let-go-early", "safety/create", "It takes its finalizer away before it has cleaned up.", fleet{early: true}, nil},
	{"remembers", "converge/same", "It remembers what it has created, and does not look whether that has come about.", fleet{memory: true}, nil},
	{"never-again", "converge/same", "It tries nothing again.", fleet{once: true}, nil},
	{"tires", "converge/same", "It tries five times again, and then no more.", fleet{tries: 5}, nil},
	{"shrugs", "converge/same", "It remembers the status that it has sent, and does not look whether that was written.", fleet{shrugs: true}, nil},
	{"trouble", "converge/same", "The status says for ever that something went wrong.", fleet{trouble: true}, nil},
	{"unwatches", "converge/same", "After an error of a watch it watches no more.", fleet{unwatches: true}, nil},
	{"never-shrinks", "undo/same", "It deletes no ship.", fleet{keeps: true}, nil},
	{"most", "undo/same", "The status has the largest size that there ever was.", fleet{most: true}, nil},
	{"spins", "quiet/writes", "Its status counts its looks, and each write makes it look again. Nothing limits its requests.", fleet{spins: true}, nil},
	{"beats", "quiet/writes", "Its heartbeat comes every ten seconds.", fleet{beats: 10 * time.Second}, nil},
	{"shuffles", "quiet/writes", "What it writes has the order of a map.", fleet{shuffles: true, batch: 20 * time.Second}, nil},
	{"polls", "quiet/reads", "It lists ten times a second.", fleet{polls: true, beats: 100 * time.Millisecond}, nil},
	{"stares", "quiet/reads", "After its first work it lists again and again, without a pause.", fleet{stares: true}, nil},
	{"resyncs", "quiet/reads", "Each second it looks at all again, and asks the API server.", fleet{resync: time.Second}, nil},
	{"tight", "pace/errors", "What is refused it tries again at once.", fleet{tight: true}, nil},
	{"even", "pace/errors", "What is refused it tries again every ten milliseconds.", fleet{even: true}, nil},
	{"exits", "survive/disturbances", "What is refused ends the process.", fleet{exits: true}, nil},
	{"overwrites", "overwrite/fields", "It updates ships as it wants them, without a resourceVersion.", fleet{overwrites: true}, nil},
	{"tidies", "overwrite/fields", "It takes away all annotations of a ship that it updates.", fleet{tidies: true}, nil},
	{"holds-old", "conflict/fresh", "It updates what it has read first, again and again.", fleet{keepsOld: true}, nil},
	{"ahead", "status/observed", "Its observedGeneration is one ahead.", fleet{ahead: 1}, nil},
	{"must-find", "cleanup/finalizers", "A deletion waits until it has taken an entry away, which may be gone already.", fleet{mustRegister: true}, nil},
	{"waits", "cleanup/finalizers", "A deletion waits until the claim is gone, which waits for the fleet.", fleet{waits: true}, nil},
	{"own-finalizer", "cleanup/finalizers", "Each life has a finalizer of its own.", fleet{own: true}, nil},
	{"paints-anew", "restart/quiet", "Each life writes its own name on all ships.", fleet{paints: true}, nil},
	{"renames", "restart/quiet", "Each life has its own names for ships.", fleet{renames: true}, nil},
	{"runs-on", "stop/ends", "It goes on for two minutes after it is told to stop.", fleet{deaf: true}, nil},
	{"keeps-lease", "stop/lease", "It does not release the Lease.", fleet{elects: true, leaves: true}, nil},
	{"lingers", "stop/goroutines", "At its end it starts a goroutine that sleeps for five minutes, and does not wait for it.", fleet{lingers: true}, nil},
	{name: "may-not", rule: "rights/enough", about: "Its role does not allow to create claims.", may: rights("get", "list")},
	{name: "may-more", rule: "rights/used", about: "Its role allows to patch claims.", may: rights("get", "list", "create", "patch")},
}

var odd = []row{
	{"plain", "", "A fleet as it should be.", fleet{}, nil},
	{"workers", "", "Five workers reconcile at the same time.", fleet{workers: 5}, nil},
	{"drawn", "", "Names are drawn. Each create is preceded by a list from the API server.", fleet{draws: true}, nil},
	{"apply", "", "Ships are written by server-side apply.", fleet{apply: true}, nil},
	{"resync", "", "The informers resync each minute.", fleet{resync: time.Minute}, nil},
	{"heartbeat", "", "Its status has a time that it writes every four minutes.", fleet{beats: 4 * time.Minute}, nil},
	{"holds", "", "Each ship has a claim, which stays when the ship goes.", fleet{holds: true}, nil},
	{"elects", "", "It works while it holds a Lease, and releases it.", fleet{elects: true}, nil},
	{"polls-slowly", "", "It does not watch ships, but looks every two minutes.", fleet{unaware: true, resync: 2 * time.Minute}, nil},
	{"pauses", "", "It cleans up thirty seconds after the deletion.", fleet{pause: 30 * time.Second}, nil},
	{"replaces", "", "A ship of another colour is deleted and made anew.", fleet{replaces: true}, nil},
	{"recreates", "", "So is the claim, if the API server says the same of the fleet as the cache.", fleet{recreates: true}, nil},
	{"patches", "", "The status is written by a patch.", fleet{patches: true}, nil},
	{"bare", "", "It has owner references, and no finalizer.", fleet{bare: true}, nil},
	{"batches", "", "What has changed is looked at two seconds later, all together.", fleet{batch: 2 * time.Second}, nil},
	{name: "role", about: "Its role allows what it needs, and no more.", may: rights("get", "list", "create")},
	{"steps", "", "After each creation and deletion it begins again.", fleet{steps: true}, nil},
}

const (
	first  = `{apiVersion: example.com/v1, kind: Fleet, metadata: {name: f}, spec: {size: 1, colour: red}}`
	second = `{apiVersion: example.com/v1, kind: Fleet, metadata: {name: g}, spec: {size: 1, colour: red}}`
)

// scenario is what users do with a fleet.
func scenario() []story.Step {
	return []story.Step{
		plugin.Create(first),
		plugin.Change("fleets.example.com/f", `{spec: {size: 3}}`),
		plugin.Change("fleets.example.com/f", `{spec: {size: 1}}`),
		plugin.Create(second),
		plugin.Delete("fleets.example.com/g"),
		plugin.Create(second),
		plugin.Annotate("configmaps/g-0"),
		plugin.Change("fleets.example.com/g", `{spec: {size: 3, colour: blue}}`),
		plugin.Change("fleets.example.com/g", `{spec: {size: 2}}`),
		plugin.Delete("configmaps/g-1"),
		plugin.Delete("fleets.example.com/f"),
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
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {spec: {type: object, properties: {size: {type: integer, minimum: 0}, colour: {type: string}}}}}}
`

// open returns a row as a target.
func (r row) open(kind string) mutants.Target {
	name := "controller:" + kind + "/" + r.name
	if r.rule != "" {
		r.rule = "controller/" + r.rule
	}
	target := harness.Target{Name: name}
	return mutants.Target{Name: r.name, Rule: r.rule, About: r.about, Target: target, Cases: func() []harness.Case {
		t, err := plugin.Target(plugin.Subject{Name: kind + "/" + r.name, Run: r.fleet.run, Definitions: []string{Definition}, Scenario: scenario(), Rules: r.may})
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
