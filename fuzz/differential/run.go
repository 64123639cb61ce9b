package differential

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

var noContext = context.Background()

// Options say what Run plays.
type Options struct {
	Kubeconfig string // of a kube-apiserver that nobody else uses, see hack/kube
	Seed       uint64
	Requests   int // how many are compared at least
	Workers    int // stories at a time
	Only       string
	Progress   io.Writer
}

// Found is a difference and the shortest story that shows it.
type Found struct {
	Difference Difference
	Times      int // how often the like was met
	Story      story.Story
	Chance     bool // it was not met again when the story was played again
}

// Result is what Run has compared.
type Result struct {
	Version   string         `json:"version"` // of the real server
	Seeds     []uint64       `json:"seeds"`
	Stories   int            `json:"stories"`
	Requests  int            `json:"requests"`
	Compared  map[string]int `json:"compared"`  // by "word kind"
	Agreed    map[string]int `json:"agreed"`    // of those
	Explained map[string]int `json:"explained"` // by reason
	Chance    int            `json:"chance"`    // differences that did not come back when their story was played again
	Left      []string       `json:"left"`      // requests that differ, and nothing explains it
	Found     []*Found       `json:"-"`         // both of these
}

// newReal is the server of a kubeconfig.
func newReal(kubeconfig string) (*server, error) {
	raw, err := os.ReadFile(kubeconfig)
	if err != nil {
		return nil, err
	}
	var k struct {
		Clusters []struct{ Cluster struct{ Server string } }
		Users    []struct{ User struct{ Token string } }
	}
	if err := yaml.Unmarshal(raw, &k); err != nil || len(k.Clusters) == 0 || len(k.Users) == 0 {
		return nil, fmt.Errorf("%s is no kubeconfig with a server and a token: %w", kubeconfig, err)
	}
	return &server{url: k.Clusters[0].Cluster.Server, token: k.Users[0].User.Token, real: true, client: &http.Client{CheckRedirect: stay, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true, MaxIdleConnsPerHost: 100, // it is on loopback, and ours
	}}}, nil
}

// runner is one run.
type runner struct {
	o      Options
	real   *server
	prefix string // of namespaces

	mu     sync.Mutex
	next   int
	spaces int
	result Result
	found  map[string]*Found
	err    error
}

// Run plays random stories on the fake and on a real server until as many requests as wanted are compared.
func Run(ctx context.Context, o Options) (*Result, error) {
	real, err := newReal(o.Kubeconfig)
	if err != nil {
		return nil, err
	}
	defer real.client.CloseIdleConnections()
	r := &runner{o: o, real: real, prefix: fmt.Sprintf("d%x-%x", o.Seed, time.Now().Unix()&0xffffff), found: map[string]*Found{}}
	r.result = Result{Seeds: []uint64{o.Seed}, Compared: map[string]int{}, Agreed: map[string]int{}, Explained: map[string]int{}}
	if r.result.Version, err = real.version(); err != nil {
		return nil, err
	}
	if err := real.ready(); err != nil {
		return nil, err
	}
	var workers sync.WaitGroup
	for range max(o.Workers, 1) {
		workers.Go(func() { r.work(ctx) })
	}
	workers.Wait()
	r.result.Found = slices.SortedFunc(maps.Values(r.found), func(a, b *Found) int { return b.Times - a.Times })
	for _, f := range r.result.Found {
		if f.Chance {
			r.result.Chance += f.Times
		} else {
			r.result.Left = append(r.result.Left, fmt.Sprintf("%.1500s", f))
		}
	}
	return &r.result, r.err
}

func (v *server) version() (string, error) {
	got := v.send(noContext, http.MethodGet, "/version", nil, "")
	var about struct{ GitVersion string }
	if err := json.Unmarshal(got.body, &about); err != nil {
		return "", fmt.Errorf("/version: %d %w %w", got.code, got.err, err)
	}
	return about.GitVersion, nil
}

// ready defines the custom resources and waits until they are served.
func (v *server) ready() error {
	if err := v.define(); err != nil {
		return err
	}
	for _, name := range []string{"widgets", "gadgets"} {
		for v.send(noContext, http.MethodGet, "/apis/probe.example.com/v1/"+name, nil, "").code != http.StatusOK {
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil
}

// work plays stories until enough is compared.
func (r *runner) work(ctx context.Context) {
	for ctx.Err() == nil {
		r.mu.Lock()
		number := r.next
		r.next++
		enough := r.err != nil || r.result.Requests >= r.o.Requests
		r.mu.Unlock()
		if enough {
			return
		}
		s := drawn(r.o.Seed, number, r.o.Only)
		p, err := r.play(s.Steps)
		if first := r.note(p, err); first != nil {
			first.Story = s
			first.Story.Steps = s.Steps[:p.difference.Step+1]
			if len(p.compared) <= p.difference.Step { // a stream, which is judged last
				first.Story.Steps = s.Steps
			}
			r.shrink(first)
			r.mu.Lock()
			fmt.Fprintf(r.o.Progress, "story %d\n%s", number, first)
			r.mu.Unlock()
		}
	}
}

func (r *runner) play(steps []story.Step) (played, error) {
	r.mu.Lock()
	r.spaces++
	namespace := fmt.Sprintf("%s-%d", r.prefix, r.spaces)
	r.mu.Unlock()
	return beside(r.real, namespace, steps)
}

// note counts what was played. It returns a difference that is the first of its signature.
func (r *runner) note(p played, err error) *Found {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.err = err
		return nil
	}
	r.result.Stories++
	before := r.result.Requests
	r.result.Requests += len(p.compared)
	if every := 2000; before/every != r.result.Requests/every {
		fmt.Fprintf(r.o.Progress, "%d requests in %d stories, %d unexplained differences\n", r.result.Requests, r.result.Stories, len(r.found))
	}
	for row, n := range p.explained {
		r.result.Explained[explained[row].why] += n
	}
	for i, what := range p.compared {
		r.result.Compared[what]++
		if !p.differ[i] {
			r.result.Agreed[what]++
		}
	}
	if p.difference == nil {
		return nil
	}
	signature := p.difference.Signature()
	if f := r.found[signature]; f != nil {
		f.Times++
		return nil
	}
	r.found[signature] = &Found{Difference: *p.difference, Times: 1}
	return r.found[signature]
}

// tries is how many simpler stories are played for a difference.
const tries = 80

// shrink looks for the shortest story with the same difference.
func (r *runner) shrink(f *Found) {
	signature := f.Difference.Signature()
	fails := func(s harness.Script) bool {
		if slices.ContainsFunc(story.Of(s).Steps, func(step story.Step) bool { return step.With == nil }) {
			return false // it asks for nothing
		}
		p, err := r.play(story.Of(s).Steps)
		if err != nil || p.difference == nil || p.difference.Signature() != signature {
			return false
		}
		f.Difference = *p.difference
		return true
	}
	script := language.Script(f.Story)
	if !fails(script) {
		f.Chance = true
		return
	}
	small, _ := story.Shrink(language, script, func(tried int) bool { return tried < tries }, fails)
	f.Story = story.Of(small)
}

func (f *Found) String() string {
	var b strings.Builder
	if f.Chance {
		b.WriteString("it did not differ again:\n")
	}
	for i, step := range f.Story.Steps {
		if len(f.Story.Steps) < 8 {
			fmt.Fprintf(&b, "  %d. %s\n", i+1, language.Say(step))
		}
	}
	return b.String() + f.Difference.String()
}
