package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const (
	namespace  = "default"
	deployment = "deployment"
	replicaSet = "replicaset"
	pod        = "pod"
	revision   = "example.com/revision" // an annotation: which write it was; every one has its own
)

// state is what a write made of an object.
type state struct {
	uid types.UID
	rev string
}

func stateOf(o metav1.Object) state { return state{o.GetUID(), o.GetAnnotations()[revision]} }

func (s state) String() string { return fmt.Sprintf("%.8s at write %s", s.uid, s.rev) }

// client is one kind's in the writer's hand.
type client[T metav1.Object] struct {
	create func(context.Context, T, metav1.CreateOptions) (T, error)
	update func(context.Context, T, metav1.UpdateOptions) (T, error)
	remove func(context.Context, string, metav1.DeleteOptions) error
}

// line is what an object was, one write after the other.
type line struct {
	states []state // nil uid: deleted
}

func (l *line) now() (state, bool) {
	s := l.states[len(l.states)-1]
	return s, s.uid != ""
}

// world is all that was written: by one writer, one write after the other.
type world struct {
	ctx   context.Context
	rand  *rand.Rand
	n     int
	lines map[[2]string]*line // by kind and name

	deployments map[string]*appsv1.Deployment
	sets        map[string]*appsv1.ReplicaSet
	pods        map[string]*corev1.Pod
	ofD         client[*appsv1.Deployment]
	ofS         client[*appsv1.ReplicaSet]
	ofP         client[*corev1.Pod]
}

func newWorld(ctx context.Context, c kubernetes.Interface, seed uint64) *world {
	d, s, p := c.AppsV1().Deployments(namespace), c.AppsV1().ReplicaSets(namespace), c.CoreV1().Pods(namespace)
	return &world{ctx: ctx, rand: rand.New(rand.NewPCG(seed, 0)), lines: map[[2]string]*line{},
		deployments: map[string]*appsv1.Deployment{}, sets: map[string]*appsv1.ReplicaSet{}, pods: map[string]*corev1.Pod{},
		ofD: client[*appsv1.Deployment]{d.Create, d.Update, d.Delete}, ofS: client[*appsv1.ReplicaSet]{s.Create, s.Update, s.Delete},
		ofP: client[*corev1.Pod]{p.Create, p.Update, p.Delete}}
}

// write changes something, whatever comes.
func (w *world) write() error {
	switch i := w.rand.IntN(6); i {
	case 0:
		return put(w, deployment, fmt.Sprint("d", w.rand.IntN(3)), w.deployments, w.ofD, newDeployment, nil)
	case 1, 2:
		return put(w, replicaSet, fmt.Sprint("s", w.rand.IntN(4)), w.sets, w.ofS, newSet, ownerOf(w, "apps/v1", "Deployment", w.deployments))
	}
	return put(w, pod, fmt.Sprint("p", w.rand.IntN(6)), w.pods, w.ofP, newPod, ownerOf(w, "apps/v1", "ReplicaSet", w.sets))
}

// put creates an object, changes it, gives it another owner, or deletes it.
func put[T metav1.Object](w *world, kind, name string, all map[string]T, c client[T], make func(string) T, owner *metav1.OwnerReference) error {
	key := [2]string{kind, name}
	if w.lines[key] == nil {
		w.lines[key] = &line{}
	}
	w.n++
	now, there := all[name]
	if there && w.rand.IntN(4) == 0 {
		delete(all, name)
		w.lines[key].states = append(w.lines[key].states, state{})
		return c.remove(w.ctx, name, metav1.DeleteOptions{})
	}
	if !there {
		now = make(name)
	}
	now.SetAnnotations(map[string]string{revision: fmt.Sprint(w.n)})
	if owner != nil && (!there || w.rand.IntN(2) == 0) {
		now.SetOwnerReferences([]metav1.OwnerReference{*owner})
	}
	var err error
	if there {
		now, err = c.update(w.ctx, now, metav1.UpdateOptions{})
	} else {
		now.SetUID(types.UID(fmt.Sprintf("%08d", w.n))) // a server gives its own
		now, err = c.create(w.ctx, now, metav1.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	all[name] = now
	w.lines[key].states = append(w.lines[key].states, stateOf(now))
	return nil
}

// ownerOf draws an owner among those that there are; nil: there is none.
func ownerOf[T metav1.Object](w *world, version, kind string, all map[string]T) *metav1.OwnerReference {
	names := slices.Sorted(maps.Keys(all))
	if len(names) == 0 {
		return nil
	}
	o := all[names[w.rand.IntN(len(names))]]
	return &metav1.OwnerReference{APIVersion: version, Kind: kind, Name: o.GetName(), UID: o.GetUID(), Controller: new(true)}
}

// explain says what of the controller's history does not follow from what was written, when all is at rest.
func (w *world) explain(c *controller) error {
	var errs []error
	for _, s := range c.wrong {
		errs = append(errs, errors.New(s))
	}
	all := map[[2]string]known{}
	for _, h := range c.handled {
		key := [2]string{h.kind, h.name}
		if w.lines[key] == nil {
			errs = append(errs, fmt.Errorf("%v, and nobody has written it", h))
			continue
		}
		was, told := all[key]
		if !told {
			was = known{at: -1, gone: true}
		}
		next, wrong := was.hears(h, w.lines[key].states)
		if all[key] = next; wrong != "" {
			errs = append(errs, fmt.Errorf("%v: %s; it was %v", h, wrong, w.lines[key].states))
		}
	}
	for key, l := range w.lines {
		now, there := l.now()
		k, told := all[key]
		if there && (!told || k.gone || k.state != now) || !there && told && !k.gone {
			errs = append(errs, fmt.Errorf("%v is %v, and what was handled last is %+v", key, now, k))
		}
	}
	return errors.Join(append(errs, w.looked(c)...)...)
}

// known is what a handler was told of an object.
type known struct {
	at    int // place in its line
	state state
	gone  bool
}

// hears is what is known after a call, and what does not follow from what was written, or was told before; "": nothing.
func (k known) hears(h call, states []state) (next known, wrong string) {
	i := slices.Index(states, h.state)
	switch next = (known{i, h.state, h.how == deleted}); {
	case i < 0:
		return k, "as nobody has written it"
	case i < k.at:
		return k, fmt.Sprintf("after what came later, %v", k.state)
	case (h.how == added) != k.gone:
		return next, fmt.Sprintf("what was told before is %+v", k)
	case h.how == updated && h.old != k.state:
		return next, fmt.Sprintf("the old one is %v, and was told as %v", h.old, k.state)
	case h.how == deleted:
		end := slices.Index(states[i:], state{})
		if end < 0 {
			return next, "it is not deleted"
		}
		next.at = i + end
	}
	return next, ""
}

// looked compares the last look at each deployment with what there is.
func (w *world) looked(c *controller) (errs []error) {
	sets, pods := slices.Collect(maps.Values(w.sets)), slices.Collect(maps.Values(w.pods))
	for key := range w.lines {
		if key[0] != deployment {
			continue
		}
		want, got := nothing, c.looks[key[1]]
		if d := w.deployments[key[1]]; d != nil {
			want = look(d, sets, pods)
		}
		if want != got && (want != nothing || got != "") { // of what came and went unseen nobody need know
			errs = append(errs, fmt.Errorf("the last look at %s saw %s, and there is %s", key[1], got, want))
		}
	}
	return errs
}

func newMeta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"app": "a"}}
}

func newTemplate() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "a"}}, Spec: newPod("").Spec}
}

func newDeployment(name string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: newMeta(name), Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}, Template: newTemplate()}}
}

func newSet(name string) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{ObjectMeta: newMeta(name), Spec: appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}, Template: newTemplate()}}
}

func newPod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: newMeta(name), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
}
