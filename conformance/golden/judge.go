package golden

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Recordings are histories by what was recorded (Load says how), then by check, without its kind.
type Recordings = map[string]map[string]*history.History

// LeftOut reads which checks of which recording are not kept, and why: each a line, "RECORDING CHECK", a tab, the reason.
func LeftOut(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		what, why, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[what] = why
	}
	return out
}

// Wrong says what is wrong with recordings: a check that is not there and neither skipped nor left out, or there all
// the same; what readable refuses; what does not pass with all rules, the check's own put to the test; what was not
// recorded with the rest, and has other features.
func Wrong(kind *harness.Kind, all Recordings, leftOut map[string]string, readable func(*history.History) error) []string {
	var out []string
	for _, from := range slices.Sorted(maps.Keys(all)) {
		has := features(all[from])
		for _, c := range kind.Checks {
			name, h := from+" "+c.Name, all[from][c.Name]
			lacks := slices.ContainsFunc(c.Needs, func(f harness.Feature) bool { return !slices.Contains(has, string(f)) })
			may := leftOut[name] != "" || lacks
			if may == (h != nil) {
				out = append(out, recordingError(name, h != nil))
			}
			if h == nil {
				continue
			}
			if !slices.Equal(has, h.Header.Features) {
				out = append(out, name+": it has not the features of the others: record all of them anew")
			}
			if err := readable(h); err != nil {
				out = append(out, fmt.Sprintf("%s: %v", name, err))
			}
			if r := kind.Judge(c, h); r.Verdict != harness.Pass {
				out = append(out, fmt.Sprintf("%s: %s: %s", name, r.Verdict, r.Reason))
			}
		}
	}
	return out
}

// features are those of the first recorded, by name.
func features(recorded map[string]*history.History) []string {
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		return recorded[name].Header.Features
	}
	return nil
}

// Tabulate judges each perturbation of the histories of all recordings, and gives a line for each way and class. used
// counts what each excuse was needed for. perturb gives those of a check's history.
func Tabulate(kind *harness.Kind, all Recordings, excuses []Excuse, perturb func(check string, h *history.History) iter.Seq[Perturbation]) (lines []Line, used []int) {
	t := NewTable(excuses)
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for from, hs := range all {
		for name, h := range hs {
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				for p := range perturb(name, h) {
					t.Add(from+", "+name, p, Flagged(kind, p.History), false)
				}
			})
		}
	}
	wg.Wait()
	return t.Lines()
}

// recordingError says what to do about a check that has no recording, or has one though it is skipped or left out.
func recordingError(name string, recorded bool) string {
	if recorded {
		return name + ": it has a recording, and is skipped or named in leftout.txt: delete one of them"
	}
	how := "make goldens, goldens-store or goldens-clients"
	if from, check, _ := strings.Cut(name, " "); ofReal.MatchString(from) {
		how = "CHECKS=KIND/" + check + " make goldens-clients-real"
	}
	return name + ": it has no recording: make it (" + how + "), or name the check with a reason in leftout.txt"
}

// ofReal matches the names of recordings of clients on a real server.
var ofReal = regexp.MustCompile(`.-v\d+\.\d+\.\d+$`)
