package history

import (
	"encoding/json"
	"fmt"
	"math/rand"

	fuzz "github.com/google/gofuzz"
)

// randomHistory returns a valid history of up to n events with arbitrary content: texts of all scripts, sets that are
// nil or not, calls with and without a return.
func randomHistory(seed int64, n int) (Header, []Event) {
	r := rand.New(rand.NewSource(seed))
	in := &Interner{}
	f := fuzz.New().RandSource(rand.NewSource(seed)).NilChance(.4).NumElements(0, 4).Funcs(
		func(s *Set, c fuzz.Continue) { panic("sets are made by their interner") },
		func(raw *json.RawMessage, c fuzz.Continue) { *raw = randomJSON(c) },
		func(ref *Ref, c fuzz.Continue) {
			ref.Key, ref.UID, ref.Body = c.RandString(), c.RandString(), c.RandString()
			ref.RV = randomRV(c)
			ref.Labels, ref.Fields, ref.Meta = in.Set(randomSet(c)), in.Set(randomSet(c)), in.Set(randomSet(c))
		},
	)
	var h Header
	f.Fuzz(&h)
	if h.Story != nil {
		h.Story = json.RawMessage(`{"kind":"k"}`)
	}
	h.Format, h.Time, h.Kind = Format, []string{VirtualTime, RealTime}[r.Intn(2)], "k"+h.Kind
	var events []Event
	open := map[int]bool{}
	for i := range r.Intn(n + 1) {
		e := Event{Actor: fmt.Sprint("a", r.Intn(3)), At: r.Int63()}
		f.Fuzz(&e.Kind)
		e.Kind = "K" + e.Kind
		f.Fuzz(&e.Obj)
		f.Fuzz(&e.X)
		if x := e.X; x != nil && x.Err == nil && x.Items == nil && x.Args == nil && x.Body == nil {
			e.X = nil // an Ext without content says what none says
		}
		calls := randomCall(r, events)
		switch {
		case r.Intn(3) == 0:
			e.Phase = Call
			open[i] = true
		case calls >= 0 && open[calls] && r.Intn(2) == 0:
			e.Phase, e.Call, e.Actor, e.Kind = Return, int32(calls+1), events[calls].Actor, events[calls].Kind
			open[calls] = false
		case calls >= 0:
			e.Call = int32(calls + 1)
		}
		events = append(events, e)
	}
	return h, events
}

// randomCall returns the index of a call, or -1 if there is none.
func randomCall(r *rand.Rand, events []Event) int {
	var calls []int
	for i := range events {
		if events[i].Phase == Call {
			calls = append(calls, i)
		}
	}
	if len(calls) == 0 {
		return -1
	}
	return calls[r.Intn(len(calls))]
}

func randomRV(c fuzz.Continue) string {
	switch c.Intn(5) {
	case 0:
		return ""
	case 1:
		return "0"
	case 2:
		return c.RandString()
	case 3:
		return fmt.Sprint(1+c.Intn(9)) + "00000000000000000000000000000000"[:c.Intn(32)]
	}
	return fmt.Sprint(1 + c.Intn(100))
}

func randomSet(c fuzz.Continue) map[string]string {
	var m map[string]string
	for range c.Intn(3) {
		if m == nil {
			m = map[string]string{}
		}
		m[c.RandString()] = c.RandString()
	}
	return m
}

// randomJSON returns compact JSON, as the writer writes it.
func randomJSON(c fuzz.Continue) json.RawMessage {
	if c.Intn(2) == 0 {
		return nil
	}
	var v any
	switch c.Intn(4) {
	case 0:
		v = c.RandString()
	case 1:
		v = map[string]any{c.RandString(): c.Intn(10), "nested": []string{c.RandString()}}
	case 2:
		v = c.Intn(1000)
	case 3:
		v = randomSet(c)
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
