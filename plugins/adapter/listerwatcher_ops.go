package adapter

import (
	"encoding/json"
	"sync/atomic"
)

type (
	lwOpen struct {
		H         string   `json:"h"`
		Server    Server   `json:"server"`
		Resource  Resource `json:"resource"`
		Namespace string   `json:"namespace,omitempty"`
	}
	lwCall struct {
		H       string          `json:"h"`
		Options json.RawMessage `json:"options"`
	}
	lwCalled struct {
		Options json.RawMessage `json:"options"`
	}
	lwList struct {
		lwCalled
		Metadata ListMeta          `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	lwWatch struct {
		lwCall
		W string `json:"w"`
	}
	lwNamed struct {
		W string `json:"w"`
	}
	lwRead struct {
		Event *Event `json:"event,omitempty"`
		Ended bool   `json:"ended,omitempty"`
	}
	lwUntil struct {
		lwCall
		Condition
		Unless *Precondition `json:"unless,omitempty"`
	}
	lwUntilReply struct {
		lwCalled
		Event *Event `json:"event,omitempty"`
	}
)

// ops are those of the kind.
func (o ListerWatcherOffer) ops() map[string]op {
	return map[string]op{
		"lw.open": on(func(c *call, r lwOpen) (nothing, error) {
			client, err := o.Open(ClientConfig{r.Server, r.Resource, r.Namespace})
			if err == nil {
				c.life.keep(r.H, client, nil)
			}
			return nothing{}, err
		}),
		"lw.list":  on(lwLists),
		"lw.watch": on(lwWatches),
		"lw.read":  on(lwReads),
		"lw.stop":  on(lwStops),
		"lw.until": on(lwUntils),
	}
}

func lwLists(c *call, r lwCall) (out lwList, err error) {
	client, err := named[Lister](c, r.H)
	if err != nil {
		return out, err
	}
	l, err := client.List(c, &r.Options)
	if err != nil {
		return out, returned{err, r.Options}
	}
	return lwList{lwCalled{r.Options}, l.Metadata, append([]json.RawMessage{}, l.Items...)}, nil
}

func lwWatches(c *call, r lwWatch) (out lwCalled, err error) {
	client, err := named[Watcher](c, r.H)
	if err != nil {
		return out, err
	}
	c.stays = true
	w, err := client.Watch(c, &r.Options)
	if err != nil {
		return out, returned{err, r.Options}
	}
	c.keepsWatch(r.W, w)
	return lwCalled{r.Options}, nil
}

// keepsWatch keeps an open watch, whose context is the call's, until its case ends.
func (c *call) keepsWatch(h string, w Watch) {
	k := &keptWatch{Watch: w}
	c.life.keep(h, k, func() {
		if !k.stopped.Load() {
			k.Stop()
		}
		c.session.callOff(c.id)
	})
}

// keptWatch knows whether lwtest has stopped it: then the end of its case does not.
type keptWatch struct {
	Watch
	stopped atomic.Bool
}

// Stop implements Watch. What is asked twice is done twice.
func (w *keptWatch) Stop() {
	w.stopped.Store(true)
	w.Watch.Stop()
}

func lwStops(c *call, r lwNamed) (nothing, error) {
	return tells(c, r.W, func(w Watch) error {
		w.Stop()
		return nil
	})
}

func lwReads(c *call, r lwNamed) (out lwRead, err error) {
	w, err := named[Watch](c, r.W)
	if err != nil {
		return out, err
	}
	e, ok := w.Next(c)
	if !ok {
		return lwRead{Ended: true}, nil
	}
	return lwRead{Event: &e}, nil
}

func lwUntils(c *call, r lwUntil) (out lwUntilReply, err error) {
	client, err := named[Waiter](c, r.H)
	if err != nil {
		return out, err
	}
	e, err := client.Until(c, &r.Options, r.Unless, r.Condition)
	if err != nil {
		return out, returned{err, r.Options}
	}
	return lwUntilReply{lwCalled{r.Options}, e}, nil
}
