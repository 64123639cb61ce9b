package informer

import (
	"context"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
)

// deafMutants do not look at the stop while they wait for something, each of them at one thing alone.
var deafMutants = []variant{
	{"forbidden-list-slept-out", "stop/prompt", "the pause after a list that was refused with 403 is slept out", lists, sleepingOut(of(aList, coded(403)))},
	{"expired-list-slept-out", "stop/prompt", "so is that after a list that was refused with 410", lists, sleepingOut(of(aList, coded(410)))},
	{"cut-list-slept-out", "stop/prompt", "so is that after a list that was cut", wiredLists,
		sleepingOut(func(what string, err error) bool {
			return what == aList && err != nil && unanswered(what, err) && !utilnet.IsConnectionRefused(err)
		})},
	{"page-slept-out", "stop/prompt", "so is that after a further page that was refused", lists, func(i *informer) {
		paged := false
		i.breaks = func(_ []object, _ page, err error) error { paged = true; return err }
		sleepingOut(func(string, error) bool {
			was := paged
			paged = false
			return was
		})(i)
	}},
	{"refused-watch-slept-out", "stop/prompt", "so is that after a watch that was refused with 504", lists, sleepingOut(of(aWatch, refused(504)))},
	{"away-watch-slept-out", "stop/prompt", "so is that after a watch whose connection was refused, which is asked for again", lists, each(failing(of(aWatch, isAway), watchAgain), sleepingOut(of(aWatch, isAway)))},
	{"short-slept-out", "stop/prompt", "so is that after a watch that ends at once", lists, sleepingOut(isShort)},
	{"error-slept-out", "stop/prompt", "so is that after a watch that ended with an ERROR of 500", lists, sleepingOut(of(aWatch, all(coded(500), isInStream)))},
	{"watch-ignores-stop", "stop/prompt", "the answer to a watch is waited for, for an hour, though it is stopped", lists, onServerWatch(func(i *informer, ctx context.Context, o options, right watchFunc) (watch.Interface, error) {
		long, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Hour)
		w, err := right(long, o)
		if err != nil {
			cancel()
			return nil, err
		}
		context.AfterFunc(ctx, cancel)
		return w, nil
	})},
	{"page-busy-hangs", "resume/errors", "a further page that was refused with 503 is the last that is asked for", lists, func(i *informer) {
		i.breaks = func(_ []object, _ page, err error) error { return i.hangs(err, coded(503)(aPage, err)) }
	}},
	{"page-expired-hangs", "resume/errors", "so is the second in a row that was refused with 410", lists, func(i *informer) {
		row := 0
		i.paged = func(_ []object, p page) {
			if p.token == "" {
				row = 0
			}
		}
		i.breaks = func(_ []object, _ page, err error) error {
			row++
			return i.hangs(err, row == 2 && expired(err))
		}
	}},
	{"fabric8-client-217", "converge/equal", "with the first of two informers that is stopped the other ends its watch, and asks for nothing more", lists, (&siblings{running: map[*informer]bool{}}).join},
	{"micronaut-kubernetes-391", "converge/equal", "an informer that begins while another of its namespace runs lists, and never watches", lists, (&siblings{running: map[*informer]bool{}}).second},
	{"resync-ignores-stop", "stop/prompt", "three seconds are slept before handlers are told of everything again", lists, onResyncs(func(i *informer, h *handler, right func(*handler)) {
		i.mu.Unlock()
		time.Sleep(3 * time.Second)
		i.mu.Lock()
		right(h)
	})},
}

// siblings are informers that share what they ask with.
type siblings struct {
	mu      sync.Mutex
	running map[*informer]bool
	open    []watch.Interface
	closed  bool
}

func (s *siblings) join(i *informer) {
	right, ask, ends := i.server.watch, i.ask, i.ends
	i.server.watch = func(ctx context.Context, o options) (watch.Interface, error) {
		w, err := right(ctx, o)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running[i] = true; err == nil {
			s.open = append(s.open, w)
		}
		return w, err
	}
	i.ask = func(ctx context.Context, what string) error {
		s.mu.Lock()
		closed := s.closed
		s.mu.Unlock()
		if closed {
			<-ctx.Done()
		}
		return ask(ctx, what)
	}
	i.ends = func() { s.leave(i); ends() }
}

// second has watches only where no other of the namespace was there before.
func (s *siblings) second(i *informer) {
	ask, ends := i.ask, i.ends
	i.ask = func(ctx context.Context, what string) error {
		s.mu.Lock()
		later := false
		for o := range s.running {
			later = later || o != i && s.running[o] && o.config.Namespace == i.config.Namespace
		}
		s.running[i] = !later // it is the one that watches
		s.mu.Unlock()
		if later && what == aWatch {
			<-ctx.Done()
		}
		return ask(ctx, what)
	}
	i.ends = func() { s.forget(i); ends() }
}

func (s *siblings) forget(i *informer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, i)
}

// leave closes all; what begins when nobody is left is not concerned.
func (s *siblings) leave(i *informer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, i)
	for _, w := range s.open {
		w.Stop()
	}
	if s.open, s.closed = nil, true; len(s.running) == 0 {
		s.closed = false
	}
}

// hangs gives an error, where it is such a one when the informer is stopped.
func (i *informer) hangs(err error, such bool) error {
	if such {
		<-i.ctx.Done()
	}
	return err
}
