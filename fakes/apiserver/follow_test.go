package apiserver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Whatever is done to the views meanwhile, who lists and watches as the contract says ends with the
// truth, and never sees an object go back within one watch. All in virtual time, many stories.
func TestFollowersConverge(t *testing.T) {
	relists := 0
	for seed := range uint64(60) {
		o := apiserver.Options{Seed: seed, WindowCount: 5, WindowAge: time.Second, CompactEvery: 20 * time.Second, WatchTimeout: 10 * time.Second}
		bubble(t, o, func(t *testing.T, s *apiserver.Server) {
			r := rand.New(rand.NewPCG(seed, 1))
			views := []*apiserver.View{s.View, s.AddView()}
			over, stop := context.WithCancel(ctx)
			defer stop()
			var wg sync.WaitGroup
			var followers []*follower
			for i := range 4 {
				f := &follower{t: t, r: rand.New(rand.NewPCG(seed, uint64(i+2))), views: views, streams: i%2 == 0}
				followers = append(followers, f)
				wg.Go(func() { f.run(over) })
			}
			for range 150 {
				disturb(t, r, s, views[r.IntN(len(views))])
				time.Sleep(time.Duration(r.IntN(1000)) * time.Millisecond)
			}
			for _, v := range views {
				v.SetLag(0)
				_ = v.StartCache(configMaps) // an error where it is ready
			}
			time.Sleep(time.Minute)
			truth, err := apiserver.ConfigMaps(s, "").List(ctx, metav1.ListOptions{})
			require.NoError(t, err)
			want := map[string]string{}
			for _, o := range truth.Items {
				want[o.Name] = o.ResourceVersion
			}
			stop()
			wg.Wait()
			for i, f := range followers {
				require.Equal(t, want, f.state, "seed %d, follower %d", seed, i)
				relists += f.lists
			}
		})
	}
	require.Greater(t, relists, 500, "they had to begin anew often")
}

// disturb writes something, or does something to a view.
func disturb(t *testing.T, r *rand.Rand, s *apiserver.Server, v *apiserver.View) {
	t.Helper()
	c, name := apiserver.ConfigMaps(v, "ns"), fmt.Sprintf("o%d", r.IntN(6))
	switch n := r.IntN(40); {
	case n < 12:
		_, _ = c.Create(ctx, cm(name), metav1.CreateOptions{})
	case n < 24:
		_, _ = c.Update(ctx, cm(name, "n", s.Revision()), metav1.UpdateOptions{})
	case n < 30:
		_ = c.Delete(ctx, name, metav1.DeleteOptions{})
	case n < 33:
		v.SetLag(time.Duration(r.IntN(5)-1) * time.Second)
	case n < 34:
		require.NoError(t, s.Compact(""))
	case n < 35:
		v.Restart()
	case n < 36:
		_ = v.ForgetEvents(configMaps, "")
	case n < 38:
		_ = v.StopCache(configMaps)
	default:
		_ = v.StartCache(configMaps)
	}
}

// follower keeps a copy of the state, as an informer does.
type follower struct {
	t       *testing.T
	r       *rand.Rand
	views   []*apiserver.View
	streams bool // begins with a streaming list
	state   map[string]string
	version string // "" before the first list
	lists   int
}

func (f *follower) run(over context.Context) {
	for over.Err() == nil {
		api := f.views[f.r.IntN(len(f.views))] // each request at another server
		if f.version == "" && !f.streams {
			f.list(over, api)
			continue
		}
		f.watch(over, api)
		time.Sleep(100 * time.Millisecond)
	}
}

func (f *follower) list(over context.Context, api apiserver.API) {
	state, o := map[string]string{}, metav1.ListOptions{Limit: 2}
	for {
		l, err := apiserver.ConfigMaps(api, "").List(over, o)
		if err != nil {
			f.tolerate(over, err)
			return
		}
		for _, o := range l.Items {
			state[o.Name] = o.ResourceVersion
		}
		if o.Continue = l.Continue; o.Continue == "" {
			f.state, f.version = state, l.ResourceVersion
			f.lists++
			return
		}
	}
}

func (f *follower) watch(over context.Context, api apiserver.API) {
	o := metav1.ListOptions{ResourceVersion: f.version, AllowWatchBookmarks: true}
	begun := f.version == ""
	if begun {
		f.state = map[string]string{}
		o.SendInitialEvents, o.ResourceVersionMatch = ptr(true), notOlderThan
	}
	w, err := apiserver.ConfigMaps(api, "").Watch(over, o)
	if err != nil {
		f.tolerate(over, err)
		return
	}
	defer w.Stop()
	var last int64
	for e := range w.ResultChan() {
		if e.Type == watch.Error {
			f.tolerate(over, apierrors.FromObject(e.Object))
			return
		}
		m := e.Object.(*corev1.ConfigMap)
		rv := mustInt(f.t, m.ResourceVersion)
		if begun && e.Type != watch.Bookmark {
			f.state[m.Name] = m.ResourceVersion
			continue
		}
		require.GreaterOrEqual(f.t, rv, last)
		last, f.version = rv, m.ResourceVersion
		switch _, had := f.state[m.Name]; e.Type {
		case watch.Bookmark:
			if begun {
				f.lists++
			}
			begun = false
		case watch.Added:
			require.False(f.t, had, "ADDED of what was there: %s", m.Name)
			f.state[m.Name] = m.ResourceVersion
		case watch.Modified:
			require.True(f.t, had, "MODIFIED of what was not there: %s", m.Name)
			f.state[m.Name] = m.ResourceVersion
		case watch.Deleted:
			require.True(f.t, had, "DELETED of what was not there: %s", m.Name)
			delete(f.state, m.Name)
		}
	}
}

// tolerate waits where the server asks for it, and begins anew where it must.
func (f *follower) tolerate(over context.Context, err error) {
	switch {
	case over.Err() != nil:
	case apierrors.IsResourceExpired(err):
		f.version = ""
	case apierrors.IsTooManyRequests(err), apierrors.IsTimeout(err), apierrors.IsServiceUnavailable(err):
		time.Sleep(time.Second)
	default:
		require.NoError(f.t, err)
	}
}
