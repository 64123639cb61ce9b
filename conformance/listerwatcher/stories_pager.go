package listerwatcher

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

var (
	paging       = []harness.Feature{Lists, Pages}
	pagingFaults = []harness.Feature{Lists, Pages, rig.Faults}
)

func pagerChecks() []story.Check {
	return []story.Check{
		{
			Name:  "pager/whole",
			About: "Twelve objects in pages of five, of six, of one, of all, and by selector.",
			Needs: paging,
			Rules: []harness.Rule{pagerWhole, requestOptions, requestVerb},
			Steps: seq(fill(12), story.Each([]int64{5, 6, 1, 12}, func(_ int, limit int64) steps { return list(Options{Limit: limit}) }),
				list(Options{Limit: 5, LabelSelector: "app in (one,two)"}), list(Options{Limit: 5, LabelSelector: "app=two"}), list(Options{Limit: 5, FieldSelector: "metadata.name!=m7"})),
		}, {
			Name:  "pager/whole/many",
			About: "Eleven hundred objects in pages of the client's own size: more than two.",
			Needs: paging,
			Rules: []harness.Rule{pagerWhole},
			Span:  30 * time.Second, // a server elsewhere may take ten milliseconds for each
			Steps: seq(fill(1100), list(Options{})),
		}, {
			Name:  "pager/whole/busy",
			About: "Objects come, change and go between two pages.",
			Needs: pagingFaults,
			Rules: []harness.Rule{pagerWhole},
			Steps: seq(fill(12), betweenPages(moves())),
		}, {
			Name:  "pager/whole/empty",
			About: "The second page has no items, or the third, or two in a row: and a continue token.",
			Needs: pagingFaults,
			Rules: []harness.Rule{pagerWhole},
			Steps: seq(fill(12), story.Repeat(4, func(i int) steps {
				return during(lists(rig.Fault{Continued: new(true), Nth: i/2 + 1, Times: i%2 + 1, Empty: true}), list(Options{Limit: 5}))
			})),
		}, {
			Name:  "pager/whole/short",
			About: "Pages have fewer items than were asked for: each, or the second alone.",
			Needs: pagingFaults,
			Rules: []harness.Rule{pagerWhole},
			Steps: seq(fill(12), story.Each([]rig.Fault{{Limit: 2}, {Limit: 1}, {Limit: 2, Continued: new(true), Nth: 1}}, func(_ int, f rig.Fault) steps {
				return during(lists(f), list(Options{Limit: 5}), list(Options{}))
			})),
		}, {
			Name:  "pager/continue-alone",
			About: "Lists of several pages, from no resourceVersion.",
			Needs: paging,
			Rules: []harness.Rule{pagerContinueAlone},
			Steps: seq(fill(12), list(Options{Limit: 5}), list(Options{Limit: 4, LabelSelector: "app=one"})),
		}, {
			Name:  "pager/continue-alone/version",
			About: "Lists of several pages, from a resourceVersion, with each match.",
			Needs: paging,
			Rules: []harness.Rule{pagerContinueAlone},
			Steps: seq(fill(12), story.Each([]metav1.ResourceVersionMatch{"", metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan},
				func(_ int, match metav1.ResourceVersionMatch) steps {
					return list(Options{Limit: 5, ResourceVersion: "now", ResourceVersionMatch: match})
				})),
		}, {
			Name:  "pager/expired",
			About: "The second or third page is refused with 410; so is the next request, or not.",
			Needs: pagingFaults,
			Rules: []harness.Rule{pagerExpired},
			Steps: seq(fill(12), story.Each([]string{"Expired", "Gone"}, func(_ int, reason string) steps {
				return story.Repeat(4, func(i int) steps {
					return during(lists(rig.Fault{Nth: i/2 + 2, Times: i%2 + 1, Status: &rig.Status{Code: 410, Reason: reason}}), list(Options{Limit: 5}))
				})
			})),
		}, {
			Name:  "pager/expired/forgotten",
			About: "Between two pages objects come and go, and the server forgets the state of the first.",
			Needs: []harness.Feature{Lists, Pages, rig.Faults, rig.Forgets},
			Rules: []harness.Rule{pagerExpired},
			Steps: seq(fill(12), betweenPages(moves(), op("forget"))),
		},
	}
}

// betweenPages plays steps while the second page is asked for.
func betweenPages(parts ...steps) steps {
	return during(lists(rig.Fault{Nth: 2, Times: 1, Latency: rig.Duration(2 * time.Second)}),
		beside(list(Options{Limit: 5})), advance(time.Second), seq(parts...), story.Join("c1"))
}

// moves lets an object of the first page go, one of the second change, and one come to each.
func moves() steps { return seq(del("m10"), put("m0-new", "m5", "m5-new"), del("m9")) }
