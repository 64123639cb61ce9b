package fake_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// randomWriters is the check of which each seed is another run; plugins/kube
// puts a real server to the same.
const randomWriters = "write/visible/many"

// soaked are ten faults of ten clauses that one client at a time does not see:
// they take writers at once, readers that are slow or come back, or expiry.
var soaked = []string{
	"update-checked-early",  // two updates between the look and the write
	"delete-checked-early",  // an update between the look and the delete
	"pages-move-on",         // writes between two pages
	"expired-pages-move-on", // writes between two pages behind an expired token
	"from-list-lost-delete", // a deletion between the list and the watch
	"resumed-after",         // a write while a reader is away
	"one-of-two",            // two readers of the same
	"slow-loses",            // a reader that is sixty events behind
	"expired-with-gap",      // a reader that comes back when the window has moved on
	"bookmark-before-event", // a reader that believes bookmarks, among writes
}

// seedsToCatch is how many runs may go by before each is caught.
const seedsToCatch = 8

// TestSoak lets the random writers loose on the fake and, one each seed, on the
// odd but correct ones, which are never blamed, and on fakes with one fault, each
// of which is caught by the rule meant for it. It tells how soon. Without LWTEST_FULL=1 it takes some
// of the faults, and ends when each is caught. LWTEST_SOAK=10m goes on for so long,
// with every fault and every seed, and tells how many of the runs caught it.
func TestSoak(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the same seed is the same history, to the event
	limit, long := time.Duration(0), os.Getenv("LWTEST_SOAK")
	if long != "" {
		var err error
		limit, err = time.ParseDuration(long)
		require.NoError(t, err)
	}
	control, odd, oddities := soak{c: writersOf(t, "")}, 0, fake.Oddities()
	whole, names := full.Wanted() || long != "", soaked
	if !whole {
		names = full.Part(t, soaked, 4, 0)
	}
	faulty := make([]soak, len(names))
	for i, name := range names {
		m := mutant(t, name)
		faulty[i] = soak{name: name, c: writersOf(t, "mutant/"+name), rule: strings.TrimPrefix(m.Rule, "watchcache/")}
	}
	begin := time.Now()
	for seed := int64(1); seed <= seedsToCatch || time.Since(begin) < limit; seed++ {
		passes(t, &control, "the fake", seed)
		o := oddities[seed%int64(len(oddities))]
		strange := soak{c: writersOf(t, "oddity/"+o.Name)}
		passes(t, &strange, o.Name, seed)
		odd += strange.events
		for i := range faulty {
			if long != "" || faulty[i].first == 0 {
				faulty[i].run(t, seed)
			}
		}
		if !whole && !slices.ContainsFunc(faulty, func(s soak) bool { return s.first == 0 }) {
			break
		}
	}
	for i := range faulty {
		s := &faulty[i]
		assert.True(t, s.first > 0 && s.first <= seedsToCatch, "%s is not caught by %s in %d runs", names[i], s.rule, seedsToCatch)
	}
	t.Logf("\n%sthe fake without a fault: %d runs with %d events, odd ones as many with %d, never blamed; all of it in %s",
		table(faulty), control.runs, control.events, odd, time.Since(begin).Round(time.Second))
}

func passes(t *testing.T, s *soak, name string, seed int64) {
	t.Helper()
	r := s.run(t, seed)
	require.Equal(t, harness.Pass, r.Verdict, "%s is blamed: seed %d: %s\n%s", name, seed, r.Reason, blame(s.c.Kind, r))
}

// soak is what became of one fake.
type soak struct {
	name string
	c    harness.Case
	rule string // that must catch it; empty: none may

	runs, caught int
	events       int // of all runs
	wall         time.Duration

	first int           // run that caught it first; 0: none
	after int           // events until then, of the runs before, too
	took  time.Duration // real time until that run was judged
}

func (s *soak) run(t *testing.T, seed int64) harness.Result {
	t.Helper()
	begin := time.Now()
	r, _ := harness.Run(s.c, harness.Options{TB: t, Seed: seed, Target: "fake"})
	s.runs++
	s.wall += time.Since(begin)
	if at, ok := finding(r, s.rule); ok {
		if s.caught++; s.first == 0 {
			s.first, s.after, s.took = s.runs, s.events+at, s.wall
		}
	}
	s.events += r.Events
	return r
}

// finding is the event at which a rule was first seen to be broken: the last of
// those that its finding points to.
func finding(r harness.Result, rule string) (at int, ok bool) {
	for _, rr := range r.Rules {
		if rr.Rule != rule {
			continue
		}
		for _, b := range rr.Bad {
			if last := b.At[len(b.At)-1]; !ok || int(last) < at {
				at, ok = int(last), true
			}
		}
	}
	return at, ok
}

func blame(k *harness.Kind, r harness.Result) string {
	var b strings.Builder
	for _, rr := range r.Rules {
		if rr.Verdict == harness.Fail {
			b.WriteString(k.Explain(rr))
		}
	}
	return b.String()
}

func table(all []soak) string {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| fault\t| caught by\t| run\t| after events\t| after\t| caught in\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|")
	for i := range all {
		s := &all[i]
		fmt.Fprintf(w, "| %s\t| %s\t| %d\t| %d\t| %s\t| %d of %d\t|\n", s.name, s.rule, s.first, s.after, s.took.Round(time.Millisecond), s.caught, s.runs)
	}
	_ = w.Flush() // into memory
	return text.String()
}

func writersOf(t *testing.T, arg string) harness.Case {
	t.Helper()
	target, err := fake.Open(t.Context(), arg)
	require.NoError(t, err)
	i := slices.IndexFunc(target.Cases, func(c harness.Case) bool { return c.Name == randomWriters })
	require.GreaterOrEqual(t, i, 0, "there is no check %s any more", randomWriters)
	return target.Cases[i]
}

func mutant(t *testing.T, name string) mutants.Target {
	t.Helper()
	all := fake.Mutants()
	i := slices.IndexFunc(all, func(m mutants.Target) bool { return m.Name == name })
	require.GreaterOrEqual(t, i, 0, "there is no mutant %s any more", name)
	return all[i]
}
