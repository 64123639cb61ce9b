package controller

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Object is what a user creates.
type Object struct {
	Object json.RawMessage `json:"object"`
}

// Validate returns an error for what is no object.
func (o Object) Validate() error {
	if _, err := readObject(o.Object); err != nil {
		return fmt.Errorf("object: %w", err)
	}
	return nil
}

// Patch is what a user changes, as a merge patch.
type Patch struct {
	Patch json.RawMessage `json:"patch"`
}

// Deletion says how a user deletes.
type Deletion struct {
	Cascade string `json:"cascade,omitempty"` // "foreground", "orphan", or empty for background
}

// Validate returns an error for an unknown cascade.
func (d Deletion) Validate() error {
	return story.OneOf("cascade", []string{d.Cascade}, "", "foreground", "orphan")
}

// At is the write of the controller at which something happens, from 1, counted over all its lives. Leases and events do not count.
type At struct {
	Write int  `json:"write,omitempty"`
	Each  bool `json:"each,omitempty"` // at each write in turn, each time in a run of its own
}

// Kill says when the controller is killed. It is started again after five seconds.
type Kill struct {
	At
	After bool `json:"after,omitempty"` // the write has arrived, but not its answer; else it never arrives
	// Behind is how many writes the API server of the next life does not show in the first minute, or in real time for 20 seconds; 0: it
	// shows all.
	Behind int `json:"behind,omitempty"`
	// Before is "user" if that API server does not show either what a user wrote last, and all that came of it.
	Before string `json:"before,omitempty"`
}

// Validate returns an error for an unknown state.
func (k Kill) Validate() error {
	return story.OneOf("state that the next life sees", []string{k.Before}, "", "user")
}

// Refuse says how a write is refused.
type Refuse struct {
	At
	Code int `json:"code"` // 409, 429, 500 or 504
}

// Validate returns an error for a code that no step may have.
func (r Refuse) Validate() error {
	if !slices.Contains(refusals, r.Code) {
		return fmt.Errorf("no write is refused with %d: say one of %v", r.Code, refusals)
	}
	return nil
}

var refusals = []int{http.StatusConflict, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusGatewayTimeout}

// Late says whose events are late. They come the time in "for" after they should.
type Late struct {
	Resource string `json:"resource,omitempty"` // "pods"; empty: all resources
	Each     bool   `json:"each,omitempty"`     // each resource that the controller watches, in turn
}

// Cut says what happens to watches after a write.
type Cut struct {
	At
	Resource string `json:"resource,omitempty"` // "pods"; empty: all
	How      string `json:"how,omitempty"`      // "expire", "hang", "deaf", or empty: they end
}

// Validate returns an error for an unknown way.
func (c Cut) Validate() error {
	return story.OneOf("way to cut watches", []string{c.How}, "", "expire", "hang", "deaf")
}

// Unseen is the step of the scenario that the controller does not see happen, from 1.
type Unseen struct {
	Step int  `json:"step,omitempty"`
	Each bool `json:"each,omitempty"` // each step in turn, each time in a run of its own
}

var vocabulary = story.NewVocabulary("controller",
	story.Plain("scenario", "does what the scenario of the controller says, and lets everything come to rest after each of its steps, but before and after \"advance\".", "play the scenario", stepScenario),
	story.Says("create", "creates an object as a user does, in the namespace default if it says no other.", sayCreate, stepCreate, nil),
	story.Says("change", "changes the object obj, as \"deployments.apps/web\" or \"pods/other/p\", by a merge patch.", sayChange, stepChange, nil),
	story.Says("delete", "deletes the object obj.", sayDelete, stepDelete, nil),
	story.Says("vary", "changes a field of the custom resource obj as the schema in its definition allows, lets everything come to rest, and changes the field back. Without obj it is one that users have created.", sayVary, stepVary, nil),
	story.Says("pod", "lets something happen to a pod of the object obj. fail: it ends as Failed. evict: a user evicts it. unready: it is not ready for the time in \"for\", or for good.", sayPod, stepPod, nil),
	story.Plain("annotate", "has another client write an annotation of its own on the object obj.", "somebody else annotates {obj}", stepAnnotate),
	story.Plain("rest", "waits until the controller writes nothing any more.", "wait until nothing is written", stepRest),
	story.Plain("advance", "lets the time in \"for\" pass.", "let {for} pass", stepAdvance),
	story.Plain("restart", "stops the controller, and starts it again.", "restart the controller", stepRestart),
	story.Says("kill", "kills the controller at a write.", sayKill, arm(func(d *disturbance, k Kill) {
		d.write, d.kill, d.after, d.behind, d.before = k.Write, true, k.After, k.Behind, k.Before != ""
	}), func(k Kill) []harness.Feature {
		if k.Behind > 0 || k.Before != "" {
			return []harness.Feature{StaleViews}
		}
		return nil
	}),
	story.Says("lose", "does what a write asks for, and breaks the connection in place of an answer.", func(_ story.Step, a At) string { return "lose the answer of " + a.at() },
		arm(func(d *disturbance, a At) { d.write, d.lose = a.Write, true }), nil),
	story.Says("refuse", "refuses a write, and for the time in \"for\" all others of the same object, but no more than a hundred.", sayRefuse,
		arm(func(d *disturbance, r Refuse) { d.write, d.code = r.Write, r.Code }), nil),
	story.Word[*world, Late]{Name: "late", Help: "has the events of a resource come the time in \"for\" late.", Say: sayLate, Do: stepLate, Needs: long[Late]},
	story.Word[*world, Cut]{Name: "cut", Help: "ends the watches of a resource after a write. expire: they cannot go on where they were. hang: they stay open for the time in \"for\", and nothing comes. deaf: for that time nobody can watch, and then not from where they were.",
		Say: sayCut, Do: stepCut, Needs: long[Cut]},
	story.Says("interfere", "has another client write an annotation on the object of a write, just before that arrives.", func(_ story.Step, a At) string {
		return "another client changes the object of " + a.at() + " just before"
	}, arm(func(d *disturbance, a At) { d.write, d.interfere = a.Write, true }), nil),
	story.Word[*world, At]{Name: "overlap", Help: "starts another life beside the present one at a write. The older one is killed after the time in \"for\".", Say: func(s story.Step, a At) string {
		return fmt.Sprintf("start a second life at %s, for %s beside the first", a.at(), s.For)
	}, Do: stepOverlap, Needs: long[At]},
	story.Word[*world, Unseen]{Name: "unseen", Help: "lets nobody watch for the time in \"for\" while users do a step of the scenario. The controller sees only how things are afterwards. If the step deletes something and the next one creates something, it sees the result of both.", Say: sayUnseen,
		Do: arm(func(d *disturbance, u Unseen) { d.step = u.Step }), Needs: long[Unseen]},
).Random(draws, nil, drawEnd).Cross(cross)

// disturbing are the words that undisturbed runs leave out.
var disturbing = []string{"restart", "kill", "lose", "refuse", "late", "cut", "interfere", "overlap", "unseen"}

// long returns what a step needs whose disturbance lasts long.
func long[A any](s story.Step, _ A) []harness.Feature {
	if time.Duration(s.For) > longDelay {
		return []harness.Feature{LongDelays}
	}
	return nil
}

func (a At) at() string {
	if a.Each {
		return "each write in turn"
	}
	return fmt.Sprintf("write %d", a.Write)
}

func sayRefuse(s story.Step, r Refuse) string {
	text := fmt.Sprintf("refuse %s with %d", r.at(), r.Code)
	if s.For > 0 {
		text += ", and others of the same object for " + s.For.String()
	}
	return text
}

func sayKill(_ story.Step, k Kill) string {
	when := "before"
	if k.After {
		when = "after"
	}
	behind := ""
	if k.Behind > 0 {
		behind = fmt.Sprintf("; the API server of the next life is %d writes behind at first", k.Behind)
	}
	if k.Before != "" {
		behind = "; at first the API server of the next life does not show what a user wrote last"
	}
	return fmt.Sprintf("kill the controller %s %s%s", when, k.at(), behind)
}

func sayLate(s story.Step, l Late) string {
	if l.Resource == "" {
		l.Resource = "all resources"
	}
	if l.Each {
		l.Resource = "each watched resource in turn"
	}
	return fmt.Sprintf("have events of %s come %s late", l.Resource, s.For)
}

func sayCut(s story.Step, c Cut) string {
	of := c.Resource
	if of == "" {
		of = "all resources"
	}
	what := map[string]string{"": "end", "expire": "end and expire", "hang": "hang for " + s.For.String(), "deaf": "end, none opens for " + s.For.String() + ", and they expire"}[c.How]
	return fmt.Sprintf("after %s watches of %s %s", c.at(), of, what)
}

func sayUnseen(s story.Step, u Unseen) string {
	step := fmt.Sprintf("step %d", u.Step)
	if u.Each {
		step = "each step in turn"
	}
	return fmt.Sprintf("nobody can watch while %s of the scenario is done, for %s, and watches expire", step, s.For)
}

func sayCreate(_ story.Step, o Object) string {
	x, err := readObject(o.Object)
	if err != nil {
		return "create what is no object"
	}
	return "create the " + x.Kind + " " + x.Meta.Name
}

func sayChange(s story.Step, p Patch) string { return "change " + s.Obj + " by " + string(p.Patch) }

func sayDelete(s story.Step, d Deletion) string {
	if d.Cascade != "" {
		return "delete " + s.Obj + ", " + d.Cascade
	}
	return "delete " + s.Obj
}

func stepScenario(w *world, _ story.Step) error {
	all := w.s.Scenario()
	for i, s := range all {
		unseen := w.run.blind(i + 1)
		err := w.words.Do(w, s)
		for from := time.Now(); story.Skipped(err) && anew(all, i) && time.Since(from) < w.run.mostRest(); { // what was deleted is not gone yet
			w.t.Sleep(5 * time.Second)
			err = w.words.Do(w, s)
		}
		if err != nil && !story.Skipped(err) {
			return fmt.Errorf("scenario: %s: %w", w.words.Say(s), err)
		}
		if err != nil && w.run.num == 1 {
			w.t.Step(0, fmt.Sprintf("step %d of the scenario (%s)", i+1, w.words.Say(s)), err.Error())
		}
		if !unhurried(all, i) || unseen && anew(all, i+1) { // the controller sees a deletion and the creation that follows it together
			continue
		}
		w.run.rest()
		for _, s := range w.run.plannedAfter(i + 1) {
			if err := w.words.Do(w, s); err != nil && !story.Skipped(err) {
				return fmt.Errorf("scenario: %s: %w", w.words.Say(s), err)
			}
			w.run.rest()
		}
	}
	return nil
}

// anew reports whether a step creates what the one before it may have deleted.
func anew(all []story.Step, i int) bool {
	return i > 0 && i < len(all) && all[i].Op == "create" && all[i-1].Op == "delete"
}

// unhurried reports whether everything comes to rest after a step. Where users wait before or after it, that says how long.
func unhurried(all []story.Step, i int) bool {
	return all[i].Op != "advance" && (i+1 == len(all) || all[i+1].Op != "advance")
}

func stepCreate(w *world, s story.Step, o Object) error {
	x, err := readObject(o.Object)
	if err != nil {
		return err
	}
	res, err := w.run.c.Resource(x.typeName())
	if err != nil {
		return err
	}
	res.Root = "/apis/" + x.APIVersion // the user's version need not be the one that is preferred
	if !strings.Contains(x.APIVersion, "/") {
		res.Root = "/api/" + x.APIVersion
	}
	if p := res.path(x.namespace(), x.Meta.Name); !slices.Contains(w.run.created, p) {
		w.run.created = append(w.run.created, p)
	}
	return w.run.user(userActor, http.MethodPost, res.path(x.namespace(), ""), jsonType, o.Object)
}

// object returns the path of the object that a step names: RESOURCE/NAME or RESOURCE/NAMESPACE/NAME.
func (w *world) object(obj string) (string, error) {
	parts := strings.Split(obj, "/")
	if len(parts) < 2 || len(parts) > 3 {
		return "", fmt.Errorf("%q names no object: write RESOURCE/NAME or RESOURCE/NAMESPACE/NAME, as in \"deployments.apps/web\"", obj)
	}
	res, err := w.run.c.Resource(parts[0])
	if err != nil {
		return "", err
	}
	namespace := defaultNamespace
	if len(parts) == 3 {
		namespace = parts[1]
	}
	return res.path(namespace, parts[len(parts)-1]), nil
}

func stepChange(w *world, s story.Step, p Patch) error {
	path, err := w.object(s.Obj)
	if err != nil {
		return err
	}
	return w.run.user(userActor, http.MethodPatch, path, mergeType, p.Patch)
}

func stepDelete(w *world, s story.Step, d Deletion) error {
	path, err := w.object(s.Obj)
	if err != nil {
		return err
	}
	policy := map[string]string{"": "Background", "foreground": "Foreground", "orphan": "Orphan"}[d.Cascade]
	return w.run.user(userActor, http.MethodDelete, path, jsonType, []byte(`{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"`+policy+`"}`))
}

// OtherAnnotation is the annotation that the other client writes.
const OtherAnnotation = "lwtest.example.com/other"

// annotation is the patch of another client. It is another each time, so that it changes something.
func (r *run) annotation() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes++
	return fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, OtherAnnotation, r.notes)
}

func stepAnnotate(w *world, s story.Step) error {
	path, err := w.object(s.Obj)
	if err != nil {
		return err
	}
	return w.run.user(otherActor, http.MethodPatch, path, mergeType, w.run.annotation())
}

func stepRest(w *world, _ story.Step) error { w.run.rest(); return nil }

func stepAdvance(w *world, s story.Step) error { w.t.Sleep(time.Duration(s.For)); return nil }

func stepRestart(w *world, _ story.Step) error {
	w.run.restart()
	w.run.rest()
	return nil
}

// arm returns what a word does that disturbs a write: it waits for that write.
func arm[A any](set func(*disturbance, A)) func(*world, story.Step, A) error {
	return func(w *world, s story.Step, a A) error {
		d := &disturbance{text: w.words.Say(s), last: time.Duration(s.For)}
		set(d, a)
		w.run.arm(d)
		return nil
	}
}

func stepLate(w *world, s story.Step, l Late) error {
	w.run.late(w.words.Say(s), l.Resource, time.Duration(s.For))
	return nil
}

func stepCut(w *world, s story.Step, c Cut) error {
	return arm(func(d *disturbance, c Cut) { d.write, d.cut, d.resource, d.how = c.Write, true, c.Resource, c.How })(w, s, c)
}

func stepOverlap(w *world, s story.Step, a At) error {
	return arm(func(d *disturbance, a At) { d.write, d.overlap = a.Write, true })(w, s, a)
}
