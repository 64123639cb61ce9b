package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/plugins/targets"
)

// toy is the smallest subject worth a suite: a map that several clients may write.
type toy interface {
	Put(ctx context.Context, key, value string) error
	Get(ctx context.Context, key string) (*string, error)
}

// toyMap is a toy that keeps its contract, as far as lose allows.
type toyMap struct {
	mu   sync.Mutex
	m    map[string]string
	lose bool // every second write
	n    int
	slow time.Duration
}

func (t *toyMap) Put(_ context.Context, key, value string) error {
	time.Sleep(t.slow)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	if !t.lose || t.n%2 == 1 {
		t.m[key] = value
	}
	return nil
}

func (t *toyMap) Get(_ context.Context, key string) (*string, error) {
	time.Sleep(t.slow)
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.m[key]
	return &v, nil
}

const ordered harness.Feature = "ordered"

func toyRule(id string, level harness.Level, judge func(*history.History) harness.Judgement, needs ...harness.Feature) harness.Rule {
	return harness.Rule{Needs: needs, Judge: judge, Clause: harness.Clause{ID: id, Level: level, Text: "a read gives what was written last",
		Sources: []harness.Source{{Name: "the toy's manual"}}, Why: "or else the toy is broken", Classes: []string{"GET outcome=found", "GET outcome=lost"}}}
}

var (
	toyReads  = toyRule("map/reads", harness.Must, judgeToyReads)
	toyQuick  = toyRule("map/quick", harness.Should, func(h *history.History) harness.Judgement { return harness.Judgement{Tested: 1} })
	toyOrder  = toyRule("map/order", harness.Must, func(h *history.History) harness.Judgement { return harness.Judgement{Tested: 1} }, ordered)
	toyNever  = toyRule("map/never", harness.Must, func(h *history.History) harness.Judgement { return harness.Judgement{} })
	toySuite  = harness.Suite[toy]{Kind: "toy", Version: "v1", Rules: []harness.Rule{toyReads, toyQuick, toyOrder, toyNever}, Checks: toyChecks, Score: toyScore, Features: []harness.FeatureInfo{{Name: ordered, Help: "keys have an order"}}}
	toyValues = 5
)

func toyChecks() []harness.Check[toy] {
	check := func(name string, rule harness.Rule, drive func(*harness.T, toy)) harness.Check[toy] {
		return harness.Check[toy]{Info: harness.Info{Name: name, About: "Writes and reads.", Rules: []harness.Rule{rule}}, Drive: drive}
	}
	out := []harness.Check[toy]{check("map/reads", toyReads, driveToy), check("map/reads/many", toyReads, driveMany), check("map/quick", toyQuick, driveToy)}
	order := check("map/order", toyOrder, driveToy)
	order.Needs = []harness.Feature{ordered}
	alone := check("map/alone", toyReads, driveToy)
	alone.Isolation = harness.Alone
	long := check("map/long", toyReads, driveToy)
	long.Span = time.Hour
	return append(out, order, alone, long)
}

func driveToy(t *harness.T, s toy) {
	for i := range toyValues {
		put(t, s, "c1", "a", fmt.Sprint(i, t.Rand().IntN(1000), mathrand.Intn(1000)))
		get(t, s, "c1", "a")
	}
}

// driveMany runs clients concurrently. Their order depends on the scheduler.
func driveMany(t *harness.T, s toy) {
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Add(1)
		t.Go(func() {
			defer wg.Done()
			for i := range toyValues {
				key := fmt.Sprint("k", c)
				put(t, s, key, key, fmt.Sprint(i))
				t.Sleep(time.Duration(mathrand.Intn(3)) * time.Millisecond)
				get(t, s, key, key)
			}
		})
	}
	wg.Wait()
}

func put(t *harness.T, s toy, actor, key, value string) {
	ref := history.Ref{Key: key, Body: value}
	t.Do(harness.Call{Actor: actor, Kind: "PUT", Obj: ref}, func(ctx context.Context) harness.Answer {
		return toyAnswer(ref, s.Put(ctx, key, value))
	})
}

func get(t *harness.T, s toy, actor, key string) {
	t.Do(harness.Call{Actor: actor, Kind: "GET", Obj: history.Ref{Key: key}}, func(ctx context.Context) harness.Answer {
		v, err := s.Get(ctx, key)
		if err != nil {
			return toyAnswer(history.Ref{}, err)
		}
		return toyAnswer(history.Ref{Key: key, Body: *v}, nil)
	})
}

func toyAnswer(ref history.Ref, err error) harness.Answer {
	if err != nil {
		return harness.Answer{Err: &history.Error{Msg: err.Error()}}
	}
	return harness.Answer{Obj: ref}
}

func judgeToyReads(h *history.History) harness.Judgement {
	var j harness.Judgement
	last := map[string]*history.Event{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Phase != history.Return || e.Err() != nil {
			continue
		}
		switch e.Kind {
		case "PUT":
			last[e.Obj.Key] = e
		case "GET":
			j.Tested++
			if w := last[e.Obj.Key]; w != nil && w.Obj.Body != e.Obj.Body {
				j.Fail("the value "+w.Obj.Body, "the value "+e.Obj.Body, w.Num, e.Num)
			}
		}
	}
	return j
}

func toyScore(h *history.History) map[string]int {
	out := map[string]int{}
	for i := range h.Events {
		if e := &h.Events[i]; e.Phase == history.Return {
			out[e.Kind+" time="+h.Header.Time+" outcome=found"]++
		}
	}
	return out
}

// toyTargets returns connect strings for tests. Each opens a fresh toy per check.
func toyTargets() []targets.Scheme {
	return []targets.Scheme{
		toyScheme("good", nil, func(*harness.T) toy { return newToy(false) }, harness.VirtualTime),
		toyScheme("ordered", nil, func(*harness.T) toy { return newToy(false) }, harness.VirtualTime, ordered),
		toyScheme("bad", nil, func(*harness.T) toy { return newToy(true) }, harness.VirtualTime),
		toyScheme("slow", nil, func(*harness.T) toy { return &toyMap{m: map[string]string{}, slow: 20 * time.Millisecond} }),
		toyScheme("excused", []byte(`[{"check":"toy/*","rule":"map/reads","verdict":"fail","got":"^the value","reason":"it loses writes"}]`),
			func(*harness.T) toy { return newToy(true) }, harness.VirtualTime),
		toyScheme("stale", []byte(`[{"check":"toy/map/reads","rule":"map/reads","verdict":"fail","got":"^the value","reason":"it lost writes"}]`),
			func(*harness.T) toy { return newToy(false) }, harness.VirtualTime),
		{Name: "broken", Open: func(context.Context, string) (harness.Target, error) {
			return harness.Target{}, errors.New("connection refused")
		}},
		{Name: "leaving", Open: leaving},
		{Name: "logging", Arg: "FILE", Open: logging},
		{Name: "littered", Arg: "DIR", Open: littered},
		{Name: "hostile-toy", Arg: "NAME", Open: func(_ context.Context, name string) (harness.Target, error) {
			wrap, ok := hostileToys()[name]
			if !ok {
				return harness.Target{}, fmt.Errorf("no hostile toy %q: there are %s", name, strings.Join(slices.Sorted(maps.Keys(hostileToys())), ", "))
			}
			return toyTarget("hostile-toy", nil, func(t *harness.T) toy { return wrap(newToy(false)) }, harness.VirtualTime)
		}},
		{Name: "hostile-toy-live", Arg: "NAME", Open: func(_ context.Context, name string) (harness.Target, error) {
			return toyTarget("hostile-toy-live", nil, func(t *harness.T) toy { return hostileToys()[name](newToy(false)) })
		}},
	}
}

func newToy(lose bool) toy { return &toyMap{m: map[string]string{}, lose: lose} }

func toyScheme(name string, known []byte, open func(*harness.T) toy, has ...harness.Feature) targets.Scheme {
	return targets.Scheme{Name: name, Help: "a toy", Open: func(context.Context, string) (harness.Target, error) {
		return toyTarget(name, known, open, has...)
	}}
}

func toyTarget(name string, known []byte, open func(*harness.T) toy, has ...harness.Feature) (harness.Target, error) {
	t := harness.Target{Name: name, Cases: toySuite.Bind(harness.Plugin[toy]{Name: "toy " + name, Features: has,
		Open: func(t *harness.T) (toy, error) { return open(t), nil }})}
	var err error
	if known != nil {
		t.Known, err = harness.ParseKnown(name, known)
	}
	return t, err
}

// wrapped does something else on the third write.
type wrapped struct {
	toy
	n  int
	at func(ctx context.Context)
}

func (w *wrapped) Put(ctx context.Context, key, value string) error {
	w.n++
	if w.n == 3 {
		w.at(ctx)
	}
	return w.toy.Put(ctx, key, value)
}

// interrupt sends this process the signal of Ctrl-C.
func interrupt() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(os.Interrupt)
	}
}

// hostileToys has one toy of each kind. Hostile real subjects are in plugins/mutants.
func hostileToys() map[string]func(toy) toy {
	at := func(f func(context.Context)) func(toy) toy {
		return func(t toy) toy { return &wrapped{toy: t, at: f} }
	}
	return map[string]func(toy) toy{
		"panic":     at(func(context.Context) { panic("boom") }),
		"goroutine": at(func(context.Context) { go panic("boom aside"); time.Sleep(time.Second) }),
		"deadlock":  at(func(context.Context) { <-make(chan int) }),
		"mutex":     at(func(context.Context) { var mu sync.Mutex; mu.Lock(); mu.Lock() }),
		"spin": at(func(context.Context) {
			for i := 0; ; i++ {
				_ = i
			}
		}),
		"exit0":    at(func(context.Context) { os.Exit(0) }),
		"exit7":    at(func(context.Context) { fmt.Fprintln(os.Stderr, "last words"); os.Exit(7) }),
		"leak":     at(func(context.Context) { go func() { select {} }() }),
		"late":     at(func(context.Context) { time.AfterFunc(300*time.Millisecond, func() { panic("late") }) }),
		"lateexit": at(func(context.Context) { time.AfterFunc(300*time.Millisecond, func() { os.Exit(9) }) }),
		"chdir":    at(func(context.Context) { _ = os.Chdir("..") }),
		"closes":   at(func(context.Context) { closeFiles() }),
		"remove":   at(func(context.Context) { _ = os.RemoveAll("run/histories") }),
		"int":      at(func(context.Context) { interrupt(); time.Sleep(time.Second) }),
		"reply":    at(func(context.Context) { os.NewFile(4, "").WriteString(`{"n":1,"body":{}}` + "\n") }),
		"garbage":  at(func(context.Context) { os.NewFile(4, "").WriteString("garbage\n"); time.Sleep(time.Second) }),
		"noise": at(func(context.Context) {
			line := []byte(strings.Repeat("noise ", 1000) + "\n")
			for range 1 << 10 {
				os.Stderr.Write(line)
				os.Stdout.Write(line)
			}
		}),
		"fatal": at(func(context.Context) {
			debug.SetMaxStack(1 << 20)
			var deeper func(int) int
			deeper = func(i int) int { return deeper(i+1) + 1 }
			deeper(0)
		}),
	}
}
