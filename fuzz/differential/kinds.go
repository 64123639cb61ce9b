// Package differential compares the API server fake (fakes/apiserver with rest) with a real kube-apiserver: random stories of
// HTTP requests go to both, and each answer must be the same after normalisation. words.go is the table of requests, kinds.go that of
// kinds, explained.go that of the differences that stay. Command hack/differential runs it.
package differential

import (
	"cmp"
	"slices"
	"strings"
)

// kind is a row of the table of kinds: what requests about them are made of.
type kind struct {
	Name     string // of the row: the resource
	Resource string // if its name is another
	Version  string // "apps/v1"
	Kind     string
	Cluster  bool     // the objects are in no namespace
	Object   string   // a valid object, without its metadata, in JSON
	Edits    []string // values that its fields may get: a JSON pointer, a space and JSON
	Subs     []string // subresources that are read and written like the object
	Status   []string // edits of the subresource status
	Fields   []string // field selectors
	DryRun   bool     // every write is a dry run: other programs act on what is stored
	Fixed    bool     // deletecollection would take what the stories stand on
}

const (
	podSpec  = `{"containers":[{"name":"c","image":"i"}]}`
	jobSpec  = `{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}`
	template = `{"metadata":{"labels":{"app":"x"}},"spec":` + podSpec + `}`
)

// kinds are the kinds that stories are about, of different natures.
var kinds = []kind{
	{Name: "configmaps", Version: "v1", Kind: "ConfigMap", Object: `{"data":{"a":"1"}}`,
		Edits: []string{`/data/a "2"`, `/data/b "3"`, `/data null`, `/data/a 1`, `/data {"bad key":"x"}`, `/binaryData {"a":"YQ=="}`, `/binaryData {"z":"YQ=="}`, `/binaryData {"z":"!"}`, `/immutable true`, `/immutable false`}},
	{Name: "secrets", Version: "v1", Kind: "Secret", Object: `{"data":{"a":"YQ=="}}`,
		Edits:  []string{`/data/a "Yg=="`, `/data/a "not base64"`, `/stringData {"a":"b"}`, `/stringData {"c":"d"}`, `/type "kubernetes.io/tls"`, `/type "example.com/t"`, `/type "kubernetes.io/dockerconfigjson"`, `/type "kubernetes.io/basic-auth"`, `/immutable true`},
		Fields: []string{"type=Opaque", "type!=Opaque"}},
	{Name: "pods", Version: "v1", Kind: "Pod", Object: `{"spec":` + podSpec + `}`, Subs: []string{"status", "ephemeralcontainers", "resize"},
		Edits: []string{`/spec/nodeName "n1"`, `/spec/restartPolicy "Never"`, `/spec/restartPolicy "Sometimes"`, `/spec/terminationGracePeriodSeconds 5`, `/spec/terminationGracePeriodSeconds 0`, `/spec/activeDeadlineSeconds 9`, `/spec/activeDeadlineSeconds 0`,
			`/spec/containers [{"name":"c","image":"j"}]`, `/spec/containers []`, `/spec/containers [{"name":"C_","image":""}]`, `/spec/containers [{"name":"c","image":"i"},{"name":"c","image":"k"}]`,
			`/spec/containers [{"name":"c","image":"i","resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1"}}}]`, `/spec/containers [{"name":"c","image":"i","ports":[{"containerPort":0},{"containerPort":80,"protocol":"X"}]}]`,
			`/spec/containers [{"name":"c","image":"i","env":[{"name":"A","value":"b","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]}]`,
			`/spec/containers [{"name":"c","image":"i:latest","livenessProbe":{"httpGet":{"port":"x"}},"lifecycle":{"preStop":{}}}]`,
			`/spec/volumes [{"name":"v","emptyDir":{}}]`, `/spec/volumes [{"name":"v","emptyDir":{},"hostPath":{"path":"/x"}}]`, `/spec/tolerations [{"key":"k","operator":"Exists"}]`, `/spec/tolerations [{"operator":"Equal"}]`,
			`/spec/nodeSelector {"a":"b"}`, `/spec/schedulingGates [{"name":"example.com/g"}]`, `/spec/priorityClassName "system-node-critical"`, `/spec/priorityClassName "nosuch"`, `/spec/priority 3`, `/spec/hostNetwork true`,
			`/spec/securityContext {"runAsUser":-1}`, `/spec/dnsPolicy "None"`, `/spec/initContainers [{"name":"i","image":"i","restartPolicy":"Always"}]`, `/spec/ephemeralContainers [{"name":"e","image":"i"}]`, `/spec/topologySpreadConstraints [{"maxSkew":0,"topologyKey":"","whenUnsatisfiable":"X"}]`},
		Status: []string{`/status/phase "Running"`, `/status/phase "Succeeded"`, `/status/phase "Odd"`, `/status/conditions [{"type":"Ready","status":"True"}]`, `/status/podIP "10.1.2.3"`, `/status/podIPs [{"ip":"10.1.2.3"}]`, `/status/hostIP "x"`, `/status/message "m"`, `/status/containerStatuses [{"name":"c","image":"i","imageID":"","ready":true,"restartCount":1,"state":{"running":{}}}]`, `/status/observedGeneration 1`},
		Fields: []string{"status.phase=Running", "status.phase!=Pending", "spec.nodeName=n1", "spec.nodeName=", "spec.restartPolicy=Always", "status.podIP=10.1.2.3"}},
	{Name: "services", Version: "v1", Kind: "Service", Object: `{"spec":{"selector":{"app":"x"},"ports":[{"port":80}]}}`, Subs: []string{"status"},
		Edits: []string{`/spec/type "NodePort"`, `/spec/type "LoadBalancer"`, `/spec/type "ExternalName"`, `/spec/externalName "example.com"`, `/spec/clusterIP "None"`, `/spec/clusterIP "10.9.9.9"`, `/spec/clusterIP ""`, `/spec/type "Odd"`,
			`/spec/ports [{"port":0}]`, `/spec/ports [{"port":80},{"port":81}]`, `/spec/ports [{"name":"a","port":80},{"name":"b","port":80}]`, `/spec/ports [{"name":"a","port":80,"targetPort":"web"},{"name":"b","port":53,"protocol":"UDP"}]`,
			`/spec/sessionAffinity "ClientIP"`, `/spec/sessionAffinity "Odd"`, `/spec/selector {"app":"y"}`, `/spec/externalIPs ["1.2.3.4"]`, `/spec/externalIPs ["x"]`, `/spec/externalTrafficPolicy "Local"`, `/spec/internalTrafficPolicy "Local"`, `/spec/ipFamilyPolicy "PreferDualStack"`, `/spec/publishNotReadyAddresses true`, `/spec/loadBalancerClass "example.com/c"`},
		Status: []string{`/status/loadBalancer {"ingress":[{"ip":"1.2.3.4"}]}`, `/status/loadBalancer {"ingress":[{"ip":"x"}]}`, `/status/conditions [{"type":"A","status":"True","reason":"R","message":"","lastTransitionTime":"2020-01-01T00:00:00Z"}]`},
		Fields: []string{"spec.type=ClusterIP", "spec.clusterIP=None"}},
	{Name: "serviceaccounts", Version: "v1", Kind: "ServiceAccount", Object: `{}`,
		Edits: []string{`/automountServiceAccountToken false`, `/secrets [{"name":"s"}]`, `/imagePullSecrets [{"name":"p"}]`, `/imagePullSecrets {}`}},
	{Name: "events", Version: "v1", Kind: "Event", Object: `{"involvedObject":{"kind":"Pod","name":"a","namespace":"{NS}"},"reason":"R","type":"Normal","message":"m"}`,
		Edits:  []string{`/reason "S"`, `/type "Warning"`, `/count 2`, `/involvedObject {"kind":"Node","name":"n"}`, `/involvedObject {"kind":"Pod","name":"b","namespace":"{NS}"}`, `/source {"component":"c"}`, `/reportingComponent "c"`, `/action "A"`, `/eventTime "2020-01-01T00:00:00.000000Z"`},
		Fields: []string{"reason=R", "type=Warning", "involvedObject.name=a", "involvedObject.kind!=Pod"}},
	{Name: "replicationcontrollers", Version: "v1", Kind: "ReplicationController", Object: `{"spec":{"selector":{"app":"x"},"template":` + template + `}}`, Subs: []string{"status", "scale"},
		Edits:  []string{`/spec/replicas 2`, `/spec/replicas -1`, `/spec/selector {"app":"y"}`, `/spec/selector null`, `/spec/minReadySeconds 3`, `/spec/template null`},
		Status: []string{`/status/replicas 2`, `/status/replicas -1`, `/status/readyReplicas 1`, `/status/observedGeneration 1`}, Fields: []string{"status.replicas=2"}},
	{Name: "deployments", Version: "apps/v1", Kind: "Deployment", Object: `{"spec":{"selector":{"matchLabels":{"app":"x"}},"template":` + template + `}}`, Subs: []string{"status", "scale"},
		Edits: []string{`/spec/replicas 2`, `/spec/replicas 0`, `/spec/replicas -1`, `/spec/paused true`, `/spec/strategy {"type":"Recreate"}`, `/spec/strategy {"type":"Recreate","rollingUpdate":{}}`, `/spec/strategy {"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}}`, `/spec/strategy {"rollingUpdate":{"maxSurge":"x"}}`,
			`/spec/selector {"matchLabels":{"app":"y"}}`, `/spec/selector {}`, `/spec/selector {"matchExpressions":[{"key":"app","operator":"In"}]}`, `/spec/minReadySeconds 9`, `/spec/minReadySeconds 900`, `/spec/progressDeadlineSeconds 5`, `/spec/template/metadata/labels/app "y"`, `/spec/template/spec/containers [{"name":"c","image":"j"}]`, `/spec/template/spec/restartPolicy "Never"`, `/spec/template/spec/nodeSelector {"a":"b"}`, `/spec/revisionHistoryLimit -1`},
		Status: []string{`/status/replicas 2`, `/status/readyReplicas 3`, `/status/availableReplicas 1`, `/status/observedGeneration 1`, `/status/collisionCount 1`, `/status/conditions [{"type":"Available","status":"True"}]`}},
	{Name: "replicasets", Version: "apps/v1", Kind: "ReplicaSet", Object: `{"spec":{"selector":{"matchLabels":{"app":"x"}},"template":` + template + `}}`, Subs: []string{"status", "scale"},
		Edits: []string{`/spec/replicas 2`, `/spec/replicas "2"`, `/spec/minReadySeconds -1`, `/spec/selector/matchLabels/app "y"`, `/spec/template/spec/containers [{"name":"c","image":"j"}]`}, Status: []string{`/status/replicas 2`, `/status/fullyLabeledReplicas 3`, `/status/readyReplicas -1`},
		Fields: []string{"status.replicas=2"}},
	{Name: "statefulsets", Version: "apps/v1", Kind: "StatefulSet", Object: `{"spec":{"serviceName":"s","selector":{"matchLabels":{"app":"x"}},"template":` + template + `}}`, Subs: []string{"status", "scale"},
		Edits:  []string{`/spec/replicas 3`, `/spec/podManagementPolicy "Parallel"`, `/spec/podManagementPolicy "Odd"`, `/spec/updateStrategy {"type":"OnDelete"}`, `/spec/updateStrategy {"type":"RollingUpdate","rollingUpdate":{"partition":-1}}`, `/spec/serviceName "t"`, `/spec/ordinals {"start":2}`, `/spec/template/spec/containers [{"name":"c","image":"j"}]`, `/spec/volumeClaimTemplates [{"metadata":{"name":"d"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]`},
		Status: []string{`/status/replicas 1`, `/status/currentRevision "r"`, `/status/currentReplicas 4`, `/status/readyReplicas 1`}},
	{Name: "daemonsets", Version: "apps/v1", Kind: "DaemonSet", Object: `{"spec":{"selector":{"matchLabels":{"app":"x"}},"template":` + template + `}}`, Subs: []string{"status"},
		Edits:  []string{`/spec/updateStrategy {"type":"OnDelete"}`, `/spec/updateStrategy {"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":0}}`, `/spec/minReadySeconds 2`, `/spec/template/spec/containers [{"name":"c","image":"j"}]`, `/spec/revisionHistoryLimit 1`},
		Status: []string{`/status/numberReady 1`, `/status/desiredNumberScheduled -1`, `/status/numberMisscheduled 0`}},
	{Name: "jobs", Version: "batch/v1", Kind: "Job", Object: `{"spec":{"template":{"spec":` + jobSpec + `}}}`, Subs: []string{"status"},
		Edits:  []string{`/spec/parallelism 2`, `/spec/parallelism -1`, `/spec/completions 3`, `/spec/backoffLimit 1`, `/spec/backoffLimit -1`, `/spec/suspend true`, `/spec/suspend false`, `/spec/ttlSecondsAfterFinished 5`, `/spec/completionMode "Indexed"`, `/spec/completionMode "Odd"`, `/spec/manualSelector true`, `/spec/activeDeadlineSeconds 10`, `/spec/template/spec/restartPolicy "Always"`, `/spec/podFailurePolicy {"rules":[{"action":"FailJob","onExitCodes":{"operator":"In","values":[1]}}]}`, `/spec/template/metadata {"labels":{"app":"x"}}`, `/spec/podReplacementPolicy "Failed"`, `/spec/maxFailedIndexes 1`},
		Status: []string{`/status/active 1`, `/status/succeeded 1`, `/status/failed -1`, `/status/ready 5`, `/status/startTime "2020-01-01T00:00:00Z"`, `/status/completionTime "2020-01-02T00:00:00Z"`, `/status/conditions [{"type":"Complete","status":"True"}]`, `/status/conditions [{"type":"Failed","status":"True"}]`, `/status/uncountedTerminatedPods {}`, `/status/completedIndexes "0-1"`},
		Fields: []string{"status.successful=1", "status.successful=0"}},
	{Name: "cronjobs", Version: "batch/v1", Kind: "CronJob", Object: `{"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":` + jobSpec + `}}}}}`, Subs: []string{"status"},
		Edits:  []string{`/spec/schedule "@daily"`, `/spec/schedule "x"`, `/spec/schedule ""`, `/spec/schedule "TZ=UTC * * * * *"`, `/spec/timeZone "Etc/UTC"`, `/spec/timeZone "Nowhere"`, `/spec/suspend true`, `/spec/concurrencyPolicy "Forbid"`, `/spec/concurrencyPolicy "Odd"`, `/spec/startingDeadlineSeconds -1`, `/spec/successfulJobsHistoryLimit 0`, `/spec/failedJobsHistoryLimit -1`, `/spec/jobTemplate/spec/parallelism 2`},
		Status: []string{`/status/lastScheduleTime "2020-01-01T00:00:00Z"`, `/status/active [{"name":"j"}]`}},
	{Name: "leases", Version: "coordination.k8s.io/v1", Kind: "Lease", Object: `{"spec":{"holderIdentity":"h"}}`,
		Edits: []string{`/spec/holderIdentity "g"`, `/spec/holderIdentity ""`, `/spec/leaseDurationSeconds 15`, `/spec/leaseDurationSeconds 0`, `/spec/leaseTransitions -1`, `/spec/renewTime "2020-01-01T00:00:00.123456Z"`, `/spec/renewTime "x"`, `/spec/strategy "OldestEmulationVersion"`, `/spec/preferredHolder "p"`}},
	{Name: "roles", Version: "rbac.authorization.k8s.io/v1", Kind: "Role", Object: `{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}`,
		Edits: []string{`/rules []`, `/rules null`, `/rules [{"apiGroups":[""],"resources":["pods"]}]`, `/rules [{"verbs":["get"]}]`, `/rules [{"nonResourceURLs":["/x"],"verbs":["get"]}]`, `/rules [{"apiGroups":["*"],"resources":["*"],"verbs":["*"],"resourceNames":["a"]}]`}},
	{Name: "rolebindings", Version: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding", Object: `{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"a"},"subjects":[{"kind":"User","name":"u"}]}`,
		Edits: []string{`/roleRef {"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"b"}`, `/roleRef {"kind":"Odd","name":""}`, `/subjects []`, `/subjects [{"kind":"ServiceAccount","name":"s"}]`, `/subjects [{"kind":"ServiceAccount","name":"s","namespace":"n"},{"kind":"Group","name":"g"}]`}},
	{Name: "poddisruptionbudgets", Version: "policy/v1", Kind: "PodDisruptionBudget", Object: `{"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"x"}}}}`, Subs: []string{"status"},
		Edits:  []string{`/spec/minAvailable "50%"`, `/spec/minAvailable "150%"`, `/spec/minAvailable -1`, `/spec/maxUnavailable 1`, `/spec/minAvailable null`, `/spec/selector {}`, `/spec/selector {"matchLabels":{"a b":"c"}}`, `/spec/unhealthyPodEvictionPolicy "AlwaysAllow"`, `/spec/unhealthyPodEvictionPolicy "Odd"`},
		Status: []string{`/status/disruptionsAllowed 1`, `/status/disruptionsAllowed 0`, `/status/currentHealthy -1`, `/status/observedGeneration 1`, `/status/expectedPods 2`, `/status/conditions [{"type":"DisruptionAllowed","status":"True"}]`}},
	{Name: "horizontalpodautoscalers", Version: "autoscaling/v2", Kind: "HorizontalPodAutoscaler", Object: `{"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}}}`, Subs: []string{"status"},
		Edits:  []string{`/spec/minReplicas 2`, `/spec/minReplicas 0`, `/spec/minReplicas 5`, `/spec/maxReplicas 0`, `/spec/scaleTargetRef {"kind":"","name":""}`, `/spec/metrics [{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]`, `/spec/metrics [{"type":"Odd"}]`, `/spec/behavior {"scaleDown":{"stabilizationWindowSeconds":10}}`, `/spec/behavior {"scaleUp":{"policies":[]}}`},
		Status: []string{`/status/currentReplicas 1`, `/status/desiredReplicas -1`, `/status/observedGeneration 1`, `/status/conditions [{"type":"AbleToScale","status":"True"}]`}},
	{Name: "autoscalers-v1", Resource: "horizontalpodautoscalers", Version: "autoscaling/v1", Kind: "HorizontalPodAutoscaler", Object: `{"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}}}`, Subs: []string{"status"},
		Edits: []string{`/spec/minReplicas 2`, `/spec/minReplicas 0`, `/spec/minReplicas 5`, `/spec/maxReplicas 0`, `/spec/targetCPUUtilizationPercentage 50`, `/spec/targetCPUUtilizationPercentage 0`, `/spec/targetCPUUtilizationPercentage null`, `/spec/scaleTargetRef {"kind":"","name":""}`,
			`/metadata/annotations {"autoscaling.alpha.kubernetes.io/metrics":"[{\"type\":\"Resource\",\"resource\":{\"name\":\"memory\",\"targetAverageValue\":\"1Gi\"}},{\"type\":\"Pods\",\"pods\":{\"metricName\":\"m\",\"targetAverageValue\":\"5\"}}]"}`,
			`/metadata/annotations {"autoscaling.alpha.kubernetes.io/behavior":"{\"ScaleDown\":{\"StabilizationWindowSeconds\":10}}","note":"n"}`, `/metadata/annotations {"autoscaling.alpha.kubernetes.io/metrics":"odd"}`},
		Status: []string{`/status/currentReplicas 1`, `/status/desiredReplicas -1`, `/status/observedGeneration 1`, `/status/currentCPUUtilizationPercentage 40`, `/metadata/annotations {"autoscaling.alpha.kubernetes.io/conditions":"[{\"type\":\"AbleToScale\",\"status\":\"True\",\"lastTransitionTime\":null}]"}`,
			`/metadata/annotations {"autoscaling.alpha.kubernetes.io/current-metrics":"[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"currentAverageUtilization\":7,\"currentAverageValue\":\"3\"}}]"}`}},
	{Name: "networkpolicies", Version: "networking.k8s.io/v1", Kind: "NetworkPolicy", Object: `{"spec":{"podSelector":{}}}`,
		Edits: []string{`/spec/policyTypes ["Ingress","Egress"]`, `/spec/policyTypes ["Odd"]`, `/spec/ingress [{"from":[{"ipBlock":{"cidr":"10.0.0.0/8","except":["11.0.0.0/16"]}}]}]`, `/spec/ingress [{"ports":[{"port":"x y"}]}]`, `/spec/egress [{}]`, `/spec/podSelector {"matchLabels":{"app":"x"}}`}},
	{Name: "endpointslices", Version: "discovery.k8s.io/v1", Kind: "EndpointSlice", Object: `{"addressType":"IPv4","endpoints":[{"addresses":["10.1.2.3"]}]}`,
		Edits: []string{`/addressType "IPv6"`, `/addressType "Odd"`, `/endpoints []`, `/endpoints [{"addresses":["x"]}]`, `/endpoints [{"addresses":[]}]`, `/ports [{"name":"p","port":80}]`, `/ports [{"name":"p","port":0},{"name":"p","port":80}]`}},
	{Name: "namespaces", Version: "v1", Kind: "Namespace", Cluster: true, Object: `{}`, Subs: []string{"status", "finalize"}, Fixed: true,
		Edits:  []string{`/spec/finalizers []`, `/spec/finalizers ["kubernetes"]`, `/spec/finalizers ["x"]`, `/spec/finalizers ["example.com/f"]`},
		Status: []string{`/status/phase "Terminating"`, `/status/phase "Odd"`, `/status/conditions [{"type":"A","status":"True"}]`}, Fields: []string{"status.phase=Active", "status.phase=Terminating"}},
	{Name: "nodes", Version: "v1", Kind: "Node", Cluster: true, Object: `{}`, Subs: []string{"status"},
		Edits:  []string{`/spec/unschedulable true`, `/spec/podCIDR "10.2.0.0/24"`, `/spec/podCIDR "10.3.0.0/24"`, `/spec/podCIDR "x"`, `/spec/podCIDRs ["10.2.0.0/24"]`, `/spec/providerID "p"`, `/spec/providerID "q"`, `/spec/taints [{"key":"k","effect":"NoSchedule"}]`, `/spec/taints [{"key":"k","effect":"Odd"}]`, `/spec/taints [{"key":"k","effect":"NoExecute"},{"key":"k","effect":"NoExecute"}]`},
		Status: []string{`/status/capacity {"cpu":"2"}`, `/status/capacity {"cpu":"x"}`, `/status/conditions [{"type":"Ready","status":"True"}]`, `/status/addresses [{"type":"InternalIP","address":"10.0.0.1"}]`, `/status/addresses [{"type":"InternalIP","address":"a"},{"type":"InternalIP","address":"a"}]`, `/status/images [{"names":["x"]}]`, `/status/phase "Running"`},
		Fields: []string{"spec.unschedulable=true", "spec.unschedulable=false"}},
	{Name: "priorityclasses", Version: "scheduling.k8s.io/v1", Kind: "PriorityClass", Cluster: true, Object: `{"value":7}`,
		Edits: []string{`/value 8`, `/value 2000000000`, `/description "d"`, `/preemptionPolicy "Never"`, `/preemptionPolicy "Odd"`}},
	{Name: "clusterroles", Version: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Cluster: true, Object: `{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}`,
		Edits: []string{`/rules []`, `/rules [{"nonResourceURLs":["/x"],"verbs":["get"]}]`, `/rules [{"nonResourceURLs":["/x"],"resources":["a"],"verbs":["get"]}]`, `/aggregationRule {"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}`, `/aggregationRule {}`}},
	{Name: "customresourcedefinitions", Version: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Cluster: true, DryRun: true, Fixed: true,
		Object: `{"spec":{"group":"other.example.com","scope":"Namespaced","names":{"plural":"others","kind":"Other"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`,
		Edits: []string{`/spec/scope "Odd"`, `/spec/scope "Cluster"`, `/spec/group "x"`, `/spec/names/plural "Others"`, `/spec/names/shortNames ["o"]`, `/spec/names/kind ""`, `/spec/versions []`, `/spec/preserveUnknownFields true`, `/spec/conversion {"strategy":"Webhook"}`,
			`/spec/versions [{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]`, `/spec/versions [{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{}}}}}]`, `/spec/versions [{"name":"v1","served":true,"storage":true}]`}},
	{Name: "widgets", Version: "probe.example.com/v1", Kind: "Widget", Object: `{"size":1}`,
		Edits: []string{`/size 2`, `/size "two"`, `/parts ["a","b"]`, `/parts [{"name":"a","n":1},{"name":"b"}]`, `/deep {"a":{"b":1}}`, `/deep/a/b 2`, `/deep null`, `/status {"x":1}`}},
	{Name: "gadgets", Version: "probe.example.com/v1", Kind: "Gadget", Object: `{"spec":{"size":1}}`, Subs: []string{"status", "scale"},
		Edits:  []string{`/spec/size 2`, `/spec/size 0`, `/spec/size 11`, `/spec/size "x"`, `/spec/size null`, `/spec/color "red"`, `/spec/color "mauve"`, `/spec/odd true`, `/spec/parts [{"name":"a","n":1}]`, `/spec/parts [{"name":"a"},{"name":"a"}]`, `/spec/parts [{"n":1}]`, `/spec/tags ["a","b"]`, `/spec/tags ["a","a"]`, `/spec/replicas 3`, `/spec/replicas -1`, `/spec/free {"x":[1,{"y":null}]}`, `/spec/when "2020-01-01T00:00:00Z"`, `/spec/when "never"`, `/spec/port 80`, `/spec/port "http"`, `/spec/port true`, `/spec null`},
		Status: []string{`/status/replicas 2`, `/status/selector "app=x"`, `/status/odd 1`, `/status/replicas "x"`}},
}

// definitions are the custom resources of kinds: one without a schema, and one with.
var definitions = []string{
	`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.probe.example.com"},"spec":{"group":"probe.example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`,
	`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gadgets.probe.example.com"},"spec":{"group":"probe.example.com","scope":"Namespaced","names":{"plural":"gadgets","singular":"gadget","kind":"Gadget","listKind":"GadgetList"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}},"additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"},{"name":"Color","type":"string","priority":1,"jsonPath":".spec.color"}],"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","required":["size"],"properties":{"size":{"type":"integer","minimum":1,"maximum":10},"color":{"type":"string","enum":["red","green"],"default":"green"},"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"n":{"type":"integer","default":1}}}},"tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},"replicas":{"type":"integer","default":1},"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"when":{"type":"string","format":"date-time"},"port":{"x-kubernetes-int-or-string":true}}},"status":{"type":"object","properties":{"replicas":{"type":"integer"},"selector":{"type":"string"}}}}}}}]}}`,
}

// metaEdits are edits of metadata, and broken ones of any object.
var metaEdits = []string{
	`/metadata/labels/app "x"`, `/metadata/labels/app "y"`, `/metadata/labels/app null`, `/metadata/labels {"a":"1"}`, `/metadata/annotations {"note":"n"}`, `/metadata/annotations {"note":"m","more":"x"}`, `/metadata/annotations null`,
	`/metadata/finalizers ["example.com/f"]`, `/metadata/finalizers []`, `/metadata/finalizers ["example.com/f","example.com/g"]`,
	`/metadata/ownerReferences [{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"u"}]`,
}

// oddEdits are edits that a server refuses, warns of or ignores.
var oddEdits = []string{
	`/metadata/labels/app "bad value!"`, `/metadata/labels {"bad key!":"x"}`, `/metadata/labels {"n":1}`, `/metadata/annotations {"Bad Key!":"x"}`, `/metadata/finalizers ["bad"]`, `/metadata/finalizers ["orphan"]`,
	`/metadata/ownerReferences [{"apiVersion":"v1","kind":"ConfigMap","name":"","uid":""}]`, `/metadata/ownerReferences [{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"u","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"v","controller":true}]`,
	`/metadata/name "{NS}-other"`, `/metadata/name "{NS}-Bad_Name"`, `/metadata/namespace "elsewhere"`, `/metadata/uid "wrong"`, `/metadata/uid "{UID}"`, `/metadata/resourceVersion "{RV}"`, `/metadata/resourceVersion "{OLDRV}"`, `/metadata/resourceVersion ""`, `/metadata/resourceVersion "x"`, `/metadata/resourceVersion "0"`,
	`/metadata/unknown 1`, `/unknown 1`, `/spec/unknown {"a":1}`, `/apiVersion "v2"`, `/apiVersion "example.com/v1"`, `/kind "Wrong"`, `/kind ""`, `/metadata/creationTimestamp null`, `/metadata/creationTimestamp "x"`, `/metadata/generation 7`, `/metadata/managedFields []`, `/metadata/managedFields null`,
	`/metadata/managedFields [{}]`, `/metadata/deletionTimestamp "2020-01-01T00:00:00Z"`, `/metadata/deletionGracePeriodSeconds 5`, `/metadata/selfLink "/x"`, `/metadata/labels "x"`, `/metadata null`, `/spec null`, `/spec "x"`, `/status {"x":1}`,
}

func kindNamed(name string) *kind {
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.Name == name }); i >= 0 {
		return &kinds[i]
	}
	return nil
}

// path is where the objects of the kind are, in the namespace {NS} if they are in one.
func (k *kind) path() string {
	root := "/apis/"
	if !strings.Contains(k.Version, "/") {
		root = "/api/"
	}
	if k.Cluster {
		return root + k.Version + "/" + k.Name
	}
	return root + k.Version + "/namespaces/{NS}/" + cmp.Or(k.Resource, k.Name)
}
