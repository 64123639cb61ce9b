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
}

// Subject returns the controller as a subject of the suite.
func (c Controller) Subject() controller.Subject {
	return controller.Subject{Name: c.Name, Run: c.Run, Scenario: c.Scenario, Replaces: c.Replaces}
}

// Controllers returns all controllers.
func Controllers() []Controller {
	return []Controller{
		{"replicaset", run(replicaSet), replicaSetScenario, resources("replicasets.apps")},
		{"deployment", run(deployments, replicaSet), deploymentScenario, resources("deployments.apps", "replicasets.apps")},
		{"statefulset", run(statefulSet), statefulSetScenario, resources("statefulsets.apps")},
		{"job", run(jobs), jobScenario, resources("jobs.batch")},
		{"daemonset", run(daemonSet), daemonSetScenario, resources("daemonsets.apps")},
		{"cronjob", run(cronJob), cronJobScenario, resources("cronjobs.batch")},
		{"disruption", run(budgets), budgetScenario, resources("poddisruptionbudgets.policy")},
		{"claim-protection", run(claimProtection), claimScenario, resources("persistentvolumeclaims")},
		{"resourcequota", run(quota), quotaScenario, nil},
		{"namespace", run(namespaces), namespaceScenario, resources("namespaces")},
		{"garbagecollector", run(garbage), garbageScenario, resources("*")},
		{"endpointslice", run(endpointSlices), serviceScenario, resources("services")},
	}
}

func resources(names ...string) (all []schema.GroupResource) {
	for _, n := range names {
		all = append(all, schema.ParseGroupResource(n))
	}
	return all
}
