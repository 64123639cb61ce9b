package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// Actors that are no lives of the controller.
const (
	userActor  = "user"
	otherActor = "other" // a client that shares objects with the controller
	runActor   = "run"
)

// Events that are no requests.
const (
	evRun     = "RUN"     // a run begins, on a new API server; its body is a runInfo
	evFinal   = "FINAL"   // it ends: its body is a final
	evStart   = "START"   // a life begins
	evDisturb = "DISTURB" // something goes wrong; its body is the sentence that says what
	evKill    = "KILL"    // the life is killed
	evStop    = "STOP"    // the life is told to stop
	evOver    = "OVER"    // the controller has ended; its error, if it has one, says why it did so by itself
	evStuck   = "STUCK"   // the controller has not ended long after it was told to
	evRest    = "REST"    // nothing was written for a while
)

const (
	jsonType         = "application/json"
	mergeType        = "application/merge-patch+json"
	defaultNamespace = "default"
)

// runInfo describes a run. Without Disturbed it is an undisturbed one, to compare with.
type runInfo struct {
	Run       int      `json:"run"`
	Disturbed []string `json:"disturbed,omitempty"`
	// Stale says that a disturbance made the controller's view old for longer than a cache usually lags, or let two lives race.
	Stale bool `json:"stale,omitempty"`
}

// final is what a run ends with.
type final struct {
	Objects []json.RawMessage `json:"objects"`
	Struck  bool              `json:"struck"` // each disturbance of the run came about
	Reads   int               `json:"reads"`  // requests of the controller that read, in the last window of time
}

// window is how long a run goes on at its end, for rules that want quiet.
const window = 10 * time.Minute

// world is what the steps of a story act on: one run after the other, each with a cluster of its own.
type world struct {
	t     *harness.T
	s     Subject
	words *story.Vocabulary[*world] // the vocabulary, which cannot name itself
	run   *run
	runs  int
	seen  []*outcome // of undisturbed runs
}

// outcome is what became of a run.
type outcome struct {
	state   state
	writes  int
	watched []string // resources
}

func play(t *harness.T, s Subject, st story.Story) {
	w := &world{t: t, s: s, words: vocabulary}
	steps := st.Steps
	calm := slices.DeleteFunc(slices.Clone(steps), func(s story.Step) bool { return slices.Contains(disturbing, s.Op) })
	if !w.undisturbed(calm) {
		return
	}
	different := false
	if len(calm) == len(steps) || !sweeping(steps) { // one run
		w.begin(texts(steps), slices.ContainsFunc(steps, stales))
		vocabulary.Play(t, w, st)
		different = w.end()
	} else {
		for _, placed := range w.places(steps) {
			if t.Context().Err() != nil {
				return
			}
			w.begin(texts(placed), slices.ContainsFunc(placed, stales))
			if !w.steps(placed) {
				return
			}
			different = w.end() || different
		}
	}
	for i := 0; different && i < 2; i++ { // what differs among undisturbed runs is no difference
		if !w.undisturbed(calm) {
			return
		}
	}
}

// undisturbed plays steps with nothing wrong, and reports whether the story can go on.
func (w *world) undisturbed(steps []story.Step) bool {
	w.begin(nil, false)
	ok := w.steps(steps)
	if ok {
		w.end()
	}
	return ok && w.t.Context().Err() == nil
}

// steps does steps of a run that the history does not mark.
func (w *world) steps(steps []story.Step) bool {
	for _, s := range steps {
		if !vocabulary.Applies(w.t, s) {
			continue
		}
		if err := vocabulary.Do(w, s); err != nil && !story.Skipped(err) {
			w.t.GiveUp("%s: %v", vocabulary.Say(s), err)
			return false
		}
	}
	return true
}

// usualLag is how far behind a cache of a healthy cluster may be.
const usualLag = time.Second

// stales reports whether a step makes the controller's view old, or lets two lives race.
func stales(s story.Step) bool {
	switch a := s.With.(type) {
	case Late:
		return time.Duration(s.For) > usualLag
	case Kill:
		return a.Behind > 0 || a.Before != ""
	case Cut:
		return true
	}
	return s.Op == "overlap"
}

// texts says what disturbs a run.
func texts(steps []story.Step) (all []string) {
	for _, s := range steps {
		if slices.Contains(disturbing, s.Op) {
			all = append(all, vocabulary.Say(s))
		}
	}
	return all
}

// begin begins a run.
func (w *world) begin(disturbed []string, stale bool) {
	w.runs++
	c, err := w.s.Open(w.t.Context(), uint64(w.t.Seed())+uint64(w.runs))
	if err != nil {
		w.t.GiveUp("the cluster of run %d: %v", w.runs, err)
		c = nil
	}
	w.run = &run{w: w, t: w.t, c: c, disturbed: len(disturbed) > 0, watched: map[string]bool{}, lates: map[string]time.Duration{}, again: map[string]int{}, wroteAt: map[string]time.Time{}, streams: map[*stream]bool{}, gone: map[string]bool{}, deaf: map[string]time.Time{}, last: time.Now()}
	w.t.Cleanup(w.run.close)
	w.t.Seen(runActor, evRun, 0, harness.Answer{Body: runInfo{w.runs, disturbed, stale}})
	if c == nil {
		return
	}
	for _, o := range w.run.objects() {
		w.run.before = append(w.run.before, o.Meta.UID)
	}
	w.run.over = make(chan struct{})
	w.t.Go(w.run.supervise)
	w.run.rest()
}

// end ends a run, and reports whether it ended otherwise than all undisturbed ones.
func (w *world) end() bool {
	r := w.run
	if r.c == nil {
		return false
	}
	r.rest()
	reads, writes, struck := r.readsSoFar(), r.writesSoFar(), r.struck() // what strikes in the window leaves no time to come to rest
	w.t.Sleep(window)
	if w.t.Context().Err() != nil {
		return false // it has not come to its end
	}
	end := final{Struck: struck, Reads: r.readsSoFar() - reads}
	var objects []*object
	for _, o := range r.objects() {
		if !slices.Contains(r.before, o.Meta.UID) {
			objects, end.Objects = append(objects, o), append(end.Objects, o.raw)
		}
	}
	w.t.Seen(runActor, evFinal, 0, harness.Answer{Body: end})
	r.close()
	got := &outcome{state: stateOf(objects), writes: writes}
	for res := range r.watched {
		got.watched = append(got.watched, res)
	}
	slices.Sort(got.watched)
	if !r.disturbed {
		w.seen = append(w.seen, got)
		return false
	}
	return end.Struck && len(differences(got.state, w.states())) > 0
}

func (w *world) states() (all []state) {
	for _, o := range w.seen {
		all = append(all, o.state)
	}
	return all
}

// run is one run of the scenario.
type run struct {
	w         *world
	t         *harness.T
	c         Cluster // nil: it could not be made
	disturbed bool
	before    []string // uids of the objects that exist before the controller starts
	over      chan struct{}
	closing   sync.Once

	mu      sync.Mutex
	armed   []*disturbance
	notes   int // of the other client
	writes  int
	reads   int
	last    time.Time      // of the last write that is no heartbeat, or since when the run is
	again   map[string]int // successful writes since the last rest
	wroteAt map[string]time.Time
	slowest time.Duration
	ending  bool
	lives   int
	life    *life
	next    *life // takes over when life has ended
	watched map[string]bool
	lates   map[string]time.Duration // by resource
	streams map[*stream]bool
	gone    map[string]bool // resources whose next watch cannot go on where it was
	deaf    map[string]time.Time
}

// life is one life of the controller.
type life struct {
	Life
	actor  string
	behind bool // its API server shows an earlier state at first
	mu     sync.Mutex
	killed bool
}

func (l *life) dead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.killed
}

// pause is how long a controller stays down after it has ended.
const pause = 5 * time.Second

// unwinding is how long a controller may take to end, in this process, before the case goes on without it.
const unwinding = 5 * time.Minute

// mostLives bounds how often a controller that ends by itself is started in one run.
const mostLives = 30

// supervise starts the controller, again and again.
func (r *run) supervise() {
	defer close(r.over)
	for {
		l := r.takeOver()
		if l == nil {
			l = r.start(Start{Behind: r.behind()})
		}
		if l == nil {
			return
		}
		<-l.Done()
		if !r.ended(l) {
			return
		}
		r.t.Sleep(pause)
	}
}

// start begins a life; nil: it cannot, or need not.
func (r *run) start(o Start) *life {
	r.mu.Lock()
	if r.ending || r.lives == mostLives {
		r.mu.Unlock()
		return nil
	}
	r.lives++
	l := &life{actor: fmt.Sprintf("life%d", r.lives), behind: o.Behind}
	r.mu.Unlock()
	r.t.Seen(l.actor, evStart, 0, harness.Answer{Body: o})
	p, err := r.c.Start(r.t.Context(), func(next http.Handler) http.Handler { return &front{r, l, next} }, o)
	if err != nil {
		r.t.GiveUp("the controller does not start: %v", err)
		return nil
	}
	l.Life = p
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.life == nil {
		r.life = l
	}
	return l
}

// takeOver returns the life that goes on after the one that has ended; nil: none runs.
func (r *run) takeOver() *life {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.life, r.next = r.next, nil
	return r.life
}

// ended records the end of a life, and reports whether another is to follow.
func (r *run) ended(l *life) bool {
	answer := harness.Answer{}
	r.mu.Lock()
	ending := r.ending
	r.mu.Unlock()
	if err := l.Err(); err != nil && !l.dead() {
		answer.Err = &history.Error{Msg: err.Error()}
	}
	r.t.Seen(l.actor, evOver, 0, answer)
	return !ending
}

// kill kills a life.
func (r *run) kill(l *life) {
	l.mu.Lock()
	was := l.killed
	l.killed = true
	l.mu.Unlock()
	if !was {
		r.t.Seen(l.actor, evKill, 0, harness.Answer{})
		l.Kill()
	}
}

// stop tells a life to stop, and waits until it has.
func (r *run) stop(l *life) {
	r.t.Seen(l.actor, evStop, 0, harness.Answer{})
	l.Stop()
	select {
	case <-l.Done():
		return
	case <-time.After(unwinding):
	case <-r.t.Context().Done():
	}
	r.t.Seen(l.actor, evStuck, 0, harness.Answer{})
	r.kill(l)
}

// restart stops the present life. The supervisor starts the next.
func (r *run) restart() {
	if l := r.present(); l != nil {
		r.stop(l)
		r.t.Sleep(2 * pause)
	}
}

func (r *run) present() *life {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.life
}

// close stops the controller and ends the cluster.
func (r *run) close() {
	r.closing.Do(func() {
		if r.c == nil {
			return
		}
		r.mu.Lock()
		r.ending = true
		all := []*life{r.life, r.next}
		r.mu.Unlock()
		for _, l := range all {
			if l != nil {
				select {
				case <-l.Done():
				default:
					r.stop(l)
				}
			}
		}
		<-r.over
		_ = r.c.Close()
	})
}

// restFor is how long nothing must be written before a run is at rest, and mostRest is when it goes on anyway. Where events are late, both
// are longer. A controller that waits for its cache, with pauses that double, may sleep as long again. One that does ten things one after
// the other waits ten times.
const (
	restFor  = 3 * time.Minute
	mostRest = 20 * time.Minute
)

// rest waits until the controller has written nothing for a while.
func (r *run) rest() {
	const step = 15 * time.Second
	r.mu.Lock()
	need, most, from := restFor+2*r.slowest, mostRest+10*r.slowest, time.Now()
	r.again = map[string]int{}
	r.mu.Unlock()
	for time.Since(from) < most && r.t.Context().Err() == nil {
		r.mu.Lock()
		since := max(0, min(time.Since(r.last), time.Since(from)))
		r.mu.Unlock()
		if since >= need {
			break
		}
		r.t.Sleep(min(step, need))
	}
	r.t.Seen(runActor, evRest, 0, harness.Answer{})
}

func (r *run) readsSoFar() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reads
}

func (r *run) writesSoFar() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writes
}

// objects returns all objects of the cluster that rules look at.
func (r *run) objects() (all []*object) {
	raw, err := r.c.Objects(context.WithoutCancel(r.t.Context()))
	if err != nil {
		r.t.GiveUp("the objects of the cluster: %v", err)
		return nil
	}
	for _, b := range raw {
		if o, err := readObject(b); err == nil && !background(o.Kind) {
			all = append(all, o)
		}
	}
	return all
}

// user makes a request of a user, and records it. An object that is there already or is gone is no error of the story.
func (r *run) user(actor, method, path, kind string, body []byte) error {
	if r.c == nil {
		return story.SkipStep("there is no cluster")
	}
	if actor == userActor {
		r.hide()
	}
	var code int
	var reply []byte
	r.t.Do(harness.Call{Actor: actor, Kind: method, Obj: history.Ref{Key: keyOf(path)}, Args: json.RawMessage(body)}, func(ctx context.Context) harness.Answer {
		code, reply = r.ask(ctx, method, path, kind, body)
		return answerOf(code, reply)
	})
	r.mu.Lock()
	r.last = time.Now()
	r.mu.Unlock()
	switch {
	case code < 300:
		return nil
	case code == http.StatusNotFound, code == http.StatusConflict:
		return story.SkipStep("the API server answers %d", code)
	}
	return fmt.Errorf("the API server answers %d: %.300s", code, reply)
}

// ask makes a request as an administrator.
func (r *run) ask(ctx context.Context, method, path, kind string, body []byte) (int, []byte) {
	q, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return http.StatusBadRequest, []byte(err.Error())
	}
	q.Host, q.RemoteAddr, q.RequestURI = "localhost", "127.0.0.1:1", path
	q.Header.Set("Content-Type", kind)
	q.Header.Set("Accept", jsonType)
	q.Header.Set("User-Agent", "lwtest-user")
	rec := newAnswer()
	r.c.ServeHTTP(rec, q)
	return rec.code, rec.body.Bytes()
}

// answerOf reads an answer of the API server.
func answerOf(code int, body []byte) harness.Answer {
	if code >= 300 {
		var s struct {
			Reason, Message string
		}
		_ = json.Unmarshal(body, &s)
		return harness.Answer{Err: &history.Error{Code: code, Reason: s.Reason, Msg: s.Message, Definite: code < 500 || s.Reason != ""}}
	}
	o, err := readObject(body)
	if err != nil {
		return harness.Answer{}
	}
	a := harness.Answer{Obj: history.Ref{UID: o.Meta.UID, RV: o.Meta.ResourceVersion}}
	if o.Kind != "Status" {
		a.Body = json.RawMessage(bytes.TrimSpace(body))
	}
	return a
}

// keyOf names an object by the path of a request, as "deployments.apps/default/web".
func keyOf(path string) string {
	x, ok := parsePath(path)
	if !ok {
		return path
	}
	return x.key()
}

// object returns the path of the object that a path names, without a subresource.
func (x target) object(path string) string { return strings.TrimSuffix(path, "/"+x.subresource) }

// firstLife is the actor of the first life of a run.
const firstLife = "life1"

// target is what a path names.
type target struct {
	resource                     string // plural, and group
	namespace, name, subresource string
}

func (x target) key() string {
	parts := []string{x.resource, x.namespace, x.name}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "/")
}

// parsePath reads a path of the API; false: it is none of a resource.
func parsePath(path string) (x target, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	group := ""
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		group, parts = "."+parts[1], parts[3:]
	default:
		return x, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" && !slices.Contains([]string{"status", "finalize"}, parts[2]) {
		x.namespace, parts = parts[1], parts[2:]
	}
	x.resource = parts[0] + group
	if len(parts) > 1 {
		x.name = parts[1]
	}
	if len(parts) > 2 {
		x.subresource = strings.Join(parts[2:], "/")
	}
	return x, true
}
