package node

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness"
)

var imageProgram = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/program",
		Level:   harness.Must,
		Text:    "A container is created with the command, the arguments and the variables of its spec. $(NAME) is the value of an earlier variable, and $$ is a $.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.generateContainerConfig"), inKubelet("kubelet_pods.go#Kubelet.makeEnvironmentVariables")},
		Why:     "A program runs with other options than its author wrote.",
		Advice:  "Copy command, args and env into the fields of their names in CreateContainer. Expand $(NAME) in all three, in env by earlier variables, and $$ to $.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("image/program", judgeProgram),
}

func judgeProgram(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			c := p.specOf(x)
			if c == nil || x.config.GetImage() == nil || p.static { // a mirror pod may be of another manifest
				continue
			}
			j.Tested++
			env, told := variables(p, c), map[string]string{}
			for _, v := range x.config.GetEnvs() {
				told[v.GetKey()] = string(v.GetValue())
			}
			for _, v := range c.Env {
				want, known := env[v.Name]
				if got, ok := told[v.Name]; known && (!ok || got != want) {
					j.Fail(fmt.Sprintf("the variable %s of %s is %q", v.Name, x.name, want), fmt.Sprintf("%q", got), x.made.Num)
				}
			}
			want, got := expandAll(slices.Concat(c.Command, c.Args), env), slices.Concat(x.config.GetCommand(), x.config.GetArgs())
			if !slices.Equal(want, got) || len(c.Command) != len(x.config.GetCommand()) {
				j.Fail(fmt.Sprintf("the command and the arguments of %s: %q", x.name, want), fmt.Sprintf("%q", got), x.made.Num)
			}
		}
	}
}

// variables returns the variables of a container whose values its pod alone says.
func variables(p *podTrace, c *v1.Container) map[string]string {
	env := map[string]string{}
	for _, v := range c.Env {
		switch from := v.ValueFrom; {
		case from == nil:
			env[v.Name] = expandAll([]string{v.Value}, env)[0]
		case from.FieldRef != nil && from.FieldRef.FieldPath == "metadata.name":
			_, env[v.Name], _ = strings.Cut(p.key, "/")
		}
	}
	return env
}

// expandAll replaces $(NAME) in texts.
func expandAll(all []string, env map[string]string) (out []string) {
	pairs := []string{"$$", "$"}
	for name, value := range env {
		pairs = append(pairs, "$("+name+")", value)
	}
	for _, s := range all {
		out = append(out, strings.NewReplacer(pairs...).Replace(s))
	}
	return out
}
