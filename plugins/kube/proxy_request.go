package kube

import (
	"encoding/json"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

// asked is the entry of a request: what it asks for, as its path and query say.
func asked(r *http.Request) rig.Entry {
	e := rig.Entry{What: rig.Asked, URI: r.URL.RequestURI(), Accept: r.Header.Get("Accept")}
	part := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(part) > 2 && part[0] == "api":
		e.Version, part = part[1], part[2:]
	case len(part) > 3 && part[0] == "apis":
		e.Group, e.Version, part = part[1], part[2], part[3:]
	default:
		return e
	}
	if part[0] == "namespaces" && len(part) > 2 {
		e.Namespace, part = part[1], part[2:]
	}
	e.Resource = part[0]
	if len(part) > 1 || r.Method != http.MethodGet {
		e.Verb = verbs[r.Method]
		return e
	}
	var o metav1.ListOptions
	q := r.URL.Query()
	if metav1.Convert_url_Values_To_v1_ListOptions(&q, &o, nil) != nil {
		o = metav1.ListOptions{} // the server says what it thinks of it
	}
	if e.Verb = "list"; o.Watch {
		e.Verb = "watch"
	}
	e.Options = plain(o)
	return e
}

// verbs are those of single objects, and of all that change something.
var verbs = map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}

// plain are options in JSON; nil: none is set.
func plain(o metav1.ListOptions) json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil || string(b) == "{}" {
		return nil // they are plain data
	}
	return b
}
