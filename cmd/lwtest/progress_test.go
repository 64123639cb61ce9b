package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/runner"
)

const longTarget = "kubeconfig:/k?etcd=unix%3A%2F%2F%2Fetcd.sock&restart-cmd=sh+restart"

// someProgress is of four checks: one has failed, one runs.
func someProgress(w *bytes.Buffer) *progress {
	p := newProgress(w, "auto", 4, nil, report.Settings{Targets: []string{longTarget}, Level: harness.Must})
	for _, name := range []string{"a/b", "a/c"} {
		p.started(runner.Item{Target: longTarget, Case: harness.Case{Kind: &harness.Kind{Name: "k"}, Info: harness.Info{Name: name}}})
	}
	p.done(&harness.Result{Target: longTarget, Check: "k/a/b", Verdict: harness.Fail})
	return p
}

// shown returns what p has written to w. It takes p's lock, as p writes under it.
func shown(p *progress, w *bytes.Buffer) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return w.String()
}

// A log has a line every ten seconds, with the short names of targets.
func TestProgressInALog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := someProgress(&b)
		time.Sleep(9 * time.Second)
		synctest.Wait()
		assert.Empty(t, shown(p, &b))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, "1 of 4 checks, 1 did not pass, about 30s left, running kubeconfig:/k k/a/c\n", shown(p, &b))
		p.close()
	})
}

func TestProgressOnATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := someProgress(&b)
		defer p.close()
		assert.Equal(t, "[######------------------] 1 of 4 checks, 1 did not pass  kubeconfig:/k k/a/c", p.bar(p.began))
		assert.Equal(t, "[######------------------] 1 of 4 checks, 1 did not pass, about 30s left  kube…", p.bar(p.began.Add(10*time.Second)))
		p.color = true
		assert.Contains(t, p.bar(p.began), "\x1b[31m1 of 4")
	})
}

// The estimate does not count the results of earlier sessions.
func TestProgressOfAResumedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := newProgress(&b, "auto", 4, make([]harness.Result, 2), report.Settings{})
		defer p.close()
		p.done(&harness.Result{Verdict: harness.Pass})
		assert.Equal(t, "2 of 4 checks have a result already\n", b.String())
		assert.Equal(t, "about 5s left", p.left(p.began.Add(5*time.Second)))
	})
}
