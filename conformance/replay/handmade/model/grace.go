package model

import (
	"fmt"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// What a content says of an object on a node, and of its deletion.
const (
	onNode   = " node=n"
	deleting = " " + replay.Deleting
	period   = 30 // seconds that a delete gives which asks for none
)

// marked is a content with the mark of a deletion, and so many seconds left.
func marked(body string, left int64) string {
	if left != 0 {
		body += fmt.Sprint(" grace=", left)
	}
	return body + deleting
}

// node is where an object is that is written: where it was, if it was anywhere.
func (c *writer) node(now *object) string {
	if now == nil && c.chance(0.6) || now != nil && replay.OnNode(now.ref.Body) {
		return onNode
	}
	return ""
}

// period is one that a delete asks for, nil for none.
func (c *writer) period() *int64 {
	if c.chance(0.3) {
		return nil
	}
	return new([]int64{0, 0, 0, -1, 1, 5, 10, 30, 60}[c.rnd.IntN(9)])
}

// left is what a delete leaves an object, in seconds; pending: what it has, or nothing less.
func left(body string, asked *int64) (seconds int64, pending bool) {
	has := replay.Left(body)
	switch {
	case !replay.OnNode(body), has == 0 && replay.IsDeleting(body):
		return 0, false
	case asked == nil && has == 0:
		return period, false
	case asked == nil:
		return has, true
	}
	if seconds = *asked; seconds < 0 {
		seconds = 1
	}
	return seconds, has != 0 && seconds >= has
}

// mark is what a delete does to what has finalizers, or time left, and the first step of any other where there
// are two. It says whether the object stays.
func (s *store) mark(key string, asked *int64) (stays bool) {
	now, seconds := s.live[key], int64(0)
	if s.graceful {
		var pending bool
		if seconds, pending = left(now.ref.Body, asked); pending {
			return true
		}
	}
	stays = seconds > 0 || strings.Contains(now.ref.Body, holding)
	next := *now
	if next.ref.Body = marked(replay.Unmarked(now.ref.Body), seconds); next.ref.Body != now.ref.Body && (stays || s.graceful) {
		s.put(next)
	}
	return stays
}

// ends leaves what was marked to the second step: anything may come before that.
func (o *op) ends(w *world, key string) {
	o.ending, o.applied = append(o.ending, w.store.live[key]), false
}

// second removes what was marked, where nobody else did.
func (o *op) second(w *world) {
	x := o.ending[0]
	o.ending = o.ending[1:]
	o.applied = len(o.ending) == 0
	gone := x.ref
	if w.store.live[x.ref.Key] == x {
		w.store.rev++
		w.store.remove(x.ref.Key)
		if !w.store.quiet {
			gone.RV = w.store.rv(w.store.rev)
		}
	}
	o.shows(w, gone)
}

// shows lets a delete answer with the object, as it does for kinds with grace periods; a recorder need not keep that.
func (o *op) shows(w *world, r history.Ref) {
	if w.store.graceful && o.verb == replay.Delete && w.chance(0.5) {
		o.answer = r
	}
}

// stale is the precondition of an update of what is not there: none, what it may once have been, or a uid.
func (c *writer) stale() {
	switch p := c.rnd.Float64(); {
	case p < 0.5 && !c.ByOrder:
		c.op.sent.ref.RV = c.store.rv(max(1, c.store.rev-c.rnd.IntN(20)))
	case p < 0.6:
		c.op.sent.ref.UID = "uid-0"
	}
}
