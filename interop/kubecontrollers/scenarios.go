package kubecontrollers

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/harness/story"
	"github.com/lwtest/lwtest/plugins/controller"
)

// template is a pod template. Pods that do not restart succeed.
func template(restart string) string {
	return fmt.Sprintf(`{metadata: {labels: {app: web}}, spec: {restartPolicy: %s, terminationGracePeriodSeconds: 1, containers: [{name: c, image: i}]}}`, restart)
}

// expectations is a little more than what k8s.io/kubernetes/pkg/controller calls ExpectationsTimeout.
const expectations = 5*time.Minute + 30*time.Second

const selector = `{matchLabels: {app: web}}`

var (
	replicaSetScenario = []story.Step{
		controller.Create(`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 3, selector: ` + selector + `, template: ` + template("Always") + `}}`),
		controller.Wait(expectations), // they end, and pods whose events are six minutes late are not there yet
		controller.Annotate("replicasets.apps/web"),
		controller.Change("replicasets.apps/web", `{spec: {replicas: 1}}`),
		controller.Change("replicasets.apps/web", `{spec: {replicas: 2}}`),
		controller.Delete("replicasets.apps/web"),
	}
	deploymentScenario = []story.Step{
		controller.Create(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, selector: ` + selector + `, template: ` + template("Always") + `}}`),
		controller.Change("deployments.apps/web", `{spec: {template: {metadata: {annotations: {v: "2"}}}}}`),
		controller.Change("deployments.apps/web", `{spec: {template: {metadata: {annotations: {v: null}}}}}`),
	}
	statefulSetScenario = []story.Step{
		controller.Create(`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {replicas: 2, serviceName: web, selector: ` + selector + `, template: ` + template("Always") + `,
			volumeClaimTemplates: [{metadata: {name: d}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}}`),
		controller.Change("statefulsets.apps/web", `{spec: {replicas: 3}}`),
		controller.Change("statefulsets.apps/web", `{spec: {replicas: 1}}`),
		controller.Change("statefulsets.apps/web", `{spec: {template: {metadata: {annotations: {v: "2"}}}}}`),
	}
	jobScenario = []story.Step{
		controller.Create(`{apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {completions: 3, parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}`),
		controller.Delete("jobs.batch/once"),
	}
)
