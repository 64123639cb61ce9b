// Package controller tests controllers: programs that reconcile. A controller runs on lwtest's API server, in this process and in virtual
// time, and each check starts it anew.
//
//	func TestManager(t *testing.T) {
//		controller.Test(t, controller.Subject{
//			Run:  func(ctx context.Context, c *rest.Config) error { … },
//			CRDs: []string{"../config/crd/bases"},
//			Scenario: []story.Step{controller.Create(sample), controller.Change("widgets.example.com/w", `{"spec":{"size":3}}`), controller.Delete("widgets.example.com/w")},
//		})
//	}
package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/conformance/controller"
	apirest "github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
	"github.com/lwtest/lwtest/plugins/clientgo"
)

// Subject is a controller in this process.
type Subject struct {
	// Name is shown in reports; "": "controller".
	Name string
	// Run is one life of the controller. It runs until ctx ends, and is called again for the next life. It must make all that it uses:
	// clients, caches, queues. It runs in a testing/synctest bubble.
	Run func(ctx context.Context, c *rest.Config) error
	// CRDs are files with CustomResourceDefinitions, in YAML or JSON, or folders of such files. Definitions are such texts.
	CRDs        []string
	Definitions []string
	// Roles are files with the ClusterRoles and Roles of the controller, as CRDs. With them, all that it asks for is compared with what they
	// allow. Rules are such rules, for all namespaces.
	Roles []string
	Rules []rbacv1.PolicyRule
	// Manifests are files with objects that exist before the controller starts, or folders of such files: namespaces, ConfigMaps, webhook
	// configurations. Webhooks that name a service reach what Run serves by ServeWebhooks. Deployments, and objects of groups that
	// nothing serves, are left out.
	Manifests []string
	// Scenario is what users do. Everything comes to rest after each step, but before and after a Wait.
	Scenario []story.Step
	// Replaces has the resources of which the subject is the controller, among those of kube-controller-manager: statefulsets.apps.
	// Stand-ins work on the others. "namespaces" are emptied by the subject, and "*" is the garbage collector's.
	Replaces []schema.GroupResource
	// Extra says what else works on the API server during a run, until ctx ends. It may be nil.
	Extra func(ctx context.Context, c *rest.Config)
}

// Test runs the suite of controllers on a subject, each check as a subtest. See harness.Test for the environment variables that it reads.
func Test(t *testing.T, s Subject) {
	t.Helper()
	target, err := Target(s)
	if err != nil {
		t.Fatal(err)
	}
	harness.Test(t, target.Cases)
}

// Fuzz plays the scenario of a subject with random disturbances, several at once: see story.Fuzz.
func Fuzz(f *testing.F, s Subject) {
	f.Helper()
	target, err := Target(s)
	if err != nil {
		f.Fatal(err)
	}
	story.Fuzz(f, target.Cases)
}

// Target returns a subject as a target. It returns an error for a subject that cannot be tested.
func Target(s Subject) (harness.Target, error) {
	if s.Name == "" {
		s.Name = "controller"
	}
	if s.Run == nil {
		return harness.Target{}, errors.New("the subject has no Run")
	}
	t, _, err := target(s, program{}, harness.VirtualTime, controller.StaleViews, controller.LongDelays)
	return t, err
}

// target returns a subject as a target, with the features that it has. A program is started in place of Run if there is one.
func target(s Subject, runs program, has ...harness.Feature) (harness.Target, *subject, error) {
	if len(s.Scenario) == 0 {
		return harness.Target{}, nil, errors.New("the subject has no Scenario: say what users do, with Create, Change and Delete")
	}
	if err := controller.Validate(s.Scenario); err != nil {
		return harness.Target{}, nil, fmt.Errorf("scenario: %w", err)
	}
	definitions, err := readDefinitions(s.CRDs)
	if err != nil {
		return harness.Target{}, nil, err
	}
	for _, text := range s.Definitions {
		objects, err := apirest.ReadFrom(strings.NewReader(text))
		if err != nil {
			return harness.Target{}, nil, fmt.Errorf("a definition: %w", err)
		}
		for _, o := range objects {
			b, err := o.MarshalJSON()
			if err != nil {
				return harness.Target{}, nil, fmt.Errorf("a definition: %w", err)
			}
			definitions = append(definitions, b)
		}
	}
	role, err := readRoles(s.Roles)
	if err != nil {
		return harness.Target{}, nil, err
	}
	for _, r := range s.Rules {
		role = append(role, controller.Allowed{PolicyRule: r})
	}
	if role != nil {
		has = append(has, controller.Role)
	}
	manifests, notes, err := readManifests(s.Manifests, definitions)
	if err != nil {
		return harness.Target{}, nil, err
	}
	clientgo.Quiet()
	made := &subject{Subject: s, definitions: definitions, manifests: manifests, program: runs, role: role}
	if err := made.acceptable(); err != nil {
		return harness.Target{}, nil, err
	}
	p := harness.Plugin[controller.Subject]{Name: s.Name, Features: has,
		Open: func(t *harness.T) (controller.Subject, error) {
			one := *made
			one.run = t.ID()
			return &one, nil
		}}
	return harness.Target{Name: "controller:" + s.Name, Notes: notes, Cases: controller.Suite.Bind(p)}, made, nil
}

// readDefinitions reads CustomResourceDefinitions, as JSON.
func readDefinitions(paths []string) ([][]byte, error) {
	return readAll(paths, "CustomResourceDefinition")
}

// readRoles reads the rules of ClusterRoles and Roles. Those of a Role hold in its namespace; kubebuilder's "system" stands for any. If a
// binding binds some of them to a ServiceAccount, the others are left out: they are for users.
func readRoles(paths []string) (all []controller.Allowed, err error) {
	docs, err := readAll(paths, "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding")
	if err != nil {
		return nil, err
	}
	var roles []rbacv1.ClusterRole // a Role has the same fields
	bound := map[string]bool{}
	for _, d := range docs {
		var one struct {
			rbacv1.ClusterRole
			Subjects []rbacv1.Subject `json:"subjects"`
			RoleRef  rbacv1.RoleRef   `json:"roleRef"`
		}
		if err := json.Unmarshal(d, &one); err != nil {
			return nil, fmt.Errorf("a role or a binding: %w", err)
		}
		if strings.HasSuffix(one.Kind, "Role") {
			roles = append(roles, one.ClusterRole)
		} else if slices.ContainsFunc(one.Subjects, func(s rbacv1.Subject) bool { return s.Kind == rbacv1.ServiceAccountKind }) {
			bound[one.RoleRef.Kind+" "+one.RoleRef.Name] = true
		}
	}
	if len(paths) > 0 && len(roles) == 0 {
		return nil, fmt.Errorf("%s has no ClusterRole and no Role", strings.Join(paths, ", "))
	}
	isBound := func(r rbacv1.ClusterRole) bool { return bound[r.Kind+" "+r.Name] }
	if slices.ContainsFunc(roles, isBound) {
		roles = slices.DeleteFunc(roles, func(r rbacv1.ClusterRole) bool { return !isBound(r) })
	}
	for _, role := range roles {
		for _, r := range role.Rules {
			namespace := role.Namespace
			if namespace == "system" {
				namespace = ""
			}
			all = append(all, controller.Allowed{PolicyRule: r, Namespace: namespace})
		}
	}
	return all, nil
}

// readAll reads the objects of some kinds from files, and from the files of folders, as JSON. A path that has none is an error.
func readAll(paths []string, kinds ...string) (all [][]byte, err error) {
	for _, path := range paths {
		files, err := filesOf(path)
		if err != nil {
			return nil, err
		}
		objects, err := apirest.Read(files...)
		if err != nil {
			return nil, err
		}
		before := len(all)
		for _, o := range objects {
			if !slices.Contains(kinds, o.GetKind()) {
				continue
			}
			b, err := o.MarshalJSON()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", o.Place(), err)
			}
			all = append(all, b)
		}
		if len(all) == before {
			return nil, fmt.Errorf("%s has no %s", path, strings.Join(kinds, " and no "))
		}
	}
	return all, nil
}

// Create is a step in which a user creates an object, in YAML or JSON. It panics if that cannot be read.
func Create(object string) story.Step {
	return story.Step{Op: "create", With: controller.Object{Object: mustJSON(object)}}
}

// Change is a step in which a user changes an object, as "deployments.apps/web" or "pods/other/p", by a merge patch in YAML or JSON. It
// panics if that cannot be read.
func Change(object, patch string) story.Step {
	return story.Step{Op: "change", Obj: object, With: controller.Patch{Patch: mustJSON(patch)}}
}

// Vary is a step in which a user changes a field of a custom resource as the schema in its definition allows and, when all is at rest,
// changes it back. The choice says which field and value. With 0 it is a number if there is one, as of replicas. Where no definition is known
// the step does nothing.
func Vary(object string, choice int) story.Step {
	return story.Step{Op: "vary", Obj: object, With: controller.Vary{Choice: choice}}
}

// Delete is a step in which a user deletes an object.
func Delete(object string) story.Step { return story.Step{Op: "delete", Obj: object} }

// FailPod is a step in which a pod of an object, as "deployments.apps/web", ends as Failed. The pods that have not ended are counted from 1, by
// name, or where names are drawn by age. Without such a pod the step does nothing.
func FailPod(object string, nth int) story.Step { return podStep(object, "fail", nth, 0) }

// EvictPod is a step in which a user evicts a pod of an object. See FailPod.
func EvictPod(object string, nth int) story.Step { return podStep(object, "evict", nth, 0) }

// UnreadyPod is a step in which a pod of an object is not ready for some time; 0: for good. See FailPod.
func UnreadyPod(object string, nth int, d time.Duration) story.Step {
	return podStep(object, "unready", nth, d)
}

func podStep(object, how string, nth int, d time.Duration) story.Step {
	return story.Step{Op: "pod", Obj: object, For: story.Duration(d), With: controller.Pod{How: how, Nth: nth}}
}

// Annotate is a step in which another client writes an annotation of its own on an object.
func Annotate(object string) story.Step { return story.Step{Op: "annotate", Obj: object} }

// Wait is a step in which users wait for some time, and not until everything is at rest.
func Wait(d time.Duration) story.Step { return story.Step{Op: "advance", For: story.Duration(d)} }

func mustJSON(text string) json.RawMessage {
	b, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("%v:\n%s", err, text))
	}
	return b
}
