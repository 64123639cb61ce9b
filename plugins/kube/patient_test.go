package kube

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// refusals are answers that may be others later.
var refusals = map[string]http.HandlerFunc{
	"429":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
	"503":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	"504":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGatewayTimeout) },
	"html": func(w http.ResponseWriter, _ *http.Request) { html(w, http.StatusServiceUnavailable) },
	"broken": func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			conn.Close()
		}
	},
}

func html(w http.ResponseWriter, code int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(code)
	fmt.Fprint(w, "<html>no upstream</html>")
}

// eachTwice refuses every request the first time it comes.
func eachTwice(t *testing.T, refuse, next http.HandlerFunc) *requests {
	var mu sync.Mutex
	seen := map[string]bool{}
	return listen(t, func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		first := !seen[req.Method+req.URL.Path]
		seen[req.Method+req.URL.Path] = true
		mu.Unlock()
		if first {
			refuse(w, req)
			return
		}
		next(w, req)
	})
}

// inUse answers as a server that has one object left, with a finalizer.
func inUse(w http.ResponseWriter, req *http.Request) {
	if req.Method == http.MethodGet {
		fmt.Fprint(w, `{"kind":"ConfigMapList","apiVersion":"v1","items":[{"metadata":{"name":"x","finalizers":["a/b"]}}]}`)
		return
	}
	done(w, req)
}

func TestClearingUpIsRepeated(t *testing.T) {
	for name, refuse := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := eachTwice(t, refuse, inUse)
			s := dial(t, r.URL, "")
			ns := namespace("mine", 0, 0)
			require.NoError(t, s.remove(t.Context(), &ns))
			got := r.take()
			require.Len(t, got, 8, "namespace, collection, list and finalizers, each twice")
			for i := 0; i < len(got); i += 2 {
				require.Equal(t, got[i], got[i+1], "with the same body")
			}
			require.Contains(t, got[1], "uid-of-mine")
		})
	}
}

// What nobody has lost is not asked for again: a refusal that will not change,
// and what has no time limit.
func TestWhatIsNotRepeated(t *testing.T) {
	r := listen(t, func(w http.ResponseWriter, _ *http.Request) { forbid(w) })
	s := dial(t, r.URL, "")
	ns := namespace("mine", 0, 0)
	require.ErrorContains(t, s.remove(t.Context(), &ns), "no")
	require.Len(t, r.take(), 1)

	r = listen(t, func(w http.ResponseWriter, _ *http.Request) { html(w, http.StatusServiceUnavailable) })
	s = dial(t, r.URL, "")
	require.Error(t, s.tidy.core.Get().AbsPath("/version").Do(context.Background()).Error())
	require.Len(t, r.take(), 1)
}

// The server says when it wants to be asked again.
func TestRetryAfterIsHonoured(t *testing.T) {
	for name, after := range map[string]func() string{
		"seconds": func() string { return "2" },
		"date":    func() string { return time.Now().Add(3 * time.Second).UTC().Format(http.TimeFormat) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var last time.Time
			var pause time.Duration
			r := eachTwice(t, func(w http.ResponseWriter, _ *http.Request) {
				last = time.Now()
				w.Header().Set("Retry-After", after())
				w.WriteHeader(http.StatusTooManyRequests)
			}, func(w http.ResponseWriter, req *http.Request) { pause = time.Since(last); done(w, req) })
			s := dial(t, r.URL, "")
			ctx, cancel := context.WithTimeout(t.Context(), goLimit)
			defer cancel()
			require.NoError(t, s.deleteNamespace(ctx, "mine", nil))
			require.GreaterOrEqual(t, pause, 1900*time.Millisecond)
		})
	}
}

// Where the server wants more time than is left, its answer is given at once,
// and told as it is.
func TestRetryAfterBeyondTheLimit(t *testing.T) {
	r := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	s := dial(t, r.URL, "")
	ns := namespace("mine", 0, 0)
	began := time.Now()
	err := s.remove(t.Context(), &ns)
	require.ErrorContains(t, err, "the namespace mine could not be removed")
	require.ErrorContains(t, err, "too many requests")
	require.Less(t, time.Since(began), goLimit/2)
	require.Len(t, r.take(), 1)
}

// What is refused for good is given up at the limit, with the server's own words.
func TestPatienceEnds(t *testing.T) {
	r := listen(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusServiceUnavailable) })
	s := dial(t, r.URL, "")
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	ns := namespace("mine", 0, 0)
	err := s.remove(ctx, &ns)
	require.ErrorContains(t, err, "not now")
	require.Len(t, r.take(), 2, "after one second, as it asks for")
}

// A deletion whose answer was lost has happened: the second one finds nothing,
// or something that the preconditions do not mean.
func TestADeletionWhoseAnswerWasLost(t *testing.T) {
	var mu sync.Mutex
	gone := map[string]bool{}
	r := listen(t, func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch p := req.URL.Path; {
		case strings.HasSuffix(p, "/configmaps"):
			inUse(w, req)
		case req.Method == http.MethodGet:
			showNamespaces(w, namespace("dead", 2*dead, 0))
		case gone[p]:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
		default:
			gone[p] = true
			refusals["broken"](w, req)
		}
	})
	s := dial(t, r.URL, "")
	ns := namespace("mine", 0, 0)
	require.NoError(t, s.remove(t.Context(), &ns))
	require.NoError(t, s.removeStale(t.Context()))
	require.True(t, gone["/api/v1/namespaces/dead"])
}
