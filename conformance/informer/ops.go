package informer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// Open says what an informer is made with.
type Open struct {
	Namespace string         `json:"namespace,omitempty"` // "own", "other" or "all"; empty: its name decides ("second…": other)
	Resync    story.Duration `json:"resync,omitempty"`
	PageSize  int64          `json:"pageSize,omitempty"`
	Transform bool           `json:"transform,omitempty"`
	Index     bool           `json:"index,omitempty"`
	Labels    bool           `json:"labels,omitempty"` // only objects with the label app=one
	Fields    bool           `json:"fields,omitempty"` // only objects whose name is not o1
}

// Validate returns an error for an unknown namespace.
func (o Open) Validate() error {
	if all := []string{"", "own", "other", "all"}; !slices.Contains(all, o.Namespace) {
		return fmt.Errorf("the namespace is %q: say %q, %q or %q", o.Namespace, "own", "other", "all")
	}
	return nil
}

// Handle says how a handler is added.
type Handle struct {
	Informer string `json:"informer,omitempty"` // empty: "informer"
	Held     bool   `json:"held,omitempty"`     // its calls are held from the first on: those for obj, or all
	// Takes is how long each of its calls takes. In virtual time no call takes any, if the informer may hold a lock meanwhile.
	Takes story.Duration `json:"takes,omitempty"`
}

// Remove says how a handler is removed.
type Remove struct {
	Wait bool `json:"wait,omitempty"` // the removal waits for the call that is under way
}

// Look says what is read.
type Look struct {
	SyncedOnly bool `json:"syncedOnly,omitempty"` // HasSynced alone, also of informers that were stopped
}

// Settle says what is waited for.
type Settle struct {
	Gone bool `json:"gone,omitempty"` // in real time: until obj is gone, and no sentinel is written
}

// vocabulary is the words of this kind's stories.
var vocabulary = story.NewVocabulary("informer", append(rig.Words[*driver](),
	story.Word[*driver, Open]{Name: "open", Help: "makes an informer with the options in \"with\". Without this step \"informer\" is made without options.", Say: sayOpen, Do: stepOpen,
		Needs: func(_ story.Step, o Open) []harness.Feature { return o.needs() }},
	word("start", "starts an informer.", "start {actor}", (*running).startOnce),
	word("start-again", "starts an informer that was started before.", "start {actor} a second time", (*running).startTwice, Restarts),
	word("stop", "ends an informer's context, and waits until it has stopped.", "stop {actor}, and wait until it has stopped", (*running).stop),
	word("cancel", "ends an informer's context.", "end the context of {actor}", (*running).cancelOnce),
	word("await-stop", "waits until an informer whose context has ended has stopped.", "wait until {actor} has stopped", (*running).stopped),
	saying("settle", "waits until nothing moves, and then looks at all informers that run. In real time: until the last write has arrived.", saySettle, stepSettle),
	story.Plain("catch-up", "waits until all writes have arrived, and records nothing of that.", "wait until all writes have arrived", stepCatchUp),
	saying("look", "reads all that the informers tell: HasSynced, the version, the store, the index.", sayLook, stepLook),
	story.Plain("poll", "looks n times, each time after the time in \"for\".", "look {n} times, each time after {for}", stepPoll),
	story.Plain("until-comes", "puts an object, and waits for it. All such steps of a story share one deadline: \"for\" from the first on. If it passes, the story ends.",
		"put an object, and end the story if it has not come {for} after the first such step began", stepUntilComes),
	story.Wanting(saying("handle", "adds the handler \"actor\", with the resync period in \"for\".", sayHandle, stepHandle, Handlers), "actor"),
	story.Wanting(saying("hold", "makes a handler's next calls block: those for obj, or all.", sayHold, stepHold), "actor"),
	story.Plain("release", "lets a handler that was held go on.", "let the handler {actor} go on", stepRelease),
	saying("remove-handler", "removes a handler.", sayRemove, stepRemoveHandler, Removal),
	word("own-write", "makes the subject itself write obj.", "the subject writes {obj}", (*running).ownWrite, Writes),
	word("own-write-held", "makes the subject itself write obj. The server does that, and holds its answer back for the time in \"for\"; the next step does not wait for the answer.",
		"the subject writes {obj}, and has its answer {for} later", (*running).ownWriteHeld, Writes, rig.Faults),
	word("own-read", "makes the subject read obj.", "the subject reads {obj}", (*running).ownRead, ReadYourWrites),
	racing("await-synced", "asks HasSynced without a pause, and reads the store as soon as it is true.",
		"ask HasSynced without a pause, and read the store as soon as it is true", "asks in a loop that no fake time interrupts", stepAwaitSynced, HasSynced),
	racing("look-at-new-version", "in virtual time, looks as soon as the store tells another version.",
		"look as soon as the store tells another version", "asks every millisecond until the answer changes", stepLookAtNewVersion, Version),
	racing("read-beside-writes", "reads the store without a pause while objects change, n rounds of six.",
		"read the store without a pause while six objects change, {n} rounds", "two goroutines race", stepReadBeside),
	racing("index-beside-writes", "reads the index without a pause during n writes.",
		"read the index without a pause during {n} writes", "two goroutines race", stepIndexBeside, Indexes),
	racing("handle-beside-writes", "adds handlers without a pause during n writes.",
		"add handlers without a pause during {n} writes", "two goroutines race", stepHandleBeside, Handlers, ManyHandlers),
)...).Random(draws(), begins, ends).Faults(rig.PlacedFaults()...).Cross(cross)

// saying makes a word whose sentence depends on its arguments. needs are the features without which it does not apply.
func saying[A any](name, help string, say func(story.Step, A) string, do func(*driver, story.Step, A) error, needs ...harness.Feature) story.Entry[*driver] {
	return story.Word[*driver, A]{Name: name, Help: help, Do: do, Say: say, Needs: func(story.Step, A) []harness.Feature { return needs }}
}

// word makes a word about the informer that a step names.
func word(name, help, text string, do func(*running, story.Step) error, needs ...harness.Feature) story.Entry[*driver] {
	return onInformer(name, help, text, "", do, needs)
}

// racing makes such a word that no fuzzer can draw, and says why.
func racing(name, help, text, why string, do func(*driver, *running, story.Step) error, needs ...harness.Feature) story.Entry[*driver] {
	return onInformer(name, help, text, why, func(r *running, s story.Step) error { return do(r.d, r, s) }, needs)
}

func onInformer(name, help, text, goldenOnly string, do func(*running, story.Step) error, needs []harness.Feature) story.Entry[*driver] {
	return story.Word[*driver, rig.None]{Name: name, Help: help, GoldenOnly: goldenOnly,
		Do: func(d *driver, s story.Step, _ rig.None) error {
			r, err := d.informer(actorOf(s))
			if err != nil {
				return err
			}
			return do(r, s)
		},
		Say: func(s story.Step, _ rig.None) string {
			s.Actor = the(actorOf(s))
			return s.Fill(text)
		},
		Needs: func(story.Step, rig.None) []harness.Feature { return needs },
	}
}

// actorOf returns the informer that a step is about.
func actorOf(s story.Step) string { return cmp.Or(s.Actor, informerActor) }

func stepRelease(d *driver, s story.Step) error {
	h, err := d.handlers.Get(s.Actor)
	if err == nil {
		h.gate.release()
	}
	return err
}

// stepHold holds a handler's calls. In virtual time an informer with one handler would keep the clock from going on: it may hold
// a lock during the call.
func stepHold(d *driver, s story.Step, _ rig.None) error {
	h, err := d.handlers.Get(s.Actor)
	switch {
	case err != nil:
		return err
	case !d.mayHold():
		return story.SkipStep("the informer may hold a lock while its handler is called")
	}
	h.gate.hold(d.objectKey(s.Obj))
	return nil
}

func (d *driver) mayHold() bool { return !d.t.Virtual() || d.t.Has(ManyHandlers) }

// the names an informer in a sentence.
func the(actor string) string {
	if actor == informerActor {
		return "the informer"
	}
	return "the informer " + actor
}

func (o Open) config(c Config, d *driver) Config {
	switch o.Namespace {
	case "own":
		c.Namespace = d.Own
	case "other":
		c.Namespace = d.Other
	case "all":
		c.Namespace = ""
	}
	c.Resync, c.PageSize = time.Duration(o.Resync), o.PageSize
	if o.Transform {
		c.Transform = Mark
	}
	if o.Labels {
		c.LabelSelector = "app=one"
	}
	if o.Fields {
		c.FieldSelector = "metadata.name!=o1"
	}
	if o.Index {
		c.Index = ByApp
	}
	return c
}

// needs are the features of the options.
func (o Open) needs() (out []harness.Feature) {
	for f, set := range map[harness.Feature]bool{Resync: o.Resync > 0, PageSize: o.PageSize > 0, Transforms: o.Transform, Indexes: o.Index, AllNamespaces: o.Namespace == "all", Selectors: o.Labels || o.Fields} {
		if set {
			out = append(out, f)
		}
	}
	return out
}

func stepOpen(d *driver, s story.Step, o Open) error {
	actor := actorOf(s)
	if _, err := d.informer(actor); err == nil {
		return story.SkipStep("there is an informer %s", actor)
	}
	if !isInformer(actor) {
		return story.SkipStep("an informer's name is %q, %q, or one of these with a dash and a number", informerActor, secondActor)
	}
	return d.open(actor, o.config(d.config(actor), d))
}

func sayOpen(s story.Step, o Open) string {
	var with []string
	if o.Namespace != "" {
		with = append(with, "namespace "+o.Namespace)
	}
	if o.Resync > 0 {
		with = append(with, "resync period "+o.Resync.String())
	}
	if o.PageSize > 0 {
		with = append(with, fmt.Sprintf("page size %d", o.PageSize))
	}
	if o.Transform {
		with = append(with, "a transform")
	}
	if o.Index {
		with = append(with, "an index by the label app")
	}
	if o.Labels {
		with = append(with, "the label selector app=one")
	}
	if o.Fields {
		with = append(with, "the field selector metadata.name!=o1")
	}
	if with == nil {
		return "make " + the(actorOf(s))
	}
	return "make " + the(actorOf(s)) + " with " + strings.Join(with, ", ")
}

func (r *running) startOnce(story.Step) error {
	if r.call != 0 {
		return story.SkipStep("%s was started", r.actor)
	}
	r.start()
	return nil
}

func (r *running) startTwice(story.Step) error {
	if r.call == 0 {
		return story.SkipStep("%s was not started", r.actor)
	}
	r.d.Pause() // until the first run has begun: else this one may come first, and outlive a stop
	r.startAgain()
	return nil
}

func (r *running) cancelOnce(story.Step) error {
	if !r.runs() {
		return story.SkipStep("%s does not run", r.actor)
	}
	r.end()
	return nil
}

func (r *running) stop(s story.Step) error {
	if err := r.cancelOnce(s); err != nil {
		return err
	}
	r.awaitStop()
	return nil
}

func (r *running) stopped(story.Step) error {
	if !r.canceled {
		return story.SkipStep("%s was not stopped", r.actor)
	}
	r.awaitStop()
	return nil
}

func stepSettle(d *driver, s story.Step, a Settle) error {
	if !a.Gone || d.t.Virtual() {
		return d.settle()
	}
	for _, r := range d.choose((*running).runs) {
		if r.within(func() bool { return !r.has(d.Key(s.Obj)) }) {
			d.Pause()
			r.atRest()
		}
	}
	return nil
}

func saySettle(s story.Step, a Settle) string {
	if a.Gone {
		return "wait until " + s.Obj + " is gone and nothing moves, and look"
	}
	return "wait until nothing moves, and look"
}

func stepCatchUp(d *driver, _ story.Step) error {
	if d.t.Virtual() {
		d.t.Sleep(5 * time.Second)
		d.t.Wait()
		return nil
	}
	d.arrived(d.choose((*running).runs))
	return nil
}

func stepLook(d *driver, _ story.Step, a Look) error {
	if a.SyncedOnly {
		for _, r := range d.informers {
			r.readAllSynced()
		}
		return nil
	}
	for _, r := range d.choose((*running).stoppable) {
		r.look()
	}
	return nil
}

func sayLook(_ story.Step, a Look) string {
	if a.SyncedOnly {
		return "read HasSynced"
	}
	return "look"
}

func stepPoll(d *driver, s story.Step) error {
	for range s.N {
		d.t.Sleep(time.Duration(s.For))
		d.t.Wait()
		stepLook(d, s, Look{})
	}
	return nil
}

func stepUntilComes(d *driver, s story.Step) error {
	r, err := d.informer(actorOf(s))
	if err != nil {
		return err
	}
	if d.deadline.IsZero() {
		d.deadline = time.Now().Add(time.Duration(s.For))
	}
	there := r.coming(d.sentinel(r.config.Namespace))
	for ; time.Now().Before(d.deadline) && d.t.Context().Err() == nil; d.t.Sleep(50 * time.Millisecond) {
		if there() {
			return nil
		}
	}
	r.look()
	return story.ErrEnd
}

func stepHandle(d *driver, s story.Step, a Handle) error {
	r, err := d.informer(cmp.Or(a.Informer, informerActor))
	if err != nil {
		return err
	}
	if _, err := d.handlers.Get(s.Actor); err == nil || s.Actor == "" {
		return story.SkipStep("there is a handler %q", s.Actor)
	}
	if !d.t.Has(ManyHandlers) && (len(r.handlers) > 0 || r.call != 0) {
		return story.SkipStep("needs the feature %s", ManyHandlers)
	}
	if s.For > 0 && !d.t.Has(HandlerPeriods) {
		return story.SkipStep("needs the feature %s", HandlerPeriods)
	}
	if err := r.mayLock(); err != nil {
		return err
	}
	h := r.handle(s.Actor, time.Duration(s.For), func(h *handler) {
		if a.Held && d.mayHold() {
			h.gate.hold(d.objectKey(s.Obj))
		}
		if d.mayHold() {
			h.gate.takes = time.Duration(a.Takes)
		}
	})
	if h != nil {
		d.handlers.Set(s.Actor, h)
	}
	return nil
}

// objectKey returns the key of an object; empty for none.
func (d *driver) objectKey(obj string) string {
	if obj == "" {
		return ""
	}
	return d.Key(obj)
}

func sayHandle(s story.Step, a Handle) string {
	text := "add the handler " + s.Actor
	if a.Informer != "" {
		text += " to " + the(a.Informer)
	}
	if s.For > 0 {
		text += " with the resync period " + s.For.String()
	}
	if a.Held {
		text += ", and block its calls" + forObject(s.Obj)
	}
	if a.Takes > 0 {
		text += ", each of whose calls takes " + a.Takes.String()
	}
	return text
}

func sayHold(s story.Step, _ rig.None) string {
	return "block the calls of the handler " + s.Actor + forObject(s.Obj)
}

func forObject(obj string) string {
	if obj == "" {
		return ""
	}
	return " for " + obj
}

// mayLock returns why no handler can be added or removed; nil: one can. client-go's informer, once stopped, waits for its handlers, and
// holds its lock as it waits. In virtual time nothing must wait for a lock: it waits here until the informer has returned.
func (r *running) mayLock() error {
	for range 10 {
		if !r.t.Virtual() || !r.canceled || r.hasReturned() {
			return nil
		}
		r.t.Sleep(time.Millisecond) // in which handlers are called, and return
	}
	return story.SkipStep("%s is being stopped, and may hold a lock while a handler is called", r.actor)
}

func (r *running) hasReturned() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

func stepRemoveHandler(d *driver, s story.Step, a Remove) error {
	h, err := d.handlers.Get(s.Actor)
	if err != nil {
		return err
	}
	if a.Wait && !d.t.Has(RemovalWaits) {
		return story.SkipStep("needs the feature %s", RemovalWaits)
	}
	if h.removing.Load() {
		return story.SkipStep("the handler %s is being removed", s.Actor)
	}
	if err := h.r.mayLock(); err != nil {
		return err
	}
	h.remove(a.Wait)
	return nil
}

func sayRemove(s story.Step, a Remove) string {
	if a.Wait {
		return "remove the handler " + s.Actor + ", and wait for the call that is under way"
	}
	return "remove the handler " + s.Actor
}

func (r *running) ownWrite(s story.Step) error {
	return r.own(s, writeKind, func(ctx context.Context, w Writer, key string) (json.RawMessage, error) {
		return w.Write(ctx, key, r.d.Fresh())
	})
}

// ownReadLimit is how long a read may wait, in virtual time, until the informer has what the subject wrote: it may never come.
const ownReadLimit = 10 * time.Minute

func (r *running) ownRead(s story.Step) error {
	w, ok := r.informer.(Rereader)
	if !ok {
		return fmt.Errorf("the informer declares the feature %s, but does not implement informer.Rereader: implement it, or do not declare the feature", ReadYourWrites)
	}
	return r.own(s, readKind, func(ctx context.Context, _ Writer, key string) (json.RawMessage, error) {
		if r.t.Virtual() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, ownReadLimit)
			defer cancel()
		}
		return w.Read(ctx, key)
	})
}

// own makes the subject write or read.
func (r *running) own(s story.Step, kind string, do func(context.Context, Writer, string) (json.RawMessage, error)) error {
	w, ok := r.informer.(Writer)
	if !ok {
		return errNoWriter
	}
	key := r.d.Key(s.Obj)
	r.t.Do(harness.Call{Actor: r.actor, Kind: kind, Obj: history.Ref{Key: key}}, func(ctx context.Context) harness.Answer {
		a := r.object(do(ctx, w, key))
		if kind == writeKind && a.Err == nil {
			r.d.Learn(key, a.Obj.RV)
		}
		return a
	})
	return nil
}

var errNoWriter = fmt.Errorf("the informer declares the feature %s, but does not implement informer.Writer: implement it, or do not declare the feature", Writes)

// ownWriteHeld makes the subject write, and returns when the server has done what it wrote. The answer comes later.
func (r *running) ownWriteHeld(s story.Step) error {
	w, ok := r.informer.(Writer)
	if !ok {
		return errNoWriter
	}
	key, note := r.d.Key(s.Obj), r.d.Fresh()
	release := r.d.HoldAnswers(time.Duration(s.For))
	defer release()
	call := r.t.Begin(harness.Call{Actor: r.actor, Kind: heldKind, Obj: history.Ref{Key: key}})
	returned := make(chan struct{})
	ctx, cancel := context.WithCancel(r.t.Context())
	r.t.Go(func() {
		defer cancel()
		defer close(returned)
		r.t.Try(r.actor, call, func() {
			answer := r.object(w.Write(ctx, key, note))
			r.t.Seen(r.actor, answeredKind, call, answer)
		})
	})
	done, ok := r.awaitNote(key, note, returned, cancel)
	if !ok {
		r.t.End(call, r.actor, heldKind, answerOf(errors.New("the server has not done it")))
		return nil
	}
	r.d.Learn(key, done.RV)
	r.t.End(call, r.actor, heldKind, harness.Answer{Obj: done})
	return nil
}

// awaitNote waits until the server has an object with this note. After sentinelLimit it ends the write: on a dead connection the
// subject would write later, when the story goes on. After the write has returned it looks one last time.
func (r *running) awaitNote(key, note string, returned <-chan struct{}, cancel func()) (history.Ref, bool) {
	for began := time.Now(); ; r.t.Sleep(5 * time.Millisecond) {
		waited := time.Since(began)
		if waited > sentinelLimit {
			cancel()
		}
		late := waited > 2*sentinelLimit
		over := rig.Closed(returned) || late || r.t.Context().Err() != nil
		if done, ok := r.d.Noted(key, note); ok || over {
			if late && !ok {
				r.t.GiveUp("%s has not returned from a write %s after the write's context ended: nobody knows whether it still writes", r.actor, sentinelLimit)
			}
			return done, ok
		}
	}
}
