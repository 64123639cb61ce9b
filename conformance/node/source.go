package node

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
)

var sourceScope = harness.Rule{
	Clause: harness.Clause{
		ID:      "source/scope",
		Level:   harness.Must,
		Text:    "The agent lists and watches only the pods of its own node.",
		Sources: []harness.Source{inKubelet("config/apiserver.go#NewSourceApiserver")},
		Why:     "Each node of a large cluster reads all pods, and the API server fails.",
		Advice:  "Set the field selector spec.nodeName=NODE on the list and on the watch of pods. Do not read the pods of all nodes to filter them on your side.",
		Classes: []string{"WATCH pods"},
	},
	Judge: judged(judgeScope),
}

func judgeScope(t *trace, j *harness.Judgement) {
	for _, q := range t.of("LIST pods", "WATCH pods") {
		var o metav1.ListOptions
		_ = json.Unmarshal(q.Options, &o) // what cannot be read is empty
		j.Tested++
		if want := "spec.nodeName=" + t.config.Node; o.FieldSelector != want {
			j.Fail("the field selector is "+want, fmt.Sprintf("%q", o.FieldSelector), q.Num)
		}
	}
}

var sourceReady = harness.Rule{
	Clause: harness.Clause{
		ID:      "source/ready",
		Level:   harness.Must,
		Text:    "As long as one of its sources has not answered since the agent started, it stops no pod that it finds in the runtime. Once all have, it stops those that no source has.",
		Sources: []harness.Source{inKubelet("kubelet.go#Kubelet.syncLoopIteration"), inKubelet("kubelet_pods.go#Kubelet.HandlePodCleanups")},
		Why:     "An agent that restarts while its manifest server is slow kills all of its pods.",
		Advice:  "Remember after a start which sources (API server, files, URL) have answered, and stop or remove no pod that you do not know until all of them have.",
		Classes: []string{"StopPodSandbox"},
	},
	Needs: []harness.Feature{Containers, HTTPSource, Restarts},
	Judge: promise("source/ready", judgeReady),
}

func judgeReady(t *trace, j *harness.Judgement) {
	for i, l := range t.lives {
		if i == 0 {
			continue
		}
		silent, until := t.silent(l)
		if !silent {
			continue
		}
		j.Tested++
		for _, c := range t.calls {
			if c.Num > l.from && (until == 0 || c.Num < until) && slices.Contains([]string{"StopContainer", "StopPodSandbox", "RemoveContainer", "RemovePodSandbox"}, c.Method) && t.stopsUnknown(c, l.from) {
				j.Fail("no container is stopped before the manifest URL has answered", c.Method, l.from, c.Num)
			}
		}
	}
}

// silent reports whether the manifest URL hung when the agent was started, and until when; 0: to the end.
func (t *trace) silent(l life) (silent bool, until int32) {
	for _, q := range t.user {
		if q.Verb != "SERVE" {
			continue
		}
		if q.Num < l.from {
			silent = q.Key == "0"
		} else if silent && (l.to == 0 || q.Num < l.to) {
			return silent, q.Num
		}
	}
	return silent, l.to
}

// stopsUnknown reports whether a call stops something that runs, though its pod is not being deleted, was not deleted since an event,
// and has no reason of its own.
func (t *trace) stopsUnknown(c *call, since int32) bool {
	var all []*container
	switch x := t.byID[c.ID].(type) {
	case *container:
		all = []*container{x}
	case *sandbox:
		all = x.all
	}
	return slices.ContainsFunc(all, func(x *container) bool {
		p := t.byUID[x.pod.config.GetMetadata().GetUid()]
		return x.runs() && (x.ended == 0 || x.ended > c.Num) && !p.isDeleting(c.Num) && !t.deletes(p.key, since, c.Num) && !t.ownReason(p, x, c.Num)
	})
}

// isDeleting reports whether a pod is there, and is being deleted, at an event.
func (p *podTrace) isDeleting(num int32) (is bool) {
	for _, s := range p.states {
		if s.Num < num {
			is = s.Obj.DeletionTimestamp != nil && !s.Deleted
		}
	}
	return is
}

var sourceHTTP = harness.Rule{
	Clause: harness.Clause{
		ID:      "source/http",
		Level:   harness.Must,
		Text:    "The pods of the manifest URL run. An answer that has not changed changes nothing, an error keeps the pods, and an empty answer ends them. It may be a Pod or a list of them.",
		Sources: []harness.Source{inKubelet("config/http.go#sourceURL.extractFromURL")},
		Why:     "A manifest server that fails for a moment takes the control plane down.",
		Advice:  "Keep the last pods of the manifest URL when a request or the decoding fails, and drop them only for an answer 200 without pods. Accept a Pod and a PodList.",
		Classes: []string{"RunPodSandbox"},
	},
	Needs: []harness.Feature{Containers, HTTPSource},
	Judge: promise("source/http", nil),
}

var sourceOffline = harness.Rule{
	Clause: harness.Clause{
		ID:      "source/offline",
		Level:   harness.Must,
		Text:    "Static pods run, and new ones start, while the API server cannot be reached. Once it can, their mirror pods come.",
		Sources: []harness.Source{inKubelet("kubelet.go#Kubelet.HandlePodAdditions"), inKubelet("kubelet.go#Kubelet.fastStaticPodsRegistration")},
		Why:     "The API server itself is a static pod.",
		Advice:  "Feed static pods to the pod workers from a source of their own, wait for no Node or other API object before you run them, and retry their mirror pods later.",
		Classes: []string{"RunPodSandbox"},
	},
	Needs: []harness.Feature{Containers, StaticPods},
	Judge: promise("source/offline", nil),
}

var sourceDuplicate = harness.Rule{
	Clause: harness.Clause{
		ID:      "source/duplicate",
		Level:   harness.Must,
		Text:    "Of two static pods of one name and namespace in a source, one runs.",
		Sources: []harness.Source{inKubelet("config/config.go#filterInvalidPods")},
		Why:     "Two copies of one control plane component run.",
		Advice:  "Key static pods by namespace and name, not by file or UID, and start another one of that name only once the sandbox of the first has ended.",
		Classes: []string{"RunPodSandbox"},
	},
	Needs: []harness.Feature{Containers, StaticPods},
	Judge: promise("source/duplicate", judgeDuplicate),
}

func judgeDuplicate(t *trace, j *harness.Judgement) {
	files := map[string]map[string]bool{} // by pod
	for _, q := range t.user {
		if q.Verb == "MANIFEST" && len(q.Body) > 0 {
			name := manifestName(q)
			if files[name] == nil {
				files[name] = map[string]bool{}
			}
			files[name][q.Key] = true
		}
	}
	for name, all := range files {
		if len(all) > 1 {
			j.Tested++
			t.judgeNamesakes(name+"-"+t.config.Node, j)
		}
	}
}

// judgeNamesakes judges the static pods of one name: of their sandboxes one is ready at a time.
func (t *trace) judgeNamesakes(name string, j *harness.Judgement) {
	for i, p := range t.pods {
		for _, o := range t.pods[:i] {
			if p.key == name && o.key == name {
				p.judgeBeside(o, j)
			}
		}
	}
}

// judgeBeside judges two static pods of one name: the sandboxes of the one before are gone before the other has one.
func (p *podTrace) judgeBeside(o *podTrace, j *harness.Judgement) {
	for _, s := range p.sandboxes {
		for _, before := range o.sandboxes {
			if before.made.Num < s.made.Num && (before.notAt == 0 || before.notAt > s.made.Num) {
				j.Fail("the pod of that name that runs has ended before", "it has not", before.made.Num, s.made.Num)
			}
		}
	}
}

// manifest returns the pod of a request that writes a manifest.
func (q *request) manifest() *v1.Pod {
	p := &v1.Pod{}
	_ = json.Unmarshal(q.Body, p) // what cannot be read is empty
	return p
}

// manifestName returns the name of the pod of a manifest.
func manifestName(q *request) string {
	m := q.manifest()
	return m.Namespace + "/" + m.Name
}

var sourceRefused = harness.Rule{
	Clause: harness.Clause{
		ID:      "source/refused",
		Level:   harness.Must,
		Text:    "A static pod that names objects of the API, such as a service account, a secret or a claim, does not run.",
		Sources: []harness.Source{inKubelet("config/common.go#tryDecodeSinglePod")},
		Why:     "It would wait for ever for what it cannot have, or read what its node may not.",
		Advice:  "Check each decoded manifest for a service account, secrets, config maps and claims, in volumes and variables, and drop such a pod with a line in your log.",
		Classes: []string{},
	},
	Needs: []harness.Feature{Containers, StaticPods},
	Judge: judged(judgeRefused),
}

// refers reports whether a pod names objects of the API.
func refers(p *v1.Pod) bool {
	return p.Spec.ServiceAccountName != "" || slices.ContainsFunc(p.Spec.Volumes, func(v v1.Volume) bool {
		return v.Secret != nil || v.ConfigMap != nil || v.PersistentVolumeClaim != nil
	}) || slices.ContainsFunc(slices.Concat(p.Spec.InitContainers, p.Spec.Containers), func(c v1.Container) bool {
		return slices.ContainsFunc(c.Env, func(e v1.EnvVar) bool {
			return e.ValueFrom != nil && (e.ValueFrom.SecretKeyRef != nil || e.ValueFrom.ConfigMapKeyRef != nil)
		})
	})
}

func judgeRefused(t *trace, j *harness.Judgement) {
	for _, q := range t.user {
		if q.Verb != "MANIFEST" || len(q.Body) == 0 {
			continue
		}
		if p := q.manifest(); !refers(p) || slices.ContainsFunc(t.user, func(o *request) bool { // one of its name may run
			return o.Verb == "MANIFEST" && len(o.Body) > 0 && manifestName(o) == manifestName(q) && !refers(o.manifest())
		}) {
			continue
		}
		for _, c := range t.calls {
			ask, ok := c.Ask.(*runtimeapi.RunPodSandboxRequest)
			if !ok || c.Num < q.Num || ask.GetConfig().GetAnnotations()[sourceAnnotation] != "file" {
				continue
			}
			if j.Tested++; ask.GetConfig().GetMetadata().GetNamespace()+"/"+ask.GetConfig().GetMetadata().GetName() == manifestName(q)+"-"+t.config.Node {
				j.Fail("the static pod does not run", "it does", q.Num, c.Num)
			}
		}
	}
}
