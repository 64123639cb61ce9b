package informer

import (
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/plugins/mutants"
)

// wireMutants have a fault that shows where bytes go out as they seldom do, where a connection dies, or nothing comes.
var wireMutants = []variant{
	{"informer-pings-lost", "resume/dead-connection", "over HTTP/2 it sends no pings", wiredLists, pingless},
	{"pings-lost-streams", "resume/dead-connection", "so does one that asks for streaming lists", wired, pingless},
	{"dead-from-zero", "resume/version", "when its connection was dead it watches from version 0", wiredLists, func(i *informer) {
		next := i.next
		i.next = func(what string, err error) time.Duration {
			if err != nil && strings.Contains(err.Error(), "connection lost") {
				i.at.version, i.at.listed = "0", true
				return time.Second
			}
			return next(what, err)
		}
	}},
	{"silence-unnoticed", "resume/silence", "it waits for ever for what comes of a watch", lists, func(i *informer) { i.silence = forEver }},
	{"silence-unnoticed-lists", "resume/silence", "it waits for ever for what comes of a list", lists, func(i *informer) { i.answers = forEver }},
	{"silence-unnoticed-streams", "resume/silence", "it waits for ever for what comes of a streaming list, or of a watch", streams, func(i *informer) { i.silence, i.patience = forEver, forEver }},
	{"informer-chunks-decoded", "converge/equal", "each chunk of a watch is text by itself: what is cut within a character is replaced", wiredLists, wraps(func(next http.RoundTripper) http.RoundTripper {
		return mutants.DecodesChunks(mutants.InJSON(next))
	})},
	{"informer-gzip-unread", "converge/equal", "it cannot read a compressed list that is its second or a later one", wiredLists, func(i *informer) {
		wraps(mutants.NoGzip(func(r *http.Request) bool { return r.URL.Query().Has("resourceVersion") }))(i)
	}},
	{"informer-note-cut", "converge/equal", "of an annotation it keeps 100,000 bytes", lists, func(i *informer) {
		i.shapes = func(o runtime.Object) {
			m, err := meta.Accessor(o)
			if err != nil {
				return
			}
			for name, text := range m.GetAnnotations() {
				m.GetAnnotations()[name] = strings.ToValidUTF8(text[:min(len(text), 100_000)], "")
			}
		}
	}},
}

const forEver = 1000 * time.Hour

// pingless asks by a transport that sends no pings.
func pingless(i *informer) {
	server := i.config.Server
	wraps(func(http.RoundTripper) http.RoundTripper {
		return mutants.Pingless(server.Dial, server.CA)
	})(i)
}
