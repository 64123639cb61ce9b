// Package load puts load on an API server over HTTP and measures what it does under it: the same program for
// a fake and for a real one.
package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	clientrest "k8s.io/client-go/rest"
)

// Options say how much load. The zero value is that of the documentation.
type Options struct {
	Writers  int          // clients that write at the same time; 0: 8
	Watches  int          // that are open while they do; 0: 100
	Listed   int          // objects that they create, each of which they then patch, and which are in a list; 0: 10,000
	Fanned   int          // watches that changes go out to; 0: 1,000
	Changes  int          // of them; 0: 300
	Progress func(string) // told what is going on; nil: nobody
}

func (o *Options) defaults() {
	for at, value := range map[*int]int{&o.Writers: 8, &o.Watches: 100, &o.Listed: 10_000, &o.Fanned: 1000, &o.Changes: 300} {
		if *at == 0 {
			*at = value
		}
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
}

// Forms are those in which a list is asked for: a name and what a client accepts.
var Forms = [][2]string{{"JSON", "application/json"}, {"protobuf", "application/vnd.kubernetes.protobuf"}, {"a Table", "application/json;as=Table;v=v1;g=meta.k8s.io"}}

// Figures are what was measured, all with configmaps of about 1 KB.
type Figures struct {
	Creates float64         // a second
	Patches float64         // a second
	Lists   []time.Duration // of Listed objects in each of Forms, until the last byte: the median of nine
	Burst   float64         // events a second to all watches, while all clients write as fast as they can
	Trickle float64         // events a second where the next write waits for the last to have come everywhere
}

// Run measures. Everything happens in a namespace of its own, which is deleted with what is in it.
func Run(ctx context.Context, config *clientrest.Config, o Options) (f Figures, err error) {
	o.defaults()
	l, err := newLoader(ctx, config, o)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, l.clear()) }()
	if f.Creates, f.Patches, err = l.writes(); err != nil {
		return f, err
	}
	for _, form := range Forms {
		took, err := l.list(form)
		if err != nil {
			return f, err
		}
		f.Lists = append(f.Lists, took)
	}
	f.Burst, f.Trickle, err = l.fan()
	return f, err
}

// loader is a client with its namespace.
type loader struct {
	Options
	ctx    context.Context
	client *http.Client
	root   string // URL of namespaces
	name   string // of the namespace
	url    string // of its configmaps
	made   atomic.Int64
}

func newLoader(ctx context.Context, config *clientrest.Config, o Options) (*loader, error) {
	config = clientrest.CopyConfig(config)
	config.TLSClientConfig.NextProtos = []string{"http/1.1"} // a connection for each watch
	config.Dial = dial
	t, err := clientrest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	base, _, err := clientrest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	l := &loader{Options: o, ctx: ctx, client: &http.Client{Transport: t}, name: fmt.Sprintf("lwtest-bench-%d", time.Now().UnixNano())}
	l.root = strings.TrimSuffix(base.String(), "/") + "/api/v1/namespaces"
	l.url = l.root + "/" + l.name + "/configmaps"
	_, err = l.send(http.MethodPost, l.root, "application/json", fmt.Sprintf(`{"metadata":{"name":%q}}`, l.name))
	return l, err
}

// dial connects with a buffer below TLS, which reads little at a time: the load costs less, and the server is more of what is measured.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return reader{c, bufio.NewReaderSize(c, 32<<10)}, nil
}

// reader is a connection with a buffer for what it reads.
type reader struct {
	net.Conn
	in *bufio.Reader
}

// Read implements net.Conn.
func (r reader) Read(b []byte) (int, error) { return r.in.Read(b) }

// clear deletes everything, also when the time is over.
func (l *loader) clear() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), time.Minute)
	defer cancel()
	defer l.client.CloseIdleConnections()
	l.ctx = ctx
	_, err := l.send(http.MethodDelete, l.url, "", "")
	_, errNS := l.send(http.MethodDelete, l.root+"/"+l.name, "", "")
	return errors.Join(err, errNS)
}

// send makes a request that must succeed, and gives the length of its answer. kind is the type of its body; of a GET, that of the answer.
func (l *loader) send(method, url, kind, body string) (int64, error) {
	req, err := http.NewRequestWithContext(l.ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	switch {
	case method == http.MethodGet:
		req.Header.Set("Accept", kind)
	case kind != "":
		req.Header.Set("Content-Type", kind)
	}
	res, err := l.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if res.StatusCode > 299 {
		said, _ := io.ReadAll(io.LimitReader(res.Body, 300))
		return 0, fmt.Errorf("%s %s: %s: %s", method, url, res.Status, said)
	}
	return io.Copy(io.Discard, res.Body)
}

var value = strings.Repeat("x", 900)

func (l *loader) create() error {
	n := l.made.Add(1)
	_, err := l.send(http.MethodPost, l.url, "application/json", fmt.Sprintf(`{"metadata":{"name":"c%06d"},"data":{"v":%q,"n":"0"}}`, n, value))
	return err
}

// patch patches one of the objects, each writer another.
func (l *loader) patch(writer, n int) error {
	url := fmt.Sprintf("%s/c%06d", l.url, 1+(n*l.Writers+writer)%l.Listed)
	_, err := l.send(http.MethodPatch, url, "application/merge-patch+json", fmt.Sprintf(`{"data":{"n":"%d.%d"}}`, writer, time.Now().UnixNano()))
	return err
}

// writes are creates and patches a second, with watches open.
func (l *loader) writes() (creates, patches float64, err error) {
	w, err := l.watch(l.Watches)
	if err != nil {
		return 0, 0, err
	}
	defer w.close()
	l.Progress("creating")
	if creates, err = l.rate(func(int, int) error { return l.create() }); err != nil {
		return 0, 0, err
	}
	l.Progress("patching")
	patches, err = l.rate(l.patch)
	return creates, patches, err
}

// rate is how often a second all writers together do something, if they do it once for each object.
func (l *loader) rate(do func(writer, n int) error) (float64, error) {
	begin := time.Now()
	done, err := l.all(func(done int) bool { return done <= l.Listed }, do)
	return float64(done) / time.Since(begin).Seconds(), err
}

// all lets all writers do something again and again while there is more to do.
func (l *loader) all(more func(done int) bool, do func(writer, n int) error) (int, error) {
	var done atomic.Int64
	var wait sync.WaitGroup
	errs := make([]error, l.Writers)
	for i := range l.Writers {
		wait.Go(func() {
			for n := 0; errs[i] == nil && more(int(done.Add(1))); n++ {
				errs[i] = do(i, n)
			}
			done.Add(-1)
		})
	}
	wait.Wait()
	return int(done.Load()), errors.Join(errs...)
}

// list is how long a list in a form takes.
func (l *loader) list(form [2]string) (time.Duration, error) {
	l.Progress("listing " + form[0])
	var took []time.Duration
	for range 9 {
		begin := time.Now()
		if _, err := l.send(http.MethodGet, l.url+fmt.Sprintf("?limit=%d", l.Listed), form[1], ""); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// fan is how many events a second come to many watches.
func (l *loader) fan() (burst, trickle float64, err error) {
	w, err := l.watch(l.Fanned)
	if err != nil {
		return 0, 0, err
	}
	defer w.close()
	l.Progress("a burst of changes")
	begin := time.Now()
	if _, err := l.all(func(done int) bool { return done <= l.Changes }, l.patch); err != nil {
		return 0, 0, err
	}
	if err := w.until(l.Changes); err != nil {
		return 0, 0, err
	}
	burst = float64(l.Changes*l.Fanned) / time.Since(begin).Seconds()
	l.Progress("a trickle of changes")
	begin = time.Now()
	for n := range l.Changes {
		if err := l.patch(0, n); err != nil {
			return 0, 0, err
		}
		if err := w.until(l.Changes + n + 1); err != nil {
			return 0, 0, err
		}
	}
	return burst, float64(l.Changes*l.Fanned) / time.Since(begin).Seconds(), nil
}
