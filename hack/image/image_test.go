package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// entry is one of an archive.
type entry struct {
	mode int64
	link string
	body string
}

func entries(t *testing.T, archive []byte) map[string]entry {
	t.Helper()
	out := map[string]entry{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		require.NotContains(t, out, h.Name)
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		out[h.Name] = entry{h.Mode, h.Linkname, string(b)}
	}
}

// written is an image as it is loaded, and its layer.
func written(t *testing.T, i Image) (config map[string]any, layer map[string]entry) {
	t.Helper()
	var out, again bytes.Buffer
	require.NoError(t, i.Write(&out, t.TempDir()))
	require.NoError(t, i.Write(&again, t.TempDir()))
	assert.Equal(t, out.Bytes(), again.Bytes(), "it is the same each time")
	all := entries(t, out.Bytes())
	var manifest []struct {
		Config           string
		RepoTags, Layers []string
	}
	require.NoError(t, json.Unmarshal([]byte(all["manifest.json"].body), &manifest))
	require.Len(t, manifest, 1)
	assert.Equal(t, []string{i.Ref}, manifest[0].RepoTags)
	require.NoError(t, json.Unmarshal([]byte(all[manifest[0].Config].body), &config))
	body := all[manifest[0].Layers[0]].body
	sum := sha256.Sum256([]byte(body))
	assert.Equal(t, []any{"sha256:" + hex.EncodeToString(sum[:])}, config["rootfs"].(map[string]any)["diff_ids"])
	return config, entries(t, []byte(body))
}

func TestImage(t *testing.T) {
	from := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(from, []byte("a program"), 0o755))
	config, layer := written(t, Image{Ref: "local/x:1", Config: Config{Entrypoint: []string{"/usr/local/bin/x"}, StopSignal: "SIGRTMIN+3"},
		Files: []File{{from, "/usr/local/bin/x"}, {from, "/tmp/x"}}, Dirs: []Folder{{"/tmp", 0o1777}, {"/var/lib/x", 0o700}}})
	assert.Equal(t, map[string]any{"Entrypoint": []any{"/usr/local/bin/x"}, "StopSignal": "SIGRTMIN+3"}, config["config"])
	assert.Equal(t, map[string]entry{
		"usr/": {0o755, "", ""}, "usr/local/": {0o755, "", ""}, "usr/local/bin/": {0o755, "", ""}, "usr/local/bin/x": {0o755, "", "a program"},
		"tmp/": {0o1777, "", ""}, "tmp/x": {0o755, "", "a program"}, "var/": {0o755, "", ""}, "var/lib/": {0o755, "", ""}, "var/lib/x/": {0o700, "", ""},
	}, layer)
}

func TestImageOfTree(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "etc/deep"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(root, "etc/deep/file"), []byte("content"), 0o640))
	require.NoError(t, os.Symlink("deep/file", filepath.Join(root, "etc/link")))
	_, layer := written(t, Image{Ref: "local/tree:1", Tree: root})
	delete(layer, "./")
	assert.Equal(t, map[string]entry{"etc/": {0o750, "", ""}, "etc/deep/": {0o750, "", ""}, "etc/deep/file": {0o640, "", "content"}, "etc/link": {0o777, "deep/file", ""}}, layer)
}

func TestImageOfNothing(t *testing.T) {
	err := Image{Ref: "local/x:1", Files: []File{{"/does/not/exist", "/x"}}}.Write(io.Discard, t.TempDir())
	require.ErrorContains(t, err, "the layer of local/x:1")
}
