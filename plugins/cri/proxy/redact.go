package proxy

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// redacted stands in the place of a secret.
const redacted = "redacted"

// lastApplied is the annotation in which kubectl keeps the whole pod, with its environment.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Redact returns a copy of a message without its secrets: passwords and tokens of registries, the values of environment variables,
// kubectl's copy of the pod, the addresses of exec, attach and port-forward, which have a token, and what a runtime tells in info,
// which has the environment, too. Commands and what they print stay.
func Redact(m proto.Message) proto.Message {
	out := proto.Clone(m)
	redact(out.ProtoReflect())
	return out
}

func redact(m protoreflect.Message) {
	switch x := m.Interface().(type) {
	case *runtimeapi.AuthConfig:
		proto.Reset(x)
		return
	case *runtimeapi.KeyValue:
		x.Value = []byte(redacted)
		return
	case *runtimeapi.ExecResponse:
		x.Url = redacted
	case *runtimeapi.AttachResponse:
		x.Url = redacted
	case *runtimeapi.PortForwardResponse:
		x.Url = redacted
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap() && f.Name() == "info":
			m.Clear(f)
		case f.IsMap() && f.MapValue().Kind() == protoreflect.StringKind:
			if key := protoreflect.ValueOfString(lastApplied).MapKey(); v.Map().Has(key) {
				v.Map().Set(key, protoreflect.ValueOfString(redacted))
			}
		case f.IsMap() && f.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, x protoreflect.Value) bool { redact(x.Message()); return true })
		case f.IsMap():
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				redact(v.List().Get(i).Message())
			}
		case !f.IsList() && f.Message() != nil:
			redact(v.Message())
		}
		return true
	})
}
