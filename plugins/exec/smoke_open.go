package exec

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// opened is what was opened: it says what is wrong when it is asked after case.end.
type opened func(ctx context.Context) error

// opensAll opens all that an adapter offers, and asks for it when its case has ended.
func opensAll(ctx context.Context, s *smoke) error {
	door, err := newDoor()
	if err != nil {
		return err
	}
	defer door.Close()
	if err := s.ok(ctx, "case.begin", CaseBegin{"smoke/open"}); err != nil {
		return err
	}
	var all []opened
	for _, o := range s.offers {
		is, err := s.opens(ctx, o, door)
		if err != nil {
			return fmt.Errorf("%s: %w", o.Kind, err)
		}
		all = append(all, is)
	}
	if err := s.ok(ctx, "case.end", Nothing{}); err != nil {
		return err
	}
	for i, is := range all {
		if err := is(ctx); err != nil {
			return fmt.Errorf("%s: after case.end %w", s.offers[i].Kind, err)
		}
	}
	return nil
}

// opens opens what an adapter offers of a kind, on a server that refuses connections.
func (s *smoke) opens(ctx context.Context, o Offer, door *door) (opened, error) {
	nobody := Server{URL: "http://127.0.0.1:9"}
	ended := func(h string) opened { return func(ctx context.Context) error { return s.refuses(ctx, o, h) } }
	switch {
	case o.Kind == "listerwatcher":
		if err := s.ok(ctx, "lw.open", LWOpen{H: "smoke1", Server: nobody, Resource: configMaps(), Namespace: "default"}); err != nil {
			return nil, err
		}
		is := func(ctx context.Context) error { return s.asksNobody(ctx, o, "smoke5", door) }
		return is, s.ok(ctx, "lw.open", LWOpen{H: "smoke5", Server: Server{URL: door.url}, Resource: configMaps(), Namespace: "default"})
	case o.Kind == "informer":
		return ended("smoke2"), s.opensInformer(ctx, InformerOpen{H: "smoke2", Server: nobody, Resource: configMaps(), Namespace: "default"})
	case o.Kind == "store":
		return ended("smoke3"), s.ok(ctx, "store.open", StoreOpen{H: "smoke3"})
	case o.Kind == "runtime":
		var at RTStarted
		if err := s.call(ctx, awhile, "rt.start", RTRuntime{"smoke21"}, &at); err != nil {
			return nil, fmt.Errorf("rt.start: %w", err)
		}
		return ended("smoke21"), at.answers(ctx)
	case o.Kind == "node":
		return ended("smoke22"), s.startsAgent(ctx, "smoke22")
	case !o.Serves:
		return ended("smoke4"), s.ok(ctx, "wc.open", WCServer{"smoke4"})
	}
	var at WCStarted
	if err := s.call(ctx, awhile, "wc.start", WCServer{"smoke4"}, &at); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return errors.Join(s.refuses(ctx, o, "smoke4"), at.Server.gone(ctx)) }, at.Server.answers(ctx)
}

func configMaps() Resource { return Resource{Version: "v1", Resource: "configmaps"} }

func (s *smoke) opensInformer(ctx context.Context, o InformerOpen) error {
	if err := s.ok(ctx, "inf.open", o); err != nil {
		return err
	}
	run, err := s.ask("inf.run", Informer{o.H})
	if err != nil {
		return err
	}
	return s.endsRun(ctx, run)
}

// endsRun has an informer stop.
func (s *smoke) endsRun(ctx context.Context, run pending) error {
	if err := s.ok(ctx, "cancel", Cancel{run.id}); err != nil {
		return fmt.Errorf("while inf.run waits: %w", err)
	}
	return s.endsWith(run, "cancel")
}

// refuses asks for something by a handle that there is not, or no longer: the answer is an err.
func (s *smoke) refuses(ctx context.Context, o Offer, h string) error {
	op := map[string]string{"listerwatcher": "lw.list", "informer": "inf.list", "store": "store.resync", "watchcache": "wc.list", "runtime": "rt.kill", "node": "node.kill"}[o.Kind]
	if o.Serves {
		op = "wc.restart"
	}
	err := s.call(ctx, awhile, op, struct {
		H       string   `json:"h"`
		Options struct{} `json:"options"`
	}{h, struct{}{}}, nil)
	var f *Failure
	var lacks *Skipped // a server that speaks HTTP may have nothing with a handle, and a runtime need not be killed
	if errors.As(err, &f) || (o.Serves || o.Kind == "runtime") && errors.As(err, &lacks) {
		return nil
	}
	if err == nil {
		return fmt.Errorf("%s of %s, which is not open, is answered with ok", op, h)
	}
	return fmt.Errorf("%s of %s: %w", op, h, err)
}

// asksNobody is refuses for a client: one that lives on is answered with an err, too, as its server fails.
func (s *smoke) asksNobody(ctx context.Context, o Offer, h string, door *door) error {
	before := door.asked.Load()
	if err := s.refuses(ctx, o, h); err != nil {
		return err
	}
	if door.asked.Load() > before {
		return fmt.Errorf("lw.list of %s still reaches its server", h)
	}
	return nil
}

// door is a server that hangs up on whoever asks, and counts them.
type door struct {
	*http.Server
	url   string
	asked atomic.Int64
}

func newDoor() (*door, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &door{url: "http://" + l.Addr().String()}
	d.Server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		d.asked.Add(1)
		panic(http.ErrAbortHandler)
	})}
	go func() { _ = d.Serve(l) }() // it ends with Close
	return d, nil
}
