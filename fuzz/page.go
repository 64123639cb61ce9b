package fuzz

import (
	"html/template"
	"io"
	"strings"

	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/story"
)

// WritePage writes the grid of pairs as a page for a browser, in one file.
func (r *Report) WritePage(file string) error {
	return report.WriteFile(file, func(w io.Writer) error { return page.Execute(w, r) })
}

// gridRow is a value with what became of it beside each value before it.
type gridRow struct {
	Value string
	Cells []gridCell
}

type gridCell struct{ Class, Title string }

// what says what the cells of Pairs mean.
var what = map[byte][2]string{never: {"never", "cannot go together"}, possible: {"open", "not reached"}, reached: {"reached", "reached, but judged by no rule"}, survived: {"survived", "judged by subject/survives alone"}, judged: {"judged", "judged"}}

// Rows returns the grid for a page.
func (p *Pairs) Rows() (all []gridRow) {
	if p == nil {
		return nil
	}
	for i, cells := range p.Cells {
		row := gridRow{Value: p.Values[i]}
		for j := range cells {
			x := what[cells[j]]
			title := p.Values[j] + story.And + p.Values[i] + ": " + x[1]
			if cells[j] == same {
				title = ""
			}
			row.Cells = append(row.Cells, gridCell{x[0], title})
		}
		all = append(all, row)
	}
	return all
}

// Summary counts the pairs in a line.
func (p *Pairs) Summary() string {
	var b strings.Builder
	p.text(&b, false)
	return strings.TrimSpace(strings.TrimPrefix(b.String(), "pairs"))
}

var page = template.Must(template.New("pairs").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>lwtest fuzz: {{.Kind}} on {{.Target}}</title>
<style>
body { font: 14px system-ui, sans-serif; margin: 2em; color: #222; background: #fff }
table { border-collapse: collapse } th { text-align: right; font-weight: normal; padding-right: .5em; white-space: nowrap }
td { width: 10px; height: 14px; border: 1px solid #fff; padding: 0 }
.judged { background: #2a7f3f } .survived { background: #7aa93c } .reached { background: #d9a514 } .open { background: #c5372c } .never { background: #ddd }
.key td { width: auto; padding: 0 .6em; color: #fff } .key td.never { color: #222 }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd } td { border-color: #1b1b1b } .never { background: #444 } }
</style>
<h1>{{.Kind}} on {{.Target}}</h1>
<p>{{.Line}}</p>
{{if .Covered}}<p>Pairs: {{.Covered.Summary}}</p>
<table class="key"><tr><td class="judged">judged</td><td class="survived">judged by subject/survives alone</td><td class="reached">reached</td><td class="open">not reached</td><td class="never">cannot go together</td></tr></table>
<p>Each square is a pair of two values: that of its row, and that of the row whose number in the list is its column. Point at it to read both.</p>
<table>{{range .Covered.Rows}}<tr><th scope="row">{{.Value}}</th>{{range .Cells}}<td class="{{.Class}}"{{with .Title}} title="{{.}}"{{end}}></td>{{end}}</tr>
{{end}}</table>
{{else}}<p>This kind has no dimensions.</p>{{end}}
</html>
`))
