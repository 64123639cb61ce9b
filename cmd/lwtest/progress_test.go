package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/runner"
)

// Progress calls targets by their short names, and knows which check it was that ended.
func TestProgressIsShort(t *testing.T) {
	const target = "kubeconfig:/k?etcd=unix%3A%2F%2F%2Fetcd.sock&restart-cmd=sh+restart"
	var b bytes.Buffer
	p := newProgress(&b, 2, nil, report.Settings{Targets: []string{target}, Level: harness.Must})
	for _, name := range []string{"a/b", "a/c"} {
		p.started(runner.Item{Target: target, Case: harness.Case{Kind: &harness.Kind{Name: "k"}, Info: harness.Info{Name: name}}})
	}
	p.done(&harness.Result{Target: target, Check: "k/a/b", Verdict: harness.Pass, Elapsed: time.Second})
	assert.Equal(t, "1/2 pass         kubeconfig:/k k/a/b  1s  \n", b.String())
	assert.Equal(t, []string{"kubeconfig:/k k/a/c"}, p.running)
}
