package adapter

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// refusing opens no watch, and keeps the context that it was asked with.
type refusing struct{ asked chan context.Context }

func (r refusing) Watch(ctx context.Context, _ Options) (Watch, error) {
	r.asked <- ctx
	return nil, expired
}

// The context of a watch that could not be opened ends with the answer, as nobody else would end it.
func TestWatchNotOpened(t *testing.T) {
	asked := make(chan context.Context, 1)
	k := speak(t, Adapter{ListerWatcher: ListerWatcherOffer{Open: func(ClientConfig) (any, error) { return refusing{asked}, nil }}})
	k.exchange(
		`{"id":1,"op":"lw.open","h":"c"}`, `{"id":1,"ok":{}}`,
		`{"id":2,"op":"lw.watch","h":"c","w":"w","options":{}}`, `{"id":2,"err":{"msg":"too old","status":{"code":410},"options":{}}}`,
	)
	select {
	case <-(<-asked).Done():
	case <-time.After(patience):
		t.Fatal("the context has not ended")
	}
}

// A process serves thousands of cases: of the watches of one that is over it remembers nothing.
func TestWatchesAreForgotten(t *testing.T) {
	a := Adapter{ListerWatcher: ListerWatcherOffer{Open: openClient}}
	lines := make(chan string, 1)
	s := &session{adapter: a, ops: a.ops(), out: writes(lines), running: map[int64]context.CancelFunc{}, now: newCase()}
	for _, line := range []string{`{"id":1,"op":"lw.open","h":"c"}`, `{"id":2,"op":"lw.watch","h":"c","w":"w","options":{}}`, `{"id":3,"op":"case.end"}`} {
		s.take([]byte(line))
		if got := <-lines; !strings.Contains(got, `"ok"`) {
			t.Fatalf("%s was answered with %s", line, got)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.running) > 0 {
		t.Errorf("requests are under way still: %v", s.running)
	}
}

// writes sends what is written to it.
type writes chan<- string

func (w writes) Write(b []byte) (int, error) {
	w <- string(b)
	return len(b), nil
}

// slow opens a watch when it is let, whatever its context says.
type slow struct {
	asked, let chan struct{}
	stopped    chan struct{}
}

func (s slow) Watch(ctx context.Context, _ Options) (Watch, error) {
	close(s.asked)
	<-s.let
	return &aWatch{ctx: ctx, stopped: s.stopped}, nil
}

// What opens when its case has ended is ended at once, before the end of the case is answered.
func TestOpensLate(t *testing.T) {
	c := slow{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	l := newCase()
	s := &call{Context: l.ctx, life: l, session: &session{}}
	l.keep("c", c, nil)
	l.calls.Add(1)
	go func() {
		defer l.calls.Done()
		_, _ = lwWatches(s, lwWatch{lwCall{"c", json.RawMessage(`{}`)}, "w"})
	}()
	<-c.asked
	go func() {
		for !l.hasEnded() {
			time.Sleep(time.Millisecond)
		}
		close(c.let)
	}()
	l.end()
	select {
	case <-c.stopped:
	default:
		t.Error("the watch is open still")
	}
}

func (l *life) hasEnded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}
