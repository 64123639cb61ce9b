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
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/mutants"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func control(o apiserver.Options) (apiserver.API, *apiserver.Server) {
	s := apiserver.New(o)
	return s, s
}

// Each mutant differs from the correct store in what its rule is about, and only there: the parts of
// the story in which it differs are named here.
func TestMutantsDiffer(t *testing.T) {
	want := map[string]string{
		"list-goes-back":          "selected",
		"list-version-behind":     "exact from list selected",
		"list-version-ahead":      "exact list selected",
		"list-item-missing":       "exact list selected",
		"list-exact-is-present":   "exact",
		"old-content":             "all ending field label marked name ns whole",
		"list-item-unlabelled":    "exact list",
		"doubled-event":           "all ending field from label labelled marked name ns whole",
		"repeated-at-end":         "ending",
		"repeated-at-bookmark":    "marked",
		"swapped-events":          "all ending field from label labelled marked name ns whole",
		"back-in-time":            "all ending field from label labelled marked name ns whole",
		"lost-modified":           "all ending field marked name ns whole",
		"lost-deleted":            "all ending field from label labelled marked name ns whole",
		"lost-created":            "all ending field from marked ns whole",
		"from-now":                "from",
		"from-before":             "from",
		"from-after":              "from",
		"from-list-lost-delete":   "from",
		"added-for-known":         "all ending field label marked name ns whole",
		"modified-for-created":    "all ending field from label labelled marked ns whole",
		"deleted-for-modified":    "all ending field marked name ns whole",
		"modified-for-left":       "label labelled",
		"modified-for-entered":    "label labelled",
		"namespace-ignored":       "ending label marked name ns",
		"namespace-is-prefix":     "ending marked name ns",
		"namespace-silent":        "ending from label marked name ns",
		"name-ignored":            "labelled name",
		"name-is-prefix":          "name",
		"name-silent":             "labelled name",
		"label-ignored":           "label labelled",
		"label-entering-withheld": "label labelled",
		"label-leaving-withheld":  "label labelled",
		"field-ignored":           "field",
		"field-silent":            "field",
		"bookmark-for-event":      "marked",
		"bookmark-hides-loss":     "marked",
		"bookmark-before-event":   "marked",
		"bookmark-ahead":          "marked",
		"stale-update":            "after stale update",
		"conflict-applied":        "after",
		"stale-patch":             "after stale patch",
		"stale-delete":            "after stale delete",
		"conflict-deleted":        "after",
		"wrong-uid-updated":       "after wrong uid update",
		"wrong-uid-deleted":       "after wrong uid delete",
		"null":                    "",
		"mute":                    "",
		"deaf":                    "",
	}
	right := tell(t, control)
	t.Log(strings.Join(slices.Sorted(maps.Keys(right)), ", "))
	seen := map[string]bool{}
	for _, m := range append(mutants.All(), mutants.Nulls()...) {
		t.Run(m.Name, func(t *testing.T) {
			got := tell(t, m.Open)
			var differ []string
			for _, part := range slices.Sorted(maps.Keys(right)) {
				if !slices.Equal(right[part], got[part]) {
					differ = append(differ, part)
				}
			}
			require.NotEmpty(t, differ)
			if w := want[m.Name]; w != "" {
				require.Equal(t, w, strings.Join(differ, " "))
			}
			require.Contains(t, want, m.Name)
			require.False(t, seen[m.Name], "a name twice")
			seen[m.Name] = true
		})
	}
	require.Len(t, seen, len(want))
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
		time.Sleep(5 * time.Minute)
		for part, tape := range tapes {
			tape.Stop()
			parts[part] = tape.lines()
		}
		refuse(api, parts)
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
}

// resume is the part "from": what was missed between a list and the watch from it.
func resume(t *testing.T, api apiserver.API, parts map[string][]string) {
	t.Helper()
	write(api, "lw", "a", nil)
	l, err := apiserver.ConfigMaps(api, "lw").List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	write(api, "lw", "b", map[string]string{"k": "v"})
	write(api, "lw", "c", nil)
	remove(api, "lw", "a")
	remove(api, "lw", "b")
	w := record(t, api, "lw", metav1.ListOptions{ResourceVersion: l.ResourceVersion})
	synctest.Wait()
	remove(api, "lw", "c")
	parts["from"] = w.lines()
	w.Stop()
}

// refuse is a part for each write that must be refused, and "after", what they left.
func refuse(api apiserver.API, parts map[string][]string) {
	c := apiserver.ConfigMaps(api, "refuse")
	put := func(o *corev1.ConfigMap) error { _, err := c.Update(ctx, o, metav1.UpdateOptions{}); return err }
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		write(api, "refuse", name, nil)
	}
	wrong, old := types.UID("wrong"), "1"
	parts["stale update"] = []string{reason(put(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: old}, Data: map[string]string{"a": "b"}}))}
	parts["wrong uid update"] = []string{reason(put(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b", UID: wrong}}))}
	parts["stale delete"] = []string{reason(c.Delete(ctx, "c", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &old}}))}
	parts["wrong uid delete"] = []string{reason(c.Delete(ctx, "d", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}}))}
	_, err := c.Patch(ctx, "e", types.MergePatchType, []byte(`{"metadata":{"resourceVersion":"1"},"data":{"a":"b"}}`), metav1.PatchOptions{})
	parts["stale patch"] = []string{reason(err)}
	if all := fmt.Sprint(parts["stale update"], parts["stale patch"], parts["stale delete"], parts["wrong uid update"], parts["wrong uid delete"]); strings.Count(all, "Conflict") != 5 {
		return // that they were accepted is enough
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		o, err := c.Get(ctx, name, metav1.GetOptions{})
		parts["after"] = append(parts["after"], fmt.Sprint(o.Name, o.Data, reason(err)))
	}
}

func reason(err error) string { return string(apierrors.ReasonForError(err)) }
