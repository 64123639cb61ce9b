package html

import (
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	pages := []sitePage{{Title: "What implementations keep", File: "index.html", Index: true, Kinds: kindsOf(t.Rows)}}
	by := map[string][]report.Row{}
	for _, r := range t.Rows {
		name, _ := split(r.Implementation)
		by[name] = append(by[name], r)
	}
	for name, rows := range by {
		pages = append(pages, sitePage{Title: name, File: fileOf(name), Kinds: kindsOf(rows)})
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

func kindsOf(rows []report.Row) (out []siteKind) {
	for _, r := range rows {
		i := slices.IndexFunc(out, func(k siteKind) bool { return k.Name == r.Kind })
		if i < 0 {
			i = len(out)
			out = append(out, siteKind{Name: r.Kind})
		}
		k := &out[i]
		name, version := split(r.Implementation)
		k.Rows = append(k.Rows, siteRow{Name: name, Version: version, File: fileOf(name), Row: r})
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

func fileOf(name string) string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-") + ".html"
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
