// Package kubecontrollers runs the controllers of Kubernetes' own kube-controller-manager as subjects of lwtest's suite of controllers.
package kubecontrollers

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/harness/story"
	"github.com/lwtest/lwtest/plugins/controller"
)

// Controller is a controller of Kubernetes, and what users do with it.
type Controller struct {
	Name string
	// Run is one life of it.
	Run      func(ctx context.Context, c *rest.Config) error
	Scenario []story.Step
	// Replaces are the resources on which lwtest's stand-in does not work beside it.
	Replaces []schema.GroupResource
	// Wide reports whether it watches resources of any type, so that a check with a run for each of them takes long.
	Wide bool
}

// Subject returns the controller as a subject of the suite.
func (c Controller) Subject() controller.Subject {
	return controller.Subject{Name: c.Name, Run: c.Run, Scenario: c.Scenario, Replaces: c.Replaces}
}

// Controllers returns all controllers.
func Controllers() []Controller {
	return []Controller{
		{"replicaset", run(replicaSet), replicaSetScenario, resources("replicasets.apps"), false},
		{"deployment", run(deployments, replicaSet), deploymentScenario, resources("deployments.apps", "replicasets.apps"), false},
		{"statefulset", run(statefulSet), statefulSetScenario, resources("statefulsets.apps"), false},
		{"job", run(jobs), jobScenario, resources("jobs.batch"), false},
		{"daemonset", run(daemonSet), daemonSetScenario, resources("daemonsets.apps"), false},
		{"cronjob", run(cronJob), cronJobScenario, resources("cronjobs.batch"), false},
		{"disruption", run(budgets), budgetScenario, resources("poddisruptionbudgets.policy"), false},
		{"claim-protection", run(claimProtection), claimScenario, resources("persistentvolumeclaims"), false},
		{"resourcequota", run(quota), quotaScenario, nil, true},
		{"namespace", run(namespaces), namespaceScenario, resources("namespaces"), false},
		{"garbagecollector", run(garbage), garbageScenario, resources("*"), true},
		{"endpointslice", run(endpointSlices), serviceScenario, resources("services"), false},
	}
}

func resources(names ...string) (all []schema.GroupResource) {
	for _, n := range names {
		all = append(all, schema.ParseGroupResource(n))
	}
	return all
}
