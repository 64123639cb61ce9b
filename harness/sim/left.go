package sim

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"runtime/pprof"
	"strings"
	"time"
)

// LiveWhole does what Live does for an f whose goroutines are all its own. Like a bubble it returns Leak if goroutines
// that f started, directly or not, are still there after settle. It knows them from others of the process by a pprof
// label, which a goroutine passes on to those that it starts.
func LiveWhole(wall, settle time.Duration, f func()) Ending {
	mark := rand.Text()
	end := Live(wall, func() {
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("lwtest", mark)))
		f()
	})
	if end.How != Done {
		return end
	}
	n, where := marked(mark)
	for limit := time.Now().Add(settle); n > 0 && time.Now().Before(limit); n, where = marked(mark) {
		time.Sleep(10 * time.Millisecond)
	}
	if n > 0 {
		return Ending{Leak, fmt.Sprintf("%d goroutines are still there %s after the end\n\n%s", n, settle, where)}
	}
	return Ending{}
}

// marked counts the goroutines with the label, and returns their stacks.
func marked(mark string) (n int, where string) {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1) // groups of equal stacks, "3 @ 0x…" first
	_, groups, _ := strings.Cut(b.String(), "\n")
	var out []string
	for group := range strings.SplitSeq(groups, "\n\n") {
		if k := 0; strings.Contains(group, mark) {
			_, _ = fmt.Sscanf(group, "%d @", &k)
			n, out = n+k, append(out, group)
		}
	}
	return n, strings.Join(out, "\n\n")
}
