package main

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// Every way says what it is, and opens what it offers.
func TestWays(t *testing.T) {
	open := map[string]string{
		"store":         `{"id":2,"op":"store.open","h":"h"}`,
		"informer":      `{"id":2,"op":"inf.open","h":"h","server":{"url":"http://127.0.0.1:1"},"resource":{"version":"v1","resource":"configmaps"}}`,
		"watchcache":    `{"id":2,"op":"wc.open","h":"h"}`,
		"listerwatcher": `{"id":2,"op":"lw.open","h":"h","server":{"url":"http://127.0.0.1:1"},"resource":{"version":"v1","resource":"configmaps"}}`,
	}
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			a := adapter.Adapter{Implementation: w.name}
			w.offer(&a)
			offers := map[string]bool{"store": a.Store.Open != nil, "informer": a.Informer.New != nil, "listerwatcher": a.ListerWatcher.Open != nil, "watchcache": a.WatchCache.Open != nil}
			for kind, request := range open {
				if !offers[kind] {
					continue
				}
				out := answers(t, a, `{"id":1,"op":"hello","protocol":1}`, request)
				if !strings.Contains(out, `"kind":"`+kind+`","features":["`) {
					t.Errorf("it says of itself: %s", out)
				}
				if !strings.Contains(out, `{"id":2,"ok":{}}`) {
					t.Errorf("it opens nothing: %s", out)
				}
			}
		})
	}
}

// answers are those of an adapter, when its case has ended.
func answers(t *testing.T, a adapter.Adapter, lines ...string) string {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	ended := make(chan int)
	go func() { ended <- adapter.Serve(a, in, out) }()
	heard := bufio.NewScanner(from)
	var all strings.Builder
	for _, line := range append(lines, `{"id":9,"op":"case.end"}`) {
		if _, err := io.WriteString(to, line+"\n"); err != nil {
			t.Fatal(err)
		}
		heard.Scan()
		all.WriteString(heard.Text() + "\n")
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if status := <-ended; status != 0 {
		t.Fatalf("status %d: %s", status, all.String())
	}
	return all.String()
}
