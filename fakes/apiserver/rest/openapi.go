package rest

import (
	"archive/zip"
	"bytes"
	"crypto/sha512"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// openAPIZip has a document for each version of a group, NAME.json: a kube-apiserver's, of v1.37.1, cut down to the
// resources that are served here. TestRealOpenAPI makes it.
//
//go:embed openapi.zip
var openAPIZip []byte

// openAPI are the documents of OpenAPI v3, by the path below /openapi/v3.
type openAPI struct {
	docs map[string]openAPIDoc
	read time.Time
}

type openAPIDoc struct {
	json  describing
	proto func() (describing, error) // made at the first request that asks for it
}

func newOpenAPIDoc(body []byte) openAPIDoc {
	return openAPIDoc{described(body), sync.OnceValues(func() (describing, error) {
		doc, err := openapi_v3.ParseDocument(body)
		if err != nil {
			return describing{}, err
		}
		pb, err := proto.MarshalOptions{Deterministic: true}.Marshal(doc)
		return described(pb), err
	})}
}

// describing is a document as it is sent.
type describing struct {
	body []byte
	hash string
}

// openAPIProto is the protobuf of clients; the sign in it was another one once.
const openAPIProto = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"

// documented unpacks the documents, once: it takes some milliseconds that nobody waits for who does not ask.
var documented = sync.OnceValues(func() (openAPI, error) {
	out := openAPI{docs: map[string]openAPIDoc{}, read: time.Now()}
	z, err := zip.NewReader(bytes.NewReader(openAPIZip), int64(len(openAPIZip)))
	if err != nil {
		return out, err
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return out, err
		}
		body, err := io.ReadAll(r)
		if err != nil {
			return out, err
		}
		out.docs[strings.TrimSuffix(f.Name, ".json")] = newOpenAPIDoc(body)
	}
	return out, nil
})

func described(body []byte) describing {
	return describing{body, fmt.Sprintf("%X", sha512.Sum512(body))}
}

// documents are those of what this server has.
func (s *served) documents() (openAPI, error) {
	all, err := documented()
	if err != nil {
		return all, err
	}
	all.docs = maps.Clone(all.docs)
	all.read = all.read.Add(time.Duration(s.changes) * time.Second) // else caches would keep what they have: they count in seconds
	for name := range all.docs {
		if !s.describes(name) && name != templates {
			delete(all.docs, name)
		}
	}
	return all, all.describeCustom(s.table.order)
}

// openAPI serves /openapi/v3, which names the documents, and what is below it.
func (x *exchange) openAPI(below []string) {
	all, err := x.openAPIs()
	switch {
	case err != nil:
		x.fail(err)
	case len(below) == 1 && below[0] == "v2":
		x.openAPIv2()
	case len(below) == 0 || below[0] != "v3":
		x.noPage()
	case len(below) == 1 && strings.HasSuffix(x.r.URL.Path, "/"):
		x.w.WriteHeader(http.StatusNotFound)
	case len(below) == 1:
		x.openAPIIndex(all)
	default:
		name := strings.Join(below[1:], "/")
		if doc, ok := all.docs[name]; ok {
			x.openAPIDocument(name, doc, all.read)
			return
		}
		if parts := below[1:]; len(parts) == 3 && parts[0] == "apis" {
			if s := x.remoteService(parts[1], parts[2]); s != nil {
				x.remote(s)
				return
			}
		}
		x.w.WriteHeader(http.StatusNotFound)
	}
}

// describes says whether a document of built-in kinds is about something that is served.
func (s *served) describes(name string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(s.found().versions)), func(gv schema.GroupVersion) bool {
		return name == "apis/"+gv.String() || gv.Group == "" && name == "api/"+gv.Version
	})
}

func relativeURL(name string, d describing) string { return "/openapi/v3/" + name + "?hash=" + d.hash }

func (x *exchange) openAPIIndex(all openAPI) {
	type item struct {
		ServerRelativeURL string `json:"serverRelativeURL"`
	}
	out := struct {
		Paths map[string]item `json:"paths"`
	}{map[string]item{}}
	for name, doc := range all.docs {
		out.Paths[name] = item{relativeURL(name, doc.json)}
	}
	for _, s := range x.remoteServices() { // without a hash: such documents are not kept
		if name := "apis/" + s.Spec.Group + "/" + s.Spec.Version; s.Available().Status == metav1.ConditionTrue {
			out.Paths[name] = item{"/openapi/v3/" + name}
		}
	}
	body, err := json.Marshal(out)
	if err != nil {
		panic(err) // texts
	}
	x.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	http.ServeContent(x.w, x.r, "", all.read, bytes.NewReader(body))
}

// openAPIDocument sends a document in the form that is wanted. With its hash in the query it lasts; with
// another it is elsewhere.
func (x *exchange) openAPIDocument(name string, doc openAPIDoc, since time.Time) {
	out := x.w.Header()
	out.Set("Vary", "Accept")
	kind, d, ok := x.inForm(doc, openAPIProto)
	if !ok {
		return
	}
	out.Set("Content-Type", kind)
	out.Set("ETag", strconv.Quote(d.hash))
	if hash := x.r.URL.Query().Get("hash"); hash != "" {
		if hash != doc.json.hash && hash != d.hash {
			http.Redirect(x.w, x.r, relativeURL(name, doc.json), http.StatusMovedPermanently)
			return
		}
		out.Set("Cache-Control", "public, immutable")
		out.Set("Expires", time.Now().AddDate(1, 0, 0).Format(time.RFC1123))
	}
	http.ServeContent(x.w, x.r, "", since, bytes.NewReader(d.body))
}

// inForm returns a document in the form that is wanted, JSON or protobuf; false: the request has been refused.
func (x *exchange) inForm(doc openAPIDoc, proto string) (kind string, d describing, ok bool) {
	switch kind = openAPIForm(x.r.Header.Get("Accept"), proto); kind {
	case "":
		x.w.WriteHeader(http.StatusNotAcceptable)
		return "", d, false
	case proto:
		var err error
		if d, err = doc.proto(); err != nil {
			x.fail(err)
			return "", d, false
		}
		return kind, d, true
	}
	return kind, doc.json, true
}

// openAPIForm chooses JSON or a form in protobuf; empty: neither is wanted.
func openAPIForm(accept, proto string) string {
	if accept == "" {
		accept = "*/*"
	}
	accept = strings.ReplaceAll(accept, "@v1.0", ".v1.0") // no media type may have that sign
	for _, c := range accepts(accept) {
		for _, name := range []string{runtime.ContentTypeJSON, proto} {
			if c.covers(&media{name: name}) {
				return name
			}
		}
	}
	return ""
}
