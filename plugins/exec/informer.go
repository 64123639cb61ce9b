package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/lwtest/lwtest/conformance/informer"
)

// informerSubject makes informers in an adapter.
type informerSubject struct {
	*session
	holds bool // handlers can be made to wait
}

// New implements informer.Subject.
func (s informerSubject) New(c informer.Config) (informer.Informer, error) {
	i := &remoteInformer{session: s.session, h: s.handle("i"), holds: s.holds, config: c, handlers: map[string]*handler{}}
	i.listen(i.h, i.heard)
	err := i.call(s.t.Context(), "inf.open", InformerOpen{H: i.h, Server: serverOf(c.Server),
		Resource: Resource(c.Resource), Namespace: c.Namespace, LabelSelector: c.LabelSelector, FieldSelector: c.FieldSelector, ResyncMS: c.Resync.Milliseconds(), PageSize: c.PageSize,
		Transform: c.Transform, Index: c.Index, Failures: c.Failed != nil, Pushes: c.Push != nil}, nil)
	return i, err
}

// remoteInformer is an informer of an adapter. Of what it does not have, its features say nothing.
type remoteInformer struct {
	*session
	h      string
	holds  bool
	config informer.Config

	mu       sync.Mutex
	handlers map[string]*handler
}

// heard is told of each event.
func (i *remoteInformer) heard(e event) {
	switch e.Ev {
	case "notice":
		var n InformerNotice
		if !i.reads(e, &n) {
			return
		}
		i.mu.Lock()
		h := i.handlers[n.As]
		i.mu.Unlock()
		wrong := ""
		if h == nil {
			wrong = noHandler(n.As)
		} else {
			wrong = h.put(n, len(e.line))
		}
		if wrong != "" {
			i.close(i.protocolError(wrong, e.line))
		}
	case "failed":
		var f InformerFailed
		if i.reads(e, &f) && i.config.Failed != nil {
			i.config.Failed(statusOr(&f.Err))
		}
	case "pushed":
		var p InformerPush
		if i.reads(e, &p) && i.config.Push != nil {
			i.config.Push(p.Objects)
		}
	}
}

func noHandler(as string) string {
	return fmt.Sprintf("a notice for the handler %s, which was never added to this informer (docs/protocol.md, notice)", as)
}

// reads reads an event; what cannot be read, or lacks a field, ends the talk.
func (c *conn) reads(e event, into any) bool {
	if lack := lacks(e.line, reflect.TypeOf(into).Elem()); lack != "" {
		c.close(c.protocolError("the event "+e.Ev+" does not match docs/protocol.md ("+lack+")", e.line))
		return false
	}
	if err := json.Unmarshal(e.line, into); err != nil {
		c.close(c.protocolError("the event "+e.Ev+" cannot be read ("+err.Error()+")", e.line))
		return false
	}
	leaveOut(into)
	return true
}

// Run implements informer.Informer.
func (i *remoteInformer) Run(ctx context.Context) {
	_ = i.call(ctx, "inf.run", Informer{i.h}, nil) // it has stopped
}

// Get implements informer.Informer.
func (i *remoteInformer) Get(key string) (json.RawMessage, error) {
	return i.object(i.t.Context(), "inf.get", InformerKey{i.h, key})
}

// List implements informer.Informer.
func (i *remoteInformer) List() ([]json.RawMessage, error) {
	var o InformerObjects
	err := i.call(i.t.Context(), "inf.list", Informer{i.h}, &o)
	return o.Objects, err
}

// HasSynced implements informer.Synced.
func (i *remoteInformer) HasSynced() bool { return i.synced("inf.synced", Informer{i.h}) }

func (i *remoteInformer) synced(op string, args any) bool {
	var s InformerSynced
	return i.call(i.t.Context(), op, args, &s) == nil && s.Synced
}

// ByIndex implements informer.Indexed.
func (i *remoteInformer) ByIndex(value string) ([]json.RawMessage, error) {
	var o InformerObjects
	err := i.call(i.t.Context(), "inf.index", InformerIndex{i.h, value}, &o)
	return o.Objects, err
}

// Version implements informer.Versioned.
func (i *remoteInformer) Version() string {
	var v InformerVersion
	_ = i.call(i.t.Context(), "inf.version", Informer{i.h}, &v)
	return v.ResourceVersion
}

// Write implements informer.Writer.
func (i *remoteInformer) Write(ctx context.Context, key, note string) (json.RawMessage, error) {
	return i.object(ctx, "inf.write", InformerWrite{i.h, key, note})
}

// Read implements informer.Rereader.
func (i *remoteInformer) Read(ctx context.Context, key string) (json.RawMessage, error) {
	return i.object(ctx, "inf.read", InformerKey{i.h, key})
}

func (i *remoteInformer) object(ctx context.Context, op string, args any) (json.RawMessage, error) {
	var o InformerObject
	err := i.call(ctx, op, args, &o)
	return o.Object, err
}

// Handle implements informer.Handled.
func (i *remoteInformer) Handle(tell func(informer.Notice), period time.Duration) (informer.Registration, error) {
	return i.HandleOverlapping(func(n informer.Notice, begun func()) {
		begun()
		tell(n)
	}, period)
}

// HandleOverlapping implements informer.Overlapping.
func (i *remoteInformer) HandleOverlapping(tell func(n informer.Notice, begun func()), period time.Duration) (informer.Registration, error) {
	h := &handler{i: i, as: i.handle("h"), tell: tell, flow: i.flowing(), more: make(chan struct{}, 1), gone: make(chan struct{}), told: make(chan struct{})}
	i.mu.Lock()
	i.handlers[h.as] = h
	i.mu.Unlock()
	go h.work()
	return h, i.call(i.t.Context(), "inf.handle", InformerHandle{i.h, h.as, period.Milliseconds(), i.holds}, nil)
}

// handler is one of the drive's, which is told one notice after the other. An adapter that cannot make a handler wait
// does not wait for it: what comes meanwhile is kept here, within limits.
type handler struct {
	i    *remoteInformer
	as   string
	tell func(n informer.Notice, begun func())
	flow *flow

	mu      sync.Mutex
	have    []kept
	come    int  // of all notices
	done    int  // those of which the drive has been told
	synced  bool // the adapter has said so, when
	first   int  // this many had come
	more    chan struct{}
	gone    chan struct{}  // closed when it has been taken away
	told    chan struct{}  // closed when the drive is told no more
	telling sync.WaitGroup // calls that are held
	remove  sync.Once
}

// kept is a notice, and the bytes of its line.
type kept struct {
	InformerNotice
	bytes int
}

// put keeps a notice; the text says which limit that breaks, or that one before it never came. Of a handler that was taken
// away nobody takes any more.
func (h *handler) put(n InformerNotice, bytes int) (wrong string) {
	select {
	case <-h.gone:
		return ""
	default:
	}
	if wrong = h.flow.waits(bytes); wrong != "" {
		return wrong
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if wrong = n.follows(h.come); wrong != "" {
		return wrong
	}
	h.have = append(h.have, kept{n, bytes})
	h.come++
	select {
	case h.more <- struct{}{}:
	default:
	}
	return ""
}

// follows is what is wrong with the number of a notice; so many of its handler came before.
func (n InformerNotice) follows(come int) (wrong string) {
	if want := int64(come) + 1; n.Seq != want {
		return fmt.Sprintf("a notice for the handler %s has seq %d instead of %d: each handler counts 1, 2, 3 (docs/protocol.md, notice)", n.As, n.Seq, want)
	}
	return ""
}

func (h *handler) take() (n InformerNotice, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.have) == 0 {
		return n, false
	}
	first := h.have[0]
	h.have[0], h.have = kept{}, h.have[1:]
	h.flow.taken(first.bytes)
	return first.InformerNotice, true
}

// work tells the drive. It ends when the handler has been taken away, or with the case.
func (h *handler) work() {
	defer close(h.told)
	defer h.telling.Wait()
	for {
		select {
		case <-h.gone:
			return
		case <-h.i.t.Context().Done():
			return
		case <-h.more:
		}
		for n, ok := h.take(); ok; n, ok = h.take() {
			h.pass(n)
			select {
			case <-h.gone:
				return
			case <-h.i.t.Context().Done():
				return
			default:
			}
		}
	}
}

// pass tells the drive of a notice. A call that is held does not keep the next one from being told: an implementation that waits for its
// handler makes none, and one that makes one is not to be hidden.
func (h *handler) pass(n InformerNotice) {
	told := informer.Notice{Type: n.Type, Object: n.Object, Key: n.Key, Old: n.Old, Initial: n.Initial, Unknown: n.Unknown, Held: n.Held, Indexed: n.Indexed}
	done := func() {
		h.mu.Lock()
		h.done++
		h.mu.Unlock()
	}
	if !h.i.holds {
		h.tell(told, func() {})
		done()
		return
	}
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	h.telling.Add(1)
	h.i.t.Go(func() {
		defer h.telling.Done()
		h.tell(told, begin)
		begin()
		done()
		_ = h.i.call(h.i.t.Context(), "inf.release", InformerRelease{h.i.h, h.as, n.Seq}, nil)
	})
	select {
	case <-begun:
	case <-h.i.t.Context().Done():
	}
}

// HasSynced implements informer.Registration: the first objects are among what had come when the adapter said so.
func (h *handler) HasSynced() bool {
	return h.hasFirst(h.i.synced("inf.handled", InformerHandler{h.i.h, h.as}))
}

// hasFirst says, when the adapter has said synced, whether the drive has been told of the first objects.
func (h *handler) hasFirst(synced bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if synced && !h.synced {
		h.synced, h.first = true, h.come
	}
	return synced && h.done >= h.first
}

// Remove implements informer.Registration.
func (h *handler) Remove(wait bool) error {
	err := h.i.call(h.i.t.Context(), "inf.unhandle", InformerUnhandle{h.i.h, h.as, wait}, nil)
	if err != nil {
		return err
	}
	h.remove.Do(func() { close(h.gone) })
	if wait {
		<-h.told
	}
	return nil
}
