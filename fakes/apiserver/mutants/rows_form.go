package mutants

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// formRows are faults of answers in other forms than the object itself. They stand before the server's handler, which makes the forms.
var formRows = []row{
	{name: "table-unserved", rule: "form/served", about: "a Table is asked for, and the objects come as they are (servers before Tables)",
		around: asking(`;as=Table`, nil)},
	{name: "metadata-watch-unserved", rule: "form/served", about: "a watch of PartialObjectMetadata brings whole objects",
		around: asking(`;as=PartialObjectMetadata;`, func(r *http.Request) bool { return r.URL.Query().Has("watch") })},
	{name: "table-labels-lost", rule: "form/same", about: "the objects in the rows of a Table come without their labels",
		around: answered("Table", eachOf("rows", func(row map[string]any) { loseLabels(in(row, "object")) }))},
	{name: "metadata-list-labels-lost", rule: "form/same", about: "the items of a PartialObjectMetadataList come without their labels",
		around: answered("PartialObjectMetadataList", eachOf("items", loseLabels))},
	{name: "table-continue-lost", rule: "form/list", about: "a page as a Table has no continue token: kubectl takes it for the whole list",
		around: answered("Table", func(body map[string]any) { delete(in(body, "metadata"), "continue") })},
	{name: "served-other-uid", rule: "version/served", about: "gets and lists by another version than the first show another uid",
		on: "get|list", when: byOldVersion, answer: objects(func(o metav1.Object) { o.SetUID(o.GetUID() + "0") })},
	{name: "served-labels-lost", rule: "version/served", about: "lists by another version than the first show no labels: the conversion forgets them",
		on: "list", when: byOldVersion, answer: objects(func(o metav1.Object) { o.SetLabels(nil) })},
}

// byOldVersion is for requests by autoscaling/v1, of which v2 is the first version.
func byOldVersion(c *call) bool {
	return c.Resource.Resource == "horizontalpodautoscalers" && c.Resource.Version == "v1"
}

// asking takes a form out of what such requests accept. nil: all requests.
func asking(form string, such func(*http.Request) bool) func(http.Handler) http.Handler {
	asked := regexp.MustCompile(form + `[^,]*`)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if such == nil || such(r) {
				r.Header.Set("Accept", asked.ReplaceAllString(r.Header.Get("Accept"), ""))
			}
			next.ServeHTTP(w, r)
		})
	}
}

// answered changes answers in JSON of a kind, other than those of watches.
func answered(kind string, change func(body map[string]any)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("watch") || !strings.Contains(r.Header.Get("Accept"), "json;as="+kind) {
				next.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			b := answer.Body.Bytes()
			var body map[string]any
			if json.Unmarshal(b, &body) == nil && body["kind"] == kind {
				change(body)
				b, _ = json.Marshal(body) // it was JSON
			}
			maps.Copy(w.Header(), answer.Header())
			w.Header().Del("Content-Length")
			w.WriteHeader(answer.Code)
			_, _ = w.Write(b) // to a client that may have left
		})
	}
}

// eachOf changes each object in a list.
func eachOf(list string, change func(map[string]any)) func(map[string]any) {
	return func(body map[string]any) {
		all, _ := body[list].([]any)
		for _, one := range all {
			if o, ok := one.(map[string]any); ok {
				change(o)
			}
		}
	}
}

func loseLabels(object map[string]any) { delete(in(object, "metadata"), "labels") }

// in returns the object in a field; nil: there is none.
func in(object map[string]any, field string) map[string]any {
	o, _ := object[field].(map[string]any)
	return o
}
