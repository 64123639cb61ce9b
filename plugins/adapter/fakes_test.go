package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// aMap is a store of the whole kind, beside queues.
type aMap struct {
	mu      sync.Mutex
	objects map[string]Object
	version string
	push    func([]Object)
}

func openMap(o StoreOptions) (Store, error) {
	return &aMap{objects: map[string]Object{}, push: o.Push}, nil
}

func (m *aMap) Apply(c Change) error {
	if c.Object.Name == NoKey {
		return ErrKey
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.objects[c.Object.Key()] = c.Object; c.Verb == Delete {
		delete(m.objects, c.Object.Key())
	}
	return nil
}

func (m *aMap) ApplyAll(all []Change) (err error) {
	for _, c := range all {
		err = errors.Join(err, m.Apply(c))
	}
	return err
}

func (m *aMap) Replace(list []Object, resourceVersion string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects, m.version = map[string]Object{}, resourceVersion
	for _, o := range list {
		m.objects[o.Key()] = o
	}
	return nil
}

func (m *aMap) Resync() error { return nil }

func (m *aMap) Bookmark(resourceVersion string) error {
	m.version = resourceVersion
	return nil
}

func (m *aMap) Version() (string, error) { return m.version, nil }

func (m *aMap) Get(o Object) (*Object, error) { return m.GetByKey(o.Key()) }

func (m *aMap) GetByKey(key string) (*Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if o, ok := m.objects[key]; ok {
		return &o, nil
	}
	return nil, nil
}

func (m *aMap) where(index, value string) (out []Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range m.objects {
		for _, v := range append(IndexedValues(index, o), "") {
			if v == value {
				out = append(out, o)
				break
			}
		}
	}
	return out
}

func keysOf(list []Object) (out []string) {
	for _, o := range list {
		out = append(out, o.Key())
	}
	return out
}

func (m *aMap) List() ([]Object, error)     { return m.where("", ""), nil }
func (m *aMap) ListKeys() ([]string, error) { return keysOf(m.where("", "")), nil }
func (m *aMap) Index(index string, o Object) ([]Object, error) {
	return m.where(index, IndexedValues(index, o)[0]), nil
}
func (m *aMap) ByIndex(index, value string) ([]Object, error) { return m.where(index, value), nil }
func (m *aMap) IndexKeys(index, value string) ([]string, error) {
	return keysOf(m.where(index, value)), nil
}
func (m *aMap) IndexValues(string) ([]string, error) { return nil, nil }
func (m *aMap) AddIndexers([]string) error           { return nil }

// aQueue is one that gives nothing but its end.
type aQueue struct {
	*aMap
	closed chan struct{}
}

func openQueue(o StoreOptions) (Store, error) {
	m, err := openMap(o)
	return aQueue{m.(*aMap), make(chan struct{})}, err
}

func (q aQueue) Pop() (Popped, error) {
	<-q.closed
	return Popped{}, ErrClosed
}

func (q aQueue) PopBatch() (Popped, error) { return Popped{Deltas: []Delta{{Type: Added}}}, nil }
func (q aQueue) Synced() (bool, error)     { return true, nil }
func (q aQueue) Close() error              { close(q.closed); return nil }

// fake is an informer of the whole kind.
type fake struct {
	config  InformerConfig
	objects map[string]json.RawMessage
	tell    func(Notice)
	period  time.Duration // of the handler
	removed []bool        // handlers, and whether that was to wait
}

func newFake(c InformerConfig) (Informer, error) {
	return &fake{config: c, objects: map[string]json.RawMessage{}}, nil
}

func (f *fake) Run(ctx context.Context)                 { <-ctx.Done() }
func (f *fake) Get(key string) (json.RawMessage, error) { return f.objects[key], nil }
func (f *fake) List() ([]json.RawMessage, error)        { return nil, nil }
func (f *fake) HasSynced() bool                         { return true }
func (f *fake) ByIndex(string) ([]json.RawMessage, error) {
	return []json.RawMessage{f.objects["a"]}, nil
}
func (f *fake) Version() string { return "7" }

func (f *fake) Write(ctx context.Context, key, note string) (json.RawMessage, error) {
	if note == "" {
		return nil, &Error{Msg: "refused", Definite: true}
	}
	f.objects[key] = json.RawMessage(`{"note":"` + note + `"}`)
	return f.objects[key], ctx.Err()
}

func (f *fake) Read(_ context.Context, key string) (json.RawMessage, error) { return f.Get(key) }

func (f *fake) Handle(tell func(Notice), period time.Duration) (Registration, error) {
	f.tell, f.period = tell, period
	return aRegistration{f}, nil
}

type aRegistration struct{ *fake }

func (r aRegistration) HasSynced() bool { return true }
func (r aRegistration) Remove(wait bool) error {
	r.removed = append(r.removed, wait)
	return nil
}

// aClient lists what was asked, and watches in vain.
type aClient struct{ c ClientConfig }

func openClient(c ClientConfig) (any, error) { return aClient{c}, nil }

var expired = &Error{Msg: "too old", Status: json.RawMessage(`{"code":410}`)}

func (aClient) List(_ context.Context, o Options) (*List, error) {
	if string(*o) == `{}` {
		return &List{}, nil
	}
	if string(*o) == `{"limit":1}` {
		*o = json.RawMessage(`{"limit":2}`) // what no client should
		return nil, expired
	}
	return &List{Metadata: ListMeta{ResourceVersion: "7"}, Items: []json.RawMessage{*o}}, nil
}

func (aClient) Watch(ctx context.Context, _ Options) (Watch, error) {
	return &aWatch{ctx: ctx, stopped: make(chan struct{})}, nil
}

func (aClient) Until(_ context.Context, _ Options, p *Precondition, c Condition) (*Event, error) {
	if p != nil && p.There {
		return nil, nil
	}
	return &Event{c.Type, json.RawMessage(`{"name":"` + c.Name + `"}`)}, nil
}

type aWatch struct {
	ctx     context.Context // of its caller
	stop    sync.Once
	stopped chan struct{}
}

func (w *aWatch) Next(ctx context.Context) (Event, bool) {
	select {
	case <-w.ctx.Done():
	case <-w.stopped:
	case <-ctx.Done():
	}
	return Event{}, false
}

func (w *aWatch) Stop() { w.stop.Do(func() { close(w.stopped) }) }

// aServer answers with what it was asked, and tells of the rest in its log.
type aServer struct {
	log    *[]string
	closed *bool
}

// anAddress is one that speaks HTTP itself.
type anAddress struct{ aServer }

func (anAddress) Address() Server { return Server{URL: "http://127.0.0.1:80", CA: "pem", Token: "t"} }

func openServer() (WatchCache, error) { return aServer{new([]string), new(bool)}, nil }

func (s aServer) done(format string, args ...any) error {
	*s.log = append(*s.log, fmt.Sprintf(format, args...))
	return nil
}

func (s aServer) Create(_ context.Context, w Write) (json.RawMessage, error) {
	if w.DryRun {
		return nil, &Error{Msg: "refused", Status: json.RawMessage(`{"code":409}`)}
	}
	return w.Object, s.done("create %s", w.Namespace)
}

func (s aServer) Update(_ context.Context, w Write) (json.RawMessage, error) {
	return w.Object, s.done("update %s/%s", w.Namespace, w.Subresource)
}

func (s aServer) Patch(_ context.Context, p Patching) (json.RawMessage, error) {
	return json.RawMessage(p.Patch), s.done("patch %s/%s %s %s %s", p.Namespace, p.Name, p.Type, p.Options, p.Subresource)
}

func (s aServer) Delete(_ context.Context, d Deletion) error {
	return s.done("delete %s/%s %s", d.Namespace, d.Name, d.Options)
}

func (s aServer) DeleteCollection(_ context.Context, d Deletion) error {
	return s.done("deletecollection %s %s", d.Namespace, d.List)
}

func (s aServer) SetStorageFault(_ context.Context, fault json.RawMessage) error {
	return s.done("storage %s", fault)
}

func (s aServer) WriteOther(context.Context) (string, error) { return "9", s.done("other") }

func (s aServer) DeleteTogether(_ context.Context, namespace string, names []string) error {
	return s.done("together %s %v", namespace, names)
}

func (s aServer) Get(_ context.Context, namespace, name string, options json.RawMessage) (json.RawMessage, error) {
	return options, s.done("get %s/%s", namespace, name)
}

func (s aServer) List(_ context.Context, namespace string, options json.RawMessage) (*List, error) {
	if string(options) == `{}` {
		return &List{}, nil
	}
	return &List{Metadata: ListMeta{ResourceVersion: "7"}, Items: []json.RawMessage{options}}, s.done("list %s", namespace)
}

func (s aServer) Watch(ctx context.Context, namespace string, _ json.RawMessage) (Watch, error) {
	return &aWatch{ctx: ctx, stopped: make(chan struct{})}, s.done("watch %s", namespace)
}

func (s aServer) Compact(context.Context) (string, error) { return "7", s.done("compact") }
func (s aServer) MoveWindow(context.Context) error        { return s.done("window") }
func (s aServer) SetLag(_ context.Context, d time.Duration) error {
	return s.done("lag %s", d)
}
func (s aServer) SetReady(_ context.Context, ready bool) error { return s.done("ready %t", ready) }
func (s aServer) Restart(context.Context) error                { return s.done("restart") }
func (s aServer) Close()                                       { *s.closed = true }

// sleeps is the command of an agent that does nothing.
func sleeps(s NodeStart) (*exec.Cmd, error) {
	if s.Node == "" {
		return nil, errors.New("the node has no name")
	}
	return exec.Command("sleep", "60"), nil
}

// aRuntime tells in its log what it was asked.
type aRuntime struct{ aServer }

func startRuntime() (Runtime, error) { return aRuntime{aServer{new([]string), new(bool)}}, nil }

func (aRuntime) Address() RuntimeAddress {
	return RuntimeAddress{Socket: "/run/s", Image: "i", Logs: "/logs", Parent: "p", Beside: true}
}
func (r aRuntime) Kill(context.Context) error { return r.done("kill") }
