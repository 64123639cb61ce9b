package html

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// badge says how a target stands to a feature that checks need.
type badge struct {
	Target int    `json:"t"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Ended  string `json:"v"`              // the worst end of the checks that need it; notDeclared
	Checks int    `json:"n"`              // how many ended, or of one that is not declared: how many it would add alone
	Bad    int    `json:"bad,omitempty"`  // how many of them ended as Ended says
	Result int    `json:"r"`              // the first of these
	More   int    `json:"more,omitempty"` // of one that is not declared: how many it would add only together with others
}

const notDeclared = "lacking"

// ends are what Report.Ended says, from the worst to the best, and what says nothing of a feature.
var ends = []string{"failed", "should", "inconclusive", "known", "passed", "skipped", notDeclared}

// badges collects the badges of a page.
type badges struct {
	*maker
	declared map[badgeKey]bool
	made     map[badgeKey]*badge
}

type badgeKey struct{ target, kind, feature string }

// features adds the badge of each feature that a check needs or was skipped for, by target and kind, the worst first.
func (m *maker) features() {
	b := badges{m, map[badgeKey]bool{}, map[badgeKey]*badge{}}
	for _, p := range m.r.Plan {
		kind, _, _ := strings.Cut(p.Check, "/")
		for _, f := range p.Features {
			b.declared[badgeKey{p.Target, kind, string(f)}] = true
		}
	}
	for i := range m.r.Results {
		b.needed(i)
		b.lacked(i)
	}
	for _, x := range b.made {
		m.out.Features = append(m.out.Features, *x)
	}
	slices.SortFunc(m.out.Features, func(x, y badge) int {
		return cmp.Or(cmp.Compare(x.Target, y.Target), cmp.Compare(x.Kind, y.Kind), cmp.Compare(slices.Index(ends, x.Ended), slices.Index(ends, y.Ended)),
			cmp.Compare(y.Checks, x.Checks), cmp.Compare(y.More, x.More), cmp.Compare(x.Name, y.Name))
	})
}

func (b badges) of(k badgeKey, i int, ended string) *badge {
	x := b.made[k]
	if x == nil {
		x = &badge{Target: b.out.Results[i].Target, Kind: k.kind, Name: k.feature, Ended: ended, Result: i}
		b.made[k] = x
	}
	return x
}

// needed counts a check for the features that it needs and the target declares. The features of the server that lwtest gives to
// a client are left out: a check that fails says nothing of them.
func (b badges) needed(i int) {
	res, ended := &b.r.Results[i], b.out.Results[i].Ended
	info := b.infos[res.Check]
	needs := slices.Concat(info.Needs, info.Either)
	for _, r := range info.Rules {
		needs = append(needs, r.Needs...)
	}
	slices.Sort(needs)
	for _, f := range slices.Compact(needs) {
		k := badgeKey{res.Target, kindOf(res), string(f)}
		if !b.declared[k] || f == harness.VirtualTime || strings.HasPrefix(k.feature, "server-") {
			continue
		}
		x := b.of(k, i, ended)
		if ended != "skipped" {
			x.Checks++
		}
		if slices.Index(ends, ended) < slices.Index(ends, x.Ended) {
			x.Ended, x.Result, x.Bad = ended, i, 0
		}
		if ended == x.Ended {
			x.Bad++
		}
	}
}

// lacked counts a check that was skipped for want of features.
func (b badges) lacked(i int) {
	res := &b.r.Results[i]
	if res.Verdict != harness.Skip {
		return
	}
	lacks, any := harness.Lacks(res.Reason)
	for _, f := range lacks {
		x := b.of(badgeKey{res.Target, kindOf(res), f}, i, notDeclared)
		if any || len(lacks) == 1 {
			x.Checks++
		} else {
			x.More++
		}
	}
}
