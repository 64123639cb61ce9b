// Package watchcache is the conformance suite of whatever serves lists,
// watches and writes of Kubernetes objects: an API server, its watch cache, a
// fake of one.
package watchcache

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

// Subject is one living implementation. Whatever resource it serves, it shows
// each object as a ConfigMap: the metadata as it is, and in data the strings
// "spec" and "status", which the plugin maps to two fields of its resource, and
// with the feature grace "node": what has that is on a node, from its creation
// on. Nothing else is read. All methods may be called concurrently.
type Subject interface {
	In(namespace string) Client // "" is all namespaces
}

// Client does one request per call, without retries of its own. client-go's
// typed ConfigMapInterface is one. Errors are *errors.StatusError of
// apimachinery where the server answered; any other error means that nobody
// knows whether a write happened.
type Client interface {
	Create(context.Context, *corev1.ConfigMap, metav1.CreateOptions) (*corev1.ConfigMap, error)
	Update(context.Context, *corev1.ConfigMap, metav1.UpdateOptions) (*corev1.ConfigMap, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Get(context.Context, string, metav1.GetOptions) (*corev1.ConfigMap, error)
	List(context.Context, metav1.ListOptions) (*corev1.ConfigMapList, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// Patcher is an optional part of a Client (features patch, json-patch,
// strategic-merge-patch and apply). With the
// feature status-subresource "status" may be given as the subresource.
type Patcher interface {
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, o metav1.PatchOptions, subresources ...string) (*corev1.ConfigMap, error)
}

// StatusUpdater is an optional part of a Client (feature status-subresource):
// it sends an object to its status subresource, as client-go's typed clients do.
type StatusUpdater interface {
	UpdateStatus(context.Context, *corev1.ConfigMap, metav1.UpdateOptions) (*corev1.ConfigMap, error)
}

// CollectionDeleter is an optional part of a Client (feature deletecollection).
type CollectionDeleter interface {
	DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
}

// Namespacer is an optional part of a Subject that shares a server with
// others: it makes n namespaces of this subject's own, and removes them when
// the case ends. The second should begin like the first, and the third end like
// it. Without it drives use such: "a" and "ab", some also "ba", "abb" and "bab".
type Namespacer interface {
	Namespaces(ctx context.Context, n int) ([]string, error)
}

// The features of this kind.
const (
	ComparableRV harness.Feature = "comparable-rv"
	Bookmarks    harness.Feature = "bookmarks"
	WatchList    harness.Feature = "watchlist"
	Patch        harness.Feature = "patch"
	LabelWatch   harness.Feature = "label-selectors"
	FieldWatch   harness.Feature = "field-selectors"
	Precondition harness.Feature = "delete-preconditions"
	Pages        harness.Feature = "pages"
	Compaction   harness.Feature = "compaction"
	Window       harness.Feature = "window"
	Restart      harness.Feature = "restart"
	Together     harness.Feature = "together"
	Errors       harness.Feature = "watch-errors"
	Lag          harness.Feature = "lag"
	Starting     harness.Feature = "starting"
	DryRun       harness.Feature = "dry-run"
	PlainUpdate  harness.Feature = "plain-update"
	GenerateName harness.Feature = "generate-name"
	Finalizers   harness.Feature = "finalizers"

	DeleteCollection harness.Feature = "deletecollection"

	UpdateNeedsObject harness.Feature = "update-needs-object"
	CreateOnUpdate    harness.Feature = replay.CreateOnUpdate

	Apply harness.Feature = "apply"

	JSONPatch      harness.Feature = "json-patch"
	StrategicPatch harness.Feature = "strategic-merge-patch"

	StatusSubresource harness.Feature = replay.StatusSubresource

	Grace harness.Feature = replay.Grace

	Shards harness.Feature = "shards"

	NoPastStates harness.Feature = "no-past-states"

	SoleWriter harness.Feature = replay.SoleWriter
)

var features = []harness.FeatureInfo{
	{Name: ComparableRV, Help: "resourceVersions are decimal integers that grow with each change (by contract since Kubernetes 1.35)"},
	{Name: Bookmarks, Help: "watches that allow bookmarks get some"},
	{Name: WatchList, Help: "streaming lists: sendInitialEvents is served, with the end bookmark"},
	{Name: Patch, Help: "merge patches"},
	{Name: Apply, Help: "server-side apply patches (application/apply-patch+yaml)"},
	{Name: JSONPatch, Help: "JSON patches (application/json-patch+json)"},
	{Name: StrategicPatch, Help: "strategic merge patches (application/strategic-merge-patch+json; built-in kinds have them, custom resources do not)"},
	{Name: LabelWatch, Help: "label selectors on list and watch"},
	{Name: FieldWatch, Help: "the field selectors metadata.name and metadata.namespace on list and watch"},
	{Name: Precondition, Help: "deletes take preconditions (uid and resourceVersion)"},
	{Name: Pages, Help: "a list with a limit comes in pages"},
	{Name: Compaction, Help: "the subject can be told to let old states go (Compactor)"},
	{Name: Window, Help: "the subject can be told to let old events go (WindowMover)"},
	{Name: Errors, Help: "watches are refused in their stream, by an ERROR event (410, 504)"},
	{Name: DryRun, Help: "writes with dryRun=All are dry runs"},
	{Name: PlainUpdate, Help: "an update without a resourceVersion is taken (of kinds that allow it: configmaps, not leases)"},
	{Name: GenerateName, Help: "a create with generateName gets a name from the server"},
	{Name: Finalizers, Help: "an object with finalizers stays until the last is taken away"},
	{Name: DeleteCollection, Help: "a collection can be deleted by one request (CollectionDeleter)"},
	{Name: UpdateNeedsObject, Help: "an update of what does not exist is refused (of most kinds; leases and events are created by it)"},
	{Name: CreateOnUpdate, Help: "an update of what does not exist creates it (leases, events, services)"},
	{Name: StatusSubresource, Help: "status has a subresource, and is written there alone (StatusUpdater; deployments and most kinds with a controller, not configmaps)"},
	{Name: Grace, Help: "what is on a node has a grace period when it is deleted (pods), and is deleted in two steps: a mark with period 0 comes before DELETED"},
	{Name: Shards, Help: "lists and watches take a shardSelector, and lists say by shardInfo that they are a shard (alpha in Kubernetes 1.36)"},
	{Name: Lag, Help: "the subject's cache can be made to lag (Lagger)"},
	{Name: Starting, Help: "the subject's cache can be made not ready (Starter)"},
	{Name: Together, Help: "several objects can be deleted in one revision (Deleter)"},
	{Name: Restart, Help: "the subject can be restarted (Restarter)"},
	{Name: NoPastStates, Help: "the server keeps no states of the past, and may answer every list at exactly a resourceVersion with 410"},
	{Name: SoleWriter, Help: "nobody else writes to the namespaces that the checks use, not even the server by itself: in real time, too, a change that no check made is the subject's fault"},
}

// Test puts what open makes to the whole suite, each check a subtest with a
// fresh subject. It runs in real time, unless harness.VirtualTime is among the
// features; then open is called inside the bubble, and everything that the
// subject starts must end with the test's cleanups.
func Test(t *testing.T, open func(*testing.T) Subject, features ...harness.Feature) {
	t.Helper()
	harness.Test(t, Suite.Bind(harness.Plugin[Subject]{Name: t.Name(), Features: features,
		Open: func(ht *harness.T) (Subject, error) { return open(ht.Testing()), nil }}))
}
