package proxy

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// method is a call of the CRI that this cri-api knows.
type method struct {
	name, full string // "Version", "/runtime.v1.RuntimeService/Version"
	in, out    protoreflect.MessageType
	streams    bool // a streaming list
	watches    bool // the stream of events
}

// methods are the calls of both services, by their full names.
var methods = func() map[string]*method {
	out := map[string]*method{}
	for _, service := range []string{runtimeapi.RuntimeService_ServiceDesc.ServiceName, runtimeapi.ImageService_ServiceDesc.ServiceName} {
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
		if err != nil {
			panic(err) // cri-api registers both
		}
		all := d.(protoreflect.ServiceDescriptor).Methods()
		for k := range all.Len() {
			d := all.Get(k)
			m := &method{name: string(d.Name()), full: "/" + service + "/" + string(d.Name()), in: typeOf(d.Input()), out: typeOf(d.Output())}
			m.watches = m.full == runtimeapi.RuntimeService_GetContainerEvents_FullMethodName
			m.streams = d.IsStreamingServer() && !m.watches
			if !d.IsStreamingClient() {
				out[m.full] = m
			}
		}
	}
	return out
}()

func typeOf(d protoreflect.MessageDescriptor) protoreflect.MessageType {
	t, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
	if err != nil {
		panic(err) // cri-api registers all of its types
	}
	return t
}

// read reads a message; nil: it cannot be read.
func read(t protoreflect.MessageType, raw frame) proto.Message {
	out := t.New().Interface()
	if proto.Unmarshal(raw, out) != nil {
		return nil
	}
	return out
}

// add adds a message of a streaming list to those before it.
func (m *method) add(to proto.Message, raw frame) proto.Message {
	part := read(m.out, raw)
	if to == nil || part == nil {
		return part
	}
	proto.Merge(to, part)
	return to
}
