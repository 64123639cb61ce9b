package kubecontrollers

import (
	"fmt"
	"strings"
	"time"

	suite "github.com/lwtest/lwtest/conformance/controller"
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
	daemonSetScenario = []story.Step{
		controller.Create(node("a")),
		controller.Create(`{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: web}, spec: {selector: ` + selector + `, template: ` + template("Always") + `}}`),
		controller.Create(node("b")),
		controller.Change("daemonsets.apps/web", `{spec: {template: {metadata: {annotations: {v: "2"}}}}}`),
		controller.Delete("nodes/b"),
		controller.Delete("daemonsets.apps/web"),
	}
	cronJobScenario = []story.Step{
		controller.Create(`{apiVersion: batch/v1, kind: CronJob, metadata: {name: tick}, spec: {schedule: "*/30 * * * *", suspend: true, successfulJobsHistoryLimit: 0,
			jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}}`),
		controller.Change("cronjobs.batch/tick", `{spec: {suspend: false, startingDeadlineSeconds: 3600}}`),
		controller.Wait(30 * time.Minute),
		controller.Change("cronjobs.batch/tick", `{spec: {suspend: true}}`),
	}
	budgetScenario = []story.Step{
		controller.Create(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, selector: ` + selector + `, template: ` + template("Always") + `}}`),
		controller.Create(`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 2, selector: ` + selector + `}}`),
		controller.Annotate("poddisruptionbudgets.policy/web"),
		controller.Change("deployments.apps/web", `{spec: {replicas: 2}}`),
		controller.Change("poddisruptionbudgets.policy/web", `{spec: {minAvailable: 1}}`),
		controller.Delete("deployments.apps/web"),
	}
	claimScenario = []story.Step{
		controller.Create(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`),
		controller.Create(`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: i}], volumes: [{name: d, persistentVolumeClaim: {claimName: d}}]}}`),
		controller.Delete("persistentvolumeclaims/d"),
		controller.Delete("pods/p"),
		controller.Create(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: e}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`),
	}
	quotaScenario = []story.Step{
		controller.Create(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: 10, configmaps: 20, count/deployments.apps: 2}}}`),
		controller.Create(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, selector: ` + selector + `, template: ` + template("Always") + `}}`),
		controller.Annotate("resourcequotas/q"),
		controller.Change("resourcequotas/q", `{spec: {hard: {pods: 5}}}`),
		controller.Delete("deployments.apps/web"),
	}
	namespaceScenario = []story.Step{
		controller.Create(`{apiVersion: v1, kind: Namespace, metadata: {name: shop}}`),
		controller.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}`),
		controller.Create(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 2, selector: ` + selector + `, template: ` + template("Always") + `}}`),
		controller.Create(`{apiVersion: v1, kind: Namespace, metadata: {name: stays}}`),
		controller.Delete("namespaces/shop"),
	}
	garbageScenario = []story.Step{
		controller.Create(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, selector: ` + selector + `, template: ` + template("Always") + `}}`),
		controller.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: orphan, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: 00000000-0000-4000-8000-000000000000}]}}`),
		controller.Delete("deployments.apps/web"),
		controller.Create(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: left}, spec: {replicas: 1, selector: ` + selector + `, template: ` + template("Always") + `}}`),
		{Op: "delete", Obj: "deployments.apps/left", With: suite.Deletion{Cascade: "orphan"}},
	}
	serviceScenario = []story.Step{
		controller.Create(node("a")), // pods without a node are no endpoints
		controller.Create(`{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}`),
		controller.Create(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, selector: ` + selector + `, template: ` + strings.Replace(template("Always"), "spec: {", "spec: {nodeName: a, ", 1) + `}}`),
		controller.Change("services/web", `{spec: {ports: [{port: 80, targetPort: 8080}]}}`),
		controller.Change("deployments.apps/web", `{spec: {replicas: 1}}`),
		controller.Create(`{apiVersion: v1, kind: Service, metadata: {name: other}, spec: {selector: {app: web}, ports: [{port: 81}]}}`),
		controller.Delete("services/other"),
	}
)

// node is a node that is ready.
func node(name string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %[1]s}}, status: {allocatable: {pods: 10}, conditions: [{type: Ready, status: "True"}]}}`, name)
}
