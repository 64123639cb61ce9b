package mutants

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
)

// Faults of clients that show where bytes go out as they seldom do. Each is a transport over another.

type tripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// bodies changes the bodies of answers.
func bodies(change func(r *http.Request, res *http.Response) io.ReadCloser) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(r)
			if err == nil && res.StatusCode == http.StatusOK {
				res.Body = change(r, res)
			}
			return res, err
		})
	}
}

func watches(r *http.Request) bool { return r.URL.Query().Has("watch") }

// chunks is a body of which f changes each chunk, as it comes.
type chunks struct {
	io.ReadCloser
	f    func([]byte) []byte
	rest []byte
	err  error
}

// Read implements io.Reader.
func (c *chunks) Read(b []byte) (int, error) {
	for len(c.rest) == 0 && c.err == nil {
		one := make([]byte, 64<<10)
		var n int
		n, c.err = c.ReadCloser.Read(one)
		c.rest = c.f(one[:n])
	}
	n := copy(b, c.rest)
	if c.rest = c.rest[n:]; n > 0 {
		return n, nil
	}
	return 0, c.err
}

// ofWatches changes the chunks of watches.
func ofWatches(f func([]byte) []byte) func(http.RoundTripper) http.RoundTripper {
	return bodies(func(r *http.Request, res *http.Response) io.ReadCloser {
		if !watches(r) {
			return res.Body
		}
		return &chunks{ReadCloser: res.Body, f: f}
	})
}

// DecodesChunks takes each chunk of a watch that has less than 1,000 bytes for text by itself: what is cut within a character is replaced.
var DecodesChunks = ofWatches(func(b []byte) []byte {
	if len(b) >= 1000 {
		return b
	}
	return bytes.ToValidUTF8(b, []byte("\ufffd"))
})

// InJSON asks for JSON.
func InJSON(next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("Accept", "application/json")
		return next.RoundTrip(r)
	})
}

// FirstOfChunk takes a chunk of a watch for one event, where there are more than twenty in one.
var FirstOfChunk = ofWatches(func(b []byte) []byte {
	if bytes.Count(b, []byte("\n")) <= 20 {
		return b
	}
	return b[:bytes.IndexByte(b, '\n')+1]
})

// failing is a body that cannot be read.
type failing struct{ io.Closer }

// Read implements io.Reader.
func (failing) Read([]byte) (int, error) { return 0, errors.New("invalid header") }

// NoGzip cannot read compressed lists that such chooses.
func NoGzip(such func(*http.Request) bool) func(http.RoundTripper) http.RoundTripper {
	return bodies(func(r *http.Request, res *http.Response) io.ReadCloser {
		if !res.Uncompressed || watches(r) || !such(r) {
			return res.Body
		}
		return failing{res.Body}
	})
}

// EndsAtClose takes the first event of a watch whose connection the server will close for the last.
var EndsAtClose = bodies(func(r *http.Request, res *http.Response) io.ReadCloser {
	c := &chunks{ReadCloser: res.Body}
	c.f = func(b []byte) []byte {
		if i := bytes.IndexByte(b, '\n'); watches(r) && res.Close && i >= 0 {
			c.err = io.EOF
			return b[:i+1]
		}
		return b
	}
	return c
})

// CutsOverHTTP2 reads 256 KiB of a list over HTTP/2, and takes that for a list without the rest.
var CutsOverHTTP2 = bodies(func(r *http.Request, res *http.Response) io.ReadCloser {
	if res.ProtoMajor != 2 || watches(r) {
		return res.Body
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, 256<<10), res.Body}
})

// Pingless is a transport that speaks HTTP/2, and sends no pings.
func Pingless(dial func(ctx context.Context, network, address string) (net.Conn, error), ca []byte) *http.Transport {
	t := &http.Transport{DialContext: dial, ForceAttemptHTTP2: true}
	if ca != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		t.TLSClientConfig.RootCAs.AppendCertsFromPEM(ca)
	}
	return t
}

// InASCII has a question mark for each character that is not in ASCII.
func InASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 127 {
			return '?'
		}
		return r
	}, s)
}

// EmptyGzip takes compressed lists that such chooses for lists without items.
func EmptyGzip(such func(*http.Request) bool) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(r)
			if err != nil || res.StatusCode != http.StatusOK || !res.Uncompressed || watches(r) || !such(r) {
				return res, err
			}
			empty := `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`
			res.Header.Set("Content-Type", "application/json")
			res.Body = struct {
				io.Reader
				io.Closer
			}{strings.NewReader(empty), res.Body}
			return res, nil
		})
	}
}

// DropsAfter drops what a chunk of a watch has after its first event, where the chunk has a text.
func DropsAfter(text string) func(http.RoundTripper) http.RoundTripper {
	return ofWatches(func(b []byte) []byte {
		if i := bytes.IndexByte(b, '\n'); i >= 0 && i+1 < len(b) && bytes.Contains(b, []byte(text)) {
			return b[:i+1]
		}
		return b
	})
}

// CountsReads ends a watch in which an event has come in more than most chunks.
func CountsReads(most int) func(http.RoundTripper) http.RoundTripper {
	return bodies(func(r *http.Request, res *http.Response) io.ReadCloser {
		if !watches(r) {
			return res.Body
		}
		n := 0
		c := &chunks{ReadCloser: res.Body}
		c.f = func(b []byte) []byte {
			if n++; bytes.IndexByte(b, '\n') >= 0 {
				n = 0
			}
			if n > most {
				return nil
			}
			return b
		}
		return c
	})
}
