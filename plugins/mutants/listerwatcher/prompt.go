package listerwatcher

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness"
)

// prompts hear late that they are let go of.
func prompts() []mutant {
	out := []mutant{
		{name: "stop-late", of: "retry-watcher", rule: "watch/stop", about: "Stop is heard ten seconds later", calls: watches(func(_ context.Context, w watching) watching { return late{w} })},
		{name: "cancel-late", of: "retry-watcher", rule: "watch/prompt", about: "the end of the context is heard ten seconds later", calls: opening(func(ctx context.Context, o options, right func(context.Context, options) (watching, error)) (watching, error) {
			later, end := context.WithCancel(context.WithoutCancel(ctx))
			context.AfterFunc(ctx, func() { time.Sleep(slept); end() })
			return right(later, o)
		})},
	}
	for trouble, about := range map[string]string{"429": "a 429", "500": "a 500", "503": "a 503", "reset": "a connection that broke", "refused": "a connection that was refused", "cut": "a watch that was cut", "ERROR": "an ERROR"} {
		out = append(out,
			mutant{name: "pause-slept-out-" + trouble, of: "retry-watcher", rule: "watch/prompt", about: "a watch sleeps out its pause after " + about, wire: sleepsOut(trouble)},
			mutant{name: "until-pause-slept-out-" + trouble, of: "retry-watcher", more: []harness.Feature{conformance.Waits}, rule: "until/prompt", about: "a wait sleeps out its pause after " + about, calls: waitsOn, wire: sleepsOut(trouble)})
	}
	slices.SortFunc(out, func(a, b mutant) int { return strings.Compare(a.name, b.name) })
	return append(out, refusals()...)
}

// refusals go wrong where their connection is refused.
func refusals() []mutant {
	out := []mutant{
		{name: "refused-hangs", rule: "resume/errors", about: "who is refused a connection never asks again", wire: after(refused, hangs)},
		{name: "busy-hangs", rule: "resume/errors", about: "who is refused with 503 never asks again", wire: after(answered(http.StatusServiceUnavailable), hangs)},
		{name: "throttled-hangs", rule: "resume/errors", about: "who is refused with 429 never asks again", wire: after(answered(http.StatusTooManyRequests), hangs)},
		{name: "timeout-hangs", rule: "resume/errors", about: "who is refused with 504 never asks again", wire: after(answered(http.StatusGatewayTimeout), hangs)},
		{name: "refused-from-now", rule: "resume/version", about: "who was refused a connection goes on from the present", wire: after(refused, func(r *http.Request, again func() (*http.Response, error)) (*http.Response, error) {
			q := r.URL.Query()
			q.Del("resourceVersion")
			r.URL.RawQuery = q.Encode()
			return again()
		})},
	}
	for _, m := range out {
		m.name, m.about, m.calls, m.more = "until-"+m.name, "a wait: "+m.about, waitsOn, []harness.Feature{conformance.Waits}
		out = append(out, m)
	}
	for i := range out {
		out[i].of = "retry-watcher"
	}
	return out
}

func answered(code int) func(*http.Response, error) bool {
	return func(res *http.Response, err error) bool { return err == nil && res.StatusCode == code }
}

func refused(_ *http.Response, err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

func hangs(r *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// after has f answer a call's next request after one that came to such; again asks the server.
func after(such func(*http.Response, error) bool, f func(r *http.Request, again func() (*http.Response, error)) (*http.Response, error)) wire {
	return perCall(func() wire {
		before := false
		return func(next http.RoundTripper) http.RoundTripper {
			return tripper(func(r *http.Request) (*http.Response, error) {
				r = r.Clone(r.Context())
				again := func() (*http.Response, error) {
					res, err := next.RoundTrip(r)
					before = such(res, err)
					return res, err
				}
				if before {
					return f(r, again)
				}
				return again()
			})
		}
	})
}

// opens looks at the end of the context when the headers have come.
func opens(next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		res, err := next.RoundTrip(r.Clone(ctx))
		if err != nil {
			cancel()
			return nil, err
		}
		context.AfterFunc(r.Context(), cancel)
		return res, nil
	})
}

// slept is how long it sleeps.
const slept = 10 * time.Second

// late is a watch that hears of its Stop later.
type late struct{ watching }

// Stop implements listerwatcher.Watch.
func (l late) Stop() { time.AfterFunc(slept, l.watching.Stop) }

// sleepsOut has a call pause before it asks again after a trouble, whoever lets go of it: 429 and such, reset, refused,
// cut, ERROR.
func sleepsOut(trouble string) wire {
	return perCall(func() wire {
		var pauses atomic.Bool
		meets := func(what string) {
			if what == trouble {
				pauses.Store(true)
			}
		}
		return func(next http.RoundTripper) http.RoundTripper {
			return tripper(func(r *http.Request) (*http.Response, error) {
				if pauses.Swap(false) {
					time.Sleep(slept)
				}
				res, err := next.RoundTrip(r)
				switch {
				case errors.Is(err, syscall.ECONNREFUSED):
					meets("refused")
				case err != nil:
					meets("reset")
				default:
					meets(strconv.Itoa(res.StatusCode))
					res.Body = &overheard{res.Body, meets}
				}
				return res, err
			})
		}
	})
}

// overheard tells what a stream met.
type overheard struct {
	io.ReadCloser
	meets func(string)
}

// Read implements io.Reader.
func (o *overheard) Read(b []byte) (int, error) {
	n, err := o.ReadCloser.Read(b)
	if bytes.Contains(b[:n], []byte(`"type":"ERROR"`)) {
		o.meets("ERROR")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		o.meets("cut")
	}
	return n, err
}

// waitsOn makes waits of watches that resume, each of which it waits for in the end.
func waitsOn(c client) client {
	c.until = func(ctx context.Context, o options, cond conformance.Condition) (*event, error) {
		w, err := c.watch(ctx, o)
		if err != nil {
			return nil, err
		}
		defer func() {
			w.Stop()
			for ok := true; ok; {
				_, ok = w.Next(context.WithoutCancel(ctx))
			}
		}()
		for {
			e, ok := w.Next(ctx)
			var of struct{ Metadata struct{ Name string } }
			switch {
			case !ok && ctx.Err() != nil:
				return nil, ctx.Err()
			case !ok:
				return nil, errors.New("there is no more")
			case e.Type == "ERROR":
				var s metav1.Status
				_ = json.Unmarshal(e.Object, &s) // of what is none it says nothing
				return nil, &apierrors.StatusError{ErrStatus: s}
			case json.Unmarshal(e.Object, &of) == nil && e.Type == cond.Type && of.Metadata.Name == cond.Name:
				return &e, nil
			}
		}
	}
	return c
}
