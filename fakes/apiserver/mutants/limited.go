package mutants

import "slices"

// limits are forms of a watch, and faults that are another fault where no other watch has them.
var limits = []struct {
	name, about string
	such        func(*call) bool
	faults      []string
}{
	{"to-informers", "of watches with bookmarks and timeoutSeconds from N alone",
		all(at, plain, informers),
		[]string{
			"slow-loses-after-1024", "stopped-goes-on", "lost-late", "lost-after-quiet", "change-lost-at-100", "change-lost-at-500", "replay-ends-at-100",
			"replay-ends-at-500", "labels-alone-lost", "annotations-alone-lost", "owners-alone-lost", "status-alone-lost", "long-name-lost",
			"dotted-name-lost", "third-namespace-lost", "namespace-is-suffix",
		}},
	{"of-streams", "of watches that begin with a streaming list alone", streams,
		[]string{
			"slow-loses-after-1024", "change-lost-at-100", "change-lost-at-500", "lost-late", "stopped-goes-on", "bookmark-in-between", "ends-in-between",
			"watch-first-label", "watch-prefixed-key-silent", "watch-empty-value-lost", "watch-value-is-prefix",
		}},
}

// limitedRows returns those faults, among rows.
func limitedRows(rows []row) (out []row) {
	for _, limit := range limits {
		for _, name := range limit.faults {
			r := rows[slices.IndexFunc(rows, func(r row) bool { return r.name == name })]
			r.name, r.about, r.only = r.name+"-"+limit.name, r.about+"; "+limit.about, limit.such
			out = append(out, r)
		}
	}
	return out
}
