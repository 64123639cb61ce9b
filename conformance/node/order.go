package node

import (
	"fmt"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness"
)

var orderInit = harness.Rule{
	Clause: harness.Clause{
		ID:      "order/init",
		Level:   harness.Must,
		Text:    "Init containers run one after the other. Each one, and every other container of the pod, is created only after the one before has ended with 0, in the same sandbox.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.computeInitContainerActions"), lifecycle("Init containers", "init-containers")},
		Why:     "Containers start without what their init containers prepare.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("order/init", judgeOrderInit),
}

func judgeOrderInit(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			pod := p.at(x.made.Num)
			if pod == nil {
				continue
			}
			for _, before := range initsBefore(pod, x.name) {
				judgeInitBefore(x, before, j)
			}
		}
	}
}

// initsBefore returns the init containers that must have ended before a container is created.
func initsBefore(pod *v1.Pod, name string) (all []string) {
	for _, c := range pod.Spec.InitContainers {
		if c.Name == name {
			break
		}
		if !isSidecar(&c) {
			all = append(all, c.Name)
		}
	}
	for _, c := range pod.Spec.EphemeralContainers {
		if c.Name == name {
			return nil
		}
	}
	return all
}

func isSidecar(c *v1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways
}

func judgeInitBefore(x *container, before string, j *harness.Judgement) {
	want := fmt.Sprintf("the init container %s has ended with 0 before %s is created", before, x.name)
	at := []int32{x.made.Num}
	for _, y := range x.pod.all {
		if y.name != before || y.made.Num > x.made.Num {
			continue
		}
		at = []int32{y.made.Num, x.made.Num}
		if y.ended > 0 && y.ended < x.made.Num && (y.code == nil || *y.code == 0) {
			if y.code != nil {
				j.Tested++
			}
			return
		}
	}
	j.Tested++
	j.Fail(want, "it has not", at...)
}

var restartSingle = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/single",
		Level:   harness.Must,
		Text:    "Of all containers of one name, in all pods of one namespace and name, one runs at most: the one before has ended before the next is started.",
		Sources: []harness.Source{inKubelet("pod_workers.go#podWorkers.allowPodStart"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.computePodActions")},
		Why:     "Two copies of a program write to the same volume, or answer for the same name.",
		Classes: []string{"StartContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: judged(judgeSingle),
}

func judgeSingle(t *trace, j *harness.Judgement) {
	byName := map[string][]*container{}
	for _, p := range t.pods {
		for _, x := range p.containers() {
			name := p.key + "/" + x.name
			for _, y := range byName[name] {
				if x.started == nil || !y.runs() {
					continue
				}
				if j.Tested++; y.ended == 0 || y.ended > x.started.Num {
					j.Fail(fmt.Sprintf("the container %s of before has ended", name), "it was not seen to have", y.made.Num, x.started.Num)
				}
			}
			byName[name] = append(byName[name], x)
		}
	}
}

// runs reports whether a container certainly ran.
func (x *container) runs() bool { return x.started != nil && x.started.ok() }
