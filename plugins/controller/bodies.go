package controller

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// readable makes JSON of request bodies in protobuf before a handler sees them: rules read what a controller sends. controller-runtime sends
// protobuf for all built-in kinds. What is no object of a kind known here stays as it is.
func readable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.Header.Get("Content-Type"), runtime.ContentTypeProtobuf) {
			b, err := io.ReadAll(q.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			if text, ok := inJSON(b); ok {
				b = text
				q.Header.Set("Content-Type", runtime.ContentTypeJSON)
			}
			q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
			q.Header.Del("Content-Length")
		}
		next.ServeHTTP(w, q)
	})
}

// inJSON returns an object in protobuf as JSON.
func inJSON(b []byte) ([]byte, bool) {
	obj, kind, err := scheme.Codecs.UniversalDeserializer().Decode(b, nil, nil)
	if err != nil {
		return nil, false
	}
	obj.GetObjectKind().SetGroupVersionKind(*kind)
	text, err := json.Marshal(obj)
	return text, err == nil
}
