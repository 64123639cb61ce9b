package exec

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lwtest/lwtest/conformance/store"
)

// TestMain is also the adapter: a store that is a map, and in all else as its first argument says.
func TestMain(m *testing.M) {
	if mode, ok := strings.CutPrefix(os.Args[len(os.Args)-1], "adapter="); ok {
		switch mode {
		case "server", "http", "nowhere", "no-address", "bad-ca", "pods", "none", "no-items", "stays":
			(&serving{mode: mode, open: map[int64]context.CancelFunc{}}).serve()
			return
		}
		if strings.HasPrefix(mode, "flood") || strings.HasPrefix(mode, "late") {
			(&flooding{mode: mode}).serve()
			return
		}
		if strings.HasPrefix(mode, "waits") {
			(&waiting{mode: mode, out: json.NewEncoder(os.Stdout), ends: map[string]chan struct{}{}, of: map[int64]string{}, runs: map[int64]bool{}, stopped: map[string]bool{}}).serve()
			return
		}
		if strings.HasPrefix(mode, "runtime") {
			serveRuntime(mode)
			return
		}
		if mode == "node-agent" {
			panic(runAgent(os.Args[1]))
		}
		if strings.HasPrefix(mode, "node") {
			serveNode(mode)
			return
		}
		if mode == "list-watcher" {
			(&listWatcher{out: json.NewEncoder(os.Stdout), clients: map[string]lwAsked{}, watches: map[string]*stream{}, cancel: map[int64]context.CancelFunc{}}).serve()
			return
		}
		newMini(mode).serve()
		return
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they mostly wait
		panic(err)
	}
	os.Exit(m.Run())
}

// command is the command line of the adapter.
func command(mode string) string { return fmt.Sprintf("exec '%s' 'adapter=%s'", os.Args[0], mode) }

type mini struct {
	mode   string
	now    bool // the check is the one
	out    *json.Encoder
	stores map[string]map[string]store.Object
	urls   map[string]string // of servers, by client
	begun  int               // cases
	first  string            // the first of the handles of stores
}

func newMini(mode string) *mini {
	return &mini{mode, false, json.NewEncoder(os.Stdout), map[string]map[string]store.Object{}, map[string]string{}, 0, ""}
}

type asked struct {
	ID      int64          `json:"id"`
	Op      string         `json:"op"`
	Case    string         `json:"case"`
	Smoke   []string       `json:"smoke"`
	H       string         `json:"h"`
	Server  Server         `json:"server"`
	Key     string         `json:"key"`
	Object  *store.Object  `json:"object"`
	Objects []store.Object `json:"objects"`
	Changes []store.Change `json:"changes"`
}

func (m *mini) serve() {
	s := bufio.NewScanner(os.Stdin)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var r asked
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			panic(err)
		}
		if m.misbehaves(r) || m.misshapes(r) || m.client(r) {
			continue
		}
		_, there := m.stores[r.H]
		switch ok := m.do(r); {
		case ok == nil:
			m.say(map[string]any{"id": r.ID, "skip": "there is no such op"})
		case strings.HasPrefix(r.Op, "store.") && r.Op != "store.open" && !there:
			m.say(map[string]any{"id": r.ID, "err": Failure{Msg: "there is no store " + r.H}})
		default:
			m.answer(r.ID, ok)
		}
		m.afterwards(r)
		if r.Op == "shutdown" {
			os.Exit(0)
		}
	}
	switch m.mode {
	case "end-crash":
		os.Exit(139)
	case "deaf":
		time.Sleep(time.Hour)
	case "last-words":
		fmt.Println("end of input")
	}
}

func (m *mini) answer(id int64, ok any) { m.say(map[string]any{"id": id, "ok": ok}) }

func (m *mini) say(line any) {
	if a, is := line.(map[string]any); is && m.mode == "nulls" { // as who writes all fields of a type
		for _, field := range []string{"ok", "err", "skip"} {
			if _, there := a[field]; !there {
				a[field] = nil
			}
		}
	}
	if err := m.out.Encode(line); err != nil {
		os.Exit(0)
	}
}

// misbehaves does what the mode says, on the first change of an object; true: that was the answer.
func (m *mini) misbehaves(r asked) bool {
	switch {
	case r.Op == "barrier" && m.mode == "strict" && r.Smoke != nil:
		panic("a field that I do not know")
	case r.Op == "smoke.unknown" && m.mode == "obliging":
		m.answer(r.ID, Nothing{})
		return true
	case r.Op == "hello" && m.mode == "version":
		m.answer(r.ID, HelloReply{Protocol: Version + 1})
		return true
	case r.Op == "hello" && offered(m.mode) != nil:
		m.answer(r.ID, HelloReply{Protocol: Version, Offers: offered(m.mode)})
		return true
	case r.Op == "hello" && m.mode == "refuses":
		m.say(map[string]any{"id": r.ID, "err": Failure{Msg: "not today"}})
		return true
	case r.Op == "case.begin" && m.mode == "busy" && strings.Contains(r.Case, "basic-add"):
		m.say(map[string]any{"id": r.ID, "err": Failure{Msg: "not now"}})
		return true
	case r.Op == "case.begin" && m.mode == "mute-begin" && strings.Contains(r.Case, "basic-add"), r.Op == "case.end" && m.mode == "mute-end" && m.now:
		return true
	case r.Op == "hello" && m.mode == "garbage":
		fmt.Fprintln(os.Stderr, "a word of its log")
	case r.Op == "case.begin":
		m.now = strings.Contains(r.Case, "basic-add")
	case r.Op == "store.apply" && m.now:
		return m.misapplies(r)
	}
	return false
}

// offered is what nobody can be put to; nil: all else is the mode's.
func offered(mode string) []Offer {
	return map[string][]Offer{
		"nothing": {},
		"feature": {{Kind: "store", Features: []string{"flying"}}},
		"kind":    {{Kind: "stove"}},
		"twofold": {{Kind: "store"}, {Kind: "store"}},
		"serves":  {{Kind: "store", Serves: true}},
		"holds":   {{Kind: "store", Holds: true}},
		"sorts":   {{Kind: "store", Features: []string{"queue", "log", "delta"}}},
		"updates": {{Kind: "watchcache", Features: []string{"create-on-update", "update-needs-object"}}},
		"no-sort": {{Kind: "store", Features: []string{"queue"}}},
	}[mode]
}

func (m *mini) misapplies(r asked) bool {
	switch m.mode {
	case "garbage":
		fmt.Println("Hello, world!")
	case "half":
		fmt.Printf(`{"id":%d,"ok":{`, r.ID)
		os.Exit(7)
	case "latin1":
		fmt.Printf("{\"id\":%d,\"ok\":{\"key\":\"\xfc\"}}\n", r.ID)
	case "scalar":
		fmt.Println("7")
	case "neither":
		m.say(map[string]any{"what": 1})
	case "both":
		m.say(map[string]any{"id": r.ID, "ok": Nothing{}, "err": Failure{}})
	case "empty":
		m.say(map[string]any{"id": r.ID})
	case "stray":
		m.answer(999999, Nothing{})
	case "twice":
		m.answer(r.ID, m.do(r))
		m.answer(r.ID, Nothing{})
		return true
	case "type":
		m.do(r)
		m.answer(r.ID, []string{"a list"})
		return true
	case "long":
		fmt.Println(strings.Repeat("x", 17<<20))
	case "exit":
		fmt.Fprintln(os.Stderr, "last words")
		os.Exit(7)
	case "fork":
		c := exec.Command("sleep", "1000")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Start(); err != nil {
			panic(err)
		}
		os.Exit(0)
	case "panic":
		panic("no")
	case "lacks":
		m.say(map[string]any{"id": r.ID, "skip": "not written yet"})
	case "hang":
		select {}
	case "closes":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "unasked":
		m.say(map[string]any{"ev": "of a later version", "h": "s1"})
		m.first = cmp.Or(m.first, r.H)
		m.say(map[string]any{"ev": "push", "h": m.first, "objects": []string{}})
		return false
	default:
		return false
	}
	return true
}

// do is the implementation.
func (m *mini) do(r asked) any {
	s := m.stores[r.H]
	switch r.Op {
	case "hello":
		return HelloReply{Protocol: Version, Implementation: "map", Version: "1", Offers: []Offer{{Kind: "store", Features: []string{"map"}}}}
	case "case.end":
		if m.mode != "leaks" {
			clear(m.stores)
		}
	case "crash":
		os.Exit(7)
	case "case.begin", "barrier", "cancel", "shutdown", "store.resync":
	case "store.open":
		m.stores[r.H] = map[string]store.Object{}
	case "store.apply":
		if s == nil {
			return Nothing{}
		}
		for _, c := range r.Changes {
			switch m.mode {
			case "push-items":
				m.say(map[string]any{"ev": "push", "h": r.H, "items": []int{}})
			case "push-whose":
				m.say(map[string]any{"ev": "push", "objects": []int{}})
			}
			if s[c.Object.Key()] = c.Object; c.Verb == store.Delete {
				delete(s, c.Object.Key())
			}
		}
	case "store.replace":
		clear(s)
		for _, o := range r.Objects {
			s[o.Key()] = o
		}
	case "store.get":
		if r.Object != nil {
			r.Key = r.Object.Key()
		}
		if o, ok := s[r.Key]; ok {
			return StoreObject{&o}
		}
	case "store.list":
		out := StoreObjects{[]store.Object{}}
		for _, o := range s {
			out.Objects = append(out.Objects, o)
		}
		return out
	case "store.keys":
		out := StoreNames{[]string{}}
		for k := range s {
			out.Names = append(out.Names, k)
		}
		return out
	default:
		return nil
	}
	return Nothing{}
}
