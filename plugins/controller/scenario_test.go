package controller_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
	"github.com/lwtest/lwtest/plugins/controller"
)

// definition is the CustomResourceDefinition of widgets, with the properties of their spec.
func definition(properties string) string {
	return `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {
		group: example.com, scope: Namespaced, names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList},
		versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: ` + properties + `}}}}}]}}`
}

// asked returns the requests with a verb, one text for each: who asks, for which object, with what body, and the code if it is refused.
func asked(h *history.History, verb string) (all []string) {
	for i := range h.Events {
		e := &h.Events[i]
		if e.Phase == history.Return && e.Kind == verb {
			call := h.Events[e.Call-1]
			text := call.Actor + " " + call.Obj.Key + " " + string(call.X.Args)
			if err := e.Err(); err != nil {
				text += fmt.Sprint(" ", err.Code)
			}
			all = append(all, text)
		}
	}
	return all
}

// played plays a scenario on a controller that does nothing.
func played(t *testing.T, s controller.Subject, check string) (harness.Result, *history.History) {
	t.Helper()
	s.Run = idle
	target, err := controller.Target(s)
	require.NoError(t, err)
	r, h := runCheck(t, target, check)
	require.Equal(t, harness.Pass, r.Verdict, r.Reason)
	return r, h
}

// A user changes the first field for which the API server accepts another value, and changes it back.
func TestVary(t *testing.T) {
	widget := controller.Create(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 3, colour: red}}`)
	const key = "user widgets.example.com/default/w "
	for properties, want := range map[string][]string{
		`{size: {type: integer, maximum: 3}, colour: {type: string}}`: {key + `{"spec":{"size":2}}`, key + `{"spec":{"size":3}}`},
		// it is immutable
		`{size: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf}]}, colour: {type: string, enum: [red, blue]}}`: {key + `{"spec":{"colour":"blue"}}`, key + `{"spec":{"colour":"red"}}`},
		`{size: {type: integer, enum: [3]}, colour: {type: string, pattern: "^red$"}}`:                                            nil,
	} {
		_, h := played(t, controller.Subject{Definitions: []string{definition(properties)}, Scenario: []story.Step{widget, controller.Vary("widgets.example.com/w", 0)}}, "quiet/writes")
		assert.Equal(t, want, asked(h, "PATCH"), properties)
	}
	_, h := played(t, controller.Subject{Scenario: append(scenario, controller.Vary("configmaps/a", 0), controller.Vary("configmaps/b", 0))}, "quiet/writes")
	assert.Empty(t, asked(h, "PATCH"), "no definition says what a ConfigMap is")
}

// A change that cannot be taken back is none of a user's errors.
func TestVaryForGood(t *testing.T) {
	grow := func(ctx context.Context, c *rest.Config) {
		client, err := dynamic.NewForConfig(c)
		if !assert.NoError(t, err) {
			return
		}
		widgets := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}).Namespace("default")
		definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
		for ; ctx.Err() == nil; time.Sleep(time.Second) {
			if w, err := widgets.Get(ctx, "w", metav1.GetOptions{}); err == nil && fmt.Sprint(w.Object["spec"]) == "map[size:4]" {
				_, err := definitions.Patch(ctx, "widgets.example.com", types.JSONPatchType, []byte(`[{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/minimum","value":4}]`), metav1.PatchOptions{})
				assert.NoError(t, err)
				return
			}
		}
	}
	_, h := played(t, controller.Subject{Definitions: []string{definition(`{size: {type: integer}}`)}, Extra: grow, Scenario: []story.Step{
		controller.Create(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 3}}`), controller.Vary("widgets.example.com/w", 0)}}, "quiet/writes")
	assert.Equal(t, []string{`user widgets.example.com/default/w {"spec":{"size":4}}`, `user widgets.example.com/default/w {"spec":{"size":3}} 422`}, asked(h, "PATCH"))
}

// All runs of a check change the same, also if an object looks otherwise in one of them. A random story names no object.
func TestVaryInAllRuns(t *testing.T) {
	target, err := controller.Target(controller.Subject{Run: idle, Definitions: []string{definition(`{size: {type: integer}, colour: {type: string}}`)}, Scenario: []story.Step{
		controller.Create(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: 1}}`),
		controller.Create(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: b}, spec: {size: 7}}`),
	}})
	require.NoError(t, err)
	c := target.Cases[0]
	s, err := c.Kind.Story([]byte(`{"lwtest":"story/v1","kind":"controller","steps":[{"op":"vary","with":{"choice":4,"after":2}},{"op":"unseen","for":"5s","with":{"step":1}},{"op":"scenario"},{"op":"vary"}]}`))
	require.NoError(t, err)
	one, err := c.Play(s)
	require.NoError(t, err)
	r, h := harness.Run(one, harness.Options{TB: t, Seed: 1})
	require.Equal(t, harness.Pass, r.Verdict, r.Reason)
	want := []string{`user widgets.example.com/default/b {"spec":{"size":6}}`, `user widgets.example.com/default/b {"spec":{"size":7}}`,
		`user widgets.example.com/default/a {"spec":{"size":2}}`, `user widgets.example.com/default/a {"spec":{"size":1}}`}
	assert.Equal(t, append(want, want...), asked(h, "PATCH"))
}

// From a sample a scenario is made in which a user changes a field and changes it back.
func TestSamples(t *testing.T) {
	file := filepath.Join(t.TempDir(), "samples.yaml")
	require.NoError(t, os.WriteFile(file, []byte("{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 3}}"), 0o600))
	steps, err := controller.ReadScenario(file)
	require.NoError(t, err)
	r, h := played(t, controller.Subject{Definitions: []string{definition(`{size: {type: integer}}`)}, Scenario: steps}, "quiet/writes")
	assert.Contains(t, asked(h, "PATCH"), `user widgets.example.com/default/w {"spec":{"size":4}}`)
	for _, rr := range r.Rules {
		if rr.Rule == "undo/same" {
			assert.Equal(t, 2, rr.Tested, "a label, and a field")
		}
	}
}

const deployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: {app: web}},
	template: {metadata: {labels: {app: web}}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: i}]}}}}`

// phases counts the pods at the end of the first run by their phases, and those that are not ready.
func phases(t *testing.T, h *history.History) map[string]int {
	t.Helper()
	out := map[string]int{}
	for i := range h.Events {
		if h.Events[i].Kind != "FINAL" {
			continue
		}
		var end struct{ Objects []corev1.Pod }
		require.NoError(t, json.Unmarshal(h.Events[i].X.Body, &end))
		for _, p := range end.Objects {
			if p.Kind != "Pod" {
				continue
			}
			out[string(p.Status.Phase)]++
			for _, c := range p.Status.Conditions {
				if c.Type == corev1.PodReady && c.Status != corev1.ConditionTrue {
					out["unready"]++
				}
			}
		}
		return out
	}
	return nil
}

// What happens to pods stays so, and their controller does something about it.
func TestPods(t *testing.T) {
	pod := controller.Create(`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: i}]}}`)
	budget := controller.Create(`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}}`)
	for name, test := range map[string]struct {
		steps []story.Step
		want  map[string]int
	}{
		"fails":                {[]story.Step{controller.Create(deployment), controller.FailPod("deployments.apps/web", 2)}, map[string]int{"Running": 2, "Failed": 1, "unready": 1}},
		"two fail":             {[]story.Step{controller.Create(deployment), controller.FailPod("deployments.apps/web", 2), controller.FailPod("deployments.apps/web", 1)}, map[string]int{"Running": 2, "Failed": 2, "unready": 2}},
		"evicted":              {[]story.Step{controller.Create(deployment), controller.EvictPod("deployments.apps/web", 1)}, map[string]int{"Running": 2}},
		"evicted for good":     {[]story.Step{pod, controller.EvictPod("pods/p", 1)}, map[string]int{}},
		"budget forbids":       {[]story.Step{controller.Create(deployment), budget, controller.EvictPod("deployments.apps/web", 1)}, map[string]int{"Running": 2}},
		"not ready":            {[]story.Step{controller.Create(deployment), controller.UnreadyPod("deployments.apps/web", 1, 0)}, map[string]int{"Running": 2, "unready": 1}},
		"ready again":          {[]story.Step{controller.Create(deployment), controller.UnreadyPod("deployments.apps/web", 1, time.Minute)}, map[string]int{"Running": 2}},
		"fails while it waits": {[]story.Step{pod, controller.Wait(500 * time.Millisecond), controller.FailPod("pods/p", 1)}, map[string]int{"Failed": 1}},
		"no such pod":          {[]story.Step{controller.Create(deployment), controller.FailPod("deployments.apps/web", 3), controller.FailPod("deployments.apps/other", 1)}, map[string]int{"Running": 2}},
	} {
		_, h := played(t, controller.Subject{Scenario: test.steps}, "quiet/writes")
		assert.Equal(t, test.want, phases(t, h), name)
		if name == "budget forbids" {
			assert.Greater(t, len(asked(h, "POST")), 10, "a user tries again for a minute")
		}
	}
}

// What stand-ins make for objects that exist before the controller starts is not the controller's.
func TestBefore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "service.yaml")
	require.NoError(t, os.WriteFile(file, []byte("{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: a}, ports: [{port: 80}]}}"), 0o600))
	for range 20 { // they work beside the one who looks
		_, h := played(t, controller.Subject{Manifests: []string{file}, Scenario: scenario}, "quiet/writes")
		for i := range h.Events {
			if e := &h.Events[i]; e.Kind == "FINAL" {
				require.NotContains(t, string(e.X.Body), "Endpoint")
			}
		}
	}
}
