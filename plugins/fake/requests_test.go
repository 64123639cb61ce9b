package fake_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/mutants"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/plugins/fake"
)

// story is what happens on a server while an informer looks on: every kind of write, and lists in pages.
// What a fault spoils of it is left out.
func story(t *testing.T, clients kubernetes.Interface) {
	c := clients.CoreV1().ConfigMaps("a")
	made := func(name, value string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "one"}}, Data: map[string]string{"k": value}}
	}
	for _, name := range []string{"x", "y", "z"} {
		_, err := c.Create(t.Context(), made(name, "1"), metav1.CreateOptions{})
		spoiled(t, err)
		time.Sleep(time.Second)
	}
	for _, name := range []string{"x", "y"} {
		if o, err := c.Get(t.Context(), name, metav1.GetOptions{}); err == nil {
			o.Data["k"], o.Annotations = "2", map[string]string{"note": "long enough to be a hash in the history, which is so from 64 on"}
			_, err = c.Update(t.Context(), o, metav1.UpdateOptions{})
			spoiled(t, err)
			o.Data["k"] = "too late"
			_, err = c.Update(t.Context(), o, metav1.UpdateOptions{})
			require.Error(t, err)
		}
	}
	_, err := c.Patch(t.Context(), "y", types.MergePatchType, []byte(`{"data":{"k":"3"},"metadata":{"finalizers":["example.com/held"]}}`), metav1.PatchOptions{})
	spoiled(t, err)
	_, err = c.Patch(t.Context(), "x", types.StrategicMergePatchType, []byte(`{"metadata":{"resourceVersion":"1"}}`), metav1.PatchOptions{})
	require.Error(t, err)
	time.Sleep(time.Minute)
	spoiled(t, c.Delete(t.Context(), "x", metav1.DeleteOptions{}))
	spoiled(t, c.Delete(t.Context(), "y", metav1.DeleteOptions{}))
	_, err = c.Patch(t.Context(), "y", types.JSONPatchType, []byte(`[{"op":"remove","path":"/metadata/finalizers"}]`), metav1.PatchOptions{})
	spoiled(t, err)
	_, err = c.Create(t.Context(), made("x", "4"), metav1.CreateOptions{})
	spoiled(t, err)
	l, err := c.List(t.Context(), metav1.ListOptions{Limit: 1})
	spoiled(t, err)
	if err == nil && l.Continue != "" {
		_, err = c.List(t.Context(), metav1.ListOptions{Limit: 1, Continue: l.Continue})
		spoiled(t, err)
	}
	_, err = c.List(t.Context(), metav1.ListOptions{})
	spoiled(t, err)
	_, err = c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "g-"}}, metav1.CreateOptions{DryRun: []string{"All"}})
	spoiled(t, err)
	_, err = clients.CoreV1().Pods("a").Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}, metav1.CreateOptions{})
	spoiled(t, err)
	spoiled(t, c.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=one"}))
}

// spoiled lets faults be, and nothing else.
func spoiled(t *testing.T, err error) {
	t.Helper()
	if err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) {
		require.Regexp(t, "fault|EOF", err.Error())
	}
}

// told runs the story over a pipe, with an informer, and gives what was logged of it.
func told(t *testing.T, open func(apiserver.Options) (apiserver.API, *apiserver.Server), all ...faults.Fault) []requestlog.Entry {
	t.Helper()
	var entries []requestlog.Entry
	var mu sync.Mutex
	log := requestlog.New(func(e requestlog.Entry) {
		mu.Lock()
		defer mu.Unlock()
		entries = append(entries, e)
	})
	synctest.Test(t, func(t *testing.T) {
		api, server := open(apiserver.Options{})
		defer func() { require.NoError(t, server.Close()) }()
		set, err := faults.New(1, all...)
		require.NoError(t, err)
		if len(all) > 0 {
			api, err = set.API(server, faults.Options{})
			require.NoError(t, err)
		}
		s, err := rest.ServePipe(api, rest.Options{Log: log, View: "one"})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		config := s.RESTConfig()
		h, err := clientrest.HTTPClientFor(config)
		require.NoError(t, err)
		defer h.CloseIdleConnections()
		clients, err := kubernetes.NewForConfigAndClient(config, h)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		factory := informers.NewSharedInformerFactory(clients, 0)
		informer := factory.Core().V1().ConfigMaps().Informer()
		factory.StartWithContext(ctx)
		time.Sleep(time.Second)
		story(t, clients)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		log.Settled("")
		_ = informer
		cancel()
		factory.Shutdown()
		synctest.Wait()
		for _, f := range all {
			require.NotZero(t, set.Struck("fault-1"), "%+v", f)
		}
	})
	return entries
}

func plain(o apiserver.Options) (apiserver.API, *apiserver.Server) {
	s := apiserver.New(o)
	return s, s
}

// judged makes a history of what was told, which must be readable again, and gives what the rules say of it.
func judged(t *testing.T, entries []requestlog.Entry) (harness.Result, *history.History) {
	t.Helper()
	h, err := fake.History(entries, fake.About{Resource: schema.GroupResource{Resource: "configmaps"}, Features: fake.Features(), Virtual: true})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, h.Write(&b))
	h, err = history.Read(&b)
	require.NoError(t, err)
	return watchcache.Suite.Describe().Judge(harness.Info{}, h), h
}

// What informers are told by our server is the truth, whatever of the permitted befalls them.
func TestRequestsPass(t *testing.T) {
	events := func(e faults.Events) faults.Fault {
		return faults.Fault{Verbs: []string{"watch"}, Resource: "configmaps", Events: &e}
	}
	list, create, seconds := []string{"list"}, []string{"create"}, func(n int) *metav1.Duration { return &metav1.Duration{Duration: time.Duration(n) * time.Second} }
	for name, f := range map[string][]faults.Fault{
		"none":        nil,
		"throttled":   {{Verbs: list, Times: 2, Status: &faults.Status{Code: 429, RetryAfter: 3}}},
		"failing":     {{Nth: 3, Times: 2, Status: &faults.Status{Code: 500}}},
		"gone":        {{Verbs: []string{"watch"}, Nth: 1, Status: &faults.Status{Code: 410}}},
		"slow":        {{Latency: seconds(1)}},
		"lost answer": {{Verbs: create, Nth: 2, LoseAnswer: true}},
		"lost patch":  {{Verbs: []string{"patch"}, Nth: 1, LoseAnswer: true}},
		"reset":       {{Verbs: create, Nth: 2, Reset: faults.Headers}},
		"reset body":  {{Verbs: list, Nth: 1, Reset: faults.Body}},
		"hang":        {{Nth: 2, Hang: faults.Body, For: seconds(2)}},
		"closed":      {events(faults.Events{Nth: 3, Do: faults.Close})},
		"broken":      {events(faults.Events{Nth: 3, Do: faults.Break})},
		"truncated":   {events(faults.Events{Nth: 3, Do: faults.Truncate})},
		"late":        {events(faults.Events{Nth: 3, Do: faults.Delay, For: seconds(1)})},
	} {
		t.Run(name, func(t *testing.T) {
			r, h := judged(t, told(t, plain, f...))
			for _, rr := range r.Rules {
				assert.NotEqual(t, harness.Fail, rr.Verdict, watchcache.Suite.Describe().Explain(rr))
			}
			if name == "none" {
				require.Equal(t, harness.Pass, r.Verdict, "%s %s", r.Reason, dump(h))
			}
		})
	}
}

// What is wrong in the log fails, at the clause that it breaks.
func TestRequestsFail(t *testing.T) {
	events := func(e faults.Events) []faults.Fault {
		return []faults.Fault{{Verbs: []string{"watch"}, Resource: "configmaps", Events: &e}}
	}
	for rule, f := range map[string][]faults.Fault{
		"watch/reliable":                 events(faults.Events{Types: []string{"DELETED"}, Nth: 1, Do: faults.Drop}),
		"watch/unique":                   events(faults.Events{Nth: 4, Do: faults.Double}),
		"watch/ordered":                  events(faults.Events{Nth: 4, Do: faults.Swap}),
		"bookmark/complete/none-missing": events(faults.Events{Nth: 4, Do: faults.Early}),
		"bookmark/monotonic":             events(faults.Events{Nth: 4, Do: faults.Lie, By: -3}),
		"list/answered":                  {{Verbs: []string{"list"}, Nth: 3, Status: &faults.Status{Code: 410}}},
		"write/answered":                 {{Verbs: []string{"create"}, Nth: 2, Status: &faults.Status{Code: 410}}},
		"list/most-recent":               {{Verbs: []string{"list"}, Nth: 3, Stale: &metav1.Duration{Duration: time.Minute}}},
		"get/most-recent":                {{Verbs: []string{"get"}, Stale: &metav1.Duration{Duration: time.Minute}}},
	} {
		t.Run(rule, func(t *testing.T) {
			r, h := judged(t, told(t, plain, f...))
			requireFails(t, r, h, rule)
		})
	}
	for _, m := range mutants.All() {
		if slices.Contains([]string{"lost-deleted", "old-content", "doubled-event"}, m.Name) {
			t.Run(m.Name, func(t *testing.T) {
				r, h := judged(t, told(t, m.Open))
				requireFails(t, r, h, m.Rule[len("watchcache/"):])
			})
		}
	}
}

func requireFails(t *testing.T, r harness.Result, h *history.History, rule string) {
	t.Helper()
	var failed []string
	for _, rr := range r.Rules {
		if rr.Verdict == harness.Fail {
			failed = append(failed, rr.Rule)
		}
	}
	require.Contains(t, failed, rule, dump(h))
}

func dump(h *history.History) string {
	var b bytes.Buffer
	_ = h.Write(&b)
	return b.String()
}

// A log comes out of its file as it went in.
func TestRequestsFile(t *testing.T) {
	entries := told(t, plain)
	var b bytes.Buffer
	sink, failed := requestlog.JSONLines(&b)
	for _, e := range entries {
		sink(e)
	}
	require.NoError(t, failed())
	again, err := requestlog.Read(io.MultiReader(&b, bytes.NewReader([]byte(`{"n":`))))
	require.NoError(t, err)
	require.Len(t, again, len(entries))
	r, _ := judged(t, again)
	require.Equal(t, harness.Pass, r.Verdict)
}

// The client in the process is in the log, too.
func TestRequestsInProcess(t *testing.T) {
	var entries []requestlog.Entry
	synctest.Test(t, func(t *testing.T) {
		server := apiserver.New(apiserver.Options{})
		defer func() { require.NoError(t, server.Close()) }()
		log := requestlog.New(func(e requestlog.Entry) { entries = append(entries, e) })
		ctx := apiserver.WithCaller(t.Context(), apiserver.Caller{UserAgent: "me"})
		c := apiserver.ConfigMaps(log.API(server, "here"), "a")
		w, err := c.Watch(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		_, err = c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Equal(t, "x", (<-w.ResultChan()).Object.(*corev1.ConfigMap).Name)
		require.NoError(t, c.Delete(ctx, "x", metav1.DeleteOptions{}))
		<-w.ResultChan()
		w.Stop()
	})
	first, last := entries[0], entries[len(entries)-1]
	require.Equal(t, []string{"watch", "configmaps", "a", "me", "here"}, []string{first.Verb, first.Resource, first.Namespace, first.UserAgent, first.View})
	require.Equal(t, []any{requestlog.Over, requestlog.Stopped, 2, "3"}, []any{last.What, last.How, last.Events, last.ResourceVersion})
	r, _ := judged(t, entries)
	require.Equal(t, harness.Pass, r.Verdict, r.Reason)
}

// Two servers on one store, of which the one that the informer asks lags: what it is told is late, and true.
func TestRequestsOfViews(t *testing.T) {
	var entries []requestlog.Entry
	synctest.Test(t, func(t *testing.T) {
		server := apiserver.New(apiserver.Options{})
		defer func() { require.NoError(t, server.Close()) }()
		log := requestlog.New(func(e requestlog.Entry) { entries = append(entries, e) })
		behind := server.AddView()
		behind.SetLag(20 * time.Second)
		var clients []kubernetes.Interface
		for name, api := range map[string]apiserver.API{"a": server, "b": behind} {
			s, err := rest.ServePipe(api, rest.Options{Log: log, View: name})
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			h, err := clientrest.HTTPClientFor(s.RESTConfig())
			require.NoError(t, err)
			defer h.CloseIdleConnections()
			c, err := kubernetes.NewForConfigAndClient(s.RESTConfig(), h)
			require.NoError(t, err)
			if clients = append(clients, c); name == "a" && len(clients) > 1 {
				slices.Reverse(clients)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		factory := informers.NewSharedInformerFactory(clients[1], 0)
		factory.Core().V1().ConfigMaps().Informer()
		factory.StartWithContext(ctx)
		time.Sleep(time.Second)
		story(t, clients[0])
		for _, rv := range []string{"0", ""} {
			_, err := clients[1].CoreV1().ConfigMaps("a").List(t.Context(), metav1.ListOptions{ResourceVersion: rv})
			require.NoError(t, err) // client-go comes back after each 504 until it is there
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		log.Settled("")
		cancel()
		factory.Shutdown()
		synctest.Wait()
	})
	r, h := judged(t, entries)
	for _, rr := range r.Rules {
		assert.NotEqual(t, harness.Fail, rr.Verdict, watchcache.Suite.Describe().Explain(rr))
	}
	require.Equal(t, harness.Pass, r.Verdict, "%s %s", r.Reason, dump(h))
}

// Many clients at a time, over TCP and in real time: the order of the log is one that the rules can read.
func TestRequestsOfMany(t *testing.T) {
	var mu sync.Mutex
	var entries []requestlog.Entry
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	log := requestlog.New(func(e requestlog.Entry) {
		mu.Lock()
		defer mu.Unlock()
		entries = append(entries, e)
	})
	s, err := rest.Serve(server, rest.Options{Log: log})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	h, err := clientrest.HTTPClientFor(s.RESTConfig())
	require.NoError(t, err)
	defer h.CloseIdleConnections()
	clients, err := kubernetes.NewForConfigAndClient(s.RESTConfig(), h)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	for range 3 {
		factory := informers.NewSharedInformerFactory(clients, 0)
		factory.Core().V1().ConfigMaps().Informer()
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
	}
	defer cancel()
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			c := clients.CoreV1().ConfigMaps([]string{"a", "ab"}[w%2])
			for i := range 40 {
				name := fmt.Sprint("x", (w/2+i)%3)
				_, _ = c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"k": fmt.Sprint(w, i)}}, metav1.CreateOptions{})
				_, _ = c.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"data":{"p":"%d-%d"}}`, w, i), metav1.PatchOptions{})
				if o, err := c.Get(ctx, name, metav1.GetOptions{}); err == nil {
					o.Data = map[string]string{"u": fmt.Sprint(w, i)}
					_, _ = c.Update(ctx, o, metav1.UpdateOptions{})
				}
				if i%5 == w%5 {
					_ = c.Delete(ctx, name, metav1.DeleteOptions{})
				}
				_, _ = c.List(ctx, metav1.ListOptions{ResourceVersion: []string{"", "0"}[i%2], Limit: int64(i % 3)})
			}
		})
	}
	writers.Wait()
	mu.Lock()
	seen := slices.Clone(entries)
	mu.Unlock()
	hist, err := fake.History(seen, fake.About{Resource: schema.GroupResource{Resource: "configmaps"}, Features: slices.DeleteFunc(fake.Features(), func(f harness.Feature) bool { return f == harness.VirtualTime })})
	require.NoError(t, err)
	r := watchcache.Suite.Describe().Judge(harness.Info{}, hist)
	tested := 0
	for _, rr := range r.Rules {
		tested += rr.Tested
		assert.NotEqual(t, harness.Fail, rr.Verdict, watchcache.Suite.Describe().Explain(rr))
	}
	t.Logf("%d entries, tested %d times: %s %s", len(seen), tested, r.Verdict, r.Reason)
	require.Equal(t, harness.Pass, r.Verdict, r.Reason)
	require.Greater(t, tested, 1000)
}
