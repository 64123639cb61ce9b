package html

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

func TestSite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	rows := []report.Row{
		{Implementation: "client-go <store> v0.36.1", Kind: "store", Sections: []report.Section{{Name: "basic", Pass: 3, Fail: 1}}},
		{Implementation: "client-go <store> v0.37.2", Kind: "store", Sections: []report.Section{{Name: "basic", Pass: 4}, {Name: "queue", Skip: 2}}},
		{Implementation: "fake", Kind: "watchcache", Cut: true, Only: []string{"list"}, Sections: []report.Section{{Name: "list", Known: 1}}},
	}
	require.NoError(t, Site(dir, &report.Table{Rows: rows}))
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(b)
	}
	index, one := read("index.html"), read("client-go-store.html")
	for _, want := range []string{`<a href="client-go-store.html">client-go &lt;store&gt;</a>`, `<td>v0.36.1</td>`, `class="num failed" title="3/4, **1 fail**">3/4`, `class="num zero" title="none">`,
		`class="num known"`, "cut short", "only list"} {
		assert.Contains(t, index, want)
	}
	assert.Contains(t, one, "v0.36.1")
	assert.Contains(t, one, "v0.37.2")
	assert.NotContains(t, one, "watchcache")
	assert.Error(t, Site(filepath.Join(dir, "index.html"), &report.Table{}))
}

// Each implementation has a file of its own, whatever its name, with the newest version first.
func TestSitePages(t *testing.T) {
	dir := t.TempDir()
	names := []string{"index", "日本語", "ελληνικά", "my client", "my-client", "My Client", strings.Repeat("long ", 60) + "a", strings.Repeat("long ", 60) + "b", "con", "../../etc/passwd", "a\u202eb"}
	var rows []report.Row
	for _, n := range names {
		rows = append(rows, report.Row{Implementation: n + " v1.9.0", Kind: "store"}, report.Row{Implementation: n + " v1.10.0-beta.2", Kind: "store"}, report.Row{Implementation: n + " 1.10.0", Kind: "store"},
			report.Row{Implementation: n + " v1.10.0-beta.10", Kind: "store"}, report.Row{Implementation: n + " v1.10.0-alpha.3", Kind: "store"}, report.Row{Implementation: n, Kind: "store"})
	}
	require.NoError(t, Site(dir, &report.Table{Rows: rows}))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, len(names)+1)
	index, err := os.ReadFile(filepath.Join(dir, "index.html"))
	require.NoError(t, err)
	for _, f := range files {
		assert.Regexp(t, `^[a-z0-9-]{1,80}\.html$`, f.Name())
		assert.NotRegexp(t, `^con\.`, f.Name())
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		assert.NotContains(t, string(b), "\u202e")
		if f.Name() != "index.html" {
			assert.Contains(t, string(index), `href="`+f.Name()+`"`)
			assert.Regexp(t, `(?s)<td>1.10.0<.*<td>v1.10.0-beta.10<.*<td>v1.10.0-beta.2<.*<td>v1.10.0-alpha.3<.*<td>v1.9.0<.*<td></td>`, string(b))
		}
	}
}

// On a phone the names stay beside their numbers, and a heading that a link leads to is not hidden.
func TestSiteInABrowser(t *testing.T) {
	dir := t.TempDir()
	var rows []report.Row
	for _, kind := range []string{"store", "informer"} {
		row := report.Row{Implementation: "an-implementation-with-quite-a-long-name v1.0.0", Kind: kind}
		for i := range 20 {
			row.Sections = append(row.Sections, report.Section{Name: fmt.Sprintf("section-%d", i), Open: 1})
		}
		for range 30 {
			rows = append(rows, row)
		}
	}
	require.NoError(t, Site(dir, &report.Table{Rows: rows}))
	page := filepath.Join(dir, "index.html")
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	const look = `<script>addEventListener('load', () => {
		const box = document.querySelector('.names'), name = box.querySelector('tbody th');
		box.scrollLeft = 900;
		document.body.dataset.name = box.scrollLeft > 0 && name.getBoundingClientRect().left >= 0;
		document.body.dataset.heading = document.querySelector('#informer').getBoundingClientRect().top >= document.querySelector('header').getBoundingClientRect().bottom;
	});</script></body>`
	require.NoError(t, os.WriteFile(page, []byte(strings.Replace(string(b), "</body>", look, 1)), 0o600))
	for _, size := range []string{"500,700", "1000,700"} {
		out := browser(t, page+"#informer", "--dump-dom", "--window-size="+size)
		assert.True(t, strings.Contains(out, `data-name="true"`), size)
		assert.True(t, strings.Contains(out, `data-heading="true"`), size)
		assert.Contains(t, out, "Purple")
	}
}

func TestSplit(t *testing.T) {
	for in, want := range map[string][2]string{
		"fake":                               {"fake", ""},
		"client-go typed v0.37.2, on a kind": {"client-go typed, on a kind", "v0.37.2"},
		"@kubernetes/client-node 2.0.1":      {"@kubernetes/client-node", "2.0.1"},
	} {
		name, version := split(in)
		assert.Equal(t, want, [2]string{name, version})
	}
}
