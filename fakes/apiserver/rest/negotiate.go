package rest

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// clause is one alternative of an Accept header.
type clause struct {
	kind, sub string
	params    map[string]string
	quality   float64
}

// accepts reads an Accept header, what is wanted most first. What cannot be read is left out.
func accepts(header string) []clause {
	var out []clause
	for _, part := range strings.Split(header, ",") {
		name, params, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil {
			continue
		}
		c := clause{params: params, quality: 1}
		c.kind, c.sub, _ = strings.Cut(name, "/")
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			c.quality = q
		}
		delete(params, "q")
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b clause) int {
		switch {
		case a.quality != b.quality && a.quality > b.quality, a.quality == b.quality && a.wild() < b.wild():
			return -1
		case a.quality == b.quality && a.wild() == b.wild():
			return 0
		}
		return 1
	})
	return out
}

// wild is how many halves of the type are left open.
func (c clause) wild() int {
	return strings.Count(c.kind+c.sub, "*")
}

func (c clause) covers(m *media) bool {
	kind, sub, _ := strings.Cut(m.name, "/")
	return (c.kind == kind || c.kind == "*") && (c.sub == sub || c.sub == "*")
}

// target is the type that objects are wanted as; empty: their own.
func (c clause) target() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: c.params["g"], Version: c.params["v"], Kind: c.params["as"]}
}

// offer says whether a representation of a type is served somewhere.
type offer func(m *media, c clause) bool

// asItIs offers everything, as nothing else.
func asItIs(_ *media, c clause) bool { return c.target().Empty() && c.params["sv"] == "" }

// offers are what a resource's answers can be had as.
func (r *row) offers(m *media, c clause) bool {
	as, server := c.target(), c.params["sv"]
	switch gv := as.GroupVersion(); {
	case server != "" && server != metav1.SchemeGroupVersion.Version:
		return false
	case as.Empty():
		return !r.custom && !r.Custom || ofCustom(m)
	case gv != metav1.SchemeGroupVersion && gv != metav1beta1.SchemeGroupVersion:
		return false
	case as.Kind == "Table":
		return m.name != runtime.ContentTypeProtobuf && !slices.Contains([]string{"Binding", "Eviction", "TokenRequest"}, r.Kind) // these are only made
	}
	return as.Kind == "PartialObjectMetadata" || as.Kind == "PartialObjectMetadataList"
}

// negotiate chooses the form of an answer; false: none that is wanted is offered.
func (c *codecs) negotiate(r *http.Request, o offer) (form, bool) {
	header := r.Header.Get("Accept")
	if header == "" {
		return form{media: c.all[0], indented: indented(r)}, true
	}
	for _, clause := range accepts(header) {
		for _, m := range c.all {
			if !clause.covers(m) || !o(m, clause) {
				continue
			}
			if s := clause.params["stream"]; s != "" && (s != "watch" || !m.stream) {
				continue
			}
			return form{media: m, as: clause.target(), indented: clause.params["pretty"] == "1" || indented(r)}, true
		}
	}
	return form{}, false
}

// indented answers are for people: who asks for them, or uses what people use.
func indented(r *http.Request) bool {
	if said := r.URL.Query().Get("pretty"); said != "" {
		yes, _ := strconv.ParseBool(said)
		return yes
	}
	for _, agent := range []string{"curl", "Wget", "Mozilla/5.0"} {
		if strings.HasPrefix(r.UserAgent(), agent) {
			return true
		}
	}
	return false
}

// routed says whether an Accept header names anything of these at all, before its parameters count.
func routed(header string, media []string) bool {
	if header == "" {
		return true
	}
	for _, part := range strings.Split(header, ",") {
		name, _, _ := strings.Cut(part, ";")
		if name = strings.TrimSpace(name); name == "*/*" || slices.Contains(media, name) {
			return true
		}
	}
	return false
}
