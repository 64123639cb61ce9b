package node

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	coordination "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/lwtest/lwtest/harness"
)

var leaseOwner = harness.Rule{
	Clause: harness.Clause{
		ID:      "lease/owner",
		Level:   harness.Must,
		Text:    "The lease of a node is held by it, and owned by its Node, with the present UID. No lease is ever written without an owner.",
		Sources: []harness.Source{inKubelet("kubelet.go#NewMainKubelet"), inKubelet("util/nodelease.go#SetNodeOwnerFunc")},
		Why:     "Leases of nodes that are gone stay for ever.",
		Advice:  "Read the Node before you write the lease, and set holderIdentity and an owner reference with its present UID. Do not write a lease while there is no Node.",
		Classes: []string{"CREATE leases"},
	},
	Needs: []harness.Feature{Lease},
	Judge: promise("lease/owner", judgeLeaseOwner),
}

// lease returns the lease that a request sends.
func (q *request) lease() *coordination.Lease {
	var l coordination.Lease
	_ = json.Unmarshal(q.Body, &l) // what cannot be read is empty
	return &l
}

func judgeLeaseOwner(t *trace, j *harness.Judgement) {
	for _, q := range t.of("CREATE leases", "UPDATE leases") {
		l := q.lease()
		j.Tested++
		switch owners := l.OwnerReferences; {
		case l.Spec.HolderIdentity == nil || *l.Spec.HolderIdentity != t.config.Node:
			j.Fail("the holder is "+t.config.Node, asJSON(l.Spec.HolderIdentity), q.Num)
		case len(owners) != 1 || owners[0].Kind != "Node" || owners[0].Name != t.config.Node:
			j.Fail("the owner is the Node "+t.config.Node, asJSON(owners), q.Num)
		case !t.nodeHad(string(owners[0].UID), q.Num):
			j.Fail("the owner has the UID of the Node", string(owners[0].UID), q.Num)
		}
	}
}

var leaseRenew = harness.Rule{
	Clause: harness.Clause{
		ID:      "lease/renew",
		Level:   harness.Must,
		Text:    "The lease has the configured duration, and is renewed every quarter of that. If a renewal fails, it is tried again before the lease is over.",
		Sources: []harness.Source{inKubelet("kubelet.go#NewMainKubelet"), page("Nodes", "Node heartbeats", "concepts/architecture/nodes.md")},
		Why:     "A node that is well is taken for dead, and its pods are deleted.",
		Advice:  "Set leaseDurationSeconds from the configuration, renew by a timer of a quarter of it, and repeat at once a renewal that has failed, not at the next tick.",
		Classes: []string{"UPDATE leases"},
	},
	Needs: []harness.Feature{Lease},
	Judge: judged(judgeLeaseRenew),
}

func judgeLeaseRenew(t *trace, j *harness.Judgement) {
	d := t.config.NodeLeaseDuration
	var last, before *request
	for _, q := range t.of("CREATE leases", "UPDATE leases") {
		l := q.lease()
		if s := l.Spec.LeaseDurationSeconds; s == nil || time.Duration(*s)*time.Second != d {
			j.Fail("the duration is "+d.String(), asJSON(s), q.Num)
		}
		if last != nil && last.ok() && q.ok() && t.spans(last.Num, q.Num) && t.did(q.Num, "REFUSE", "API-FAULT", "DELETE") == 0 {
			j.Tested++
			if got := q.From - last.From; got > d {
				j.Fail("the lease is renewed within "+d.String(), got.String(), last.Num, q.Num)
			} else if got < d/8 && before != nil && t.spans(before.Num, last.Num) { // the first two may come together
				j.Fail("the lease is renewed every "+(d/4).String(), got.String(), last.Num, q.Num)
			}
		}
		before, last = last, q
	}
}

var nodeRegister = harness.Rule{
	Clause: harness.Clause{
		ID:      "node-status/register",
		Level:   harness.Must,
		Text:    "The agent registers its Node at the start, with its capacity, its addresses and the port of its API. If the Node is there already, it keeps labels and taints of others. After a restart it registers again if the Node was deleted.",
		Sources: []harness.Source{inKubelet("kubelet_node_status.go#Kubelet.registerWithAPIServer"), inKubelet("kubelet_node_status.go#Kubelet.tryRegisterWithAPIServer")},
		Why:     "Pods are never scheduled to the node, or to one that was set apart.",
		Advice:  "Fill in capacity, allocatable, addresses and port before you say Ready. If the Node exists patch only fields of your own; if it is gone at a start create it.",
		Classes: []string{"CREATE nodes"},
	},
	Needs: []harness.Feature{Status},
	Judge: promise("node-status/register", judgeRegister),
}

func judgeRegister(t *trace, j *harness.Judgement) {
	for _, s := range t.nodes {
		if s.Deleted || conditionOfNode(s.Obj, v1.NodeReady) != v1.ConditionTrue {
			continue
		}
		j.Tested++
		st := s.Obj.Status
		switch {
		case st.Capacity.Cpu().IsZero() || st.Capacity.Pods().IsZero() || st.Allocatable.Memory().IsZero():
			j.Fail("a node that is Ready has its capacity, and what can be allocated", asJSON(st.Capacity), s.Num)
		case len(st.Addresses) == 0:
			j.Fail("a node that is Ready has addresses", "it has none", s.Num)
		}
	}
	j.Tested += t.keeps(j)
}

func conditionOfNode(n *v1.Node, kind v1.NodeConditionType) v1.ConditionStatus {
	for _, c := range n.Status.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return ""
}

// marks is what a patch of the story does to the labels and taints of a Node. One that is nil is taken away, or left alone.
type marks struct {
	Metadata struct{ Labels map[string]*string }
	Spec     struct{ Taints *[]v1.Taint }
}

// keeps judges that labels and taints that the story gave the Node stay until the story changes them.
func (t *trace) keeps(j *harness.Judgement) (tested int) {
	var patches []*request
	for _, q := range t.user {
		if q.Verb+" "+q.Resource == "PATCH nodes" && q.ok() {
			patches = append(patches, q)
		}
	}
	for i, q := range patches {
		var patch marks
		_ = json.Unmarshal(q.Body, &patch) // what cannot be read is empty
		for _, s := range t.nodes {
			if s.Num < q.Num || s.Deleted || olderThan(s.Obj, q) || t.deletedNode(q.Num, s.Num) {
				continue
			}
			tested++
			for _, later := range patches[i+1:] {
				if later.Num < s.Num {
					patch.without(later)
				}
			}
			patch.judge(s, q, j)
		}
	}
	return tested
}

// olderThan reports whether a Node is of before a patch, though the watch told it later.
func olderThan(n *v1.Node, patch *request) bool {
	var patched v1.Node
	_ = json.Unmarshal(patch.Answer, &patched) // what cannot be read has no version
	order, err := resourceversion.CompareResourceVersion(n.ResourceVersion, patched.ResourceVersion)
	return err == nil && order < 0
}

// without forgets what a later patch changes.
func (m *marks) without(later *request) {
	var patch marks
	_ = json.Unmarshal(later.Body, &patch) // what cannot be read is empty
	for k := range patch.Metadata.Labels {
		delete(m.Metadata.Labels, k)
	}
	if strings.Contains(string(later.Body), `"taints"`) { // also if it is null
		m.Spec.Taints = nil
	}
}

// judge judges that a Node has what a patch gave it.
func (m *marks) judge(s state[*v1.Node], q *request, j *harness.Judgement) {
	for k, v := range m.Metadata.Labels {
		if v != nil && s.Obj.Labels[k] != *v {
			j.Fail("the Node keeps the label "+k, "it does not", q.Num, s.Num)
		}
	}
	if m.Spec.Taints == nil {
		return
	}
	for _, taint := range *m.Spec.Taints {
		if !slices.ContainsFunc(s.Obj.Spec.Taints, func(x v1.Taint) bool { return x.Key == taint.Key }) {
			j.Fail("the Node keeps the taint "+taint.Key, "it does not", q.Num, s.Num)
		}
	}
}

func (t *trace) deletedNode(from, to int32) bool {
	return slices.ContainsFunc(t.nodes, func(s state[*v1.Node]) bool { return s.Deleted && s.Num > from && s.Num < to })
}

var nodeReport = harness.Rule{
	Clause: harness.Clause{
		ID:      "node-status/report",
		Level:   harness.Must,
		Text:    "The agent writes the status of its Node when that changes, and every nodeStatusReportFrequency otherwise, half of that more or less, and not more often.",
		Sources: []harness.Source{inKubelet("kubelet_node_status.go#Kubelet.tryUpdateNodeStatus"), page("Nodes", "Node heartbeats", "concepts/architecture/nodes.md")},
		Why:     "Thousands of nodes that write all the time fill the store of the API server.",
		Advice:  "Compare the new status with the last one, heartbeat times aside, and patch only if they differ or nodeStatusReportFrequency has passed since the last write.",
		Classes: []string{"PATCH nodes/status"},
	},
	Needs: []harness.Feature{Status},
	Judge: judged(judgeReport),
}

// staleRead is how long an agent may not have seen its own write: it compares with the Node of its watch. So it may write a
// change twice, and a kubelet did, 3 ms apart.
const staleRead = time.Second

// lostNode reports whether the agent may not have seen what it wrote at an event, before another: its last request for nodes was refused,
// has ended, or came later.
func (t *trace) lostNode(written, num int32) bool {
	var last *request
	for _, q := range t.of("LIST nodes", "WATCH nodes") {
		if q.Num < num {
			last = q
		}
	}
	return last != nil && ((last.Err != nil || last.Verb == "WATCH") && last.Return > 0 && last.Return < num || last.Num > written)
}

func judgeReport(t *trace, j *harness.Judgement) {
	var last *request
	twice := false
	for _, q := range t.of("PATCH nodes/status") {
		if last != nil && last.ok() && q.ok() && !t.killedBetween(last.Num, q.Num) {
			j.Tested++
			again := sameNode(last.Answer, q.Answer)
			excused := again && (!twice && q.From-last.From < staleRead || t.lostNode(last.Num, q.Num))
			twice = excused
			if again && !excused && q.From-last.From < t.config.NodeStatusReportFrequency/2-t.config.NodeStatusUpdateFrequency {
				j.Fail("a status that has not changed is written every "+t.config.NodeStatusReportFrequency.String(), (q.From - last.From).String(), last.Num, q.Num)
			}
		}
		last = q
	}
	if last != nil && t.end()-last.To > 2*t.config.NodeStatusUpdateFrequency { // it looks every so often, and does not write
		j.Tested++
	}
}

// sameNode reports whether two Nodes have the same status, heartbeats aside.
func sameNode(a, b json.RawMessage) bool {
	plain := func(raw json.RawMessage) string {
		var n v1.Node
		_ = json.Unmarshal(raw, &n) // what cannot be read is empty
		for i := range n.Status.Conditions {
			n.Status.Conditions[i].LastHeartbeatTime.Reset()
		}
		return asJSON(n.Status)
	}
	return plain(a) == plain(b)
}

var nodeReady = harness.Rule{
	Clause: harness.Clause{
		ID:      "node-status/ready",
		Level:   harness.Must,
		Text:    "The Node is Ready only while the runtime and its network are. When they are again, it is Ready again, and nothing was restarted.",
		Sources: []harness.Source{inKubelet("kubelet.go#Kubelet.updateRuntimeUp"), inKubelet("nodestatus/setters.go#ReadyCondition")},
		Why:     "Pods are scheduled to a node that cannot run them.",
		Advice:  "Ask the runtime for its Status every few seconds, derive Ready from both of its conditions, write a change at once, and stop no container for it.",
		Classes: []string{"PATCH nodes/status"},
	},
	Needs: []harness.Feature{Containers, Status},
	Judge: promise("node-status/ready", judgeNodeReady),
}

// runtimeRound is how often an agent asks the runtime whether it is ready.
const runtimeRound = 5 * time.Second

// judgeNodeReady judges what the Node says while the runtime is not ready, or its network, for long.
func judgeNodeReady(t *trace, j *harness.Judgement) {
	for _, q := range t.user {
		var c Conditions
		if q.Verb != "CONDITIONS" || json.Unmarshal(t.h.Event(q.Num).X.Args, &c) != nil || c.Runtime && c.Network {
			continue
		}
		within := inRounds(runtimeRound, 0) + t.config.NodeStatusUpdateFrequency
		late := t.after(q.To + within)
		if late == nil || !t.spans(q.Num, late.Num) || t.did(late.Num, "CONDITIONS") > t.did(q.Num+1, "CONDITIONS") || t.did(late.Num, "API-FAULT", "REFUSE", "RUNTIME-FAULT", "CRASH") > 0 {
			continue
		}
		i := slices.IndexFunc(t.nodes, func(s state[*v1.Node]) bool { return s.Num > late.Num })
		if i < 0 {
			i = len(t.nodes)
		}
		if i == 0 || t.nodes[i-1].Deleted {
			continue
		}
		if j.Tested++; conditionOfNode(t.nodes[i-1].Obj, v1.NodeReady) == v1.ConditionTrue {
			j.Fail(fmt.Sprintf("the Node is not Ready %s after the runtime or its network is not", within), "it is", q.Num, t.nodes[i-1].Num)
		}
	}
}

// spans reports whether one agent ran from one event to another.
func (t *trace) spans(from, to int32) bool {
	return slices.ContainsFunc(t.lives, func(l life) bool { return l.from < from && (l.to == 0 || l.to > to) })
}

var nodeFeatures = harness.Rule{
	Clause: harness.Clause{
		ID:      "node-status/features",
		Level:   harness.Must,
		Text:    "The status of the Node has the handlers and features that the runtime tells, and the declared features of the agent, sorted and always the same.",
		Sources: []harness.Source{inKubelet("nodestatus/setters.go#NodeFeatures"), inKubelet("kubelet_node_declared_features.go#Kubelet.discoverNodeDeclaredFeatures")},
		Why:     "A pod lands on a node that cannot isolate it as it asks.",
		Advice:  "Copy handlers and features from the runtime's Status into each status of the Node, and sort what comes from a map before you write it.",
		Classes: []string{"PATCH nodes/status"},
	},
	Needs: []harness.Feature{Containers, Status},
	Judge: judged(judgeNodeFeatures),
}

func judgeNodeFeatures(t *trace, j *harness.Judgement) {
	var first *v1.Node
	for _, s := range t.nodes {
		if s.Deleted || conditionOfNode(s.Obj, v1.NodeReady) != v1.ConditionTrue {
			continue
		}
		j.Tested++
		st := s.Obj.Status
		if len(st.RuntimeHandlers) == 0 {
			j.Fail("the handlers of the runtime are in the status", "there are none", s.Num)
		}
		if !slices.IsSorted(st.DeclaredFeatures) {
			j.Fail("the declared features are sorted", fmt.Sprint(st.DeclaredFeatures), s.Num)
		}
		if first != nil && !slices.Equal(first.Status.DeclaredFeatures, st.DeclaredFeatures) {
			j.Fail("the declared features stay "+fmt.Sprint(first.Status.DeclaredFeatures), fmt.Sprint(st.DeclaredFeatures), s.Num)
		}
		first = s.Obj
	}
}
