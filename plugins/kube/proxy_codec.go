package kube

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/lwtest/lwtest/conformance/rig"
)

// codec reads what passes a proxy: JSON, and protobuf of types that are built in.
type codec struct{ protobuf runtime.Decoder }

func newCodec() codec {
	known := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(known))
	utilruntime.Must(metav1.AddMetaToScheme(known))
	return codec{protobuf.NewSerializer(known, known)}
}

// isProtobuf looks at a Content-Type.
func isProtobuf(media string) bool { return strings.HasPrefix(media, runtime.ContentTypeProtobuf) }

// answer is the entry of a whole answer.
func (c codec) answer(code int, h http.Header, b []byte) rig.Entry {
	e := rig.Entry{What: rig.Answered, Code: int32(code)}
	b, err := c.json(h, b)
	switch {
	case err != nil:
		e.Message = err.Error()
	case code >= http.StatusBadRequest:
		fail(&e, b)
	default:
		e.Object = b
	}
	return e
}

// fail sets what an error says.
func fail(e *rig.Entry, b []byte) {
	var s metav1.Status
	if json.Unmarshal(b, &s) != nil || s.Status != metav1.StatusFailure {
		e.Message = string(b)
		return
	}
	e.Code, e.Reason, e.Message, e.Object = s.Code, string(s.Reason), s.Message, b
}

// json is a body in JSON, if it is of an object.
func (c codec) json(h http.Header, b []byte) ([]byte, error) {
	if h.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("the answer cannot be unpacked: %w", err)
		}
		if b, err = io.ReadAll(z); err != nil {
			return nil, fmt.Errorf("the answer cannot be unpacked: %w", err)
		}
	}
	if isProtobuf(h.Get("Content-Type")) {
		return c.shown(b)
	}
	return b, nil
}

// shown is an object of protobuf in JSON.
func (c codec) shown(b []byte) ([]byte, error) {
	o, _, err := c.protobuf.Decode(b, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("protobuf cannot be read: %w", err)
	}
	return json.Marshal(o)
}

// event is the entry of a frame of a watch.
func (c codec) event(media string, frame []byte) rig.Entry {
	read := eventOfJSON
	if isProtobuf(media) {
		read = c.eventOfProtobuf
	}
	kind, object, err := read(frame)
	if err != nil {
		return rig.Entry{What: rig.Spoiled, Event: kind, Does: "unreadable: " + err.Error()}
	}
	e := rig.Entry{What: rig.Sent, Event: kind, Object: object}
	if kind == "ERROR" {
		fail(&e, object)
	}
	return e
}

func eventOfJSON(frame []byte) (kind string, object []byte, err error) {
	var e struct {
		Type   string
		Object json.RawMessage
	}
	err = json.Unmarshal(frame, &e)
	return e.Type, e.Object, err
}

func (c codec) eventOfProtobuf(frame []byte) (kind string, object []byte, err error) {
	var e metav1.WatchEvent
	if err := e.Unmarshal(frame[lengthBytes:]); err != nil {
		return "", nil, err
	}
	object, err = c.shown(e.Object.Raw)
	return e.Type, object, err
}
