// Command docs writes the generated pages: docs/contract.md, docs/kind.md, docs/results.md, docs/track-record.md, the table of
// docs/speed.json in docs/speed.md, and the counts in README.md. With -check it only says whether they are current.
//
//	go run ./hack/docs [-check]
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fuzz/differential"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/trackrecord"
	"github.com/lwtest/lwtest/plugins/fake"
	controllers "github.com/lwtest/lwtest/plugins/mutants/controller"
	informers "github.com/lwtest/lwtest/plugins/mutants/informer"
	clients "github.com/lwtest/lwtest/plugins/mutants/listerwatcher"
	agents "github.com/lwtest/lwtest/plugins/mutants/node"
	runtimes "github.com/lwtest/lwtest/plugins/mutants/runtime"
	stores "github.com/lwtest/lwtest/plugins/mutants/store"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
)

func main() {
	check := flag.Bool("check", false, "fail if a file is not current, and write nothing")
	flag.Parse()
	if err := run(".", *check); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

// pages make the generated files, by path from the root of the repository, each from what is there.
func pages(root string) (map[string]func(have []byte) []byte, error) {
	cases, err := trackrecord.Load(root)
	if err != nil {
		return nil, err
	}
	record, err := trackrecord.Page(cases)
	if err != nil {
		return nil, err
	}
	results, err := resultsPage(filepath.Join(root, "docs", "results.json"))
	if err != nil {
		return nil, err
	}
	fidelity, err := differential.Page(filepath.Join(root, "docs", "fidelity.json"))
	if err != nil {
		return nil, err
	}
	speed, err := speedTable(filepath.Join(root, "docs", "speed.json"))
	if err != nil {
		return nil, err
	}
	stories, err := storiesPage(root)
	return map[string]func([]byte) []byte{
		trackrecord.PageFile: func([]byte) []byte { return record },
		"docs/results.md":    func([]byte) []byte { return results },
		"docs/stories.md":    func([]byte) []byte { return stories },
		"docs/fidelity.md":   func([]byte) []byte { return fidelity },
		"docs/speed.md": func(page []byte) []byte {
			return regexp.MustCompile(`(?s)(<!-- from docs/speed.json -->\n).*?(<!-- end of it -->)`).ReplaceAll(page, fmt.Appendf(nil, "${1}%s${2}", speed))
		},
		"README.md":    counted,
		"docs/kind.md": func([]byte) []byte { return bytes.TrimRight(kindPage(), "\n") },
		"docs/contract.md": func([]byte) []byte {
			return contract(watchcache.Suite.Describe(), store.Suite.Describe(), listerwatcher.Suite.Describe(), informer.Suite.Describe(), runtime.Suite.Describe(), node.Suite.Describe(), controller.Suite.Describe())
		},
	}, err
}

// resultsPage shows the table that hack/results.sh made of reports.
func resultsPage(file string) ([]byte, error) {
	t, err := report.ReadTable(file)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Markdown(&b)
	return b.Bytes(), err
}

// speedTable shows what `lwtest bench apiserver` measured.
func speedTable(file string) ([]byte, error) {
	var data struct {
		Date, Command, Other string
		Rows                 []struct {
			What, Unit, Aim string
			Fake, Other     float64
		}
	}
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	figure := func(v float64, unit string) string {
		if v == math.Trunc(v) {
			return report.Thousands(int(v)) + " " + unit
		}
		return fmt.Sprintf("%.1f %s", v, unit)
	}
	out := fmt.Appendf(nil, "| | the fake | %s | ratio | aim |\n|---|---|---|---|---|\n", data.Other)
	for _, r := range data.Rows {
		other, ratio := "not measured", ""
		if r.Other > 0 {
			other, ratio = figure(r.Other, r.Unit), fmt.Sprintf("%.2f", r.Fake/r.Other)
		}
		out = fmt.Appendf(out, "| %s | %s | %s | %s | %s |\n", r.What, figure(r.Fake, r.Unit), other, ratio, r.Aim)
	}
	return fmt.Appendf(out, "\nMeasured on %s: `%s`.\n", data.Date, strings.ReplaceAll(data.Command, "$", "$$")), nil
}

func run(root string, check bool) error {
	all, err := pages(root)
	if err != nil {
		return err
	}
	for name, page := range all {
		file := filepath.Join(root, name)
		have, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		want := page(have)
		switch {
		case bytes.Equal(have, want):
		case check:
			return fmt.Errorf("%s is not current: run `go run ./hack/docs` and commit it", name)
		default:
			if err := os.WriteFile(file, want, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// counted puts the counts of what there is into the README's sentences about them.
func counted(readme []byte) []byte {
	crashing := 0 // the mutants of subject/survives
	for _, h := range hostile.All {
		if strings.HasSuffix(h.Rule, harness.Survives.Address()) {
			crashing++
		}
	}
	ours := informers.Servers{Open: fake.Server, Has: fake.ServerFeatures}
	for sentence, n := range map[string]int{
		"against %s servers with exactly one fault": len(fake.Mutants()) + crashing,
		"and %s informers with one":                 len(ours.Mutants()),
		"%s clients with one":                       len(clients.Mutants(fake.Server)),
		"%s stores and queues with one":             len(stores.Mutants()),
		"%s container runtimes with one":            len(runtimes.Mutants()),
		"%s node agents with one":                   len(agents.Mutants()),
		"and %s controllers with one":               len(controllers.Mutants()),
		"finds %s more runtimes":                    len(runtimes.Pairs()),
		"runtimes, %s node agents":                  len(agents.Pairs()),
		"%s clients and ":                           len(clients.Pairs(fake.Server)),
		"%s informers, for which":                   len(ours.Pairs()),
		"on %s odd but correct servers":             len(fake.Oddities()),
		"and %s odd informers":                      len(ours.Oddities()),
		"%s odd clients":                            len(clients.Oddities(fake.Server)),
		"%s odd stores and queues":                  len(stores.Oddities()),
		"%s odd container runtimes":                 len(runtimes.Oddities()),
		"%s odd node agents":                        len(agents.Oddities()),
	} {
		old := regexp.MustCompile(fmt.Sprintf(sentence, `\d+`))
		readme = old.ReplaceAll(readme, fmt.Appendf(nil, sentence, fmt.Sprint(n)))
	}
	return readme
}

// contract renders clauses, features and checks of each kind.
func contract(kinds ...*harness.Kind) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The contract that lwtest judges\n\nGenerated from the code by `go run ./hack/docs`: do not edit.\n\n")
	flags := flagging()
	for i, k := range kinds {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s, version %s\n\n", k.Name, k.Version)
		if i == 0 {
			fmt.Fprintf(&b, "An address is kind/clause, or kind/clause/aspect if a clause has several rules. A rule that was never tested is not a pass.\n")
		}
		for i, r := range k.Rules {
			if i == 0 || k.Rules[i-1].Clause.ID != r.Clause.ID {
				clause(&b, k, r.Clause)
			}
			rule(&b, k, r, flags)
		}
		features(&b, k)
		checks(&b, k)
	}
	return b.Bytes()
}

func clause(b *bytes.Buffer, k *harness.Kind, c harness.Clause) {
	fmt.Fprintf(b, "\n### %s/%s (%s)\n\n%s.\n\n", k.Name, c.ID, level(c), upper(strings.TrimSuffix(c.Text, ".")))
	fmt.Fprintf(b, "*Why:* %s.\n\n", strings.TrimSuffix(c.Why, "."))
	fmt.Fprintf(b, "*Fix:* %s\n\n", c.Advice)
	for _, s := range c.Sources {
		name := s.Name
		if s.URL == "" {
			name = "`" + name + "`"
		}
		if s.Link() != "" {
			name = "[" + name + "](" + s.Link() + ")"
		}
		fmt.Fprintf(b, "- %s\n", name)
	}
	if len(c.Classes) > 0 {
		fmt.Fprintf(b, "\nClasses of requests and events that a run must reach: `%s`.\n", strings.Join(c.Classes, "`, `"))
	}
	b.WriteString("\n")
}

// level is how binding a clause is, and for whom.
func level(c harness.Clause) string {
	if c.MustWith == "" {
		return string(c.Level)
	}
	return fmt.Sprintf("%s with `%s`, %s without", c.Level, c.MustWith, c.LevelFor(nil))
}

// flagging are the names of the mutants that each rule is there to flag, by its address.
func flagging() map[string][]string {
	out := map[string][]string{}
	for _, m := range slices.Concat(fake.Mutants(), stores.Mutants(), runtimes.Mutants(), clients.Mutants(fake.Server),
		informers.Servers{Open: fake.Server, Has: fake.ServerFeatures}.Mutants()) {
		out[m.Rule] = append(out[m.Rule], "`"+m.Name+"`")
	}
	return out
}

// rule says what a rule needs, which checks put it to the test, and which fakes with a fault it flags.
func rule(b *bytes.Buffer, k *harness.Kind, r harness.Rule, flags map[string][]string) {
	address := k.Name + "/" + r.Address()
	fmt.Fprintf(b, "- rule `%s`", address)
	if len(r.Needs) > 0 {
		fmt.Fprintf(b, ", needs %s", featureList(r.Needs))
	}
	var checks []string
	for _, c := range k.Checks {
		for _, x := range c.Rules {
			if x.Address() == r.Address() {
				checks = append(checks, "`"+k.Name+"/"+c.Name+"`")
			}
		}
	}
	if len(checks) > 0 {
		fmt.Fprintf(b, "; tested by %s", strings.Join(checks, ", "))
	}
	if mutants := flags[address]; len(mutants) > 0 {
		fmt.Fprintf(b, "; catches %s", strings.Join(mutants, ", "))
	}
	b.WriteString("\n")
}

func features(b *bytes.Buffer, k *harness.Kind) {
	fmt.Fprintf(b, "\n### Features of %s\n\nA check that needs an undeclared feature is skipped. A declared feature must work.\n\n| feature | what declaring it promises | rules it gates |\n|---|---|---|\n", k.Name)
	for _, f := range k.Features {
		var gated []string
		for _, r := range k.Rules {
			for _, n := range r.Needs {
				if n == f.Name {
					gated = append(gated, "`"+r.Address()+"`")
				}
			}
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.Name, f.Help, strings.Join(gated, ", "))
	}
}

func checks(b *bytes.Buffer, k *harness.Kind) {
	fmt.Fprintf(b, "\n### Checks of %s\n\n| check | drive | needs |\n|---|---|---|\n", k.Name)
	for _, c := range k.Checks {
		fmt.Fprintf(b, "| `%s/%s` | %s | %s |\n", k.Name, c.Name, c.About, needsOf(c))
	}
}

// needsOf are the features without which a check is skipped.
func needsOf(c harness.Info) string {
	out := featureList(c.Needs)
	if len(c.Either) > 0 {
		out = strings.TrimPrefix(out+", ", ", ") + strings.ReplaceAll(featureList(c.Either), ", ", " or ")
	}
	if len(c.Unless) > 0 {
		out = strings.TrimPrefix(out+", ", ", ") + "not " + strings.ReplaceAll(featureList(c.Unless), ", ", ", not ")
	}
	return out
}

func featureList(fs []harness.Feature) string {
	var out []string
	for _, f := range fs {
		out = append(out, "`"+string(f)+"`")
	}
	return strings.Join(out, ", ")
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
