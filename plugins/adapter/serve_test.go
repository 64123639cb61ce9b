package adapter

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
)

// patience is what a line may take that has to come.
const patience = 5 * time.Minute

// talk is lwtest's side: lines in, lines out.
type talk struct {
	t      *testing.T
	in     *io.PipeWriter
	lines  chan string
	status chan int
}

func speak(t *testing.T, a Adapter) *talk {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	k := &talk{t, to, make(chan string, 1000), make(chan int, 1)}
	go func() {
		for s := bufio.NewScanner(from); s.Scan(); {
			k.lines <- s.Text()
		}
	}()
	go func() { k.status <- Serve(a, in, out) }()
	t.Cleanup(func() { _ = to.Close() })
	return k
}

// say sends a line.
func (k *talk) say(line string) {
	k.t.Helper()
	if _, err := io.WriteString(k.in, line+"\n"); err != nil {
		k.t.Fatal(err)
	}
}

// hear wants this line next.
func (k *talk) hear(want string) {
	k.t.Helper()
	select {
	case got := <-k.lines:
		if got != want {
			k.t.Fatalf("got  %s\nwant %s", got, want)
		}
	case <-time.After(patience):
		k.t.Fatalf("nothing came, want %s", want)
	}
}

// ends wants the end with this status.
func (k *talk) ends(want int) {
	k.t.Helper()
	select {
	case got := <-k.status:
		if got != want {
			k.t.Fatalf("ended with status %d, want %d", got, want)
		}
	case <-time.After(patience):
		k.t.Fatal("it goes on")
	}
}

func TestHello(t *testing.T) {
	k := speak(t, Adapter{Implementation: "mine", Version: "1", Store: StoreOffer{Features: []string{"map"}, Open: openMap},
		Informer: InformerOffer{New: newFake}})
	k.say(`{"id":1,"op":"hello","protocol":1}`)
	k.hear(`{"id":1,"ok":{"protocol":1,"implementation":"mine","version":"1","offers":[{"kind":"informer","features":[],"holds":true},{"kind":"store","features":["map"]}]}}`)
	k.say(`{"id":2,"op":"hello","protocol":2,"more":true}`) // lwtest sees that they differ
	k.hear(`{"id":2,"ok":{"protocol":1,"implementation":"mine","version":"1","offers":[{"kind":"informer","features":[],"holds":true},{"kind":"store","features":["map"]}]}}`)
	k.say(`{"id":3,"op":"case.begin","case":"store/basic/add"}`)
	k.hear(`{"id":3,"ok":{}}`)
	k.say(`{"id":4,"op":"barrier"}`)
	k.hear(`{"id":4,"ok":{}}`)
	k.say(`{"id":5,"op":"sing"}`)
	k.hear(`{"id":5,"skip":"there is no sing"}`)
	k.say(`{"id":6,"op":"lw.open","h":"c1"}`) // not offered
	k.hear(`{"id":6,"skip":"there is no lw.open"}`)
	k.say(`{"id":7,"op":"store.list","h":"s1"}`)
	k.hear(`{"id":7,"err":{"msg":"the handle \"s1\" does not exist, or its case is over"}}`)
	k.say(`{"id":8,"op":"shutdown"}`)
	k.hear(`{"id":8,"ok":{}}`)
	k.ends(0)
}

func TestEnds(t *testing.T) {
	for in, want := range map[string]int{
		"":                                0,
		"{\"id\":1,\"op\":\"hello\"}":     0, // the last line need not end
		"\n \n":                           0,
		"{\"id\":1,\"op\":\"crash\"}\n":   7,
		"crash\n":                         2,
		"[]\n":                            2,
		"{\"op\":\"hello\"}\n":            2,
		"{\"id\":1}\n":                    2,
		"{\"id\":\"1\",\"op\":\"hello\"}": 2,
		"{\"id\":1,\"op\":\"hello\",\"protocol\":\"1\"}\n": 2,
	} {
		if got := Serve(Adapter{}, strings.NewReader(in), io.Discard); got != want {
			t.Errorf("%q ended with status %d, want %d", in, got, want)
		}
	}
}

// What waits holds up nothing else, and ends with its context.
func TestTwoInFlight(t *testing.T) {
	k := speak(t, Adapter{Informer: InformerOffer{New: newFake}})
	k.say(`{"id":1,"op":"inf.open","h":"i1"}`)
	k.hear(`{"id":1,"ok":{}}`)
	k.say(`{"id":2,"op":"inf.run","h":"i1"}`)
	k.say(`{"id":3,"op":"inf.synced","h":"i1"}`)
	k.hear(`{"id":3,"ok":{"synced":true}}`)
	k.say(`{"id":4,"op":"cancel","of":2}`)
	k.both(`{"id":4,"ok":{}}`, `{"id":2,"ok":{}}`)
	k.say(`{"id":5,"op":"cancel","of":2}`) // late
	k.hear(`{"id":5,"ok":{}}`)
}

// both wants these two lines next, in any order.
func (k *talk) both(a, b string) {
	k.t.Helper()
	got := map[string]bool{<-k.lines: true, <-k.lines: true}
	if !got[a] || !got[b] {
		k.t.Fatalf("got %v\nwant %s and %s", got, a, b)
	}
}

// The end of a case ends what is open in it, and is answered after all that.
func TestCaseEnd(t *testing.T) {
	stopped := make(chan struct{})
	k := speak(t, Adapter{Informer: InformerOffer{New: func(InformerConfig) (Informer, error) {
		return lingering{&fake{}, stopped}, nil
	}}, Store: StoreOffer{Open: openQueue}, ListerWatcher: ListerWatcherOffer{Open: openClient}})
	for i, line := range []string{`"inf.open","h":"i1"`, `"store.open","h":"q1"`, `"lw.open","h":"c1"`, `"lw.watch","h":"c1","w":"w1","options":{}`} {
		k.say(`{"id":` + string(rune('1'+i)) + `,"op":` + line + `}`)
		<-k.lines
	}
	k.say(`{"id":11,"op":"inf.run","h":"i1"}`)
	k.say(`{"id":12,"op":"queue.pop","h":"q1"}`)
	k.say(`{"id":13,"op":"lw.read","w":"w1"}`)
	k.say(`{"id":14,"op":"case.end"}`)
	ended := map[string]bool{}
	for i := 0; i < 2; i++ {
		ended[<-k.lines] = true
	}
	if !ended[`{"id":12,"err":{"code":"closed","msg":"the queue is closed"}}`] || !ended[`{"id":13,"ok":{"ended":true}}`] {
		t.Fatal(ended)
	}
	close(stopped) // the informer's Run, which everything waits for
	k.hear(`{"id":11,"ok":{}}`)
	k.hear(`{"id":14,"ok":{}}`)
	k.say(`{"id":15,"op":"inf.get","h":"i1","key":"a"}`)
	k.hear(`{"id":15,"err":{"msg":"the handle \"i1\" does not exist, or its case is over"}}`)
}

// lingering is an informer whose Run takes its time to return.
type lingering struct {
	*fake
	stopped <-chan struct{}
}

func (l lingering) Run(ctx context.Context) {
	<-ctx.Done()
	<-l.stopped
}

// An event of a case that is over is not written.
func TestLateEvent(t *testing.T) {
	var push func([]Object)
	k := speak(t, Adapter{Store: StoreOffer{Open: func(o StoreOptions) (Store, error) {
		push = o.Push
		return openMap(o)
	}}})
	k.say(`{"id":1,"op":"store.open","h":"s1"}`)
	k.hear(`{"id":1,"ok":{}}`)
	push(nil)
	k.hear(`{"ev":"push","h":"s1","objects":[]}`)
	k.say(`{"id":2,"op":"case.end"}`)
	k.hear(`{"id":2,"ok":{}}`)
	push(nil)
	k.say(`{"id":3,"op":"barrier"}`)
	k.hear(`{"id":3,"ok":{}}`)
}

// lines that a JSON reader would take for two must stay one.
func TestWhole(t *testing.T) {
	k := speak(t, Adapter{Informer: InformerOffer{New: func(InformerConfig) (Informer, error) {
		return &fake{objects: map[string]json.RawMessage{"a": json.RawMessage("{\n \"kind\": \"ConfigMap\"\n}")}}, nil
	}}})
	k.say(`{"id":1,"op":"inf.open","h":"i1"}`)
	k.hear(`{"id":1,"ok":{}}`)
	k.say(`{"id":2,"op":"inf.get","h":"i1","key":"a"}`)
	k.hear(`{"id":2,"ok":{"object":{"kind":"ConfigMap"}}}`)
}
