package runner

import (
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/sim"
)

// died makes a result from what a worker left that ended during a check: the events up to then, and how the worker
// ended. The error says why the history could not be saved.
func (r Runner) died(it Item, d *sim.Death) (res harness.Result, kept bool, err error) {
	h, err := readLog(r.log(it))
	switch {
	case err != nil: // it died before the check began: the subject got no request
		res := r.undriven(it, "the worker ended before the check began: "+d.How)
		res.Stack = d.Log
		return res, false, nil
	case !h.Truncated && (d.Late || strings.HasPrefix(crashText(d), "fatal error: ")):
		// A judge hung or overflowed the stack. Judging here would do the same to this process.
		res := r.undriven(it, "all was recorded, but the worker ended while it was judged: "+d.How)
		res.Stack = d.Log
		return res, true, save(h, r.file(it))
	}
	events := append(h.Events[:len(h.Events):len(h.Events)], lastEvent(h, d))
	if h, err = history.New(h.Header, events); err != nil {
		return r.undriven(it, "the history that a dead worker left cannot be used: "+err.Error()), false, nil
	}
	res = r.judge(it, h, d)
	if !keeps(r.Settings.Keep, r.Known, res) {
		return res, false, nil
	}
	return res, true, save(h, r.file(it))
}

// judgingMax bounds the time of judging in this process. In a worker its time limit does.
const judgingMax = 30 * time.Second

func (r Runner) judge(it Item, h *history.History, d *sim.Death) harness.Result {
	judged := make(chan harness.Result, 1)
	end := sim.Live(judgingMax, func() { judged <- it.Case.Kind.Judge(it.Case.Info, h) })
	if end.How != sim.Done {
		return r.undriven(it, "a judge did not come to an end: "+end.Msg)
	}
	res := <-judged
	if res.Stack == "" {
		res.Stack = d.String()
	}
	return res
}

// lastEvent returns the event that says how the process ended: the subject crashed, or lwtest gave it up. After a
// crash the event belongs to the last request without an answer.
func lastEvent(h *history.History, d *sim.Death) history.Event {
	e := history.Event{Actor: history.Engine, Kind: history.GaveUp}
	msg := d.String()
	if !d.External {
		e.Kind, msg = history.Exited, "the process of the subject ended: "+msg
		if text := crashText(d); text != "" {
			e.Kind, msg = history.Panic, text
		}
		e.Call = lastOpen(h)
	}
	e.X = &history.Ext{Err: &history.Error{Msg: msg}}
	if n := len(h.Events); n > 0 {
		e.At = h.Events[n-1].At
	}
	return e
}

// crashText returns Go's own message about why it ended the process, or "" if it did not.
func crashText(d *sim.Death) string {
	if d.External || d.How != "exit status 2" {
		return ""
	}
	return panicText(d.Log)
}

// panicText returns the part of a log that begins with the message of a crash, or "".
func panicText(log string) string {
	at := -1
	for _, mark := range []string{"panic: ", "fatal error: "} {
		if strings.HasPrefix(log, mark) {
			return log
		}
		if i := strings.LastIndex(log, "\n"+mark); i >= 0 && (at < 0 || i+1 < at) {
			at = i + 1
		}
	}
	if at < 0 {
		return ""
	}
	return log[at:]
}

// lastOpen returns the number of the last call without a return, or 0.
func lastOpen(h *history.History) int32 {
	returned := map[int32]bool{}
	for i := len(h.Events) - 1; i >= 0; i-- {
		switch e := &h.Events[i]; {
		case e.Phase == history.Return:
			returned[e.Call] = true
		case e.Phase == history.Call && !returned[e.Num]:
			return e.Num
		}
	}
	return 0
}
