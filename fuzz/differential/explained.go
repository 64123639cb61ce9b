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
	{request: `^PUT .*/services/[^/ ]+/status`, answers: `^\|.*services .* not found`, ends: true, why: "a PUT to a service's /status does not create it; kube-apiserver does so for services alone"},
	{request: `^PUT .*/services/[^/ ]+/status`, at: `^/(code|headers|body)`, ends: true, why: "a PUT to a service's /status does not create it; kube-apiserver does so for services alone"},
	{request: `/pods/`, at: `message$`, answers: `pod updates may not change fields other than`, why: "the message ends where kube-apiserver appends a diff of its internal types"},
	{request: `/scale`, at: `/metadata/resourceVersion$`, ends: true, why: "a no-op write to /scale makes a new resourceVersion in kube-apiserver, which rewrites managedFields"},
	{request: `^(PUT|POST) .*/scale`, at: `^/(code|headers|body)`, answers: `no kind is registered for the type v1.Scale|cannot be handled as a Scale|unknown field`, why: "a body of another kind is sent to /scale: the order of the checks and the message, which names types of Go"},
	{at: `/object/spec/replicas$`, answers: `^"0"\|$`, why: "the bookmark that ends the initial events has defaults of its kind in kube-apiserver"},
	{at: `/object/metadata/annotations/deprecated.daemonset.template.generation$`, answers: `^"0"\|$`, why: "the bookmark that ends the initial events has defaults of its kind in kube-apiserver"},
	{request: `/leases.*(strategy|preferredHolder)`, at: `/metadata/resourceVersion$`, ends: true, why: "a write to a field behind a closed feature gate changes managedFields, and so the resourceVersion, in kube-apiserver"},
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
