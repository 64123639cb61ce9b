package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/lwtest/lwtest/harness"
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
	evLeft    = "REMAINS" // what still runs of a life that was told to stop and has ended; its body is a list of lines
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
	came int        // runs in which what was to go wrong did
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
		if w := all.begin(nil); w != nil {
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
		if w := all.begin(steps); w != nil {
			vocabulary.Play(t, w, st)
			different = w.end()
		}
	} else {
		different = all.sweep(all.places(steps))
		different = all.beyond(steps) || different
	}
	for i := 0; different && i < 2; i++ { // what differs among undisturbed runs is no difference
		if !all.undisturbed(calm) {
			return
		}
	}
}

// undisturbed plays steps with nothing wrong, and reports whether the story can go on.
func (all *runs) undisturbed(steps []story.Step) bool {
	w := all.begin(nil)
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
		if w := all.begin(steps); w != nil && w.steps(steps) && w.end() {
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

// begin begins a run, which the disturbing words among steps disturb. It returns nil if that is not possible.
func (all *runs) begin(steps []story.Step) *world {
	all.mu.Lock()
	all.made++
	num := all.made
	all.mu.Unlock()
	c, err := all.s.Open(all.t.Context(), uint64(all.t.Seed())+uint64(num))
	if err != nil {
		all.t.GiveUp("the cluster of run %d: %v", num, err)
		return nil
	}
	r := &run{runs: all, num: num, c: c, disturbed: texts(steps), watched: map[string]bool{}, asked: map[Right]bool{}, lates: map[string]time.Duration{}, again: map[string]int{}, wroteAt: map[string]time.Time{}, streams: map[*stream]bool{}, gone: map[string]bool{}, deaf: map[string]time.Time{}, last: time.Now(), pace: rate.NewLimiter(rate.Every(thenEach), mostAtOnce), over: make(chan struct{})}
	all.t.Seen(r.actor(runActor), evRun, 0, harness.Answer{Body: runInfo{Run: num, Role: all.s.Role(), Window: story.Duration(all.tempo.window), Disturbed: r.disturbed, Stale: slices.ContainsFunc(steps, stales)}})
	r.before = r.uids()
	w := &world{all, r}
	for _, s := range steps { // what strikes at a write waits for it from the beginning: a controller may write before users do anything
		if !slices.Contains(disturbing, s.Op) {
			break
		}
		if strikes(s) == 0 {
			continue
		}
		_ = all.words.Do(w, s) // the story does this step again, and reports its error
	}
	all.t.Go(r.supervise)
	all.t.Cleanup(r.close)
	if !r.wakes() {
		return nil
	}
	r.rest()
	return w
}

// mostSettling is how often a run looks whether more objects have come before the controller starts.
const mostSettling = 10

// uids returns those of the objects that are there, when what works beside the controller has done its part for them: a Service gets
// Endpoints. In real time that may take as long as anything else before a rest: a machine that starts eight runs at once is slow.
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
		r.t.Sleep(r.tempo.settle)
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
	if len(end.Came) > 0 {
		w.came++
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
