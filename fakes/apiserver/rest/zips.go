package rest

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/lru"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
)

// gzipFrom is from how many bytes on an answer is compressed for who takes that.
const gzipFrom = 128 << 10

const (
	keptZips = 16      // how many compressed lists are kept
	seenZips = 256     // of how many lists it is known that they were asked for once
	mostZip  = 4 << 20 // how many bytes a compressed list may have to be kept
)

// zips compress answers. A list that is asked for a second time, without a change in between, is kept.
type zips struct {
	seen *lru.Cache // by zipKey
	kept *lru.Cache // bytes by zipKey
}

func newZips() zips { return zips{lru.New(seenZips), lru.New(keptZips)} }

// zipKey says what a compressed list is of. The zero value is none, which is not kept.
type zipKey struct {
	uri, media, as, version string
	items                   int
}

// zipKey returns the key of a list. Tables have none: their ages change.
func (x *exchange) zipKey(f form, l apiserver.Listed) zipKey {
	m, err := meta.ListAccessor(l.List)
	if err != nil || f.as.Kind == "Table" || !x.zipped(gzipFrom+1) || x.wire.Cut || x.wire.Hang {
		return zipKey{}
	}
	return zipKey{x.r.URL.RequestURI(), f.name, f.as.Kind, m.GetResourceVersion() + " " + m.GetContinue(), len(l.Items)}
}

// keptZip sends a compressed list that is kept; false: it is not.
func (x *exchange) keptZip(f form, key zipKey) bool {
	b, ok := x.zips.kept.Get(key)
	if !ok {
		return false
	}
	x.w.Header().Set("Content-Type", f.contentType())
	x.zipHeader()
	x.w.WriteHeader(http.StatusOK)
	_, _ = x.w.Write(b.([]byte)) // a client that is gone needs no answer
	return true
}

func (x *exchange) zipHeader() {
	x.w.Header().Set("Content-Encoding", "gzip")
	x.w.Header().Add("Vary", "Accept-Encoding")
}

// zip writes a body compressed, and keeps that the second time.
func (x *exchange) zip(out io.Writer, key zipKey, write func(io.Writer)) {
	var keep bytes.Buffer
	if _, again := x.zips.seen.Get(key); again && key != (zipKey{}) {
		out = io.MultiWriter(out, &keep)
	}
	x.zips.seen.Add(key, nil)
	z, ok := x.writers.Get().(*gzip.Writer)
	if !ok {
		z, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one
	}
	z.Reset(out)
	write(z)
	_ = z.Close()
	x.writers.Put(z)
	if n := keep.Len(); n > 0 && n <= mostZip {
		x.zips.kept.Add(key, bytes.Clone(keep.Bytes()))
	}
}

// zipped reports whether an answer of that size is compressed.
func (x *exchange) zipped(size int) bool {
	how := x.wire.Bytes.Gzip
	return (size > gzipFrom || how == faults.Always) && how != faults.Never && takesGzip(x.r)
}

func takesGzip(r *http.Request) bool {
	for _, token := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		if strings.TrimSpace(token) == "gzip" {
			return true
		}
	}
	return false
}
