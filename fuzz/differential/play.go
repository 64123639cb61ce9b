package differential

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/harness/story"
)

// newFake starts a fake as near to the real server as its options allow. close must be called.
func newFake() (v *server, close func(), err error) {
	api := apiserver.New(apiserver.Options{Namespaces: true, Types: schemas.Types, NoShards: true, FirstRevision: 1000, CompactEvery: -1})
	h, err := rest.ServePipe(api, rest.Options{})
	if err != nil {
		api.Close()
		return nil, nil, err
	}
	client := &http.Client{CheckRedirect: stay, Transport: &http.Transport{DialContext: h.RESTConfig().Dial, DisableCompression: true}}
	v = &server{client: client, url: h.URL()}
	return v, func() {
		client.CloseIdleConnections()
		h.Close()
		api.Close()
	}, v.define()
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// define makes the custom resources, unless they are there.
func (v *server) define() error {
	for _, d := range definitions {
		got := v.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", d)
		if got.code != http.StatusCreated && got.code != http.StatusConflict {
			return fmt.Errorf("a CustomResourceDefinition: %d %s %w", got.code, got.body, got.err)
		}
	}
	return nil
}

func (v *server) post(at, body string) *answer {
	return v.send(noContext, http.MethodPost, at, http.Header{"Content-Type": {"application/json"}}, body)
}

// namespace makes one, and returns a session in it.
func (v *server) namespace(name string) (*session, error) {
	got := v.post("/api/v1/namespaces", `{"metadata":{"name":"`+name+`"}}`)
	if got.code != http.StatusCreated {
		return nil, fmt.Errorf("a namespace: %d %s %w", got.code, got.body, got.err)
	}
	var made struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(got.body, &made); err != nil {
		return nil, err
	}
	s := newSession(v, name)
	s.began = made.Metadata.ResourceVersion
	return s, nil
}

// played is what came of a story.
type played struct {
	compared   []string     // "word kind" of each request that was compared
	differ     map[int]bool // those of them that differ, explained or not
	difference *Difference
	explained  map[int]int // rows of explained, and how many requests they explain
}

// beside plays a story on a new fake and on the real server, until a request differs.
func beside(real *server, namespace string, steps []story.Step) (p played, err error) {
	fake, end, err := newFake()
	if err != nil {
		return p, err
	}
	defer end()
	f, err := fake.namespace(namespace)
	if err != nil {
		return p, err
	}
	defer f.close()
	r, err := real.namespace(namespace)
	if err != nil {
		return p, err
	}
	defer real.clean(namespace, steps)
	defer r.close()
	p.explained, p.differ = map[int]int{}, map[int]bool{}
	for i, step := range steps {
		var asking sync.WaitGroup
		asking.Go(func() { _ = language.Do(r, step) })
		_ = language.Do(f, step)
		asking.Wait()
		if !f.answers[i].stream && !r.answers[i].stream || f.answers[i].stream != r.answers[i].stream {
			if p.judge(i, step, r, f) {
				return p, nil
			}
		}
	}
	for i, step := range steps {
		if f.answers[i].stream && r.answers[i].stream {
			waitEqual(r.answers[i], f.answers[i])
			if p.judge(i, step, r, f) {
				break
			}
		}
	}
	return p, nil
}

// judge compares the answers to a request, and reports whether the story ends there.
func (p *played) judge(i int, step story.Step, real, fake *session) (ends bool) {
	a := step.With.(Ask)
	d := Difference{Word: step.Op, Kind: a.Kind, Request: language.Say(step), Step: i}
	rows, left := explainAll(d.Request, gaps("", real.normal(real.answers[i]), fake.normal(fake.answers[i])))
	d.Gaps = left
	for row := range rows {
		p.explained[row]++
		ends = ends || explained[row].ends
	}
	p.differ[len(p.compared)] = len(rows) > 0 || len(d.Gaps) > 0
	p.compared = append(p.compared, step.Op+" "+a.Kind)
	if len(d.Gaps) > 0 {
		p.difference = &d
	}
	return ends || len(d.Gaps) > 0
}

// waitEqual waits until two streams have had as many events, or a second has passed.
func waitEqual(a, b *answer) {
	for range 50 {
		x, quietX := a.sofar()
		y, quietY := b.sofar()
		if events(a, x) == events(b, y) && min(quietX, quietY) > 20*time.Millisecond {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func events(a *answer, body []byte) (n int) {
	if strings.HasPrefix(a.headers.Get("Content-Type"), "application/vnd.kubernetes.protobuf") {
		body = readable(body)
	}
	for line := range strings.Lines(string(body)) {
		if !strings.HasPrefix(line, `{"type":"BOOKMARK"`) || strings.Contains(line, `"k8s.io/initial-events-end"`) {
			n++
		}
	}
	return n
}

// clean deletes from the real server what other stories would run out of, or list.
func (v *server) clean(namespace string, steps []story.Step) {
	used := map[string]bool{}
	for _, step := range steps {
		used[step.With.(Ask).Kind] = true
	}
	remove := func(at string) { v.send(noContext, http.MethodDelete, at, nil, "") }
	if used["services"] {
		remove("/api/v1/namespaces/" + namespace + "/services")
	}
	for _, k := range kinds {
		if used[k.Name] && k.Cluster && !k.Fixed {
			remove(k.path() + "?labelSelector=" + escaped("story="+namespace))
		}
	}
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
