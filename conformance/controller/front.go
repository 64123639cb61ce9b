package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

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
	Patch       string          `json:"patch,omitempty"`   // its type
	Creates     bool            `json:"creates,omitempty"` // a server-side apply that creates its object
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
		if args.RV, args.Creates = o.Meta.ResourceVersion, f.creates(q, x); args.Creates || q.Method == http.MethodPost {
			args.Name, args.Ownerless = o.Meta.Name, f.ownerless(q, o)
		}
	}
	switch {
	case q.Method == http.MethodPost && x.name == "":
		args.Beside = f.beside(q, q.URL.Path)
	case args.Creates:
		args.Beside = f.beside(q, path.Dir(q.URL.Path))
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
	rec := httptest.NewRecorder()
	f.next.ServeHTTP(rec, q)
	end(answerOf(rec.Code, rec.Body.Bytes()))
	f.r.wrote(q.Method+" "+x.key()+" "+x.subresource, rec.Code)
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
	send(w, rec)
}

// send gives an answer to the controller. One that is gone needs none.
func send(w http.ResponseWriter, rec *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// wantJSON asks for an answer that rules can read, if the controller can.
func wantJSON(q *http.Request) {
	if accept := q.Header.Get("Accept"); accept == "" || strings.Contains(accept, "json") || strings.Contains(accept, "*/*") {
		q.Header.Set("Accept", jsonType)
	}
}

// creates reports whether a request is an apply that creates its object.
func (f *front) creates(q *http.Request, x target) bool {
	if q.Method != http.MethodPatch || x.subresource != "" || !strings.HasPrefix(q.Header.Get("Content-Type"), "application/apply-patch") {
		return false
	}
	code, _ := f.r.ask(q.Context(), http.MethodGet, q.URL.Path, jsonType, nil)
	return code == http.StatusNotFound
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

// beside returns the uids of the objects in a collection that have a controller, and are not being deleted.
func (f *front) beside(q *http.Request, collection string) (all []string) {
	_, body := f.r.ask(q.Context(), http.MethodGet, collection, jsonType, nil)
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
