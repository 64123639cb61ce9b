package node

import (
	"encoding/json"
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

// edit returns a step that patches an object.
func edit(name, patch string) story.Step {
	return story.Step{Op: "edit", Obj: name, With: Edit{Patch: json.RawMessage(patch)}}
}

func editStatus(name, patch string) story.Step {
	return story.Step{Op: "edit", Obj: name, With: Edit{Patch: json.RawMessage(patch), Subresource: "status"}}
}

func manifestOf(name string, p Pod) story.Step { return story.Step{Op: "manifest", Obj: name, With: p} }
func answer(name string, p Probe) story.Step   { return story.Step{Op: "answer", Obj: name, With: p} }
func serve(a Serve) story.Step                 { return story.Step{Op: "serve", With: a} }

// within sets how long a step waits.
func within(d time.Duration, s story.Step) story.Step {
	s.For = story.Duration(d)
	return s
}

// promised returns a step that waits for something that a rule promises.
func promised(r harness.Rule, name string, a Await) story.Step {
	a.Clause = r.Address()
	return await(name, a)
}

// never returns a pod whose containers are not restarted, onFailure one whose containers are if they fail.
func never(all ...v1.Container) Pod {
	p := spec(all...)
	p.Spec.RestartPolicy = v1.RestartPolicyNever
	return p
}

func onFailure(all ...v1.Container) Pod {
	p := spec(all...)
	p.Spec.RestartPolicy = v1.RestartPolicyOnFailure
	return p
}

// withInit adds init containers.
func (p Pod) withInit(all ...v1.Container) Pod {
	p.Spec.InitContainers = append(p.Spec.InitContainers, all...)
	return p
}

// grace sets the grace of a pod, in seconds.
func (p Pod) grace(seconds int64) Pod {
	p.Spec.TerminationGracePeriodSeconds = &seconds
	return p
}

// labeled sets a label.
func (p Pod) labeled(key, value string) Pod {
	p.Labels = map[string]string{key: value}
	return p
}

// sidecar makes a container one that restarts always.
func sidecar(c v1.Container) v1.Container {
	c.RestartPolicy = new(v1.ContainerRestartPolicyAlways)
	return c
}

// from sets the image of a container and its policy.
func from(image string, policy v1.PullPolicy, c v1.Container) v1.Container {
	c.Image, c.ImagePullPolicy = image, policy
	return c
}

// probe is an exec probe, which the word "answer" answers.
func probe(name string, failures int32) *v1.Probe {
	return &v1.Probe{ProbeHandler: v1.ProbeHandler{Exec: &v1.ExecAction{Command: []string{"probe", name}}}, PeriodSeconds: 1, FailureThreshold: failures, SuccessThreshold: 1, TimeoutSeconds: 1}
}

// checked is a container c with probes.
func checked(start, live, ready *v1.Probe) v1.Container {
	c := main("c", runs)
	c.StartupProbe, c.LivenessProbe, c.ReadinessProbe = start, live, ready
	return c
}

func hooked(l v1.Lifecycle) v1.Container {
	c := main("c", runs)
	c.Lifecycle = &l
	return c
}

func execHook(script string) *v1.LifecycleHandler {
	return &v1.LifecycleHandler{Exec: &v1.ExecAction{Command: []string{"sh", "-c", script}}}
}

// always are the rules that each story with pods tests.
var always = []harness.Rule{phaseMonotone, statusPatch, statusGeneration, statusConditions, restartReason, logPath, imageName, imageProgram}

// anyPods are the rules that stories with pods test for agents with containers and without. An agent without containers may write a status
// only once, so that no condition changes.
func anyPods(all ...harness.Rule) []harness.Rule {
	return append(all, phaseMonotone, statusPatch, statusGeneration, restartReason, logPath, imageName, imageProgram)
}

func podRules(all ...harness.Rule) []harness.Rule { return append(all, always...) }
