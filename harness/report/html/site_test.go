package html

import (
	"os"
	"path/filepath"
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
