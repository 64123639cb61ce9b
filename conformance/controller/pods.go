package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness/story"
)

// Pod says what happens to a pod of an object.
type Pod struct {
	How string `json:"how"`           // "fail", "evict", or "unready"
	Nth int    `json:"nth,omitempty"` // which, from 1, by name, or where names are drawn by age; 0: the first
}

// Validate returns an error for what cannot happen.
func (p Pod) Validate() error {
	if p.Nth < 0 {
		return fmt.Errorf("there is no pod %d", p.Nth)
	}
	return story.OneOf("thing to happen to a pod", []string{p.How}, "fail", "evict", "unready")
}

func sayPod(s story.Step, p Pod) string {
	what := map[string]string{"fail": "let %s fail", "evict": "evict %s", "unready": "let %s be not ready"}[p.How]
	text := fmt.Sprintf(what, fmt.Sprintf("pod %d of %s", max(1, p.Nth), s.Obj))
	if p.How == "unready" && s.For > 0 {
		text += " for " + s.For.String()
	}
	return text
}

// kubeletActor writes the status of pods.
const kubeletActor = "kubelet"

func stepPod(w *world, s story.Step, p Pod) error {
	o, err := w.object(s.Obj)
	if err != nil {
		return err
	}
	pod := w.run.podOf(o, max(1, p.Nth))
	if pod == nil {
		return story.SkipStep("%s has no %d pods that run or will", s.Obj, max(1, p.Nth))
	}
	path := Resource{Root: "/api/v1", Plural: "pods", Namespaced: true}.path(pod.namespace(), pod.Meta.Name)
	switch p.How {
	case "evict":
		return w.run.evict(path, pod)
	case "fail": // as where its node shuts down, which ends pods that would restart, too
		return w.run.setPod(path, pod, `"phase":"Failed","reason":"Terminated","message":"Pod was terminated in response to imminent node shutdown.",`, "False")
	}
	if err := w.run.setPod(path, pod, "", "False"); err != nil || s.For == 0 {
		return err
	}
	w.t.Sleep(time.Duration(s.For))
	return w.run.setPod(path, pod, "", "True")
}

// podOf returns the nth pod of an object that has not ended: the object itself, or one that it owns, perhaps by others; nil: there is none.
func (r *run) podOf(path string, nth int) *object {
	_, b := r.ask(context.WithoutCancel(r.t.Context()), http.MethodGet, path, jsonType, nil)
	owner, err := readObject(b)
	if err != nil {
		return nil
	}
	mine, all := map[string]bool{owner.Meta.UID: true}, r.objects()
	for before := 0; before != len(mine); {
		before = len(mine)
		for _, o := range all {
			if slices.ContainsFunc(o.Meta.OwnerReferences, func(ref ownerReference) bool { return mine[ref.UID] }) {
				mine[o.Meta.UID] = true
			}
		}
	}
	pods := slices.DeleteFunc(all, func(o *object) bool { return o.typeName() != "Pod" || !mine[o.Meta.UID] || ended(o) })
	slices.SortFunc(pods, func(a, b *object) int {
		return cmp.Or(cmp.Compare(a.name(), b.name()), cmp.Compare(a.Meta.CreationTimestamp, b.Meta.CreationTimestamp), cmp.Compare(a.Meta.Name, b.Meta.Name))
	})
	if nth > len(pods) {
		return nil
	}
	return pods[nth-1]
}

// podStatus is the part of the status of a pod that the kubelet changes here.
type podStatus struct {
	Status struct {
		Phase      string
		Conditions []map[string]any
	}
}

// ended reports whether a pod has ended, or is to.
func ended(o *object) bool {
	var p podStatus
	return json.Unmarshal(o.raw, &p) != nil || p.Status.Phase == "Failed" || p.Status.Phase == "Succeeded" || o.Meta.DeletionTimestamp != ""
}

// setPod writes the status of a pod as a kubelet does: whether it is ready, and fields in JSON, each with a comma after it.
func (r *run) setPod(path string, pod *object, fields, ready string) error {
	var p podStatus
	if err := json.Unmarshal(pod.raw, &p); err != nil {
		return err
	}
	for _, c := range p.Status.Conditions {
		if c["type"] == "Ready" || c["type"] == "ContainersReady" {
			c["status"], c["lastTransitionTime"] = ready, time.Now().UTC().Format(time.RFC3339)
		}
	}
	conditions, err := json.Marshal(p.Status.Conditions)
	if err != nil {
		return err
	}
	return r.user(kubeletActor, http.MethodPatch, path+"/status", mergeType, fmt.Appendf(nil, `{"metadata":{"uid":%q},"status":{%s"conditions":%s}}`, pod.Meta.UID, fields, conditions))
}

// evict evicts a pod as `kubectl drain` does: while a PodDisruptionBudget does not allow that, it tries again.
func (r *run) evict(path string, pod *object) error {
	body := fmt.Appendf(nil, `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":%q,"namespace":%q}}`, pod.Meta.Name, pod.namespace())
	code, reply := r.insist(userActor, http.MethodPost, path+"/eviction", jsonType, body)
	for from := time.Now(); code == http.StatusTooManyRequests && time.Since(from) < mostTrying && r.t.Context().Err() == nil; {
		r.t.Sleep(5 * time.Second)
		code, reply = r.insist(userActor, http.MethodPost, path+"/eviction", jsonType, body)
	}
	if code == http.StatusTooManyRequests || code == http.StatusNotFound {
		return story.SkipStep("the API server answers %d: %.300s", code, reply)
	}
	return failure(code, reply)
}
