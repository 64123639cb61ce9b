package adapter

import (
	"encoding/json"
	"errors"
	"sync"
	"time"
)

type (
	informerOpen struct {
		H         string   `json:"h"`
		Server    Server   `json:"server"`
		Resource  Resource `json:"resource"`
		Namespace string   `json:"namespace,omitempty"`

		LabelSelector string `json:"labelSelector,omitempty"`
		FieldSelector string `json:"fieldSelector,omitempty"`

		ResyncMS  int64  `json:"resyncMs,omitempty"`
		PageSize  int64  `json:"pageSize,omitempty"`
		Transform string `json:"transform,omitempty"`
		Index     string `json:"index,omitempty"`
		Failures  bool   `json:"failures,omitempty"`
		Pushes    bool   `json:"pushes,omitempty"`
	}
	informerNamed struct {
		H string `json:"h"`
	}
	informerKey struct {
		H   string `json:"h"`
		Key string `json:"key"`
	}
	informerObject struct {
		Object json.RawMessage `json:"object,omitempty"`
	}
	informerObjects struct {
		Objects []json.RawMessage `json:"objects"`
	}
	informerHandle struct {
		H        string `json:"h"`
		As       string `json:"as"`
		PeriodMS int64  `json:"periodMs,omitempty"`
		Hold     bool   `json:"hold,omitempty"`
	}
	informerHandler struct {
		H  string `json:"h"`
		As string `json:"as"`
	}
	informerRelease struct {
		H   string `json:"h"`
		As  string `json:"as"`
		Seq int64  `json:"seq"`
	}
	informerUnhandle struct {
		H    string `json:"h"`
		As   string `json:"as"`
		Wait bool   `json:"wait,omitempty"`
	}
	informerIndex struct {
		H     string `json:"h"`
		Value string `json:"value"`
	}
	informerVersion struct {
		ResourceVersion string `json:"resourceVersion,omitempty"`
	}
	informerWrite struct {
		H    string `json:"h"`
		Key  string `json:"key"`
		Note string `json:"note"`
	}
	informerNotice struct {
		Ev  string `json:"ev"`
		H   string `json:"h"`
		As  string `json:"as"`
		Seq int64  `json:"seq"`
		Notice
	}
	informerPush struct {
		Ev      string            `json:"ev"`
		H       string            `json:"h"`
		Objects []json.RawMessage `json:"objects"`
	}
	informerFailed struct {
		Ev  string  `json:"ev"`
		H   string  `json:"h"`
		Err failure `json:"err"`
	}
)

func (o InformerOffer) open(c *call, r informerOpen) (nothing, error) {
	life, session := c.life, c.session
	config := InformerConfig{Server: r.Server, Resource: r.Resource, Namespace: r.Namespace, LabelSelector: r.LabelSelector, FieldSelector: r.FieldSelector, Resync: ms(r.ResyncMS), PageSize: r.PageSize,
		Transform: r.Transform, Index: r.Index}
	if r.Failures {
		config.Failed = func(err error) { session.tell(life, informerFailed{"failed", r.H, *failed(err)}) }
	}
	if r.Pushes {
		config.Push = func(all []json.RawMessage) {
			session.tell(life, informerPush{"pushed", r.H, append([]json.RawMessage{}, all...)})
		}
	}
	i, err := o.New(config)
	if err == nil {
		life.keep(r.H, i, nil) // its Run ends with its context
	}
	return nothing{}, err
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// handler is one that was added.
type handler struct {
	life         *life
	tell         func(any) // writes an event
	h, as        string
	hold         bool
	registration Registration // nil while it is being added

	mu   sync.Mutex
	seq  int64
	held map[int64]chan struct{} // calls that wait
}

// told is a call of it.
func (h *handler) told(n Notice) {
	h.mu.Lock()
	h.seq++
	seq := h.seq
	released := make(chan struct{})
	if h.hold {
		h.held[seq] = released
	}
	h.tell(informerNotice{"notice", h.h, h.as, seq, n})
	h.mu.Unlock()
	if !h.hold {
		return
	}
	select {
	case <-released:
	case <-h.life.ctx.Done():
	}
}

// release lets a call return.
func (h *handler) release(seq int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if released, ok := h.held[seq]; ok {
		close(released)
		delete(h.held, seq)
	}
}

func handle(c *call, r informerHandle) (nothing, error) {
	i, err := named[InformerTeller](c, r.H)
	if err != nil {
		return nothing{}, err
	}
	life, session := c.life, c.session
	h := &handler{life: life, tell: func(ev any) { session.tell(life, ev) }, h: r.H, as: r.As, hold: r.Hold, held: map[int64]chan struct{}{}}
	life.keep(r.As, h, nil) // calls of it may be released before it is added
	reg, err := i.Handle(h.told, ms(r.PeriodMS))
	h.mu.Lock()
	h.registration = reg
	h.mu.Unlock()
	return nothing{}, err
}

// registered is a handler's registration.
func registered(c *call, as string) (Registration, error) {
	h, err := named[*handler](c, as)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.registration == nil {
		return nil, errors.New("the handler is still being added")
	}
	return h.registration, nil
}

// ops are those of the kind.
func (o InformerOffer) ops() map[string]op {
	return map[string]op{
		"inf.open":   on(o.open),
		"inf.run":    on(run),
		"inf.get":    on(informerGet),
		"inf.list":   on(informerList),
		"inf.handle": on(handle),
		"inf.synced": on(func(c *call, r informerNamed) (out synced, err error) {
			i, err := named[InformerSyncer](c, r.H)
			if err == nil {
				out.Synced = i.HasSynced()
			}
			return out, err
		}),
		"inf.release": on(func(c *call, r informerRelease) (nothing, error) {
			h, err := named[*handler](c, r.As)
			if err == nil {
				h.release(r.Seq)
			}
			return nothing{}, err
		}),
		"inf.handled": on(func(c *call, r informerHandler) (out synced, err error) {
			reg, err := registered(c, r.As)
			if err == nil {
				out.Synced = reg.HasSynced()
			}
			return out, err
		}),
		"inf.unhandle": on(func(c *call, r informerUnhandle) (nothing, error) {
			reg, err := registered(c, r.As)
			if err == nil {
				err = reg.Remove(r.Wait)
			}
			return nothing{}, err
		}),
		"inf.index": on(func(c *call, r informerIndex) (informerObjects, error) {
			i, err := named[InformerIndexer](c, r.H)
			if err != nil {
				return informerObjects{}, err
			}
			return kept(i.ByIndex(r.Value))
		}),
		"inf.version": on(func(c *call, r informerNamed) (out informerVersion, err error) {
			i, err := named[InformerVersioner](c, r.H)
			if err == nil {
				out.ResourceVersion = i.Version()
			}
			return out, err
		}),
		"inf.write": on(func(c *call, r informerWrite) (out informerObject, err error) {
			i, err := named[InformerWriter](c, r.H)
			if err == nil {
				out.Object, err = i.Write(c, r.Key, r.Note)
			}
			return out, err
		}),
		"inf.read": on(func(c *call, r informerKey) (out informerObject, err error) {
			i, err := named[InformerRereader](c, r.H)
			if err == nil {
				out.Object, err = i.Read(c, r.Key)
			}
			return out, err
		}),
	}
}

func run(c *call, r informerNamed) (nothing, error) {
	i, err := named[Informer](c, r.H)
	if err == nil {
		i.Run(c)
	}
	return nothing{}, err
}

func informerGet(c *call, r informerKey) (out informerObject, err error) {
	i, err := named[Informer](c, r.H)
	if err == nil {
		out.Object, err = i.Get(r.Key)
	}
	return out, err
}

func informerList(c *call, r informerNamed) (informerObjects, error) {
	i, err := named[Informer](c, r.H)
	if err != nil {
		return informerObjects{}, err
	}
	return kept(i.List())
}

func kept(list []json.RawMessage, err error) (informerObjects, error) {
	return informerObjects{append([]json.RawMessage{}, list...)}, err
}
