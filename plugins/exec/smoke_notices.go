package exec

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// told are the notices that a handler is to get: two objects are there, one is changed, and one deleted.
const told = 4

// noticesAll has a handler told of what comes of two objects.
func noticesAll(ctx context.Context, s *smoke) error {
	i := slices.IndexFunc(s.offers, func(o Offer) bool { return o.Kind == "informer" && slices.Contains(o.Features, "handlers") })
	if i < 0 {
		return nil
	}
	events := `{"type":"MODIFIED","object":` + plainObject("a", 10) + "}\n" + `{"type":"DELETED","object":` + plainObject("b", 11) + "}\n"
	plain, err := newPlain(events, plainObject("a", 7), plainObject("b", 7))
	if err != nil {
		return err
	}
	defer plain.Close()
	if err := s.ok(ctx, "case.begin", CaseBegin{"smoke/notices"}); err != nil {
		return err
	}
	if err := s.tells(ctx, Server{URL: "http://" + plain.Addr}); err != nil {
		return fmt.Errorf("informer: %w", err)
	}
	return s.ok(ctx, "case.end", Nothing{})
}

func plainObject(name string, version int) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"default","uid":%[1]q,"resourceVersion":"%d"}}`, name, version)
}

// tells waits until a handler is told of all, for a while.
func (s *smoke) tells(ctx context.Context, at Server) error {
	n := &notices{conn: s.conn, as: "smoke18", all: make(chan struct{})}
	s.listen("smoke17", n.heard)
	if err := s.ok(ctx, "inf.open", InformerOpen{H: "smoke17", Server: at, Resource: configMaps(), Namespace: "default"}); err != nil {
		return err
	}
	if err := s.ok(ctx, "inf.handle", InformerHandle{H: "smoke17", As: n.as}); err != nil {
		return err
	}
	run, err := s.ask("inf.run", Informer{"smoke17"})
	if err != nil {
		return err
	}
	select {
	case <-n.all:
	case <-s.over:
	case <-time.After(settleLimit):
	}
	if err := s.ok(ctx, "barrier", Nothing{}); err != nil {
		return err
	}
	select {
	case <-run.answer:
		return unsuref("inf.run was answered before it was cancelled: the adapter must answer it when the informer has stopped, or the library stops by itself")
	default:
	}
	if err := s.endsRun(ctx, run); err != nil {
		return err
	}
	select {
	case <-n.all:
		n.proposals(s)
		return nil
	default:
		return unsuref("a handler was told of %d of two objects, a change and a deletion in %s: the adapter does not write every notice, or the library does not call its handler", n.count(), settleLimit)
	}
}

// notices looks at those of one handler.
type notices struct {
	*conn
	as  string
	all chan struct{} // closed with the last

	mu   sync.Mutex
	come int

	stateless, initial bool // an UPDATE came without the old state; an ADD said that it is one of the first
}

func (n *notices) heard(e event) {
	var is InformerNotice
	if e.Ev != "notice" || !n.reads(e, &is) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	wrong := is.follows(n.come)
	if is.As != n.as {
		wrong = noHandler(is.As)
	}
	if wrong != "" {
		n.close(n.protocolError(wrong, e.line))
		return
	}
	switch {
	case is.Type == "UPDATE" && is.Old == nil:
		n.stateless = true
	case is.Initial:
		n.initial = true
	}
	if n.come++; n.come == told {
		close(n.all)
	}
}

// proposals proposes what the notices show.
func (n *notices) proposals(s *smoke) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stateless {
		s.propose("informer", "new-state-only", "its UPDATE has no old state")
	}
	if n.initial {
		s.propose("informer", "initial-flag", "its ADD says initial")
	}
}

func (n *notices) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.come
}
