package rest_test

import "strings"

// signingRequest is a certificate request of somebody called u, as it is on the wire.
const signingRequest = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISE1HNENBUUF3RERFS01BZ0dBMVVFQXd3QmRUQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCTUtmR3l0Y0tVTEpMQnc4clphYU40UDJmRUluUFpYbFptR2xlenhueEhvc1hLazdEeVhzOWZ4cUx6eEV3V0t4CkdkbXU2YVIxeWVoVEtTcUlkcmRsMEsyZ0FEQUtCZ2dxaGtqT1BRUURBZ05KQURCR0FpRUE4R0M4OTlPaDV2YzMKSXdPZXVHUzcyUlNDSjJTQ1VHSDFWV3I4NllSV0pyb0NJUUNoZyszeEJlRy9KL1U4VWhmcUN6VGpJSUpCVGwwRgpXTjJLU0k4bWdoTHdWZz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="

// controllerParts are about kinds that controllers use: what each defaults, what its /status writes, which changes raise
// its generation, what can be selected, and what a delete answers.
var controllerParts = []showing{
	{"controllers/core", lines(`
		POST /api/v1/namespaces/{NAMESPACE}/endpoints {"metadata":{"name":"e"},"subsets":[{"addresses":[{"ip":"10.1.0.1"}],"ports":[{"port":80}]}]}
		PUT /api/v1/namespaces/{NAMESPACE}/endpoints/f {"metadata":{"name":"f"}}
		DELETE /api/v1/namespaces/{NAMESPACE}/endpoints/e
		POST /apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices {"metadata":{"name":"s"},"addressType":"IPv4","endpoints":[{"addresses":["10.1.0.1"]}],"ports":[{"port":80}]}
		MERGE /apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices/s {"metadata":{"annotations":{"a":"b"}}}
		MERGE /apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices/s {"metadata":{"labels":{"a":"b"}}}
		MERGE /apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices/s {"endpoints":[{"addresses":["10.1.0.2"]}]}
		DELETE /apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices/s
		POST /api/v1/namespaces/{NAMESPACE}/limitranges {"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"memory":"1Mi"}}]}}
		PUT /api/v1/namespaces/{NAMESPACE}/limitranges/m {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Pod","max":{"cpu":"2"}}]}}
		DELETE /api/v1/namespaces/{NAMESPACE}/limitranges/l
		+DELETE /api/v1/namespaces/{NAMESPACE}/limitranges/m
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas {"metadata":{"name":"q"},"spec":{"hard":{"pods":"4"}},"status":{"used":{"pods":"1"}}}
		MERGE /api/v1/namespaces/{NAMESPACE}/resourcequotas/q/status {"spec":{"hard":{"pods":"5"}},"status":{"hard":{"pods":"4"},"used":{"pods":"2"}}}
		DELETE /api/v1/namespaces/{NAMESPACE}/resourcequotas/q
	`)},
	{"controllers/workloads", lines(`
		POST /api/v1/namespaces/{NAMESPACE}/podtemplates {"metadata":{"name":"t"},"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}
		MERGE /api/v1/namespaces/{NAMESPACE}/podtemplates/t {"template":{"metadata":{"labels":{"a":"b"}}}}
		DELETE /api/v1/namespaces/{NAMESPACE}/podtemplates/t
		POST /api/v1/namespaces/{NAMESPACE}/replicationcontrollers {"metadata":{"name":"r"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		MERGE /api/v1/namespaces/{NAMESPACE}/replicationcontrollers/r/scale {"spec":{"replicas":3}}
		MERGE /api/v1/namespaces/{NAMESPACE}/replicationcontrollers/r/status {"status":{"replicas":2}}
		GET /api/v1/namespaces/{NAMESPACE}/replicationcontrollers?fieldSelector=status.replicas=2
		DELETE /api/v1/namespaces/{NAMESPACE}/replicationcontrollers/r
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs {"metadata":{"name":"c"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs/c {"spec":{"suspend":true}}
		MERGE /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs/c/status {"status":{"lastScheduleTime":"2026-01-01T00:00:00Z"}}
		DELETE /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs/c
		POST /apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers {"metadata":{"name":"h"},"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"behavior":{"scaleDown":{"stabilizationWindowSeconds":5}}}}
		MERGE /apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers/h {"spec":{"minReplicas":2}}
		MERGE /apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers/h/status {"status":{"currentReplicas":2,"desiredReplicas":2}}
		DELETE /apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers/h
		POST /apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets {"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}}
		MERGE /apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets/b/status {"status":{"disruptionsAllowed":1,"expectedPods":2}}
		MERGE /apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets/b {"spec":{"minAvailable":"50%"}}
		DELETE /apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets/b
	`)},
	{"controllers/storage", lines(`
		POST /apis/storage.k8s.io/v1/storageclasses {"metadata":{"name":"slow"},"provisioner":"example.com/p"}
		DELETE /apis/storage.k8s.io/v1/storageclasses/slow
		POST /apis/storage.k8s.io/v1/volumeattributesclasses {"metadata":{"name":"gold"},"driverName":"example.com","parameters":{"iops":"5"}}
		DELETE /apis/storage.k8s.io/v1/volumeattributesclasses/gold
		POST /apis/storage.k8s.io/v1/volumeattachments {"metadata":{"name":"a"},"spec":{"attacher":"example.com","nodeName":"n","source":{"persistentVolumeName":"v"}}}
		MERGE /apis/storage.k8s.io/v1/volumeattachments/a/status {"metadata":{"labels":{"a":"b"}},"status":{"attached":true}}
		DELETE /apis/storage.k8s.io/v1/volumeattachments/a
		POST /apis/storage.k8s.io/v1/namespaces/{NAMESPACE}/csistoragecapacities {"metadata":{"name":"c"},"storageClassName":"slow","capacity":"1Gi"}
		DELETE /apis/storage.k8s.io/v1/namespaces/{NAMESPACE}/csistoragecapacities/c
		POST /apis/storagemigration.k8s.io/v1/storageversionmigrations {"metadata":{"name":"m"},"spec":{"resource":{"group":"apps","resource":"deployments"}}}
		MERGE /apis/storagemigration.k8s.io/v1/storageversionmigrations/m/status {"status":{"resourceVersion":"5"}}
		DELETE /apis/storagemigration.k8s.io/v1/storageversionmigrations/m
	`)},
	{"controllers/volumes", lines(`
		POST /api/v1/persistentvolumes {"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"csi":{"driver":"example.com","volumeHandle":"h"}}}
		MERGE /api/v1/persistentvolumes/v/status {"status":{"phase":"Available"}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims {"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}
		MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/c/status {"status":{"phase":"Bound"}}
	`)},
	{"controllers/devices", lines(`
		POST /apis/resource.k8s.io/v1/deviceclasses {"metadata":{"name":"d"},"spec":{}}
		MERGE /apis/resource.k8s.io/v1/deviceclasses/d {"spec":{"selectors":[{"cel":{"expression":"true"}}]}}
		DELETE /apis/resource.k8s.io/v1/deviceclasses/d
		POST /apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaims {"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"d"}},{"name":"s","firstAvailable":[{"name":"t","deviceClassName":"d"}]}]}}}
		MERGE /apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaims/c/status {"metadata":{"labels":{"a":"b"}},"status":{"allocation":{}}}
		DELETE /apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaims/c
		POST /apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaimtemplates {"metadata":{"name":"t"},"spec":{"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"d"}}]}}}}
		DELETE /apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaimtemplates/t
		POST /apis/resource.k8s.io/v1/resourceslices {"metadata":{"name":"s"},"spec":{"driver":"example.com","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"a"}]}}
		GET /apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.nodeName=n,spec.driver=example.com,spec.pool.name!=q
		MERGE /apis/resource.k8s.io/v1/resourceslices/s {"spec":{"devices":[{"name":"b","taints":[{"key":"k","effect":"NoSchedule"}]}]}}
		DELETE /apis/resource.k8s.io/v1/resourceslices/s
		POST /apis/resource.k8s.io/v1/devicetaintrules {"metadata":{"name":"r"},"spec":{"taint":{"key":"k","effect":"NoSchedule"}}}
		MERGE /apis/resource.k8s.io/v1/devicetaintrules/r/status {"status":{"conditions":[{"type":"T","status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}
		DELETE /apis/resource.k8s.io/v1/devicetaintrules/r
	`)},
	{"controllers/rights", lines(`
		POST /apis/rbac.authorization.k8s.io/v1/clusterroles {"metadata":{"name":"a:b"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]}
		DELETE /apis/rbac.authorization.k8s.io/v1/clusterroles/a:b
		POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings {"metadata":{"name":"a:b"},"roleRef":{"kind":"ClusterRole","name":"a:b"},"subjects":[{"kind":"User","name":"u"},{"kind":"ServiceAccount","name":"s","namespace":"n"}]}
		DELETE /apis/rbac.authorization.k8s.io/v1/clusterrolebindings/a:b
		PUT /apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/roles/r {"metadata":{"name":"r"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]}
		POST /apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings {"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},"subjects":[{"kind":"Group","name":"g"}]}
		DELETE /apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings/b
	`)},
	{"controllers/certificates", lines(strings.ReplaceAll(`
		POST /apis/certificates.k8s.io/v1/certificatesigningrequests {"metadata":{"name":"r"},"spec":{"signerName":"example.com/s","usages":["client auth"],"request":"{CSR}"}}
		MERGE /apis/certificates.k8s.io/v1/certificatesigningrequests/r/status {"status":{"conditions":[{"type":"Failed","status":"True","reason":"R"}]}}
		MERGE /apis/certificates.k8s.io/v1/certificatesigningrequests/r/approval {"status":{"conditions":[{"type":"Failed","status":"True","reason":"R"},{"type":"Approved","status":"True","reason":"A"}]}}
		GET /apis/certificates.k8s.io/v1/certificatesigningrequests?fieldSelector=spec.signerName=example.com/s
		MERGE /apis/certificates.k8s.io/v1/certificatesigningrequests/r {"spec":{"signerName":"example.com/t"},"metadata":{"labels":{"a":"b"}}}
		DELETE /apis/certificates.k8s.io/v1/certificatesigningrequests/r
	`, "{CSR}", signingRequest))},
	{"controllers/admission", lines(`
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations {"metadata":{"name":"w"},"webhooks":[{"name":"a.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"failurePolicy":"Ignore","clientConfig":{"service":{"name":"s","namespace":"n"}},"rules":[{"operations":["CREATE"],"apiGroups":["example.com"],"apiVersions":["v1"],"resources":["nonesuch"]}]}]}
		MERGE /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/w {"webhooks":null}
		DELETE /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/w
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations {"metadata":{"name":"w"},"webhooks":[{"name":"a.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://127.0.0.1:1/x"},"rules":[{"operations":["CREATE"],"apiGroups":["example.com"],"apiVersions":["v1"],"resources":["nonesuch"]}]}]}
		DELETE /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/w
		POST /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies {"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[{"operations":["CREATE"],"apiGroups":["example.com"],"apiVersions":["v1"],"resources":["nonesuch"]}]},"validations":[{"expression":"true"}]}}
		POST /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings {"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Deny"],"matchResources":{"namespaceSelector":{"matchLabels":{"a":"b"}}}}}
		DELETE /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/b
		DELETE /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p
	`)},
	{"controllers/network", lines(`
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses {"metadata":{"name":"i"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}}}
		MERGE /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses/i/status {"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}}
		DELETE /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses/i
		POST /apis/networking.k8s.io/v1/ingressclasses {"metadata":{"name":"c"},"spec":{"controller":"example.com/c","parameters":{"kind":"K","name":"n"}}}
		DELETE /apis/networking.k8s.io/v1/ingressclasses/c
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/networkpolicies {"metadata":{"name":"p"},"spec":{"podSelector":{},"egress":[{"ports":[{"port":80}]}]}}
		MERGE /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/networkpolicies/p {"spec":{"policyTypes":["Egress"]}}
		DELETE /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/networkpolicies/p
		POST /apis/networking.k8s.io/v1/ipaddresses {"metadata":{"name":"10.9.0.1","labels":{"ipaddress.kubernetes.io/managed-by":"nobody"}},"spec":{"parentRef":{"resource":"services","namespace":"n","name":"s"}}}
		DELETE /apis/networking.k8s.io/v1/ipaddresses/10.9.0.1
	`)},
}
