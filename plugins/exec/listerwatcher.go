package exec

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/listerwatcher"
)

// lwSubject makes clients in an adapter.
type lwSubject struct{ *session }

// Open implements listerwatcher.Subject.
func (s lwSubject) Open(c listerwatcher.Config) (listerwatcher.Client, error) {
	h := s.handle("c")
	err := s.call(s.t.Context(), "lw.open", LWOpen{H: h, Server: serverOf(c.Server),
		Resource: Resource(c.Resource), Namespace: c.Namespace}, nil)
	return lwClient{s.session, h}, err
}

type lwClient struct {
	*session
	h string
}

// List implements listerwatcher.Lister.
func (c lwClient) List(ctx context.Context, o *metav1.ListOptions) (*listerwatcher.List, error) {
	var l LWList
	if err := c.call(ctx, "lw.list", LWCall{c.h, *o}, &l); err != nil {
		return nil, c.failed(err, o)
	}
	*o = l.Options
	return &listerwatcher.List{ListMeta: l.Metadata, Items: l.Items}, nil
}

// Watch implements listerwatcher.Watcher.
func (c lwClient) Watch(ctx context.Context, o *metav1.ListOptions) (listerwatcher.Watch, error) {
	w := &watch{session: c.session, w: c.handle("w"), read: "lw.read", stop: "lw.stop"}
	var called LWCalled
	if err := w.open(ctx, "lw.watch", LWWatch{LWCall{c.h, *o}, w.w}, &called); err != nil {
		return nil, c.failed(err, o)
	}
	*o = called.Options
	return w, nil
}

// Until implements listerwatcher.Waiter.
func (c lwClient) Until(ctx context.Context, o *metav1.ListOptions, cond listerwatcher.Condition) (*listerwatcher.Event, error) {
	return c.until(ctx, o, LWUntil{Type: cond.Type, Name: cond.Name})
}

// UntilUnless implements listerwatcher.Preconditioned.
func (c lwClient) UntilUnless(ctx context.Context, o *metav1.ListOptions, p listerwatcher.Precondition, cond listerwatcher.Condition) (*listerwatcher.Event, error) {
	return c.until(ctx, o, LWUntil{Type: cond.Type, Name: cond.Name, Unless: &Unless{p.Name, p.There}})
}

func (c lwClient) until(ctx context.Context, o *metav1.ListOptions, u LWUntil) (*listerwatcher.Event, error) {
	var r LWUntilReply
	u.LWCall = LWCall{c.h, *o}
	if err := c.call(ctx, "lw.until", u, &r); err != nil {
		return nil, c.failed(err, o)
	}
	*o = r.Options
	if r.Event == nil {
		return nil, nil
	}
	return &listerwatcher.Event{Type: r.Event.Type, Object: r.Event.Object}, nil
}

// failed is the error of a call as the suite wants it: an APIStatus where there was a Status.
func (c lwClient) failed(err error, o *metav1.ListOptions) error {
	var f *Failure
	if !errors.As(err, &f) {
		return err
	}
	if f.Options != nil {
		*o = *f.Options
	}
	return statusOr(f)
}

// statusOr is an APIStatus of apimachinery where there was a Status.
func statusOr(f *Failure) error {
	if f.Status != nil {
		return &apierrors.StatusError{ErrStatus: *f.Status}
	}
	return f
}

// watch is an open watch of an adapter, of which events are asked one by one.
type watch struct {
	*session
	w, read, stop string

	mu      sync.Mutex // of Next
	reading *pending   // that nobody has waited for to its end
	done    bool
	left    func() bool
}

// open opens it; when ctx ends so does it.
func (w *watch) open(ctx context.Context, op string, args, into any) error {
	p, err := w.ask(op, args)
	if err != nil {
		return err
	}
	w.left = context.AfterFunc(ctx, func() { _, _ = w.ask("cancel", Cancel{p.id}) })
	return w.wait(ctx, p, into)
}

// Next implements listerwatcher.Watch.
func (w *watch) Next(ctx context.Context) (e listerwatcher.Event, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return e, false
	}
	if w.reading == nil {
		p, err := w.ask(w.read, Read{w.w})
		if err != nil {
			return e, false
		}
		w.reading = &p
	}
	var r ReadReply
	select {
	case a := <-w.reading.answer:
		return w.next(w.decode(w.read, a, &r), r)
	case <-w.over:
		return w.next(w.lastly(*w.reading, &r), r)
	case <-ctx.Done():
		return e, false
	}
}

// next returns the event that a read was answered with. A library that throws what the server's ERROR event says has its
// Status in an err: that is the event, and the last one. Any other err is the end of the watch.
func (w *watch) next(err error, r ReadReply) (e listerwatcher.Event, ok bool) {
	if w.reading = nil; err == nil && r.Event != nil {
		return listerwatcher.Event(*r.Event), true
	}
	w.done = true
	var f *Failure
	if !errors.As(err, &f) || f.Status == nil {
		return e, false
	}
	status, err := json.Marshal(f.Status)
	return listerwatcher.Event{Type: string(apiwatch.Error), Object: status}, err == nil
}

// Stop implements listerwatcher.Watch. It waits for the answer: what is asked after it is asked of a watch that has
// been stopped.
func (w *watch) Stop() {
	if err := w.call(w.t.Context(), w.stop, Stop{w.w}, nil); err == nil {
		w.left()
	}
}
