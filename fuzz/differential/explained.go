package differential

import "regexp"

// explanation is a row of the table of differences that stay.
type explanation struct {
	request string // a regular expression of the request's line
	at      string // of the place
	answers string // of "REAL|FAKE"
	ends    bool   // the servers' states differ from there: the story ends
	why     string
}

// explained are the differences that stay, with their reasons.
var explained = []explanation{
	{request: `/services/[^/ ]+/status`, answers: `^\|.*services .* not found`, ends: true, why: "a PUT to a service's /status does not create it; kube-apiserver does so for services alone"},
	{request: `/services/[^/ ]+/status`, at: `^/(code|headers|body)`, ends: true, why: "a PUT to a service's /status does not create it; kube-apiserver does so for services alone"},
	{request: `/pods/`, answers: `pod updates may not change fields other than`, why: "the message ends where kube-apiserver appends a diff of its internal types"},
	{request: `^(PUT|POST) .*/scale`, at: `^/(code|headers|body)`, answers: `no kind is registered for the type v1.Scale|cannot be handled as a Scale|unknown field`, why: "a body of another kind is sent to /scale: the order of the checks and the message, which names types of Go"},
	{at: `/object/spec/replicas$`, answers: `^"0"\|$`, why: "the bookmark that ends the initial events has defaults of its kind in kube-apiserver"},
	{at: `/object/metadata/annotations/deprecated.daemonset.template.generation$`, answers: `^"0"\|$`, why: "the bookmark that ends the initial events has defaults of its kind in kube-apiserver"},
	{request: `/jobs/`, at: `/resourceVersion$`, ends: true, why: "the first update of a Job without labels makes a new resourceVersion in kube-apiserver: it is stored without labels, and read with those of its template"},
	{request: `/jobs/`, at: `/details/causes/`, answers: `Invalid value: \{(\\?"labels|\\?"Spec|\\?"Rules)`, why: "the message shows internal types of kube-apiserver"},
	{request: `/jobs/`, answers: `spec.(template|podFailurePolicy): Invalid value: \{.*field is immutable`, why: "the message shows internal types of kube-apiserver"},
	{request: `/services`, answers: `spec.clusterIPs: Invalid value: \["?"?\]: failed to allocate IP: IPAddress|IPAddress.networking.k8s.io`, why: "kube-apiserver gives an address before it looks at the name, and an address needs one"},
	{request: `/replicationcontrollers`, answers: `metadata.name: Invalid value`, why: "kube-apiserver judges the name of a ReplicationController after everything else"},
	{request: `managedFields`, at: `/(resourceVersion|managedFields.*)$`, ends: true, why: "a client that writes managedFields itself: they are kept here once somebody has applied the object"},
	{request: `/events.*dryRun`, at: `message$`, answers: `Key: /events/`, why: "a dry run names another key of etcd"},
	{request: `selfLink`, at: `/selfLink$`, why: "kube-apiserver keeps the selfLink of a dry run"},
	{answers: `failed to create typed patch object`, why: "kube-apiserver tells what a schema does not have in any order, or only the first of it"},
	{request: `^(PUT|PATCH) .*/services/`, answers: `^"500"\|"422"$|^\|"Invalid"$|^\|\{"causes":\[.*"spec.ports\[\d\].name","message":"Required value"|duplicate|Duplicate|Required value`, at: `^/(code|body/0/(code|reason|details|message))$`, ends: true,
		why: "kube-apiserver answers 500 to a NodePort or LoadBalancer service with two ports without names: it gives them ports before it judges them"},
	{request: `/services`, at: `(message|/details/causes/.*)$`, answers: `Duplicate value: (\d|PORT)|spec.ports\[1\]`, why: "two ports with the same number get the same nodePort in kube-apiserver"},
	{request: `^(PUT|PATCH) .*/scale`, at: `^/(code|headers|body/0/(code|reason|message|details))`, why: "the order in which kube-apiserver checks a write to /scale"},
	{request: `^PATCH \S*/(widgets|gadgets)(\?\S*)?( |$)`, at: `^/(code|body/0/(code|reason|message))`, why: "a patch of a collection of custom resources: 400, not 415"},
	{request: `\(apply\).*creationTimestamp":"x"`, ends: true, why: "an apply of a custom resource with a broken creationTimestamp is refused"},
	{request: `/jobs`, at: `/metadata/labels(/|$)`, ends: true, why: "whether a new Job gets the labels of its template depends on how kube-apiserver has read it"},
	{request: `^PATCH .*\((merge|strategic|json-patch)\).*kind`, at: `message$`, answers: `Invalid value: \\"\{`, why: "a patch that makes the object another kind: the message is of Go"},
	{request: `/resize`, at: `^/(code|headers|body)`, ends: true, why: "a write to /resize is judged less strictly: that containers may not come or go, and the order"},
	{request: `^(PUT|PATCH) .*/(gadgets|widgets)/[^/ ]+/scale`, ends: true, why: "a write to the /scale of a custom resource that kube-apiserver refuses, or refuses later"},
	{request: `/(gadgets|widgets)/[^/ ]+/scale.*as=Table`, at: `/(columnDefinitions|rows)/`, why: "the columns of a Scale of a custom resource"},
	{request: `/(services|jobs)`, at: `^/body/0/message$`, answers: ` is invalid: .*\|.* is invalid: `, why: "a Service or a Job that is refused for several reasons: kube-apiserver tells more of them, or in another order"},
	{request: `/(services|jobs)`, at: `^/body/0/details/causes/`, why: "a Service or a Job that is refused for several reasons: kube-apiserver tells more of them, or in another order"},
	{request: `/replicationcontrollers`, at: `/details/causes/`, answers: `spec.|metadata.|subdomain|Required|FieldValue`, why: "kube-apiserver judges the name of a ReplicationController after everything else"},
	{request: `\(json-patch\)`, at: `message$`, answers: `jsonpatch.Patch`, why: "a JSON patch that is no list: the message names types of Go"},
	{request: `Content-Type: application/merge-patch\+json \[\]`, at: `code$`, why: "a merge patch that is a list: 422, not 400"},
	{request: `/(gadgets|widgets)`, at: `(/headers/Warning\d|message)$`, answers: `unknown field|strict decoding`, why: "a custom resource with an unknown field and a label that is no string: which is told"},
	{request: `/(gadgets|widgets)`, answers: `apiVersion: Invalid value|spec.parts|Duplicate`, why: "a custom resource of another apiVersion is not judged further"},
	{answers: `before-first-apply`, why: "who managed what before the first apply is found out then: some fields that a server resets are theirs here"},
	{at: `/managedFields/`, why: "who managed what before the first apply is found out then: some fields that a server resets are theirs here"},
	{request: `/jobs .*"name":"-"`, answers: `"-"|labels`, why: "a Job with a name that is no label"},
	{request: `Content-Type`, at: `^/(code|body/0/(code|reason|message|details))`, answers: `415|UnsupportedMediaType|unknown format|causes|Invalid|CreateOptions|UpdateOptions`, why: "a wrong Content-Type is found before the options are judged"},
	{request: `Content-Type: application/vnd.kubernetes.protobuf`, answers: `no answer|415|UnsupportedMediaType|application/json`, ends: true, why: "kube-apiserver gives no answer to a body that says it is protobuf and is not, for a custom resource"},
	{request: `/customresourcedefinitions.*\(apply\)`, answers: `500|failed to create typed patch|Invalid`, ends: true, why: "an apply of a CustomResourceDefinition with an unknown field: the fake has no schema of them"},
	{request: `^POST.*resourceVersion`, at: `/headers/Warning`, why: "the fake warns of what it has stored, kube-apiserver before it stores"},
	{request: `^(PUT|PATCH)`, at: `/metadata/resourceVersion$`, answers: `^"(r\d+"\|"r\d+|current"\|"older|older"\|"current)"$`, ends: true,
		why: "a write that changes nothing but who manages which field makes a new resourceVersion in kube-apiserver; the fake finds managers out when somebody applies"},
	{request: `dryRun=All.*clusterIP`, at: `message$`, answers: `is not in the valid range`, why: "a dry run names the range of service addresses"},
}

// explain returns the number of the row that explains a gap, or -1.
func explain(request string, g Gap) int {
	for i, e := range explained {
		if match(e.request, request) && match(e.at, g.At) && match(e.answers, g.Real+"|"+g.Fake) {
			return i
		}
	}
	return -1
}

func match(pattern, text string) bool {
	return pattern == "" || regexp.MustCompile(pattern).MatchString(text)
}
