package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// waitsAll has requests wait of all that an adapter offers: they hold up no other, and end when they are to.
func waitsAll(ctx context.Context, s *smoke) error {
	plain, err := newPlain()
	if err != nil {
		return err
	}
	defer plain.Close()
	if err := s.ok(ctx, "case.begin", CaseBegin{"smoke/waits"}); err != nil {
		return err
	}
	for _, o := range s.offers {
		if err := s.waitsOf(ctx, o, Server{URL: "http://" + plain.Addr}); err != nil {
			err = fmt.Errorf("%s: %w", o.Kind, err)
			s.close(err) // it may be stuck
			return err
		}
	}
	return s.ok(ctx, "case.end", Nothing{})
}

func (s *smoke) waitsOf(ctx context.Context, o Offer, at Server) error {
	has := func(feature string) bool { return slices.Contains(o.Features, feature) }
	switch {
	case o.Kind == "listerwatcher" && has("watches"):
		open := LWOpen{H: "smoke12", Server: at, Resource: configMaps(), Namespace: "default"}
		if err := s.ok(ctx, "lw.open", open); err != nil {
			return err
		}
		return s.watches(ctx, "lw", func(w string) any { return LWWatch{LWCall{H: open.H}, w} })
	case o.Kind == "store" && has("queue"):
		q := Store{"smoke15"}
		if err := s.ok(ctx, "store.open", StoreOpen{H: q.H}); err != nil {
			return err
		}
		return s.waits(ctx, "queue.pop", QueuePop{H: q.H}, "queue.close", q)
	case o.Kind == "watchcache" && !o.Serves:
		h := WCServer{"smoke16"}
		if err := s.ok(ctx, "wc.open", h); err != nil {
			return err
		}
		return s.watches(ctx, "wc", func(w string) any { return WCWatch{WCList: WCList{H: h.H, Namespace: "a"}, W: w} })
	}
	return nil
}

// watches reads two watches that bring nothing: the first is stopped, of the second the context ends.
func (s *smoke) watches(ctx context.Context, kind string, open func(w string) any) error {
	for _, w := range []string{"smoke13", "smoke14"} {
		p, err := s.ask(kind+".watch", open(w))
		if err != nil {
			return err
		}
		var f *Failure
		if err = s.wait(ctx, awhile, p, nil); errors.As(err, &f) { // which is the implementation's affair
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s.watch: %w", kind, err)
		}
		end, by := kind+".stop", any(Stop{w})
		if w == "smoke14" {
			end, by = "cancel", Cancel{p.id}
		}
		if err := s.waits(ctx, kind+".read", Read{w}, end, by); err != nil {
			return err
		}
	}
	return nil
}

// waits asks for what waits, and for a barrier meanwhile, and then for what ends it.
func (s *smoke) waits(ctx context.Context, op string, args any, end string, by any) error {
	p, err := s.ask(op, args)
	if err != nil {
		return err
	}
	if err := s.ok(ctx, "barrier", Nothing{}); err != nil {
		return fmt.Errorf("while %s waits, it holds up other requests: %w", op, err)
	}
	select {
	case a := <-p.answer:
		return s.early(op, end, a)
	default:
	}
	if err := s.ok(ctx, end, by); err != nil {
		return fmt.Errorf("while %s waits: %w", op, err)
	}
	select {
	case a := <-p.answer:
		if err = s.decode(op, a, nil); !errors.As(err, new(*Failure)) {
			return err
		}
		return nil
	case <-s.over:
		return s.ended()
	case <-ctx.Done():
		return fmt.Errorf("%s is not answered after %s: the adapter does not hand that on, or what it adapts goes on", op, end)
	}
}

// early looks at what was answered while nothing had come, and nobody had ended anything: an event, or an err, is the
// implementation's affair.
func (s *smoke) early(op, end string, a answer) error {
	var r ReadReply
	var into any
	if strings.HasSuffix(op, ".read") {
		into = &r
	}
	err := s.decode(op, a, into)
	switch {
	case errors.As(err, new(*Failure)) || r.Event != nil:
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s is answered before there is anything to say, and before %s: it waits for one of them, or what is adapted does not wait", op, end)
}
