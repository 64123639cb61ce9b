package node

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	coordination "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// Transcript returns what the agent of a history did, one line each, without what differs from run to run: times, ids, versions,
// and the order of requests that have nothing to do with each other. A line in brackets begins a section.
func Transcript(h *history.History) (out []string) {
	w := transcript{trace: traceOf(h), ordered: map[string][]string{}, sets: map[string]map[string]bool{}}
	for _, c := range w.trace.calls {
		w.call(c)
	}
	for _, q := range w.trace.requests {
		w.request(q)
	}
	names := slices.Sorted(maps.Keys(w.ordered))
	for name := range w.sets {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out = append(out, "["+name+"]")
		out = append(out, sortStops(w.ordered[name])...)
		out = append(out, slices.Sorted(maps.Keys(w.sets[name]))...)
	}
	return out
}

// transcript is a transcript in the making. Its sections are sequences or sets.
type transcript struct {
	trace   *trace
	ordered map[string][]string
	sets    map[string]map[string]bool
}

// say adds a line to a sequence, if it differs from the one before.
func (w *transcript) say(section, line string) {
	if all := w.ordered[section]; len(all) == 0 || all[len(all)-1] != line {
		w.ordered[section] = append(all, line)
	}
}

// once adds a line to a sequence that does not have it.
func (w *transcript) once(section, line string) {
	if !slices.Contains(w.ordered[section], line) {
		w.ordered[section] = append(w.ordered[section], line)
	}
}

// note adds a line to a set.
func (w *transcript) note(section, line string) {
	if w.sets[section] == nil {
		w.sets[section] = map[string]bool{}
	}
	w.sets[section][line] = true
}

// sortStops sorts the stops that follow one another: agents stop the containers of a pod at once.
func sortStops(lines []string) (out []string) {
	isStop := func(line string) bool { return strings.HasPrefix(line, "StopContainer ") }
	for len(lines) > 0 {
		n := 0
		for n < len(lines) && isStop(lines[n]) {
			n++
		}
		out = append(out, slices.Compact(slices.Sorted(slices.Values(lines[:n])))...)
		if lines = lines[n:]; len(lines) > 0 {
			out, lines = append(out, lines[0]), lines[1:]
		}
	}
	return out
}

// where names the pod of a call.
func where(m *runtimeapi.PodSandboxMetadata) string {
	return m.GetNamespace() + "/" + m.GetName()
}

func (x *container) title() string { return fmt.Sprintf("%s %d", x.name, x.attempt) }

// call adds a call of the runtime that changes something.
func (w *transcript) call(c *call) {
	failed := ""
	if c.Err != nil {
		failed = " ! " + c.Err.Reason
	}
	switch q := c.Ask.(type) {
	case *runtimeapi.RunPodSandboxRequest:
		w.say(where(q.GetConfig().GetMetadata())+" runtime", fmt.Sprintf("RunPodSandbox %d", q.GetConfig().GetMetadata().GetAttempt())+failed)
	case *runtimeapi.PullImageRequest:
		w.say(where(q.GetSandboxConfig().GetMetadata())+" runtime", "PullImage "+q.GetImage().GetImage()+failed)
	case *runtimeapi.CreateContainerRequest:
		m := q.GetConfig().GetMetadata()
		w.say(where(q.GetSandboxConfig().GetMetadata())+" runtime", fmt.Sprintf("CreateContainer %s %d image %s", m.GetName(), m.GetAttempt(), imageOf(q.GetConfig()))+failed)
	case *runtimeapi.RemoveImageRequest:
		w.note("node images", "RemoveImage "+failed)
	case *runtimeapi.ImageStatusRequest, *runtimeapi.ContainerStatusRequest, *runtimeapi.PodSandboxStatusRequest:
	default:
		switch x := w.trace.byID[c.ID].(type) {
		case *sandbox:
			w.ofSandbox(c, x, failed)
		case *container:
			w.ofContainer(c, x, failed)
		}
	}
}

// imageOf returns the name of a container's image as its pod has it.
func imageOf(c *runtimeapi.ContainerConfig) string {
	return cmp.Or(c.GetImage().GetUserSpecifiedImage(), c.GetImage().GetImage())
}

func (w *transcript) ofSandbox(c *call, s *sandbox, failed string) {
	m := s.config.GetMetadata()
	switch line := fmt.Sprintf("%s %d", c.Method, m.GetAttempt()) + failed; c.Method {
	case "RemovePodSandbox":
		w.note(where(m)+" removed", line)
	case "StopPodSandbox":
		if s.stopped == nil || s.stopped == c || failed != "" { // agents stop sandboxes again, to be sure
			w.say(where(m)+" runtime", line)
		}
	case "UpdatePodSandboxResources":
		w.say(where(m)+" runtime", line)
	}
}

func (w *transcript) ofContainer(c *call, x *container, failed string) {
	pod := where(x.pod.config.GetMetadata())
	line := c.Method + " " + x.title()
	switch q := c.Ask.(type) {
	case *runtimeapi.RemoveContainerRequest:
		w.note(pod+" removed", line+failed)
	case *runtimeapi.StopContainerRequest:
		w.say(pod+" runtime", fmt.Sprintf("%s timeout %d", line, q.GetTimeout())+failed)
	case *runtimeapi.ExecSyncRequest:
		command := strings.Join(q.GetCmd(), " ")
		if !strings.HasPrefix(command, "probe ") {
			w.say(pod+" runtime", line+" "+command+failed)
			return
		}
		if r, ok := c.Reply.(*runtimeapi.ExecSyncResponse); ok {
			failed = fmt.Sprintf(" = %d", r.GetExitCode())
		}
		w.once(pod+" "+command, line+failed)
	case *runtimeapi.UpdateContainerResourcesRequest:
		w.say(pod+" runtime", fmt.Sprintf("%s CPU shares %d", line, q.GetLinux().GetCpuShares())+failed)
	default:
		w.say(pod+" runtime", line+failed)
	}
}

// request adds a write of the API server.
func (w *transcript) request(q *request) {
	kind := q.Verb + " " + q.Resource
	switch q.Verb {
	case "GET", "LIST", "WATCH":
		return
	case "PATCH":
		kind += " " + strings.TrimSuffix(strings.TrimPrefix(string(q.PatchType), "application/"), "+json")
	case "DELETE":
		kind += deletion(q.Options)
	}
	switch resource, _, _ := strings.Cut(q.Resource, "/"); resource {
	case "pods":
		w.note(q.Key+" requests", kind)
		var p v1.Pod
		if q.ok() && json.Unmarshal(q.Answer, &p) == nil && q.Resource == "pods/status" {
			w.say(q.Key+" statuses", describeStatus(&p))
		}
	case "nodes":
		w.note("node requests", kind)
		var n v1.Node
		if q.ok() && json.Unmarshal(q.Answer, &n) == nil {
			w.node(&n, q.Verb)
		}
	case "leases":
		if len(w.trace.pods) > 0 { // whether it is renewed in a short story is chance
			return
		}
		w.note("node requests", kind)
		var l coordination.Lease
		if q.ok() && json.Unmarshal(q.Answer, &l) == nil {
			w.lease(&l)
		}
	}
}

// deletion describes the options of a deletion.
func deletion(options json.RawMessage) (out string) {
	var o metav1.DeleteOptions
	_ = json.Unmarshal(options, &o) // what cannot be read is empty
	if o.GracePeriodSeconds != nil {
		out += fmt.Sprintf(" grace %d", *o.GracePeriodSeconds)
	}
	if o.Preconditions != nil && o.Preconditions.UID != nil {
		out += " by UID"
	}
	return out
}

// describeStatus describes the status of a pod in one line.
func describeStatus(p *v1.Pod) string {
	s := &p.Status
	parts := []string{strings.TrimSpace(string(s.Phase) + " " + s.Reason)}
	if s.QOSClass != "" {
		parts = append(parts, string(s.QOSClass))
	}
	var conditions []string
	for _, c := range s.Conditions {
		conditions = append(conditions, describeCondition(string(c.Type), string(c.Status), c.Reason))
	}
	slices.Sort(conditions)
	parts = append(parts, strings.Join(conditions, " "))
	for _, all := range [][]v1.ContainerStatus{s.InitContainerStatuses, s.ContainerStatuses, s.EphemeralContainerStatuses} {
		for i := range all {
			parts = append(parts, describeContainer(&all[i]))
		}
	}
	if p.Annotations[mirrorAnnotation] == "" {
		parts = append(parts, fmt.Sprintf("observed %d", s.ObservedGeneration))
	}
	return strings.Join(parts, "; ")
}

func describeCondition(kind, status, reason string) string {
	if reason != "" {
		reason = "(" + reason + ")"
	}
	if status == "True" {
		return kind + reason
	}
	return kind + "=" + status + reason
}

func describeContainer(c *v1.ContainerStatus) string {
	out := c.Name + " " + describeState(c.State)
	if c.LastTerminationState.Terminated != nil {
		out += " after " + describeState(c.LastTerminationState)
	}
	if c.Started != nil && *c.Started {
		out += " started"
	}
	if c.Ready {
		out += " ready"
	}
	return fmt.Sprintf("%s, restarts %d", out, c.RestartCount)
}

func describeState(s v1.ContainerState) string {
	switch {
	case s.Running != nil:
		return "running"
	case s.Terminated != nil:
		return fmt.Sprintf("terminated %s %d", s.Terminated.Reason, s.Terminated.ExitCode)
	case s.Waiting != nil:
		return "waiting " + s.Waiting.Reason
	}
	return "unknown"
}

// node adds what the agent wrote of its Node.
func (w *transcript) node(n *v1.Node, verb string) {
	var conditions []string
	for _, c := range n.Status.Conditions {
		conditions = append(conditions, describeCondition(string(c.Type), string(c.Status), c.Reason))
	}
	slices.Sort(conditions)
	w.say("node conditions", strings.Join(conditions, " "))
	if len(w.trace.pods) > 0 { // stories without pods have the rest
		return
	}
	for _, a := range n.Status.Addresses {
		w.note("node fields", "address "+string(a.Type))
	}
	for _, field := range fieldsOf(n.Status) {
		w.note("node fields", "status."+field)
	}
	if verb == "CREATE" {
		for name := range n.Labels {
			w.note("node fields", "label "+name)
		}
		for name := range n.Annotations {
			w.note("node fields", "annotation "+name)
		}
	}
}

// fieldsOf returns the names of the fields that are set, and of those in nodeInfo.
func fieldsOf(s v1.NodeStatus) (out []string) {
	var fields, info map[string]json.RawMessage
	_ = json.Unmarshal(raw(s), &fields) // it is an object
	_ = json.Unmarshal(fields["nodeInfo"], &info)
	for name := range fields {
		out = append(out, name)
	}
	for name, value := range info {
		if string(value) != `""` {
			out = append(out, "nodeInfo."+name)
		}
	}
	return out
}

// lease adds what the agent wrote of its lease.
func (w *transcript) lease(l *coordination.Lease) {
	if l.Spec.HolderIdentity != nil && l.Spec.LeaseDurationSeconds != nil {
		w.note("node lease", fmt.Sprintf("holder %s, seconds %d", *l.Spec.HolderIdentity, *l.Spec.LeaseDurationSeconds))
	}
	for name := range l.Labels {
		w.note("node lease", "label "+name)
	}
	for _, o := range l.OwnerReferences {
		w.note("node lease", fmt.Sprintf("owner %s %s %s, controller %t", o.APIVersion, o.Kind, o.Name, o.Controller != nil && *o.Controller))
	}
}
