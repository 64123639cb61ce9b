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
	"github.com/lwtest/lwtest/harness/story"
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

// DeleteAnswerer is an optional part of a Client (feature delete-answer).
type DeleteAnswerer interface {
	// DeleteAnswer is Delete, and returns the object that the server answered with. It is nil if that was a Status.
	DeleteAnswer(context.Context, string, metav1.DeleteOptions) (*corev1.ConfigMap, error)
}

// SubresourceCreator is an optional part of a Client (feature subresource-create).
type SubresourceCreator interface {
	// CreateSubresource creates a subresource of an object without any effect on it, such as a dry run of a pod's eviction.
	CreateSubresource(ctx context.Context, name string) error
}

// PathWatcher is an optional part of a Client (feature watch-path).
type PathWatcher interface {
	// WatchPath watches one object by the old path /watch/…/NAME.
	WatchPath(ctx context.Context, name string, o metav1.ListOptions) (watch.Interface, error)
}

// Former is an optional part of a Client (features protobuf, cbor, table, metadata and so on).
type Former interface {
	// As returns a client that asks for another form than JSON when it gets, lists and watches: replay.FormProtobuf or another of these. It shows what
	// comes as ConfigMaps, which have no data where the form has only metadata. An answer in another form is an error, or
	// an event with a *metav1.Status, with the reason replay.WrongForm.
	As(form string) Client
}

// VersionServer is an optional part of a Subject (feature served-versions): it serves a resource in two API versions.
type VersionServer interface {
	// InVersion returns a client of that resource, which may be another than In has, by its first version or by the other.
	InVersion(namespace string, other bool) Client
}

// ClusterScoper is an optional part of a Subject (feature cluster-scoped): it serves a resource without namespaces, too.
type ClusterScoper interface {
	// Cluster returns a client of that resource. The names of all objects of one check begin with the prefix, which may be
	// empty. The objects are never deleted by a check: the subject removes them when the case ends.
	Cluster() (c Client, prefix string)
}

// Namespacer is an optional part of a Subject that shares a server with
// others: it makes n namespaces of this subject's own, and removes them when
// the case ends. The second should begin like the first, and the third end like
// it. Without it drives use such: "a" and "ab", some also "ba", "abb" and "bab".
type Namespacer interface {
	Namespaces(ctx context.Context, n int) ([]string, error)
}

// The features of this kind. Declare what the server promises: a check that needs a feature which is not declared is
// skipped.
const (
	// ComparableRV: resourceVersions are decimal integers that grow with each change (by contract since Kubernetes 1.35).
	ComparableRV harness.Feature = "comparable-rv"
	// Bookmarks: watches with allowWatchBookmarks get bookmarks.
	Bookmarks harness.Feature = "bookmarks"
	// WatchList: the server serves streaming lists (sendInitialEvents), and ends them with the bookmark.
	WatchList harness.Feature = "watchlist"
	// Errors: watches are refused in their stream, by an ERROR event with 410 or 504.
	Errors harness.Feature = "watch-errors"
	// LabelWatch: lists and watches take label selectors.
	LabelWatch harness.Feature = "label-selectors"
	// FieldWatch: lists and watches take the field selectors metadata.name and metadata.namespace.
	FieldWatch harness.Feature = "field-selectors"
	// Pages: a list with a limit comes in pages.
	Pages harness.Feature = "pages"
	// NoPastStates: the server keeps no states of the past. It may answer every list at exactly a resourceVersion with 410.
	NoPastStates harness.Feature = "no-past-states"

	// Patch: merge patches.
	Patch harness.Feature = "patch"
	// Apply: server-side apply patches.
	Apply harness.Feature = "apply"
	// JSONPatch: JSON patches.
	JSONPatch harness.Feature = "json-patch"
	// StrategicPatch: strategic merge patches. Built-in kinds have them, custom resources do not.
	StrategicPatch harness.Feature = "strategic-merge-patch"
	// Precondition: a delete takes preconditions, uid and resourceVersion.
	Precondition harness.Feature = "delete-preconditions"
	// DryRun: writes with dryRun=All store nothing.
	DryRun harness.Feature = "dry-run"
	// PlainUpdate: an update without a resourceVersion is accepted. ConfigMaps allow it, leases do not.
	PlainUpdate harness.Feature = "plain-update"
	// GenerateName: the server makes up a name for a create with generateName.
	GenerateName harness.Feature = "generate-name"
	// Finalizers: an object with finalizers stays until the last one is removed.
	Finalizers harness.Feature = "finalizers"
	// DeleteCollection: one request deletes a collection. The client implements CollectionDeleter.
	DeleteCollection harness.Feature = "deletecollection"
	// DeleteAnswer: the delete of an object that stays, because of a finalizer or a grace period, is answered with the
	// object. The client implements DeleteAnswerer.
	DeleteAnswer harness.Feature = "delete-answer"
	// UpdateNeedsObject: an update of an object that does not exist is refused, as for most kinds.
	UpdateNeedsObject harness.Feature = "update-needs-object"
	// CreateOnUpdate: an update of an object that does not exist creates it, as for leases, events and services. It rules
	// out UpdateNeedsObject.
	CreateOnUpdate harness.Feature = replay.CreateOnUpdate
	// StatusSubresource: status is written through its own subresource only. The client implements StatusUpdater.
	StatusSubresource harness.Feature = replay.StatusSubresource
	// Grace: an object on a node has a grace period, as pods do. Its deletion marks it, later sets the period to 0, then
	// sends DELETED.
	Grace harness.Feature = replay.Grace
	// Shards: lists and watches take a shardSelector (alpha in Kubernetes 1.36).
	Shards harness.Feature = "shards"

	// Compaction: the subject can drop the states before now. It implements Compactor.
	Compaction harness.Feature = "compaction"
	// Window: the subject can drop the watch events before now. It implements WindowMover.
	Window harness.Feature = "window"
	// Lag: the subject can make its watch cache lag. It implements Lagger.
	Lag harness.Feature = "lag"
	// Starting: the subject can make its watch cache not ready, as after a start. It implements Starter.
	Starting harness.Feature = "starting"
	// Restart: the subject can be restarted. It implements Restarter.
	Restart harness.Feature = "restart"
	// Together: the subject can delete several objects in one revision. It implements Deleter.
	Together harness.Feature = "together"
	// SubresourceCreate: a subresource of an object can be created. The client implements SubresourceCreator.
	SubresourceCreate harness.Feature = "subresource-create"
	// ClusterScoped: the subject serves a resource without namespaces, too. It implements ClusterScoper.
	ClusterScoped harness.Feature = "cluster-scoped"
	// Protobuf, CBOR, Table, TableBeta, TableObject, Metadata, MetadataBeta and MetadataProtobuf: what is read can be had in that form.
	// The client implements Former.
	Protobuf         harness.Feature = replay.FormProtobuf
	CBOR             harness.Feature = replay.FormCBOR
	Table            harness.Feature = replay.FormTable
	TableBeta        harness.Feature = replay.FormTableBeta
	TableObject      harness.Feature = replay.FormTableObject
	Metadata         harness.Feature = replay.FormMetadata
	MetadataBeta     harness.Feature = replay.FormMetadataBeta
	MetadataProtobuf harness.Feature = replay.FormMetadataProtobuf
	// ServedVersions: the subject serves a resource in two API versions. It implements VersionServer.
	ServedVersions harness.Feature = "served-versions"
	// WatchPath: one object can be watched by the old path /watch/. The client implements PathWatcher.
	WatchPath harness.Feature = "watch-path"
	// OtherResource: the subject can write to another resource of the same store. It implements OtherWriter.
	OtherResource harness.Feature = "other-resource"
	// StorageFaults: the subject can let its storage go wrong in ways that a storage may. It implements StorageFaulter.
	StorageFaults harness.Feature = "storage-faults"
	// SoleWriter: nobody else writes to the namespaces of the checks, not even the server itself. A change that no check
	// made is then the subject's fault in real time too.
	SoleWriter harness.Feature = replay.SoleWriter
)

var features = []harness.FeatureInfo{
	{Name: ComparableRV, Help: "resourceVersions are decimal integers that grow with each change (by contract since Kubernetes 1.35)"},
	{Name: Bookmarks, Help: "watches with allowWatchBookmarks get bookmarks"},
	{Name: WatchList, Help: "streaming lists: sendInitialEvents is served, and ends with the bookmark"},
	{Name: Patch, Help: "merge patches"},
	{Name: Apply, Help: "server-side apply patches (application/apply-patch+yaml)"},
	{Name: JSONPatch, Help: "JSON patches (application/json-patch+json)"},
	{Name: StrategicPatch, Help: "strategic merge patches (application/strategic-merge-patch+json; built-in kinds have them, custom resources do not)"},
	{Name: LabelWatch, Help: "label selectors on list and watch"},
	{Name: FieldWatch, Help: "the field selectors metadata.name and metadata.namespace on list and watch"},
	{Name: Precondition, Help: "deletes take preconditions (uid and resourceVersion)"},
	{Name: Pages, Help: "a list with a limit comes in pages"},
	{Name: Compaction, Help: "the subject can drop old states (Compactor)"},
	{Name: Window, Help: "the subject can drop old events (WindowMover)"},
	{Name: Errors, Help: "watches are refused in their stream, by an ERROR event (410, 504)"},
	{Name: DryRun, Help: "writes with dryRun=All store nothing"},
	{Name: PlainUpdate, Help: "an update without a resourceVersion is accepted (configmaps allow it, leases do not)"},
	{Name: GenerateName, Help: "the server makes up a name for a create with generateName"},
	{Name: Finalizers, Help: "an object with finalizers stays until the last one is removed"},
	{Name: DeleteCollection, Help: "one request deletes a collection (CollectionDeleter)"},
	{Name: DeleteAnswer, Help: "the delete of an object that stays is answered with the object (DeleteAnswerer)"},
	{Name: UpdateNeedsObject, Help: "an update of an object that does not exist is refused (most kinds; leases and events are created by it)"},
	{Name: CreateOnUpdate, Help: "an update of an object that does not exist creates it (leases, events, services)"},
	{Name: StatusSubresource, Help: "status is written through its own subresource only (StatusUpdater; deployments and most kinds with a controller, not configmaps)"},
	{Name: Grace, Help: "an object on a node has a grace period (pods), and is deleted in two steps: a mark with period 0 comes before DELETED"},
	{Name: Shards, Help: "lists and watches take a shardSelector, and lists say by shardInfo that they are a shard (alpha in Kubernetes 1.36)"},
	{Name: Lag, Help: "the subject's watch cache can be made to lag (Lagger)"},
	{Name: Starting, Help: "the subject's watch cache can be made not ready (Starter)"},
	{Name: Together, Help: "several objects can be deleted in one revision (Deleter)"},
	{Name: SubresourceCreate, Help: "a subresource of an object can be created (SubresourceCreator; the eviction of a pod)"},
	{Name: ClusterScoped, Help: "the subject serves a resource without namespaces, too (ClusterScoper)"},
	{Name: Protobuf, Help: "objects can be read in protobuf (Former; built-in kinds)"},
	{Name: CBOR, Help: "objects can be read in CBOR (Former; alpha in Kubernetes 1.32)"},
	{Name: Table, Help: "objects can be read as a Table of meta.k8s.io/v1, as kubectl get does (Former)"},
	{Name: TableBeta, Help: "objects can be read as a Table of meta.k8s.io/v1beta1 (Former)"},
	{Name: TableObject, Help: "a Table of meta.k8s.io/v1 has the whole objects, where includeObject=Object asks for them (Former)"},
	{Name: Metadata, Help: "objects can be read as PartialObjectMetadata of meta.k8s.io/v1 (Former)"},
	{Name: MetadataBeta, Help: "objects can be read as PartialObjectMetadata of meta.k8s.io/v1beta1 (Former)"},
	{Name: MetadataProtobuf, Help: "objects can be read as PartialObjectMetadata in protobuf, as client-go's metadata client does (Former)"},
	{Name: ServedVersions, Help: "the subject serves a resource in two API versions (VersionServer)"},
	{Name: WatchPath, Help: "one object can be watched by the old path /watch/ (PathWatcher)"},
	{Name: OtherResource, Help: "the subject can write to another resource, whose resourceVersions come from the same sequence (OtherWriter)"},
	{Name: StorageFaults, Help: "the subject's storage can go wrong in ways that a storage may (StorageFaulter)"},
	{Name: Restart, Help: "the subject can be restarted (Restarter)"},
	{Name: NoPastStates, Help: "the server keeps no states of the past, and may answer every list at exactly a resourceVersion with 410"},
	{Name: SoleWriter, Help: "nobody else writes to the namespaces that the checks use, not even the server by itself: in real time too, a change that no check made is the subject's fault"},
}

// Test puts what open makes to the whole suite, each check a subtest with a
// fresh subject. It runs in real time, unless harness.VirtualTime is among the
// features; then open is called inside the bubble, and everything that the
// subject starts must end with the test's cleanups.
func Test(t *testing.T, open func(*testing.T) Subject, features ...harness.Feature) {
	t.Helper()
	harness.Test(t, cases(t, open, features))
}

// Fuzz plays random stories on a server: see story.Fuzz. Its other parameters are those of Test.
func Fuzz(f *testing.F, open func(*testing.T) Subject, features ...harness.Feature) {
	f.Helper()
	story.Fuzz(f, cases(f, open, features))
}

func cases(t testing.TB, open func(*testing.T) Subject, features []harness.Feature) []harness.Case {
	return Suite.Bind(harness.Plugin[Subject]{Name: t.Name(), Features: features,
		Open: func(ht *harness.T) (Subject, error) { return open(ht.Testing()), nil }})
}
