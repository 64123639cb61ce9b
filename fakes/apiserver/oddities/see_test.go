package oddities_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// see is what a watch that allows bookmarks gives within d.
func see(t *testing.T, api apiserver.API, from string, d time.Duration) (out []string) {
	t.Helper()
	return seeBy(t, api, metav1.ListOptions{ResourceVersion: from, AllowWatchBookmarks: true}, d)
}

// seeBy is what a watch with these options gives within d.
func seeBy(t *testing.T, api apiserver.API, o metav1.ListOptions, d time.Duration) (out []string) {
	t.Helper()
	w, err := apiserver.ConfigMaps(api, "ns").Watch(ctx, o)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range w.ResultChan() {
			if e.Type == watch.Error {
				out = append(out, fmt.Sprint("ERROR ", e.Object.(*metav1.Status).Code))
				continue
			}
			out = append(out, fmt.Sprint(e.Type, " ", e.Object.(metav1.Object).GetName()))
		}
	}()
	time.Sleep(d)
	synctest.Wait()
	w.Stop()
	<-done
	return out
}
