package mutants_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

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

// race is the parts "raced update" and "raced delete": each and an update at
// once, with the resourceVersion that holds.
func race(api apiserver.API, parts map[string][]string) {
	c := apiserver.ConfigMaps(api, "race")
	put := func(o *corev1.ConfigMap) string {
		o = o.DeepCopy()
		o.Data = map[string]string{"a": "b"}
		_, err := c.Update(ctx, o, metav1.UpdateOptions{})
		return reason(err)
	}
	for part, do := range map[string]func(*corev1.ConfigMap) string{
		"raced update": put,
		"raced delete": func(o *corev1.ConfigMap) string {
			return reason(c.Delete(ctx, o.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &o.ResourceVersion}}))
		},
	} {
		name := strings.ReplaceAll(part, " ", "-")
		write(api, "race", name, nil)
		o, err := c.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			parts[part] = []string{reason(err)}
			continue
		}
		var wg sync.WaitGroup
		var first string
		wg.Go(func() { first = do(o) })
		synctest.Wait() // it has answered, or is on its way
		second := put(o)
		wg.Wait()
		parts[part] = []string{first, second}
	}
}

func reason(err error) string { return string(apierrors.ReasonForError(err)) }
