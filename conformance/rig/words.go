package rig

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Stage is a world that has a Driver.
type Stage interface{ Base() *Driver }

// None is the type of With of a word that takes no arguments.
type None struct{}

// Put says what an object becomes.
type Put struct {
	Content   string `json:"content,omitempty"` // empty: one that no object has had
	App       string `json:"app,omitempty"`     // value of the label app; empty: "one"
	Bare      bool   `json:"bare,omitempty"`    // it has no labels
	Bytes     int    `json:"bytes,omitempty"`   // length of a further text
	Finalizer bool   `json:"finalizer,omitempty"`
	Immutable bool   `json:"immutable,omitempty"`
	Has       string `json:"has,omitempty"`  // a part that it has: a name of Losses, or "all-parts"
	Lost      bool   `json:"lost,omitempty"` // it has lost that part
	Note      int    `json:"note,omitempty"` // length of a text in an annotation
}

// Secure says how a server serves TLS.
type Secure struct {
	HTTP1 bool `json:"http1,omitempty"` // it speaks no HTTP/2
}

// Validate returns an error for what no object can have.
func (p Put) Validate() error {
	parts := []string{allParts}
	for _, l := range Losses(true) {
		parts = append(parts, l.Name)
	}
	switch {
	case p.Bytes < 0 || p.Bytes > 1_000_000:
		return fmt.Errorf("bytes is %d: say 0 to 1,000,000, for a ConfigMap holds no more than 1 MiB", p.Bytes)
	case p.Note < 0 || p.Note > 260_000:
		return fmt.Errorf("note is %d: say 0 to 260,000, for the annotations of an object hold no more than 256 KiB", p.Note)
	case p.Has != "" && !slices.Contains(parts, p.Has):
		return fmt.Errorf("objects have no part %q%s: there are %s", p.Has, harness.Suggest(p.Has, parts), strings.Join(parts, ", "))
	}
	return nil
}

// Cut says how watches end.
type Cut struct {
	Break bool `json:"break,omitempty"` // in the middle of the stream; else cleanly
}

// View is what becomes of the second view of the server, or of who answers.
type View string

// The values of View.
const (
	Lag        View = "lag"         // the second view is given nothing new
	UpToDate   View = "up-to-date"  // it is given what it lacks, and what comes
	UseSecond  View = "use-second"  // the second view answers
	UseFirst   View = "use-first"   // the first view answers
	AnswerOld  View = "answer-old"  // the second view answers lists from a state that is older than they allow
	AnswerTrue View = "answer-true" // it does so no more
)

// UnmarshalText implements encoding.TextUnmarshaler. It refuses what is no View.
func (v *View) UnmarshalText(b []byte) error {
	if _, ok := views[View(b)]; !ok {
		return fmt.Errorf("there is no view %q: there are %s", b, viewNames())
	}
	*v = View(b)
	return nil
}

var views = map[View]struct {
	say string
	do  func(Viewed)
}{
	Lag:        {"the second view of the server gets nothing new from now on", func(v Viewed) { v.Hold(true) }},
	UpToDate:   {"the second view catches up", func(v Viewed) { v.Hold(false) }},
	UseSecond:  {"the second view answers new requests", func(v Viewed) { v.Turn(true) }},
	UseFirst:   {"the first view answers new requests", func(v Viewed) { v.Turn(false) }},
	AnswerOld:  {"the second view answers every list from what it has, however old", func(v Viewed) { v.Pretend(true) }},
	AnswerTrue: {"the second view refuses lists that it is too old for", func(v Viewed) { v.Pretend(false) }},
}

// Words are the words that all client-side kinds share.
func Words[W Stage]() []story.Entry[W] {
	return []story.Entry[W]{
		story.Wanting(saying[W]("put", "creates obj, or updates it. \"other/NAME\" is in the other namespace.", sayPut, (*Driver).stepPut), "obj"),
		story.Wanting(saying[W]("fill", "puts n objects whose names begin with obj: o0, o1 and so on, if it is empty.", sayFill, (*Driver).stepFill), "n"),
		word[W]("delete", "deletes obj. One with a finalizer stays, with a deletionTimestamp: the history has that as a PUT.", "delete {obj}", (*Driver).stepDelete),
		word[W]("remove-finalizer", "removes the finalizer of obj, which was deleted: it is gone then, and the history has a DELETE-OBJECT.", "remove the finalizer of {obj}, which was deleted", (*Driver).stepRemoveFinalizer),
		word[W]("delete-all", "deletes every object that the story has put.", "delete all objects", (*Driver).stepDeleteAll),
		saying[W]("delete-together", "deletes the objects in \"with\" by one write: the deletions share one resourceVersion. No watch may be open.",
			func(_ story.Step, names []string) string {
				return "delete " + strings.Join(names, ", ") + " by one write"
			}, (*Driver).stepDeleteTogether, Revisions),
		word[W]("toggle", "deletes obj if it exists, else creates it.", "delete {obj}, or create it if it does not exist", (*Driver).stepToggle),
		word[W]("change", "changes o0, creates the nth of some objects, replaces o2, and deletes what the change before created.",
			"change, create, replace and delete some objects (change {n})", (*Driver).stepChange),
		word[W]("delete-created", "deletes what the last change created.", "delete the object that the last change created", (*Driver).stepDeleteCreated),
		saying[W]("churn", "changes o0 and o2 in turn, n times in all; obj alone, if there is one.", sayChurn, (*Driver).stepChurn),
		story.Wanting(saying[W]("fault", "arms the fault in \"with\" (docs/faults.md), by the name in \"as\". It lasts until it is cleared.", sayFault, (*Driver).stepFault, Faults), "as"),
		word[W]("clear", "ends the faults whose names match \"as\", a pattern such as \"slow-*\".", "end the fault {as}", (*Driver).stepClear, Faults),
		word[W]("refuse-connections", "breaks the client's connections, and refuses new ones. It does not wait until the client has noticed: use pause.", "break all connections, and refuse new ones", (*Driver).stepRefuse, Cuts),
		word[W]("accept-connections", "accepts connections again.", "accept connections again", (*Driver).stepAccept, Cuts),
		saying[W]("cut", "ends all watches, cleanly or by breaking them off.", sayCut, (*Driver).stepCut, Cuts),
		word[W]("forget", "makes the server forget all events and states before now.", "the server forgets all events and states before now", (*Driver).stepForget, Forgets),
		word[W]("forget-events", "makes the server forget all events before now, and keep the states.", "the server forgets all events before now, and keeps the states",
			(*Driver).stepForgetEvents, Forgets),
		saying[W]("view", "changes the second view of a server of two: "+viewNames()+".", func(_ story.Step, v View) string { return views[v].say }, (*Driver).stepView, Views),
		word[W]("leap", "leaves out n resourceVersions between the next write and the one after it.", "leave out {n} resourceVersions after the next write", (*Driver).stepLeap, Revisions),
		word[W]("leap-to-digit", "leaves out resourceVersions, so that the third write of obj from now has one with a digit more.",
			"leave out resourceVersions, so that the third write of {obj} from now has one with a digit more", (*Driver).stepLeapToDigit, Revisions),
		saying[W]("serve-tls", "makes the server serve TLS to clients that are made from now on (word open), with HTTP/2 if they speak it.", saySecure, (*Driver).stepSecure, TLS),
		word[W]("kill-connections", "lets nothing pass any more on the connections that are open and have HTTP/2, in either direction, without anybody being told. New ones are as ever.",
			"all open connections with HTTP/2 die silently", (*Driver).stepKill, Deaths, HTTP2),
		word[W]("advance", "lets the time in \"for\" pass.", "let {for} pass", (*Driver).stepAdvance),
		word[W]("pause", "lets a moment pass: in virtual time until nothing moves, without any time.", "let a moment pass", (*Driver).stepPause),
	}
}

// word makes a word without arguments of a method of Driver. needs are the features without which it does not apply.
func word[W Stage](name, help, text string, do func(*Driver, story.Step) error, needs ...harness.Feature) story.Entry[W] {
	return story.Plain(name, help, text, func(w W, s story.Step) error { return do(w.Base(), s) }, needs...)
}

// saying makes a word whose sentence depends on its arguments.
func saying[W Stage, A any](name, help string, say func(story.Step, A) string, do func(*Driver, story.Step, A) error, needs ...harness.Feature) story.Entry[W] {
	return story.Says(name, help, say, func(w W, s story.Step, a A) error { return do(w.Base(), s, a) }, func(A) []harness.Feature { return needs })
}

func (d *Driver) stepPut(s story.Step, p Put) error {
	switch o := d.objects[d.Key(s.Obj)]; {
	case s.Obj == "":
		return story.SkipStep("it names no object")
	case o != nil && o.fixed:
		return story.SkipStep("%s is immutable", s.Obj)
	case o != nil && o.terminating:
		return story.SkipStep("%s terminates", s.Obj)
	}
	m := d.ConfigMap(s.Obj, cmp.Or(p.Content, d.Fresh()), map[string]string{"app": cmp.Or(p.App, "one")})
	if p.Bare {
		m.Labels = map[string]string{}
	}
	if p.Bytes > 0 {
		m.Data["long"] = Text(p.Bytes)
	}
	if p.Note > 0 {
		m.Annotations["lwtest/note"] = Text(p.Note)
	}
	if p.Finalizer {
		m.Finalizers = []string{Finalizer}
	}
	if p.Immutable {
		yes := true
		m.Immutable = &yes
	}
	if err := d.part(m, p); err != nil {
		return err
	}
	d.PutObject(m)
	return nil
}

// part gives an object the part that it is to have, or takes it away.
func (d *Driver) part(m *corev1.ConfigMap, p Put) error {
	if p.Has == "" {
		return nil
	}
	if p.Has == allParts {
		Whole(m)
		return nil
	}
	all := Losses(d.T.Virtual())
	i := slices.IndexFunc(all, func(l Loss) bool { return l.Name == p.Has })
	if i < 0 {
		return story.SkipStep("objects have no part %q here", p.Has)
	}
	all[i].Have(m)
	if p.Lost {
		all[i].Lose(m)
	}
	return nil
}

const allParts = "all-parts"

func sayPut(s story.Step, p Put) string {
	text := "put " + s.Obj
	var with []string
	add := func(yes bool, format string, args ...any) {
		if yes {
			with = append(with, fmt.Sprintf(format, args...))
		}
	}
	add(p.Content != "", "content %q", p.Content)
	add(p.App != "", "label app=%s", p.App)
	add(p.Bare, "no labels")
	add(p.Bytes > 0, "%d bytes", p.Bytes)
	add(p.Note > 0, "%d bytes in an annotation", p.Note)
	add(p.Finalizer, "a finalizer")
	add(p.Immutable, "immutable: true")
	add(p.Has == allParts, "every part that an object can have")
	add(p.Has != "" && p.Has != allParts && !p.Lost, "the part %q", p.Has)
	add(p.Lost, "the part %q lost", p.Has)
	if len(with) > 0 {
		text += " with " + strings.Join(with, ", ")
	}
	return text
}

func (d *Driver) stepFill(s story.Step, p Put) error {
	for i := range s.N {
		one := p
		one.Content = cmp.Or(p.Content, "1")
		if err := d.stepPut(story.Step{Obj: fmt.Sprint(cmp.Or(s.Obj, "o"), i)}, one); err != nil {
			return err
		}
	}
	return nil
}

func sayFill(s story.Step, p Put) string {
	first := cmp.Or(s.Obj, "o")
	return sayPut(story.Step{Obj: fmt.Sprintf("%s (%s0 to %s%d)", count(s.N, "object"), first, first, s.N-1)}, p)
}

func (d *Driver) stepDelete(s story.Step) error {
	if o := d.objects[d.Key(s.Obj)]; o == nil || o.terminating {
		return story.SkipStep("%s does not exist, or terminates", s.Obj)
	}
	d.Delete(s.Obj)
	return nil
}

func (d *Driver) stepRemoveFinalizer(s story.Step) error {
	if o := d.objects[d.Key(s.Obj)]; o == nil || !o.terminating {
		return story.SkipStep("%s does not terminate", s.Obj)
	}
	d.RemoveFinalizer(s.Obj, "1")
	return nil
}

func (d *Driver) stepDeleteAll(story.Step) error {
	d.deleteAll()
	return nil
}

func (d *Driver) stepDeleteTogether(_ story.Step, names []string) error {
	if d.record.watched() {
		return story.SkipStep("a watch is open, which would send the deletions with versions of their own")
	}
	for _, name := range names {
		if o := d.objects[d.Key(name)]; o == nil || o.held || strings.Contains(name, "/") {
			return story.SkipStep("%s does not exist, or cannot be deleted so", name)
		}
	}
	d.DeleteTogether(names)
	return nil
}

func (d *Driver) stepToggle(s story.Step) error {
	if d.Exists(s.Obj) {
		return d.stepDelete(s)
	}
	return d.stepPut(s, Put{})
}

func (d *Driver) stepChange(s story.Step) error {
	created := fmt.Sprint("n", s.N)
	do := []error{d.stepPut(story.Step{Obj: "o0"}, Put{}), d.stepPut(story.Step{Obj: created}, Put{Content: "1"})}
	d.stepDelete(story.Step{Obj: "o2"})
	do = append(do, d.stepPut(story.Step{Obj: "o2"}, Put{}))
	if s.N > 0 {
		d.stepDelete(story.Step{Obj: created})
	}
	if d.doomed != "" {
		d.stepDelete(story.Step{Obj: d.doomed})
	}
	d.doomed = fmt.Sprint("k", d.Count.Add(1))
	return cmp.Or(append(do, d.stepPut(story.Step{Obj: d.doomed}, Put{Content: "1"}))...)
}

func (d *Driver) stepDeleteCreated(story.Step) error {
	name := d.doomed
	d.doomed = ""
	return d.stepDelete(story.Step{Obj: name})
}

func (d *Driver) stepChurn(s story.Step, _ None) error {
	for i := range s.N {
		if err := d.stepPut(story.Step{Obj: cmp.Or(s.Obj, fmt.Sprint("o", 2*(i%2)))}, Put{}); err != nil {
			return err
		}
	}
	return nil
}

func sayChurn(s story.Step, _ None) string {
	return fmt.Sprintf("change %s, %d times in all", cmp.Or(s.Obj, "o0 and o2 in turn"), s.N)
}

func (d *Driver) stepFault(s story.Step, f Fault) error {
	if s.As == "" {
		return story.SkipStep("the fault has no name: say it in \"as\"")
	}
	d.Fault(s.As, f)
	return nil
}

func (d *Driver) stepClear(s story.Step) error {
	if d.clear(s.As) == 0 {
		return story.SkipStep("there is no fault %q", s.As)
	}
	return nil
}

func (d *Driver) stepRefuse(story.Step) error {
	d.accept = Refuse(d.T, d.Server)
	return nil
}

func (d *Driver) stepAccept(story.Step) error {
	if d.accept == nil {
		return story.SkipStep("connections are accepted")
	}
	d.accept()
	d.accept = nil
	return nil
}

func (d *Driver) stepCut(_ story.Step, c Cut) error {
	if s, ok := Part[Cutter](d.T, d.Server, Cuts); ok {
		s.Cut(!c.Break)
	}
	d.Pause()
	return nil
}

func sayCut(_ story.Step, c Cut) string {
	if c.Break {
		return "break off all watches"
	}
	return "end all watches cleanly"
}

func (d *Driver) stepSecure(_ story.Step, s Secure) error {
	e, ok := Part[Encrypter](d.T, d.Server, TLS)
	if !ok {
		return nil
	}
	return e.Encrypt(!s.HTTP1)
}

func saySecure(_ story.Step, s Secure) string {
	if s.HTTP1 {
		return "serve TLS to new clients, with HTTP/1.1 alone"
	}
	return "serve TLS to new clients, with HTTP/2"
}

func (d *Driver) stepKill(story.Step) error {
	if k, ok := Part[Killer](d.T, d.Server, Deaths); ok {
		d.Pause() // a request that the server gets from now on is of another connection
		d.T.Do(harness.Call{Actor: Network, Kind: Died}, func(context.Context) harness.Answer {
			k.Kill()
			return harness.Answer{}
		})
	}
	d.Pause()
	return nil
}

func (d *Driver) stepForget(story.Step) error {
	if f, ok := d.Server.(Forgetter); !ok || f.Forget(d.T.Context()) != nil {
		return story.SkipStep("the server cannot forget now")
	}
	return nil
}

func (d *Driver) stepForgetEvents(story.Step) error {
	f, ok := Part[Forgetter](d.T, d.Server, Forgets)
	if !ok {
		return nil
	}
	return f.ForgetEvents(d.T.Context())
}

func (d *Driver) stepView(_ story.Step, v View) error {
	if s, ok := Part[Viewed](d.T, d.Server, Views); ok {
		views[v].do(s)
	}
	switch v {
	case Lag, UpToDate:
		d.lags = v == Lag
	}
	return nil
}

func viewNames() string {
	var all []string
	for _, v := range []View{Lag, UpToDate, UseSecond, UseFirst, AnswerOld, AnswerTrue} {
		all = append(all, fmt.Sprintf("%q", v))
	}
	return strings.Join(all, ", ")
}

func (d *Driver) stepLeap(s story.Step) error {
	if r, ok := Part[Reviser](d.T, d.Server, Revisions); ok {
		r.Leap(uint64(s.N))
	}
	return nil
}

func (d *Driver) stepLeapToDigit(s story.Step) error {
	rv := d.Version(d.Key(s.Obj))
	if rv == "" {
		return story.SkipStep("%s does not exist", s.Obj)
	}
	if r, ok := Part[Reviser](d.T, d.Server, Revisions); ok {
		r.Leap(LeapToDigit(rv))
	}
	return nil
}

func (d *Driver) stepAdvance(s story.Step) error {
	d.T.Sleep(time.Duration(s.For))
	return nil
}

func (d *Driver) stepPause(story.Step) error {
	d.Pause()
	return nil
}

// count says how many there are of something: "1 object", "3 objects".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
