package story

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// SavedDir is where Fuzz writes stories that break a rule, below the folder of the package under test, and finds those of before.
const SavedDir = "testdata/lwtest"

const (
	fuzzFirst  = 20               // random stories that Go's engine begins with
	fuzzSteps  = 20               // of a random story
	fuzzTries  = 400              // stories that the shrinking of one may play
	fuzzShrink = 20 * time.Second // how long it may take
	fuzzProof  = time.Second      // how long the search for the evidence may take
	fuzzWall   = 30 * time.Second // the process's own time (see sim.Bubble) that a story may take in virtual time
	fuzzReal   = time.Minute      // how long a story may take in real time
	fewReal    = 5                // stories of a covering set that go test plays in real time
)

// Fuzz plays stories on a plugin, of which cases has at least one case, and fails with the first that breaks a MUST clause.
//
// Plain `go test` plays the stories that were saved before, and a covering set of the kind's dimensions: ten of it with -short, five in
// real time. With LWTEST_STORIES=2000 it also plays that many random stories, which LWTEST_SEED chooses. With `go test -fuzz` Go's engine
// chooses further stories. Fuzz sets -fuzzminimizetime to 10x unless it is set: the engine need not shorten inputs, because Fuzz shrinks the
// story that fails.
//
// Plain `go test` fails, too, if no rule tested anything in all of these stories: then nothing is known of the plugin.
//
// The story that breaks a clause is saved as JSON below SavedDir. The next `go test` plays it again, and so does `lwtest play`. LWTEST_KNOWN
// names a file of failures that are expected, as for harness.Test.
func Fuzz(f *testing.F, cases []harness.Case) {
	f.Helper()
	if len(cases) == 0 || cases[0].Kind.Language == nil {
		f.Fatal("no kind with stories: nothing would be played")
	}
	z := &fuzzing{of: cases[0]}
	if file := os.Getenv("LWTEST_KNOWN"); file != "" {
		b, err := os.ReadFile(file)
		if err == nil {
			z.known, err = harness.ParseKnown(file, b)
		}
		if err != nil {
			f.Fatalf("LWTEST_KNOWN: %v", err)
		}
	}
	seeds := z.seeds(f)
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(z.play)
	if !flagged("test.fuzz") && z.played >= len(seeds) && z.tested == 0 { // not with -run FUZZ/SEED
		f.Errorf("no rule tested anything in %d stories, so nothing is known of %s: %s\nrun Test with the same plugin and features: it says for each check what is missing",
			z.played, z.of.Plugin, cmp.Or(z.idle, "its calls fail, or do nothing"))
	}
}

type fuzzing struct {
	of             harness.Case
	known          []harness.Known
	played, tested int    // stories, and those of which a rule tested something
	idle           string // why one of the others proved nothing
}

// seeds returns what is played first: the stories that were saved, and those of the covering set.
func (z *fuzzing) seeds(f *testing.F) (all [][]byte) {
	files, err := filepath.Glob(filepath.Join(SavedDir, "*.json"))
	for _, file := range files {
		b, e := os.ReadFile(file)
		if kind, _ := KindOf(b); kind == z.of.Kind.Name {
			all = append(all, b)
		}
		if e != nil {
			err = e
		}
	}
	if err != nil {
		f.Fatal(err)
	}
	n, _ := z.rows()
	switch {
	case flagged("test.fuzz"):
		all = append(all, random(fuzzFirst, 1)...)
		if f := flag.Lookup("test.fuzzminimizetime"); f.Value.String() == f.DefValue {
			if err := f.Value.Set("10x"); err != nil {
				panic(err) // go test reads it so
			}
		}
	case !slices.Contains(z.of.Has, harness.VirtualTime):
		n = min(n, fewReal)
	case testing.Short():
		n = min(n, 10)
	}
	for i := range n {
		all = append(all, []byte{rowMark, byte(i >> 8), byte(i)})
	}
	return append(all, random(number(f, "LWTEST_STORIES", 0), number(f, "LWTEST_SEED", 1))...)
}

// random returns bytes that stand for random stories.
func random(n, seed int) [][]byte {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	all := make([][]byte, n)
	for i := range all {
		all[i] = make([]byte, saltLen+endLen+fuzzSteps*recordLen)
		for j := range all[i] {
			all[i][j] = byte(r.IntN(256))
		}
	}
	return all
}

// number reads an environment variable that is a number.
func number(f *testing.F, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		f.Fatalf("%s is %q: say a number, such as 1000", variable, text)
	}
	return int(n)
}

// rowMark begins the bytes that stand for a story of the covering set, by its number.
const rowMark = '#'

func (z *fuzzing) rows() (int, func(int) harness.Script) {
	return z.of.Kind.Language.Crossed(z.of.Has, 2, 1)
}

func flagged(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != ""
}

// script returns the story that bytes stand for; nil: they are a story in JSON that Go's engine has broken.
func (z *fuzzing) script(data []byte) harness.Script {
	n, row := z.rows()
	switch {
	case bytes.HasPrefix(data, []byte("{")):
		s, err := z.of.Kind.Story(data)
		if err != nil {
			return nil
		}
		return s
	case len(data) == 3 && data[0] == rowMark && n > 0:
		return row((int(data[1])<<8 | int(data[2])) % n)
	}
	return z.of.Kind.Language.Draw(NewBytes(data), fuzzSteps)
}

// play plays one story.
func (z *fuzzing) play(t *testing.T, data []byte) {
	s := z.script(data)
	if s == nil {
		return
	}
	r, h := z.run(t, s)
	z.count(r)
	rr := z.broken(r, "")
	if rr == nil {
		if r.Damaged() {
			t.Fatalf("the story did not end: %s\n%s", r.Reason, s.Text())
		}
		return
	}
	began, rule := time.Now(), rr.Rule
	more := func(tried int) bool { return tried < fuzzTries && time.Since(began) < fuzzShrink }
	small, _ := Shrink(z.of.Kind.Language, s, more, func(s harness.Script) bool {
		r, played := z.run(t, s)
		now := z.broken(r, rule)
		if now != nil {
			rr, h = now, played
		}
		return now != nil
	})
	z.of.Kind.Prove(rr, h, fuzzProof)
	bad := rr.Bad[0]
	t.Fatalf("MUST %s/%s\n%swant  %s\ngot   %s\n%s\n%s", z.of.Kind.Name, rule, small.Text(), bad.Want, bad.Got, bad.Timeline, z.save(small, rule))
}

// count notes whether a rule tested anything in a story.
func (z *fuzzing) count(r harness.Result) {
	z.played++
	if slices.ContainsFunc(r.Rules, func(rr harness.RuleResult) bool { return rr.Tested > 0 }) {
		z.tested++
	} else {
		z.idle = r.Reason
	}
}

func (z *fuzzing) run(t *testing.T, s harness.Script) (harness.Result, *history.History) {
	o := harness.Options{TB: t, Seed: 1, Wall: fuzzWall, Span: time.Hour}
	c, err := z.of.Play(s)
	if err != nil {
		t.Fatal(err)
	}
	if !o.Virtual(c) {
		if c, err = z.of.Play(z.of.Kind.Language.Hasten(s, time.Second)); err != nil {
			t.Fatal(err)
		}
		o.Span, c.Span = fuzzReal, min(c.Span, fuzzReal) // what is not done by then is given up: its steps could take ten seconds each
	}
	return harness.Run(c, o)
}

// broken returns a MUST that is broken in a way that is not known: a certain one, or any.
func (z *fuzzing) broken(r harness.Result, rule string) *harness.RuleResult {
	for _, rr := range r.Broken() {
		known := func(bad harness.Shown) bool {
			return slices.ContainsFunc(z.known, func(k harness.Known) bool { return k.Expects(z.of.Kind.Name, rr.Rule, bad.Got) })
		}
		if rr.Level == harness.Must && (rule == "" || rr.Rule == rule) && !(len(rr.Bad) > 0 && !slices.ContainsFunc(rr.Bad, func(b harness.Shown) bool { return !known(b) })) {
			return &rr
		}
	}
	return nil
}

// save writes a story, and says where it is.
func (z *fuzzing) save(s harness.Script, rule string) string {
	of := Of(s)
	of.Rules, of.About = []string{rule}, "Found by fuzzing "+z.of.Plugin+"."
	b, err := json.MarshalIndent(of, "", "  ")
	file := filepath.Join(SavedDir, strings.ReplaceAll(rule, "/", ".")+".json")
	if err == nil {
		err = os.MkdirAll(SavedDir, 0o777)
	}
	if err == nil {
		err = os.WriteFile(file, append(b, '\n'), 0o666)
	}
	if err != nil {
		return fmt.Sprintf("the story could not be saved: %v", err)
	}
	return "saved as " + file + ": go test plays it again from now on, and so does lwtest play"
}
