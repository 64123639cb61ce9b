package runtime_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	faulty "github.com/lwtest/lwtest/plugins/mutants/runtime"
)

// passed is a call of somebody else, such as a kubelet, that a proxy has seen.
type passed struct {
	method, key, id string
	ask, reply      proto.Message
	err             error
	takes           time.Duration
	within          []passed // calls that come and return before this one returns
}

// traced judges a history of calls. It returns the addresses of the rules that are broken.
func traced(t *testing.T, calls ...passed) (broken []string) {
	t.Helper()
	raw := func(m proto.Message) json.RawMessage {
		b, err := json.Marshal(m)
		require.NoError(t, err)
		return b
	}
	var events []history.Event
	at := time.Duration(0)
	var add func([]passed)
	add = func(calls []passed) {
		for _, c := range calls {
			num := int32(len(events) + 1)
			events = append(events, history.Event{Phase: history.Call, Actor: "c1", Kind: c.method, At: int64(at), Obj: history.Ref{Key: c.key, UID: c.id}, X: &history.Ext{Args: raw(c.ask)}})
			add(c.within)
			at += time.Millisecond + c.takes
			x := &history.Ext{}
			if c.err != nil {
				x.Err = runtime.Failure(c.err)
			} else {
				x.Body = raw(c.reply)
			}
			events = append(events, history.Event{Phase: history.Return, Call: num, Actor: "c1", Kind: c.method, At: int64(at), X: x})
		}
	}
	add(calls)
	header := history.Header{Kind: "runtime", Time: history.RealTime}
	for _, f := range runtime.TraceFeatures {
		header.Features = append(header.Features, string(f))
	}
	h, err := history.New(header, events)
	require.NoError(t, err)
	r := runtime.Suite.Describe().Judge(harness.Info{}, h)
	for _, rule := range r.Rules {
		assert.NotContains(t, rule.Reason, "panicked", rule.Rule)
		if rule.Verdict == harness.Fail {
			broken = append(broken, rule.Rule)
		}
	}
	return broken
}

// What a kubelet asks and is answered.

func pod(state runtimeapi.PodSandboxState, at time.Duration) []passed {
	m := &runtimeapi.PodSandboxMetadata{Name: "web", Namespace: "default", Uid: "1"}
	return []passed{{method: "RunPodSandbox", key: "default/web", ask: &runtimeapi.RunPodSandboxRequest{Config: &runtimeapi.PodSandboxConfig{Metadata: m}}, reply: &runtimeapi.RunPodSandboxResponse{PodSandboxId: "s1"}},
		{method: "PodSandboxStatus", id: "s1", ask: &runtimeapi.PodSandboxStatusRequest{PodSandboxId: "s1"}, takes: at,
			reply: &runtimeapi.PodSandboxStatusResponse{Status: &runtimeapi.PodSandboxStatus{Id: "s1", Metadata: m, State: state, CreatedAt: 1, Network: &runtimeapi.PodSandboxNetworkStatus{Ip: "10.0.0.1"}}}}}
}

func foreign(image, logPath string) []passed {
	config := &runtimeapi.ContainerConfig{Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, Image: &runtimeapi.ImageSpec{Image: image}, Command: []string{"nginx"}, LogPath: logPath}
	return []passed{{method: "CreateContainer", key: "default/web/main", ask: &runtimeapi.CreateContainerRequest{PodSandboxId: "s1", Config: config}, reply: &runtimeapi.CreateContainerResponse{ContainerId: "c1"}},
		{method: "StartContainer", id: "c1", ask: &runtimeapi.StartContainerRequest{ContainerId: "c1"}, reply: &runtimeapi.StartContainerResponse{}}}
}

func sight(state runtimeapi.ContainerState, code int32, image string, takes time.Duration) passed {
	s := &runtimeapi.ContainerStatus{Id: "c1", Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, State: state, CreatedAt: 1, StartedAt: 2, ExitCode: code, ImageId: image}
	if state == runtimeapi.ContainerState_CONTAINER_EXITED {
		s.FinishedAt, s.Reason = 3, "Error"
	}
	return passed{method: "ContainerStatus", id: "c1", takes: takes, ask: &runtimeapi.ContainerStatusRequest{ContainerId: "c1"}, reply: &runtimeapi.ContainerStatusResponse{Status: s}}
}

func image(name, id string) passed {
	reply := &runtimeapi.ImageStatusResponse{}
	if id != "" {
		reply.Image = &runtimeapi.Image{Id: id, Size: 1, RepoTags: []string{name}}
	}
	return passed{method: "ImageStatus", key: name, ask: &runtimeapi.ImageStatusRequest{Image: &runtimeapi.ImageSpec{Image: name}}, reply: reply}
}

func pull(name, id string) passed {
	return passed{method: "PullImage", key: name, ask: &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: name}}, reply: &runtimeapi.PullImageResponse{ImageRef: id}}
}

func unimage(name string) passed {
	return passed{method: "RemoveImage", key: name, ask: &runtimeapi.RemoveImageRequest{Image: &runtimeapi.ImageSpec{Image: name}}, reply: &runtimeapi.RemoveImageResponse{}}
}

func images(name, id string) passed {
	return passed{method: "ListImages", ask: &runtimeapi.ListImagesRequest{}, reply: &runtimeapi.ListImagesResponse{Images: []*runtimeapi.Image{{Id: id, Size: 1, RepoTags: []string{name}}}}}
}

func removal(err error, within ...passed) passed {
	return passed{method: "RemoveContainer", id: "c1", ask: &runtimeapi.RemoveContainerRequest{ContainerId: "c1"}, reply: &runtimeapi.RemoveContainerResponse{}, err: err, within: within}
}

func all(parts ...any) (out []passed) {
	for _, p := range parts {
		switch p := p.(type) {
		case passed:
			out = append(out, p)
		case []passed:
			out = append(out, p...)
		}
	}
	return out
}

// Rules blame nobody for what the calls of somebody else do not show: what containers do, which images there are, why sandboxes end.
// What is certain they do blame.
func TestOfOthers(t *testing.T) {
	const ready, notReady = runtimeapi.PodSandboxState_SANDBOX_READY, runtimeapi.PodSandboxState_SANDBOX_NOTREADY
	const running, exited = runtimeapi.ContainerState_CONTAINER_RUNNING, runtimeapi.ContainerState_CONTAINER_EXITED
	begin := pod(ready, 0)
	busy := errors.New("container is already in removing state")
	readyPods := &runtimeapi.ListPodSandboxRequest{Filter: &runtimeapi.PodSandboxFilter{State: &runtimeapi.PodSandboxStateValue{State: ready}}}
	for name, x := range map[string]struct {
		calls []passed
		want  []string
	}{
		"a container runs on":             {all(begin, foreign("a", ""), sight(running, 0, "", time.Minute), sight(running, 0, "", time.Minute)), nil},
		"it ends with a code":             {all(begin, foreign("a", ""), sight(exited, 7, "", time.Minute)), nil},
		"it runs after its end":           {all(begin, foreign("a", ""), sight(exited, 7, "", 0), sight(running, 0, "", 0)), []string{"container/final"}},
		"a sandbox ends by itself":        {all(pod(notReady, time.Minute), passed{method: "ListPodSandbox", ask: readyPods, reply: &runtimeapi.ListPodSandboxResponse{}}), nil},
		"there is no folder for logs":     {all(begin, foreign("a", "main.log"), sight(running, 0, "", 0)), nil},
		"an image is not there yet":       {all(image("a", ""), pull("a", "1"), image("a", "1")), nil},
		"a tag moves":                     {all(image("a", "1"), begin, foreign("a", ""), pull("a", "2"), image("a", "2"), sight(running, 0, "1", 0)), nil},
		"a container is of another image": {all(image("a", "1"), begin, foreign("a", ""), pull("a", "2"), sight(running, 0, "2", 0)), []string{"container/image"}},
		"a pull answers another id":       {all(pull("a", "2"), image("a", "1")), []string{"container/image"}},
		"an image goes":                   {all(image("a", "1"), unimage("1"), image("a", ""), images("b", "2")), nil},
		"an image stays":                  {all(image("a", "1"), unimage("a"), images("a", "1")), []string{"image/remove"}},
		"one of two names goes":           {all(image("a", "1"), unimage("a"), images("b", "1")), nil},
		"a pull brings it back":           {all(image("a", "1"), passed{method: "PullImage", key: "a", ask: &runtimeapi.PullImageRequest{}, reply: &runtimeapi.PullImageResponse{ImageRef: "1"}, within: []passed{unimage("a")}}, images("a", "1")), nil},
		"an image is lost":                {all(image("a", "1"), image("a", "")), []string{"image/status"}},
		"two removals at once":            {all(begin, foreign("a", ""), removal(nil, removal(busy))), nil},
		"a removal fails":                 {all(begin, foreign("a", ""), removal(busy)), []string{"remove/gone"}},
		"a network fails": {all(begin, passed{method: "RemovePodSandbox", id: "s1", ask: &runtimeapi.RemovePodSandboxRequest{PodSandboxId: "s1"}, reply: &runtimeapi.RemovePodSandboxResponse{}},
			passed{method: "RunPodSandbox", ask: begin[0].ask, err: status.Error(codes.Unknown, "failed to set up the network")}), nil},
		"a name stays taken": {all(begin, passed{method: "RemovePodSandbox", id: "s1", ask: &runtimeapi.RemovePodSandboxRequest{PodSandboxId: "s1"}, reply: &runtimeapi.RemovePodSandboxResponse{}},
			passed{method: "RunPodSandbox", ask: begin[0].ask, err: status.Error(codes.Unknown, "name is reserved for s1")}), []string{"sandbox/unique"}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, x.want, traced(t, x.calls...)) })
	}
}

// What the suite and random stories do on correct runtimes, judged as the calls of somebody else: no rule blames anybody. Nor does
// one if what the containers do is not known, or if the history begins in the middle.
func TestStoriesOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays stories for seconds")
	}
	rand := func(n int) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(n))) }
	for _, m := range faulty.Correct() {
		t.Run(m.Name, func(t *testing.T) {
			cases := slices.Clone(m.Cases())
			for n := range 150 {
				c, err := m.Cases()[0].Play(runtime.Suite.Language.Draw(rand(n), 20))
				require.NoError(t, err)
				cases = append(cases, c)
			}
			for _, c := range cases {
				r, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
				if h == nil || r.Verdict == harness.Fail {
					continue // of TestFakes, and of fuzzing
				}
				header := h.Header
				header.Story, header.Check, header.Features = nil, "", nil
				for _, f := range runtime.TraceFeatures {
					header.Features = append(header.Features, string(f))
				}
				for name, events := range map[string][]history.Event{"whole": h.Events, "of unknown works": unknownWorks(h.Events), "from the middle": fromMiddle(t, h.Events)} {
					other, err := history.New(header, slices.Clone(events))
					require.NoError(t, err)
					judged := runtime.Suite.Describe().Judge(harness.Info{}, other)
					for _, rule := range judged.Broken() {
						t.Errorf("%s, %s: %s: want %s, got %s\n%s", c.Name, name, rule.Rule, rule.Bad[0].Want, rule.Bad[0].Got, rule.Bad[0].Timeline)
					}
				}
			}
		})
	}
}

// unknownWorks returns events in which no container says what it does.
func unknownWorks(events []history.Event) []history.Event {
	events = slices.Clone(events)
	for i, e := range events {
		if e.X != nil {
			x := *e.X
			x.Args, x.Body = bytes.ReplaceAll(x.Args, []byte(`"lwtest/work"`), []byte(`"work"`)), bytes.ReplaceAll(x.Body, []byte(`"lwtest/work"`), []byte(`"work"`))
			if len(x.Args) == 0 {
				x.Args = nil
			}
			if len(x.Body) == 0 {
				x.Body = nil
			}
			events[i].X = &x
		}
	}
	return events
}

// fromMiddle returns the second half of events, without answers to calls of the first, and after a list of what that has made.
func fromMiddle(t *testing.T, events []history.Event) (out []history.Event) {
	is, there := map[int32]int32{}, map[string]bool{}
	var sandboxes runtimeapi.ListPodSandboxResponse
	var containers runtimeapi.ListContainersResponse
	for _, e := range events[:len(events)/2] {
		var made struct {
			Pod       string `json:"pod_sandbox_id"`
			Container string `json:"container_id"`
		}
		if e.Phase != history.Return || e.X == nil || json.Unmarshal(e.X.Body, &made) != nil || there[made.Pod+made.Container] {
			continue
		}
		there[made.Pod+made.Container] = true
		switch {
		case made.Pod != "":
			sandboxes.Items = append(sandboxes.Items, &runtimeapi.PodSandbox{Id: made.Pod})
		case made.Container != "":
			containers.Containers = append(containers.Containers, &runtimeapi.Container{Id: made.Container})
		}
	}
	for kind, m := range map[string]proto.Message{"ListPodSandbox": &sandboxes, "ListContainers": &containers} {
		b, err := json.Marshal(m)
		require.NoError(t, err)
		out = append(out, history.Event{Actor: "proxy", Kind: kind, Phase: history.Call})
		out = append(out, history.Event{Actor: "proxy", Kind: kind, Phase: history.Return, Call: int32(len(out)), X: &history.Ext{Body: b}})
	}
	for _, e := range events[len(events)/2:] {
		num := e.Num
		if e.Call != 0 && is[e.Call] == 0 {
			continue
		}
		e.Call = is[e.Call]
		out = append(out, e)
		is[num] = int32(len(out))
	}
	return out
}
