package watchcache

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

// sources holds every public source the clauses may cite; each comment is what
// the source says that matters here.
var sources = struct {
	objectNames, apiVerbs, resourceURIs, efficientDetection, watchBookmarks, streamingLists,
	shardedLists, shardSupport, chunks, resourceDeletion, singleResource, dryRun, dryRunGenerated,
	updates, resourceVersions, versionInMetadata, versionParameter, getAndList, watchSemantics,
	gone, unavailable harness.Source

	names, uids, finalizers harness.Source

	metadata, specAndStatus, verbs, idempotency, concurrency, statusCodes, statusKind harness.Source

	etcdOrdered, etcdUnique, etcdReliable, etcdAtomic, etcdResumable, etcdBookmarkable,
	etcdRevision, etcdWatchStreams harness.Source

	kep365, kep365Expired, kep956, kep1904, kep2340, kep2523, kep3157, kep4568, kep4988, kep5504, kep5866 harness.Source

	listOptions, optResourceVersion, optResourceVersionMatch, optLimit, optContinue, optBookmarks,
	optSendInitialEvents, optTimeoutSeconds, optLabelSelector, optFieldSelector, optShardSelector harness.Source

	listResourceVersion, listContinue, listRemaining, listShardInfo harness.Source

	objResourceVersion, objUID, objFinalizers, objDeletionTimestamp, preconditions,
	objGrace, objGenerateName, deletePreconditions, deleteGrace harness.Source

	initialEventsEnd, causeTooLarge, reasonExpired, reasonGone, reasonTimeout, reasonTooManyRequests,
	reasonConflict, reasonAlreadyExists, reasonNotFound, reasonInvalid harness.Source

	applyConflicts, applyRemoves, customStatus harness.Source

	negotiation, receivingTables, tableCells, tableObject, tableColumnFormat, partialMetadata, servedVersion, groupsAndVersions harness.Source

	watchEvent, watchInterface, watchStop, watchResultChan harness.Source

	validateListOptions, compareVersions, hashField, shardMatches harness.Source

	testWatch, testDeleteHasLatestVersion, testErrorBlocks, testNamespaceWatch, testGuaranteedUpdate harness.Source
}{
	// --- Kubernetes API concepts ---

	// An object's identity is group, resource, namespace and name, in whatever API version; a name is free again after a delete (implied).
	objectNames: source.Concept("Object names", "object-names"),
	// A GET with ?watch is a watch; a PUT is a create or an update, by what is there. Says nothing of deletecollection: singleResource does.
	apiVerbs: source.Concept("API verbs", "api-verbs"),
	// One path for a collection in all namespaces, one for a namespace, one for a name.
	resourceURIs: source.Concept("Resource URIs", "resource-uris"),
	// A watch from a list's version gives every change after it, and one that broke goes on from the last version; history is limited, then 410. No word on selectors.
	efficientDetection: source.Concept("Efficient detection of changes", "efficient-detection-of-changes"),
	// A bookmark says that all up to its version was sent; it has the watched type and only a version; it is asked for, and none may be counted on.
	watchBookmarks: source.Concept("Watch bookmarks", "watch-bookmarks-watch-bookmarks"),
	// Initial state as ADDED, then (if allowed) a bookmark, then a plain watch; needs NotOlderThan; fresh as of the request when no version is given. Does not name the annotation.
	streamingLists: source.Concept("Streaming lists", "streaming-lists"),
	// Alpha: lists and events are cut down to a range of hashes; shardInfo echoes the selector.
	shardedLists: source.Concept("Sharded list and watch", "sharded-list-and-watch-sharded-list-and-watch"),
	// A server without the feature ignores the selector and gives all, without shardInfo.
	shardSupport: source.Concept("Sharded list and watch: Detecting server support", "detecting-server-support"),
	// At most limit items a page, continue while there are more, one snapshot over all pages, tokens expire with 410, no remaining count with selectors or at the end.
	chunks: source.Concept("Retrieving large results sets in chunks", "retrieving-large-results-sets-in-chunks"),
	// A delete sets deletionTimestamp; the object goes once its last finalizer is gone. No word on grace periods.
	resourceDeletion: source.Concept("Resource deletion", "resource-deletion"),
	// Which verbs are about one object and which about many: deletecollection deletes many, without a transaction.
	singleResource: source.Concept("Single resource API", "single-resource-api"),
	// A dry run answers as nearly as it can like the real request, and stores nothing.
	dryRun: source.Concept("Dry-run", "dry-run"),
	// In a dry run uid, resourceVersion, times and generated names may differ from those of the real request.
	dryRunGenerated: source.Concept("Dry-run: Generated values", "generated-values"),
	// A PUT or patch that carries a stale version is answered with 409.
	updates: source.Concept("Updates to existing resources", "updates-to-existing-resources-patch-and-apply"),
	// Versions of one resource are ordered decimal integers of any size that begin with 1 to 9 (certified since 1.35); clients hand them back as they are.
	resourceVersions: source.Concept("Resource versions", "resource-versions"),
	// An object's version is that of its last change, a list's that at which the list was made.
	versionInMetadata: source.Concept("resourceVersion fields in metadata", "resourceversion-fields-in-metadata-resourceversion-in-metadata"),
	// get, list and watch take a version, each with a meaning of its own; list takes a match as well.
	versionParameter: source.Concept("resourceVersion parameters in query strings", "resourceversion-parameters-in-query-strings-the-resourceversion-parameter"),
	// The table of version, match, limit and continue, and what Any, Most recent, Not older than, Exact (410 if not to be had) and Continuation promise.
	getAndList: source.Concept("Semantics for get and list", "semantics-for-get-and-list"),
	// Unset: synthetic ADDED of a consistent state; "0": of some state; N: only changes after N.
	watchSemantics: source.Concept("Semantics for watch", "semantics-for-watch"),
	// A server may answer 410 to a version older than what it kept.
	gone: source.Concept(`"410 Gone" responses`, "410-gone-responses"),
	// A version not seen yet: get and list wait and then give 504, or Retry-After, and say "Too large resource version"; a watch may wait until its timeout.
	unavailable: source.Concept("Unavailable resource versions", "unavailable-resource-versions"),

	// An apply that changes what another manager applied with another value is a conflict, unless it forces; it is answered with 409 (by reasonFieldConflict).
	applyConflicts: harness.Source{Name: `Kubernetes API reference, Server-Side Apply, "Conflicts"`, URL: source.ServerSideApply + "#conflicts"},

	// What an apply leaves out that its manager had applied, and no other manager has, goes or gets its default.
	applyRemoves: harness.Source{Name: `Kubernetes API reference, Server-Side Apply, "Field management"`, URL: source.ServerSideApply + "#field-management"},

	// Of custom resources: a write to the object leaves status alone, one to /status all but status.
	customStatus: source.Symbol("k8s.io/apiextensions-apiserver@v0.37.2/pkg/apis/apiextensions/v1/types.go#CustomResourceSubresources.Status"),

	// --- Representations and versions ---

	// The answer is of the first type in Accept that the server offers, with as, g and v, and is refused with 406 where there is none.
	negotiation: source.Symbol("k8s.io/apiserver@v0.37.2/pkg/endpoints/handlers/negotiation/negotiate.go#NegotiateMediaTypeOptions"),
	// get and list, and watch, as a Table, by content negotiation; of meta.k8s.io/v1, with v1beta1 before.
	receivingTables: source.Concept("Receiving resources as Tables", "receiving-resources-as-tables"),
	// As many as there are columns.
	tableCells: source.Symbol(source.MetaTypes + "TableRow.Cells"),
	// By default the metadata of the row's object.
	tableObject: source.Symbol(source.MetaTypes + "TableRow.Object"),
	// The column whose format is name identifies the object.
	tableColumnFormat: source.Symbol(source.MetaTypes + "TableColumnDefinition.Format"),
	// An object of any kind with its metadata alone.
	partialMetadata: source.Symbol(source.MetaTypes + "PartialObjectMetadata"),
	// Whether a version is served; all that are serve the same objects.
	servedVersion: source.Symbol("k8s.io/apiextensions-apiserver@v0.37.2/pkg/apis/apiextensions/v1/types.go#CustomResourceDefinitionVersion.Served"),
	// All versions are representations of the same stored data; the server converts.
	groupsAndVersions: harness.Source{Name: `Kubernetes concepts, The Kubernetes API, "API groups and versioning"`, URL: source.Overview + "kubernetes-api.md#api-groups-and-versioning"},

	// --- Kubernetes concepts, working with objects ---

	// Group, resource, namespace and name identify an object; a generated name may still meet 409.
	names: harness.Source{Name: `Kubernetes concepts, Object Names and IDs, "Names"`, URL: source.ObjectPages + "names.md#names"},
	// Every object has an identifier of its own in the cluster (the text is a glossary entry).
	uids: harness.Source{Name: `Kubernetes concepts, Object Names and IDs, "UIDs"`, URL: source.ObjectPages + "names.md#uids"},
	// With finalizers a delete only marks the object (202); after that finalizers can be taken away and none added.
	finalizers: harness.Source{Name: `Kubernetes concepts, Finalizers, "How finalizers work"`, URL: source.ObjectPages + "finalizers.md#how-finalizers-work"},

	// --- Kubernetes API conventions ---

	// A uid tells an object from a later one of the same name; deletionTimestamp is the server's, and may only come nearer. Still calls versions opaque.
	metadata: source.Convention("Metadata", "metadata"),
	// POST and PUT to the object ignore status; /status is how it is written. What else a PUT leaves out is cleared. Does not say that /status ignores spec.
	specAndStatus: source.Convention("Spec and Status", "spec-and-status"),
	// What each HTTP verb does; DELETE of a collection; a PUT creates only for kinds that allow it.
	verbs: source.Convention("Verbs on Resources", "verbs-on-resources"),
	// A POST of a name that exists is answered with 409.
	idempotency: source.Convention("Idempotency", "idempotency"),
	// Every change of an object changes its version; a PUT with a stale one gets 409. Leaves preconditions on DELETE to the future.
	concurrency: source.Convention("Concurrency Control and Consistency", "concurrency-control-and-consistency"),
	// 404 not there, 409 exists or conflict, 410, 422, 429 with Retry-After, 503, 504.
	statusCodes: source.Convention("HTTP Status codes", "http-status-codes"),
	// Every error is a Status with reason and details; Invalid has causes with reason, message and field.
	statusKind: source.Convention("Response Status Kind", "response-status-kind"),

	// --- etcd ---

	// Events come in the order of their revisions; an earlier one never after a later one.
	etcdOrdered: source.EtcdWatch("Ordered"),
	// No event twice on a watch.
	etcdUnique: source.EtcdWatch("Unique"),
	// No hole in what comes, as far as the history reaches.
	etcdReliable: source.EtcdWatch("Reliable"),
	// The changes of a revision come in one piece.
	etcdAtomic: source.EtcdWatch("Atomic"),
	// A new watch can go on after the last revision that came, as far as the history reaches.
	etcdResumable: source.EtcdWatch("Resumable"),
	// A progress notice says that everything up to its revision has been delivered. Does not say that notices never go back.
	etcdBookmarkable: source.EtcdWatch("Bookmarkable"),
	// Every modifying operation has one revision, larger than those before; keys of one operation share it.
	etcdRevision: harness.Source{Name: `etcd 3.6 API guarantees, "Revision"`, URL: source.EtcdLearn + "api_guarantees.md#revision"},
	// A start revision is inclusive; one that was compacted, or a watcher that cannot keep up, is told by compact_revision and cancelled.
	etcdWatchStreams: harness.Source{Name: `etcd 3.6 API, "Watch streams"`, URL: source.EtcdLearn + "api.md#watch-streams"},

	// --- KEPs ---

	// limit may be ignored; no page is larger than it; pages may be empty; only continue tells whether there is more; a token with another version is refused with 400.
	kep365: source.KEP("KEP-365: Paginated API Lists", "Design Details", "365-paginated-lists/README.MD#design-details"),
	// An expired token is 410, and that error may carry a token to go on with at a newer version.
	kep365Expired: source.KEP("KEP-365: Paginated API Lists", "Handling expired resource versions", "365-paginated-lists/README.MD#handling-expired-resource-versions"),
	// A bookmark says that the watcher misses nothing up to its version; opt-in; a client is promised none; when to send them is left open.
	kep956: source.KEP("KEP-956: Watch bookmarks", "Proposal", "956-watch-bookmark/README.md#proposal"),
	// Why a watch can be resumed after a restart: caches follow etcd's progress, and bookmarks are sent on shutdown. Does not say that versions never go back.
	kep1904: source.KEP("KEP-1904: Efficient watch resumption", "Proposal", "1904-efficient-watch-resumption/README.md#proposal"),
	// A consistent list learns etcd's revision and waits until the cache has it; on a timeout it is refused or asked of etcd. Consistent gets stay with etcd.
	kep2340: source.KEP("KEP-2340: Consistent reads from cache", "The algorithm", "2340-Consistent-reads-from-cache/README.md#the-algorithm"),
	// What NotOlderThan and Exact mean, and which of the two holds where there is no match: Exact with a limit, NotOlderThan without.
	kep2523: source.KEP("KEP-2523: Consistent resource version semantics", "Add a ResourceVersionMatch query parameter", "2523-consistent-resource-versions-semantics/README.md#add-a-resourceversionmatch-query-parameter"),
	// Synthetic events, a bookmark with the annotation, then changes; any match but NotOlderThan is Invalid; false with "0" gives no initial events. Beta in 1.37.
	kep3157: source.KEP("KEP-3157: Watch list", "API changes", "3157-watch-list/README.md#api-changes"),
	// While a cache is not ready, lists that are not handed to etcd, and watches, are refused with 429. Does not name 503.
	kep4568: source.KEP("KEP-4568: Resilient watch cache initialization", "Proposal", "4568-resilient-watchcache-initialization/README.md#proposal"),
	// Lists at older versions are answered from snapshots, which go with etcd's compaction; the history of watches does not.
	kep4988: source.KEP("KEP-4988: Snapshottable API server cache", "Proposal", "4988-snapshottable-api-server-cache/README.md#proposal"),
	// Versions are digits without a leading zero; the longer one is greater, else the lexically greater; a write makes a version that compares as greater.
	kep5504: source.KEP("KEP-5504: Comparable resource version", "Helper Function", "5504-comparable-resource-version/README.md#helper-function"),
	// shardSelector: half-open ranges over a 64 bit FNV-1a hash of uid or namespace, on list and watch. Alpha in 1.36.
	kep5866: source.KEP("KEP-5866: Server-side sharded list and watch", "API Extensibility: Sharding Parameters", "5866-server-side-sharded-list-and-watch/README.md#api-extensibility-sharding-parameters"),

	// --- types.go: what is asked ---

	listOptions: source.Symbol(source.MetaTypes + "ListOptions"),
	// Refers to the page; unset is the default.
	optResourceVersion: source.Symbol(source.MetaTypes + "ListOptions.ResourceVersion"),
	// Refers to the page; for lists.
	optResourceVersionMatch: source.Symbol(source.MetaTypes + "ListOptions.ResourceVersionMatch"),
	// A page may be short or empty, only continue counts; a server may ignore it; all pages together are one snapshot.
	optLimit: source.Symbol(source.MetaTypes + "ListOptions.Limit"),
	// An unknown token may be refused; an expired one is 410 with a token that goes on after the same key at a newer state.
	optContinue: source.Symbol(source.MetaTypes + "ListOptions.Continue"),
	// Bookmarks on request, at the server's discretion: none need come.
	optBookmarks: source.Symbol(source.MetaTypes + "ListOptions.AllowWatchBookmarks"),
	// What comes, in what order, the annotation, how fresh, what is Invalid; true by default where the version is unset or "0".
	optSendInitialEvents: source.Symbol(source.MetaTypes + "ListOptions.SendInitialEvents"),
	// Limits how long a list or watch lasts. Not how it ends.
	optTimeoutSeconds: source.Symbol(source.MetaTypes + "ListOptions.TimeoutSeconds"),
	// Restricts by label; everything without.
	optLabelSelector: source.Symbol(source.MetaTypes + "ListOptions.LabelSelector"),
	// Restricts by field; everything without.
	optFieldSelector: source.Symbol(source.MetaTypes + "ListOptions.FieldSelector"),
	// Alpha: ranges over the hash space, lower end in, upper end out.
	optShardSelector: source.Symbol(source.MetaTypes + "ListOptions.ShardSelector"),

	// --- types.go: what is answered ---

	// The version of the list; still called opaque here.
	listResourceVersion: source.Symbol(source.MetaTypes + "ListMeta.ResourceVersion"),
	// Following pages keep the first one's version, unless the token came with an error.
	listContinue: source.Symbol(source.MetaTypes + "ListMeta.Continue"),
	// How many are left; unset with selectors and on the last page; an estimate that need be neither set nor exact.
	listRemaining: source.Symbol(source.MetaTypes + "ListMeta.RemainingItemCount"),
	// Set when the list is a shard; echoes the selector.
	listShardInfo: source.Symbol(source.MetaTypes + "ListMeta.ShardInfo"),

	// --- types.go: objects and writes ---

	objResourceVersion: source.Symbol(source.MetaTypes + "ObjectMeta.ResourceVersion"),
	// Unique in time and space, and not to be changed by a PUT.
	objUID: source.Symbol(source.MetaTypes + "ObjectMeta.UID"),
	// Once deletion has begun entries can only be removed.
	objFinalizers: source.Symbol(source.MetaTypes + "ObjectMeta.Finalizers"),
	// Set by the server; cannot be unset or put off, only shortened; the object goes after it, when no finalizer is left.
	objDeletionTimestamp: source.Symbol(source.MetaTypes + "ObjectMeta.DeletionTimestamp"),
	// The grace period; it may only be shortened.
	objGrace: source.Symbol(source.MetaTypes + "ObjectMeta.DeletionGracePeriodSeconds"),
	// uid and version that must hold before an operation is carried out.
	preconditions: source.Symbol(source.MetaTypes + "Preconditions"),
	// Where they do not hold a delete is answered with 409.
	deletePreconditions: source.Symbol(source.MetaTypes + "DeleteOptions.Preconditions"),
	// Seconds to wait before the object goes; 0 is at once; each kind has its default.
	// What a generated name begins with; where the generated name exists, 409 is answered.
	objGenerateName: source.Symbol(source.MetaTypes + "ObjectMeta.GenerateName"),
	deleteGrace:     source.Symbol(source.MetaTypes + "DeleteOptions.GracePeriodSeconds"),

	// The annotation that ends the initial events.
	initialEventsEnd: source.Symbol(source.MetaTypes + "InitialEventsAnnotationKey"),
	// The cause of a refusal because the version is newer than what this server has seen.
	causeTooLarge: source.Symbol(source.MetaTypes + "CauseTypeResourceVersionTooLarge"),
	// 410: what is asked for has expired, mostly on watches.
	reasonExpired: source.Symbol(source.MetaTypes + "StatusReasonExpired"),
	// 410.
	reasonGone: source.Symbol(source.MetaTypes + "StatusReasonGone"),
	// 504 (the conventions still give 429 for this reason).
	reasonTimeout: source.Symbol(source.MetaTypes + "StatusReasonTimeout"),
	// 429.
	reasonTooManyRequests: source.Symbol(source.MetaTypes + "StatusReasonTooManyRequests"),
	// 409.
	reasonConflict: source.Symbol(source.MetaTypes + "StatusReasonConflict"),
	// 409.
	reasonAlreadyExists: source.Symbol(source.MetaTypes + "StatusReasonAlreadyExists"),
	// 404.
	reasonNotFound: source.Symbol(source.MetaTypes + "StatusReasonNotFound"),
	// 422.
	reasonInvalid: source.Symbol(source.MetaTypes + "StatusReasonInvalid"),

	// --- watch.go ---

	// ADDED and MODIFIED carry the new state, DELETED the one just before, BOOKMARK only a version from which a restart neither repeats nor misses; says nothing of DELETED's version.
	watchEvent: source.Symbol(source.WatchTypes + "Event"),
	// Stop and ResultChan, and who closes what.
	watchInterface: source.Symbol(source.WatchTypes + "Interface"),
	// A producer that must end early sends an ERROR and closes.
	watchStop: source.Symbol(source.WatchTypes + "Interface.Stop"),
	// Closed on an error and on Stop, with everything let go; nothing comes after.
	watchResultChan: source.Symbol(source.WatchTypes + "Interface.ResultChan"),

	// --- other code ---

	// Match without version, with continue, unknown, or Exact with "0"; sendInitialEvents on a list or without NotOlderThan; a match on a watch without it: each an error of its field.
	validateListOptions: source.Symbol("k8s.io/apimachinery@v0.37.2/pkg/apis/meta/internalversion/validation/validation.go#ValidateListOptions"),
	// How versions compare, and that 0, leading zeros and other characters are not versions.
	compareVersions: source.Symbol("k8s.io/apimachinery@v0.37.2/pkg/util/resourceversion/resourceversion.go#CompareResourceVersion"),
	// The hash of a field is FNV-1a of 64 bits over its text.
	hashField: source.Symbol("k8s.io/apimachinery@v0.37.2/pkg/sharding/hash.go#HashField"),
	// Of uid or namespace; from each start, and below each end, any of the ranges.
	shardMatches: source.Symbol("k8s.io/apimachinery@v0.37.2/pkg/sharding/selector.go#Selector.Matches"),
	// Leaving a selector is DELETED (state before, version of the change), entering it ADDED; other namespaces stay out.
	testWatch: source.Symbol(source.StorageTests + "watcher_tests.go#RunTestWatch"),
	// A DELETED object has the version of the deletion.
	testDeleteHasLatestVersion: source.Symbol(source.StorageTests + "watcher_tests.go#RunTestWatchDeleteEventObjectHaveLatestRV"),
	// After an ERROR nothing comes but ERRORs.
	testErrorBlocks: source.Symbol(source.StorageTests + "watcher_tests.go#RunWatchErrorIsBlockingFurtherEvents"),
	// Which events namespace, name, label and field scopes give, and which not.
	testNamespaceWatch: source.Symbol(source.StorageTests + "watcher_tests.go#RunTestNamespaceScopedWatch"),
	// An update with the same content leaves the version as it is; looks at no watch.
	testGuaranteedUpdate: source.Symbol(source.StorageTests + "store_tests.go#RunTestGuaranteedUpdate"),
}
