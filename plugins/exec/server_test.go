package exec

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/resources"
)

// serving is an adapter whose implementation is lwtest's own API server: what the protocol loses of it is found by a
// suite that it passes.
type serving struct {
	out   sync.Mutex
	mu    sync.Mutex
	of    *apiserver.Server
	mode  string          // server: it does not serve over HTTP; http: it does; the others: see start
	at    *rest.Server    // so
	named map[string]bool // handles
	open  map[int64]context.CancelFunc
	seen  map[string]apiwatch.Interface
	all   sync.WaitGroup
}

// request has the fields of every request of that kind.
type wcRequest struct {
	ID          int64           `json:"id"`
	Op          string          `json:"op"`
	H           string          `json:"h"`
	Of          int64           `json:"of"`
	W           string          `json:"w"`
	MS          int64           `json:"ms"`
	Ready       bool            `json:"ready"`
	Namespace   string          `json:"namespace"`
	Names       []string        `json:"names"`
	Object      json.RawMessage `json:"object"`
	Subresource string          `json:"subresource"`
	DryRun      bool            `json:"dryRun"`
	Name        string          `json:"name"`
	Type        string          `json:"type"`
	Patch       string          `json:"patch"`
	Options     json.RawMessage `json:"options"`
	List        json.RawMessage `json:"list"`
}

func (s *serving) serve() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r wcRequest
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			panic(err)
		}
		switch r.Op {
		case "case.begin":
			s.of = apiserver.New(apiserver.Options{Seed: 1, Types: schemas.Types})
			s.named, s.open, s.seen = map[string]bool{}, map[int64]context.CancelFunc{}, map[string]apiwatch.Interface{}
			s.answer(r.ID, Nothing{}, nil)
		case "shutdown":
			s.answer(r.ID, Nothing{}, nil)
			return
		case "crash":
			os.Exit(7)
		case "case.end":
			for _, w := range s.seen {
				w.Stop()
			}
			s.all.Wait()
			if s.mode != "stays" {
				s.gone()
			}
			clear(s.named)
			s.answer(r.ID, Nothing{}, nil)
		case "cancel":
			s.mu.Lock()
			if c := s.open[r.Of]; c != nil {
				c()
			}
			s.mu.Unlock()
			s.answer(r.ID, Nothing{}, nil)
		default:
			ctx, cancel := context.WithCancel(context.Background())
			s.mu.Lock()
			s.open[r.ID] = cancel
			s.mu.Unlock()
			s.all.Go(func() {
				ok, err := s.do(ctx, r)
				if s.answer(r.ID, ok, err); r.Op != "wc.watch" { // which goes on
					cancel()
				}
			})
		}
	}
}

func (s *serving) answer(id int64, ok any, err error) {
	line := map[string]any{"id": id, "ok": ok}
	var status apierrors.APIStatus
	var lacks *Skipped
	switch {
	case errors.As(err, &status):
		st := status.Status()
		line = map[string]any{"id": id, "err": Failure{Msg: err.Error(), Status: &st}}
	case errors.As(err, &lacks):
		line = map[string]any{"id": id, "skip": lacks.Why}
	case err != nil:
		line = map[string]any{"id": id, "err": Failure{Msg: err.Error()}}
	}
	b, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	s.out.Lock()
	defer s.out.Unlock()
	if _, err := os.Stdout.Write(append(b, '\n')); err != nil {
		os.Exit(0)
	}
}

func options[O any](r wcRequest) (o O) {
	if err := json.Unmarshal(r.Options, &o); err != nil {
		panic(err)
	}
	return o
}

func (r wcRequest) configMap() *corev1.ConfigMap {
	m := &corev1.ConfigMap{}
	if err := json.Unmarshal(r.Object, m); err != nil {
		panic(err)
	}
	return m
}

func (r wcRequest) dry() []string {
	if r.DryRun {
		return []string{metav1.DryRunAll}
	}
	return nil
}

func (s *serving) do(ctx context.Context, r wcRequest) (any, error) {
	if r.Op == "hello" {
		var has []string
		for _, f := range fake.Features() {
			if f != harness.VirtualTime {
				has = append(has, string(f))
			}
		}
		return HelloReply{Protocol: Version, Implementation: "fake", Offers: []Offer{{Kind: "watchcache", Features: has, Serves: s.mode != "server"}}}, nil
	}
	s.mu.Lock()
	if r.Op == "wc.start" || r.Op == "wc.open" {
		s.named[r.H] = true
	}
	there := r.H == "" || s.named[r.H]
	s.mu.Unlock()
	if !there {
		return nil, errors.New("nothing is open as " + r.H)
	}
	of := apiserver.ConfigMaps(s.of, r.Namespace)
	controls := resources.Controls{Server: s.of, Of: resources.ConfigMaps.GVR()}
	switch r.Op {
	case "wc.create":
		return object(of.Create(ctx, r.configMap(), metav1.CreateOptions{DryRun: r.dry()}))
	case "wc.update":
		return object(of.Update(ctx, r.configMap(), metav1.UpdateOptions{DryRun: r.dry()}))
	case "wc.patch":
		return object(of.Patch(ctx, r.Name, types.PatchType(r.Type), []byte(r.Patch), options[metav1.PatchOptions](r)))
	case "wc.delete":
		return Nothing{}, of.Delete(ctx, r.Name, options[metav1.DeleteOptions](r))
	case "wc.deletecollection":
		var l metav1.ListOptions
		if err := json.Unmarshal(r.List, &l); err != nil {
			panic(err)
		}
		return Nothing{}, of.DeleteCollection(ctx, options[metav1.DeleteOptions](r), l)
	case "wc.get":
		return object(of.Get(ctx, r.Name, options[metav1.GetOptions](r)))
	case "wc.list":
		l, err := of.List(ctx, options[metav1.ListOptions](r))
		if err != nil {
			return nil, err
		}
		out := WCListed{Metadata: l.ListMeta, Items: []json.RawMessage{}}
		for i := range l.Items {
			out.Items = append(out.Items, raw(&l.Items[i]))
		}
		return out, nil
	case "wc.watch":
		w, err := of.Watch(ctx, options[metav1.ListOptions](r))
		if err == nil {
			s.mu.Lock()
			s.seen[r.W] = w
			s.mu.Unlock()
		}
		return Nothing{}, err
	case "wc.read":
		s.mu.Lock()
		w := s.seen[r.W]
		s.mu.Unlock()
		if e, ok := <-w.ResultChan(); ok {
			return ReadReply{Event: &Event{Type: string(e.Type), Object: raw(e.Object)}}, nil
		}
		return ReadReply{Ended: true}, nil
	case "wc.stop":
		s.mu.Lock()
		w := s.seen[r.W]
		s.mu.Unlock()
		if w != nil {
			w.Stop()
		}
	case "wc.start":
		return s.start()
	case "wc.compact":
		kept, err := controls.Compact(ctx)
		return WCCompacted{kept}, err
	case "wc.window":
		return Nothing{}, controls.MoveWindow(ctx)
	case "wc.lag":
		return Nothing{}, controls.SetLag(ctx, time.Duration(r.MS)*time.Millisecond)
	case "wc.ready":
		return Nothing{}, controls.SetReady(ctx, r.Ready)
	case "wc.storage": // the fake has no storage of its own that could go wrong
		return Nothing{}, nil
	case "wc.restart":
		return Nothing{}, controls.Restart(ctx)
	case "wc.writeother":
		rv, err := controls.WriteOther(ctx)
		return WCOther{rv}, err
	case "wc.deletetogether":
		return Nothing{}, controls.DeleteTogether(r.Namespace, r.Names...)
	case "barrier", "wc.open":
	default:
		return nil, &Skipped{r.Op, "there is no such op"}
	}
	return Nothing{}, nil
}

// start serves over HTTP, and says where, but for what its mode says.
func (s *serving) start() (any, error) {
	for mode, body := range map[string]string{"pods": `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`, "none": "{}",
		"no-items": `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{}}`} {
		if s.mode == mode {
			lists := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(body))
			}))
			return WCStarted{Server{URL: lists.URL}}, nil
		}
	}
	at, err := rest.Serve(s.of, rest.Options{TLS: true, Token: "t0ken"})
	if err != nil {
		return nil, err
	}
	s.at = at
	said := Server{URL: at.URL(), CA: string(at.RESTConfig().CAData), Token: "t0ken"}
	switch s.mode {
	case "nowhere":
		_ = at.Close()
	case "no-address":
		said = Server{}
	case "bad-ca":
		said.CA = "garbage"
	}
	return WCStarted{said}, nil
}

// gone ends it.
func (s *serving) gone() {
	if s.at != nil {
		_ = s.at.Close()
		s.at = nil
	}
	_ = s.of.Close() // its error is always nil
}

func object(m *corev1.ConfigMap, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return WCObject{raw(m)}, nil
}

func raw(o any) json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return b
}

// Nothing that the suite asks is lost on the way to the fake in another process, and back.
func TestServer(t *testing.T) { serves(t, "server") }

// So it is where the adapter says where its server is, and that is asked over HTTP.
func TestServesHTTP(t *testing.T) { serves(t, "http") }

func serves(t *testing.T, mode string) {
	t.Parallel()
	cases := make(chan string)
	var passed atomic.Int32
	var all sync.WaitGroup
	for range 4 { // they mostly wait
		all.Go(func() {
			target, err := Open(t.Context(), command(mode))
			if !assert.NoError(t, err) {
				return
			}
			for name := range cases {
				c := target.Cases[slices.IndexFunc(target.Cases, func(c harness.Case) bool { return c.Name == name })]
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: "exec", Wall: 2 * time.Minute})
				switch r.Verdict {
				case harness.Pass:
					passed.Add(1)
				case harness.Fail:
					assert.Fail(t, c.Name, r.Reason)
				case harness.Inconclusive: // a busy machine, in real time
					t.Log(c.Name, r.Reason)
				}
			}
			_, err = target.Close()
			assert.NoError(t, err)
		})
	}
	checks := full.Part(t, watchcache.Suite.Describe().Checks, 40, 0)
	for _, c := range checks {
		cases <- c.Name
	}
	close(cases)
	all.Wait()
	assert.Greater(t, int(passed.Load()), len(checks)/5)
}
