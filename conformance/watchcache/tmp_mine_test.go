package watchcache_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
	"github.com/lwtest/lwtest/conformance/watchcache"
)

func TestMineIsNeverBad(t *testing.T) {
	tested := map[string]int{}
	defer func() { t.Log(tested) }()
	for name, o := range worlds {
		for seed := range modelRuns() {
			o.Seed = uint64(seed)
			h, err := model.New(o)
			require.NoError(t, err)
			for _, r := range watchcache.Suite.Rules {
				a := r.Address()
				if a == "watch/unset-fresh" || a == "watch/zero" || a == "watch/unset" || !strings.HasPrefix(a, "write/") && !strings.HasPrefix(a, "cache/") && !strings.HasPrefix(a, "watch/") && a != "list/snapshot" && !strings.HasPrefix(a, "bookmark/") {
					continue
				}
				j := r.Judge(h)
				tested[a] += j.Tested
				if len(j.Bad) > 0 {
					t.Errorf("%s: %s of seed %d: %s", name, r.Address(), o.Seed, explain(h, j))
					return
				}
			}
		}
	}
}
