package controller

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
)

// slow is a cluster on a busy machine: what stands in for kube-controller-manager makes the Endpoints of a Service after some seconds.
type slow struct {
	Cluster
	from time.Time
}

func (s slow) Objects(context.Context) ([]json.RawMessage, error) {
	all := []json.RawMessage{[]byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","uid":"1"}}`)}
	if time.Since(s.from) > 3*time.Second {
		all = append(all, []byte(`{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"s","uid":"2"}}`))
	}
	return all, nil
}

// In real time a controller starts when nothing more has come for as long as before any other rest.
func TestUidsOfASlowCluster(t *testing.T) {
	var uids []string
	checks := harness.Checks(harness.Check[any]{Info: harness.Info{Name: "quiet/writes", Rules: []harness.Rule{quietWrites}}, Drive: func(t *harness.T, _ any) {
		r := &run{runs: &runs{t: t, tempo: realTempo(4*time.Second, false)}, c: slow{from: time.Now()}}
		uids = r.uids()
	}})
	suite := harness.Suite[any]{Kind: "controller", Version: "1", Rules: []harness.Rule{quietWrites}, Checks: checks}
	plugin := harness.Plugin[any]{Name: "slow", Features: []harness.Feature{harness.VirtualTime}, Open: func(*harness.T) (any, error) { return true, nil }}
	t.Run("run", func(t *testing.T) { harness.Run(suite.Bind(plugin)[0], harness.Options{TB: t, Seed: 1}) })
	assert.Equal(t, []string{"1", "2"}, uids)
}
