package controller

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// life is one life of the controller.
type life struct {
	Life
	num    int // from 1
	actor  string
	behind bool // its API server shows an earlier state at first
	mu     sync.Mutex
	killed bool
	heard  time.Time // of its first request
	leases map[string]lease
}

// hear notes a request of the life.
func (l *life) hear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heard.IsZero() {
		l.heard = time.Now()
	}
}

// firstHeard returns when it made its first request; zero: it has made none.
func (l *life) firstHeard() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard
}

func (l *life) dead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.killed
}

// mostLives bounds how often a controller that ends by itself is started in one run.
const mostLives = 30

// supervise starts the controller, again and again.
func (r *run) supervise() {
	defer close(r.over)
	for {
		l := r.takeOver()
		if l == nil {
			l = r.start(Start{Behind: r.behind()})
		}
		if l == nil {
			return
		}
		<-l.Done()
		if !r.ended(l) {
			return
		}
		r.t.Sleep(r.tempo.pause)
	}
}

// start begins a life; nil: it cannot, or need not.
func (r *run) start(o Start) *life {
	r.mu.Lock()
	if r.ending || r.lives == mostLives {
		r.mu.Unlock()
		return nil
	}
	r.lives++
	l := &life{num: r.lives, actor: r.actor(fmt.Sprintf("life%d", r.lives)), behind: o.Behind, leases: map[string]lease{}}
	r.mu.Unlock()
	r.t.Seen(l.actor, evStart, 0, harness.Answer{Body: o})
	p, err := r.c.Start(r.t.Context(), func(next http.Handler) http.Handler { return &front{r, l, next} }, o)
	if err != nil {
		r.t.GiveUp("the controller does not start: %v", err)
		return nil
	}
	l.Life = p
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.life == nil {
		r.life = l
	}
	return l
}

// takeOver returns the life that goes on after the one that has ended; nil: none runs.
func (r *run) takeOver() *life {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.life, r.next, r.overlapping = r.next, nil, false
	if r.life != nil { // it runs already, and so does not begin behind; nor must a later one
		if f := r.frozenFor(); f != nil {
			f.Thaw()
		}
	}
	return r.life
}

// ended records the end of a life, and reports whether another is to follow.
func (r *run) ended(l *life) bool {
	answer := harness.Answer{}
	r.mu.Lock()
	ending := r.ending
	r.mu.Unlock()
	if err := l.Err(); err != nil && !l.dead() {
		answer.Err = &history.Error{Msg: err.Error()}
		r.failed(l, err)
	}
	if said := l.Output(); said != "" {
		answer.Body = said
	}
	r.t.Seen(l.actor, evOver, 0, answer)
	return !ending
}

// kill kills a life.
func (r *run) kill(l *life) {
	l.mu.Lock()
	was := l.killed
	l.killed = true
	l.mu.Unlock()
	if !was {
		r.t.Seen(l.actor, evKill, 0, harness.Answer{})
		l.Kill()
	}
}

// stop tells a life to stop, waits until it has, and looks what is left of it.
func (r *run) stop(l *life) {
	r.t.Seen(l.actor, evStop, 0, harness.Answer{})
	l.Stop()
	select {
	case <-l.Done():
		r.left(l)
		return
	case <-time.After(r.tempo.unwinding):
	case <-r.t.Context().Done():
	}
	r.t.Seen(l.actor, evStuck, 0, harness.Answer{})
	r.kill(l)
}

// restart stops the present life. The supervisor starts the next.
func (r *run) restart() {
	if l := r.present(); l != nil {
		r.stop(l)
		r.t.Sleep(2 * r.tempo.pause)
	}
}

func (r *run) present() *life {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.life
}

// close stops the controller and ends the cluster.
func (r *run) close() {
	r.closing.Do(func() {
		r.mu.Lock()
		r.ending = true
		all := []*life{r.life, r.next}
		r.mu.Unlock()
		for _, l := range all {
			if l != nil {
				select {
				case <-l.Done():
				default:
					r.stop(l)
				}
			}
		}
		<-r.over
		if err := r.c.Close(); err != nil {
			r.t.GiveUp("the cluster: %v", err)
		}
	})
}

// wakes waits, in real time, until the controller has made a request, and reports whether the run can go on.
func (r *run) wakes() bool {
	for from := time.Now(); r.tempo.waking > 0 && r.t.Context().Err() == nil; r.t.Sleep(r.tempo.look) {
		l := r.present()
		if l != nil && !l.firstHeard().IsZero() {
			return true
		}
		r.mu.Lock()
		why := r.silent
		r.mu.Unlock()
		switch {
		case len(why) == mostSilent:
			r.t.GiveUp("the controller ends before it asks the API server anything: %s", why[mostSilent-1])
			return false
		case time.Since(from) > r.tempo.waking:
			r.t.GiveUp("the controller has asked the API server nothing for %s", r.tempo.waking)
			return false
		}
	}
	return r.t.Context().Err() == nil
}

// mostSilent is how many lives may end before they ask the API server anything.
const mostSilent = 3

// failed notes why a life has ended by itself.
func (r *run) failed(l *life, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.firstHeard().IsZero() && len(r.silent) < mostSilent {
		r.silent = append(r.silent, err)
	}
}
