package listerwatcher

import (
	"encoding/json"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// wires have a fault that shows where bytes go out as they seldom do, or where a connection dies.
func wires() []mutant {
	always := func(*http.Request) bool { return true }
	return []mutant{
		{name: "chunks-decoded", rule: "watch/faithful", about: "each short chunk of a watch is text by itself: what is cut within a character is replaced (kubernetes-client/python#2087)", wire: mutants.DecodesChunks},
		{name: "chunks-decoded-resumed", of: "retry-watcher", rule: "watch/faithful", about: "so it is with a client that resumes watches", wire: mutants.DecodesChunks},
		{name: "chunk-is-event", rule: "watch/faithful", about: "a chunk of a watch with more than twenty events is taken for the first of them", wire: mutants.FirstOfChunk},
		{name: "gzip-unread", rule: "list/faithful", about: "a compressed list cannot be read", wire: mutants.NoGzip(always)},
		{name: "gzip-pages-unread", rule: "list/faithful", about: "so it is with compressed pages", wire: mutants.NoGzip(func(r *http.Request) bool { return r.URL.Query().Has("limit") })},
		{name: "close-is-end", rule: "watch/faithful", about: "of a watch whose connection the server will close the first event is the last", wire: mutants.EndsAtClose},
		{name: "http2-cut", rule: "list/faithful", about: "of a list over HTTP/2 256 KiB are read", wire: mutants.CutsOverHTTP2},
		{name: "client-note-cut", rule: "list/faithful", about: "of an annotation of a list's item 100,000 bytes come", calls: lists(func(l *conformance.List) {
			for i := range l.Items {
				l.Items[i] = shortened(l.Items[i])
			}
		})},
		{name: "event-note-cut", rule: "watch/faithful", about: "so it is with events", calls: alters(func(_ int, e *event) { e.Object = shortened(e.Object) })},
		{name: "message-in-ascii", rule: "list/error-text", about: "the message of an error is in ASCII", calls: statuses(func(s *metav1.Status) { s.Message = mutants.InASCII(s.Message) })},
		{name: "error-in-ascii", rule: "list/error-text", about: "so is that of an ERROR", calls: alters(func(_ int, e *event) {
			if e.Type == "ERROR" {
				e.Object = json.RawMessage(mutants.InASCII(string(e.Object)))
			}
		})},
		{name: "pings-lost", rule: "watch/dead-connection", about: "over HTTP/2 no pings are sent", config: pingless},
		{name: "pings-lost-resumed", of: "retry-watcher", rule: "watch/dead-connection", about: "so it is with a client that resumes watches", config: pingless},
	}
}

// shortened is an object whose annotations have 100,000 bytes at most.
func shortened(b json.RawMessage) json.RawMessage {
	return fields(b, func(o map[string]any) {
		m, _ := o["metadata"].(map[string]any)
		all, _ := m["annotations"].(map[string]any)
		for name, text := range all {
			if text, ok := text.(string); ok {
				all[name] = strings.ToValidUTF8(text[:min(len(text), 100_000)], "")
			}
		}
	})
}

// pingless has clients use a transport that sends no pings.
func pingless(c *rest.Config) {
	c.Transport = mutants.Pingless(c.Dial, c.CAData)
	c.Dial, c.TLSClientConfig = nil, rest.TLSClientConfig{}
}
