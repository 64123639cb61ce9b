package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// serveFiles serves the files of a folder on loopback until close is called, for operators that download. A folder in it whose name ends in .tgz
// is served as an archive. address is the URL of the folder.
func serveFiles(folder string) (address string, close func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	files := os.DirFS(folder)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		name := strings.TrimPrefix(path.Clean(q.URL.Path), "/")
		if !strings.HasSuffix(name, ".tgz") {
			http.ServeFileFS(w, q, files, name)
			return
		}
		b, err := archive(files, name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		_, _ = w.Write(b)
	})}
	go func() { _ = server.Serve(l) }()
	return "http://" + l.Addr().String(), func() { _ = server.Close() }, nil
}

// archive returns what is in a folder, as a compressed archive. It is the same each time.
func archive(files fs.FS, folder string) ([]byte, error) {
	in, err := fs.Sub(files, folder)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	err = errors.Join(t.AddFS(in), t.Close(), z.Close())
	return b.Bytes(), err
}

// digest is how a scenario names the digest of an archive.
var digest = regexp.MustCompile(`{digest:([^}]*)}`)

// fillScenario returns the scenario with the address of the files that are served, and the digests of archives, filled in.
func fillScenario(scenario, folder, address string) (string, error) {
	var failed error
	scenario = digest.ReplaceAllStringFunc(scenario, func(what string) string {
		b, err := archive(os.DirFS(folder), digest.FindStringSubmatch(what)[1])
		failed = errors.Join(failed, err)
		return fmt.Sprintf("sha256:%x", sha256.Sum256(b))
	})
	return strings.ReplaceAll(scenario, "{files}", address), failed
}

// scenario serves the operator's files, if it has some, and returns the path of its scenario with their address filled in.
func (o *operator) scenario(dir string) (file string, close func(), err error) {
	file = filepath.Join(o.here(), "scenario.yaml")
	folder := filepath.Join(o.here(), "files")
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return file, func() {}, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	address, close, err := serveFiles(folder)
	if err != nil {
		return "", nil, err
	}
	filled, err := fillScenario(string(text), folder, address)
	file = filepath.Join(dir, "lwtest-scenario.yaml")
	return file, close, errors.Join(err, os.WriteFile(file, []byte(filled), 0o600))
}
