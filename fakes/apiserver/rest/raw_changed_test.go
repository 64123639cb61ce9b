package rest_test

// changedParts are about what may change of objects of each kind, and of their status, and what may not.
var changedParts = []showing{
	{"changed/workloads", lines(`
		POST /apis/apps/v1/namespaces/{NAMESPACE}/deployments {"metadata":{"name":"changed"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"replicas":2}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"selector":{"matchLabels":{"x":"y"}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"template":{"metadata":{"labels":{"x":"y"}}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"template":{"metadata":{"labels":{"a":null}}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"serviceName":"x"}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"podManagementPolicy":"Parallel"}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"minReadySeconds":3}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"paused":true}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"revisionHistoryLimit":3}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"volumeClaimTemplates":[]}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"ordinals":{"start":1}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"metadata":{"generation":7,"creationTimestamp":null,"uid":null,"resourceVersion":""}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"status":{"replicas":5}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"metadata":{"labels":{"l":"m"},"annotations":{"n":"o"}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":null}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"replicas":null}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"template":null}}
		STRATEGIC /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"template":{"spec":{"containers":[{"name":"d","image":"j"}]}}}}
		STRATEGIC /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"spec":{"template":{"spec":{"containers":[{"name":"d","$patch":"delete"}]}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed/status {"status":{"replicas":3,"readyReplicas":-1,"observedGeneration":9},"metadata":{"labels":{"q":"r"},"annotations":{"s":"t"},"finalizers":["x.y/z"]},"spec":{"replicas":9}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed/status {"status":{"replicas":3,"readyReplicas":4,"availableReplicas":5,"observedGeneration":1}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed/status {"status":{"replicas":3,"readyReplicas":2,"conditions":[{"type":"Available","status":"True"}]}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed/status {"status":{"numberReady":-2,"collisionCount":-3}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed/status
		PUT /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed/status {"metadata":{"name":"changed"},"status":{}}
		DELETE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"propagationPolicy":"Orphan"}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed {"metadata":{"finalizers":[]}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/deployments/changed
		POST /apis/apps/v1/namespaces/{NAMESPACE}/replicasets {"metadata":{"name":"changed"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"replicas":2}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"selector":{"matchLabels":{"x":"y"}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"template":{"metadata":{"labels":{"x":"y"}}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"template":{"metadata":{"labels":{"a":null}}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"serviceName":"x"}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"podManagementPolicy":"Parallel"}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"minReadySeconds":3}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"paused":true}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"revisionHistoryLimit":3}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"volumeClaimTemplates":[]}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"ordinals":{"start":1}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"metadata":{"generation":7,"creationTimestamp":null,"uid":null,"resourceVersion":""}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"status":{"replicas":5}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"metadata":{"labels":{"l":"m"},"annotations":{"n":"o"}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":null}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"replicas":null}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"template":null}}
		STRATEGIC /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"template":{"spec":{"containers":[{"name":"d","image":"j"}]}}}}
		STRATEGIC /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"spec":{"template":{"spec":{"containers":[{"name":"d","$patch":"delete"}]}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed/status {"status":{"replicas":3,"readyReplicas":-1,"observedGeneration":9},"metadata":{"labels":{"q":"r"},"annotations":{"s":"t"},"finalizers":["x.y/z"]},"spec":{"replicas":9}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed/status {"status":{"replicas":3,"readyReplicas":4,"availableReplicas":5,"observedGeneration":1}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed/status {"status":{"replicas":3,"readyReplicas":2,"conditions":[{"type":"Available","status":"True"}]}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed/status {"status":{"numberReady":-2,"collisionCount":-3}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed/status
		PUT /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed/status {"metadata":{"name":"changed"},"status":{}}
		DELETE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"propagationPolicy":"Orphan"}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed {"metadata":{"finalizers":[]}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/replicasets/changed
		POST /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets {"metadata":{"name":"changed"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"replicas":2}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"selector":{"matchLabels":{"x":"y"}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"template":{"metadata":{"labels":{"x":"y"}}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"template":{"metadata":{"labels":{"a":null}}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"serviceName":"x"}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"podManagementPolicy":"Parallel"}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"minReadySeconds":3}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"paused":true}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"revisionHistoryLimit":3}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"volumeClaimTemplates":[]}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"ordinals":{"start":1}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"metadata":{"generation":7,"creationTimestamp":null,"uid":null,"resourceVersion":""}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"status":{"replicas":5}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"metadata":{"labels":{"l":"m"},"annotations":{"n":"o"}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":null}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"replicas":null}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"template":null}}
		STRATEGIC /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"template":{"spec":{"containers":[{"name":"d","image":"j"}]}}}}
		STRATEGIC /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"spec":{"template":{"spec":{"containers":[{"name":"d","$patch":"delete"}]}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed/status {"status":{"replicas":3,"readyReplicas":-1,"observedGeneration":9},"metadata":{"labels":{"q":"r"},"annotations":{"s":"t"},"finalizers":["x.y/z"]},"spec":{"replicas":9}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed/status {"status":{"replicas":3,"readyReplicas":4,"availableReplicas":5,"observedGeneration":1}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed/status {"status":{"replicas":3,"readyReplicas":2,"conditions":[{"type":"Available","status":"True"}]}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed/status {"status":{"numberReady":-2,"collisionCount":-3}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed/status
		PUT /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed/status {"metadata":{"name":"changed"},"status":{}}
		DELETE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"propagationPolicy":"Orphan"}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed {"metadata":{"finalizers":[]}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets/changed
		POST /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets {"metadata":{"name":"changed"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"replicas":2}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"selector":{"matchLabels":{"x":"y"}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"template":{"metadata":{"labels":{"x":"y"}}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"template":{"metadata":{"labels":{"a":null}}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"serviceName":"x"}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"podManagementPolicy":"Parallel"}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"minReadySeconds":3}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"paused":true}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"revisionHistoryLimit":3}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"volumeClaimTemplates":[]}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"ordinals":{"start":1}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"metadata":{"generation":7,"creationTimestamp":null,"uid":null,"resourceVersion":""}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"status":{"replicas":5}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"metadata":{"labels":{"l":"m"},"annotations":{"n":"o"}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":null}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"replicas":null}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"template":null}}
		STRATEGIC /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"template":{"spec":{"containers":[{"name":"d","image":"j"}]}}}}
		STRATEGIC /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"spec":{"template":{"spec":{"containers":[{"name":"d","$patch":"delete"}]}}}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed/status {"status":{"replicas":3,"readyReplicas":-1,"observedGeneration":9},"metadata":{"labels":{"q":"r"},"annotations":{"s":"t"},"finalizers":["x.y/z"]},"spec":{"replicas":9}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed/status {"status":{"replicas":3,"readyReplicas":4,"availableReplicas":5,"observedGeneration":1}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed/status {"status":{"replicas":3,"readyReplicas":2,"conditions":[{"type":"Available","status":"True"}]}}
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed/status {"status":{"numberReady":-2,"collisionCount":-3}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed/status
		PUT /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed/status {"metadata":{"name":"changed"},"status":{}}
		DELETE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"propagationPolicy":"Orphan"}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed
		MERGE /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed {"metadata":{"finalizers":[]}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/changed
	`)},
	{"changed/jobs", lines(`
		POST /apis/batch/v1/namespaces/{NAMESPACE}/jobs {"metadata":{"name":"changed"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed {"spec":{"parallelism":3}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed {"spec":{"completions":5}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed {"spec":{"completionMode":"Indexed"}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed {"spec":{"suspend":true}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed {"spec":{"backoffLimit":2}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed {"spec":{"selector":null}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed {"spec":{"activeDeadlineSeconds":3}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed {"spec":{"manualSelector":true}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed {"spec":{"ttlSecondsAfterFinished":3}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed/status {"status":{"active":-1}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/jobs/changed/status {"status":{"active":1,"startTime":"2026-01-01T00:00:00Z"}}
	`)},
	{"changed/pods", lines(`
		POST {PO} {"metadata":{"name":"changed"},"spec":{"containers":[{"name":"c","image":"i"}],"terminationGracePeriodSeconds":5}}
		MERGE {PO}/changed/status {"status":{"phase":"Running"}}
		MERGE {PO}/changed/status {"status":{"phase":"Foo"}}
		MERGE {PO}/changed/status {"status":{"podIP":"x"}}
		MERGE {PO}/changed/status {"status":{"podIP":"1.2.3.4","podIPs":[{"ip":"1.2.3.4"}]}}
		MERGE {PO}/changed/status {"status":{"conditions":[{"type":"Ready","status":"True"}]}}
		MERGE {PO}/changed/status {"status":{"containerStatuses":[{"name":"c","image":"i","imageID":"x","ready":true,"restartCount":1,"state":{"running":{}}}]}}
		MERGE {PO}/changed/status {"status":{"containerStatuses":[{"name":"c","image":"i","imageID":"x","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":0}}}]}}
		MERGE {PO}/changed/status {"status":{"qosClass":"Guaranteed"}}
		MERGE {PO}/changed {"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}}
		MERGE {PO}/changed {"metadata":{"deletionGracePeriodSeconds":3}}
		MERGE {PO}/changed {"metadata":{"namespace":"other"}}
		MERGE {PO}/changed {"metadata":{"uid":"x"}}
		MERGE {PO}/changed {"metadata":{"name":null}}
		MERGE {PO}/changed {"metadata":null}
		MERGE {PO}/changed {"spec":null}
	`)},
	{"changed/others", lines(`
		POST /api/v1/namespaces {"metadata":{"name":"changed"}}
		MERGE /api/v1/namespaces/changed {"spec":{"finalizers":["a.b/c"]}}
		MERGE /api/v1/namespaces/changed/status {"spec":{"finalizers":["a.b/c"]}}
		MERGE /api/v1/namespaces/changed {"status":{"phase":"Terminating"}}
		MERGE /api/v1/namespaces/changed/status {"status":{"phase":"Terminating"}}
		MERGE /api/v1/namespaces/changed {"metadata":{"labels":{"kubernetes.io/metadata.name":"foo"}}}
		MERGE /api/v1/namespaces/changed/status {"metadata":{"labels":{"kubernetes.io/metadata.name":"foo"}}}
		MERGE /api/v1/namespaces/changed {"metadata":{"labels":null}}
		MERGE /api/v1/namespaces/changed/status {"metadata":{"labels":null}}
	`)},
	{"changed/services", lines(`
		POST /api/v1/namespaces/{NAMESPACE}/services {"metadata":{"name":"changed"},"spec":{"ports":[{"port":80}]}}
		MERGE /api/v1/namespaces/{NAMESPACE}/services/changed {"spec":{"clusterIP":""}}
		MERGE /api/v1/namespaces/{NAMESPACE}/services/changed {"spec":{"clusterIP":null}}
		MERGE /api/v1/namespaces/{NAMESPACE}/services/changed {"spec":{"clusterIP":"None"}}
		MERGE /api/v1/namespaces/{NAMESPACE}/services/changed {"spec":{"ports":[]}}
		MERGE /api/v1/namespaces/{NAMESPACE}/services/changed {"spec":{"type":"ExternalName","externalName":"x.y"}}
		MERGE /api/v1/namespaces/{NAMESPACE}/services/changed/status {"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}}
		DELETE /api/v1/namespaces/{NAMESPACE}/services/changed
	`)},
	{"changed/others", lines(`
		+POST /api/v1/nodes {"metadata":{"name":"changed"}}
		MERGE /api/v1/nodes/changed {"spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.1.0.0/24"]}}
		MERGE /api/v1/nodes/changed {"spec":{"podCIDR":"10.2.0.0/24","podCIDRs":["10.2.0.0/24"]}}
		MERGE /api/v1/nodes/changed {"spec":{"providerID":"a"}}
		MERGE /api/v1/nodes/changed {"spec":{"providerID":"b"}}
		MERGE /api/v1/nodes/changed {"spec":{"taints":null}}
		MERGE /api/v1/nodes/changed/status {"status":{"capacity":{"cpu":"4"},"allocatable":{"cpu":"4"}}}
		MERGE /api/v1/nodes/changed/status {"status":{"conditions":[{"type":"Ready","status":"True"}]}}
		MERGE /api/v1/nodes/changed/status {"status":{"addresses":[{"type":"InternalIP","address":"1.1.1.1"},{"type":"InternalIP","address":"1.1.1.1"}]}}
		DELETE /api/v1/nodes/changed
		POST {CM} {"metadata":{"name":"changed"},"immutable":true,"data":{"a":"b"}}
		MERGE {CM}/changed {"immutable":false}
		MERGE {CM}/changed {"metadata":{"labels":{"a":"b"}}}
		MERGE {CM}/changed {"binaryData":{"x":"AA=="}}
		PUT {CM}/changed {"metadata":{"name":"changed"},"data":{"a":"b"},"immutable":true}
		POST {SE} {"metadata":{"name":"changed"},"type":"x","immutable":true,"data":{"a":"Yg=="}}
		MERGE {SE}/changed {"type":"y"}
		MERGE {SE}/changed {"stringData":{"a":"b"}}
		MERGE {SE}/changed {"stringData":{"a":"c"}}
		MERGE {SE}/changed {"immutable":null}
		POST {LE} {"metadata":{"name":"changed"},"spec":{"holderIdentity":"a"}}
		MERGE {LE}/changed {"spec":{"holderIdentity":null}}
		MERGE {LE}/changed {"spec":{"leaseDurationSeconds":0}}
		MERGE {LE}/changed {"spec":{"renewTime":"2026-01-01T00:00:00.000000Z"}}
		MERGE {LE}/changed {"spec":{"renewTime":"2026-01-01T00:00:00Z"}}
		MERGE {LE}/changed {"spec":{"acquireTime":"x"}}
		POST /apis/scheduling.k8s.io/v1/priorityclasses {"metadata":{"name":"changed"},"value":3}
		MERGE /apis/scheduling.k8s.io/v1/priorityclasses/changed {"value":4}
		MERGE /apis/scheduling.k8s.io/v1/priorityclasses/changed {"preemptionPolicy":"Never"}
		MERGE /apis/scheduling.k8s.io/v1/priorityclasses/changed {"description":"d"}
		DELETE /apis/scheduling.k8s.io/v1/priorityclasses/changed
		POST /apis/storage.k8s.io/v1/csinodes {"metadata":{"name":"changed"},"spec":{"drivers":[{"name":"a","nodeID":"n"}]}}
		MERGE /apis/storage.k8s.io/v1/csinodes/changed {"spec":{"drivers":[{"name":"a","nodeID":"m"}]}}
		MERGE /apis/storage.k8s.io/v1/csinodes/changed {"spec":{"drivers":[{"name":"a","nodeID":"n"},{"name":"b","nodeID":"n"}]}}
		MERGE /apis/storage.k8s.io/v1/csinodes/changed {"spec":{"drivers":[]}}
		+POST /apis/storage.k8s.io/v1/csidrivers {"metadata":{"name":"changed"},"spec":{}}
		MERGE /apis/storage.k8s.io/v1/csidrivers/changed {"spec":{"attachRequired":false}}
		MERGE /apis/storage.k8s.io/v1/csidrivers/changed {"spec":{"podInfoOnMount":true}}
		MERGE /apis/storage.k8s.io/v1/csidrivers/changed {"spec":{"volumeLifecycleModes":["Ephemeral"]}}
		MERGE /apis/storage.k8s.io/v1/csidrivers/changed {"spec":{"storageCapacity":true}}
		MERGE /apis/storage.k8s.io/v1/csidrivers/changed {"spec":{"fsGroupPolicy":"None"}}
		MERGE /apis/storage.k8s.io/v1/csidrivers/changed {"spec":{"requiresRepublish":true}}
		POST {RE} {"metadata":{"name":"changed"},"revision":1,"data":{"a":1}}
		MERGE {RE}/changed {"revision":2}
		MERGE {RE}/changed {"revision":-2}
		MERGE {RE}/changed {"data":{"a":2}}
		MERGE {RE}/changed {"data":null}
		+POST /apis/node.k8s.io/v1/runtimeclasses {"metadata":{"name":"changed"},"handler":"h"}
		MERGE /apis/node.k8s.io/v1/runtimeclasses/changed {"handler":"i"}
		MERGE /apis/node.k8s.io/v1/runtimeclasses/changed {"overhead":{"podFixed":{"cpu":"1"}}}
		MERGE /apis/node.k8s.io/v1/runtimeclasses/changed {"scheduling":{"nodeSelector":{"a":"b"}}}
		POST /api/v1/namespaces/{NAMESPACE}/serviceaccounts {"metadata":{"name":"changed"}}
		MERGE /api/v1/namespaces/{NAMESPACE}/serviceaccounts/changed {"secrets":[{"name":"a","namespace":"b"}]}
		MERGE /api/v1/namespaces/{NAMESPACE}/serviceaccounts/changed {"imagePullSecrets":[{"name":"a"}]}
		MERGE /api/v1/namespaces/{NAMESPACE}/serviceaccounts/changed {"automountServiceAccountToken":true}
		POST /api/v1/namespaces/{NAMESPACE}/events {"metadata":{"name":"changed"},"involvedObject":{"namespace":"{NAMESPACE}"},"count":1}
		MERGE /api/v1/namespaces/{NAMESPACE}/events/changed {"count":2}
	`)},
}
