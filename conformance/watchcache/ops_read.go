package watchcache

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Get says which state a get wants.
type Get struct {
	At string `json:"at,omitempty"` // a resourceVersion: "0", "future", "next", "never", "ancient" (half the newest), "bad" (it cannot be read), or one that a step has named
	Way
}

// needs returns the features without which a scope cannot be asked for.
func (s Scope) needs() []harness.Feature {
	return when(map[harness.Feature]bool{LabelWatch: s.Label != "", FieldWatch: s.Field != "", Shards: s.Shard != 0, ComparableRV: s.Shard != 0})
}

func (s Scope) text() string {
	text := map[string]string{"": "of the own namespace", "own": "of the own namespace", "other": "of the other namespace", "all": "of all namespaces"}[s.Namespace]
	for _, sel := range []string{s.Label, s.Field} {
		if sel != "" {
			text += fmt.Sprintf(" where %s", sel)
		}
	}
	if s.Shard > 0 {
		text += fmt.Sprintf(", shard %d", s.Shard)
	}
	return text
}

// options are as a client sends them.
func (s Scope) options(w *world) (metav1.ListOptions, error) {
	if w.cluster != nil && strings.Contains(s.Field, "metadata.namespace") {
		return metav1.ListOptions{}, errCluster
	}
	o := metav1.ListOptions{LabelSelector: s.Label, FieldSelector: strings.ReplaceAll(s.Field, "own", w.namespaces[0])}
	if s.Shard == 0 {
		return o, nil
	}
	here, elsewhere := single(replay.HashedNamespace, w.namespaces[0])
	quarters := split(4)
	all := append(split(2), byUID(quarters[2].Ranges[0], quarters[0].Ranges[0]), here, elsewhere)
	switch {
	case s.Shard <= len(all):
		o = inShard(o, all[s.Shard-1])
	case s.Shard == len(all)+1:
		o.ShardSelector = unreadables[0]
	default:
		return o, story.SkipStep("there is no such shard")
	}
	return o, nil
}

func atText(at string) string {
	switch at {
	case "":
		return ""
	case anyVersion:
		return " at any state"
	case futureVersion:
		return " at a state of the future"
	case nextVersion:
		return " at the state after the newest"
	case neverVersion:
		return " at a state that never was"
	case ancientVersion:
		return " at an old state"
	case badVersion:
		return " at a resourceVersion that cannot be read"
	}
	return " at " + at
}

func sayGet(s story.Step, g Get) string {
	return fmt.Sprintf("%s gets %s%s%s", getter(s), s.Obj, atText(g.At), g.Way.text())
}

// getter is who makes the get of a step.
func getter(s story.Step) string { return cmp.Or(s.Actor, "g1") }

func stepGet(w *world, s story.Step, g Get) error {
	rv, err := w.moment(g.At)
	if err != nil {
		return err
	}
	w = w.asking(g.Way)
	ns, name := w.place(s.Obj)
	m := w.getAt(getter(s), ns, name, rv)
	if g.At == "" && !replay.OnlyMetadata(g.Form) {
		w.remember(s.Obj, m)
	}
	return nil
}

func needsOfList(l List) []harness.Feature {
	return append(append(l.Scope.needs(), l.Way.needs()...), when(map[harness.Feature]bool{Pages: l.Limit > 0 || l.Continue != "", WatchList: l.Initial != nil})...)
}

func sayList(s story.Step, l List) string {
	text := fmt.Sprintf("%s lists what is %s%s", lister(s), l.Scope.text(), atText(l.At))
	if l.Match != "" {
		text += " (" + l.Match + ")"
	}
	if l.Limit > 0 {
		text += fmt.Sprintf(", at most %d", l.Limit)
	}
	if l.Continue != "" {
		text += ", with a bad token"
	}
	if l.Timeout > 0 {
		text += fmt.Sprintf(", within %d seconds", l.Timeout)
	}
	if l.Initial != nil {
		text += ", with sendInitialEvents"
	}
	text += l.Way.text()
	if s.As != "" {
		text += "; this is " + s.As
	}
	return text + patienceText(s)
}

func patienceText(s story.Step) string {
	if s.For == 0 {
		return ""
	}
	return fmt.Sprintf(", and tries again for %s", s.For)
}

// lister is who makes the list of a step.
func lister(s story.Step) string { return cmp.Or(s.Actor, storyReaders[0]) }

func stepList(w *world, s story.Step, l List) error {
	o, err := l.options(w)
	if err != nil {
		return err
	}
	if o.ResourceVersion, err = w.moment(l.At); err != nil {
		return err
	}
	w = w.asking(l.Way)
	o.ResourceVersionMatch, o.Limit, o.SendInitialEvents, o.Continue = metav1.ResourceVersionMatch(l.Match), l.Limit, l.Initial, l.Continue
	if l.Timeout > 0 {
		o.TimeoutSeconds = &l.Timeout
	}
	w.patiently(s, func() bool { return !tooLarge(w.listPage(s, page{w.namespace(l.Namespace), o})) })
	return nil
}

// patiently tries once a second until f succeeds, or the time in "for" has passed.
func (w *world) patiently(s story.Step, f func() bool) {
	for began := time.Now(); !f() && time.Since(began) < time.Duration(s.For) && w.t.Context().Err() == nil; {
		w.t.Sleep(time.Second)
	}
}

// listPage asks for a page, and keeps where it goes on: after a refusal, where the refusal says so.
func (w *world) listPage(s story.Step, p page) error {
	l, err := w.tryList(lister(s), p.namespace, p.options)
	token := offered(err)
	if l != nil {
		token = l.Continue
		w.note(s.As, l.ResourceVersion)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.turned, s.As)
	if token != "" && s.As != "" {
		p.options.Continue, p.options.ResourceVersion, p.options.ResourceVersionMatch = token, "", ""
		w.turned[s.As] = p
	}
	return err
}

// Next says what the next page is asked for beside its token.
type Next struct {
	At    string `json:"at,omitempty"`    // a resourceVersion: only "0" may stand beside a token
	Match string `json:"match,omitempty"` // "Exact" or "NotOlderThan", which no token allows
	Way
}

// Validate returns an error for unknown words.
func (n Next) Validate() error {
	return cmp.Or(n.Way.Validate(), oneOf("match", n.Match, "", "Exact", "NotOlderThan"))
}

func needsOfNext(n Next) []harness.Feature { return append(n.Way.needs(), Pages) }

func sayNext(s story.Step, n Next) string {
	text := fmt.Sprintf("%s takes the next page of the list %s%s", lister(s), s.As, atText(n.At))
	if n.Match != "" {
		text += " (" + n.Match + ")"
	}
	return text + n.Way.text()
}

func stepNext(w *world, s story.Step, n Next) error {
	rv, err := w.moment(n.At)
	if err != nil {
		return err
	}
	w.mu.Lock()
	p, ok := w.turned[s.As]
	w.mu.Unlock()
	if !ok {
		return story.SkipStep("no list %s has a next page", s.As)
	}
	w = w.asking(n.Way)
	if s.N > 0 {
		p.options.Limit = int64(s.N)
	}
	if p.options.ResourceVersionMatch = metav1.ResourceVersionMatch(n.Match); rv != "" {
		p.options.ResourceVersion = rv
	}
	_ = w.listPage(s, p)
	return nil
}

func needsOfWatch(x Watch) []harness.Feature {
	return append(append(x.Scope.needs(), x.Way.needs()...), when(map[harness.Feature]bool{WatchList: x.Stream || x.NoInitial, WatchPath: x.Path, FieldWatch: x.Path})...)
}

func sayWatch(s story.Step, x Watch) string {
	text := fmt.Sprintf("open the watch %s %s%s", s.Actor, x.Scope.text(), atText(x.At))
	for _, part := range []struct {
		is   bool
		text string
	}{{x.Stream, ", as a streaming list"}, {x.NoInitial, ", without initial events"}, {x.Bookmarks, ", with bookmarks"}, {x.Follow, ", again when it ends"}, {x.Unread, "; nobody reads it yet"}, {x.Path, ", by the old path"}} {
		if part.is {
			text += part.text
		}
	}
	if x.Timeout > 0 {
		text += fmt.Sprintf(", for %d seconds", x.Timeout)
	}
	return text + x.Way.text() + patienceText(s)
}

// listOptions are as a client sends them.
func (x Watch) listOptions(w *world) (metav1.ListOptions, error) {
	o, err := x.options(w)
	if err != nil {
		return o, err
	}
	rv, err := w.moment(x.At)
	switch {
	case x.Stream:
		o = stream(o, rv)
	case x.NoInitial:
		o = off(o, rv)
	default:
		o.ResourceVersion = rv
	}
	o.AllowWatchBookmarks = x.Bookmarks
	if x.Timeout > 0 {
		o.TimeoutSeconds = &x.Timeout
	}
	return o, err
}

func stepWatch(w *world, s story.Step, x Watch) error {
	o, err := x.listOptions(w)
	if err != nil {
		return err
	}
	if name, one := strings.CutPrefix(x.Field, "metadata.name="); x.Path && (!one || name == "" || x.Namespace == "all" && w.cluster == nil) {
		return story.SkipStep("the old path watches one object, which the field selector must name")
	}
	if x.Path && (x.Stream || x.NoInitial) {
		return story.SkipStep("by the old path sendInitialEvents is refused: kube-apiserver reads its options as those of a list")
	}
	if old, err := w.watch(s.Actor); err == nil && !old.over() {
		return story.SkipStep("%s is open", s.Actor)
	}
	w = w.asking(x.Way)
	var opened *watcher
	w.patiently(s, func() bool {
		opened = &watcher{actor: s.Actor, namespace: w.namespace(x.Namespace), options: o, path: x.Path, follows: x.Follow && !x.Stream && !x.NoInitial, gate: make(chan struct{}, 1)}
		if x.Unread {
			opened.gate <- struct{}{}
			opened.slow.Store(true)
		}
		opened = w.open(opened)
		return s.For == 0 || opened.begins()
	})
	if opened == nil {
		return nil
	}
	w.mu.Lock()
	w.watches.Set(s.Actor, opened)
	w.paused[s.Actor] = false
	w.mu.Unlock()
	if x.Unread {
		return w.setPaused(s.Actor, true, func(x *watcher) { x.reader(replay.Paused, func() {}) })
	}
	return nil
}

// over reports whether nothing more will be recorded of a watch.
func (w *watcher) over() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// setPaused makes a watch stop reading, or read on, unless it does already.
func (w *world) setPaused(actor string, paused bool, f func(*watcher)) error {
	x, err := w.watch(actor)
	if err != nil {
		return err
	}
	w.mu.Lock()
	was := w.paused[actor]
	w.paused[actor] = paused
	w.mu.Unlock()
	if was == paused || x.over() {
		return story.SkipStep("there is nothing to change")
	}
	f(x)
	return nil
}

func stepPause(w *world, s story.Step) error { return w.setPaused(s.Actor, true, (*watcher).pause) }

func stepResume(w *world, s story.Step) error { return w.setPaused(s.Actor, false, (*watcher).resume) }

func stepStop(w *world, s story.Step) error {
	x, err := w.watch(s.Actor)
	if err != nil {
		return err
	}
	if x.over() {
		return story.SkipStep("%s has ended", s.Actor)
	}
	if s.As != "" {
		w.note(s.As, x.last())
	}
	w.mu.Lock()
	reads := !w.paused[s.Actor]
	w.mu.Unlock()
	if _, open := x.current(); s.Obj == "" || !open || !reads || x.follows {
		x.close()
		return nil
	}
	x.halt(func() { err = stepUpdate(w, story.Step{Obj: s.Obj}, Change{}) })
	return err
}

// stepSettle settles the watches that are read. While the cache is not ready nothing can be said of them.
func stepSettle(w *world, s story.Step) error {
	if wait := w.untilReady(); wait > 0 {
		w.t.Sleep(wait)
	}
	w.settle(w.readWatches()...)
	return nil
}

// readWatches returns the watches that somebody reads. In real time it leaves out those that begin in the future: nothing comes
// on them, and settling would wait until its time is up.
func (w *world) readWatches() (all []*watcher) {
	future := ""
	if !w.t.Virtual() {
		future, _ = w.moment(futureVersion) // empty if there is none
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range w.watches.Names("*") {
		x, err := w.watches.Get(name)
		if err == nil && !w.paused[name] && !x.over() && (future == "" || x.options.ResourceVersion != future) {
			all = append(all, x)
		}
	}
	return all
}

func stepAdvance(w *world, s story.Step) error {
	w.t.Sleep(time.Duration(s.For))
	return nil
}

func stepCompact(w *world, _ story.Step) error { return endUnless(w.compact()) }
func stepRestart(w *world, _ story.Step) error { return endUnless(w.restart()) }

func stepForgetEvents(w *world, _ story.Step) error {
	if w.untilReady() > 0 {
		return story.SkipStep("the cache is not ready")
	}
	return endUnless(w.moveWindow())
}

// untilReady returns how long the cache will not be ready.
func (w *world) untilReady() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Until(w.unready)
}

// endUnless ends the story where the case was given up.
func endUnless(ok bool) error {
	if !ok {
		return story.ErrEnd
	}
	return nil
}

func stepLag(w *world, s story.Step) error { return w.setLag(time.Duration(s.For)) }

func stepCatchUp(w *world, _ story.Step) error { return w.setLag(0) }

func (w *world) setLag(lag time.Duration) error {
	l, ok := w.s.(Lagger)
	if !ok {
		return fmt.Errorf("the feature %s is declared, but the subject has no SetLag", Lag)
	}
	kind := "LAG"
	if lag == 0 {
		kind += replay.Over
	}
	return endUnless(w.admin(kind, func(ctx context.Context) (string, error) { return "", l.SetLag(ctx, lag) }))
}

// stepStartUp makes the cache not ready for a while; the story goes on.
func stepStartUp(w *world, s story.Step) error {
	x, ok := w.s.(Starter)
	if !ok {
		return fmt.Errorf("the feature %s is declared, but the subject has no SetReady", Starting)
	}
	set := func(kind string, ready bool) bool {
		return w.admin(kind, func(ctx context.Context) (string, error) { return "", x.SetReady(ctx, ready) })
	}
	if w.untilReady() > 0 {
		return story.SkipStep("the cache is not ready")
	}
	w.mu.Lock()
	w.unready = time.Now().Add(time.Duration(s.For) + time.Second) // when it is ready for certain
	w.mu.Unlock()
	if !set("STARTING", false) {
		return story.ErrEnd
	}
	w.t.Go(func() {
		w.t.Sleep(time.Duration(s.For))
		set("STARTING"+replay.Over, true)
	})
	return nil
}
