package load

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// watches are many watches of the same, which count events and look at none.
type watches struct {
	n     int
	lines atomic.Int64 // of all together
	ended atomic.Int64
	stop  context.CancelFunc
	wait  sync.WaitGroup
}

// watch opens watches from the present on. It returns when all are open.
func (l *loader) watch(n int) (*watches, error) {
	l.Progress(fmt.Sprintf("opening %d watches", n))
	ctx, stop := context.WithCancel(l.ctx)
	w := &watches{n: n, stop: stop}
	opened := make(chan error)
	places := make(chan struct{}, 50) // not all at the same time
	for range n {
		w.wait.Go(func() {
			places <- struct{}{}
			res, err := l.open(ctx)
			<-places
			opened <- err
			if err != nil {
				return
			}
			defer res.Body.Close()
			w.count(res)
		})
	}
	var err error
	for range n {
		if e := <-opened; e != nil && err == nil {
			err = e
		}
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (l *loader) open(ctx context.Context) (*http.Response, error) {
	url := l.url + "?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := l.client.Do(req)
	if err == nil && res.StatusCode != http.StatusOK {
		res.Body.Close()
		err = fmt.Errorf("a watch: %s", res.Status)
	}
	return res, err
}

// count reads to the end: an event is a line.
func (w *watches) count(res *http.Response) {
	defer w.ended.Add(1)
	buf := make([]byte, 32<<10)
	for {
		n, err := res.Body.Read(buf)
		w.lines.Add(int64(bytes.Count(buf[:n], []byte("\n"))))
		if err != nil {
			return
		}
	}
}

// until waits for so many events at each.
func (w *watches) until(each int) error {
	end := time.Now().Add(time.Minute)
	for pause := 20 * time.Microsecond; w.lines.Load() < int64(each*w.n); time.Sleep(pause) {
		switch {
		case w.ended.Load() > 0:
			return fmt.Errorf("%d of %d watches have ended", w.ended.Load(), w.n)
		case time.Now().After(end):
			return fmt.Errorf("%d of %d events have come to %d watches in a minute", w.lines.Load(), each*w.n, w.n)
		}
	}
	return nil
}

func (w *watches) close() {
	w.stop()
	w.wait.Wait()
}
