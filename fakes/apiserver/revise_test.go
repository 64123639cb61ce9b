package apiserver_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Patches of one object at once: none undoes another's, each is stored once, and says what it warns of once.
func TestPatchesAtOnce(t *testing.T) {
	api := apiserver.New(apiserver.Options{})
	defer api.Close()
	maps := apiserver.ConfigMaps(api, "ns")
	_, err := maps.Create(t.Context(), cm("a"), metav1.CreateOptions{})
	require.NoError(t, err)
	const writers, each = 8, 20
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for i := range each {
				var notes apiserver.Notes
				patch := fmt.Sprintf(`{"data":{"%d-%d":"x"},"spam":1}`, w, i)
				_, err := maps.Patch(apiserver.WithNotes(t.Context(), &notes), "a", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
				if err != nil || len(notes.Warnings) != 1 {
					t.Errorf("%v, %q", err, notes.Warnings)
				}
			}
		})
	}
	wait.Wait()
	got, err := maps.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	for w := range writers {
		for i := range each {
			require.Contains(t, got.Data, fmt.Sprintf("%d-%d", w, i))
		}
	}
	require.Equal(t, fmt.Sprint(2+writers*each), got.ResourceVersion)
}

// A patch as deep as may be is done in a moment, and nobody waits for it.
func TestPatchDeep(t *testing.T) {
	api := apiserver.New(apiserver.Options{})
	defer api.Close()
	maps := apiserver.ConfigMaps(api, "ns")
	_, err := maps.Create(t.Context(), cm("a"), metav1.CreateOptions{})
	require.NoError(t, err)
	for depth, want := range map[int]string{9_999: "", 10_001: "invalid JSON patch"} {
		deep := []byte(strings.Repeat(`{"x":`, depth) + "1" + strings.Repeat("}", depth))
		begin := time.Now()
		_, err = maps.Patch(t.Context(), "a", types.MergePatchType, deep, metav1.PatchOptions{})
		require.Less(t, time.Since(begin), 20*time.Second, "what a kube-apiserver takes for 9,999")
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
	}
}
