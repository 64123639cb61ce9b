package node

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness/story"
)

// convergeTime is how long all pods may take to be as they should be: pulls and crashes have back-offs.
const convergeTime = 2 * time.Minute

func stepConverge(w *world, _ story.Step) error {
	if err := w.repair(); err != nil {
		return err
	}
	why := ""
	names := slices.Sorted(maps.Keys(w.names))
	w.wait(Awaited{Clause: faultRecovers.Address(), What: "all pods are as they should be", For: convergeTime}, "", func() bool {
		why = ""
		for _, name := range names {
			if why = w.wrong(name); why != "" {
				return false
			}
		}
		return true
	}, func() string { return why })
	return nil
}

// repair ends all faults, has probes succeed, and starts what is down.
func (w *world) repair() error {
	all := []func() error{
		func() error { return stepRefuse(false)(w, story.Step{}) },
		func() error { return stepConditions(w, story.Step{}, Conditions{Runtime: true, Network: true}) },
		func() error { return stepServe(w, story.Step{}, w.served) },
	}
	if w.filled {
		all = append(all, func() error { return stepFill(w, story.Step{N: 10}) })
	}
	for name, ends := range w.faults {
		if !ends {
			continue
		}
		all = append(all, func() error { return stepClear(w, story.Step{As: name}) })
	}
	all = append(all, func() error { return stepRestart(w, story.Step{}, Restart{}) }) // no fault may kill it after that
	for key := range w.answers {
		all = append(all, func() error { return stepAnswer(w, story.Step{Obj: key[0]}, Probe{Probe: key[1]}) })
	}
	for _, f := range all {
		if err := f(); err != nil {
			return err
		}
	}
	if w.isUp() {
		return nil
	}
	return w.start(Start{})
}

// wrong returns what is not as it should be with a pod; empty: nothing.
func (w *world) wrong(name string) string {
	obj, err := w.api.Get(w.t.Context(), w.object(name))
	pod, _ := obj.(*v1.Pod)
	switch {
	case err != nil && !notFound(err):
		return err.Error()
	case err != nil && w.wanted[name] && !w.ending[name]: // one that has ended gets none
		return name + " has no mirror pod"
	case err != nil:
		return w.wrongNumber(name, []string{"c"}, 0)
	case pod.DeletionTimestamp != nil && w.static[name] && terminal(pod.Status.Phase):
		return ""
	case pod.DeletionTimestamp != nil:
		return name + " is still being deleted"
	case w.static[name] && !w.wanted[name]:
		return "the mirror pod of " + name + " is still there"
	case terminal(pod.Status.Phase):
		return w.wrongNumber(name, containersOf(pod), 0)
	case w.wanted[name] && !w.ending[name] && w.manifest[name] != w.changed[name] && w.manifest[name] != programs(pod):
		return name + " is not what its manifest says"
	case pod.Spec.RestartPolicy == v1.RestartPolicyAlways && pod.Status.Phase != v1.PodRunning:
		return fmt.Sprintf("%s is %s", name, pod.Status.Phase)
	case pod.Spec.RestartPolicy == v1.RestartPolicyAlways:
		return w.wrongNumber(name, containersOf(pod), 1)
	}
	return ""
}

// programs returns what a pod runs.
func programs(pod *v1.Pod) (all string) {
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		all += fmt.Sprintf("%s %s %q\n", c.Name, c.Image, c.Command)
	}
	return all
}

// containersOf returns the containers of a pod that run until somebody ends them, and are restarted if their pod is.
func containersOf(pod *v1.Pod) (all []string) {
	for _, c := range pod.Spec.Containers {
		if c.RestartPolicy == nil && strings.Contains(strings.Join(c.Command, " "), "infinity") { // those that end by themselves come and go
			all = append(all, c.Name)
		}
	}
	return all
}

// wrongNumber returns which of some containers do not run as often as they should. That no two do is for restart/single to say: an agent
// that dies while it starts a container may leave two (see bornLate).
func (w *world) wrongNumber(name string, containers []string, want int) string {
	for _, c := range containers {
		if got, _ := w.rt.Count(w.podName(name), c); (got > 0) != (want > 0) {
			return fmt.Sprintf("%d containers %s of %s run instead of %d", got, c, name, want)
		}
	}
	return ""
}
