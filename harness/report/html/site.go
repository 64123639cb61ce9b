package html

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lwtest/lwtest/harness/report"
)

//go:embed site.html
var siteText string

var siteTemplate = template.Must(template.New("site").Funcs(template.FuncMap{"css": func() template.CSS { return template.CSS(css) }, "cell": cell}).Parse(siteText))

// Site writes a table of results as a static site: an index with implementations by sections of the contract, and a page
// for each implementation with its versions. dir is created; files of the same names are replaced.
func Site(dir string, t *report.Table) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	by := map[string][]report.Row{}
	for _, r := range t.Rows {
		name, _ := split(r.Implementation)
		by[name] = append(by[name], r)
	}
	files := filesOf(slices.Collect(maps.Keys(by)))
	pages := []sitePage{{Title: "What implementations keep", File: "index.html", Index: true, Kinds: kindsOf(t.Rows, files)}}
	for name, rows := range by {
		slices.SortStableFunc(rows, newestFirst)
		pages = append(pages, sitePage{Title: report.Line(name), File: files[name], Kinds: kindsOf(rows, files)})
	}
	for _, p := range pages {
		if err := p.write(dir); err != nil {
			return err
		}
	}
	return nil
}

type sitePage struct {
	Title, File string
	Index       bool
	Kinds       []siteKind
}

// siteKind is the table of one kind.
type siteKind struct {
	Name     string
	Sections []string
	Rows     []siteRow
}

type siteRow struct {
	Name, Version, File string
	report.Row
	Cells []*report.Section // one for each of the kind's sections; nil: none
}

func (p sitePage) write(dir string) error {
	f, err := os.Create(filepath.Join(dir, p.File))
	if err != nil {
		return err
	}
	if err := siteTemplate.Execute(f, p); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", p.File, err)
	}
	return f.Close()
}

func kindsOf(rows []report.Row, files map[string]string) (out []siteKind) {
	for _, r := range rows {
		i := slices.IndexFunc(out, func(k siteKind) bool { return k.Name == r.Kind })
		if i < 0 {
			i = len(out)
			out = append(out, siteKind{Name: r.Kind})
		}
		k := &out[i]
		name, version := split(r.Implementation)
		k.Rows = append(k.Rows, siteRow{Name: report.Line(name), Version: report.Line(version), File: files[name], Row: r})
	}
	for i := range out {
		var of []report.Row
		for _, row := range out[i].Rows {
			of = append(of, row.Row)
		}
		out[i].Sections = report.Sections(of)
		for j := range out[i].Rows {
			row := &out[i].Rows[j]
			for _, name := range out[i].Sections {
				var cell *report.Section
				if n := slices.IndexFunc(row.Sections, func(s report.Section) bool { return s.Name == name }); n >= 0 {
					cell = &row.Sections[n]
				}
				row.Cells = append(row.Cells, cell)
			}
		}
	}
	return out
}

var versionIn = regexp.MustCompile(` v?(\d+\.\d+[^ ,]*)`)

// split returns the name of an implementation without its version, and the version, which may be empty.
func split(implementation string) (name, version string) {
	at := versionIn.FindStringSubmatchIndex(implementation)
	if at == nil {
		return implementation, ""
	}
	return implementation[:at[0]] + implementation[at[1]:], strings.TrimSpace(implementation[at[0]:at[1]])
}

// newestFirst compares rows by version.
func newestFirst(a, b report.Row) int { return slices.Compare(order(b), order(a)) }

var parts = regexp.MustCompile(`-|[0-9]+|[a-zA-Z]`)

// order returns a version as numbers that compare as versions do: a pre-release comes before its release, alpha before beta.
func order(r report.Row) (out []int) {
	_, version := split(r.Implementation)
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "+")
	for _, part := range parts.FindAllString(version, -1) {
		n, err := strconv.Atoi(part)
		switch {
		case part == "-":
			n = -1
		case err != nil:
			n = int(part[0])
		}
		out = append(out, n)
	}
	return append(out, 0)
}

// taken are names of files that a site has, or that Windows keeps for devices.
var taken = regexp.MustCompile(`^(|index|con|prn|aux|nul|(com|lpt)[0-9])$`)

// filesOf gives each implementation a file name. It is short, and differs from the others without regard to case. A name that another
// implementation would have, too, ends with a hash.
func filesOf(names []string) map[string]string {
	const most = 60
	words := func(name string) string {
		return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")
	}
	used := map[string]int{}
	for _, n := range names {
		used[words(n)]++
	}
	files := map[string]string{}
	for _, n := range names {
		w := words(n)
		if used[w] > 1 || len(w) > most || taken.MatchString(w) {
			w = strings.Trim(fmt.Sprintf("%s-%.6x", w[:min(len(w), most)], sha256.Sum256([]byte(n))), "-")
		}
		files[n] = w + ".html"
	}
	return files
}

// shown is a cell: its class, its text, and what it says in full.
type shown struct{ Class, Text, Title string }

func cell(s *report.Section) shown {
	if s == nil {
		return shown{"zero", "–", "none"}
	}
	class := "passed"
	switch {
	case s.Fail > 0:
		class = "failed"
	case s.Should > 0:
		class = "should"
	case s.Known > 0:
		class = "known"
	case s.Pass == 0 && s.Open > 0:
		class = "inconclusive"
	case s.Pass == 0:
		class = "zero"
	}
	text := "–"
	if of := s.Pass + s.Fail + s.Should + s.Known; of > 0 || s.Open > 0 {
		text = fmt.Sprintf("%d/%d", s.Pass, of)
	}
	return shown{class, text, s.String()}
}
