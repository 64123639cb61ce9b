package listerwatcher

import (
	"bufio"
	"bytes"
	"io"
	"net/http"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
)

// long have a fault that shows where an object has many bytes.
func long() []mutant {
	return []mutant{
		{name: "long-event-lost", rule: "watch/faithful", about: "an event of more than 64 KiB is left out, and the rest goes on", wire: reads(func(line []byte) bool { return len(line) <= 64<<10 })},
		{name: "long-event-ends", rule: "watch/faithful", about: "a watch ends at an event of more than 64 KiB", wire: scanning},
		{name: "next-line-ends-frame", rule: "watch/faithful", about: "a character that ends a line for Unicode, and not for JSON, ends a frame, whose halves are left out", wire: reads(without("\u0085"))},
		{name: "long-text-cut", rule: "list/faithful", about: "of a text in an item all but the first 64 KiB is cut", calls: lists(func(l *conformance.List) {
			for i, item := range l.Items {
				l.Items[i] = fields(item, cutTexts)
			}
		})},
	}
}

func cutTexts(o map[string]any) {
	data, _ := o["data"].(map[string]any)
	for name, text := range data {
		if s, ok := text.(string); ok {
			data[name] = s[:min(len(s), 64<<10)]
		}
	}
}

// scanning has the room for a line that bufio.Scanner has, 64 KiB: at a longer one a stream is over.
func scanning(next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err == nil && isWatch(r) {
			lines := bufio.NewScanner(res.Body)
			res.Body = &scanned{Closer: res.Body, lines: lines}
		}
		return res, err
	})
}

// scanned is what a scanner gives.
type scanned struct {
	io.Closer
	lines *bufio.Scanner
	next  bytes.Buffer
}

// Read implements io.Reader.
func (s *scanned) Read(b []byte) (int, error) {
	for s.next.Len() == 0 {
		if !s.lines.Scan() {
			return 0, io.EOF
		}
		s.next.Write(append(s.lines.Bytes(), '\n'))
	}
	return s.next.Read(b)
}
