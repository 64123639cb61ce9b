package runtime

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// imageID is the id of the image of all containers.
const imageID = "i1"

// reply is what a correct runtime answers to a call, but for what words say.
func (b *handmade) reply(a *asked, words []string) any {
	reply := read(a.method+"Response", nil)
	switch m := reply.(type) {
	case nil: // a reading of the suite's own, or an answer without a body
		if len(words) == 0 {
			return nil
		}
		body := map[string]any{}
		b.fields(&body, words)
		return body
	case *runtimeapi.RunPodSandboxResponse:
		m.PodSandboxId = b.id(words)
		a.pod.id = m.PodSandboxId
		b.pods = append(b.pods, a.pod)
	case *runtimeapi.CreateContainerResponse:
		m.ContainerId = b.id(words)
		a.container.id, b.all[m.ContainerId] = m.ContainerId, cmp.Or(b.all[m.ContainerId], a.container)
	case *runtimeapi.ContainerStatusResponse:
		if !slices.Equal(words, []string{"none"}) {
			m.Status = b.containerStatus(a.obj.UID, words)
		}
	case *runtimeapi.PodSandboxStatusResponse:
		m.Status = b.podStatus(a.obj.UID, runtimeapi.PodSandboxState(state(words, "SANDBOX_", runtimeapi.PodSandboxState_value)))
		b.fields(m.Status, words)
	case *runtimeapi.ContainerStatsResponse:
		m.Stats = &runtimeapi.ContainerStats{}
		b.item(m.Stats, a.obj.UID+":"+words[0])
	case *runtimeapi.ImageStatusResponse:
		if len(words) > 0 { // else there is none
			m.Image = &runtimeapi.Image{}
			b.item(m.Image, words[0])
			b.w.stored = m.Image
		}
	case *runtimeapi.PullImageResponse:
		m.ImageRef = cmp.Or(strings.Join(words, ""), imageID)
	case *runtimeapi.VersionResponse:
		m.Version, m.RuntimeName, m.RuntimeVersion, m.RuntimeApiVersion = "0.1.0", "fake", "1.0.0", "v1"
		b.fields(m, words)
	default:
		m = b.list(m, &words)
		b.fields(m, words)
	}
	return reply
}

// id returns the id that a call answers; none at all is written as "none".
func (b *handmade) id(words []string) string {
	require.Len(b.t, words, 1, "the answer of a create is one id")
	return strings.TrimPrefix(words[0], "none")
}

// state reads a state, and one is 0 that is not said.
func state(words []string, prefix string, values map[string]int32) int32 {
	if len(words) == 0 {
		return 0
	}
	return values[prefix+words[0]]
}

// fields sets the fields of a message by their paths. Words without a value are no fields.
func (b *handmade) fields(m any, words []string) {
	for _, word := range words {
		if path, value, ok := strings.Cut(word, "="); ok {
			if path == "code" {
				path = "exit_code"
			}
			b.put(m, path, value)
		}
	}
}

// containerStatus returns the status of a container whose id was answered, as "EXITED code=42 reason=Error".
func (b *handmade) containerStatus(id string, words []string) *runtimeapi.ContainerStatus {
	c := cmp.Or(b.all[id], &container{pod: &pod{}})
	m := &runtimeapi.ContainerStatus{Id: id, Metadata: c.config.GetMetadata(), Image: c.config.GetImage(), ImageRef: imageID, ImageId: imageID, CreatedAt: 1, Labels: c.config.GetLabels(), Annotations: c.config.GetAnnotations(),
		LogPath: c.logPath(), StopSignal: c.config.GetStopSignal(), Resources: &runtimeapi.ContainerResources{Linux: c.config.GetLinux().GetResources()}}
	m = proto.Clone(m).(*runtimeapi.ContainerStatus) // fields of the configuration stay as they are
	m.State = runtimeapi.ContainerState(state(words, "CONTAINER_", runtimeapi.ContainerState_value))
	if m.State != created {
		m.StartedAt = 2
	}
	if m.State == exited {
		m.FinishedAt, m.Reason = 3, "Error"
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "code=") }) {
			m.Reason = "Completed"
		}
	}
	b.fields(m, words)
	return m
}

// podStatus returns the status of a sandbox whose id was answered. Each has an address of its own.
func (b *handmade) podStatus(id string, state runtimeapi.PodSandboxState) *runtimeapi.PodSandboxStatus {
	at := slices.IndexFunc(b.pods, func(p *pod) bool { return p.id == id })
	if at < 0 {
		return &runtimeapi.PodSandboxStatus{Id: id, State: state}
	}
	config := b.pods[at].config
	options := config.GetLinux().GetSecurityContext().GetNamespaceOptions()
	m := &runtimeapi.PodSandboxStatus{Id: id, Metadata: config.Metadata, State: state, CreatedAt: 1, Labels: config.Labels, Annotations: config.Annotations, Network: &runtimeapi.PodSandboxNetworkStatus{},
		Linux: &runtimeapi.LinuxPodSandboxStatus{Namespaces: &runtimeapi.Namespace{Options: options}}}
	if options.GetNetwork() == runtimeapi.NamespaceMode_POD {
		m.Network.Ip = "10.0.0." + strconv.Itoa(at+1)
	}
	return proto.Clone(m).(*runtimeapi.PodSandboxStatus)
}

// list adds the items that words name, as "k1:RUNNING" or k1:RUNNING{"image_id":"x"}, to the list of a reply, if it has one.
func (b *handmade) list(m proto.Message, words *[]string) proto.Message {
	fields := m.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !f.IsList() || f.Message() == nil {
			continue
		}
		list := m.ProtoReflect().Mutable(f).List()
		for _, word := range *words {
			if strings.Contains(strings.Split(word, "{")[0], "=") {
				continue
			}
			item := list.NewElement()
			b.item(item.Message().Interface(), word)
			list.Append(item)
		}
	}
	return m
}

// item fills an item of a list in. After its id comes the state, the size of an image, or the time that the CPU was used.
func (b *handmade) item(item protoreflect.ProtoMessage, word string) {
	word, more, _ := strings.Cut(word, "{")
	id, what, _ := strings.Cut(word, ":")
	number, _ := strconv.ParseUint(what, 10, 64)
	switch m := item.(type) {
	case *runtimeapi.Container:
		c := cmp.Or(b.all[id], &container{pod: &pod{}})
		proto.Merge(m, &runtimeapi.Container{Id: id, PodSandboxId: c.pod.id, Metadata: c.config.GetMetadata(), Labels: c.config.GetLabels(), Annotations: c.config.GetAnnotations(), ImageId: imageID, ImageRef: imageID, CreatedAt: 1,
			State: runtimeapi.ContainerState(state([]string{what}, "CONTAINER_", runtimeapi.ContainerState_value))})
	case *runtimeapi.PodSandbox:
		s := b.podStatus(id, runtimeapi.PodSandboxState(state([]string{what}, "SANDBOX_", runtimeapi.PodSandboxState_value)))
		proto.Merge(m, &runtimeapi.PodSandbox{Id: id, Metadata: s.Metadata, State: s.State, Labels: s.Labels, Annotations: s.Annotations, CreatedAt: 1})
	case *runtimeapi.ContainerStats:
		proto.Merge(m, &runtimeapi.ContainerStats{Attributes: &runtimeapi.ContainerAttributes{Id: id}, Memory: &runtimeapi.MemoryUsage{Timestamp: 1}, Cpu: &runtimeapi.CpuUsage{Timestamp: 1, UsageCoreNanoSeconds: &runtimeapi.UInt64Value{Value: number}}})
	case *runtimeapi.PodSandboxStats:
		m.Attributes = &runtimeapi.PodSandboxAttributes{Id: id}
	case *runtimeapi.PodSandboxMetrics:
		m.PodSandboxId = id
	case *runtimeapi.Image:
		m.Id, m.Size = id, number
	default:
		b.t.Fatalf("%q is no item of a %T", word, item)
	}
	if more != "" {
		require.NoError(b.t, json.Unmarshal([]byte("{"+more), item))
	}
}
