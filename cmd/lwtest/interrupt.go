package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/lwtest/lwtest/harness/report"
)

// interruptible returns a context that ends when somebody interrupts lwtest, ends it, closes its terminal, or stops
// reading its output. The run then cleans up. A second signal ends lwtest at once, unless it comes together with the first.
func (a app) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	over := make(chan struct{})
	read := unread(ctx, over)
	ctx, stop := signal.NotifyContext(read, ending()...)
	context.AfterFunc(ctx, func() {
		again := make(chan os.Signal, 2)
		signal.Notify(again, ending()...)
		defer signal.Stop(again)
		stop()
		asked, first := read.Err() == nil, time.Now() // else nobody has pressed Ctrl-C yet
		for {
			select {
			case by := <-again:
				switch {
				case asked && time.Since(first) > together:
					a.leave(by)
				case !asked:
					fmt.Fprintf(a.stderr, "lwtest: cleaning up, because nobody reads the output any more; a second signal (%s) ends it at once\n", by)
					asked, first = true, time.Now()
				}
			case <-over:
				return
			}
		}
	})
	return ctx, sync.OnceFunc(func() { close(over); stop() })
}

// together is how far apart signals may come that count as one: timeout sends one to the process, and then one to its group.
const together = 200 * time.Millisecond

// unreadEvery is how often a run checks whether somebody still reads its output.
const unreadEvery = 250 * time.Millisecond

// unread returns a context that ends when the reader of lwtest's output is gone, such as head, or a tee that was
// interrupted too. SIGPIPE does not end the process after that. The signal may also come from a pipe to an adapter,
// which does not count.
func unread(ctx context.Context, over <-chan struct{}) context.Context {
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		look := time.NewTicker(unreadEvery) // a run may write nothing for a while
		defer look.Stop()
		for {
			select {
			case <-over:
				return
			case <-pipe:
			case <-look.C:
			}
			if nobodyReads(1) || nobodyReads(2) {
				return
			}
		}
	}()
	return ctx
}

// leave ends lwtest and prints what it leaves behind.
func (a app) leave(by os.Signal) {
	if s, ok := a.stderr.(*screen); ok {
		s.close()
	}
	fmt.Fprintf(a.stderr, "lwtest: ended at once, at a second signal (%s), before all was cleared up\n", by)
	if a.left != nil {
		a.left(func(line string) { fmt.Fprintln(a.stderr, "lwtest: "+line) })
	}
	os.Exit(report.Broken)
}

// ending returns the signals that end a run. nohup ignores SIGHUP, so that the run survives its terminal.
func ending() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
