package differential

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Unexplained is how many differences came back when their stories were played again, and nothing explains them.
func (r *Result) Unexplained() int { return len(r.Left) }

// String is a summary, and what was found.
func (r *Result) String() string {
	var b strings.Builder
	for _, f := range r.Found {
		fmt.Fprintf(&b, "\n%d times\n%s", f.Times, f)
	}
	fmt.Fprintf(&b, "\nby word: %s\nby kind: %s\n", r.shares(0), r.shares(1))
	fmt.Fprintf(&b, "%d requests in %d stories, seeds %v: %d agreed, %d differ and are explained, %d by chance, %d unexplained causes\n",
		r.Requests, r.Stories, r.Seeds, sum(r.Agreed), sum(r.Explained), r.Chance, r.Unexplained())
	for _, why := range slices.Sorted(maps.Keys(r.Explained)) {
		fmt.Fprintf(&b, "%6d %s\n", r.Explained[why], why)
	}
	return b.String()
}

func (r *Result) shares(part int) string {
	compared, agreed := by(part, r.Compared), by(part, r.Agreed)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(compared)) {
		all = append(all, fmt.Sprintf("%s %d/%d", name, agreed[name], compared[name]))
	}
	return strings.Join(all, ", ")
}

// by adds counts of "word kind" up by one of the two.
func by(part int, counts map[string]int) map[string]int {
	out := map[string]int{}
	for what, n := range counts {
		out[strings.Fields(what)[part]] += n
	}
	return out
}

func sum(counts map[string]int) (n int) {
	for _, v := range counts {
		n += v
	}
	return n
}

// Write writes the result to a file, of which Page makes docs/fidelity.md.
func (r *Result) Write(file string) error {
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

const intro = `# How true the API server fake is

Generated from docs/fidelity.json by ` + "`go run ./hack/docs`" + `: do not edit.

Random stories of HTTP requests go to the fake and to a kube-apiserver at the same time, each in a namespace of its own. Status, headers
(%s), bodies and watch streams must agree. Both servers choose some values: uids, times near now, addresses, ports of
nodes, ages and the ends of generated names are replaced by names. A resourceVersion is told by the order in which objects were seen
to have it, that of a list by whether it is older than an object. The fake of this run shows managedFields only once somebody has
applied the object (without Options.ManagedFields), so they are compared where both show them. A story ends at a difference after which the states of the servers differ.

` + "```sh" + `
make differential                          # 5,000 requests of new stories
make differential REQUESTS=100000 SEED=7   # and what this page shows: RECORD=docs/fidelity.json
` + "```" + `

## managedFields

` + "`lwtest serve apiserver`, `lwtest serve cluster` and the programs of `lwtest envtest`" + ` keep managedFields from the creation of an object
on (apiserver.Options.ManagedFields). The table "kept" of fakes/apiserver/rest and the scripts of kubectl compare them with those of a
kube-apiserver. Three things differ. Objects that the server creates for itself have managers once somebody else has written them, and the
Service "kubernetes" has none. The status of a CustomResourceDefinition has no manager kube-apiserver. What a webhook changes counts as its
client's.

` + "`--managed-fields=false`, and `LWTEST_MANAGED_FIELDS=false`" + ` for the programs of envtest, show them only once somebody has applied the object.
Then a patch costs a quarter less, and a create about the same. That is also the default of the Go packages.

`

// Page is docs/fidelity.md, made of a file that Write wrote.
func Page(file string) ([]byte, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r Result
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, intro, strings.Join(compared, ", "))
	fmt.Fprintf(&b, "## What was compared\n\nkube-apiserver %s, seeds %v: %d requests in %d stories. %d agreed, %d differed for a reason below,\n"+
		"%d differed by chance (not again when the story was played again), and %d causes are not explained.\n\n",
		r.Version, r.Seeds, r.Requests, r.Stories, sum(r.Agreed), sum(r.Explained), r.Chance, r.Unexplained())
	for part, title := range []string{"request", "kind"} {
		fmt.Fprintf(&b, "| %s | compared | agreed |\n|---|---|---|\n", title)
		all, agreed := by(part, r.Compared), by(part, r.Agreed)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(&b, "| %s | %d | %d |\n", name, all[name], agreed[name])
		}
		b.WriteString("\n")
	}
	var never []string
	for _, res := range apiserver.Resources() {
		if !slices.ContainsFunc(kinds, func(k kind) bool {
			return cmp.Or(k.Resource, k.Name) == res.Resource && k.Version == res.GroupVersion().String()
		}) {
			never = append(never, "`"+res.GroupResource().String()+"`")
		}
	}
	slices.Sort(never)
	fmt.Fprintf(&b, "Stories are made of a fixed vocabulary: the kinds above, the values of fixed lists for some of their fields, and the requests below.\n"+
		"The counts say nothing about a field or a value that is not in it. No story is about these resources:\n%s.\n\n", strings.Join(slices.Compact(never), ", "))
	b.WriteString("The requests:\n\n")
	for _, w := range words {
		fmt.Fprintf(&b, "- %s: %s\n", w.name, w.help)
	}
	b.WriteString("\n## What still differs\n\n| times | reason |\n|---|---|\n")
	seen := map[string]bool{}
	for _, e := range explained {
		if !seen[e.why] {
			seen[e.why] = true
			fmt.Fprintf(&b, "| %d | %s |\n", r.Explained[e.why], e.why)
		}
	}
	fmt.Fprintf(&b, "\n## What is not validated\n\nOf these resources the fake validates only metadata, and stores whatever decodes. Where kube-apiserver answers 422 for\n"+
		"what stands in them, the fake accepts it:\n\n- %s\n\nOf all other resources it validates what users get wrong most often, and not all that kube-apiserver does.\n",
		strings.Join(apiserver.Unvalidated(), "\n- "))
	if len(r.Left) > 0 {
		b.WriteString("\n## What nothing explains yet\n\n")
		for _, left := range r.Left {
			fmt.Fprintf(&b, "```\n%s\n```\n", strings.TrimSpace(fmt.Sprintf("%.1500s", left)))
		}
	}
	return []byte(b.String()), nil
}
