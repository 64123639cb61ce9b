package runtime

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// handmade is a history that is written by hand, one call a line:
//
//	c1 RunPodSandbox a attempt=2 -> p1            a call, and its answer: an id
//	c1 CreateContainer a/c work=forever -> k1     arguments are those of the words of stories (ops.go)
//	c1 StartContainer a/c took=2s                 it succeeds two seconds later
//	c1 StopContainer a/c grace=5 ...              it is under way
//	c1 <-                                         and succeeds now; "c1 <- ! NotFound text" fails
//	c1 ContainerStatus a/c -> EXITED code=42      a state, and other fields of the status by their paths
//	c1 ContainerStatus a/c@k1 ! NotFound gone     a call that fails, about a container of an older id
//	c1 ListContainers of=a -> k1:EXITED{"image_id":"x"}
//	c1 FAULT                                      a fault is injected into the call that is under way
//	w1 EVENT STOPPED a/c                          a message of GetContainerEvents
//	KILL, START, COUNT -> mounts=3, SETTLED       what is no call of a client
//	... 5s                                        time passes
//	REAL                                          the times are real ones; else they are virtual
//	TRACE                                         the calls are not those of the suite, and what containers do is not known
//
// What an answer does not say is what a correct runtime says. A finding must point at the lines that end with <<, and at the first
// line that contains the text after << at the beginning of one.
type handmade struct {
	t      *testing.T
	w      *world // what the steps of a story know
	events []history.Event
	lines  []string
	line   []int // of each event
	marked []int
	under  map[string]*asked // calls under way, by actor
	pods   []*pod            // all that were run, in order
	all    map[string]*container
	now    time.Duration
	trace  bool // of the calls of somebody else
	real   bool // time
}

// asked is a call, and what is made if it succeeds.
type asked struct {
	num       int32
	method    string
	obj       history.Ref
	pod       *pod
	container *container
}

// byHand is a Subject with a fixture only.
type byHand struct{ Subject }

func (byHand) Fixture() Fixture { return Fixture{Image: "img", Logs: "/logs"} }

// works are those of stories, by name.
var works = map[string]Work{"forever": forever, "stubborn": stubborn, "ends": ends, "succeeds": succeeds, "missing": missing, "ticks": ticks, "prints": prints, "signaled": signaled}

func historyOf(t *testing.T, text string) (*history.History, *handmade) {
	t.Helper()
	b := &handmade{t: t, under: map[string]*asked{}, all: map[string]*container{},
		w: &world{t: &harness.T{}, s: byHand{}, run: "run", pods: map[string]*pod{}, containers: map[string]*container{}}}
	for line := range strings.Lines(text) {
		b.lines = append(b.lines, strings.TrimSpace(line))
		if words := token.FindAllString(line, -1); len(words) > 0 {
			b.read(words)
		}
	}
	header := history.Header{Kind: "runtime", Time: history.VirtualTime}
	if b.real {
		header.Time = history.RealTime
	}
	if !b.trace {
		header.Story = []byte("{}")
	}
	h, err := history.New(header, b.events)
	require.NoError(t, err)
	slices.Sort(b.marked)
	return h, b
}

// token is a word of a line. Blanks in quotes do not end it.
var token = regexp.MustCompile(`(?:[^\s"]|"(?:\\.|[^"\\])*")+`)

func (b *handmade) read(words []string) {
	if words[0] == "TRACE" {
		b.trace = true
		return
	}
	if words[0] == "REAL" { // time
		b.real = true
		return
	}
	if words[0] == "<<" {
		at := slices.IndexFunc(b.lines, func(l string) bool { return strings.Contains(l, strings.Join(words[1:], " ")) })
		require.Less(b.t, at, len(b.lines)-1, "no line has %q", words[1:])
		b.marked = append(b.marked, at+1)
		return
	}
	if words[len(words)-1] == "<<" {
		words, b.marked = words[:len(words)-1], append(b.marked, len(b.lines))
	}
	if words[0] == "..." {
		b.now += b.duration(words[1])
		return
	}
	if words[0] == strings.ToUpper(words[0]) {
		actor := map[bool]string{true: history.Engine, false: "admin"}[words[0] == history.Settled]
		words = append([]string{actor}, words...)
	}
	ask, answer := words, []string(nil)
	if i := slices.IndexFunc(words, func(w string) bool { return w == "->" || w == "<-" || w == "!" || w == "..." }); i > 0 {
		ask, answer = words[:i], words[i:]
	}
	switch actor := ask[0]; {
	case len(ask) == 1:
		require.NotNil(b.t, b.under[actor], "%s has no call under way: %v", actor, words)
		b.answer(actor, answer)
	case ask[1] == KindFault || ask[1] == evEvent || ask[1] == history.Settled || ask[1] == history.Ended || ask[1] == history.Stopped:
		b.notice(actor, ask[1], ask[2:], answer)
	default:
		b.call(actor, ask[1], ask[2:])
		if len(answer) == 0 || answer[0] != "..." {
			b.answer(actor, answer)
		}
	}
}

func (b *handmade) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	require.NoError(b.t, err)
	return d
}

func (b *handmade) add(e history.Event) int32 {
	if e.At = int64(b.now); e.X.Err == nil && e.X.Args == nil && e.X.Body == nil {
		e.X = nil
	}
	b.events, b.line = append(b.events, e), append(b.line, len(b.lines))
	return int32(len(b.events))
}

// call adds a call, with the time that it takes. Its request has the fields that steps of stories set.
func (b *handmade) call(actor, method string, words []string) {
	a := &asked{method: method}
	if len(words) > 0 && !strings.Contains(words[0], "=") {
		name, id, named := strings.Cut(words[0], "@")
		if a.obj.Key, words = name, words[1:]; named {
			a.obj.UID = id
		} else if method != "RunPodSandbox" && method != "CreateContainer" && !strings.Contains(method, "Image") {
			a.obj.UID = b.newest(name)
		}
	}
	args, took := map[string]any{}, time.Duration(0)
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if work, ok := works[value]; ok {
			value = work.text()
		}
		if key == "took" {
			took = b.duration(value)
		} else {
			b.put(&args, key, value)
		}
	}
	var sent json.RawMessage
	if q := b.request(a, args); q != nil {
		sent = b.json(q)
	}
	a.num = b.add(history.Event{Phase: history.Call, Actor: actor, Kind: method, Obj: a.obj, X: &history.Ext{Args: sent}})
	require.Nil(b.t, b.under[actor], "%s has a call under way", actor)
	b.under[actor], b.now = a, b.now+took
}

// newest returns the id of the newest sandbox or container with a name in the story.
func (b *handmade) newest(name string) string {
	if strings.Contains(name, "/") {
		return b.w.containerOf(name).id
	}
	return b.w.podOf(name).id
}

// request returns the message that a step of a story would send; nil: none.
func (b *handmade) request(a *asked, args map[string]any) proto.Message {
	q := read(a.method+"Request", nil)
	switch q := q.(type) {
	case nil:
		require.Contains(b.t, []string{evKill, evStart, evLog, evCount, "GetContainerEvents"}, a.method)
	case *runtimeapi.RunPodSandboxRequest:
		with := as[Pod](b, args)
		a.pod = &pod{config: b.w.podConfig(a.obj.Key, with)}
		if !with.HostNetwork { // as of a runtime that has the feature
			a.pod.config.Hostname, a.pod.config.Linux.SecurityContext.NamespaceOptions.Network = a.obj.Key, runtimeapi.NamespaceMode_POD
		}
		if was := b.w.pods[a.obj.Key]; with.Same && was != nil {
			a.pod.config = was.config
		}
		q.Config, q.RuntimeHandler = a.pod.config, with.Handler
	case *runtimeapi.CreateContainerRequest:
		with, of := as[Container](b, args), b.w.podOf(strings.Split(a.obj.Key, "/")[0])
		a.container = &container{pod: of, config: b.w.containerConfig(a.obj.Key, with, of)}
		if with.Same {
			a.container.config = b.w.containerOf(a.obj.Key).config
		}
		if b.trace {
			delete(a.container.config.Annotations, workAnnotation)
		}
		q.PodSandboxId, q.Config, q.SandboxConfig = of.id, a.container.config, of.config
	default:
		for name, value := range b.fieldsOf(a, args) {
			if q.ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(name)) != nil {
				b.put(q, name, string(b.json(value)))
			}
		}
	}
	return q
}

// fieldsOf returns what requests have that make nothing, by the names of fields.
func (b *handmade) fieldsOf(a *asked, args map[string]any) map[string]any {
	all := map[string]any{"container_id": a.obj.UID, "pod_sandbox_id": a.obj.UID, "image": map[string]string{"image": a.obj.Key}, "version": "0.1.0",
		"resources": map[string]int64{"cpu_shares": 128}}
	switch a.method {
	case "StopContainer":
		all["timeout"] = as[Stop](b, args).Grace
	case "PullImage":
		if with := as[Pull](b, args); with.As != "" {
			all["auth"] = map[string]string{"username": with.As}
		}
	case "ExecSync":
		with := as[Command](b, args)
		all["cmd"], all["timeout"] = []string{"sh", "-c", with.Script}, with.Timeout
		if strings.HasPrefix(with.Script, "/") {
			all["cmd"] = []string{with.Script}
		}
	case "UpdateContainerResources":
		with := as[Resources](b, args)
		all["linux"] = map[string]int64{"cpu_shares": with.Shares, "cpu_quota": with.Quota, "cpu_period": with.Period, "memory_limit_in_bytes": with.Memory}
	case "CheckpointPod":
		all["pod_sandbox_id"], all["container_ids"], all["output_path"] = b.w.containerOf(a.obj.Key).pod.id, []string{a.obj.UID}, b.w.logs("checkpoint")
	case "ListContainers", "StreamContainers":
		all["filter"] = b.w.containerFilter(as[Filter](b, args))
	case "ListPodSandbox", "StreamPodSandboxes":
		all["filter"] = b.w.podFilter(as[Filter](b, args))
	case "ListContainerStats", "StreamContainerStats":
		all["filter"] = b.w.statsFilter(as[Filter](b, args))
	case "ListPodSandboxStats", "StreamPodSandboxStats":
		all["filter"] = b.w.podStatsFilter(as[Filter](b, args))
	}
	return all
}

// as reads arguments as those of a word of stories.
func as[A any](b *handmade, args map[string]any) (a A) {
	b.put(&a, "", string(b.json(args)))
	return a
}

func (b *handmade) json(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	require.NoError(b.t, err)
	return raw
}

// put sets what a path of field names leads to. A value that is no JSON, or not of the type, is a text.
func (b *handmade) put(m any, path, value string) {
	b.t.Helper()
	if path == "stdout" || path == "stderr" {
		text, err := strconv.Unquote(value)
		require.NoError(b.t, err)
		value = base64.StdEncoding.EncodeToString([]byte(text))
	}
	var err error
	for _, v := range []string{value, strconv.Quote(value)} {
		if path != "" {
			for _, name := range slices.Backward(strings.Split(path, ".")) {
				v = fmt.Sprintf("{%q:%s}", name, v)
			}
		}
		d := json.NewDecoder(bytes.NewBufferString(v))
		d.DisallowUnknownFields()
		if err = d.Decode(m); err == nil {
			return
		}
	}
	b.t.Fatalf("%s=%s of a %T: %v, in the line %q", path, value, m, err, b.lines[len(b.lines)-1])
}

// answer ends the call of an actor.
func (b *handmade) answer(actor string, words []string) {
	a := b.under[actor]
	delete(b.under, actor)
	if len(words) > 0 && words[0] != "!" {
		words = words[1:]
	}
	e := history.Event{Call: a.num, Phase: history.Return, Actor: actor, Kind: a.method, X: &history.Ext{}}
	if e.X.Err = b.failed(words); e.X.Err == nil {
		if reply := b.reply(a, words); reply != nil {
			e.X.Body = b.json(reply)
		}
		b.keep(a)
	} else if name := a.obj.Key; a.container != nil && b.w.containers[name] == nil {
		b.w.containers[name] = &container{id: noID, pod: a.container.pod, config: a.container.config}
	}
	b.add(e)
}

// failed reads an error, as "! NotFound no such container"; nil: it is none.
func (b *handmade) failed(words []string) *history.Error {
	if len(words) == 0 || words[0] != "!" {
		return nil
	}
	for c := codes.OK; c <= codes.Unauthenticated; c++ {
		if c.String() == words[1] {
			return failure(status.Error(c, strings.Join(words[2:], " ")))
		}
	}
	b.t.Fatalf("%q is no code", words[1])
	return nil
}

// keep keeps what a call has made, as steps of stories do.
func (b *handmade) keep(a *asked) {
	if a.pod != nil {
		b.w.pods[a.obj.Key] = a.pod
	}
	if a.container != nil {
		b.w.containers[a.obj.Key] = a.container
	}
}

// notice adds what is no answer. An event is written as "w1 EVENT STOPPED a/c", with fields of its message.
func (b *handmade) notice(actor, kind string, words, answer []string) {
	e := history.Event{Actor: actor, Kind: kind, X: &history.Ext{Err: b.failed(answer)}}
	if kind == KindFault {
		e.Call = b.under[actor].num
	}
	if kind == evEvent {
		name, id, named := strings.Cut(words[1], "@")
		if !named {
			id = b.newest(name)
		}
		kind, ok := runtimeapi.ContainerEventType_value["CONTAINER_"+words[0]+"_EVENT"]
		require.True(b.t, ok, words[0])
		m := &runtimeapi.ContainerEventResponse{ContainerId: id, ContainerEventType: runtimeapi.ContainerEventType(kind), CreatedAt: int64(b.now) + int64(len(b.events)),
			PodSandboxStatus: b.podStatus(b.w.podOf(strings.Split(name, "/")[0]).id, runtimeapi.PodSandboxState_SANDBOX_READY)}
		b.fields(m, words[2:])
		e.Obj, e.X.Body = history.Ref{Key: name, UID: id}, b.json(m)
	}
	b.add(e)
}
