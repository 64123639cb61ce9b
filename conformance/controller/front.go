package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// disturbance is what goes wrong at one write.
type disturbance struct {
	text   string
	write  int
	step   int // of the scenario, which is not seen; 0: none
	kill   bool
	after  bool
	behind int  // writes that the next life's API server does not show
	before bool // nor what a user wrote last

	lose      bool
	code      int       // of a refusal
	of        string    // the object whose writes are refused
	till      time.Time // until then
	refused   int
	cut       bool
	late      bool
	how       string
	resource  string
	overlap   bool
	interfere bool
	last      time.Duration
	done      bool
}

// arm lets a disturbance wait for its write.
func (r *run) arm(d *disturbance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.armed = append(r.armed, d)
	if d.how == "hang" || d.how == "deaf" || d.overlap || d.step > 0 {
		r.slowest = max(r.slowest, d.last)
	}
	if d.behind > 0 || d.before {
		r.slowest = max(r.slowest, r.tempo.behind-r.tempo.quiet) // in virtual time quiet is longer
	}
}

// late delays the events of a resource from now on; "": of all resources.
func (r *run) late(text, resource string, by time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lates[resource] = by
	r.slowest = max(r.slowest, by)
	d := &disturbance{text: text, late: true, resource: resource}
	r.armed = append(r.armed, d)
	for s := range r.streams { // the controller watches already
		if resource == "" || resource == s.resource {
			d.done = true
			s.delay(by)
		}
	}
}

// came returns the disturbances that came about.
func (r *run) came() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.disturbed), func(text string) bool {
		return slices.ContainsFunc(r.armed, func(d *disturbance) bool { return d.text == text && !d.done })
	})
}

// behind reports whether the next life begins on an API server that stands still, and lets it go on after a minute.
func (r *run) behind() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.frozenFor()
	if f != nil {
		r.t.Go(func() {
			r.t.Sleep(r.tempo.behind + r.tempo.pause)
			f.Thaw()
		})
	}
	return f != nil
}

// frozenFor returns the API server that stands still for the life after a kill, once; nil: none does. The lock is held.
func (r *run) frozenFor() (f Freezer) {
	for _, d := range r.armed {
		if d.done && (d.behind > 0 || d.before) {
			f, _ = r.c.(Freezer)
			d.behind, d.before = 0, false
		}
	}
	return f
}

// hide lets the API server of the next life not show what a user writes now, if a disturbance wants that.
func (r *run) hide() {
	f, ok := r.c.(Freezer)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.armed {
		if ok && d.before && !d.done && !r.onFrozen() {
			f.Thaw()
			f.Freeze()
		}
	}
}

// onFrozen reports whether a life uses the API server that can stand still: it would never see what happens. The lock is held.
func (r *run) onFrozen() bool {
	return r.life != nil && r.life.behind || r.next != nil && r.next.behind
}

// front stands between a life of the controller and the API server.
type front struct {
	r    *run
	l    *life
	next http.Handler
}

// background reports whether objects of a kind come and go without meaning.
func background(kind string) bool { return kind == "Event" || kind == "Lease" }

// unjudged are resources whose writes do not count.
var unjudged = []string{"events", "events.events.k8s.io", leases}

// asking are resources that are created to be told something.
var asking = []string{"authentication.k8s.io", "authorization.k8s.io"}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if f.l.dead() {
		panic(http.ErrAbortHandler)
	}
	f.l.hear()
	f.r.brake(q.Context())
	x, ok := parsePath(q.URL.Path)
	_, group, _ := strings.Cut(x.resource, ".")
	if ok && f.r.s.Role() != nil {
		f.r.note(rightOf(q, x))
	}
	switch {
	case x.resource == leases && q.Method != http.MethodGet:
		f.lease(w, q, x)
	case !ok || slices.Contains(unjudged, x.resource) || slices.Contains(asking, group):
		f.next.ServeHTTP(w, q)
	case q.Method != http.MethodGet:
		f.write(w, q, x)
	case isWatch(q):
		f.watch(w, q, x)
	default:
		f.read(w, q, x)
	}
}

// An API server that is flooded answers late. Otherwise no time would pass in virtual time while a controller asks again and again without a
// pause, and its run would never end.
const (
	mostAtOnce = 3000
	thenEach   = 250 * time.Millisecond
)

// brake waits where the controller has asked too much.
func (r *run) brake(ctx context.Context) {
	if r.pace.Allow() {
		return
	}
	r.flooded.Store(true)
	_ = r.pace.Wait(ctx) // the controller may go away meanwhile
}

// note notes what the controller asks for.
func (r *run) note(what Right) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[what] = true
}

func isWatch(q *http.Request) bool {
	v := q.URL.Query().Get("watch")
	return v == "1" || v == "true"
}

// read serves a get or a list.
func (f *front) read(w http.ResponseWriter, q *http.Request, x target) {
	r := f.r
	r.mu.Lock()
	r.reads++
	until := r.deaf[x.resource]
	r.mu.Unlock()
	if x.name == "" && time.Now().Before(until) {
		refuse(w, http.StatusTooManyRequests, "TooManyRequests", "nobody can read for a while", 1)
		return
	}
	f.next.ServeHTTP(w, q)
}

// refuse answers with a Status.
func refuse(w http.ResponseWriter, code int, reason, message string, after int) {
	w.Header().Set("Content-Type", jsonType)
	if after > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(after))
	}
	w.WriteHeader(code)
	_, _ = w.Write(statusOf(code, reason, message, after))
}

func statusOf(code int, reason, message string, after int) []byte {
	s := map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure", "message": message, "reason": reason, "code": code}
	if after > 0 {
		s["details"] = map[string]any{"retryAfterSeconds": after}
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // it has strings and numbers
	}
	return b
}

// written is what is recorded of a write besides its answer.
type written struct {
	Write       int             `json:"write"`
	Subresource string          `json:"subresource,omitempty"`
	Patch       string          `json:"patch,omitempty"` // its type
	DryRun      bool            `json:"dryRun,omitempty"`
	Name        string          `json:"name,omitempty"`            // of a create: that the body has
	RV          string          `json:"resourceVersion,omitempty"` // that the body has
	Was         json.RawMessage `json:"was,omitempty"`             // of a delete: the object before
	WasRV       string          `json:"wasVersion,omitempty"`      // of a change by a second life: the resourceVersion before
	Ownerless   bool            `json:"ownerless,omitempty"`       // of a create: the owner that is its controller is gone, or is being deleted
	Beside      []string        `json:"beside,omitempty"`          // of a create: the uids of those that are there, have a controller, and are not being deleted
}

// write serves a write, and does what waits for it.
func (f *front) write(w http.ResponseWriter, q *http.Request, x target) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	q.Body = io.NopCloser(bytes.NewReader(body))
	wantJSON(q)
	n, all := f.r.due(q.Method, x)
	args := written{Write: n, Subresource: x.subresource, DryRun: q.URL.Query().Has("dryRun")}
	if o, err := readObject(body); err == nil {
		if args.RV = o.Meta.ResourceVersion; q.Method == http.MethodPost {
			args.Name, args.Ownerless = o.Meta.Name, f.ownerless(q, o)
		}
	}
	if q.Method == http.MethodPost && x.name == "" {
		args.Beside = f.beside(q)
	}
	if q.Method == http.MethodPatch {
		args.Patch = q.Header.Get("Content-Type")
	}
	for _, d := range all {
		if d.interfere && x.name != "" {
			f.r.t.Seen(f.l.actor, evDisturb, 0, harness.Answer{Body: d.text})
			f.r.once(otherActor, http.MethodPatch, x.object(q.URL.Path), mergeType, f.r.annotation()) // what is not there is not changed
		}
	}
	if x.name != "" && (q.Method == http.MethodDelete || f.l.num > 1) {
		if code, was := f.r.ask(q.Context(), http.MethodGet, x.object(q.URL.Path), jsonType, nil); code == http.StatusOK {
			if args.WasRV = versionIn(was); q.Method == http.MethodDelete {
				args.Was = bytes.TrimSpace(was)
			}
		}
	}
	num := f.r.t.Begin(harness.Call{Actor: f.l.actor, Kind: q.Method, Obj: history.Ref{Key: x.key()}, Args: args})
	end := func(a harness.Answer) { f.r.t.End(num, f.l.actor, q.Method, a) }
	for _, d := range all {
		if d.interfere {
			continue
		}
		f.r.t.Seen(f.l.actor, evDisturb, num, harness.Answer{Body: d.text})
		switch {
		case d.kill && !d.after:
			f.r.kill(f.l)
			end(harness.Answer{Err: &history.Error{Msg: "killed before the request arrived", Definite: true}})
			panic(http.ErrAbortHandler)
		case d.code > 0:
			reason := map[int]string{http.StatusConflict: "Conflict", http.StatusTooManyRequests: "TooManyRequests", http.StatusInternalServerError: "InternalError", http.StatusGatewayTimeout: "Timeout"}[d.code]
			after := 0
			if d.code == http.StatusTooManyRequests {
				after = 1
			}
			refuse(w, d.code, reason, "the write is refused for this test", after)
			end(harness.Answer{Err: &history.Error{Code: d.code, Reason: reason, Definite: true}})
			return
		case d.overlap:
			f.r.overlap(f.l, d.last)
		}
	}
	rec := newAnswer()
	f.next.ServeHTTP(rec, q)
	end(answerOf(rec.code, rec.body.Bytes()))
	f.r.wrote(q.Method+" "+x.key()+" "+x.subresource, rec.code)
	for _, d := range all {
		switch {
		case d.kill:
			f.r.kill(f.l)
			panic(http.ErrAbortHandler)
		case d.lose:
			panic(http.ErrAbortHandler)
		case d.cut:
			f.r.cut(d)
		}
	}
	rec.send(w)
}

// wantJSON asks for an answer that rules can read, if the controller can.
func wantJSON(q *http.Request) {
	if accept := q.Header.Get("Accept"); accept == "" || strings.Contains(accept, "json") || strings.Contains(accept, "*/*") {
		q.Header.Set("Accept", jsonType)
	}
}

// ownerless reports whether the owner that is the controller of an object is gone, or is being deleted.
func (f *front) ownerless(q *http.Request, o *object) bool {
	owner := o.controller()
	if owner == nil {
		return false
	}
	kind := object{APIVersion: owner.APIVersion, Kind: owner.Kind}
	res, err := f.r.c.Resource(kind.typeName())
	if err != nil {
		return false
	}
	code, body := f.r.ask(q.Context(), http.MethodGet, res.path(o.namespace(), owner.Name), jsonType, nil)
	now, err := readObject(body)
	return code == http.StatusNotFound || err == nil && (now.Meta.UID != owner.UID || now.Meta.DeletionTimestamp != "")
}

// beside returns the uids of the objects in the collection of a create that have a controller, and are not being deleted.
func (f *front) beside(q *http.Request) (all []string) {
	_, body := f.r.ask(q.Context(), http.MethodGet, q.URL.Path, jsonType, nil)
	var list struct{ Items []struct{ Metadata meta } }
	_ = json.Unmarshal(body, &list) // what cannot be read has nothing
	for _, it := range list.Items {
		if o := (object{Meta: it.Metadata}); o.controller() != nil && it.Metadata.DeletionTimestamp == "" {
			all = append(all, it.Metadata.UID)
		}
	}
	return all
}

// versionIn returns the resourceVersion in a body that is JSON.
func versionIn(body []byte) string {
	o, err := readObject(body)
	if err != nil {
		return ""
	}
	return o.Meta.ResourceVersion
}

// mostRefused ends a refusal, so that a controller which tries again without a pause comes to an end.
const mostRefused = 100

// decides reports whether a disturbance decides what becomes of a write and of those who wait for it.
func (d *disturbance) decides() bool { return d.kill || d.lose || d.code > 0 || d.cut }

// due counts a write, and returns what is to happen at it. If several disturbances would decide what becomes of it, the first does, and the
// others do not come about. Nor does a third life beside two.
func (r *run) due(method string, x target) (n int, all []*disturbance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes++
	for _, d := range r.armed {
		if f, ok := r.c.(Freezer); ok && d.kill && d.behind > 0 && !d.done && !r.onFrozen() && r.writes == max(1, d.write-d.behind+1) {
			f.Freeze() // it shows nothing of this write, and of those that follow
		}
		again := d.code > 0 && d.of == x.key() && time.Now().Before(d.till) && d.refused < mostRefused
		if d.write != r.writes && !again || d.done && !again || d.write == 0 {
			continue
		}
		if d.decides() && slices.ContainsFunc(all, (*disturbance).decides) || d.overlap && r.overlapping {
			continue
		}
		r.overlapping = r.overlapping || d.overlap
		if d.interfere && x.name == "" || d.code == http.StatusConflict && method == http.MethodDelete {
			continue // nothing is there to change; and no API server refuses so a delete that names no resourceVersion
		}
		if !d.done {
			d.done, d.of, d.till = true, x.key(), time.Now().Add(d.last)
		}
		d.refused++
		all = append(all, d)
	}
	return r.writes, all
}

// A write of one object that succeeds again and again is a heartbeat, which rest does not wait for: after mostNew times, or mostSteps where
// it comes again within a minute, or as long as events are late. A rollout of some pods writes a status once for each.
const (
	mostNew   = 3
	mostSteps = 10
)

// wrote notes the answer to a write.
func (r *run) wrote(what string, code int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if code < 300 {
		soon := now.Sub(r.wroteAt[what]) < time.Minute+r.slowest
		r.again[what]++
		r.wroteAt[what] = now
		if n := r.again[what]; n > mostSteps || n > mostNew && !soon {
			return
		}
	}
	r.last = now
}

// overlap starts a second life, and kills the first after a while.
func (r *run) overlap(first *life, d time.Duration) {
	r.t.Go(func() {
		second := r.start(Start{})
		r.mu.Lock()
		r.next, r.overlapping = second, second != nil
		r.mu.Unlock()
		if second == nil {
			return
		}
		r.t.Sleep(d)
		r.kill(first)
	})
}

// blind lets nobody watch for a while if a step of the scenario is not to be seen, and reports whether that is so.
func (r *run) blind(step int) bool {
	r.mu.Lock()
	i := slices.IndexFunc(r.armed, func(d *disturbance) bool { return d.step == step && !d.done })
	if i < 0 {
		r.mu.Unlock()
		return false
	}
	d := r.armed[i]
	d.done = true
	r.mu.Unlock()
	r.t.Seen(r.actor(userActor), evDisturb, 0, harness.Answer{Body: d.text})
	r.cut(&disturbance{how: "deaf", last: d.last})
	return true
}

// cut does to watches what a disturbance says.
func (r *run) cut(d *disturbance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for s := range r.streams {
		if d.resource != "" && d.resource != s.resource {
			continue
		}
		if d.how == "expire" || d.how == "deaf" {
			r.gone[s.resource] = true
		}
		if d.how == "deaf" {
			r.deaf[s.resource] = time.Now().Add(d.last)
		}
		if d.how == "hang" {
			s.hang(d.last)
		} else {
			s.cancel()
		}
	}
}

// watch serves a watch.
func (f *front) watch(w http.ResponseWriter, q *http.Request, x target) {
	r := f.r
	if f.l.behind && q.URL.Query().Has("sendInitialEvents") { // a streaming list is never behind; a server without the feature gate WatchList has none
		refuse(w, http.StatusUnprocessableEntity, "Invalid", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled", 0)
		return
	}
	ctx, cancel := context.WithCancel(q.Context())
	defer cancel()
	s := &stream{ResponseWriter: w, resource: x.resource, cancel: cancel, done: ctx.Done(), begun: !q.URL.Query().Has("sendInitialEvents")}
	r.mu.Lock()
	r.watched[x.resource] = true
	s.late = max(r.lates[x.resource], r.lates[""])
	for _, d := range r.armed {
		if d.late && (d.resource == x.resource || d.resource == "") {
			d.done = true
		}
	}
	deaf, gone := time.Now().Before(r.deaf[x.resource]), r.gone[x.resource] && q.URL.Query().Get("resourceVersion") != ""
	if gone && !deaf {
		delete(r.gone, x.resource)
	}
	if !gone && !deaf {
		r.streams[s] = true
	}
	r.mu.Unlock()
	switch {
	case deaf:
		refuse(w, http.StatusTooManyRequests, "TooManyRequests", "nobody can watch for a while", 1)
		return
	case gone:
		refuse(w, http.StatusGone, "Expired", "too old resource version", 0)
		return
	}
	defer func() {
		r.mu.Lock()
		delete(r.streams, s)
		r.mu.Unlock()
		s.drain()
	}()
	f.next.ServeHTTP(s, q.WithContext(ctx))
}

// stream is the answer to a watch.
type stream struct {
	http.ResponseWriter
	resource string
	cancel   context.CancelFunc
	done     <-chan struct{} // closed when the client has gone

	// Only the handler uses these.
	begun bool // the initial events have been sent
	queue chan piece
	sent  chan struct{}

	mu     sync.Mutex
	late   time.Duration
	silent bool
}

// piece is a part of the answer that goes out later.
type piece struct {
	at time.Time
	b  []byte
}

// hang sends nothing any more, and ends the watch after a while; 0: never.
func (s *stream) hang(d time.Duration) {
	s.mu.Lock()
	s.silent = true
	s.mu.Unlock()
	if d > 0 {
		time.AfterFunc(d, s.cancel)
	}
}

// delay sends what is written from now on so much later.
func (s *stream) delay(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = d
}

// Write implements io.Writer.
func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	silent, late := s.silent, s.late
	s.mu.Unlock()
	if silent {
		return len(b), nil
	}
	at := time.Now()
	if s.begun {
		at = at.Add(late)
	}
	s.begun = s.begun || bytes.Contains(b, []byte("k8s.io/initial-events-end")) // so in JSON and in protobuf
	if late == 0 && s.queue == nil {
		return s.ResponseWriter.Write(b)
	}
	if s.queue == nil {
		s.start()
	}
	s.queue <- piece{at, bytes.Clone(b)}
	return len(b), nil
}

// FlushError lets http.ResponseController flush.
func (s *stream) FlushError() error {
	if s.queue != nil {
		return nil // each piece is flushed when it goes out
	}
	return http.NewResponseController(s.ResponseWriter).Flush()
}

// start sends pieces when they are due.
func (s *stream) start() {
	s.queue, s.sent = make(chan piece, 1000), make(chan struct{})
	go func() {
		defer close(s.sent)
		for p := range s.queue {
			select {
			case <-time.After(time.Until(p.at)):
			case <-s.done:
				continue
			}
			if _, err := s.ResponseWriter.Write(p.b); err != nil {
				s.cancel()
			}
			_ = http.NewResponseController(s.ResponseWriter).Flush() // an error is the next write's, too
		}
	}()
}

// drain ends the answer.
func (s *stream) drain() {
	if s.queue != nil {
		close(s.queue)
		<-s.sent
	}
}

// answer holds an answer of the API server.
type answer struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{header: http.Header{}, code: http.StatusOK} }

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) { a.code = code }

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

// send gives the answer to the controller. One that is gone needs none.
func (a *answer) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.code)
	_, _ = w.Write(a.body.Bytes())
}
