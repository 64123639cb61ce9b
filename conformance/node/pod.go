package node

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pod is a pod of a story. What its spec leaves out is as newPod sets it.
type Pod struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	UID         string            `json:"uid,omitempty"` // of a static pod
	Spec        v1.PodSpec        `json:"spec,omitzero"`
}

// Image is what containers are made of if they do not say.
const Image = "docker.io/library/busybox:1"

// The programs of most containers. Every shell understands them.
var (
	runs     = []string{"sh", "-c", "trap 'exit 0' TERM; sleep infinity & wait"}
	stubborn = []string{"sh", "-c", "trap '' TERM; sleep infinity & wait"} // it ignores SIGTERM
)

// script is the program that a shell script is.
func script(s string) []string { return []string{"sh", "-c", s} }

// main returns a container with a program.
func main(name string, program []string) v1.Container {
	return v1.Container{Name: name, Command: program}
}

// spec returns a pod with containers.
func spec(all ...v1.Container) Pod { return Pod{Spec: v1.PodSpec{Containers: all}} }

// newPod returns the pod of a name: bound to a node, with one container c that runs, a grace of three seconds, and no service account
// token, if the story does not say otherwise.
func newPod(name, node string, p Pod) *v1.Pod {
	namespace, short, ok := strings.Cut(name, "/")
	if !ok {
		namespace, short = metav1.NamespaceDefault, name
	}
	pod := &v1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Spec: *p.Spec.DeepCopy(),
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: short, Labels: p.Labels, Annotations: p.Annotations}}
	s := &pod.Spec
	if len(s.Containers) == 0 {
		s.Containers = []v1.Container{main("c", runs)}
	}
	if s.NodeName == "" {
		s.NodeName = node
	}
	if s.TerminationGracePeriodSeconds == nil {
		s.TerminationGracePeriodSeconds = new(int64(3))
	}
	if s.AutomountServiceAccountToken == nil {
		s.AutomountServiceAccountToken = new(false)
	}
	if s.EnableServiceLinks == nil {
		s.EnableServiceLinks = new(false)
	}
	if s.DNSPolicy == "" {
		s.DNSPolicy = v1.DNSDefault
	}
	for _, all := range [][]v1.Container{s.InitContainers, s.Containers} {
		for i := range all {
			if all[i].Image == "" {
				all[i].Image, all[i].ImagePullPolicy = Image, v1.PullIfNotPresent
			}
			if len(all[i].Command) == 0 {
				all[i].Command = runs
			}
		}
	}
	return pod
}
