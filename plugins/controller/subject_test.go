package controller_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	suite "github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
	"github.com/lwtest/lwtest/plugins/controller"
)

func TestMain(m *testing.M) {
	runIfController()
	goleak.VerifyTestMain(m)
}

func idle(ctx context.Context, _ *rest.Config) error {
	<-ctx.Done()
	return nil
}

var scenario = []story.Step{controller.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`)}

// A subject that cannot be tested is refused with a reason.
func TestRefused(t *testing.T) {
	empty := t.TempDir()
	broken := filepath.Join(empty, "broken.txt")
	require.NoError(t, os.WriteFile(broken, []byte("a: [b"), 0o600))
	for want, s := range map[string]controller.Subject{
		"the subject has no Run":                            {Scenario: scenario},
		"the subject has no Scenario":                       {Run: idle},
		`step 1: the word "kill" is not for scenarios`:      {Run: idle, Scenario: []story.Step{{Op: "kill", With: suite.Kill{}}}},
		`there is no word "creat"`:                          {Run: idle, Scenario: []story.Step{{Op: "creat"}}},
		"object: it has no kind and apiVersion":             {Run: idle, Scenario: []story.Step{controller.Create(`{metadata: {name: a}}`)}},
		"missing: no such file or directory":                {Run: idle, Scenario: scenario, CRDs: []string{filepath.Join(empty, "missing")}},
		empty + " has no CustomResourceDefinition":          {Run: idle, Scenario: scenario, CRDs: []string{empty}},
		"broken.txt: ":                                      {Run: idle, Scenario: scenario, CRDs: []string{broken}},
		"the API server refuses a CustomResourceDefinition": {Run: idle, Scenario: scenario, Definitions: []string{`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: wrong}, spec: {}}`}},
	} {
		_, err := controller.Target(s)
		assert.ErrorContains(t, err, want)
	}
}

// A resource is found by its plural, kind or singular, with its group.
func TestResource(t *testing.T) {
	target, err := controller.Target(controller.Subject{Run: idle, Scenario: scenario})
	require.NoError(t, err)
	c := target.Cases[0]
	require.Equal(t, "controller", c.Kind.Name)
	for obj, want := range map[string]string{
		"configmaps/a":         "",
		"ConfigMap/default/a":  "",
		"Deployment.apps/web":  "the step does not apply", // there is none, and no error
		"fleets.example.com/f": `the API server has no resource "fleets.example.com"`,
		"configmaps":           `"configmaps" names no object`,
		"configmaps/a/b/c":     `"configmaps/a/b/c" names no object`,
	} {
		s, err := c.Kind.Story([]byte(`{"lwtest":"story/v1","kind":"controller","steps":[{"op":"create","with":{"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}}},{"op":"delete","obj":"` + obj + `"}]}`))
		require.NoError(t, err)
		played, err := c.Play(s)
		require.NoError(t, err)
		r, h := harness.Run(played, harness.Options{TB: t, Seed: 1})
		switch want {
		case "":
			assert.Equal(t, harness.Pass, r.Verdict, "%s: %s", obj, r.Reason)
		case "the step does not apply":
			assert.Equal(t, "the API server answers 404", h.Steps[len(h.Steps)-1].Skipped, obj)
		default:
			assert.Equal(t, harness.Inconclusive, r.Verdict, obj)
			assert.Contains(t, r.Reason, want)
		}
	}
}

// What a controller does after it was killed reaches nobody, and a controller that panics has ended.
func TestLives(t *testing.T) {
	target, err := controller.Target(controller.Subject{Scenario: scenario, Run: func(ctx context.Context, c *rest.Config) error {
		h, err := rest.HTTPClientFor(c)
		if err != nil {
			return err
		}
		<-ctx.Done()
		res, err := h.Post(c.Host+"/api/v1/namespaces/default/configmaps", "application/json", http.NoBody)
		if err == nil {
			return res.Body.Close()
		}
		panic("it cannot say so")
	}})
	require.NoError(t, err)
	for _, c := range target.Cases {
		if c.Name == "quiet/writes" {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
			assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
		}
	}
}

// What a controller writes in one run, and not in the first, is disturbed, too. A step of the scenario that does nothing is told.
func TestBeyond(t *testing.T) {
	var lives atomic.Int32
	target, err := controller.Target(controller.Subject{Scenario: append(scenario, controller.Delete("configmaps/gone")), Run: func(ctx context.Context, c *rest.Config) error {
		h, err := rest.HTTPClientFor(c)
		if err != nil {
			return err
		}
		more := 2 * min(lives.Add(1), 2) // two in the first run
		for range more {
			res, err := h.Post(c.Host+"/api/v1/namespaces/default/configmaps", "application/json", strings.NewReader(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"x-"}}`))
			if err != nil {
				return err
			}
			_ = res.Body.Close()
		}
		<-ctx.Done()
		return nil
	}})
	require.NoError(t, err)
	r, h := runCheck(t, target, "converge/same/refused/error")
	assert.Equal(t, []string{"step 2 of the scenario (delete configmaps/gone) did nothing: the API server answers 404"}, r.Idle)
	var said []string
	for _, e := range h.Events {
		if e.Kind == "DISTURB" {
			said = append(said, string(e.X.Body))
		}
	}
	assert.Len(t, said, 4, "%v", said)
	r, _ = runCheck(t, target, "converge/same/interference") // nothing is there yet that another client could change
	assert.Equal(t, harness.Skip, r.Verdict)
}

// A goroutine that goes on after the end of its life is found, and named.
func TestLeft(t *testing.T) {
	for pause, want := range map[time.Duration]string{
		time.Second:     "",
		5 * time.Minute: "1m0s later there is 1 goroutine in github.com/lwtest/lwtest/plugins/controller_test.nap (subject_test.go:",
	} {
		target, err := controller.Target(controller.Subject{Scenario: scenario, Run: func(ctx context.Context, _ *rest.Config) error {
			<-ctx.Done()
			go nap(pause)
			return nil
		}})
		require.NoError(t, err)
		r, _ := runCheck(t, target, "restart/quiet")
		broken := r.Broken()
		if want == "" {
			assert.Empty(t, broken)
			continue
		}
		require.Len(t, broken, 1)
		assert.Equal(t, "stop/goroutines", broken[0].Rule)
		assert.Contains(t, broken[0].Bad[0].Got, want)
	}
}

func nap(d time.Duration) { time.Sleep(d) }

// Of a folder with bindings only the roles count that are bound to a ServiceAccount.
func TestBoundRoles(t *testing.T) {
	role := func(name, resource string) string {
		return "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: " + name + "}, rules: [{apiGroups: [\"\"], resources: [" + resource + "], verbs: [list]}]}"
	}
	binding := func(kind string) string {
		return "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: b}, roleRef: {kind: ClusterRole, name: manager}, subjects: [{kind: " + kind + ", name: s, namespace: system}]}"
	}
	for text, want := range map[string]int{
		role("manager", "pods") + "\n---\n" + role("viewer", "secrets"):                                         2,
		role("manager", "pods") + "\n---\n" + role("viewer", "secrets") + "\n---\n" + binding("ServiceAccount"): 1,
		role("manager", "pods") + "\n---\n" + role("viewer", "secrets") + "\n---\n" + binding("Group"):          2,
		role("other", "pods") + "\n---\n" + binding("ServiceAccount"):                                           1,
	} {
		file := filepath.Join(t.TempDir(), "rbac.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		target, err := controller.Target(controller.Subject{Scenario: scenario, Roles: []string{file}, Run: idle})
		require.NoError(t, err)
		r, h := runCheck(t, target, "quiet/writes")
		require.Equal(t, harness.Pass, r.Verdict, r.Reason)
		assert.Equal(t, want, strings.Count(string(h.Events[0].X.Body), `"verbs"`), text)
	}
}

// A pod that does not restart runs as long as its annotation says.
func TestRuns(t *testing.T) {
	var phases []string
	pod := func(name, annotations string) story.Step {
		return controller.Create(`{apiVersion: v1, kind: Pod, metadata: {name: ` + name + annotations + `}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}`)
	}
	target, err := controller.Target(controller.Subject{Scenario: []story.Step{pod("a", ""), pod("b", `, annotations: {lwtest.example.com/runs: 5m}`), controller.Wait(time.Minute)}, Run: func(ctx context.Context, c *rest.Config) error {
		client, err := kubernetes.NewForConfig(c)
		if err != nil {
			return err
		}
		for at := range 2 {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(time.Duration(7-at) * time.Minute): // three minutes of rest before each step
			}
			for _, name := range []string{"a", "b"} {
				p, err := client.CoreV1().Pods("default").Get(ctx, name, metav1.GetOptions{})
				if err != nil {
					return err
				}
				phases = append(phases, name+" "+string(p.Status.Phase))
			}
		}
		<-ctx.Done()
		return nil
	}})
	require.NoError(t, err)
	r, _ := runCheck(t, target, "quiet/writes")
	require.NotEqual(t, harness.Inconclusive, r.Verdict, r.Reason)
	assert.Equal(t, []string{"a Succeeded", "b Running", "a Succeeded", "b Succeeded"}, phases)
}

// With a role, what the controller asks for and may not is found.
func TestRoles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "role.yaml")
	for rule, want := range map[string]harness.Verdict{
		`{apiGroups: [""], resources: [configmaps], verbs: [list]}`: harness.Pass,
		`{apiGroups: [""], resources: [configmaps], verbs: [get]}`:  harness.Fail,
	} {
		require.NoError(t, os.WriteFile(file, []byte("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: manager-role}, rules: ["+rule+"]}"), 0o600))
		target, err := controller.Target(controller.Subject{Scenario: scenario, Roles: []string{file}, Run: func(ctx context.Context, c *rest.Config) error {
			h, err := rest.HTTPClientFor(c)
			if err != nil {
				return err
			}
			res, err := h.Get(c.Host + "/api/v1/configmaps")
			if err != nil {
				return err
			}
			<-ctx.Done()
			return res.Body.Close()
		}})
		require.NoError(t, err)
		r, _ := runCheck(t, target, "rights/enough")
		assert.Equal(t, want, r.Verdict, r.Reason)
	}
}
