package watchcache

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

var watchCluster = harness.Rule{
	Clause: harness.Clause{
		ID:    "watch/cluster-scoped",
		Level: harness.Must,
		Text: "a resource without namespaces is watched as any other: a watch of all its objects brings every change, and so does one of a single name, " +
			"by field selector, by the old path /watch/, or as a streaming list",
		Sources: []harness.Source{sources.efficientDetection, sources.optFieldSelector, sources.testNamespaceWatch},
		Why:     "a client that watches one node or one namespace never sees a change: kube-apiserver took the name of a Namespace for the namespace of the watched object (kubernetes#125133)",
		Advice:  "Do not take a name in the path or in the field selector for a namespace: match the events of kinds without namespaces by their name alone.",
		Classes: []string{"WATCH scope=all outcome=events", "EVENT type=MODIFIED"},
	},
	Needs: []harness.Feature{ClusterScoped},
	Judge: onState(judgeCluster),
}

var clusterCheck = story.Check{
	Name:  "watch/cluster-scoped",
	About: "Objects of a resource without namespaces change, under watches of all of them and of one name.",
	Needs: []harness.Feature{ClusterScoped, FieldWatch},
	Rules: []harness.Rule{watchCluster},
	Steps: story.Concat(
		[]story.Step{
			{Op: "cluster-scoped"},
			{Op: "create", Obj: "x"},
			{Op: "create", Obj: "xy"},
			{Op: "list", As: firstMoment},
			watchOne("w1", Watch{At: firstMoment}),
			{Op: "watch", Actor: "w2", With: Watch{At: firstMoment, Follow: true}},
			watchOne("w3", Watch{}),
		},
		story.When(WatchList, watchOne("w4", Watch{Stream: true, Bookmarks: true})),
		story.When(WatchPath, watchOne("w5", Watch{At: firstMoment, Path: true}), watchOne("w6", Watch{Path: true})),
		[]story.Step{
			{Op: "update", Obj: "x", With: Change{Version: newestCopy}},
			{Op: "update", Obj: "xy", With: Change{Version: newestCopy}},
			{Op: "create", Obj: "y"},
			{Op: "update", Obj: "x", With: Change{Version: newestCopy, Labels: "two"}},
			{Op: "list", With: List{Scope: Scope{Field: "metadata.name=x"}}},
			{Op: "get", Obj: "x"},
			{Op: "settle"},
		},
	),
}

// watchOne opens a watch of the object x.
func watchOne(actor string, x Watch) story.Step {
	x.Field, x.Follow = "metadata.name=x", true
	return story.Step{Op: "watch", Actor: actor, With: x}
}

// errCluster makes a step not apply to a cluster-scoped resource.
var errCluster = story.SkipStep("a resource without namespaces has no such step")

func stepCluster(w *world, _ story.Step) error {
	s, ok := w.s.(ClusterScoper)
	if !ok {
		return fmt.Errorf("the feature %s is declared, but the subject has no Cluster", ClusterScoped)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cluster != nil || w.used.Load() {
		return story.SkipStep("it is not the first step")
	}
	c, prefix := s.Cluster()
	w.cluster = &clustered{c, prefix}
	w.namespaces = []string{replay.InCluster, replay.InCluster + "-none"}
	return nil
}

// clustered is a client of a cluster-scoped resource. It shows the objects of the check in the namespace replay.InCluster, and all
// others in none. What a watch brings is shown by see.
type clustered struct {
	Client
	prefix string
}

// hide makes an object as the server knows it.
func (c clustered) hide(m *corev1.ConfigMap) *corev1.ConfigMap {
	m = m.DeepCopy()
	m.Namespace, m.Name = "", c.prefix+m.Name
	return m
}

func (c clustered) show(m *corev1.ConfigMap) {
	if name, own := strings.CutPrefix(m.Name, c.prefix); own {
		m.Namespace, m.Name = replay.InCluster, name
	}
}

func (c clustered) shown(m *corev1.ConfigMap, err error) (*corev1.ConfigMap, error) {
	if err == nil && m != nil {
		c.show(m)
	}
	return m, err
}

func (c clustered) options(o metav1.ListOptions) metav1.ListOptions {
	for _, op := range []string{"=", "!="} {
		o.FieldSelector = strings.ReplaceAll(o.FieldSelector, "metadata.name"+op, "metadata.name"+op+c.prefix)
	}
	return o
}

func (c clustered) Create(ctx context.Context, m *corev1.ConfigMap, o metav1.CreateOptions) (*corev1.ConfigMap, error) {
	return c.shown(c.Client.Create(ctx, c.hide(m), o))
}

func (c clustered) Update(ctx context.Context, m *corev1.ConfigMap, o metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	return c.shown(c.Client.Update(ctx, c.hide(m), o))
}

func (c clustered) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.ConfigMap, error) {
	return c.shown(c.Client.Get(ctx, c.prefix+name, o))
}

func (c clustered) List(ctx context.Context, o metav1.ListOptions) (*corev1.ConfigMapList, error) {
	l, err := c.Client.List(ctx, c.options(o))
	if err != nil || l == nil {
		return l, err
	}
	for i := range l.Items {
		c.show(&l.Items[i])
	}
	return l, nil
}

func (c clustered) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	return c.Client.Watch(ctx, c.options(o))
}

// WatchPath implements PathWatcher.
func (c clustered) WatchPath(ctx context.Context, name string, o metav1.ListOptions) (watch.Interface, error) {
	p, ok := c.Client.(PathWatcher)
	if !ok {
		return nil, fmt.Errorf("the feature %s is declared, but the client has no WatchPath", WatchPath)
	}
	return p.WatchPath(ctx, c.prefix+name, c.options(o))
}

// judgeCluster looks at all changes that watches of a cluster-scoped resource must bring.
func judgeCluster(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if !strings.HasPrefix(h.Key(r.Versions[d.Version].K), replay.InCluster+"/") {
			return
		}
		if j.Tested++; d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	return j
}
