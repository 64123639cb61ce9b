package differential

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Ask is a request as data. {NS}, {RV} and other names in braces stand for what a server has answered so far, see
// session.fill.
type Ask struct {
	Kind    string   `json:"kind,omitempty"`    // a row of kinds
	Name    string   `json:"name,omitempty"`    // of the object; empty: the collection
	Sub     string   `json:"sub,omitempty"`     // subresource
	Query   []string `json:"query,omitempty"`   // "limit=1"
	Headers []string `json:"headers,omitempty"` // "Accept: application/yaml"
	Edits   []string `json:"edits,omitempty"`   // what the body has: a JSON pointer, a space and JSON
	Seen    bool     `json:"seen,omitempty"`    // the body is the object as last answered, with the edits
	Body    string   `json:"body,omitempty"`    // the whole body, instead
	Path    string   `json:"path,omitempty"`    // the whole path, instead
	Method  string   `json:"method,omitempty"`  // instead of the word's
}

// Validate reports whether a server can be asked that: an edit must be one, and the kind must exist.
func (a Ask) Validate() error {
	if kindNamed(a.Kind) == nil {
		return fmt.Errorf("there is no kind %q", a.Kind)
	}
	for _, e := range a.Edits {
		if _, _, err := readEdit(e); err != nil {
			return err
		}
	}
	return nil
}

// form is how edits become a body.
type form int

const (
	none   form = iota
	whole       // the kind's object with the edits
	part        // the edits alone, as a merge patch
	ops         // a JSON patch
	apply       // the edits with apiVersion, kind and name
	scaled      // a Scale
	other       // bodies of their own
)

// word is a row of the table of requests.
type word struct {
	name, help  string
	method      string
	form        form
	contentType string // of the body
	weight      int
	draw        func(drawer) Ask
}

// words are the requests that stories are made of.
var words = []word{
	{"create", "POST of an object", http.MethodPost, whole, "application/json", 20, drawer.create},
	{"get", "GET of an object or its subresource", http.MethodGet, none, "", 7, drawer.get},
	{"list", "GET of a collection", http.MethodGet, none, "", 14, drawer.list},
	{"next", "GET of the next page of the last list", http.MethodGet, none, "", 4, drawer.next},
	{"update", "PUT of an object or its subresource", http.MethodPut, whole, "application/json", 14, drawer.update},
	{"merge", "JSON merge patch", http.MethodPatch, part, "application/merge-patch+json", 9, drawer.patch},
	{"strategic", "strategic merge patch", http.MethodPatch, part, "application/strategic-merge-patch+json", 7, drawer.patch},
	{"json-patch", "JSON patch", http.MethodPatch, ops, "application/json-patch+json", 6, drawer.jsonPatch},
	{"apply", "server-side apply", http.MethodPatch, apply, "application/apply-patch+yaml", 10, drawer.apply},
	{"delete", "DELETE of an object", http.MethodDelete, other, "application/json", 8, drawer.delete},
	{"delete-collection", "DELETE of a collection", http.MethodDelete, other, "application/json", 2, drawer.deleteCollection},
	{"scale", "PUT or PATCH of the scale", http.MethodPut, scaled, "application/json", 3, drawer.scale},
	{"evict", "eviction of a pod", http.MethodPost, other, "application/json", 2, drawer.evict},
	{"bind", "binding of a pod", http.MethodPost, other, "application/json", 1, drawer.bind},
	{"watch", "a watch that stays open during the rest of the story", http.MethodGet, none, "", 8, drawer.watch},
	{"watch-ended", "a watch that the server ends after a second", http.MethodGet, none, "", 1, drawer.watchEnded},
	{"odd", "an unknown path, a wrong method or a wrong type", http.MethodGet, other, "", 3, drawer.odd},
}

// vocabulary is the language of stories about some kinds.
func vocabulary(about []*kind) *story.Vocabulary[*session] {
	var entries []story.Entry[*session]
	draws := map[string]story.Drawing{}
	for _, w := range words {
		entries = append(entries, story.Word[*session, Ask]{
			Name: w.name, Help: w.help,
			Do:  func(s *session, step story.Step, a Ask) error { return s.do(w, a) },
			Say: func(step story.Step, a Ask) string { return w.say(a) },
		})
		draws[w.name] = story.Drawing{Weight: w.weight, Draw: func(c harness.Choices) story.Step {
			return story.Step{With: w.draw(drawer{c, about})}
		}}
	}
	return story.NewVocabulary("apiserver-requests", entries...).Random(draws, nil, nil)
}

// language plays and reads stories about all kinds.
var language = vocabulary(nil)

// drawn is a random story about one kind to three. The same seed and number draw the same story.
// With only, they are about that kind alone.
func drawn(seed uint64, number int, only string) story.Story {
	c := rand.New(rand.NewPCG(seed, uint64(number)))
	var about []*kind
	for range 1 + c.IntN(3) {
		about = append(about, &kinds[c.IntN(len(kinds))])
	}
	if k := kindNamed(only); k != nil {
		about = []*kind{k}
	}
	return story.Of(vocabulary(about).Draw(c, storySteps))
}

// storySteps is how many requests a story has.
const storySteps = 25

// drawer draws requests.
type drawer struct {
	harness.Choices
	kinds []*kind
}

func (d drawer) chance(n int) bool         { return story.Chance(d, n) }
func (d drawer) pick(all ...string) string { return story.Pick(d.Choices, all...) }
func (d drawer) kind() *kind               { return story.Pick(d.Choices, d.kinds...) }

// name is of an object: few, so that requests meet.
func (d drawer) name(k *kind) string {
	n := d.pick("a", "a", "b", "b", "c")
	if d.chance(40) {
		n = d.pick("Bad_Name", "{GEN}", "a.b", "-")
	}
	if k.Cluster && n != "{GEN}" {
		n = "{NS}-" + n
	}
	return n
}

// some returns a few of all.
func (d drawer) some(most int, all ...string) (out []string) {
	for range d.IntN(most + 1) {
		if one := d.pick(all...); !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// edits are up to three of a kind, seldom an odd one.
func (d drawer) edits(k *kind, sub string) []string {
	pool := slices.Concat(k.Edits, metaEdits[:7], metaEdits)
	if sub == status && len(k.Status) > 0 {
		pool = slices.Concat(k.Status, k.Status, metaEdits)
	}
	out := d.some(3, pool...)
	if d.chance(6) {
		out = append(out, d.pick(oddEdits...))
	}
	if k.Name == "services" { // a finalizer would keep its address
		out = slices.DeleteFunc(out, func(e string) bool { return strings.Contains(e, "finalizers [\"example") })
	}
	return out
}

const status = "status"

// sub is a subresource, seldom one that the kind does not have.
func (d drawer) sub(k *kind) string {
	switch {
	case d.chance(40):
		return d.pick("nosuch", status, "scale")
	case len(k.Subs) > 0 && d.chance(3):
		return d.pick(k.Subs...)
	}
	return ""
}

var accepts = []string{
	"Accept: application/json;as=Table;v=v1;g=meta.k8s.io", "Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
	"Accept: application/vnd.kubernetes.protobuf", "Accept: application/vnd.kubernetes.protobuf,application/json", "Accept: application/yaml", "Accept: application/xml", "Accept: */*", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
}

// headers ask for another form of the answer. A write to /scale has none: its answer must show whether it made a new resourceVersion.
func (d drawer) headers() []string {
	if d.chance(3) {
		return []string{d.pick(accepts...)}
	}
	return nil
}

// telling are headers of a write whose answer must show the resourceVersion: it does not where a list is wanted.
func (d drawer) telling() []string {
	return slices.DeleteFunc(d.headers(), func(h string) bool { return strings.Contains(h, "MetadataList") })
}

// writing are the parameters of a write.
func (d drawer) writing(k *kind) []string {
	q := d.some(1, "dryRun=All", "fieldManager=m1", "fieldManager=m2", "fieldValidation=Strict", "fieldValidation=Strict", "fieldValidation=Warn", "fieldValidation=Ignore")
	if d.chance(25) {
		q = append(q, d.pick("dryRun=Some", "dryRun=All&dryRun=All", "fieldValidation=Odd", "fieldManager=%00", "fieldManager="+strings.Repeat("m", 130), "pretty=true", "unknown=1", "dryRun="))
	}
	if k.DryRun {
		q = append(slices.DeleteFunc(q, func(s string) bool { return strings.HasPrefix(s, "dryRun") }), "dryRun=All")
	}
	return q
}

func (d drawer) create() Ask {
	k := d.kind()
	a := Ask{Kind: k.Name, Name: d.name(k), Query: d.writing(k), Headers: d.headers(), Edits: d.edits(k, "")}
	if d.chance(12) {
		a.Name = ""
		a.Edits = append(a.Edits, `/metadata/generateName "`+d.pick(fmt.Sprintf("gen-%d-", d.IntN(1000)), fmt.Sprintf("gen-%d-", d.IntN(1000)), fmt.Sprintf("Bad_%d-", d.IntN(1000)), fmt.Sprintf("n%03d-", d.IntN(1000))+strings.Repeat("g", 70))+`"`)
	}
	d.spoil(k, &a)
	return a
}

// spoil gives a request a body that is none, or another type, once in a while.
func (d drawer) spoil(k *kind, a *Ask) {
	switch {
	case d.chance(50):
		a.Body = d.pick("{", "[]", `"x"`, "null", "1", "{}", `{"apiVersion":"v1"}`, `{"kind":"Pod"}`, `{"metadata":{"name":"a","name":"b"}}`, "a: [", "\x00", "{}{}", `{"apiVersion":"v1","kind":"Status"}`)
		if k.Cluster { // a fixed name would meet the objects of other stories
			a.Body = strings.ReplaceAll(a.Body, `"name":"`, `"name":"{NS}-`)
		}
	case d.chance(60):
		a.Headers = append(a.Headers, "Content-Type: "+d.pick("application/yaml", "text/plain", "application/json;charset=utf-8", "application/vnd.kubernetes.protobuf", "application/merge-patch+json", "a/b/c"))
	}
}

func (d drawer) get() Ask {
	k := d.kind()
	a := Ask{Kind: k.Name, Name: d.name(k), Sub: d.sub(k), Headers: d.headers()}
	if d.chance(4) {
		a.Query = []string{d.pick("resourceVersion=0", "resourceVersion={RV}", "resourceVersion=x", "resourceVersion=-1", "pretty=1", "unknown=1", "includeObject=Object", "includeObject=Odd")}
	}
	return a
}

// selecting are label and field selectors. Those of kinds without a namespace see the story's objects alone.
func (d drawer) selecting(k *kind) (q []string) {
	labels := ""
	if d.chance(3) {
		labels = d.pick("app=x", "app!=x", "app in (x,y)", "app notin (x)", "!app", "app", "app==y", "a=1,app=x", "app>1", "app=", "app in (", "=", "app=bad value!")
	}
	if k.Cluster {
		labels = strings.TrimSuffix("story={NS},"+labels, ",")
	}
	if labels != "" {
		q = append(q, "labelSelector="+escaped(labels))
	}
	if d.chance(5) {
		fields := append([]string{"metadata.name=" + d.name(k), "metadata.name!=" + d.name(k), "metadata.namespace={NS}", "metadata.namespace!={NS}", "nosuch=1", "metadata.name", "metadata.name=a,metadata.name=b", "metadata.uid=1", "spec.nosuch=1"}, k.Fields...)
		if len(k.Fields) > 0 && d.chance(2) {
			fields = k.Fields
		}
		q = append(q, "fieldSelector="+escaped(d.pick(fields...)))
	}
	return q
}

func (d drawer) list() Ask {
	k := d.kind()
	a := Ask{Kind: k.Name, Query: d.selecting(k), Headers: d.headers()}
	if d.chance(3) && !k.Cluster { // a page of those ends where other stories have objects
		a.Query = append(a.Query, "limit="+d.pick("1", "1", "2", "2", "0", "-1", "x", "500"))
	}
	if d.chance(3) {
		a.Query = append(a.Query, "resourceVersion="+d.pick("0", "{RV}", "{LISTRV}", "{LISTRV}", "", "x"))
	}
	if d.chance(5) {
		a.Query = append(a.Query, "resourceVersionMatch="+d.pick("Exact", "NotOlderThan", "Odd"))
	}
	if d.chance(30) {
		a.Query = append(a.Query, d.pick("continue=x", "continue={CONTINUE}", "timeoutSeconds=5", "timeoutSeconds=x", "pretty=true", "sendInitialEvents=true", "allowWatchBookmarks=true", "includeObject=None", "includeObject=Object"))
	}
	return a
}

func (d drawer) next() Ask {
	k := d.kind()
	if k.Cluster {
		return d.list()
	}
	a := Ask{Kind: k.Name, Query: []string{"continue={CONTINUE}", "limit=" + d.pick("1", "2")}, Headers: d.headers()}
	if d.chance(8) {
		a.Query = append(a.Query, "resourceVersion="+d.pick("0", "{RV}", "x"))
	}
	return a
}

func (d drawer) update() Ask {
	k := d.kind()
	a := Ask{Kind: k.Name, Name: d.name(k), Sub: d.sub(k), Query: d.writing(k), Headers: d.telling(), Seen: !d.chance(5)}
	a.Edits = d.edits(k, a.Sub)
	if a.Sub == "scale" {
		a.Headers = nil
	}
	if d.chance(4) {
		a.Edits = append(a.Edits, `/metadata/resourceVersion "`+d.pick("{OLDRV}", "", "{RV}", "1")+`"`)
	}
	d.spoil(k, &a)
	return a
}

func (d drawer) patch() Ask {
	k := d.kind()
	a := Ask{Kind: k.Name, Name: d.name(k), Sub: d.sub(k), Query: d.writing(k), Headers: d.telling()}
	a.Edits = d.edits(k, a.Sub)
	if a.Sub == "scale" {
		a.Headers = nil
	}
	if d.chance(12) {
		a.Edits = append(a.Edits, d.pick(`/metadata/resourceVersion "{OLDRV}"`, `/metadata/resourceVersion "{RV}"`, `/metadata/uid "wrong"`, `/$patch "replace"`, `/$patch "delete"`, `/metadata/labels {"$patch":"replace","z":"1"}`, `/metadata/finalizers ["example.com/f"]`, `/metadata/$deleteFromPrimitiveList/finalizers ["example.com/f"]`, `/spec/containers [{"name":"c","$patch":"delete"}]`))
	}
	d.spoil(k, &a)
	return a
}

func (d drawer) jsonPatch() Ask {
	a := d.patch()
	if d.chance(8) {
		a.Body = d.pick(`[{"op":"test","path":"/kind","value":"X"}]`, `[{"op":"remove","path":"/metadata/labels/nosuch"}]`, `[{"op":"replace","path":"/nosuch/x","value":1}]`, `[{"op":"odd","path":"/a"}]`, `[{"op":"copy","from":"/metadata/name","path":"/metadata/labels"}]`,
			`[{"op":"move","from":"/metadata/labels","path":"/metadata/annotations"}]`, `{}`, `[]`, `[{"op":"test","path":"/metadata/name","value":"a"},{"op":"add","path":"/metadata/labels","value":{"app":"y"}}]`, `[{"path":"/a"}]`, `[{"op":"add","path":"a","value":1}]`)
	}
	return a
}

func (d drawer) apply() Ask {
	k := d.kind()
	a := Ask{Kind: k.Name, Name: d.name(k), Headers: d.telling()}
	if d.chance(8) {
		a.Sub = d.sub(k)
	}
	a.Edits = d.edits(k, a.Sub)
	if a.Sub == "scale" {
		a.Headers = nil
	}
	if !d.chance(12) {
		a.Query = []string{"fieldManager=" + d.pick("m1", "m1", "m2")}
	}
	if d.chance(3) {
		a.Query = append(a.Query, d.pick("force=true", "force=true", "force=false", "force=x"))
	}
	a.Query = append(a.Query, slices.DeleteFunc(d.writing(k), func(s string) bool { return strings.HasPrefix(s, "fieldManager") })...)
	a.Seen = d.chance(3) // the whole object, not the edits alone
	d.spoil(k, &a)
	return a
}

var deleteOptions = []string{
	`{"gracePeriodSeconds":0}`, `{"gracePeriodSeconds":5}`, `{"gracePeriodSeconds":-1}`, `{"preconditions":{"uid":"wrong"}}`, `{"preconditions":{"uid":"{UID}"}}`, `{"preconditions":{"resourceVersion":"{RV}"}}`, `{"preconditions":{"resourceVersion":"{OLDRV}"}}`,
	`{"propagationPolicy":"Foreground"}`, `{"propagationPolicy":"Background"}`, `{"propagationPolicy":"Orphan"}`, `{"propagationPolicy":"Odd"}`, `{"orphanDependents":true}`, `{"orphanDependents":true,"propagationPolicy":"Background"}`, `{"dryRun":["All"]}`, `{"dryRun":["Some"]}`,
	`{"apiVersion":"v1","kind":"DeleteOptions"}`, `{"kind":"Wrong","apiVersion":"v1"}`, `{"unknown":1}`, `{`, `[]`, `{"gracePeriodSeconds":"x"}`, `{"ignoreStoreReadErrorWithClusterBreakingPotential":true}`,
}

func (d drawer) deleting(k *kind, a Ask) Ask {
	if d.chance(2) {
		a.Body = d.pick(deleteOptions...)
	}
	if d.chance(5) {
		a.Query = append(a.Query, d.pick("gracePeriodSeconds=0", "gracePeriodSeconds=3", "propagationPolicy=Foreground", "propagationPolicy=Orphan", "dryRun=All", "dryRun=x", "orphanDependents=true", "gracePeriodSeconds=x"))
	}
	if k.DryRun {
		a.Query, a.Body = []string{"dryRun=All"}, ""
	}
	return a
}

func (d drawer) delete() Ask {
	k := d.kind()
	a := d.deleting(k, Ask{Kind: k.Name, Name: d.name(k), Headers: d.headers()})
	if d.chance(40) {
		a.Sub = d.sub(k)
	}
	return a
}

func (d drawer) deleteCollection() Ask {
	k := d.kind()
	if k.Fixed { // everything would go
		return d.delete()
	}
	a := d.deleting(k, Ask{Kind: k.Name, Query: d.selecting(k), Headers: d.headers()})
	if d.chance(6) && !k.Cluster {
		a.Query = append(a.Query, d.pick("limit=1", "resourceVersion=0", "resourceVersion={RV}"))
	}
	return a
}

func (d drawer) scale() Ask {
	k := d.kind()
	a := Ask{Kind: k.Name, Name: d.name(k), Sub: "scale", Query: d.writing(k)}
	a.Edits = append(d.some(1, metaEdits...), `/spec/replicas `+d.pick("1", "2", "2", "0", "-1", `"x"`, "null"))
	if d.chance(5) {
		a.Edits = append(a.Edits, d.pick(`/metadata/resourceVersion "{RV}"`, `/metadata/resourceVersion "{OLDRV}"`, `/metadata/uid "{UID}"`, `/metadata/uid "wrong"`, `/kind "Wrong"`, `/apiVersion "v1"`, `/metadata/name "other"`, `/status {"replicas":9}`))
	}
	if d.chance(2) {
		a.Method = http.MethodPatch
		a.Headers = append(a.Headers, "Content-Type: "+d.pick("application/merge-patch+json", "application/apply-patch+yaml", "application/strategic-merge-patch+json"))
		a.Query = append(a.Query, "fieldManager=m3")
	}
	return a
}

func (d drawer) evict() Ask {
	a := Ask{Kind: "pods", Name: d.name(kindNamed("pods")), Sub: "eviction", Query: d.some(1, "dryRun=All", "dryRun=x", "fieldValidation=Strict")}
	a.Body = `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"` + d.pick(a.Name, a.Name, a.Name, "other", "") + `"}` + d.pick("", "", `,"deleteOptions":{"gracePeriodSeconds":0}`, `,"deleteOptions":{"preconditions":{"uid":"wrong"}}`, `,"deleteOptions":{"dryRun":["All"]}`, `,"unknown":1`, `,"deleteOptions":{"preconditions":{"resourceVersion":"{OLDRV}"}}`) + `}`
	return a
}

func (d drawer) bind() Ask {
	a := Ask{Kind: "pods", Name: d.name(kindNamed("pods")), Sub: "binding", Query: d.some(1, "dryRun=All", "fieldValidation=Strict", "fieldManager=m1")}
	a.Body = `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"` + d.pick(a.Name, a.Name, a.Name, "other", "") + `"` + d.pick("", "", `,"uid":"wrong"`, `,"labels":{"app":"y"}`, `,"annotations":{"k":"v"}`) + `},"target":` + d.pick(`{"kind":"Node","name":"n1"}`, `{"kind":"Node","name":"n1"}`, `{"name":"n2"}`, `{"kind":"Pod","name":"n1"}`, `{}`) + `}`
	return a
}

func (d drawer) watch() Ask {
	k := d.kind()
	a := Ask{Kind: k.Name, Query: append([]string{"watch=1"}, d.selecting(k)...), Headers: d.headers()}
	if !d.chance(3) {
		a.Query = append(a.Query, "resourceVersion="+d.pick("{LISTRV}", "{LISTRV}", "{RV}", "{OLDRV}", "0", "", "x", "-1"))
	}
	if d.chance(4) {
		a.Query = append(a.Query, "allowWatchBookmarks="+d.pick("true", "true", "x"))
	}
	if d.chance(4) {
		a.Query = append(a.Query, "sendInitialEvents="+d.pick("true", "true", "false", "x"))
		if !d.chance(4) {
			a.Query = append(a.Query, "resourceVersionMatch="+d.pick("NotOlderThan", "NotOlderThan", "Exact"))
		}
	}
	if d.chance(15) {
		a.Query = append(a.Query, d.pick("limit=1", "continue=x", "timeoutSeconds=x", "resourceVersionMatch=NotOlderThan", "includeObject=Object"))
	}
	if d.chance(8) && !k.Cluster {
		a.Name = d.name(k)
	}
	return a
}

func (d drawer) watchEnded() Ask {
	a := d.watch()
	a.Query = append(a.Query, "timeoutSeconds=1")
	return a
}

func (d drawer) odd() Ask {
	k := d.kind()
	a := Ask{Kind: k.Name, Name: d.name(k), Method: d.pick(http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodHead, "ODD")}
	switch d.IntN(4) {
	case 0:
		a.Path = d.pick("/api/v1/nosuch", "/api/v2/pods", "/apis/nosuch.example.com/v1/x", "/nosuch", "/api/v1/namespaces/{NS}/nosuch/a", "/apis/apps/v1/namespaces/{NS}/pods", "/apis/probe.example.com/v1/namespaces/{NS}/nosuch", "/apis/probe.example.com/v2/namespaces/{NS}/widgets", "/api/v1/namespaces/{NS}/pods/a/nosuch/x", "/api/v1/namespaces/{NS}/pods/", "//api/v1/namespaces/{NS}/pods", "/apis/apps/v1beta1/deployments")
	case 1:
		a.Name = ""
		a.Method = d.pick(http.MethodPut, http.MethodPatch, "ODD")
	case 2:
		a.Name, a.Path = "", strings.Replace(k.path(), "{NS}", "nosuch", 1)
		a.Method = d.pick(http.MethodGet, http.MethodPost)
		if k.Cluster {
			a.Path = "/api/v1/nosuch"
		}
	}
	if a.Method != http.MethodGet && a.Method != http.MethodHead {
		a.Body = d.pick("", "{}", `{"metadata":{"name":"a"}}`)
		a.Headers = []string{"Content-Type: " + d.pick("application/json", "text/plain", "application/xml", "application/json-patch+json", "application/strategic-merge-patch+json")}
	}
	if k.DryRun || k.Fixed {
		a.Query = []string{"dryRun=All"}
	}
	return a
}
