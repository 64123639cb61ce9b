package watchcache

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// world is what the steps of a story act on: the subject, and what earlier steps got from it.
type world struct {
	*driver
	*memory
}

// memory is what all steps of a story share.
type memory struct {
	mu      sync.Mutex                     // asynchronous steps share the fields below
	copies  map[string][]*corev1.ConfigMap // by the name of the object: what was answered, the newest last
	watches story.Refs[*watcher]           // by actor
	moments map[string]string              // resourceVersions by name
	newest  string                         // the largest resourceVersion that was answered
	turned  map[string]page                // the next page of a list, by the name of the list
	unready time.Time                      // until then the cache is not ready
	paused  map[string]bool                // watches that are not read, by actor
	hurried map[string]time.Duration       // after which actors give up their next request
}

// page is where a list in pages goes on.
type page struct {
	namespace string
	options   metav1.ListOptions
}

// storyWriters, storyReaders and storyWatches are the actors of random stories.
var (
	storyWriters = []string{"c1", "c2", "c3"}
	storyReaders = []string{"l1", "l2"}
	storyWatches = []string{"w1", "w2", "w3", "w4", "w5", "w6"}
)

// play plays a story.
func play(t *harness.T, s Subject, st story.Story) {
	d, ok := newDriver(t, s, ownNamespaces)
	if !ok {
		return
	}
	w := &world{d, &memory{copies: map[string][]*corev1.ConfigMap{}, moments: map[string]string{}, turned: map[string]page{}, paused: map[string]bool{}, hurried: map[string]time.Duration{}}}
	d.hurry = w.patience
	d.turns.Of(slices.Concat(storyWriters, storyReaders, storyWatches, []string{"g1", "admin", readersActor, sentinelActor})...)
	t.Cleanup(w.finish)
	vocabulary.Play(t, w, st)
	w.finish() // before the context of the case ends, which ends the watches, too, each at a moment of its own
}

// patience returns after what time an actor gives up the request that it makes now; 0: it waits.
func (w *world) patience(actor string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	limit := w.hurried[actor]
	delete(w.hurried, actor)
	return limit
}

// stepGiveUp makes the next request of an actor one that its caller gives up.
func stepGiveUp(w *world, s story.Step) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hurried[s.Actor] = max(time.Duration(s.For), 1)
	return nil
}

// finish leaves nothing behind: open watches end.
func (w *world) finish() {
	w.mu.Lock()
	names := w.watches.Names("*")
	w.mu.Unlock()
	for _, name := range names {
		if x, err := w.watch(name); err == nil {
			x.close()
		}
	}
}

// watch returns the watch of an actor. The error makes the step not apply.
func (w *world) watch(actor string) (*watcher, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.watches.Get(actor)
}

// place returns the namespace and the name of an object: "other/x" is the x of the second namespace.
func (w *world) place(obj string) (namespace, name string) {
	if w.cluster != nil {
		return w.namespaces[0], strings.ReplaceAll(obj, "/", "-")
	}
	if name, ok := strings.CutPrefix(obj, "other/"); ok {
		return w.namespaces[1], name
	}
	return w.namespaces[0], obj
}

// namespace returns the namespace that a step names: "own", "other" or "all". Empty: "own".
func (w *world) namespace(name string) string {
	switch {
	case name == "all", w.cluster != nil:
		return ""
	case name == "other":
		return w.namespaces[1]
	}
	return w.namespaces[0]
}

// remember keeps what a write or a get answered; nil is nothing.
func (w *world) remember(obj string, m *corev1.ConfigMap) {
	if m == nil || m.Name == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reach(m.ResourceVersion)
	all := append(w.copies[obj], m.DeepCopy())
	w.copies[obj] = all[max(0, len(all)-keptCopies):]
}

// keptCopies is how many answers a world keeps of each object.
const keptCopies = 8

// copyOf returns a copy of an object as a step means it: the newest that was answered, or an older one. An object that
// was never answered is a new one.
func (w *world) copyOf(obj string, old bool) *corev1.ConfigMap {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.copies[obj]
	if len(all) == 0 {
		ns, name := w.place(obj)
		return w.object(ns, name, nil)
	}
	newest := all[len(all)-1]
	if old {
		i := slices.IndexFunc(all, func(m *corev1.ConfigMap) bool { return m.ResourceVersion != newest.ResourceVersion })
		newest = all[max(i, 0)]
	}
	return newest.DeepCopy()
}

// note gives a name to a resourceVersion.
func (w *world) note(name, rv string) {
	if name != "" && rv != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reach(rv)
		w.moments[name] = rv
	}
}

// reach takes note of a resourceVersion that was answered.
func (w *world) reach(rv string) {
	if history.Comparable(rv) && (w.newest == "" || history.CompareRV(rv, w.newest) > 0) {
		w.newest = rv
	}
}

// Names of resourceVersions that no step gives.
const (
	anyVersion    = "0"      // any state will do
	futureVersion = "future" // one that nothing has yet
	nextVersion   = "next"   // the one after the newest that was answered
	neverVersion  = "never"  // one that nothing ever had
	badVersion    = "bad"    // one that cannot be read

	ancientVersion = "ancient" // half the newest that was answered: of a server that others use it is from before the run
)

// moment returns the resourceVersion that a step means: one that an earlier step has named, or one of the above.
func (w *world) moment(name string) (string, error) {
	switch name {
	case "", anyVersion:
		return name, nil
	case neverVersion:
		return invented, nil
	case badVersion:
		if !w.t.Has(ComparableRV) {
			return "", story.SkipStep("where resourceVersions cannot be compared, any text may be one")
		}
		return "xyz", nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if name == nextVersion && w.t.Has(ComparableRV) && w.newest != "" {
		return ahead(w.newest, 1), nil
	}
	if newest, err := strconv.ParseUint(w.newest, 10, 64); name == ancientVersion && err == nil && newest > 1 && w.t.Has(ComparableRV) {
		return strconv.FormatUint(newest/2, 10), nil
	}
	if name == futureVersion || name == nextVersion {
		if rv := w.moments[firstMoment]; rv != "" && w.t.Has(ComparableRV) {
			return beyond(rv), nil
		}
		return "", story.SkipStep("no resourceVersion is known that can be compared")
	}
	rv, ok := w.moments[name]
	if !ok {
		return "", story.SkipStep("no resourceVersion has the name %q", name)
	}
	return rv, nil
}

// firstMoment is the resourceVersion with which random stories begin.
const firstMoment = "v0"

// preconditions returns what a deletion wants of the object; nil: nothing.
func (w *world) preconditions(obj, version, uid string) *metav1.Preconditions {
	pre := &metav1.Preconditions{}
	if version != "" {
		pre.ResourceVersion = new(w.versionOf(obj, version))
	}
	if uid != "" {
		pre.UID = new(w.copyOf(obj, uid == oldCopy).UID)
		if uid == neverVersion || *pre.UID == "" {
			pre.UID = new(noUID)
		}
	}
	if *pre == (metav1.Preconditions{}) {
		return nil
	}
	return pre
}

// Which resourceVersion or uid of an object a write names.
const (
	newestCopy = "newest" // that of the newest answer
	oldCopy    = "old"    // that of an older answer

	aheadVersion = "ahead" // a resourceVersion only: the newest of any object
)

// versionOf returns the resourceVersion of an object that a write names.
func (w *world) versionOf(obj, which string) string {
	switch which {
	case neverVersion:
		return invented
	case aheadVersion:
		w.mu.Lock()
		defer w.mu.Unlock()
		return cmp.Or(w.newest, invented)
	}
	return cmp.Or(w.copyOf(obj, which == oldCopy).ResourceVersion, invented)
}
