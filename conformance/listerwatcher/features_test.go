package listerwatcher_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/fake"
)

// bare is a server that does nothing but serve.
func bare(t *harness.T) (rig.Server, error) {
	s, err := fake.Server(t)
	return struct{ rig.Server }{s}, err
}

// A check that needs what a server does not have says so: it is skipped where the server declares nothing, and
// inconclusive where it declares what it does not have. No other needs it.
func TestBareServer(t *testing.T) {
	clientgo.Quiet()
	for i, way := range ways {
		for _, has := range [][]harness.Feature{nil, fake.ServerFeatures} {
			target, err := listwatch.Target(way, bare, append(slices.Clone(has), harness.VirtualTime)...)
			require.NoError(t, err)
			for _, c := range cases.Part(t, target.Cases, 5, i) {
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
				switch {
				case r.Verdict == harness.Pass:
				case has == nil:
					assert.Equal(t, harness.Skip, r.Verdict, "%s of %s: %s", r.Check, way, r.Reason)
					assert.NotEmpty(t, r.Reason, r.Check)
				case r.Verdict != harness.Skip:
					assert.Equal(t, harness.Inconclusive, r.Verdict, "%s of %s: %s", r.Check, way, r.Reason)
					assert.Contains(t, r.Reason, "the server that the client is given does not have what server-", r.Check)
				}
			}
		}
	}
}
