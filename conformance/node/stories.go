package node

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

type steps = []story.Step

// The words that most stories are made of.
func op(name, obj string) story.Step        { return story.Step{Op: name, Obj: obj} }
func put(name string, p Pod) story.Step     { return story.Step{Op: "put", Obj: name, With: p} }
func await(name string, a Await) story.Step { return story.Step{Op: "await", Obj: name, With: a} }
func remove(name string) story.Step         { return story.Step{Op: "delete", Obj: name, With: Delete{}} }
func exit(name string, code int) story.Step { return story.Step{Op: "exit", Obj: name, N: code} }
func advance(d time.Duration) story.Step    { return story.Step{Op: "advance", For: story.Duration(d)} }
func settle() story.Step                    { return story.Step{Op: "settle"} }

func needs(all ...harness.Feature) []harness.Feature { return all }

var (
	start = story.Step{Op: "start"}
	kill  = story.Step{Op: "kill"}

	running = Await{Phase: v1.PodRunning, Ready: new(true)}
	gone    = Await{Gone: true}
)

var stories = []check{
	{
		Name: "order/init", About: "A pod has two init containers, which end one after the other.", Needs: needs(Containers),
		Rules: []harness.Rule{orderInit, restartSingle, phaseMonotone, statusPatch},
		Steps: steps{start, put("a", Pod{Spec: v1.PodSpec{InitContainers: []v1.Container{main("i1", script("sleep 1")), main("i2", script("sleep 1"))}}}),
			await("a", Await{Phase: v1.PodRunning, Ready: new(true), Clause: "order/init"}), settle()},
	}, {
		Name: "termination/delete", About: "Pods are deleted: one that ends at once, one that ignores SIGTERM.", Needs: needs(Containers),
		Rules: []harness.Rule{terminationDelete, terminationGrace, phaseTerminal, phaseMonotone, statusPatch},
		Steps: steps{start, put("a", Pod{}), put("b", spec(main("c", stubborn))), await("a", running), await("b", running), remove("a"), remove("b"),
			await("a", Await{Gone: true, Clause: "termination/delete"}), await("b", Await{Gone: true, Clause: "termination/delete"})},
	}, {
		Name: "phase/ends", About: "Pods that do not restart end with success and without.", Needs: needs(Containers),
		Rules: []harness.Rule{phaseMonotone, phaseTerminal, restartSingle},
		Steps: steps{start, put("a", never(main("c", script("exit 0")))), put("b", never(main("c", script("sleep 1; exit 3")))),
			await("a", Await{Phase: v1.PodSucceeded, Clause: "phase/monotone"}), await("b", Await{Phase: v1.PodFailed, Clause: "phase/monotone"}), settle()},
	},
}

// never returns a pod whose containers are not restarted.
func never(all ...v1.Container) Pod {
	p := spec(all...)
	p.Spec.RestartPolicy = v1.RestartPolicyNever
	return p
}
