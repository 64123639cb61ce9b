package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

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
	evRest    = "REST"    // nothing was written for a while; in the first undisturbed run its body is a rested
	evLease   = "LEASE"   // the life has written a Lease; its body is a lease
)

const (
	jsonType         = "application/json"
	mergeType        = "application/merge-patch+json"
	defaultNamespace = "default"
)

// runInfo describes a run. Without Disturbed it is an undisturbed one, to compare with.
type runInfo struct {
	Run int `json:"run"`
	// Role is what the controller may do, if the user has said so.
	Role []Allowed `json:"role,omitempty"`
	// Window is how long the run goes on at its end; 0: ten minutes.
	Window    story.Duration `json:"window,omitempty"`
	Disturbed []string       `json:"disturbed,omitempty"`
	// Stale says that a disturbance made the controller's view old for longer than a cache usually lags, or let two lives race.
	Stale bool `json:"stale,omitempty"`
}

// final is what a run ends with.
type final struct {
	Objects []json.RawMessage `json:"objects"`
	Came    []string          `json:"came,omitempty"`  // the disturbances that came about
	Asked   []Right           `json:"asked,omitempty"` // what the controller has asked for, if its role is known
	Reads   int               `json:"reads"`           // requests of the controller that read, in the last window of time
}

// world is what the steps of a story act on: a run, with a cluster of its own.
type world struct {
	*runs
	run *run
}

// runs are those of a case: one after the other, or in real time several at once.
type runs struct {
	t     *harness.T
	s     Subject
	tempo tempo
	words *story.Vocabulary[*world] // the vocabulary, which cannot name itself

	flooded atomic.Bool // the controller has flooded the API server: rules have seen enough, and no more runs are disturbed

	mu   sync.Mutex
	made int
	seen []*outcome // of undisturbed runs
	// changes are what users change by the word "vary", the same in each run, in this order. Nil in it: nothing could be changed.
	changes []*change
}

// outcome is what became of a run.
type outcome struct {
	state   state
	writes  int
	watched []string // resources
}

func play(t *harness.T, s Subject, st story.Story) {
	all := &runs{t: t, s: s, words: vocabulary, tempo: virtualTempo}
	if !t.Virtual() {
		all.tempo = realTempo(s.Quiet(), s.Shared())
	}
	steps := st.Steps
	calm := slices.DeleteFunc(slices.Clone(steps), func(s story.Step) bool { return slices.Contains(disturbing, s.Op) })
	if len(calm) == len(steps) { // nothing goes wrong
		if w := all.begin(nil, false); w != nil {
			vocabulary.Play(t, w, st)
			w.end()
		}
		return
	}
	if !all.undisturbed(calm) || all.flooded.Load() {
		return
	}
	different := false
	if !sweeping(steps) { // one run
		if w := all.begin(texts(steps), slices.ContainsFunc(steps, stales)); w != nil {
			vocabulary.Play(t, w, st)
			different = w.end()
		}
	} else {
		different = all.sweep(all.places(steps))
	}
	for i := 0; different && i < 2; i++ { // what differs among undisturbed runs is no difference
		if !all.undisturbed(calm) {
			return
		}
	}
}

// undisturbed plays steps with nothing wrong, and reports whether the story can go on.
func (all *runs) undisturbed(steps []story.Step) bool {
	w := all.begin(nil, false)
	if w == nil || !w.steps(steps) {
		return false
	}
	w.end()
	return all.t.Context().Err() == nil
}

// sweep plays steps, once for each place, and reports whether a run ended otherwise than undisturbed.
func (all *runs) sweep(places [][]story.Step) bool {
	var different atomic.Bool
	one := func(steps []story.Step) {
		if all.t.Context().Err() != nil || all.flooded.Load() {
			return
		}
		if w := all.begin(texts(steps), slices.ContainsFunc(steps, stales)); w != nil && w.steps(steps) && w.end() {
			different.Store(true)
		}
	}
	free := make(chan struct{}, all.tempo.atOnce)
	var running sync.WaitGroup
	for _, steps := range places {
		if all.tempo.atOnce == 1 {
			one(steps)
			continue
		}
		free <- struct{}{}
		running.Add(1)
		all.t.Go(func() {
			defer running.Done()
			defer func() { <-free }()
			one(steps)
		})
	}
	running.Wait()
	return different.Load()
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
	case Cut, Unseen:
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

// begin begins a run. It returns nil if that is not possible.
func (all *runs) begin(disturbed []string, stale bool) *world {
	all.mu.Lock()
	all.made++
	num := all.made
	all.mu.Unlock()
	c, err := all.s.Open(all.t.Context(), uint64(all.t.Seed())+uint64(num))
	if err != nil {
		all.t.GiveUp("the cluster of run %d: %v", num, err)
		return nil
	}
	r := &run{runs: all, num: num, c: c, disturbed: disturbed, watched: map[string]bool{}, asked: map[Right]bool{}, lates: map[string]time.Duration{}, again: map[string]int{}, wroteAt: map[string]time.Time{}, streams: map[*stream]bool{}, gone: map[string]bool{}, deaf: map[string]time.Time{}, last: time.Now(), pace: rate.NewLimiter(rate.Every(thenEach), mostAtOnce), over: make(chan struct{})}
	all.t.Seen(r.actor(runActor), evRun, 0, harness.Answer{Body: runInfo{Run: num, Role: all.s.Role(), Window: story.Duration(all.tempo.window), Disturbed: disturbed, Stale: stale}})
	r.before = r.uids()
	all.t.Go(r.supervise)
	all.t.Cleanup(r.close)
	if !r.wakes() {
		return nil
	}
	r.rest()
	return &world{all, r}
}

// mostSettling is how often a run looks, each second, whether more objects have come before the controller starts.
const mostSettling = 10

// uids returns those of the objects that are there, when what works beside the controller has done its part for them: a Service gets
// Endpoints.
func (r *run) uids() (all []string) {
	for range mostSettling {
		before := len(all)
		all = nil
		for _, o := range r.objects() {
			all = append(all, o.Meta.UID)
		}
		if before > 0 && len(all) == before || r.t.Context().Err() != nil {
			break
		}
		r.t.Sleep(time.Second)
	}
	return all
}

// actor returns the name of an actor of the run. Where runs share the time, it says which one.
func (r *run) actor(name string) string {
	if r.tempo.atOnce == 1 {
		return name
	}
	return fmt.Sprintf("%s@%d", name, r.num)
}

// end ends a run, and reports whether it ended otherwise than all undisturbed ones.
func (w *world) end() bool {
	r := w.run
	r.rest()
	reads, writes := r.readsSoFar(), r.writesSoFar()
	came := r.came() // what strikes in the window leaves no time to come to rest
	w.t.Sleep(w.tempo.window)
	if w.t.Context().Err() != nil {
		return false // it has not come to its end
	}
	end := final{Came: came, Asked: r.askedSoFar(), Reads: r.readsSoFar() - reads}
	objects := r.added()
	for _, o := range objects {
		end.Objects = append(end.Objects, o.raw)
	}
	w.t.Seen(r.actor(runActor), evFinal, 0, harness.Answer{Body: end})
	r.close()
	got := &outcome{state: stateOf(objects), writes: writes}
	for res := range r.watched {
		got.watched = append(got.watched, res)
	}
	slices.Sort(got.watched)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(r.disturbed) == 0 {
		w.seen = append(w.seen, got)
		return false
	}
	var calm []state
	for _, o := range w.seen {
		calm = append(calm, o.state)
	}
	return len(end.Came) > 0 && len(differences(got.state, calm)) > 0
}

// run is one run of the scenario.
type run struct {
	*runs
	num       int
	c         Cluster
	disturbed []string
	before    []string // uids of the objects that exist before the controller starts
	created   []string // paths of the objects that users have created
	varied    int      // how often the word "vary" was done
	over      chan struct{}
	closing   sync.Once

	mu          sync.Mutex
	armed       []*disturbance
	notes       int // of the other client
	writes      int
	reads       int
	asked       map[Right]bool // if the controller's role is known
	last        time.Time      // of the last write that is no heartbeat, or since when the run is
	again       map[string]int // successful writes since the last rest
	wroteAt     map[string]time.Time
	slowest     time.Duration
	ending      bool
	lives       int
	pace        *rate.Limiter
	planned     []story.Step // what users do after a step of the scenario
	silent      []error      // why lives have ended before they asked anything
	life        *life
	next        *life // takes over when life has ended
	overlapping bool  // there is a next life, or it is about to start
	watched     map[string]bool
	lates       map[string]time.Duration // by resource
	streams     map[*stream]bool
	gone        map[string]bool // resources whose next watch cannot go on where it was
	deaf        map[string]time.Time
}

// life is one life of the controller.
type life struct {
	Life
	num    int // from 1
	actor  string
	behind bool // its API server shows an earlier state at first
	mu     sync.Mutex
	killed bool
	heard  time.Time // of its first request
	leases map[string]lease
}

// hear notes a request of the life.
func (l *life) hear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heard.IsZero() {
		l.heard = time.Now()
	}
}

// firstHeard returns when it made its first request; zero: it has made none.
func (l *life) firstHeard() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard
}

func (l *life) dead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.killed
}

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
		r.t.Sleep(r.tempo.pause)
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
	l := &life{num: r.lives, actor: r.actor(fmt.Sprintf("life%d", r.lives)), behind: o.Behind, leases: map[string]lease{}}
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
	r.life, r.next, r.overlapping = r.next, nil, false
	if r.life != nil { // it runs already, and so does not begin behind; nor must a later one
		if f := r.frozenFor(); f != nil {
			f.Thaw()
		}
	}
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
		r.failed(l, err)
	}
	if said := l.Output(); said != "" {
		answer.Body = said
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
	case <-time.After(r.tempo.unwinding):
	case <-r.t.Context().Done():
	}
	r.t.Seen(l.actor, evStuck, 0, harness.Answer{})
	r.kill(l)
}

// restart stops the present life. The supervisor starts the next.
func (r *run) restart() {
	if l := r.present(); l != nil {
		r.stop(l)
		r.t.Sleep(2 * r.tempo.pause)
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
		if err := r.c.Close(); err != nil {
			r.t.GiveUp("the cluster: %v", err)
		}
	})
}

// wakes waits, in real time, until the controller has made a request, and reports whether the run can go on.
func (r *run) wakes() bool {
	for from := time.Now(); r.tempo.waking > 0 && r.t.Context().Err() == nil; r.t.Sleep(r.tempo.look) {
		l := r.present()
		if l != nil && !l.firstHeard().IsZero() {
			return true
		}
		r.mu.Lock()
		why := r.silent
		r.mu.Unlock()
		switch {
		case len(why) == mostSilent:
			r.t.GiveUp("the controller ends before it asks the API server anything: %s", why[mostSilent-1])
			return false
		case time.Since(from) > r.tempo.waking:
			r.t.GiveUp("the controller has asked the API server nothing for %s", r.tempo.waking)
			return false
		}
	}
	return r.t.Context().Err() == nil
}

// mostSilent is how many lives may end before they ask the API server anything.
const mostSilent = 3

// failed notes why a life has ended by itself.
func (r *run) failed(l *life, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.firstHeard().IsZero() && len(r.silent) < mostSilent {
		r.silent = append(r.silent, err)
	}
}

// rest waits until the controller has written nothing for a while.
func (r *run) rest() {
	r.mu.Lock()
	// A controller that waits for its cache, with pauses that double, may sleep as long again as events are late. One that does ten things
	// one after the other waits ten times.
	need, from := r.tempo.quiet+2*r.slowest, time.Now()
	r.again = map[string]int{}
	r.mu.Unlock()
	for time.Since(from) < r.mostRest() && r.t.Context().Err() == nil {
		if r.quietFor(from) >= need {
			break
		}
		r.t.Sleep(min(r.tempo.look, need))
	}
	r.t.Seen(r.actor(runActor), evRest, 0, r.snapshot())
}

// mostRest is when a run goes on although something still moves.
func (r *run) mostRest() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tempo.mostRest + 10*r.slowest
}

// snapshot returns the objects of the first undisturbed run as they are now. Others need none.
func (r *run) snapshot() (a harness.Answer) {
	if r.num > 1 || len(r.disturbed) > 0 {
		return a
	}
	at := rested{Objects: []json.RawMessage{}}
	for _, o := range r.added() {
		at.Objects = append(at.Objects, o.raw)
	}
	a.Body = at
	return a
}

// quietFor returns how long nothing has been written since then. A life that takes real time to come up is not quiet before its first
// request.
func (r *run) quietFor(from time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last.After(from) {
		from = r.last
	}
	if r.tempo.waking > 0 {
		if r.life == nil || r.life.firstHeard().IsZero() {
			return 0
		}
		if at := r.life.firstHeard(); at.After(from) {
			from = at
		}
	}
	return time.Since(from)
}

// askedSoFar returns what the controller has asked for, if its role is known.
func (r *run) askedSoFar() []Right {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Keys(r.asked), func(a, b Right) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
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

// added returns the objects that were not there before the controller.
func (r *run) added() []*object {
	return slices.DeleteFunc(r.objects(), func(o *object) bool { return slices.Contains(r.before, o.Meta.UID) })
}

// user makes a request of a user or another client, and records it. An object that is there already or is gone is no error of the story.
func (r *run) user(actor, method, path, kind string, body []byte) error {
	code, reply := r.insist(actor, method, path, kind, body)
	if code == http.StatusNotFound || code == http.StatusConflict {
		return story.SkipStep("the API server answers %d", code)
	}
	return failure(code, reply)
}

// failure returns an error for an answer that is no success.
func failure(code int, reply []byte) error {
	if code < 300 {
		return nil
	}
	return fmt.Errorf("the API server answers %d: %.300s", code, reply)
}

// insist makes a request of a user or another client, and records it. One that fails because a webhook does not answer is made again for a
// while: the webhook is the controller's, which is down or starts, and a user tries again then.
func (r *run) insist(actor, method, path, kind string, body []byte) (code int, reply []byte) {
	if actor == userActor {
		r.hide()
	}
	code, reply = r.once(actor, method, path, kind, body)
	for from := time.Now(); unanswered(code, reply) && time.Since(from) < mostTrying && r.t.Context().Err() == nil; {
		r.t.Sleep(time.Second)
		code, reply = r.once(actor, method, path, kind, body)
	}
	return code, reply
}

// mostTrying is how long users try again when a webhook does not answer.
const mostTrying = time.Minute

// unanswered reports whether an answer says that a webhook could not be called: one of admission, or one that converts. The words are
// kube-apiserver's (k8s.io/apiserver/pkg/admission/plugin/webhook, k8s.io/apiextensions-apiserver/pkg/apiserver/conversion).
func unanswered(code int, reply []byte) bool {
	return code == http.StatusInternalServerError && (bytes.Contains(reply, []byte("failed to call webhook")) || bytes.Contains(reply, []byte("conversion webhook for")))
}

// once makes a request of a user or another client, and records it.
func (r *run) once(actor, method, path, kind string, body []byte) (code int, reply []byte) {
	r.t.Do(harness.Call{Actor: r.actor(actor), Kind: method, Obj: history.Ref{Key: keyOf(path)}, Args: json.RawMessage(body)}, func(ctx context.Context) harness.Answer {
		code, reply = r.ask(ctx, method, path, kind, body)
		return answerOf(code, reply)
	})
	r.mu.Lock()
	r.last = time.Now()
	r.mu.Unlock()
	return code, reply
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
