package main

import (
	"bytes"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// somePanel is of four checks: one has failed, one runs.
func somePanel(w *bytes.Buffer) *panel {
	p := newPanel(w, "auto", figures{what: "checks", badly: "did not pass", total: 4})
	p.started("kubeconfig:/k k/a/b")
	p.started("kubeconfig:/k k/a/c")
	p.ended("kubeconfig:/k k/a/b", &harness.Result{Verdict: harness.Fail, Rules: []harness.RuleResult{
		{Known: "it is old", Bad: []harness.Shown{{Finding: harness.Finding{Got: "known"}}}},
		{Bad: []harness.Shown{{Finding: harness.Finding{Got: "no\x1b[2J DELETED"}}}}}})
	return p
}

// shown returns what p has written to w. It takes p's lock, as p writes under it.
func shown(p *panel, w *bytes.Buffer) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return w.String()
}

// A log gets a line every ten seconds. Control characters in the text of a failure are not printed: they could upset a terminal.
func TestPanelInALog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := somePanel(&b)
		time.Sleep(9 * time.Second)
		synctest.Wait()
		assert.Empty(t, shown(p, &b))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, "1 of 4 checks, 1 did not pass, 6/min, 30s left, running kubeconfig:/k k/a/c, failed last: kubeconfig:/k k/a/b: no�[2J DELETED\n", shown(p, &b))
		p.close()
	})
}

func TestPanelLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := somePanel(&b)
		defer p.close()
		later := p.began.Add(10 * time.Second)
		assert.Equal(t, []row{
			{text: "[##########------------------------------]  25%  6/min  30s left"}, {text: "1 of 4 checks, 1 did not pass"},
			{text: "running  kubeconfig:/k k/a/c"}, {text: "failed   kubeconfig:/k k/a/b: no�[2J DELETED"}}, p.lines(later, 79, 23))
		p.color = true
		p.failed = "漢字漢字漢字漢字"
		assert.Equal(t, []row{{text: "[##--------]  25%  6/mi…"}, {text: "1 of 4 checks, 1 did no…"}, {text: "running  kubeconfig:/k …"}, {text: "failed   漢字漢字漢字漢…", red: true}}, p.lines(later, 24, 23))
		assert.Len(t, p.lines(later, 24, 2), 2, "a terminal of three lines")
		assert.Empty(t, p.lines(later, 0, 0))
	})
}

// The estimate and the rate do not count the results of earlier sessions.
func TestPanelOfAResumedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := newPanel(&b, "auto", figures{what: "checks", done: 2, before: 2, total: 4})
		defer p.close()
		p.ended("a", &harness.Result{Verdict: harness.Pass})
		assert.Equal(t, "3 of 4 checks, 12/min, 5s left", p.line(p.began.Add(5*time.Second)))
	})
}

// What ends first counts: the time, or the number.
func TestPanelUntilATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := newPanel(&b, "auto", figures{what: "stories", done: 100, total: 1000, end: time.Now().Add(time.Minute)})
		defer p.close()
		for _, c := range []struct {
			after time.Duration
			left  string
			part  float64
		}{{time.Second, "59s left", 0.1}, {3 * time.Second, "27s left", 0.1}, {30 * time.Second, "30s left", 0.5}, {2 * time.Minute, "", 1}} {
			assert.Equal(t, c.left, p.left(p.began.Add(c.after)))
			assert.InDelta(t, c.part, p.part(p.began.Add(c.after)), 0.001)
		}
	})
}

// What is written goes in the place of the panel. On a terminal that has become narrower, a line of it takes several.
func TestScreen(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/f") // its size is not known, and so 80 columns
	require.NoError(t, err)
	defer f.Close()
	s := &screen{file: f}
	s.draw([]row{{text: string(bytes.Repeat([]byte("a"), 161))}, {text: "b", red: true}})
	_, err = s.Write([]byte("said\n"))
	require.NoError(t, err)
	s.draw([]row{{text: "c"}})
	s.close()
	s.draw([]row{{text: "d"}})
	b, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	_, rest, _ := bytes.Cut(b, []byte("\n"))
	assert.Equal(t, "\x1b[31mb\x1b[0m\n\x1b[4A\r\x1b[Jsaid\nc\n\x1b[1A\r\x1b[J", string(rest))
}
