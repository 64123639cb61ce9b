package exec

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waiting is an adapter of implementations whose watches and queues bring nothing, and whose informer knows a and b. It is
// right, but for what its mode says.
type waiting struct {
	mode string

	mu   sync.Mutex
	out  *json.Encoder
	ends map[string]chan struct{} // of what can be waited for, by handle
	of   map[int64]string         // the handle, by the request whose context it has
	runs map[int64]bool           // those of an informer

	stopped map[string]bool // the watches that were
}

type waitRequest struct {
	ID int64  `json:"id"`
	Op string `json:"op"`
	H  string `json:"h"`
	W  string `json:"w"`
	As string `json:"as"`
	Of int64  `json:"of"`
}

func (a *waiting) serve() {
	s := bufio.NewScanner(os.Stdin)
	for s.Scan() {
		var r waitRequest
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			panic(err)
		}
		a.mu.Lock()
		until := a.begins(r)
		a.mu.Unlock()
		if strings.HasSuffix(a.mode, "serial") {
			<-until
			a.answers(r)
			continue
		}
		go func() { <-until; a.answers(r) }()
	}
}

// begins does what a request asks for, and says when it is answered.
func (a *waiting) begins(r waitRequest) <-chan struct{} {
	now := make(chan struct{})
	close(now)
	switch r.Op {
	case "lw.watch", "wc.watch":
		a.opens(r.W, r.ID)
	case "lw.open", "store.open", "inf.open", "wc.open":
		a.opens(r.H, 0)
	case "inf.run":
		a.of[r.ID], a.runs[r.ID] = r.H, true
		a.tells(r.H)
		if a.mode == "waits-returns" {
			return now
		}
		return a.ends[r.H]
	case "lw.read", "wc.read":
		if a.mode == "waits-empty" || a.mode == "waits-ended" || brought(r) {
			return now
		}
		return a.ends[r.W]
	case "queue.pop":
		return a.ends[r.H]
	case "lw.stop", "wc.stop":
		if a.mode != "waits-unstopped" {
			a.end(r.W)
		}
	case "queue.close":
		if a.mode != "waits-unclosed" {
			a.end(r.H)
		}
	case "cancel":
		if a.mode != map[bool]string{false: "waits-uncancelled", true: "waits-runs-on"}[a.runs[r.Of]] {
			a.end(a.of[r.Of])
		}
	case "inf.handle":
		a.ends[r.H+" handler"] = nil
		a.of[-1] = r.As
	case "case.end":
		clear(a.ends)
	case "crash":
		os.Exit(7)
	}
	return now
}

func (a *waiting) opens(h string, id int64) {
	a.ends[h] = make(chan struct{})
	a.of[id] = h
}

func (a *waiting) end(h string) {
	if c := a.ends[h]; c != nil {
		close(c)
		a.ends[h] = nil
	}
}

func (a *waiting) tells(h string) {
	if _, ok := a.ends[h+" handler"]; !ok {
		return
	}
	ev := "notice"
	for i, verb := range []string{"ADD", "ADD", "UPDATE", "DELETE"} {
		n := InformerNotice{As: a.of[-1], Seq: int64(i + 1), Type: verb, Object: json.RawMessage(`{"metadata":{"name":"a"}}`)}
		switch a.mode {
		case "waits-ones":
			n.Seq = 1
		case "waits-astray":
			n.As = "another"
		case "waits-misspelt":
			ev = "notices"
		case "waits-whose":
			h = ""
		case "waits-whose-delete":
			h = map[bool]string{false: h, true: h + "x"}[verb == "DELETE"]
		case "waits-no-delete":
			ev = map[bool]string{false: "notice", true: "notices"}[verb == "DELETE"]
		}
		_ = a.out.Encode(struct {
			Ev string `json:"ev"`
			H  string `json:"h"`
			InformerNotice
		}{ev, h, n})
	}
}

func (a *waiting) answers(r waitRequest) {
	a.mu.Lock()
	defer a.mu.Unlock()
	line := map[string]any{"id": r.ID}
	_, there := a.ends[r.H]
	switch {
	case r.Op == "hello" && a.mode == "waits-serial":
		line["ok"] = HelloReply{Protocol: Version, Implementation: "waits", Offers: []Offer{{Kind: "listerwatcher", Features: []string{"watches"}}}}
	case r.Op == "hello":
		line["ok"] = HelloReply{Protocol: Version, Implementation: "waits", Offers: []Offer{
			{Kind: "listerwatcher", Features: []string{"watches"}}, {Kind: "informer", Features: []string{"handlers"}},
			{Kind: "store", Features: []string{"queue", "delta"}}, {Kind: "watchcache"}}}
	case strings.HasSuffix(r.Op, ".read") && a.mode == "waits-empty":
		line["ok"] = map[string]bool{"ended": false}
	case strings.HasSuffix(r.Op, ".read") && brought(r):
		line["ok"] = a.event(r.Op)
	case strings.HasSuffix(r.Op, ".stop") && a.mode == "waits-stops-once":
		if a.stopped[r.W] {
			line["err"] = Failure{Msg: "it was stopped"}
		} else {
			line["ok"] = Nothing{}
		}
		a.stopped[r.W] = true
	case r.Op == "smoke.unknown":
		line["skip"] = "no such op"
	case r.Op == "queue.pop", !there && r.H != "" && !strings.HasSuffix(r.Op, ".open"), r.Op == "lw.list":
		line["err"] = Failure{Msg: "no"}
	default:
		line["ok"] = waitAnswer(r.Op)
	}
	_ = a.out.Encode(line)
	if r.Op == "shutdown" {
		os.Exit(0)
	}
}

// brought says that a read is of the watch that brings one event.
func brought(r waitRequest) bool { return r.W == "smoke20" }

// event is the answer with it.
func (a *waiting) event(op string) any {
	e := map[string]any{"type": "ADDED", "object": Nothing{}}
	switch a.mode + " " + op {
	case "waits-no-object lw.read":
		delete(e, "object")
	case "waits-no-type wc.read":
		delete(e, "type")
	}
	return map[string]any{"event": e}
}

func waitAnswer(op string) any {
	switch op {
	case "lw.read", "wc.read":
		return ReadReply{Ended: true}
	case "lw.watch":
		return LWCalled{}
	case "inf.list":
		return InformerObjects{Objects: []json.RawMessage{}}
	case "wc.list":
		return map[string]any{"metadata": Nothing{}, "items": []Nothing{}}
	case "wc.create", "wc.get":
		return WCObject{json.RawMessage("{}")}
	case "queue.synced", "inf.handled":
		return InformerSynced{}
	}
	return Nothing{}
}

// What waits is waited for one by one, or does not end, or notices are told of wrongly: the step for that fails.
func TestSmokeWaits(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]map[string]string{
		"waits":              {},
		"waits-serial":       {"waits": "listerwatcher: while lw.read waits, it holds up other requests: barrier: "},
		"waits-unstopped":    {"waits": "unsure: listerwatcher: lw.read is not answered after lw.stop: "},
		"waits-uncancelled":  {"waits": "unsure: listerwatcher: lw.read is not answered after cancel: "},
		"waits-unclosed":     {"waits": "unsure: store: queue.pop is not answered after queue.close: "},
		"waits-empty":        {"waits": `it needs one of "event", "ended"`},
		"waits-ended":        {"waits": `unsure: listerwatcher: lw.read was answered with {"ended":true} before there was anything to say, and before lw.stop: `},
		"waits-no-object":    {"waits": `listerwatcher: the answer to lw.read does not match docs/protocol.md (under ok in "event" the field "object" is missing, an object): {"id":`},
		"waits-no-type":      {"waits": `watchcache: the answer to wc.read does not match docs/protocol.md (under ok in "event" the field "type" is missing, a string): {"id":`},
		"waits-stops-once":   {"waits": "listerwatcher: a watch may be stopped twice: lw.stop: it was stopped"},
		"waits-returns":      {"notices": "unsure: informer: inf.run was answered before it was cancelled: "},
		"waits-runs-on":      {"open": "unsure: informer: inf.run is not answered after cancel: ", "notices": "unsure: informer: inf.run is not answered after cancel: "},
		"waits-ones":         {"notices": "a notice for the handler smoke18 has seq 1 instead of 2"},
		"waits-misspelt":     {"notices": "unsure: informer: a handler was told of 0 of two objects, a change and a deletion in 2s: "},
		"waits-no-delete":    {"notices": "unsure: informer: a handler was told of 3 of two objects, a change and a deletion in 2s: "},
		"waits-whose-delete": {"notices": `an event notice for the handle "smoke17x", which was never opened`},
		"waits-whose":        {"notices": `an event notice for the handle "", which was never opened`},
		"waits-astray":       {"notices": "a notice for the handler another, which was never added"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			wrong := smokes(t, mode)
			assert.Len(t, wrong, len(want), "%v", wrong)
			for name, got := range want {
				assert.Contains(t, wrong[name], got)
			}
		})
	}
}

// The server of these steps reads a watch as kube-apiserver does, in whatever case.
func TestSmokeServerReadsWatches(t *testing.T) {
	t.Parallel()
	plain, err := newPlain("an event")
	require.NoError(t, err)
	defer plain.Close()
	for query, watch := range map[string]bool{"watch=True": true, "watch=TRUE": true, "watch=true": true, "watch=t": true, "watch=1": true, "watch=": true,
		"": false, "watch=0": false, "watch=false": false, "watch=False": false} {
		res, err := http.Get("http://" + plain.Addr + "/api/v1/configmaps?" + query)
		require.NoError(t, err)
		first := make([]byte, 8)
		_, err = io.ReadFull(res.Body, first)
		require.NoError(t, err)
		assert.Equal(t, watch, string(first) == "an event", query)
		_ = res.Body.Close()
	}
}
