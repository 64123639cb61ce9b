package node

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	coordination "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/harness/history"
)

// handmade is a history that is written by hand. A line is a request, with its answer and with what a watch tells of it:
//
//	user PUT a {spec: {restartPolicy: Never}}     a pod is created; what it leaves out is as newPod has it, and its UID is u-a
//	user EDIT a {metadata: {labels: {x: z}}}      it is changed; EDIT of its status is STATUS
//	user DELETE a 3                               it is deleted with a grace of 3 seconds
//	user MANIFEST s {…}, user MANIFEST s          a static pod s-node-1, of the UID h1, h2 …; without one it is removed
//	user CAME static/mirror, user EXPIRED …       a step has waited for what a rule promises
//	user CRASH, KILL, START {backOff: 5s}, user SERVE 0 …       whatever else a story does, with a key
//	agent PATCH pods/status a {status: {phase: Running}}
//	agent DELETE pods a {preconditions: null}     a request with its usual options or body, and with a change of these
//	agent CREATE pods s, agent CREATE leases, agent UPDATE leases, agent PATCH nodes/status {…}
//	agent WATCH pods {fieldSelector: ""}
//	api MODIFIED a {…}, api DELETED node          only a watch tells
//	cri RunPodSandbox a -> p1                     calls, with the ids of what they make
//	cri CreateContainer p1/c {config: {log_path: x}} -> c1
//	cri PullImage x:1 a {auth: {username: u}} -> sha
//	cri ContainerStatus c1 EXITED 3
//	cri ListPodSandbox p1                         the last sandbox of its pod, which is ready; and others, with the next attempts
//	cri PodSandboxStatus p1 READY 10.0.0.1        with its address; PodSandboxStatus p1 NOTREADY
//	cri ListImages x:1 PINNED
//	cri ListContainers c2 p1/c                    the last container of the name, which has ended
//	cri ExecSync c1 probe live -> 1               an exit code
//	runtime EXIT c1
//	+3s                                           time passes
//
// A request that ends with "! 500" or "! DeadlineExceeded" fails, one that ends with "..." is under way until "agent <- pods/status" or
// "cri <- c1" answers it. A finding must point at the lines that end with <<, and at the first line that contains the text after << at
// the beginning of one.
type handmade struct {
	t      *testing.T
	events []history.Event
	lines  []string
	line   []int // of each event
	marked []int
	now    time.Duration
	open   map[string]*asked // requests under way, by what they are about

	pods  map[string]*v1.Pod // as the API server has them; static pods without a mirror pod, too
	uids  map[string]int     // how many manifests each static pod has had
	made  map[string]*v1.Pod // the pod of each sandbox
	count map[string]int     // of sandboxes and containers, by pod and name
	node  *v1.Node
	rv    int
}

// asked is a request that is not answered yet.
type asked struct {
	num    int32
	actor  string
	kind   string
	ref    history.Ref
	answer any
	told   func() // what a watch tells once it has succeeded
}

// began is when histories begin.
var began = metav1.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func historyOf(t *testing.T, text string) (*history.History, *handmade) {
	t.Helper()
	b := &handmade{t: t, open: map[string]*asked{}, pods: map[string]*v1.Pod{}, uids: map[string]int{}, made: map[string]*v1.Pod{}, count: map[string]int{},
		node: &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", UID: "n1"}}}
	b.add(history.Event{Actor: userActor, Kind: evConfig, X: &history.Ext{Body: raw(Config{Node: "node-1", NodeStatusUpdateFrequency: 2 * time.Second, NodeStatusReportFrequency: 10 * time.Second, NodeLeaseDuration: 8 * time.Second, MaxContainerRestartPeriod: 15 * time.Second, ImageMaximumGCAge: 30 * time.Second, ImageMinimumGCAge: 12 * time.Second, EvictionPressureTransitionPeriod: 25 * time.Second, RegistryPullQPS: 5, RegistryBurst: 2})}})
	b.tell("ADDED", "nodes", b.node)
	for line := range strings.Lines("START\n" + text) {
		b.lines = append(b.lines, strings.TrimSpace(line))
		if line = strings.TrimSpace(line); line != "" {
			b.read(line)
		}
	}
	h, err := history.New(history.Header{Kind: "node", Time: history.VirtualTime}, b.events)
	require.NoError(t, err)
	slices.Sort(b.marked)
	return h, b
}

// sentence is a line in its parts.
type sentence struct {
	words  []string
	patch  []byte   // JSON; nil: none
	answer []string // what follows an arrow
	failed string   // what follows an exclamation mark
	later  bool
}

func (b *handmade) read(line string) {
	if text, ok := strings.CutPrefix(line, "<<"); ok {
		at := slices.IndexFunc(b.lines, func(l string) bool { return strings.Contains(l, strings.TrimSpace(text)) })
		require.Less(b.t, at, len(b.lines)-1, "no line has %q", text)
		b.marked = append(b.marked, at+1)
		return
	}
	if text, ok := strings.CutSuffix(line, " <<"); ok {
		line, b.marked = text, append(b.marked, len(b.lines))
	}
	if line[0] == '+' {
		d, err := time.ParseDuration(line[1:])
		require.NoError(b.t, err)
		b.now += d
		return
	}
	s := b.parse(line)
	switch actor := s.words[0]; {
	case actor == evStart || actor == evKill:
		b.ask(userActor, actor, "", s, args{Body: s.patch}, nil, nil)
	case len(s.words) > 1 && s.words[1] == "<-":
		require.NotNil(b.t, b.open[s.words[2]], "nothing is under way: %s", line)
		b.end(b.open[s.words[2]], s)
		delete(b.open, s.words[2])
	case actor == userActor:
		b.user(s)
	case actor == agentActor:
		b.agent(s)
	case actor == apiActor:
		b.api(s)
	case actor == criActor:
		b.cri(s)
	case actor == truthActor:
		b.add(history.Event{Actor: truthActor, Kind: evExited, Obj: history.Ref{UID: s.words[2]}})
	default:
		b.t.Fatalf("nobody is called %s: %s", actor, line)
	}
}

// parse splits a line.
func (b *handmade) parse(line string) (s sentence) {
	if line, s.later = strings.CutSuffix(line, " ..."); !s.later {
		line, s.failed, _ = strings.Cut(line, " ! ")
	}
	if from, to := strings.Index(line, "{"), strings.LastIndex(line, "}"); from > 0 && to > from {
		var err error
		s.patch, err = yaml.YAMLToJSON([]byte(line[from : to+1]))
		require.NoError(b.t, err, line)
		line = line[:from] + line[to+1:]
	}
	ask, answer, _ := strings.Cut(line, "->")
	s.words, s.answer = strings.Fields(ask), strings.Fields(answer)
	return s
}

func (b *handmade) add(e history.Event) int32 {
	e.At = int64(b.now)
	b.events, b.line = append(b.events, e), append(b.line, len(b.lines))
	return int32(len(b.events))
}

// ask adds a request, and its answer unless that comes later.
func (b *handmade) ask(actor, kind, key string, s sentence, sent, answer any, told func()) *asked {
	a := &asked{actor: actor, kind: kind, ref: history.Ref{Key: key}, answer: answer, told: told}
	if actor == criActor && !strings.Contains(key, "/") {
		a.ref = history.Ref{UID: key}
	}
	e := history.Event{Phase: history.Call, Actor: actor, Kind: kind, Obj: a.ref}
	if sent != nil {
		e.X = &history.Ext{Args: raw(sent)}
	}
	if a.num = b.add(e); !s.later {
		b.end(a, s)
	}
	return a
}

// end answers a request.
func (b *handmade) end(a *asked, s sentence) {
	e := history.Event{Phase: history.Return, Call: a.num, Actor: a.actor, Kind: a.kind, Obj: a.ref, X: &history.Ext{}}
	if e.X.Err = b.err(s.failed); e.X.Err == nil && a.answer != nil {
		e.X.Body = raw(a.answer)
	}
	if b.add(e); e.X.Err == nil && a.told != nil {
		a.told()
	}
}

// err reads a failure: a code of HTTP, or the name of one of gRPC.
func (b *handmade) err(text string) *history.Error {
	if code, err := strconv.Atoi(text); err == nil {
		return &history.Error{Code: code, Definite: code < 500}
	}
	for c := codes.OK; c <= codes.Unauthenticated && text != ""; c++ {
		if c.String() == text {
			return &history.Error{Code: int(c), Reason: text}
		}
	}
	require.Empty(b.t, text)
	return nil
}

// changed returns a copy of an object with a strategic merge patch.
func changed[T any](b *handmade, was *T, patch []byte) *T {
	now := new(T)
	if patch == nil {
		patch = []byte("{}")
	}
	out, err := strategicpatch.StrategicMergePatch(raw(was), patch, new(T))
	require.NoError(b.t, err, string(patch))
	require.NoError(b.t, json.Unmarshal(out, now), string(out))
	return now
}

// merged is changed for a message of the CRI.
func merged[M proto.Message](b *handmade, m M, patch []byte) M {
	if patch == nil {
		return m
	}
	var was, with map[string]any
	require.NoError(b.t, json.Unmarshal(raw(m), &was))
	require.NoError(b.t, json.Unmarshal(patch, &with))
	proto.Reset(m)
	require.NoError(b.t, json.Unmarshal(raw(overlay(was, with)), m))
	return m
}

func overlay(was, with map[string]any) map[string]any {
	for k, v := range with {
		inner, ok := v.(map[string]any)
		if old, is := was[k].(map[string]any); ok && is {
			was[k] = overlay(old, inner)
		} else {
			was[k] = v
		}
	}
	return was
}

// tell adds a state that a watch tells, with the next version of the object.
func (b *handmade) tell(event, resource string, obj runtime.Object) {
	m := obj.(metav1.Object)
	b.add(history.Event{Actor: apiActor, Kind: event + " " + resource, Obj: history.Ref{Key: strings.TrimPrefix(m.GetNamespace()+"/"+m.GetName(), "/"), UID: string(m.GetUID()), RV: m.GetResourceVersion()}, X: &history.Ext{Body: raw(obj)}})
}

// store keeps a pod and gives it its version.
func (b *handmade) store(name string, p *v1.Pod) *v1.Pod {
	b.rv++
	p.ResourceVersion = fmt.Sprint(b.rv)
	b.pods[name] = p
	return p
}

func (b *handmade) pod(name string) *v1.Pod {
	require.NotNil(b.t, b.pods[name], "there is no pod %s", name)
	return b.pods[name]
}

func keyOf(p *v1.Pod) string { return p.Namespace + "/" + p.Name }

// newOne returns a pod as the API server has it.
func (b *handmade) newOne(name, uid string, patch []byte) *v1.Pod {
	p := newPod(name, "node-1", Pod{})
	p.UID, p.Generation, p.CreationTimestamp, p.Spec.RestartPolicy, p.Status.Phase = types.UID(uid), 1, began, v1.RestartPolicyAlways, v1.PodPending
	return changed(b, p, patch)
}

func (b *handmade) user(s sentence) {
	kind, name := s.words[1], ""
	if len(s.words) > 2 {
		name = s.words[2]
	}
	switch kind {
	case evCame, evExpired:
		b.add(history.Event{Actor: userActor, Kind: kind, X: &history.Ext{Body: raw(Awaited{Clause: name, What: "it is so", For: patience})}})
	case "PUT":
		uid := "u-" + name
		if b.uids[name]++; b.uids[name] > 1 {
			uid += fmt.Sprint(b.uids[name])
		}
		p := b.store(name, b.newOne(name, uid, s.patch))
		b.ask(userActor, "CREATE pods", keyOf(p), s, nil, p, func() { b.tell("ADDED", "pods", p) })
	case "EDIT", "STATUS":
		p := b.store(name, changed(b, b.pod(name), s.patch))
		what := map[string]string{"EDIT": "PATCH pods", "STATUS": "PATCH pods/status"}[kind]
		b.ask(userActor, what, keyOf(p), s, args{Body: s.patch}, p, func() { b.tell("MODIFIED", "pods", p) })
	case "DELETE":
		b.delete(name, s)
	case "MANIFEST":
		b.manifest(name, s)
	case "NODE":
		b.node = changed(b, b.node, s.patch)
		b.ask(userActor, "PATCH nodes", "node-1", s, args{Body: s.patch}, b.node, func() { b.tell("MODIFIED", "nodes", b.node) })
	default:
		sent := any(map[string]any{"forgets": slices.Contains(s.words, "forgets")})
		if percent, err := strconv.Atoi(name); err == nil && kind == "FILL" {
			sent = args{Body: raw(percent)}
		}
		if s.patch != nil {
			sent = json.RawMessage(s.patch)
		}
		b.ask(userActor, kind, name, s, sent, nil, nil)
	}
}

// delete marks a pod as deleted, or removes it if its grace is 0.
func (b *handmade) delete(name string, s sentence) {
	p := b.pod(name).DeepCopy()
	grace := int64(0)
	if len(s.words) > 3 {
		grace, _ = strconv.ParseInt(s.words[3], 10, 64)
	}
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = new(metav1.NewTime(began.Add(b.now+time.Duration(grace)*time.Second))), &grace
	event := map[bool]string{true: "DELETED", false: "MODIFIED"}[grace == 0]
	b.ask(userActor, "DELETE pods", keyOf(p), s, nil, nil, func() { b.tell(event, "pods", b.store(name, p)) })
}

// manifest writes the manifest of a static pod, or removes it. The agent knows the pod by its hash from then on. The pod of another
// file is written as "user MANIFEST s second".
func (b *handmade) manifest(name string, s sentence) {
	if s.patch == nil {
		b.ask(userActor, "MANIFEST", name, s, nil, nil, nil)
		return
	}
	b.uids[name]++
	hash := fmt.Sprintf("h%d", b.uids[name])
	body := changed(b, newPod(name, "", Pod{}), s.patch)
	p := b.newOne(name, hash, s.patch)
	p.Name += "-node-1"
	p.Annotations = map[string]string{sourceAnnotation: "file", hashAnnotation: hash}
	p.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute}}
	b.pods[name], b.pods[hash] = p, p
	b.ask(userActor, "MANIFEST", s.words[len(s.words)-1], s, args{Body: raw(body)}, nil, nil)
}

func (b *handmade) api(s sentence) {
	event, name := s.words[1], s.words[2]
	if name == "node" {
		b.node = changed(b, b.node, s.patch)
		b.tell(event, "nodes", b.node)
		return
	}
	b.tell(event, "pods", b.store(name, changed(b, b.pod(name), s.patch)))
}

// agent adds a request of the agent to the API server.
func (b *handmade) agent(s sentence) {
	kind := s.words[1] + " " + s.words[2]
	switch {
	case kind == "CREATE pods":
		b.mirror(s)
	case kind == "DELETE pods":
		name := s.words[3]
		p := b.pod(name)
		o := changed(b, &metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: &metav1.Preconditions{UID: &p.UID}}, s.patch)
		b.under(s, b.ask(agentActor, kind, keyOf(p), s, args{Options: raw(o)}, nil, func() { b.tell("DELETED", "pods", p) }))
	case kind == "PATCH pods/status":
		name := s.words[3]
		p := b.pod(name)
		sent := overlay(map[string]any{"metadata": map[string]any{"uid": p.UID}}, object(b, s.patch))
		now := p
		if after := changed(b, p, s.patch); string(raw(after)) != string(raw(p)) && s.failed == "" {
			now = b.store(name, after)
		}
		b.under(s, b.ask(agentActor, kind, keyOf(p), s, args{PatchType: types.StrategicMergePatchType, Body: raw(sent)}, now, func() {
			if now != p {
				b.tell("MODIFIED", "pods", now)
			}
		}))
	case strings.HasSuffix(kind, " leases"):
		l := &coordination.Lease{ObjectMeta: metav1.ObjectMeta{Name: "node-1", Namespace: v1.NamespaceNodeLease, OwnerReferences: []metav1.OwnerReference{{Kind: "Node", Name: "node-1", UID: b.node.UID}}},
			Spec: coordination.LeaseSpec{HolderIdentity: new("node-1"), LeaseDurationSeconds: new(int32(8))}}
		l = changed(b, l, s.patch)
		b.ask(agentActor, kind, v1.NamespaceNodeLease+"/node-1", s, args{Body: raw(l)}, l, nil)
	case kind == "PATCH nodes/status":
		b.node = changed(b, b.node, s.patch)
		b.ask(agentActor, kind, "node-1", s, args{Body: s.patch}, b.node, func() { b.tell("MODIFIED", "nodes", b.node) })
	default: // a list or a watch
		b.ask(agentActor, kind, "", s, args{Options: raw(changed(b, &listing{"spec.nodeName=node-1"}, s.patch))}, nil, nil)
	}
}

// listing are the options of a list that matter.
type listing struct {
	FieldSelector string `json:"fieldSelector"`
}

func object(b *handmade, patch []byte) (o map[string]any) {
	if patch != nil {
		require.NoError(b.t, json.Unmarshal(patch, &o))
	}
	return o
}

// under keeps a request that is answered later.
func (b *handmade) under(s sentence, a *asked) {
	if s.later {
		b.open[s.words[2]] = a
	}
}

// mirror makes the mirror pod of a static pod.
func (b *handmade) mirror(s sentence) {
	name := s.words[3]
	p := b.pod(name).DeepCopy()
	p.Annotations[mirrorAnnotation] = p.Annotations[hashAnnotation]
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "node-1", UID: b.node.UID, Controller: new(true)}}
	p = changed(b, p, s.patch)
	b.count["mirror"]++
	there := p.DeepCopy()
	there.UID = types.UID(fmt.Sprintf("m%d", b.count["mirror"]))
	b.ask(agentActor, "CREATE pods", keyOf(p), s, args{Body: raw(p)}, there, func() { b.tell("ADDED", "pods", b.store(name, there)) })
}

// cri adds a call to the runtime.
func (b *handmade) cri(s sentence) {
	method, about := s.words[1], ""
	if len(s.words) > 2 {
		about = s.words[2]
	}
	q, key := b.request(method, about, s)
	a := b.ask(criActor, method, key, s, q, b.reply(method, s), nil)
	if s.later {
		b.open[about] = a
	}
}

// request returns what a call asks, and what it is about.
func (b *handmade) request(method, about string, s sentence) (proto.Message, string) {
	switch method {
	case "RunPodSandbox":
		p := b.pod(about)
		uid := string(p.UID)
		if hash := p.Annotations[hashAnnotation]; hash != "" {
			uid = hash
		}
		q := &runtimeapi.RunPodSandboxRequest{Config: &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: p.Name, Namespace: p.Namespace, Uid: uid, Attempt: b.next(uid)},
			LogDirectory: "/logs/" + p.Name, Annotations: p.Annotations, Linux: &runtimeapi.LinuxPodSandboxConfig{CgroupParent: "/kubepods/besteffort/pod" + uid}}}
		if len(s.answer) > 0 {
			b.made[s.answer[0]] = p
		}
		return merged(b, q, s.patch), keyOf(p)
	case "CreateContainer":
		return b.create(about, s)
	case "PullImage", "RemoveImage", "ImageStatus":
		q := read(method+"Request", nil)
		with := map[string]any{"image": map[string]any{"image": about}}
		if len(s.words) > 3 {
			with["sandbox_config"] = map[string]any{"metadata": map[string]any{"uid": b.pod(s.words[3]).UID}}
		}
		return merged(b, merged(b, q, raw(with)), s.patch), "image/" + about
	}
	q := read(method+"Request", nil)
	require.NotNil(b.t, q, method)
	fields, with := q.ProtoReflect().Descriptor().Fields(), map[string]any{}
	for name, v := range map[string]any{"container_id": about, "pod_sandbox_id": about} {
		if fields.ByName("filter") == nil && fields.ByTextName(name) != nil {
			with[name] = v
		}
	}
	switch {
	case method == "StopContainer" && len(s.words) > 3:
		n, err := strconv.Atoi(s.words[3])
		require.NoError(b.t, err)
		with["timeout"] = n
	case method == "ExecSync":
		with["cmd"] = s.words[3:]
		if len(s.words) > 5 {
			with["cmd"] = []string{s.words[3], s.words[4], strings.Join(s.words[5:], " ")}
		}
	}
	return merged(b, merged(b, q, raw(with)), s.patch), about
}

// next counts.
func (b *handmade) next(what string) uint32 {
	b.count[what]++
	return uint32(b.count[what] - 1)
}

// create returns the creation of a container, as the spec of its pod wants it: "p1/c".
func (b *handmade) create(about string, s sentence) (proto.Message, string) {
	sandbox, name, _ := strings.Cut(about, "/")
	p := b.made[sandbox]
	require.NotNil(b.t, p, "there is no sandbox %s", sandbox)
	for _, now := range b.pods { // its spec may have changed
		if now.UID == p.UID {
			p = now
		}
	}
	c := containerOf(p, name)
	if c == nil {
		c = &v1.Container{Image: Image}
	}
	attempt := b.next(string(p.UID) + "/" + name)
	q := &runtimeapi.CreateContainerRequest{PodSandboxId: sandbox, SandboxConfig: &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: p.Name, Namespace: p.Namespace, Uid: string(p.UID)}},
		Config: &runtimeapi.ContainerConfig{Metadata: &runtimeapi.ContainerMetadata{Name: name, Attempt: attempt}, LogPath: fmt.Sprintf("%s/%d.log", name, attempt),
			Image: &runtimeapi.ImageSpec{Image: c.Image, UserSpecifiedImage: c.Image}, Command: c.Command, Args: c.Args}}
	return merged(b, q, s.patch), keyOf(p) + "/" + name
}

// reply returns what a call is answered.
func (b *handmade) reply(method string, s sentence) proto.Message {
	id := strings.Join(s.answer, " ")
	switch method {
	case "RunPodSandbox":
		return &runtimeapi.RunPodSandboxResponse{PodSandboxId: id}
	case "CreateContainer":
		return &runtimeapi.CreateContainerResponse{ContainerId: id}
	case "PullImage":
		return &runtimeapi.PullImageResponse{ImageRef: id}
	case "ExecSync":
		code, _ := strconv.Atoi(id) // empty: 0
		return &runtimeapi.ExecSyncResponse{ExitCode: int32(code)}
	case "ContainerStatus":
		status := &runtimeapi.ContainerStatus{Id: s.words[2], State: runtimeapi.ContainerState(runtimeapi.ContainerState_value["CONTAINER_"+s.words[3]])}
		if len(s.words) > 4 {
			code, err := strconv.Atoi(s.words[4])
			require.NoError(b.t, err)
			status.ExitCode = int32(code)
		}
		return &runtimeapi.ContainerStatusResponse{Status: status}
	case "ListPodSandbox":
		out, p := &runtimeapi.ListPodSandboxResponse{}, b.made[s.words[2]]
		for i, id := range s.words[2:] {
			b.made[id] = p
			out.Items = append(out.Items, &runtimeapi.PodSandbox{Id: id, Metadata: &runtimeapi.PodSandboxMetadata{Name: p.Name, Namespace: p.Namespace, Uid: string(p.UID), Attempt: uint32(b.count[string(p.UID)] - 1 + i)}})
		}
		return out
	case "ListImages":
		return &runtimeapi.ListImagesResponse{Images: []*runtimeapi.Image{{Id: s.words[2], Pinned: slices.Contains(s.words, "PINNED")}}}
	case "ListContainers":
		if len(s.words) < 4 {
			break
		}
		sandbox, name, _ := strings.Cut(s.words[3], "/")
		return &runtimeapi.ListContainersResponse{Containers: []*runtimeapi.Container{{Id: s.words[2], PodSandboxId: sandbox, State: runtimeapi.ContainerState_CONTAINER_EXITED, Metadata: &runtimeapi.ContainerMetadata{Name: name, Attempt: uint32(b.count[string(b.made[sandbox].UID)+"/"+name] - 1)}}}}
	case "PodSandboxStatus":
		return &runtimeapi.PodSandboxStatusResponse{Status: &runtimeapi.PodSandboxStatus{Id: s.words[2], State: runtimeapi.PodSandboxState(runtimeapi.PodSandboxState_value["SANDBOX_"+s.words[3]]), Network: &runtimeapi.PodSandboxNetworkStatus{Ip: strings.Join(s.words[4:], "")}}}
	}
	return read(method+"Response", nil)
}
