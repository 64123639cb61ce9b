package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// waitsAll has requests wait of all that an adapter offers: they hold up no other, and end when they are to, or when
// something comes, which is told as it must be.
func waitsAll(ctx context.Context, s *smoke) error {
	quiet, err := newPlain("")
	if err != nil {
		return err
	}
	defer quiet.Close()
	bringing, err := newPlain(`{"type":"ADDED","object":` + plainObject("a", 7) + "}\n")
	if err != nil {
		return err
	}
	defer bringing.Close()
	if err := s.ok(ctx, "case.begin", CaseBegin{"smoke/waits"}); err != nil {
		return err
	}
	for _, o := range s.offers {
		if err := s.waitsOf(ctx, o, quiet.Addr, bringing.Addr); err != nil {
			err = fmt.Errorf("%s: %w", o.Kind, err)
			s.close(err) // it may be stuck
			return err
		}
	}
	return s.ok(ctx, "case.end", Nothing{})
}

func (s *smoke) waitsOf(ctx context.Context, o Offer, quiet, bringing string) error {
	has := func(feature string) bool { return slices.Contains(o.Features, feature) }
	switch {
	case o.Kind == "listerwatcher" && has("watches"):
		for h, at := range map[string]string{"smoke12": quiet, "smoke19": bringing} {
			if err := s.ok(ctx, "lw.open", LWOpen{H: h, Server: Server{URL: "http://" + at}, Resource: configMaps(), Namespace: "default"}); err != nil {
				return err
			}
		}
		if err := s.brings(ctx, "lw", LWWatch{LWCall{H: "smoke19"}, "smoke20"}, nil); err != nil {
			return err
		}
		return s.watches(ctx, "lw", func(w string) any { return LWWatch{LWCall{H: "smoke12"}, w} })
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
		open := func(w string) any { return WCWatch{WCList: WCList{H: h.H, Namespace: "a"}, W: w} }
		if err := s.watches(ctx, "wc", open); err != nil {
			return err
		}
		return s.brings(ctx, "wc", open("smoke20"), &WCWrite{H: h.H, Namespace: "a", Object: json.RawMessage(plainMap)})
	}
	return nil
}

// brings reads the one event of a watch, which comes by itself or by a write. None may come, or an err: that is the
// implementation's affair.
func (s *smoke) brings(ctx context.Context, kind string, open any, write *WCWrite) error {
	var refused *Failure
	if err := s.ok(ctx, kind+".watch", open); errors.As(err, &refused) {
		return nil
	} else if err != nil {
		return err
	}
	if write != nil {
		if err := s.ok(ctx, kind+".create", write); err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	p, err := s.ask(kind+".read", Read{"smoke20"})
	if err != nil {
		return err
	}
	select {
	case a := <-p.answer:
		if err := s.decode(kind+".read", a, new(ReadReply)); err != nil && !errors.As(err, &refused) {
			return err
		}
	case <-s.over:
		return s.lastly(p, nil)
	case <-time.After(settleLimit):
		if err := s.ok(ctx, "barrier", Nothing{}); err != nil {
			return fmt.Errorf("while %s waits, it holds up other requests: %w", kind+".read", err)
		}
	}
	for range 2 {
		if err := s.ok(ctx, kind+".stop", Stop{"smoke20"}); err != nil {
			return fmt.Errorf("a watch may be stopped twice: %w", err)
		}
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
	return s.endsWith(p, end)
}

// endsWith waits for the answer to a request that was told to end, by ok or err.
func (s *smoke) endsWith(p pending, end string) (err error) {
	select {
	case a := <-p.answer:
		err = s.decode(p.op, a, nil)
	case <-s.over:
		err = s.lastly(p, nil)
	case <-awhile():
		return unsuref("%s is not answered after %s: the adapter does not pass that on, or the library goes on", p.op, end)
	}
	if errors.As(err, new(*Failure)) {
		return nil
	}
	return err
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
	return unsuref("%s was answered with %s before there was anything to say, and before %s: the adapter must wait for one of them, or the library does not wait", op, a.OK, end)
}
