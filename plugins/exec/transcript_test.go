package exec

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// listWatcher is a correct adapter of a list and watch client of net/http, the one whose talk docs/protocol.md shows.
type listWatcher struct {
	mu      sync.Mutex
	out     *json.Encoder
	clients map[string]lwAsked
	watches map[string]*stream
	cancel  map[int64]context.CancelFunc
}

type stream struct {
	events chan Event
	stop   context.CancelFunc
}

type lwAsked struct {
	asked
	W         string         `json:"w"`
	Of        int64          `json:"of"`
	Namespace string         `json:"namespace"`
	Options   map[string]any `json:"options"`
}

func (a *listWatcher) serve() {
	s := bufio.NewScanner(os.Stdin)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var r lwAsked
		d := json.NewDecoder(strings.NewReader(s.Text()))
		d.UseNumber()
		if err := d.Decode(&r); err != nil {
			panic(err)
		}
		a.do(r)
	}
}

func (a *listWatcher) say(id int64, ok any, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := map[string]any{"id": id, "ok": ok}
	if err != nil {
		answer = map[string]any{"id": id, "err": err}
	}
	_ = a.out.Encode(answer)
}

func (a *listWatcher) do(r lwAsked) {
	switch r.Op {
	case "hello":
		a.say(r.ID, HelloReply{Protocol: Version, Implementation: "my-client", Version: "3.2",
			Offers: []Offer{{Kind: "listerwatcher", Features: []string{"lists", "watches", "json"}}}}, nil)
	case "lw.open":
		a.clients[r.H] = r
		a.say(r.ID, Nothing{}, nil)
	case "lw.list":
		a.list(r)
	case "lw.watch":
		ctx, cancel := context.WithCancel(context.Background())
		a.cancel[r.ID] = cancel
		go a.watch(ctx, cancel, r)
	case "lw.read":
		w := a.watches[r.W]
		go func() {
			if e, ok := <-w.events; ok {
				a.say(r.ID, ReadReply{Event: &e}, nil)
			} else {
				a.say(r.ID, ReadReply{Ended: true}, nil)
			}
		}()
	case "lw.stop":
		a.watches[r.W].stop()
		a.say(r.ID, Nothing{}, nil)
	case "cancel":
		if stop := a.cancel[r.Of]; stop != nil {
			stop()
		}
		a.say(r.ID, Nothing{}, nil)
	default: // case.begin, case.end, barrier
		a.say(r.ID, Nothing{}, nil)
	}
}

// ask sends a request with the client's options. An error is a Failure.
func (a *listWatcher) ask(ctx context.Context, r lwAsked, watch bool) (*http.Response, error) {
	query := url.Values{}
	for name, v := range r.Options {
		query.Set(name, fmt.Sprint(v))
	}
	if watch {
		query.Set("watch", "true")
	}
	c := a.clients[r.H]
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Server.URL+"/api/v1/namespaces/"+c.Namespace+"/configmaps?"+query.Encode(), nil)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Accept", "application/json")
	if c.Server.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Server.Token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, &Failure{Msg: err.Error()}
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	f := &Failure{Msg: resp.Status}
	_ = json.NewDecoder(resp.Body).Decode(&f.Status)
	return nil, f
}

func (a *listWatcher) list(r lwAsked) {
	resp, err := a.ask(context.Background(), r, false)
	if err != nil {
		a.say(r.ID, nil, err)
		return
	}
	defer resp.Body.Close()
	var l struct {
		Options  map[string]any    `json:"options"`
		Metadata json.RawMessage   `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	err = json.NewDecoder(resp.Body).Decode(&l)
	if l.Options = r.Options; err != nil {
		err = &Failure{Msg: err.Error()}
	}
	a.say(r.ID, l, err)
}

func (a *listWatcher) watch(ctx context.Context, stop context.CancelFunc, r lwAsked) {
	resp, err := a.ask(ctx, r, true)
	if err != nil {
		a.say(r.ID, nil, err)
		return
	}
	defer resp.Body.Close()
	w := &stream{make(chan Event), stop}
	defer close(w.events)
	a.watches[r.W] = w
	a.say(r.ID, map[string]any{"options": r.Options}, nil)
	for d := json.NewDecoder(resp.Body); ; {
		var e Event
		if d.Decode(&e) != nil {
			return
		}
		select {
		case w.events <- e:
		case <-ctx.Done():
			return
		}
	}
}

// What docs/protocol.md shows of a talk is what was said, but for what differs each time. LWTEST_WRITE=1 writes it anew.
func TestTranscript(t *testing.T) {
	const page, begin, end = "../../docs/protocol.md", "<!-- transcript -->\n```\n", "```\n<!-- end of transcript -->"
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, _ := strings.Cut(string(b), begin)
	shown, after, found := strings.Cut(rest, end)
	require.True(t, found, "%s has no transcript between %q and %q", page, begin, end)
	said := transcript(t, "request/verb")
	if os.Getenv("LWTEST_WRITE") != "" {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+said+end+after), 0o644))
		return
	}
	assert.Equal(t, unordered(said), unordered(shown), "LWTEST_WRITE=1 go test ./plugins/exec -run TestTranscript writes it anew")
}

// unordered are the lines of a transcript without their ids: what is asked beside something else comes in any order.
func unordered(transcript string) []string {
	lines := strings.Split(regexp.MustCompile(`"id":\d+`).ReplaceAllString(transcript, `"id":0`), "\n")
	slices.Sort(lines)
	return lines
}

// transcript is the talk with the adapter in a check, without objects and ports.
func transcript(t *testing.T, check string) string {
	t.Helper()
	t.Setenv(wireVar, "")
	file := filepath.Join(t.TempDir(), "wire.log")
	require.NoError(t, LogWire(file))
	target, err := Open(t.Context(), command("list-watcher"))
	require.NoError(t, err)
	i := slices.IndexFunc(target.Cases, func(c harness.Case) bool { return c.Name == check })
	require.GreaterOrEqual(t, i, 0)
	r, _ := harness.Run(target.Cases[i], harness.Options{TB: t, Seed: 1, RunID: "3kqz7a5c"})
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	_, err = target.Close()
	require.NoError(t, err)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	said := string(b)
	for _, of := range []struct{ what, by string }{
		{`(?m)^\S+ \d+ `, ""}, {`127\.0\.0\.1:\d+`, "127.0.0.1:PORT"}, {`"token":"[^"]*"`, `"token":"TOKEN"`},
		{`"items":\[.*\]\}\}`, `"items":[{…}]}}`}, {`"object":\{.*\}\}\}\}`, `"object":{…}}}}`},
	} {
		said = regexp.MustCompile(of.what).ReplaceAllString(said, of.by)
	}
	return said
}
