package watchcache_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
)

// ending ends each watch after a time, cleanly, and says nothing of that before.
type ending struct {
	apiserver.API
	after time.Duration
}

func (e ending) Watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	in, err := e.API.Watch(ctx, r, o)
	if err != nil {
		return nil, err
	}
	return apiserver.NewRelay(ctx, in, func(w *apiserver.Relay) {
		over := time.After(e.after)
		for {
			select {
			case event, ok := <-w.In():
				if !ok || !w.Send(event) {
					return
				}
			case <-over:
				return
			case <-w.Stopped():
				return
			}
		}
	}), nil
}

// A server may end a watch when it likes: whatever its period, no rule finds fault with that. Some checks show nothing
// there: watches that never come so far are inconclusive.
func TestWatchesThatEnd(t *testing.T) {
	if full.Race {
		t.Skip("TestFake has the same drives under the race detector")
	}
	periods := []time.Duration{45 * time.Second, 10 * time.Second, 20 * time.Second, 90 * time.Second, 5 * time.Minute, time.Second, 2 * time.Second}
	for i, after := range full.Thin(t, periods, 5, 2, 0) {
		t.Run(after.String(), func(t *testing.T) {
			all := bound(func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return ending{s, after}, s
			})
			for _, c := range cases.Part(t, all, 4, i) {
				if after < 10*time.Second && !strings.HasPrefix(c.Name, "bookmark/") {
					continue // of thousands of watches in a check nothing else is to be learnt
				}
				res, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
				assert.NotEqual(t, harness.Fail, res.Verdict, "%s: %v", c.Name, res.Rules)
				if res.Verdict == harness.Inconclusive {
					t.Logf("%s: %s", c.Name, res.Reason)
				}
			}
		})
	}
}
