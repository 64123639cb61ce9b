package mutants_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/mutants"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func control(o apiserver.Options) (apiserver.API, *apiserver.Server) {
	s := apiserver.New(o)
	return s, s
}

// Each of these mutants differs from the correct store in what its rule is about, and only there: the
// parts of the story in which it differs are named here. What the story does not ask for only the suite
// can see: the mutants that are not here.
func TestMutantsDiffer(t *testing.T) {
	want := map[string]string{
		"list-goes-back":                 "named selected",
		"list-version-behind":            "exact exact page from list pages of three pages of two selected",
		"list-version-ahead":             "exact exact page list pages of three pages of two selected",
		"list-item-missing":              "exact list pages of three pages of two selected",
		"list-exact-is-present":          "exact exact page",
		"old-content":                    "all ending field label marked name ns whole",
		"list-item-unlabelled":           "exact exact page list pages of three pages of two",
		"doubled-event":                  "all ending field from label labelled long marked name ns whole",
		"repeated-at-end":                "ending",
		"repeated-at-bookmark":           "marked",
		"swapped-events":                 "all ending field from label labelled long marked name ns whole",
		"back-in-time":                   "all ending field from label labelled long marked name ns whole",
		"lost-modified":                  "all ending field marked name ns whole",
		"lost-deleted":                   "all ending field from label labelled long marked name ns whole",
		"lost-created":                   "all ending field from long marked ns whole",
		"from-now":                       "from",
		"from-before":                    "from",
		"from-after":                     "from",
		"from-list-lost-delete":          "from",
		"added-for-known":                "all ending field label marked name ns whole",
		"modified-for-created":           "all ending field from label labelled long marked ns whole",
		"deleted-for-modified":           "all ending field marked name ns whole",
		"modified-for-deleted":           "all ending field from labelled long marked name ns whole",
		"modified-for-left":              "label labelled",
		"modified-for-entered":           "label labelled",
		"namespace-ignored":              "ending label late long marked name ns",
		"namespace-is-prefix":            "ending late marked name ns",
		"namespace-silent":               "ending from label long marked name ns",
		"name-ignored":                   "labelled name",
		"name-is-prefix":                 "name",
		"name-silent":                    "labelled name",
		"label-ignored":                  "label labelled",
		"label-entering-withheld":        "label labelled",
		"label-leaving-withheld":         "label labelled",
		"field-ignored":                  "field",
		"field-silent":                   "field",
		"bookmark-for-event":             "marked",
		"bookmark-hides-loss":            "marked",
		"bookmark-before-event":          "marked",
		"bookmark-ahead":                 "marked",
		"stale-update":                   "after raced update stale update",
		"conflict-applied":               "after",
		"stale-update-malformed":         "after raced update stale update wrong uid update",
		"stale-delete-missing":           "after stale delete wrong uid delete",
		"stale-patch":                    "after stale patch",
		"stale-delete":                   "after stale delete",
		"conflict-deleted":               "after",
		"wrong-uid-updated":              "after wrong uid update",
		"wrong-uid-deleted":              "after wrong uid delete",
		"list-uid-dropped":               "exact exact page list pages of three pages of two placed selected",
		"list-label-beside-name-ignored": "named",
		"list-namespace-field-ignored":   "placed",
		"exact-page-is-present":          "exact page",
		"token-dropped":                  "pages of three",
		"continue-ignored":               "pages of three pages of two",
		"page-repeats-last":              "pages of three pages of two",
		"lost-late":                      "all long whole",
		"old-content-at-start":           "late",
		"label-beside-name-ignored":      "labelled",
		"namespace-field-ignored":        "field",
		"update-checked-early":           "raced update",
		"delete-checked-early":           "raced delete",
		"null":                           "",
		"mute":                           "",
		"deaf":                           "",
	}
	right := tell(t, control)
	t.Log(strings.Join(slices.Sorted(maps.Keys(right)), ", "))
	seen := map[string]bool{}
	for _, m := range append(mutants.All(), mutants.Nulls()...) {
		require.False(t, seen[m.Name], "the name %s twice", m.Name)
		seen[m.Name] = true
		w, ok := want[m.Name]
		if !ok {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			got := tell(t, m.Open)
			var differ []string
			for _, part := range slices.Sorted(maps.Keys(right)) {
				if !slices.Equal(right[part], got[part]) {
					differ = append(differ, part)
				}
			}
			require.NotEmpty(t, differ)
			require.Contains(t, []string{"", strings.Join(differ, " ")}, w)
		})
	}
	for name := range want {
		require.True(t, seen[name], "there is no mutant %s", name)
	}
}

func TestMutantsAreNamed(t *testing.T) {
	rule := regexp.MustCompile(`^watchcache/[a-z/-]+$`)
	for _, m := range mutants.All() {
		require.Regexp(t, `^[a-z0-9-]+$`, m.Name)
		require.Regexp(t, rule, m.Rule)
		require.NotEmpty(t, m.About)
	}
	for _, m := range mutants.Nulls() {
		require.Empty(t, m.Rule)
	}
}

// tell plays a story with everything in it that a mutant may spoil, and gives what was seen, by part.
func tell(t *testing.T, open func(apiserver.Options) (apiserver.API, *apiserver.Server)) map[string][]string {
	t.Helper()
	parts := map[string][]string{}
	synctest.Test(t, func(t *testing.T) {
		api, s := open(apiserver.Options{Seed: 1})
		tapes := map[string]*tape{}
		watch := func(part, ns string, o metav1.ListOptions) { tapes[part] = record(t, api, ns, o) }
		write(api, "ns", "a", nil)
		write(api, "ns", "b", map[string]string{"k": "v"})
		watch("all", "", metav1.ListOptions{})
		watch("whole", "", metav1.ListOptions{ResourceVersion: "0"})
		watch("ns", "ns", metav1.ListOptions{})
		watch("name", "ns", metav1.ListOptions{FieldSelector: "metadata.name=a"})
		watch("field", "", metav1.ListOptions{FieldSelector: "metadata.namespace=ns"})
		watch("label", "ns", metav1.ListOptions{LabelSelector: "k=v"})
		watch("labelled", "", metav1.ListOptions{LabelSelector: "k=v", FieldSelector: "metadata.name=b"})
		watch("marked", "ns", metav1.ListOptions{AllowWatchBookmarks: true})
		watch("ending", "ns", metav1.ListOptions{TimeoutSeconds: seconds(100)})
		synctest.Wait()
		for i := range 4 {
			write(api, "ns", "a", map[string]string{"i": fmt.Sprint(i)})
			write(api, "ns", "b", map[string]string{"k": []string{"w", "v"}[i%2]})
			write(api, "ns-2", "a", nil)
			write(api, "other", fmt.Sprint("a-", i), nil)
		}
		write(api, "ns", "aa", map[string]string{"k": "v"})
		write(api, "ns", "aa", map[string]string{"k": "v", "x": "y"})
		write(api, "ns", "aa", map[string]string{"k": "v", "x": "z"})
		write(api, "ns", "c", nil)
		list(api, parts)
		remove(api, "ns", "c")
		remove(api, "ns", "a")
		resume(t, api, parts)
		watch("late", "ns", metav1.ListOptions{ResourceVersion: "0"})
		watch("long", "long", metav1.ListOptions{})
		synctest.Wait()
		for range 160 {
			write(api, "long", "a", map[string]string{"i": "j"})
			remove(api, "long", "a")
		}
		time.Sleep(5 * time.Minute)
		for part, tape := range tapes {
			tape.Stop()
			parts[part] = tape.lines()
		}
		refuse(api, parts)
		race(api, parts)
		require.NoError(t, s.Close())
	})
	return parts
}

// list is the parts "list", of a list just after a write, "selected" and "exact".
func list(api apiserver.API, parts map[string][]string) {
	c := apiserver.ConfigMaps(api, "ns")
	l, err := c.List(ctx, metav1.ListOptions{})
	parts["list"] = show(l, err)
	l, err = c.List(ctx, metav1.ListOptions{LabelSelector: "!none"})
	parts["selected"] = show(l, err)
	l, err = c.List(ctx, metav1.ListOptions{ResourceVersion: "4", ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	parts["exact"] = show(l, err)
	l, err = c.List(ctx, metav1.ListOptions{LabelSelector: "k=none", FieldSelector: "metadata.name=b"})
	parts["named"] = show(l, err)
	l, err = apiserver.ConfigMaps(api, "").List(ctx, metav1.ListOptions{FieldSelector: "metadata.namespace=ns-2"})
	parts["placed"] = show(l, err)
	l, err = c.List(ctx, metav1.ListOptions{Limit: 1, ResourceVersion: "4", ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	parts["exact page"] = show(l, err)
	for part, limit := range map[string]int64{"pages of two": 2, "pages of three": 3} {
		o := metav1.ListOptions{Limit: limit}
		for range 3 { // what starts over would never end
			l, err = c.List(ctx, o)
			parts[part] = append(parts[part], show(l, err)...)
			if o.Continue = l.Continue; o.Continue == "" {
				break
			}
		}
	}
}
