package node

import (
	"encoding/json"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness"
)

var staticIdentity = harness.Rule{
	Clause: harness.Clause{
		ID:      "static/identity",
		Level:   harness.Must,
		Text:    "A static pod has the name of its manifest, a dash, and the name of the node. Its mirror pod says its source and its hash in annotations, and the hash is the UID that the runtime is told. Static pods tolerate all NoExecute taints.",
		Sources: []harness.Source{inKubelet("config/common.go#applyDefaults"), inKubelet("types/pod_update.go#ConfigSourceAnnotationKey")},
		Why:     "Tools that tell static pods from others, and drain nodes, take them for pods that can be deleted.",
		Advice:  "Default a manifest in one place: name plus -NODE, its hash as UID, source annotation, toleration of all NoExecute taints. Copy the hash to the mirror pod.",
		Classes: []string{"CREATE pods"},
	},
	Needs: []harness.Feature{Containers, StaticPods},
	Judge: judged(judgeIdentity),
}

const (
	sourceAnnotation = "kubernetes.io/config.source"
	hashAnnotation   = "kubernetes.io/config.hash"
)

func judgeIdentity(t *trace, j *harness.Judgement) {
	for _, q := range t.of("CREATE pods") {
		pod := q.pod()
		j.Tested++
		hash, a := pod.Annotations[mirrorAnnotation], pod.Annotations
		switch {
		case !strings.HasSuffix(pod.Name, "-"+t.config.Node):
			j.Fail("the name ends with -"+t.config.Node, pod.Name, q.Num)
		case hash == "" || a[hashAnnotation] != hash:
			j.Fail("the annotations have the hash of the manifest, twice", fmt.Sprintf("%q and %q", hash, a[hashAnnotation]), q.Num)
		case a[sourceAnnotation] != "file" && a[sourceAnnotation] != "http":
			j.Fail("the annotation "+sourceAnnotation+" is file or http", fmt.Sprintf("%q", a[sourceAnnotation]), q.Num)
		case a[sourceAnnotation] == "file" && !tolerates(pod):
			j.Fail("it tolerates all NoExecute taints", "it does not", q.Num)
		}
		if p := t.byUID[hash]; p != nil && p.key != q.Key {
			j.Fail("the runtime knows the hash as the UID of "+q.Key, "of "+p.key, q.Num)
		}
	}
}

func tolerates(pod *v1.Pod) bool {
	for _, x := range pod.Spec.Tolerations {
		if x.Key == "" && x.Operator == v1.TolerationOpExists && (x.Effect == v1.TaintEffectNoExecute || x.Effect == "") {
			return true
		}
	}
	return false
}

// pod returns the pod that a request sends.
func (q *request) pod() *v1.Pod {
	var p v1.Pod
	_ = json.Unmarshal(q.Body, &p) // what cannot be read is empty
	return &p
}

var staticMirror = harness.Rule{
	Clause: harness.Clause{
		ID:      "static/mirror",
		Level:   harness.Must,
		Text:    "Each static pod gets a mirror pod, whose owner is the Node, with its present UID, as its controller. If somebody deletes the mirror pod, the agent makes another one, and the containers go on.",
		Sources: []harness.Source{inKubelet("pod/mirror_client.go#basicMirrorClient.CreateMirrorPod"), inKubelet("kubelet.go#Kubelet.tryReconcileMirrorPods")},
		Why:     "Static pods cannot be seen, or are left behind when their node is deleted.",
		Advice:  "Create the mirror pod in each sync if it is missing, with a controller reference to the Node as it is now. Do not stop containers when it is deleted.",
		Classes: []string{"CREATE pods"},
	},
	Needs: []harness.Feature{Containers, StaticPods},
	Judge: promise("static/mirror", judgeMirror),
}

func judgeMirror(t *trace, j *harness.Judgement) {
	for _, q := range t.of("CREATE pods") {
		pod := q.pod()
		j.Tested++
		owner := metav1.GetControllerOf(pod)
		switch {
		case owner == nil || owner.Kind != "Node" || owner.Name != t.config.Node:
			j.Fail("the controller of a mirror pod is the Node "+t.config.Node, fmt.Sprint(owner), q.Num)
		case !t.nodeHad(string(owner.UID), q.Num):
			j.Fail("the owner has the UID of the Node", string(owner.UID), q.Num)
		}
	}
}

// nodeHad reports whether the Node had a UID before an event. One that was deleted has it for a while: the agent may not know yet.
func (t *trace) nodeHad(uid string, num int32) bool {
	for _, n := range t.nodes {
		if string(n.Obj.UID) == uid && n.Num < num && !n.Deleted {
			return true
		}
	}
	return t.answered(uid, num)
}

// answered reports whether the agent may know a Node of a UID from a request that it made: a watch may tell it before the answer.
func (t *trace) answered(uid string, num int32) bool {
	for _, q := range t.requests {
		if strings.TrimSuffix(q.Resource, "/status") == "nodes" && q.Num < num && strings.Contains(string(q.Answer), uid) {
			return true
		}
	}
	return false
}

var staticReplace = harness.Rule{
	Clause: harness.Clause{
		ID:      "static/replace",
		Level:   harness.Must,
		Text:    "A static pod whose manifest changes is replaced: the old pod ends with its grace before the new one runs, and in the end the newest manifest runs, however often it changed meanwhile.",
		Sources: []harness.Source{inKubelet("pod_workers.go#podWorkers.allowPodStart"), inKubelet("kubelet_pods.go#Kubelet.HandlePodCleanups")},
		Why:     "An upgrade of the control plane stops half-way, or two versions run at once.",
		Advice:  "Queue a changed manifest behind the pod that runs: stop that with its grace, wait until its sandbox has ended, and then start the newest one that you have read.",
		Classes: []string{"RunPodSandbox"},
	},
	Needs: []harness.Feature{Containers, StaticPods},
	Judge: promise("static/replace", judgeReplace),
}

func judgeReplace(t *trace, j *harness.Judgement) {
	byKey := map[string]*podTrace{}
	for _, p := range t.pods {
		if len(p.sandboxes) == 0 || !strings.HasSuffix(p.key, "-"+t.config.Node) {
			continue
		}
		if was := byKey[p.key]; was != nil {
			j.Tested++
			p.judgeBeside(was, j)
		}
		byKey[p.key] = p
	}
}

var staticRemove = harness.Rule{
	Clause: harness.Clause{
		ID:      "static/remove",
		Level:   harness.Must,
		Text:    "A static pod whose manifest is removed ends with its grace, and its mirror pod is deleted. If the manifest comes back meanwhile, the pod runs again in the end.",
		Sources: []harness.Source{inKubelet("kubelet.go#Kubelet.HandlePodRemoves"), inKubelet("kubelet_pods.go#Kubelet.HandlePodCleanups")},
		Why:     "What was taken from a node runs on.",
		Advice:  "Stop with its grace each static pod that is no longer in the manifests, then delete its mirror pod. Once it has ended, check whether the manifest is back.",
		Classes: []string{"DELETE pods"},
	},
	Needs: []harness.Feature{Containers, StaticPods},
	Judge: promise("static/remove", nil),
}

var staticForeign = harness.Rule{
	Clause: harness.Clause{
		ID:      "static/foreign",
		Level:   harness.Must,
		Text:    "What others change in a mirror pod does not reach the static pod. A mirror pod of another hash than that of the manifest is deleted, and made again.",
		Sources: []harness.Source{inKubelet("kubelet.go#Kubelet.tryReconcileMirrorPods"), inKubelet("pod/pod_manager.go#IsMirrorPodOf")},
		Why:     "Who may write pods could change what runs as the control plane.",
		Advice:  "Take the spec of a static pod from its manifest only. If the hash in its mirror pod is another one, delete the mirror pod and create it again.",
		Classes: []string{"CREATE pods"},
	},
	Needs: []harness.Feature{Containers, StaticPods},
	Judge: promise("static/foreign", nil),
}
