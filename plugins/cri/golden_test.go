package cri_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	fake "github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/plugins/cri"
)

// golden has the answers of containerd 2.4.2 to the checks of the suite.
const golden = "testdata/containerd-2.4.2.json"

// differences are where the fake answers otherwise, and why it may. Each is a pattern of "METHOD KEY: FIELD = VALUE".
var differences = map[string]string{
	`memory_swap_limit_in_bytes`:                     "containerd tells the limit that it gives to runc, as nobody named one",
	`(writable_layer|swap|io)\.`:                     "the fake has every figure at once; containerd looks at layers every ten seconds, and tells nothing of swap and pressure here",
	`usage_nano_cores`:                               "containerd needs two looks for it",
	`Stats: .*(stats|containers)\.attributes`:        "containerd also lists containers that do not run, without figures",
	`PodSandboxStats: .*(interfaces|page_faults)`:    "the fake has no second list of interfaces, and no page faults",
	`PodSandboxStats: .*process_count`:               "the fake counts a process for each container",
	`(List|Stream)Images: images\.`:                  "containerd also has the image of sandboxes, and the image of the suite has no digest there: it was imported",
	`ImageStatus: (image\.|OK)`:                      "an image that was imported has no digest, and cannot be asked for by one",
	`Version: runtime_`:                              "the names differ",
	`^Status: `:                                      "the fake has one handler, with every feature, and no condition of its own",
	`RuntimeConfig: `:                                "the fake says systemd, as most nodes do",
	`ImageFsInfo: `:                                  "containerd counts later, and has no file system of containers",
	`status\.message`:                                "the words are those of runc",
	`(ContainerStatus|ListContainers).*image\.image`: "containerd tells a tag of the image, whatever the container was created by",
}

// notCompared are checks whose calls overlap, or that the fake passes and containerd does not.
var notCompared = []string{"event/order/many", "stop/again", "stop/ended", "restart/stop", "restart/exit", "exec/timeout", "exec/output", "container/retry", "leak/none"}

// TestGolden plays the checks of the suite on the fake, as containerd, and compares all answers with those of containerd 2.4.2.
// LWTEST_CRI=cri:unix://… writes down those of a real one instead: make goldens-cri.
func TestGolden(t *testing.T) {
	address, record := os.LookupEnv("LWTEST_CRI")
	target := cri.FakeTarget(fake.Containerd)
	if record {
		var err error
		target, err = cri.Open(t.Context(), strings.TrimPrefix(address, "cri:"))
		require.NoError(t, err)
		defer target.Release()
	}
	got := map[string][]string{}
	for _, c := range target.Cases {
		if slices.Contains(notCompared, strings.TrimPrefix(c.Name, "runtime/")) {
			continue
		}
		if r, h := harness.Run(c, harness.Options{TB: t, Seed: 1}); r.Verdict != harness.Skip {
			got[c.Name] = describe(h)
		}
	}
	if record {
		b, err := json.MarshalIndent(got, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(golden, append(b, '\n'), 0o644))
		return
	}
	b, err := os.ReadFile(golden)
	require.NoError(t, err)
	var want map[string][]string
	require.NoError(t, json.Unmarshal(b, &want))
	used := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		for _, line := range onlyIn(want[name], got[name]) {
			if !explained(line, used) {
				t.Errorf("%s: only containerd: %s", name, line)
			}
		}
		for _, line := range onlyIn(got[name], want[name]) {
			if !explained(line, used) {
				t.Errorf("%s: only the fake: %s", name, line)
			}
		}
	}
	for pattern := range differences {
		assert.True(t, used[pattern], "there is no such difference any more: %s", pattern)
	}
}

// onlyIn returns the lines of a that b has not, or not as often.
func onlyIn(a, b []string) (out []string) {
	count := map[string]int{}
	for _, line := range b {
		count[line]++
	}
	for _, line := range a {
		if count[line]--; count[line] < 0 {
			out = append(out, line)
		}
	}
	return out
}

func explained(line string, used map[string]bool) bool {
	for pattern := range differences {
		if regexp.MustCompile(pattern).MatchString(line) {
			used[pattern] = true
			return true
		}
	}
	return false
}

// describe returns a line for each field of each answer, and for each event. What differs from run to run has a name instead.
func describe(h *history.History) (out []string) {
	d := describer{names: map[string]string{}}
	for i := range h.Events { // events come before the answer that has the id
		if e := &h.Events[i]; e.Phase == history.Return && e.X != nil {
			call := &h.Events[e.Call-1]
			d.learn(message(call.Kind+"Response", e.X.Body), call.Obj.Key)
		}
	}
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Phase == history.Call && e.X != nil:
			if q, ok := message(e.Kind+"Request", e.X.Args).(*runtimeapi.RunPodSandboxRequest); ok {
				d.run = q.GetConfig().GetLabels()[runtime.RunLabel]
				d.logs = strings.TrimSuffix(q.GetConfig().GetLogDirectory(), "/"+q.GetConfig().GetMetadata().GetName())
			}
		case e.Phase == history.Return:
			call := &h.Events[e.Call-1]
			d.at = call.Kind
			if e.Err() != nil {
				out = append(out, d.at+": "+codes.Code(e.Err().Code).String())
				continue
			}
			out = append(out, d.at+": OK")
			if e.X != nil {
				if m := message(call.Kind+"Response", e.X.Body); m != nil {
					out = append(out, d.fields("", m.ProtoReflect())...)
				}
			}
		case e.Kind == "EVENT" && e.X != nil:
			m, ok := message("ContainerEventResponse", e.X.Body).(*runtimeapi.ContainerEventResponse)
			if ok && d.names[m.GetContainerId()] != "" { // else of an earlier check
				out = append(out, fmt.Sprintf("%s EVENT %s: %s", e.Actor, d.text("id", m.GetContainerId()), m.GetContainerEventType()))
			}
		}
	}
	return out
}

// message reads a message of the CRI; nil: there is none of that name.
func message(name string, b []byte) proto.Message {
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("runtime.v1." + name))
	if err != nil {
		return nil
	}
	m := t.New().Interface()
	if len(b) > 0 && json.Unmarshal(b, m) != nil {
		return nil
	}
	return m
}

type describer struct {
	at, run, logs string
	names         map[string]string // of ids
}

// learn notes the id that an answer has; nil has none.
func (d *describer) learn(m proto.Message, key string) {
	id := ""
	switch m := m.(type) {
	case *runtimeapi.RunPodSandboxResponse:
		id = m.GetPodSandboxId()
	case *runtimeapi.CreateContainerResponse:
		id = m.GetContainerId()
	}
	if id != "" {
		d.names[id] = "the id of " + key
	}
}

// fields returns a line for each field that is set.
func (d *describer) fields(path string, m protoreflect.Message) (out []string) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		at := strings.TrimPrefix(path+"."+string(f.Name()), ".")
		switch {
		case f.Name() == "info", strings.Contains(at, "metrics."): // of the runtime's own making
		case f.IsMap():
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				out = append(out, d.line(at+"["+k.String()+"]", v))
				return true
			})
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				out = append(out, d.fields(at, v.List().Get(i).Message())...)
			}
		case f.IsList():
			for i := range v.List().Len() {
				out = append(out, d.line(at, v.List().Get(i)))
			}
		case f.Message() != nil:
			out = append(out, d.fields(at, v.Message())...)
		case f.Enum() != nil:
			out = append(out, fmt.Sprintf("%s: %s = %s", d.at, at, f.Enum().Values().ByNumber(v.Enum()).Name()))
		default:
			out = append(out, d.line(at, v))
		}
		return true
	})
	slices.Sort(out)
	return out
}

func (d *describer) line(at string, v protoreflect.Value) string {
	return fmt.Sprintf("%s: %s = %s", d.at, at, d.text(at, v.String()))
}

var (
	varies  = regexp.MustCompile(`(_at|timestamp|size|used_bytes|inodes_used|usage_core_nano_seconds|usage_nano_cores|[a-z]+_bytes|faults|value|pid)$`)
	limit   = regexp.MustCompile(`resources\.linux`)
	address = regexp.MustCompile(`^10\.88\.\d+\.\d+$`)
	image   = regexp.MustCompile(`^(lwtest.local|docker.io/library)/busybox(:1)?`)
	hash    = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
)

// text is a value without what differs from run to run.
func (d *describer) text(at, v string) string {
	switch {
	case d.names[v] != "":
		return d.names[v]
	case varies.MatchString(at) && !limit.MatchString(at):
		return "a number"
	case strings.HasSuffix(at, "mountpoint"):
		return "a path"
	case address.MatchString(v):
		return "an address"
	}
	for was, is := range map[string]string{d.run: "RUN", d.logs: "LOGS"} {
		if was != "" {
			v = strings.ReplaceAll(v, was, is)
		}
	}
	return hash.ReplaceAllString(image.ReplaceAllString(v, "IMAGE"), "sha256:HASH")
}
