package differential

import "regexp"

// explanation is a row of the table of differences that stay.
type explanation struct {
	request string // a regular expression of the request's line
	at      string // of the place
	answers string // of "REAL|FAKE"
	whole   bool   // it explains all that differs in the answer
	ends    bool   // the servers' states differ from there: the story ends
	why     string
}

// explained are the differences that stay, with their reasons.
var explained = []explanation{
	{request: `/pods/`, answers: `pod updates may not change fields other than`, why: "the message ends where kube-apiserver appends a diff of its internal types"},
	{request: `/jobs/`, at: `/details/causes/`, answers: `Invalid value: \{(\\?"labels|\\?"Spec|\\?"Rules|\\?"Volumes)`, why: "the message shows internal types of kube-apiserver"},
	{request: `/jobs/`, answers: `spec.(template|template.spec|podFailurePolicy): Invalid value: \{.*field is immutable`, why: "the message shows internal types of kube-apiserver"},
	{request: `^(POST|PUT|PATCH) .*/services`, at: `^/body/0/message$`, answers: `failed to allocate IP: IPAddress.networking.k8s.io .* is invalid: spec.parentRef.name: Required value`, whole: true, why: "kube-apiserver gives an address before it looks at the name, and an address needs one"},
	{request: `/replicationcontrollers`, answers: `metadata.name: Invalid value`, why: "kube-apiserver judges the name of a ReplicationController after everything else"},
	{request: `^(PUT|PATCH) .*/services/.*ExternalName`, at: `^/error$`, answers: `^"no answer"\|$`, whole: true, ends: true, why: "kube-apiserver panics where a service that its /status has created, which has families and no address, becomes an ExternalName"},
	{request: `managedFields`, at: `/(resourceVersion|managedFields.*)$`, ends: true, why: "a client that writes managedFields itself: they are kept here once somebody has applied the object"},
	{request: `^(PUT|PATCH) .*/services/`, answers: `^"500"\|"422"$|^\|"Invalid"$|^\|\{"causes":\[.*"spec.ports\[\d\].name","message":"Required value"|duplicate|Duplicate|Required value`, at: `^/(code|body/0/(code|reason|details|message))$`, ends: true,
		why: "kube-apiserver answers 500 to a NodePort or LoadBalancer service with two ports without names: it gives them ports before it judges them"},
	{request: `/services`, at: `(message|/details/causes/.*)$`, answers: `Duplicate value: (\d|PORT)|spec.ports\[1\]`, why: "two ports with the same number get the same nodePort in kube-apiserver"},
	{request: `\(apply\).*creationTimestamp":"x"`, at: `message$`, answers: `cannot parse \\"x\\"`, whole: true, ends: true, why: "an apply of a custom resource with a broken creationTimestamp is refused"},
	{request: `^PATCH .*\((merge|strategic|json-patch)\).*kind`, at: `message$`, answers: `Invalid value: \\"\{`, why: "a patch that makes the object another kind: the message is of Go"},
	{request: `^(PUT|PATCH) .*/pods/[^/ ]+/resize`, at: `^/body/0/message$`, answers: `^"Pod .* is invalid: .*\|(|"Pod .* is invalid: .*)$`, whole: true, ends: true, why: "a write to /resize is judged less strictly: that containers may not come or go, and the order"},
	{request: `/(gadgets|widgets)/[^/ ]+/scale.*as=Table`, at: `/(columnDefinitions|rows)/`, why: "the columns of a Scale of a custom resource"},
	{request: `/replicationcontrollers`, at: `/details/causes/`, answers: `spec.|metadata.|subdomain|Required|FieldValue`, why: "kube-apiserver judges the name of a ReplicationController after everything else"},
	{request: `\(json-patch\)`, at: `message$`, answers: `jsonpatch.Patch`, why: "a JSON patch that is no list: the message names types of Go"},
	{request: `\(apply\)`, at: `message$`, answers: `failed to create typed patch object`, why: "kube-apiserver tells what a schema does not have in any order, or only the first of it"},
	{request: `dryRun=All.*clusterIP(":| )"10`, at: `message$`, answers: `is not in the valid range.*\|.*does not match the current range`, why: "a dry run names the range of service addresses"},
	{answers: `before-first-apply`, why: "who managed what before the first apply is found out then: some fields that a server resets are theirs here"},
	{at: `/managedFields/Update `, why: "who managed what before the first apply is found out then: some fields that a server resets are theirs here"},
	{request: `Content-Type`, at: `^/(code|body/0/(code|reason|message|details))`, answers: `415|UnsupportedMediaType|unknown format|causes|Invalid|CreateOptions|UpdateOptions`, why: "a wrong Content-Type is found before the options are judged"},
	{request: `Content-Type: application/vnd.kubernetes.protobuf`, at: `^/error$`, answers: `no answer`, whole: true, ends: true, why: "kube-apiserver gives no answer to a body that says it is protobuf and is not, for a custom resource"},
	{request: `/customresourcedefinitions.*\(apply\)`, at: `^/body/0/message$`, answers: `failed to create typed patch`, whole: true, ends: true, why: "an apply of a CustomResourceDefinition with an unknown field: the fake has no schema of them"},
}

// explain returns the number of the row that explains a gap, or with whole the answer that has it; or -1.
func explain(request string, g Gap, whole bool) int {
	for i, e := range explained {
		if e.whole == whole && match(e.request, request) && match(e.at, g.At) && match(e.answers, g.Real+"|"+g.Fake) {
			return i
		}
	}
	return -1
}

// explainAll returns the rows that explain gaps of one answer, and the gaps that are left.
func explainAll(request string, all []Gap) (rows map[int]bool, left []Gap) {
	rows = map[int]bool{}
	for _, g := range all {
		if row := explain(request, g, true); row >= 0 {
			return map[int]bool{row: true}, nil
		}
	}
	for _, g := range all {
		if row := explain(request, g, false); row >= 0 {
			rows[row] = true
		} else {
			left = append(left, g)
		}
	}
	return rows, left
}

func match(pattern, text string) bool {
	return pattern == "" || regexp.MustCompile(pattern).MatchString(text)
}
