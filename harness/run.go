package harness

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/sim"
)

// Options are the options of one run of a case.
type Options struct {
	TB       *testing.T // needed in virtual time; sim.Inside has one for binaries
	RealTime bool       // run in real time even if the plugin declares VirtualTime
	Seed     int64      // seed of the choices: same seed, same choices
	RunID    string     // names the run on shared servers; may be empty
	Target   string     // connect string, for the header
	Wall     time.Duration
	Span     time.Duration // longest span that runs in real time; 0: 30 s
	Log      io.Writer     // gets each event at once, for history.ReadLog; nil: no log
}

const (
	defaultSpan  = 20 * time.Second
	defaultGrace = 10 * time.Minute
	settling     = 3 * time.Second // for goroutines that are about to end
	// DefaultWall is the process's own time that a bubble may take (see sim.Bubble) beyond a share of its span, and the real time that a case
	// in real time may take beyond its span. A larger wall gives the drive more time too, for a server that is slow or far away.
	DefaultWall = 30 * time.Second
	// DefaultLongest is the longest span that runs in real time by default.
	DefaultLongest = 30 * time.Second
)

// Virtual reports whether a case runs in virtual time under these options.
func (o Options) Virtual(c Case) bool {
	return !o.RealTime && slices.Contains(c.Has, VirtualTime)
}

// busy is the share of its real time for which a long case is expected to use the processor.
const busy = 10

// Limit returns the real time that a case may take under these options; in virtual time, the process's own time.
func (o Options) Limit(c Case) time.Duration {
	wall := cmp.Or(o.Wall, DefaultWall)
	span, _ := c.span()
	switch {
	case !o.Virtual(c):
		wall += span
	case o.Wall == 0: // what takes many minutes does much
		wall += span / busy
	}
	return wall
}

// span returns how long the drive may take in real time. by is the declared feature that makes it longer than usual,
// or empty.
func (c Case) span() (d time.Duration, by Feature) {
	if d = c.Span; d == 0 {
		d = cmp.Or(c.Kind.Span, defaultSpan)
	}
	for _, f := range c.Has {
		if c.Spans[f] > d {
			d, by = c.Spans[f], f
		}
	}
	return d, by
}

// Run drives a case once, in a bubble or in real time, and judges its history. It never panics and returns within the
// case's limit. The history is nil if the case was not driven.
func Run(c Case, o Options) (Result, *history.History) {
	res := c.result(o)
	if why := c.whySkipped(o); why != "" {
		res.Verdict, res.Reason = Skip, why
		return res, nil
	}
	if o.Virtual(c) && o.TB == nil {
		res.Verdict, res.Reason = Inconclusive, "virtual time needs a testing.T: set Options.TB"
		return res, nil
	}
	rec := &recorder{limit: maxEvents}
	head := c.Header(o)
	if o.Log != nil {
		log, err := history.NewLog(o.Log, head)
		if err != nil {
			res.Verdict, res.Reason = Inconclusive, "the history could not be written: "+err.Error()
			return res, nil
		}
		rec.log = log
	}
	began := time.Now()
	end := c.runDrive(rec, o)
	rec.freeze()
	res.Elapsed = time.Since(began)
	engineEvents(rec, end)
	h, err := rec.finish(head)
	if err != nil {
		res.Verdict, res.Reason = Inconclusive, err.Error()
		return res, nil
	}
	res.judge(c, h)
	res.idleSteps(h)
	if end.How == sim.Hang || end.How == sim.Leak || end.How == sim.Deadlock {
		res.damaged = true
	}
	return res, h
}

// idleSteps adds to a result which steps did nothing, and why: notes (see T.Step), and if it is inconclusive all skipped steps of its story.
func (r *Result) idleSteps(h *history.History) {
	for _, s := range h.Steps {
		switch {
		case s.Skipped == "":
		case s.Num == 0:
			r.Idle = append(r.Idle, fmt.Sprintf("%s did nothing: %s", s.Text, s.Skipped))
		case r.Verdict == Inconclusive:
			r.Idle = append(r.Idle, fmt.Sprintf("step %d (%s) did not apply: %s", s.Num, s.Text, s.Skipped))
		}
	}
}

// whySkipped returns why the case is not driven at all, or "" if it is.
func (c Case) whySkipped(o Options) string {
	if why := cmp.Or(skipReason(c.Needs, c.Has), missingAll(c.Either, c.Has), ruledOut(c.Unless, c.Has)); why != "" {
		return why
	}
	longest := o.Span
	if longest == 0 {
		longest = DefaultLongest
	}
	span, by := c.span()
	if o.Virtual(c) || span <= max(longest, c.Kind.Span) {
		return ""
	}
	with := ""
	if by != "" {
		with = fmt.Sprintf(" with the feature %s", by)
	}
	return fmt.Sprintf("takes %s of real time%s, longer than --span %s (LWTEST_SPAN under go test)", span, with, longest)
}

// Header returns the header of this case's history.
func (c Case) Header(o Options) history.Header {
	h := history.Header{Format: history.Format, Kind: c.Kind.Name, Check: c.Address(), Target: o.Target,
		Plugin: c.Plugin, Time: history.RealTime, Seed: o.Seed, Contract: c.Kind.Version,
		Features: []string{}} // not null: the plugin declares no feature
	for _, f := range c.Has {
		h.Features = append(h.Features, string(f))
	}
	if o.Virtual(c) {
		h.Time = history.VirtualTime
	}
	if c.Script != nil {
		h.Story, _ = c.Script.JSON() // the tests of a vocabulary show that this cannot fail
	}
	return h
}

// runDrive runs the drive under its watchdog.
func (c Case) runDrive(rec *recorder, o Options) sim.Ending {
	body := func(tb *testing.T) {
		t := c.newT(rec, o)
		t.tb = tb
		defer t.cancel()
		t.run(c.drive)
		if t.virtual {
			time.Sleep(settling) // sim.LiveWhole gives the same in real time
		}
	}
	switch {
	case o.Virtual(c):
		return sim.Bubble(o.TB, o.Limit(c), body)
	case slices.Contains(c.Has, VirtualTime): // the subject is in this process and must leave nothing behind
		return sim.LiveWhole(o.Limit(c), settling, func() { body(o.TB) })
	}
	// A goroutine left behind here may hold a connection to a server elsewhere that a client keeps for the next check, as
	// in a controller. Without VirtualTime the engine does not know where the subject is.
	return sim.Live(o.Limit(c), func() { body(o.TB) })
}

func (c Case) newT(rec *recorder, o Options) *T {
	t := &T{rec: rec, virtual: o.Virtual(c), grace: c.Grace, has: c.Has, seed: o.Seed}
	if t.grace == 0 {
		t.grace = defaultGrace
	}
	t.rand = rand.New(rand.NewPCG(uint64(o.Seed), 0))
	t.id = strings.Trim(o.RunID+"-"+strings.NewReplacer("/", "-", ".", "-").Replace(c.Name), "-")
	t.waiting = make(chan struct{}, 1) // belongs to the bubble
	span, _ := c.span()
	t.limit = span + max(0, o.Wall-DefaultWall) // a longer wall gives the drive more time, too
	t.more = fmt.Sprintf("; for a server that is slow, or far away: `--timeout %s` gives it %s more", max(o.Wall, DefaultWall)+span, span)
	if t.virtual {
		t.limit, t.more = max(24*time.Hour, 500*span), "" // only the watchdog's real time counts
	}
	if t.virtual {
		t.ctx, t.cancel = context.WithTimeout(context.Background(), t.limit)
	} else {
		t.pace.most = cmp.Or(o.Wall, DefaultWall) / 2 // the watchdog waits no longer than the wall, and cleanups take time
		t.ctx, t.cancel = withPace(&t.pace, t.limit)
	}
	rec.start, rec.full = time.Now(), t.cancel
	return t
}

// engineEvents records how the case ended, unless it ended well.
func engineEvents(rec *recorder, end sim.Ending) {
	kind := history.GaveUp
	switch end.How {
	case sim.Done:
		return
	case sim.Leak:
		kind = history.Left
	}
	rec.add(history.Event{Actor: history.Engine, Kind: kind, X: &history.Ext{Err: &history.Error{Msg: string(end.How) + ": " + end.Msg}}})
}
