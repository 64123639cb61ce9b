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

// interruptible is ctx until somebody interrupts, ends it, closes its terminal, or reads its output no more: then a run clears up
// after itself. A second Ctrl-C ends lwtest at once.
func (a app) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	over := make(chan struct{})
	read := unread(ctx, over)
	ctx, stop := signal.NotifyContext(read, ending()...)
	context.AfterFunc(ctx, func() {
		again := make(chan os.Signal, 2)
		signal.Notify(again, ending()...)
		defer signal.Stop(again)
		stop()
		first := read.Err() != nil // nobody has pressed Ctrl-C yet
		for {
			select {
			case by := <-again:
				if !first {
					a.leave(by)
				}
				fmt.Fprintf(a.stderr, "lwtest: all is being cleared up since its output is not read any more; a second signal (%s) ends it at once\n", by)
				first = false
			case <-over:
				return
			}
		}
	})
	return ctx, sync.OnceFunc(func() { close(over); stop() })
}

// unreadEvery is how often a run looks whether somebody still reads what it prints.
const unreadEvery = 250 * time.Millisecond

// unread is ctx until a reader of what lwtest prints is gone: of a pipe to head, or to a tee that was interrupted with it. To
// print more is then no reason to die, to the end of the process. The signal tells of any pipe: those to adapters are not meant.
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

// leave ends lwtest, and says what of it stays.
func (a app) leave(by os.Signal) {
	fmt.Fprintf(a.stderr, "lwtest: ended at once, at a second signal (%s), before all was cleared up\n", by)
	if a.left != nil {
		a.left(func(line string) { fmt.Fprintln(a.stderr, "lwtest: "+line) })
	}
	os.Exit(report.Broken)
}

// ending are the signals that end a run. Who starts it with nohup wants it to outlive the terminal.
func ending() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
