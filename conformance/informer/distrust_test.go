package informer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
	informers "github.com/lwtest/lwtest/plugins/mutants/informer"
)

// secretive is a server that keeps its CA to itself: its clients are like those that ignore it.
type secretive struct {
	rig.Server
	rig.Cutter
	rig.Faulty
	rig.Encrypter
}

func (s secretive) Endpoint(client string) rig.Endpoint {
	at := s.Server.Endpoint(client)
	at.CA, at.Direct = nil, nil
	return at
}

// An informer that ignores Endpoint.CA is told so, where a check serves TLS.
func TestIgnoredCA(t *testing.T) {
	open := func(t *harness.T) (rig.Server, error) {
		s, err := fake.Server(t)
		return secretive{s, s.(rig.Cutter), s.(rig.Faulty), s.(rig.Encrypter)}, err
	}
	target, err := informers.Servers{Open: open, Has: []harness.Feature{rig.Cuts, rig.Faults, rig.TLS}}.Find("correct/http")
	require.NoError(t, err)
	for _, c := range target.Cases {
		if c.Name != "converge/equal/wire-tls" {
			continue
		}
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
		require.Equal(t, harness.Fail, r.Verdict, r.Reason)
		bad := r.Broken()[0].Bad[0]
		assert.Contains(t, bad.Got, rig.Distrusted)
		assert.Contains(t, bad.Timeline, rig.Untrusted)
		return
	}
	t.Error("no check serves TLS")
}
