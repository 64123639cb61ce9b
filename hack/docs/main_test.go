package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/informer"
)

func TestDocsAreCurrent(t *testing.T) {
	require.NoError(t, run(filepath.Join("..", ".."), true))
}

// The page shows how to add a check with a name that is still free.
func TestExampleIsNew(t *testing.T) {
	const example = "resume/version/mine"
	require.Contains(t, storiesIntro, `"`+example+`"`)
	require.NotContains(t, informer.Suite.Describe().Addresses(), "informer/"+example)
}

func TestStaleDocsAreTold(t *testing.T) {
	root := t.TempDir()
	require.ErrorContains(t, run(root, true), "results.json")
	require.NoError(t, os.Mkdir(filepath.Join(root, "docs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs", "results.json"), []byte(`{"lwtest":"results/v1"}`), 0o644))
	for _, name := range []string{"fidelity.json", "speed.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "docs", name), []byte(`{}`), 0o644))
	}
	for _, dir := range []string{"examples", "conformance"} { // docs/stories.md is made of them
		there, err := filepath.Abs(filepath.Join("..", "..", dir))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(there, filepath.Join(root, dir)))
	}
	require.ErrorContains(t, run(root, true), "not current")
	require.NoError(t, run(root, false))
	require.NoError(t, run(root, true))
	file := filepath.Join(root, "docs", "contract.md")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, b[1:], 0o644))
	require.ErrorContains(t, run(root, true), "go run ./hack/docs")
}

// The page about speed has the table in the place for it.
func TestSpeedTable(t *testing.T) {
	all, err := pages(filepath.Join("..", ".."))
	require.NoError(t, err)
	page := all["docs/speed.md"]
	require.Regexp(t, `\n\| creates \| [\d,]+ a second \| [\d,]+ a second \| \d\.\d\d \| 3 \|\n`, string(page([]byte("a\n<!-- from docs/speed.json -->\nold\n<!-- end of it -->\nb"))))
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "speed.md"))
	require.NoError(t, err)
	require.Contains(t, string(b), "\n<!-- from docs/speed.json -->\n| |")
}

// The README counts what there is, and says so in sentences that are found.
func TestReadmeCounts(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	for _, sentence := range []string{
		"against 7777 servers with exactly one fault", "and 7777 informers with one", "7777 clients with one", "7777 stores and queues with one",
		"on 7777 odd but correct servers", "and 7777 odd informers", "7777 odd clients", "7777 odd stores and queues",
		"7777 container runtimes with one", "7777 node agents with one", "7777 odd container runtimes", "7777 odd node agents",
	} {
		got := string(counted([]byte("runs " + sentence + " each")))
		require.NotContains(t, got, sentence)
		require.Contains(t, string(b), strings.TrimSuffix(strings.TrimPrefix(got, "runs "), " each"))
	}
}

// A page shows each picture.
func TestImagesAreShown(t *testing.T) {
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	var all strings.Builder
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		b, err := os.ReadFile(page)
		require.NoError(t, err)
		all.Write(b)
	}
	images, err := filepath.Glob(filepath.Join(root, "docs", "images", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, images)
	for _, image := range images {
		require.Contains(t, all.String(), "images/"+filepath.Base(image))
	}
}
