package watchcache

import "github.com/lwtest/lwtest/harness"

// The snapshots that the page sources are pinned to. Anchors are those that
// GitHub makes of the headings: it keeps the text of a {#name} in them.
const (
	apiConcepts     = "https://github.com/kubernetes/website/blob/bad70d1db1641fd4bfe653ccf60ea9cef0e36f46/content/en/docs/reference/using-api/api-concepts.md#"
	serverSideApply = "https://github.com/kubernetes/website/blob/bad70d1db1641fd4bfe653ccf60ea9cef0e36f46/content/en/docs/reference/using-api/server-side-apply.md"
	objectPages     = "https://github.com/kubernetes/website/blob/bad70d1db1641fd4bfe653ccf60ea9cef0e36f46/content/en/docs/concepts/overview/working-with-objects/"
	conventions     = "https://github.com/kubernetes/community/blob/24e7d8f5409c1a0121394a613746e524f781e044/contributors/devel/sig-architecture/api-conventions.md#"
	keps            = "https://github.com/kubernetes/enhancements/blob/64765b4b02389318f2113119dd9e491479f978a0/keps/sig-api-machinery/"
	etcdLearn       = "https://github.com/etcd-io/website/blob/824597935df6e95992ef61c07e3222f4f796ca6c/content/en/docs/v3.6/learning/"

	metaTypes    = "k8s.io/apimachinery@v0.37.2/pkg/apis/meta/v1/types.go#"
	watchTypes   = "k8s.io/apimachinery@v0.37.2/pkg/watch/watch.go#"
	storageTests = "k8s.io/apiserver@v0.37.2/pkg/storage/testing/"
)

// symbol is a source that says itself where it is: module@version/file#Symbol
// or module@version/file#Type.Member.
func symbol(s string) harness.Source { return harness.Source{Name: s} }

func concept(section, anchor string) harness.Source {
	return harness.Source{Name: `Kubernetes API concepts, "` + section + `"`, URL: apiConcepts + anchor}
}

func convention(section, anchor string) harness.Source {
	return harness.Source{Name: `Kubernetes API conventions, "` + section + `"`, URL: conventions + anchor}
}

func kep(name, section, at string) harness.Source {
	return harness.Source{Name: name + `, "` + section + `"`, URL: keps + at}
}

func etcdWatch(guarantee string) harness.Source {
	return harness.Source{Name: `etcd 3.6 API guarantees, "Watch APIs": ` + guarantee, URL: etcdLearn + "api_guarantees.md#watch-apis"}
}

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

	watchEvent, watchInterface, watchStop, watchResultChan harness.Source

	validateListOptions, compareVersions, hashField, shardMatches harness.Source

	testWatch, testDeleteHasLatestVersion, testErrorBlocks, testNamespaceWatch, testGuaranteedUpdate harness.Source
}{
	// --- Kubernetes API concepts ---

	// An object's identity is group, resource, namespace and name, in whatever API version; a name is free again after a delete (implied).
	objectNames: concept("Object names", "object-names"),
	// A GET with ?watch is a watch; a PUT is a create or an update, by what is there. Says nothing of deletecollection: singleResource does.
	apiVerbs: concept("API verbs", "api-verbs"),
	// One path for a collection in all namespaces, one for a namespace, one for a name.
	resourceURIs: concept("Resource URIs", "resource-uris"),
	// A watch from a list's version gives every change after it, and one that broke goes on from the last version; history is limited, then 410. No word on selectors.
	efficientDetection: concept("Efficient detection of changes", "efficient-detection-of-changes"),
	// A bookmark says that all up to its version was sent; it has the watched type and only a version; it is asked for, and none may be counted on.
	watchBookmarks: concept("Watch bookmarks", "watch-bookmarks-watch-bookmarks"),
	// Initial state as ADDED, then (if allowed) a bookmark, then a plain watch; needs NotOlderThan; fresh as of the request when no version is given. Does not name the annotation.
	streamingLists: concept("Streaming lists", "streaming-lists"),
	// Alpha: lists and events are cut down to a range of hashes; shardInfo echoes the selector.
	shardedLists: concept("Sharded list and watch", "sharded-list-and-watch-sharded-list-and-watch"),
	// A server without the feature ignores the selector and gives all, without shardInfo.
	shardSupport: concept("Sharded list and watch: Detecting server support", "detecting-server-support"),
	// At most limit items a page, continue while there are more, one snapshot over all pages, tokens expire with 410, no remaining count with selectors or at the end.
	chunks: concept("Retrieving large results sets in chunks", "retrieving-large-results-sets-in-chunks"),
	// A delete sets deletionTimestamp; the object goes once its last finalizer is gone. No word on grace periods.
	resourceDeletion: concept("Resource deletion", "resource-deletion"),
	// Which verbs are about one object and which about many: deletecollection deletes many, without a transaction.
	singleResource: concept("Single resource API", "single-resource-api"),
	// A dry run answers as nearly as it can like the real request, and stores nothing.
	dryRun: concept("Dry-run", "dry-run"),
	// In a dry run uid, resourceVersion, times and generated names may differ from those of the real request.
	dryRunGenerated: concept("Dry-run: Generated values", "generated-values"),
	// A PUT or patch that carries a stale version is answered with 409.
	updates: concept("Updates to existing resources", "updates-to-existing-resources-patch-and-apply"),
	// Versions of one resource are ordered decimal integers of any size that begin with 1 to 9 (certified since 1.35); clients hand them back as they are.
	resourceVersions: concept("Resource versions", "resource-versions"),
	// An object's version is that of its last change, a list's that at which the list was made.
	versionInMetadata: concept("resourceVersion fields in metadata", "resourceversion-fields-in-metadata-resourceversion-in-metadata"),
	// get, list and watch take a version, each with a meaning of its own; list takes a match as well.
	versionParameter: concept("resourceVersion parameters in query strings", "resourceversion-parameters-in-query-strings-the-resourceversion-parameter"),
	// The table of version, match, limit and continue, and what Any, Most recent, Not older than, Exact (410 if not to be had) and Continuation promise.
	getAndList: concept("Semantics for get and list", "semantics-for-get-and-list"),
	// Unset: synthetic ADDED of a consistent state; "0": of some state; N: only changes after N.
	watchSemantics: concept("Semantics for watch", "semantics-for-watch"),
	// A server may answer 410 to a version older than what it kept.
	gone: concept(`"410 Gone" responses`, "410-gone-responses"),
	// A version not seen yet: get and list wait and then give 504, or Retry-After, and say "Too large resource version"; a watch may wait until its timeout.
	unavailable: concept("Unavailable resource versions", "unavailable-resource-versions"),

	// An apply that changes what another manager applied with another value is a conflict, unless it forces; it is answered with 409 (by reasonFieldConflict).
	applyConflicts: harness.Source{Name: `Kubernetes API reference, Server-Side Apply, "Conflicts"`, URL: serverSideApply + "#conflicts"},

	// What an apply leaves out that its manager had applied, and no other manager has, goes or gets its default.
	applyRemoves: harness.Source{Name: `Kubernetes API reference, Server-Side Apply, "Field management"`, URL: serverSideApply + "#field-management"},

	// Of custom resources: a write to the object leaves status alone, one to /status all but status.
	customStatus: symbol("k8s.io/apiextensions-apiserver@v0.37.2/pkg/apis/apiextensions/v1/types.go#CustomResourceSubresources.Status"),

	// --- Kubernetes concepts, working with objects ---

	// Group, resource, namespace and name identify an object; a generated name may still meet 409.
	names: harness.Source{Name: `Kubernetes concepts, Object Names and IDs, "Names"`, URL: objectPages + "names.md#names"},
	// Every object has an identifier of its own in the cluster (the text is a glossary entry).
	uids: harness.Source{Name: `Kubernetes concepts, Object Names and IDs, "UIDs"`, URL: objectPages + "names.md#uids"},
	// With finalizers a delete only marks the object (202); after that finalizers can be taken away and none added.
	finalizers: harness.Source{Name: `Kubernetes concepts, Finalizers, "How finalizers work"`, URL: objectPages + "finalizers.md#how-finalizers-work"},

	// --- Kubernetes API conventions ---

	// A uid tells an object from a later one of the same name; deletionTimestamp is the server's, and may only come nearer. Still calls versions opaque.
	metadata: convention("Metadata", "metadata"),
	// POST and PUT to the object ignore status; /status is how it is written. What else a PUT leaves out is cleared. Does not say that /status ignores spec.
	specAndStatus: convention("Spec and Status", "spec-and-status"),
	// What each HTTP verb does; DELETE of a collection; a PUT creates only for kinds that allow it.
	verbs: convention("Verbs on Resources", "verbs-on-resources"),
	// A POST of a name that exists is answered with 409.
	idempotency: convention("Idempotency", "idempotency"),
	// Every change of an object changes its version; a PUT with a stale one gets 409. Leaves preconditions on DELETE to the future.
	concurrency: convention("Concurrency Control and Consistency", "concurrency-control-and-consistency"),
	// 404 not there, 409 exists or conflict, 410, 422, 429 with Retry-After, 503, 504.
	statusCodes: convention("HTTP Status codes", "http-status-codes"),
	// Every error is a Status with reason and details; Invalid has causes with reason, message and field.
	statusKind: convention("Response Status Kind", "response-status-kind"),

	// --- etcd ---

	// Events come in the order of their revisions; an earlier one never after a later one.
	etcdOrdered: etcdWatch("Ordered"),
	// No event twice on a watch.
	etcdUnique: etcdWatch("Unique"),
	// No hole in what comes, as far as the history reaches.
	etcdReliable: etcdWatch("Reliable"),
	// The changes of a revision come in one piece.
	etcdAtomic: etcdWatch("Atomic"),
	// A new watch can go on after the last revision that came, as far as the history reaches.
	etcdResumable: etcdWatch("Resumable"),
	// A progress notice says that everything up to its revision has been delivered. Does not say that notices never go back.
	etcdBookmarkable: etcdWatch("Bookmarkable"),
	// Every modifying operation has one revision, larger than those before; keys of one operation share it.
	etcdRevision: harness.Source{Name: `etcd 3.6 API guarantees, "Revision"`, URL: etcdLearn + "api_guarantees.md#revision"},
	// A start revision is inclusive; one that was compacted, or a watcher that cannot keep up, is told by compact_revision and cancelled.
	etcdWatchStreams: harness.Source{Name: `etcd 3.6 API, "Watch streams"`, URL: etcdLearn + "api.md#watch-streams"},

	// --- KEPs ---

	// limit may be ignored; no page is larger than it; pages may be empty; only continue tells whether there is more; a token with another version is refused with 400.
	kep365: kep("KEP-365: Paginated API Lists", "Design Details", "365-paginated-lists/README.MD#design-details"),
	// An expired token is 410, and that error may carry a token to go on with at a newer version.
	kep365Expired: kep("KEP-365: Paginated API Lists", "Handling expired resource versions", "365-paginated-lists/README.MD#handling-expired-resource-versions"),
	// A bookmark says that the watcher misses nothing up to its version; opt-in; a client is promised none; when to send them is left open.
	kep956: kep("KEP-956: Watch bookmarks", "Proposal", "956-watch-bookmark/README.md#proposal"),
	// Why a watch can be resumed after a restart: caches follow etcd's progress, and bookmarks are sent on shutdown. Does not say that versions never go back.
	kep1904: kep("KEP-1904: Efficient watch resumption", "Proposal", "1904-efficient-watch-resumption/README.md#proposal"),
	// A consistent list learns etcd's revision and waits until the cache has it; on a timeout it is refused or asked of etcd. Consistent gets stay with etcd.
	kep2340: kep("KEP-2340: Consistent reads from cache", "The algorithm", "2340-Consistent-reads-from-cache/README.md#the-algorithm"),
	// What NotOlderThan and Exact mean, and which of the two holds where there is no match: Exact with a limit, NotOlderThan without.
	kep2523: kep("KEP-2523: Consistent resource version semantics", "Add a ResourceVersionMatch query parameter", "2523-consistent-resource-versions-semantics/README.md#add-a-resourceversionmatch-query-parameter"),
	// Synthetic events, a bookmark with the annotation, then changes; any match but NotOlderThan is Invalid; false with "0" gives no initial events. Beta in 1.37.
	kep3157: kep("KEP-3157: Watch list", "API changes", "3157-watch-list/README.md#api-changes"),
	// While a cache is not ready, lists that are not handed to etcd, and watches, are refused with 429. Does not name 503.
	kep4568: kep("KEP-4568: Resilient watch cache initialization", "Proposal", "4568-resilient-watchcache-initialization/README.md#proposal"),
	// Lists at older versions are answered from snapshots, which go with etcd's compaction; the history of watches does not.
	kep4988: kep("KEP-4988: Snapshottable API server cache", "Proposal", "4988-snapshottable-api-server-cache/README.md#proposal"),
	// Versions are digits without a leading zero; the longer one is greater, else the lexically greater; a write makes a version that compares as greater.
	kep5504: kep("KEP-5504: Comparable resource version", "Helper Function", "5504-comparable-resource-version/README.md#helper-function"),
	// shardSelector: half-open ranges over a 64 bit FNV-1a hash of uid or namespace, on list and watch. Alpha in 1.36.
	kep5866: kep("KEP-5866: Server-side sharded list and watch", "API Extensibility: Sharding Parameters", "5866-server-side-sharded-list-and-watch/README.md#api-extensibility-sharding-parameters"),

	// --- types.go: what is asked ---

	listOptions: symbol(metaTypes + "ListOptions"),
	// Refers to the page; unset is the default.
	optResourceVersion: symbol(metaTypes + "ListOptions.ResourceVersion"),
	// Refers to the page; for lists.
	optResourceVersionMatch: symbol(metaTypes + "ListOptions.ResourceVersionMatch"),
	// A page may be short or empty, only continue counts; a server may ignore it; all pages together are one snapshot.
	optLimit: symbol(metaTypes + "ListOptions.Limit"),
	// An unknown token may be refused; an expired one is 410 with a token that goes on after the same key at a newer state.
	optContinue: symbol(metaTypes + "ListOptions.Continue"),
	// Bookmarks on request, at the server's discretion: none need come.
	optBookmarks: symbol(metaTypes + "ListOptions.AllowWatchBookmarks"),
	// What comes, in what order, the annotation, how fresh, what is Invalid; true by default where the version is unset or "0".
	optSendInitialEvents: symbol(metaTypes + "ListOptions.SendInitialEvents"),
	// Limits how long a list or watch lasts. Not how it ends.
	optTimeoutSeconds: symbol(metaTypes + "ListOptions.TimeoutSeconds"),
	// Restricts by label; everything without.
	optLabelSelector: symbol(metaTypes + "ListOptions.LabelSelector"),
	// Restricts by field; everything without.
	optFieldSelector: symbol(metaTypes + "ListOptions.FieldSelector"),
	// Alpha: ranges over the hash space, lower end in, upper end out.
	optShardSelector: symbol(metaTypes + "ListOptions.ShardSelector"),

	// --- types.go: what is answered ---

	// The version of the list; still called opaque here.
	listResourceVersion: symbol(metaTypes + "ListMeta.ResourceVersion"),
	// Following pages keep the first one's version, unless the token came with an error.
	listContinue: symbol(metaTypes + "ListMeta.Continue"),
	// How many are left; unset with selectors and on the last page; an estimate that need be neither set nor exact.
	listRemaining: symbol(metaTypes + "ListMeta.RemainingItemCount"),
	// Set when the list is a shard; echoes the selector.
	listShardInfo: symbol(metaTypes + "ListMeta.ShardInfo"),

	// --- types.go: objects and writes ---

	objResourceVersion: symbol(metaTypes + "ObjectMeta.ResourceVersion"),
	// Unique in time and space, and not to be changed by a PUT.
	objUID: symbol(metaTypes + "ObjectMeta.UID"),
	// Once deletion has begun entries can only be removed.
	objFinalizers: symbol(metaTypes + "ObjectMeta.Finalizers"),
	// Set by the server; cannot be unset or put off, only shortened; the object goes after it, when no finalizer is left.
	objDeletionTimestamp: symbol(metaTypes + "ObjectMeta.DeletionTimestamp"),
	// The grace period; it may only be shortened.
	objGrace: symbol(metaTypes + "ObjectMeta.DeletionGracePeriodSeconds"),
	// uid and version that must hold before an operation is carried out.
	preconditions: symbol(metaTypes + "Preconditions"),
	// Where they do not hold a delete is answered with 409.
	deletePreconditions: symbol(metaTypes + "DeleteOptions.Preconditions"),
	// Seconds to wait before the object goes; 0 is at once; each kind has its default.
	// What a generated name begins with; where the generated name exists, 409 is answered.
	objGenerateName: symbol(metaTypes + "ObjectMeta.GenerateName"),
	deleteGrace:     symbol(metaTypes + "DeleteOptions.GracePeriodSeconds"),

	// The annotation that ends the initial events.
	initialEventsEnd: symbol(metaTypes + "InitialEventsAnnotationKey"),
	// The cause of a refusal because the version is newer than what this server has seen.
	causeTooLarge: symbol(metaTypes + "CauseTypeResourceVersionTooLarge"),
	// 410: what is asked for has expired, mostly on watches.
	reasonExpired: symbol(metaTypes + "StatusReasonExpired"),
	// 410.
	reasonGone: symbol(metaTypes + "StatusReasonGone"),
	// 504 (the conventions still give 429 for this reason).
	reasonTimeout: symbol(metaTypes + "StatusReasonTimeout"),
	// 429.
	reasonTooManyRequests: symbol(metaTypes + "StatusReasonTooManyRequests"),
	// 409.
	reasonConflict: symbol(metaTypes + "StatusReasonConflict"),
	// 409.
	reasonAlreadyExists: symbol(metaTypes + "StatusReasonAlreadyExists"),
	// 404.
	reasonNotFound: symbol(metaTypes + "StatusReasonNotFound"),
	// 422.
	reasonInvalid: symbol(metaTypes + "StatusReasonInvalid"),

	// --- watch.go ---

	// ADDED and MODIFIED carry the new state, DELETED the one just before, BOOKMARK only a version from which a restart neither repeats nor misses; says nothing of DELETED's version.
	watchEvent: symbol(watchTypes + "Event"),
	// Stop and ResultChan, and who closes what.
	watchInterface: symbol(watchTypes + "Interface"),
	// A producer that must end early sends an ERROR and closes.
	watchStop: symbol(watchTypes + "Interface.Stop"),
	// Closed on an error and on Stop, with everything let go; nothing comes after.
	watchResultChan: symbol(watchTypes + "Interface.ResultChan"),

	// --- other code ---

	// Match without version, with continue, unknown, or Exact with "0"; sendInitialEvents on a list or without NotOlderThan; a match on a watch without it: each an error of its field.
	validateListOptions: symbol("k8s.io/apimachinery@v0.37.2/pkg/apis/meta/internalversion/validation/validation.go#ValidateListOptions"),
	// How versions compare, and that 0, leading zeros and other characters are not versions.
	compareVersions: symbol("k8s.io/apimachinery@v0.37.2/pkg/util/resourceversion/resourceversion.go#CompareResourceVersion"),
	// The hash of a field is FNV-1a of 64 bits over its text.
	hashField: symbol("k8s.io/apimachinery@v0.37.2/pkg/sharding/hash.go#HashField"),
	// Of uid or namespace; from each start, and below each end, any of the ranges.
	shardMatches: symbol("k8s.io/apimachinery@v0.37.2/pkg/sharding/selector.go#Selector.Matches"),
	// Leaving a selector is DELETED (state before, version of the change), entering it ADDED; other namespaces stay out.
	testWatch: symbol(storageTests + "watcher_tests.go#RunTestWatch"),
	// A DELETED object has the version of the deletion.
	testDeleteHasLatestVersion: symbol(storageTests + "watcher_tests.go#RunTestWatchDeleteEventObjectHaveLatestRV"),
	// After an ERROR nothing comes but ERRORs.
	testErrorBlocks: symbol(storageTests + "watcher_tests.go#RunWatchErrorIsBlockingFurtherEvents"),
	// Which events namespace, name, label and field scopes give, and which not.
	testNamespaceWatch: symbol(storageTests + "watcher_tests.go#RunTestNamespaceScopedWatch"),
	// An update with the same content leaves the version as it is; looks at no watch.
	testGuaranteedUpdate: symbol(storageTests + "store_tests.go#RunTestGuaranteedUpdate"),
}
