package mutants

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// limits are forms of a watch, and faults that are another fault where no other watch has them.
var limits = []struct {
	name, about string
	such        func(*metav1.ListOptions) bool
	faults      []string
}{
	{"to-informers", "of watches with bookmarks and timeoutSeconds from N alone",
		func(o *metav1.ListOptions) bool { return from(o) && o.SendInitialEvents == nil && informersAsk(o) },
		[]string{
			"slow-loses", "slow-loses-after-1024", "stopped-goes-on", "lost-late", "lost-after-quiet", "change-lost-at-100", "change-lost-at-500", "replay-ends-at-100",
			"replay-ends-at-500", "labels-alone-lost", "annotations-alone-lost", "owners-alone-lost", "status-alone-lost", "long-name-lost",
			"dotted-name-lost", "third-namespace-lost", "namespace-is-suffix",
		}},
	{"of-streams", "of watches that begin with a streaming list alone", streaming,
		[]string{
			"slow-loses-after-1024", "change-lost-at-100", "change-lost-at-500", "lost-late", "stopped-goes-on", "bookmark-in-between", "ends-in-between",
			"watch-first-label", "watch-prefixed-key-silent", "watch-empty-value-lost", "watch-value-is-prefix",
		}},
}

// limited are those.
func limitedMutants(all []Mutant) []Mutant {
	var out []Mutant
	for _, limit := range limits {
		for _, name := range limit.faults {
			m := all[slices.IndexFunc(all, func(m Mutant) bool { return m.Name == name })]
			m.Name, m.About, m.Open = m.Name+"-"+limit.name, m.About+"; "+limit.about, to(limit.such, m.Open)
			out = append(out, m)
		}
	}
	return out
}

// to is a faulty server of which those watches alone have the fault that such picks.
func to(such func(*metav1.ListOptions) bool, open func(apiserver.Options) (apiserver.API, *apiserver.Server)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		o.OnWatch = func(_ *apiserver.Request, l *metav1.ListOptions) apiserver.Tap {
			if such(l) {
				return nil
			}
			return pass
		}
		faulty, s := open(o)
		return calls{API: faulty, watch: func(ctx context.Context, _ apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
			if such(&o) {
				return faulty.Watch(ctx, r, o)
			}
			return s.Watch(ctx, r, o)
		}}, s
	}
}
