package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

var logFormat = harness.Rule{
	Clause: harness.Clause{
		ID:      "log/format",
		Level:   harness.Must,
		Text:    "Each entry of a log has a time, the stream, F or P and a text, with blanks between them. P means that the line goes on in the next entry of its stream. The log of a container that has ended has all that it printed.",
		Sources: []harness.Source{inClient("logs/logs.go#parseCRILog"), api("ContainerConfig")},
		Why:     "`kubectl logs` shows an error, or less than the container has printed.",
		Advice:  "Write `TIME STREAM TAG TEXT` (time in RFC 3339 with nanoseconds; tag P if the line goes on, else F), and flush both streams before you save EXITED.",
		Classes: []string{"LOG OK"},
	},
	Needs: []harness.Feature{Logs},
	Judge: judgeLogFormat,
}

var logReopen = harness.Rule{
	Clause: harness.Clause{
		ID:      "log/reopen",
		Level:   harness.Must,
		Text:    "Once the log of a container that runs was renamed and ReopenContainerLog has succeeded, there is a new file, and what is printed from then on goes there. No line is lost. If the call fails, no file is made.",
		Sources: []harness.Source{api("RuntimeService.ReopenContainerLog"), inKubelet("logs/container_log_manager.go#containerLogManager.rotateLatestLog")},
		Why:     "A kubelet rotates logs in this way: the disk fills, or lines are lost.",
		Advice:  "Check that the container runs, open the new file, switch the writer to it between two lines and close the old one, all before ReopenContainerLog returns.",
		Classes: []string{"ReopenContainerLog OK", "LOG OK"},
	},
	Needs: []harness.Feature{Logs},
	Judge: judgeLogReopen,
}

// evLog is the kind of the event that says what a log has.
const evLog = "LOG"

// logText is what a log has.
type logText struct {
	Rotated []string `json:"rotated,omitempty"` // the lines of the file that was renamed
	Lines   []string `json:"lines,omitempty"`
	There   bool     `json:"there,omitempty"` // there is a file of its name
}

// logPath is the path of a container's log; empty: it has none.
func (c *container) logPath() string {
	if c.config.GetLogPath() == "" || c.pod.config.GetLogDirectory() == "" {
		return ""
	}
	return filepath.Join(c.pod.config.GetLogDirectory(), c.config.GetLogPath())
}

func stepLog(w *world, s story.Step) error {
	c := w.containerOf(s.Obj)
	if c.logPath() == "" {
		return story.SkipStep("%s has no log", s.Obj)
	}
	w.t.Do(harness.Call{Actor: cmp.Or(s.Actor, "c1"), Kind: evLog, Obj: history.Ref{Key: s.Obj, UID: c.id}}, func(context.Context) harness.Answer {
		rotated, _ := os.ReadFile(w.here(c.logPath() + ".1"))
		b, err := os.ReadFile(w.here(c.logPath()))
		return harness.Answer{Body: logText{linesOf(rotated), linesOf(b), err == nil}}
	})
	return nil
}

func linesOf(b []byte) []string {
	text := strings.TrimSuffix(string(b), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func stepRotate(w *world, s story.Step) error {
	c := w.containerOf(s.Obj)
	if _, err := os.Stat(w.here(c.logPath() + ".1")); c.logPath() == "" || err == nil {
		return story.SkipStep("%s has no log, or was rotated", s.Obj)
	}
	if err := os.Rename(w.here(c.logPath()), w.here(c.logPath()+".1")); err != nil {
		return story.SkipStep("%s has no log yet", s.Obj)
	}
	_, _ = call(w, s, "ReopenContainerLog", s.Obj, c.id, w.rt.ReopenContainerLog, &runtimeapi.ReopenContainerLogRequest{ContainerId: c.id})
	return nil
}

// logs yields what was read of the logs of containers.
func logs(h *history.History, f func(*containerLife, *exchange, logText)) {
	for _, x := range recordOf(h).of(evLog) {
		var text logText
		if c, _ := livesOf(h).byID[x.ID].(*containerLife); c != nil && x.ok() && json.Unmarshal(x.body, &text) == nil {
			f(c, x, text)
		}
	}
}

var logEntry = regexp.MustCompile(`^(\S+) (stdout|stderr) ([FP])(?::\S*)? (.*)$`)

// printed returns what a log has of each stream, or the first entry that cannot be read.
func (t logText) printed() (streams map[string]string, bad string) {
	streams = map[string]string{}
	for _, line := range slices.Concat(t.Rotated, t.Lines) {
		m := logEntry.FindStringSubmatch(line)
		if m == nil {
			return nil, line
		}
		if _, err := time.Parse(time.RFC3339Nano, m[1]); err != nil {
			return nil, line
		}
		if streams[m[2]] += m[4]; m[3] == "F" {
			streams[m[2]] += "\n"
		}
	}
	return streams, ""
}

func judgeLogFormat(h *history.History) (j harness.Judgement) {
	logs(h, func(c *containerLife, x *exchange, text logText) {
		ended := c.endedBefore(x.Num)
		streams, bad := text.printed()
		if bad != "" {
			if !ended && len(text.Lines) > 0 && bad == text.Lines[len(text.Lines)-1] {
				return // it is being written
			}
			j.Tested++
			j.Fail("entries of a time, a stream, F or P, and a text", fmt.Sprintf("%.80q", bad), x.Return)
			return
		}
		if !ended || !c.byItself(sight{x, nil}) || recordOf(h).killed(0, x.Num) || begunBefore(recordOf(h).of("ReopenContainerLog"), x.Num) {
			return
		}
		for stream, want := range map[string]string{"stdout": c.work.prints(), "stderr": c.work.complains()} {
			if j.Tested++; streams[stream] != want {
				j.Fail(fmt.Sprintf("%d bytes of %s", len(want), stream), fmt.Sprintf("%d, from byte %d on they differ: %.40q", len(streams[stream]), differ(want, streams[stream]), streams[stream][differ(want, streams[stream]):]), c.starts[0].Return, x.Return)
			}
		}
	})
	return j
}

// differ returns the first index at which two texts differ.
func differ(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func judgeLogReopen(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	logs(h, func(c *containerLife, x *exchange, text logText) {
		rotations := slices.DeleteFunc(r.of("ReopenContainerLog"), func(y *exchange) bool { return y.ID != c.id || y.Num > x.Num })
		if len(rotations) != 1 || lost(rotations[0]) || r.killed(0, x.Num) {
			return
		}
		switch y := rotations[0]; {
		case y.Err != nil:
			opens := func(s *exchange) bool { return s.Num < x.Return && (s.Return > y.Num || lost(s)) } // a start makes the file
			if y.Return > x.Num || slices.ContainsFunc(c.starts, opens) {
				return
			}
			if j.Tested++; text.There {
				j.Fail("no new log, as the call failed", fmt.Sprintf("a file with %d lines", len(text.Lines)), y.Return, x.Return)
			}
		case c.runs(&exchange{Num: y.Num, Return: x.Return}) && c.work.Ticks && x.From-y.To > r.slack:
			ticks := int((x.From - c.starts[0].To) / time.Second)
			if j.Tested++; !text.There || len(text.Lines) == 0 {
				j.Fail("a new file with what was printed since", fmt.Sprintf("%d lines (there: %t)", len(text.Lines), text.There), y.Return, x.Return)
			} else if got := len(text.Rotated) + len(text.Lines); got < ticks-int(r.slack/time.Second) {
				j.Fail(fmt.Sprintf("about %d lines in both files, one a second", ticks), fmt.Sprintf("%d", got), y.Return, x.Return)
			}
		}
	})
	return j
}
