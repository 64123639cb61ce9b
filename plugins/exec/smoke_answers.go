package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/store"
)

// probe is a request whose answer has fields. Whether they are there is looked at when it comes; what is in them, and
// whether it is an error that says why, is the implementation's affair.
type probe struct {
	feature string // that has it; "": it is always there
	op      string
	args    any
}

// answersAll asks what an adapter offers for what can be asked of a fresh one.
func answersAll(ctx context.Context, s *smoke) error {
	plain, err := newPlain("")
	if err != nil {
		return err
	}
	defer plain.Close()
	if err := s.ok(ctx, "case.begin", CaseBegin{"smoke/answers"}); err != nil {
		return err
	}
	s.listen("smoke10", func(e event) { // a store, which may give its content
		if e.Ev == "push" {
			s.reads(e, new(StorePush))
		}
	})
	for _, o := range s.offers {
		for _, p := range probes(o, Server{URL: "http://" + plain.Addr}) {
			if p.feature != "" && !slices.Contains(o.Features, p.feature) {
				continue
			}
			var f *Failure
			if err := s.ok(ctx, p.op, p.args); err != nil && !errors.As(err, &f) {
				return fmt.Errorf("%s: %w", o.Kind, err)
			}
		}
	}
	return s.ok(ctx, "case.end", Nothing{})
}

// probes are those of an offer. Nothing is asked that may wait, but for a server.
func probes(o Offer, at Server) []probe {
	switch o.Kind {
	case "listerwatcher":
		call := LWCall{H: "smoke6"}
		return []probe{
			{"", "lw.open", LWOpen{H: "smoke6", Server: at, Resource: configMaps(), Namespace: "default"}},
			{"lists", "lw.list", call},
			{"watches", "lw.watch", LWWatch{call, "smoke7"}},
			{"watches", "lw.stop", Stop{"smoke7"}},
		}
	case "informer":
		h := Informer{"smoke8"}
		return []probe{
			{"", "inf.open", InformerOpen{H: h.H, Server: at, Resource: configMaps(), Namespace: "default"}},
			{"", "inf.get", InformerKey{h.H, "default/a"}},
			{"", "inf.list", h},
			{"has-synced", "inf.synced", h},
			{"version", "inf.version", h},
			{"handlers", "inf.handle", InformerHandle{H: h.H, As: "smoke9"}},
			{"handler-synced", "inf.handled", InformerHandler{h.H, "smoke9"}},
		}
	case "store":
		return storeProbes(Store{"smoke10"})
	}
	if o.Serves || o.Kind == "runtime" || o.Kind == "node" { // wc.start, rt.start or node.start was asked for
		return nil
	}
	h := WCServer{"smoke11"}
	return []probe{
		{"", "wc.open", h},
		{"", "wc.create", WCWrite{H: h.H, Namespace: "a", Object: json.RawMessage(plainMap)}},
		{"", "wc.get", WCGet{H: h.H, Namespace: "a", Name: "a"}},
		{"", "wc.list", WCList{H: h.H, Namespace: "a"}},
	}
}

// plainMap is a ConfigMap to be made.
const plainMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"a","name":"a"}}`

func storeProbes(h Store) []probe {
	a := store.Object{Namespace: "default", Name: "a", ResourceVersion: "2"}
	by := StoreIndex{H: h.H, Index: store.ByNamespace, Value: "default"}
	return []probe{
		{"", "store.open", StoreOpen{H: h.H}},
		{"index", "store.addindexers", StoreIndexers{h.H, []string{store.ByNamespace}}},
		{"", "store.apply", StoreApply{H: h.H, Changes: []store.Change{{Verb: store.Add, Object: a}}}},
		{"map", "store.get", StoreGet{H: h.H, Key: a.Key()}},
		{"map", "store.list", h},
		{"map", "store.keys", h},
		{"index", "store.index", by},
		{"index", "store.indexkeys", by},
		{"index", "store.indexvalues", StoreIndex{H: h.H, Index: store.ByNamespace}},
		{"version", "store.version", h},
		{"queue", "queue.synced", h},
	}
}

// newPlain is a server of a list of ConfigMaps; its watches bring these events, each a line.
func newPlain(events string, items ...string) (*http.Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{Addr: l.Addr().String(), ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !rig.AsksWatch(r.URL) {
			_, _ = fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[%s]}`, strings.Join(items, ","))
			return
		}
		if r.URL.Query().Get("sendInitialEvents") != "" { // it has none, and says so as a server without that feature
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,"message":"sendInitialEvents is forbidden"}`)
			return
		}
		_, _ = io.WriteString(w, events)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})}
	go func() { _ = s.Serve(l) }() // it ends with Close
	return s, nil
}
