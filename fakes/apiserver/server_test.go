package apiserver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// What client-go's ConfigMapInterface has, but for Apply.
type configMapInterface interface {
	Create(ctx context.Context, configMap *corev1.ConfigMap, opts metav1.CreateOptions) (*corev1.ConfigMap, error)
	Update(ctx context.Context, configMap *corev1.ConfigMap, opts metav1.UpdateOptions) (*corev1.ConfigMap, error)
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
	DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error
	Get(ctx context.Context, name string, opts metav1.GetOptions) (*corev1.ConfigMap, error)
	List(ctx context.Context, opts metav1.ListOptions) (*corev1.ConfigMapList, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*corev1.ConfigMap, error)
}

var _ configMapInterface = apiserver.ConfigMaps(nil, "")

func TestFailedCallsGiveEmptyObjects(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		o, err := apiserver.ConfigMaps(s, "ns").Get(ctx, "a", metav1.GetOptions{})
		require.Error(t, err)
		require.NotNil(t, o)
		l, err := apiserver.ConfigMaps(s, "ns").List(ctx, metav1.ListOptions{ResourceVersion: "x"})
		require.Error(t, err)
		require.NotNil(t, l)
	})
}

// The same seed and the same calls give the same answers, whatever ran before in the process.
func TestSameSeedSameAnswers(t *testing.T) {
	story := func(seed uint64) (out []string) {
		bubble(t, apiserver.Options{Seed: seed}, func(t *testing.T, s *apiserver.Server) {
			start := time.Now()
			w := record(t, s, inNS, metav1.ListOptions{AllowWatchBookmarks: true})
			for range 5 {
				o := create(t, s, "ns", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "g-"}})
				out = append(out, o.Name, string(o.UID))
				time.Sleep(time.Minute)
			}
			<-w.done
			out = append(append(out, w.got()...), time.Since(start).String())
		})
		return out
	}
	first := story(7)
	require.Equal(t, first, story(7))
	require.NotEqual(t, first, story(8))
}

func TestRevisionsOfAnySize(t *testing.T) {
	o := apiserver.Options{FirstRevision: math.MaxInt64 - 1, Step: func() uint64 { return 3 }}
	bubble(t, o, func(t *testing.T, s *apiserver.Server) {
		c := apiserver.ConfigMaps(s, "ns")
		for _, name := range []string{"a", "b", "c"} {
			create(t, s, "ns", cm(name))
		}
		l, err := c.List(ctx, metav1.ListOptions{Limit: 2})
		require.NoError(t, err)
		touch(t, s, "ns", "c")
		l, err = c.List(ctx, metav1.ListOptions{Continue: l.Continue})
		require.NoError(t, err)
		require.Equal(t, []string{"c@9223372036854775815", "@9223372036854775815"}, names(l))
		between, err := c.List(ctx, metav1.ListOptions{ResourceVersion: "9223372036854775814", ResourceVersionMatch: exact})
		require.NoError(t, err, "a number that no revision has")
		require.Equal(t, []string{"a@9223372036854775809", "b@9223372036854775812", "@9223372036854775814"}, names(between))
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: between.ResourceVersion})
		require.Equal(t, []string{"ADDED c@9223372036854775815", "MODIFIED c@9223372036854775818"}, w.got())
	})
}

func TestQuirks(t *testing.T) {
	bubble(t, apiserver.Options{Quirks: apiserver.Quirks{
		ReverseInitial: true, ShortPages: true, DeleteAnswersObject: true, EndAfter: 2,
		DeleteWith: func(r apiserver.Request) []apiserver.Request { r.Name += "2"; return []apiserver.Request{r} },
	}}, func(t *testing.T, s *apiserver.Server) {
		for _, name := range []string{"a", "a2", "b"} {
			create(t, s, "ns", cm(name))
		}
		w := record(t, s, inNS, metav1.ListOptions{})
		require.Equal(t, []string{"ADDED b@4", "ADDED a2@3", "ADDED a@2"}, w.got())
		for limit, want := range map[int64]int{1: 1, 2: 1, 3: 2, 4: 3} {
			l, err := apiserver.ConfigMaps(s, "ns").List(ctx, metav1.ListOptions{Limit: limit})
			require.NoError(t, err)
			require.Len(t, l.Items, want)
			require.Equal(t, want < 3, l.Continue != "")
		}
		touch(t, s, "ns", "b") // @5
		obj, err := s.Delete(ctx, apiserver.Request{Resource: configMaps, Namespace: "ns", Name: "a"}, metav1.DeleteOptions{})
		require.NoError(t, err)
		require.Equal(t, "6", obj.(*corev1.ConfigMap).ResourceVersion)
		remove(t, s, "ns", "b")
		require.Equal(t, []string{"MODIFIED b@5", "DELETED a@6", "DELETED a2@6"}, w.got(), "a revision is not split by the end")
		require.True(t, w.over())
	})
}

// Many writers, watchers and listers in real time: each watch has every change of its scope in order,
// each list is a state that its watch went through.
func TestConcurrent(t *testing.T) {
	s := apiserver.New(apiserver.Options{WindowCount: -1})
	defer s.Close()
	const writers, writes = 4, 200
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 0))
			c := apiserver.ConfigMaps(s, fmt.Sprintf("ns%d", i%2))
			for range writes {
				name := fmt.Sprintf("o%d", r.IntN(5))
				var err error
				switch r.IntN(3) {
				case 0:
					_, err = c.Create(ctx, cm(name), metav1.CreateOptions{})
				case 1:
					_, err = c.Update(ctx, cm(name, "k", fmt.Sprint(r.IntN(2))), metav1.UpdateOptions{})
				case 2:
					err = c.Delete(ctx, name, metav1.DeleteOptions{})
				}
				if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) {
					t.Error(err)
				}
			}
		})
	}
	var lists sync.Map // resourceVersion → names
	wg.Go(func() {
		for range 50 {
			l, err := apiserver.ConfigMaps(s, "ns0").List(ctx, metav1.ListOptions{})
			if err != nil {
				t.Error(err)
			}
			lists.Store(l.ResourceVersion, strings.Join(names(l), " "))
		}
	})
	wg.Go(func() { // watches that come and go
		for range 50 {
			w, err := s.Watch(ctx, inNS, metav1.ListOptions{AllowWatchBookmarks: true})
			if err != nil {
				t.Error(err)
			}
			<-w.ResultChan()
			w.Stop()
		}
	})
	all := record(t, s, apiserver.Request{Resource: configMaps}, metav1.ListOptions{ResourceVersion: "1"})
	one := record(t, s, apiserver.Request{Resource: configMaps, Namespace: "ns0"}, metav1.ListOptions{ResourceVersion: "1"})
	wg.Wait()
	last, err := apiserver.ConfigMaps(s, "").Create(ctx, cm(""), metav1.CreateOptions{})
	require.Error(t, err, last)
	create(t, s, "ns0", cm("zz-last"))
	for _, w := range []*tape{all, one} {
		require.Eventually(t, func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return len(w.lines) > 0 && strings.Contains(w.lines[len(w.lines)-1], "zz-last")
		}, 5*time.Minute, time.Millisecond)
	}
	require.NoError(t, s.Close())
	<-all.done
	require.Len(t, all.lines, int(mustInt(t, s.Revision())-1), "every revision was a change, none is missing or doubled")

	state, seen := map[string]string{}, 0
	for _, l := range append([]string{"LIST @1"}, one.lines...) {
		kind, key, _ := strings.Cut(l, " ")
		name, rv, _ := strings.Cut(key, "@")
		switch kind {
		case "ADDED", "MODIFIED":
			state[name] = rv
		case "DELETED":
			delete(state, name)
		}
		if want, ok := lists.Load(rv); ok {
			seen++
			var items []string
			for name, rv := range state {
				items = append(items, name+"@"+rv)
			}
			slices.Sort(items)
			require.Equal(t, want, strings.Join(append(items, "@"+rv), " "))
		}
	}
	t.Log("lists compared:", seen)
}

func mustInt(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	require.NoError(t, err)
	return n
}

// An idle server with open watches is durably blocked: fake time can jump over years.
func TestIdleIsIdle(t *testing.T) {
	bubble(t, apiserver.Options{WatchTimeout: -1}, func(t *testing.T, s *apiserver.Server) {
		for range 100 {
			record(t, s, inNS, metav1.ListOptions{})
		}
		synctest.Wait()
		time.Sleep(20 * 365 * 24 * time.Hour)
		create(t, s, "ns", cm("a"))
		first := metav1.ListOptions{ResourceVersion: "1", ResourceVersionMatch: exact}
		_, err := apiserver.ConfigMaps(s, "ns").List(ctx, first)
		require.NoError(t, err, "it was the present until now")
		time.Sleep(20 * 365 * 24 * time.Hour)
		_, err = apiserver.ConfigMaps(s, "ns").List(ctx, first)
		require.EqualValues(t, 410, status(t, err).Code)
	})
}
