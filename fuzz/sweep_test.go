package fuzz_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fuzz"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// enough is how many stories a mutant gets: 20,000, or as many as LWTEST_SWEEP_STORIES says.
var enough = number("LWTEST_SWEEP_STORIES", 20000)

// patience is how long a mutant is swept at most, by two workers: one on which each story hangs would take hours. LWTEST_SWEEP_SECONDS says
// how many seconds.
var patience = time.Duration(number("LWTEST_SWEEP_SECONDS", 1800)) * time.Second

// oneIn says which mutants are swept: each that many-th one.
var oneIn = number("LWTEST_SWEEP_ONE_IN", 1)

// number returns the number that an environment variable holds, or another if it is unset.
func number(name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(name + " is no number: " + text)
	}
	return n
}

// caught is what fuzzing found of a mutant.
type caught struct {
	mutant  mutants.Target
	stories int // until the first that broke a rule; 0: none did
	steps   int // of the shortest story after shrinking
	rules   []string
	took    time.Duration
}

// TestSweep shows for each mutant how many stories fuzzing alone needs to find it. It prints a table, mutants that are not
// found first. It takes hours, and runs only where LWTEST_SWEEP says which mutants, by patterns with commas between them:
//
//	LWTEST_SWEEP='*' LWTEST_SWEEP_SECONDS=30 go test ./fuzz -run TestSweep/runtime -v -timeout 2h
//	LWTEST_SWEEP='ttl-*' go test ./fuzz -run TestSweep/store -v -timeout 2h
//
// LWTEST_SWEEP_CROSS=2 plays the covering set instead of random stories. LWTEST_SWEEP_ONE_IN=5 sweeps a fifth of the mutants, and
// LWTEST_SWEEP_STORIES=2000 plays fewer stories on each.
func TestSweep(t *testing.T) {
	which := os.Getenv("LWTEST_SWEEP")
	if which == "" {
		t.Skip("it plays up to 20,000 stories on each mutant; LWTEST_SWEEP='*' runs it")
	}
	for _, kind := range slices.Sorted(maps.Keys(families)) {
		t.Run(kind, func(t *testing.T) {
			var all []caught
			found := 0
			for i, m := range families[kind]().faulty {
				chosen := slices.ContainsFunc(strings.Split(which, ","), func(pattern string) bool {
					ok, err := path.Match(pattern, m.Name)
					require.NoError(t, err)
					return ok
				})
				if !chosen || i%oneIn != 0 {
					continue
				}
				c := sweep(t, kind, m)
				t.Logf("%s: %d stories, %s", m.Name, c.stories, c.took.Round(10*time.Millisecond))
				if all = append(all, c); c.stories > 0 {
					found++
				}
			}
			slices.SortStableFunc(all, func(a, b caught) int { return cmp.Compare(cmp.Or(b.stories, enough+1), cmp.Or(a.stories, enough+1)) })
			table(kind, all)
			assert.GreaterOrEqual(t, 10*found, 9*len(all), "found %d of %d", found, len(all))
		})
	}
}

// breaks has the SHOULD clauses that an implementation here is known to break. Some oddities do so on purpose; watches-lag sends
// its first bookmark after three minutes. Events have no watch cache, and fail as on a real server. The plugin of Things shows
// an empty spec as no spec, so that a write may change one to the other.
var breaks = map[string]string{
	"relists-always": "resume/no-relist", "relists-recent": "resume/no-relist", "streams-always": "resume/no-relist",
	"version-by-objects": "store/version-moves",
	"watches-lag":        "bookmark/idle",
	"fake-events":        "watch/expired-edge",
	"fake-things":        "write/no-op",
}

// TestFalseAlarms plays stories on implementations that are correct, and on those that are odd but correct. No rule may blame
// one. LWTEST_STORIES says how many stories each half of a kind gets, spread evenly:
//
//	LWTEST_STORIES=100000 go test ./fuzz -run TestFalseAlarms/informer -v -timeout 2h
func TestFalseAlarms(t *testing.T) {
	stories, seed := number("LWTEST_STORIES", 0), int64(1)
	if stories > 0 {
		seed = time.Now().UnixNano() % 1e6
	}
	for _, kind := range slices.Sorted(maps.Keys(families)) {
		f := families[kind]()
		for name, of := range map[string][]mutants.Target{"correct": f.correct, "odd": f.odd} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				played, began, stories := 0, time.Now(), stories
				if stories == 0 {
					of = full.Part(t, of, 12, 0)
					stories = 10 * len(of)
				}
				for _, m := range of {
					o := options(kind+"/"+m.Name, (stories+len(of)-1)/len(of))
					o.Seed, o.Dir = seed, os.Getenv("LWTEST_STORIES_DIR")
					r, err := fuzz.Run(t.Context(), o)
					require.NoError(t, err)
					played += r.Stories
					r.Failed = slices.DeleteFunc(r.Failed, func(f fuzz.Failure) bool { return breaks[m.Name] == f.Rule })
					if r.New() > 0 {
						var text strings.Builder
						require.NoError(t, r.Text(&text))
						t.Errorf("%s: seed %d: %s", m.Name, seed, &text)
					}
				}
				t.Logf("%d stories on %d implementations in %s, seed %d", played, len(of), time.Since(began).Round(time.Second), seed)
			})
		}
	}
}

// sweep plays stories on a mutant until one breaks a rule.
func sweep(t *testing.T, kind string, m mutants.Target) caught {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := options(kind+"/"+m.Name, enough)
	o.Workers, o.Provisional, o.For, o.Cross = 2, true, patience, number("LWTEST_SWEEP_CROSS", 0)
	o.Told = func(r *fuzz.Report) {
		if r.New() > 0 {
			cancel()
		}
	}
	r, err := fuzz.Run(ctx, o)
	require.NoError(t, err, m.Name)
	c := caught{mutant: m, took: r.Took}
	for _, f := range r.Failed {
		if f.Known != "" {
			continue
		}
		c.rules = append(c.rules, f.Rule)
		for _, s := range f.Shapes {
			if c.stories == 0 || s.Story < c.stories {
				c.stories = s.Story + 1
			}
			if s.Steps > 0 && (c.steps == 0 || s.Steps < c.steps) {
				c.steps = s.Steps
			}
		}
	}
	if c.stories == 0 && c.rules != nil { // the story ended its process, and was not shrunk
		c.stories = r.Stories
	}
	return c
}

func table(kind string, all []caught) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "mutant\tstories\tsteps\ttook\trules broken")
	var steps, stories []int
	for _, c := range all {
		n := fmt.Sprint(c.stories)
		if c.stories == 0 {
			n = "not found"
		} else {
			steps, stories = append(steps, c.steps), append(stories, c.stories)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", c.mutant.Name, n, c.steps, c.took.Round(10*time.Millisecond), strings.Join(c.rules, ", "))
	}
	w.Flush()
	slices.Sort(steps)
	slices.Sort(stories)
	if len(steps) > 0 {
		fmt.Printf("%s: found %d of %d mutants; median %d stories, %d steps after shrinking\n", kind, len(steps), len(all), stories[len(stories)/2], steps[len(steps)/2])
	}
}
