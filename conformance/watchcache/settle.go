package watchcache

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

// selected are the labels that every label selector of this suite selects.
var selected = map[string]string{"app": "one"}

// others are labels that none does, and bare has not even the key that they look at.
var (
	others = map[string]string{"app": "two"}
	bare   = map[string]string{"other": "one"}
)

// sentinelName is the object that shows that a watch has come up to the
// present. Nearly every selector of this suite has it in its scope; those that
// ask for what has no such labels have bareSentinel, which has none.
const (
	sentinelName = "sentinel"
	bareSentinel = "sentinel-bare"
)

// sentinelActor writes sentinels; the drive's other notes are at its turns.
const sentinelActor = "sentinel"

// sentinelLimit is how long a sentinel may take in real time, or sentinelPaces times as long as the slowest write of the case, but
// not longer than sentinelMost. After that nothing is known of what did not come; but see unsettled.
const (
	sentinelLimit = 10 * time.Second
	sentinelPaces = 40
	sentinelMost  = 30 * time.Second
)

// sentinelTime returns how long a sentinel may take now.
func (d *driver) sentinelTime() time.Duration {
	return min(max(sentinelLimit, sentinelPaces*time.Duration(d.slowest.Load())), sentinelMost)
}

// settle writes what each watch must be given, and records SETTLED for those
// that got it. In virtual time it lets the check's grace pass instead, and what
// has not come by then does not come.
func (d *driver) settle(ws ...*watcher) {
	ws = slices.DeleteFunc(ws, func(w *watcher) bool { return !w.isOpen() })
	contents, noted := map[target]string{}, map[target]bool{}
	waits := make([]<-chan struct{}, len(ws))
	for i, w := range ws {
		t := w.sentinel()
		if contents[t] == "" {
			contents[t] = d.next("sentinel")
		}
		waits[i] = w.expect(contents[t])
		noted[t] = noted[t] || replay.OnlyMetadata(w.d.way.Form)
	}
	versions, began := map[target]string{}, time.Now()
	for _, t := range d.inOrder(contents) {
		if m := d.writeSentinel(t, contents[t], noted[t]); m != nil {
			versions[t] = m.ResourceVersion
		}
	}
	if d.t.Virtual() {
		for range settleRounds {
			ws = d.settleOpen(ws)
		}
		return
	}
	ctx, cancel := context.WithTimeout(d.t.Context(), d.sentinelTime())
	defer cancel()
	var late []*watcher
	prompt := newPrompt(began)
	for i, w := range ws {
		if came(ctx, waits[i]) {
			w.settled(versions[w.sentinel()])
			prompt.add(w)
		} else if versions[w.sentinel()] != "" && w.due() {
			late = append(late, w)
		}
	}
	if d.t.Context().Err() == nil {
		d.unsettled(late, prompt, versions)
	}
}

// prompt is how soon watches were given their sentinels.
type prompt struct {
	began   time.Time
	some    bool
	slowest time.Duration
}

func newPrompt(began time.Time) *prompt { return &prompt{began: began} }

// add counts a watch that has its sentinel; not one that is read slowly on purpose.
func (p *prompt) add(w *watcher) {
	if at := w.lastSentinel(); !w.readSlowly() && !at.Before(p.began) {
		p.some, p.slowest = true, max(p.slowest, at.Sub(p.began))
	}
}

// had says that a watch without its sentinel had all the time that one takes: the others had theirs in a tenth of
// it, and nothing is under way any more, which a watch that is behind would still be bringing.
func (p *prompt) had(w *watcher) bool {
	return p.some && p.slowest < sentinelLimit/10 && w.lastCame().Before(p.began.Add(sentinelLimit/2))
}

// came waits for a sentinel. One that has come has, even when the time is up.
func came(ctx context.Context, c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
	}
	select {
	case <-c:
		return true
	case <-ctx.Done():
		return false
	}
}

// unsettled are watches whose sentinels were due and did not come. That says
// nothing of a server that is slow, or busy with others. Where nothing else writes to what
// is watched, and it gave other watches theirs at once, these had all the time they need.
func (d *driver) unsettled(late []*watcher, p *prompt, versions map[target]string) {
	for _, w := range late {
		if t := w.sentinel(); p.had(w) && d.t.Has(SoleWriter) {
			w.settled(versions[t])
		} else {
			d.t.GiveUp("%s was not given %s/%s, which was written for it, within %s", w.actor, t.namespace, t.name, d.sentinelTime())
		}
	}
}

// due says that the watch, which is open and read, selects its sentinel.
func (w *watcher) due() bool {
	t := w.sentinel()
	var l map[string]string
	if t.name != bareSentinel {
		l = selected
	}
	named, err := fields.ParseSelector(w.options.FieldSelector)
	return err == nil && w.isOpen() && !w.readSlowly() && w.options.ShardSelector == "" && w.selects(l) &&
		named.Matches(fields.Set{"metadata.name": t.name, "metadata.namespace": t.namespace})
}

// target is an object that a sentinel is written to.
type target struct{ namespace, name string }

// sentinel is what the watch must be given: an object of its own, or the only
// one that the watch is about.
func (w *watcher) sentinel() target {
	t := target{w.namespace, w.name}
	if t.namespace == "" {
		t.namespace = w.d.namespaces[0]
	}
	if t.name == "" {
		t.name = sentinelName
		if w.selects(nil) && !w.selects(selected) {
			t.name = bareSentinel
		}
	}
	return t
}

// selects says whether the label selector selects such labels.
func (w *watcher) selects(l map[string]string) bool {
	s, err := labels.Parse(w.options.LabelSelector)
	return err == nil && s.Matches(labels.Set(l))
}

func (w *watcher) isOpen() bool {
	if w == nil {
		return false
	}
	_, ok := w.delivers()
	return ok
}

// settleRounds is how often watches that a server keeps ending are given their time.
const settleRounds = 4

// settleOpen gives watches all the time they need, and settles those that were open all that time. It gives
// those that may yet be: of which one has ended meanwhile, and another taken its place, or is to.
func (d *driver) settleOpen(ws []*watcher) []*watcher {
	if len(ws) == 0 {
		return nil
	}
	calls := make([]int32, len(ws)) // 0: none is open
	for i, w := range ws {
		calls[i] = w.now()
	}
	d.t.Idle()
	d.t.Sleep(2 * harness.TurnRound) // who holds an event has its turn
	d.t.Wait()
	var left []*watcher
	for i, w := range ws {
		switch {
		case !w.isOpen():
		case calls[i] == 0 || w.now() != calls[i]:
			left = append(left, w)
		default:
			w.settled("")
		}
	}
	return left
}

// now is the call of the watch that is open and can be expected to bring what is due; 0: none.
func (w *watcher) now() int32 {
	if call, open := w.current(); open && w.isOpen() {
		return call
	}
	return 0
}

// settled says of the watch that is open that all that was due by now has come; not of one that takes its
// place before the turn to say so.
func (w *watcher) settled(rv string) {
	call := w.now()
	if call == 0 {
		return
	}
	w.d.turn(sentinelActor)
	if w.now() == call {
		w.d.t.Settled(w.actor, call, rv)
	}
}

// inOrder puts the sentinel that most watches see last: after it none sees another.
func (d *driver) inOrder(contents map[target]string) []target {
	last := target{d.namespaces[0], sentinelName}
	all := slices.SortedFunc(maps.Keys(contents), func(a, b target) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	if i := slices.Index(all, last); i >= 0 {
		all = append(slices.Delete(all, i, i+1), last)
	}
	return all
}

// sentinelNote is the annotation by which a watch that shows only metadata knows its sentinel.
const sentinelNote = "lwtest/sentinel"

func (d *driver) writeSentinel(t target, content string, noted bool) *corev1.ConfigMap {
	const actor = sentinelActor
	m := &corev1.ConfigMap{Data: map[string]string{Spec: content}}
	if noted {
		m.Annotations = map[string]string{sentinelNote: content}
	}
	if m.Namespace, m.Name = t.namespace, t.name; t.name != bareSentinel {
		m.Labels = selected
	}
	if old := d.get(actor, t.namespace, t.name); old != nil {
		m.ResourceVersion, m.UID = old.ResourceVersion, old.UID
		if on := old.Data[Node]; on != "" { // which nothing takes away
			m.Data[Node] = on
		}
		return d.update(actor, m)
	}
	return d.create(actor, m)
}
