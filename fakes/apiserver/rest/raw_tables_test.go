package rest_test

// tableParts are about what the rows of Tables say of each kind. Their columns are in columns.json.
var tableParts = []showing{
	{"table/cells", lines(`
		POST /api/v1/namespaces/{NAMESPACE}/pods {"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}],"initContainers":[{"name":"x","image":"i"},{"name":"y","image":"i","restartPolicy":"Always"}],"readinessGates":[{"conditionType":"a"},{"conditionType":"b"}]}}
		GET /api/v1/namespaces/{NAMESPACE}/pods @table
		+STRATEGIC /api/v1/namespaces/{NAMESPACE}/pods/p/status {"status":{"initContainerStatuses":[{"name":"x","image":"","imageID":"","ready":false,"restartCount":2,"state":{"waiting":{"reason":"PodInitializing"}},"lastState":{"terminated":{"exitCode":1,"finishedAt":"1999-01-01T00:00:00Z"}}},{"name":"y","image":"","imageID":"","ready":false,"restartCount":0,"state":{"waiting":{"reason":"PodInitializing"}}}]}}
		GET /api/v1/namespaces/{NAMESPACE}/pods @table
		+STRATEGIC /api/v1/namespaces/{NAMESPACE}/pods/p/status {"status":{"initContainerStatuses":[{"name":"x","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}
		GET /api/v1/namespaces/{NAMESPACE}/pods @table
		+STRATEGIC /api/v1/namespaces/{NAMESPACE}/pods/p/status {"status":{"initContainerStatuses":[{"name":"x","state":{"waiting":null,"terminated":{"exitCode":3}}}]}}
		GET /api/v1/namespaces/{NAMESPACE}/pods @table
		+STRATEGIC /api/v1/namespaces/{NAMESPACE}/pods/p/status {"status":{"phase":"Running","podIP":"10.1.2.3","podIPs":[{"ip":"10.1.2.3"}],"conditions":[{"type":"Initialized","status":"True"},{"type":"a","status":"True"}],"initContainerStatuses":[{"name":"x","state":{"waiting":null,"terminated":{"exitCode":0}}},{"name":"y","restartCount":1,"started":true,"ready":true,"state":{"waiting":null,"running":{}}}],"containerStatuses":[{"name":"c","image":"","imageID":"","ready":true,"restartCount":3,"state":{"running":{}},"lastState":{"terminated":{"exitCode":1,"finishedAt":"1999-02-01T00:00:00Z"}}},{"name":"d","image":"","imageID":"","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}}
		GET /api/v1/namespaces/{NAMESPACE}/pods @table
		+STRATEGIC /api/v1/namespaces/{NAMESPACE}/pods/p/status {"status":{"conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"c","state":{"running":{}}},{"name":"d","state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}}
		GET /api/v1/namespaces/{NAMESPACE}/pods @table
		+STRATEGIC /api/v1/namespaces/{NAMESPACE}/pods/p/status {"status":{"containerStatuses":[{"name":"c","ready":false,"state":{"running":null,"terminated":{"exitCode":2,"signal":9}}},{"name":"d"}]}}
		GET /api/v1/namespaces/{NAMESPACE}/pods @table
		+STRATEGIC /api/v1/namespaces/{NAMESPACE}/pods/p/status {"status":{"phase":"Failed","reason":"Evicted"}}
		GET /api/v1/namespaces/{NAMESPACE}/pods @table
		GET /api/v1/namespaces/{NAMESPACE}/pods/p?includeObject=None @table
		WATCH /api/v1/namespaces/{NAMESPACE}/pods?watch=1&timeoutSeconds=1 @table
	`)},
	{"table/cells", lines(`
		+POST /api/v1/namespaces/{NAMESPACE}/podtemplates {"metadata":{"name":"t"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"j"}]}}}
		GET /api/v1/namespaces/{NAMESPACE}/podtemplates @table
		+POST /api/v1/namespaces/{NAMESPACE}/replicationcontrollers {"metadata":{"name":"r"},"spec":{"replicas":2,"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		GET /api/v1/namespaces/{NAMESPACE}/replicationcontrollers @table
		+POST /apis/apps/v1/namespaces/{NAMESPACE}/deployments {"metadata":{"name":"d"},"spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"x","operator":"Exists"}]},"template":{"metadata":{"labels":{"a":"b","x":"y"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		+MERGE /apis/apps/v1/namespaces/{NAMESPACE}/deployments/d/status {"status":{"replicas":3,"readyReplicas":1,"updatedReplicas":2,"availableReplicas":1}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/deployments @table
		GET /apis/apps/v1/namespaces/{NAMESPACE}/deployments/d/scale @table
		+POST /apis/apps/v1/namespaces/{NAMESPACE}/replicasets {"metadata":{"name":"s"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/replicasets @table
		+POST /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets {"metadata":{"name":"t"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/statefulsets @table
		+POST /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets {"metadata":{"name":"e"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"nodeSelector":{"k":"v"},"containers":[{"name":"c","image":"i"}]}}}}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/daemonsets @table
		+POST /apis/apps/v1/namespaces/{NAMESPACE}/controllerrevisions {"metadata":{"name":"v","ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"e","uid":"u","controller":true}]},"revision":2}
		+POST /apis/apps/v1/namespaces/{NAMESPACE}/controllerrevisions {"metadata":{"name":"w"},"revision":3}
		GET /apis/apps/v1/namespaces/{NAMESPACE}/controllerrevisions @table
		+POST /apis/batch/v1/namespaces/{NAMESPACE}/jobs {"metadata":{"name":"j"},"spec":{"parallelism":3,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		GET /apis/batch/v1/namespaces/{NAMESPACE}/jobs?includeObject=None @table
		+POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs {"metadata":{"name":"c"},"spec":{"schedule":"* * * * *","timeZone":"Etc/UTC","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		GET /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs @table
		+POST /apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets {"metadata":{"name":"b"},"spec":{"maxUnavailable":"50%","selector":{"matchLabels":{"a":"b"}}}}
		GET /apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets @table
		+POST /apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers {"metadata":{"name":"h"},"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}},{"type":"Pods","pods":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"3"}}},{"type":"External","external":{"metric":{"name":"m"},"target":{"type":"Value","value":"3"}}}]}}
		GET /apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers @table
		+MERGE /apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers/h {"spec":{"metrics":[{"type":"External","external":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"3"}}},{"type":"ContainerResource","containerResource":{"name":"memory","container":"c","target":{"type":"AverageValue","averageValue":"1Gi"}}}]}}
		GET /apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers @table
	`)},
	{"table/cells", lines(`
		+POST /api/v1/namespaces/{NAMESPACE}/services {"metadata":{"name":"a"},"spec":{"selector":{"a":"b"},"ports":[{"port":80},{"name":"u","port":53,"protocol":"UDP"}]}}
		GET /api/v1/namespaces/{NAMESPACE}/services/a @table
		+POST /api/v1/namespaces/{NAMESPACE}/services {"metadata":{"name":"e"},"spec":{"type":"ExternalName","externalName":"example.com"}}
		GET /api/v1/namespaces/{NAMESPACE}/services/e @table
		+POST /api/v1/namespaces/{NAMESPACE}/services {"metadata":{"name":"l"},"spec":{"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,"ports":[{"port":80}]}}
		GET /api/v1/namespaces/{NAMESPACE}/services/l @table
		+MERGE /api/v1/namespaces/{NAMESPACE}/services/l/status {"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"},{"hostname":"b.example.com"}]}}}
		GET /api/v1/namespaces/{NAMESPACE}/services/l @table
		+POST /api/v1/namespaces/{NAMESPACE}/services {"metadata":{"name":"n"},"spec":{"clusterIP":"None","externalIPs":["5.6.7.8"],"ports":[{"port":80}]}}
		GET /api/v1/namespaces/{NAMESPACE}/services/n @table
		+POST /api/v1/namespaces/{NAMESPACE}/endpoints {"metadata":{"name":"n"},"subsets":[{"addresses":[{"ip":"10.1.0.1"},{"ip":"10.1.0.2"}],"ports":[{"name":"w","port":80},{"name":"x","port":81}]}]}
		GET /api/v1/namespaces/{NAMESPACE}/endpoints/n @table
		+POST /apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices {"metadata":{"name":"s"},"addressType":"IPv4","endpoints":[{"addresses":["10.1.0.1"]}],"ports":[{"port":80},{"name":"x"}]}
		+POST /apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices {"metadata":{"name":"t"},"addressType":"IPv6"}
		GET /apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices @table
		+POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses {"metadata":{"name":"i"},"spec":{"ingressClassName":"c","tls":[{"hosts":["a.b"]}],"defaultBackend":{"service":{"name":"s","port":{"number":80}}},"rules":[{"host":"a.b"},{"host":"c.d"},{"host":"e.f"},{"host":"g.h"}]}}
		+POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses {"metadata":{"name":"j"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}}}
		+MERGE /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses/i/status {"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}}
		GET /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses @table
		+POST /apis/networking.k8s.io/v1/ingressclasses {"metadata":{"name":"tables","annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}},"spec":{"controller":"example.com/c","parameters":{"apiGroup":"k.example.com","kind":"P","name":"p"}}}
		GET /apis/networking.k8s.io/v1/ingressclasses/tables @table
		+DELETE /apis/networking.k8s.io/v1/ingressclasses/tables
		+POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/networkpolicies {"metadata":{"name":"p"},"spec":{"podSelector":{"matchLabels":{"a":"b"}}}}
		GET /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/networkpolicies @table
		+POST /apis/networking.k8s.io/v1/servicecidrs {"metadata":{"name":"tables"},"spec":{"cidrs":["10.9.0.0/24"]}}
		GET /apis/networking.k8s.io/v1/servicecidrs/tables @table
	`)},
	{"table/cells", lines(`
		+POST /api/v1/nodes {"metadata":{"name":"tables","labels":{"node-role.kubernetes.io/worker":"","kubernetes.io/role":"big"}},"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"False"}],"addresses":[{"type":"InternalIP","address":"10.1.0.1"}],"nodeInfo":{"kubeletVersion":"v1.2.3","osImage":"os","kernelVersion":"6","architecture":"amd64","machineID":"","systemUUID":"","bootID":"","containerRuntimeVersion":"","kubeProxyVersion":"","operatingSystem":""}}}
		GET /api/v1/nodes/tables @table
		+DELETE /api/v1/nodes/tables
		GET /api/v1/namespaces/{NAMESPACE} @table
		+POST /api/v1/namespaces/{NAMESPACE}/secrets {"metadata":{"name":"s"},"data":{"a":"YQ=="}}
		GET /api/v1/namespaces/{NAMESPACE}/secrets/s @table
		+POST /api/v1/namespaces/{NAMESPACE}/configmaps {"metadata":{"name":"c"},"data":{"a":"b"},"binaryData":{"c":"YQ=="}}
		GET /api/v1/namespaces/{NAMESPACE}/configmaps/c @table
		+POST /api/v1/namespaces/{NAMESPACE}/serviceaccounts {"metadata":{"name":"c"}}
		GET /api/v1/namespaces/{NAMESPACE}/serviceaccounts/c @table
		+POST /api/v1/namespaces/{NAMESPACE}/events {"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p","namespace":"{NAMESPACE}","fieldPath":"spec"},"reason":"R","message":" m ","source":{"component":"c","host":"h"},"type":"Normal","firstTimestamp":"1999-01-01T00:00:00Z"}
		GET /api/v1/namespaces/{NAMESPACE}/events/e?includeObject=None @table
		+POST /api/v1/namespaces/{NAMESPACE}/resourcequotas {"metadata":{"name":"q"},"spec":{"hard":{"pods":"4","limits.cpu":"2"}}}
		+MERGE /api/v1/namespaces/{NAMESPACE}/resourcequotas/q/status {"status":{"hard":{"pods":"4","limits.cpu":"2","requests.cpu":"1"},"used":{"pods":"1"}}}
		GET /api/v1/namespaces/{NAMESPACE}/resourcequotas @table
		+POST /api/v1/namespaces/{NAMESPACE}/limitranges {"metadata":{"name":"l"},"spec":{"limits":[{"type":"Pod","max":{"cpu":"2"}}]}}
		GET /api/v1/namespaces/{NAMESPACE}/limitranges @table
		+POST /api/v1/persistentvolumes {"metadata":{"name":"tables"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce","ReadWriteMany"],"storageClassName":"slow","csi":{"driver":"example.com","volumeHandle":"h"},"claimRef":{"namespace":"n","name":"c"}}}
		GET /api/v1/persistentvolumes/tables?includeObject=None @table
		+POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims {"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],"volumeName":"v","resources":{"requests":{"storage":"1Gi"}}}}
		+MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/c/status {"status":{"phase":"Bound","capacity":{"storage":"2Gi"},"accessModes":["ReadOnlyMany"]}}
		GET /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?includeObject=None @table
	`)},
	{"table/cells", lines(`
		+POST /apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/roles {"metadata":{"name":"r"}}
		GET /apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/roles @table
		+POST /apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings {"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},"subjects":[{"kind":"User","name":"u"},{"kind":"Group","name":"g"},{"kind":"ServiceAccount","name":"s","namespace":"n"},{"kind":"User","name":"v"}]}
		GET /apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings @table
		+POST /apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases {"metadata":{"name":"l"},"spec":{"holderIdentity":"me"}}
		GET /apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases @table
		+POST /apis/certificates.k8s.io/v1/certificatesigningrequests {"metadata":{"name":"tables"},"spec":{"request":"` + signingRequest + `","signerName":"example.com/s","usages":["client auth"],"expirationSeconds":3600}}
		GET /apis/certificates.k8s.io/v1/certificatesigningrequests/tables?includeObject=None @table
		+MERGE /apis/certificates.k8s.io/v1/certificatesigningrequests/tables/approval {"status":{"conditions":[{"type":"Approved","status":"True","reason":"R","message":"m"}]}}
		GET /apis/certificates.k8s.io/v1/certificatesigningrequests/tables?includeObject=None @table
		+DELETE /apis/certificates.k8s.io/v1/certificatesigningrequests/tables
		+POST /apis/scheduling.k8s.io/v1/priorityclasses {"metadata":{"name":"tables"},"value":7}
		GET /apis/scheduling.k8s.io/v1/priorityclasses/tables @table
		+POST /apis/node.k8s.io/v1/runtimeclasses {"metadata":{"name":"tables"},"handler":"h"}
		GET /apis/node.k8s.io/v1/runtimeclasses/tables @table
		+DELETE /apis/scheduling.k8s.io/v1/priorityclasses/tables
		+DELETE /apis/node.k8s.io/v1/runtimeclasses/tables
		+POST /apis/storage.k8s.io/v1/storageclasses {"metadata":{"name":"tables"},"provisioner":"example.com/p"}
		GET /apis/storage.k8s.io/v1/storageclasses/tables @table
		+DELETE /apis/storage.k8s.io/v1/storageclasses/tables
		+POST /apis/storage.k8s.io/v1/volumeattributesclasses {"metadata":{"name":"tables"},"driverName":"example.com","parameters":{"iops":"5"}}
		GET /apis/storage.k8s.io/v1/volumeattributesclasses/tables?includeObject=None @table
		+DELETE /apis/storage.k8s.io/v1/volumeattributesclasses/tables
		+POST /apis/storage.k8s.io/v1/volumeattachments {"metadata":{"name":"tables"},"spec":{"attacher":"example.com","nodeName":"n","source":{"persistentVolumeName":"v"}}}
		GET /apis/storage.k8s.io/v1/volumeattachments/tables @table
		+DELETE /apis/storage.k8s.io/v1/volumeattachments/tables
		+POST /apis/storage.k8s.io/v1/csidrivers {"metadata":{"name":"tables"},"spec":{"serviceAccountTokenInSecrets":true,"tokenRequests":[{"audience":"a"},{"audience":"b"}]}}
		GET /apis/storage.k8s.io/v1/csidrivers/tables @table
		+DELETE /apis/storage.k8s.io/v1/csidrivers/tables
		+POST /apis/storage.k8s.io/v1/csinodes {"metadata":{"name":"tables"},"spec":{"drivers":[{"name":"d","nodeID":"n"}]}}
		GET /apis/storage.k8s.io/v1/csinodes/tables @table
		+DELETE /apis/storage.k8s.io/v1/csinodes/tables
		+POST /apis/storage.k8s.io/v1/namespaces/{NAMESPACE}/csistoragecapacities {"metadata":{"name":"c"},"storageClassName":"slow","capacity":"1Gi"}
		GET /apis/storage.k8s.io/v1/namespaces/{NAMESPACE}/csistoragecapacities @table
		+POST /apis/storagemigration.k8s.io/v1/storageversionmigrations {"metadata":{"name":"tables"},"spec":{"resource":{"group":"apps","resource":"deployments"}}}
		GET /apis/storagemigration.k8s.io/v1/storageversionmigrations/tables @table
		+DELETE /apis/storagemigration.k8s.io/v1/storageversionmigrations/tables
		+POST /apis/resource.k8s.io/v1/deviceclasses {"metadata":{"name":"tables"},"spec":{}}
		GET /apis/resource.k8s.io/v1/deviceclasses/tables @table
		+POST /apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaims {"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"tables"}}]}}}
		GET /apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaims @table
		+DELETE /apis/resource.k8s.io/v1/deviceclasses/tables
		+POST /apis/resource.k8s.io/v1/resourceslices {"metadata":{"name":"tables"},"spec":{"driver":"example.com","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"a"}]}}
		GET /apis/resource.k8s.io/v1/resourceslices/tables @table
		+DELETE /apis/resource.k8s.io/v1/resourceslices/tables
		+POST /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies {"metadata":{"name":"tables.example.com"},"spec":{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":"true"}],"matchConstraints":{"resourceRules":[{"apiGroups":["x.example.com"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["nosuch"]}]}}}
		GET /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/tables.example.com @table
		+POST /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings {"metadata":{"name":"tables.example.com"},"spec":{"policyName":"tables.example.com","validationActions":["Deny"],"paramRef":{"name":"p","parameterNotFoundAction":"Allow"}}}
		GET /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/tables.example.com @table
		+DELETE /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/tables.example.com
		+DELETE /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/tables.example.com
		POST /apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies {"metadata":{"name":"tables.example.com"},"spec":{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"reinvocationPolicy":"Never","mutations":[{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":"Object{}"}}],"matchConstraints":{"resourceRules":[{"apiGroups":["x.example.com"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["nosuch"]}]}}}
		GET /apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/tables.example.com @table
		POST /apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings {"metadata":{"name":"tables.example.com"},"spec":{"policyName":"tables.example.com","paramRef":{"name":"p","namespace":"n","parameterNotFoundAction":"Allow"}}}
		GET /apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings/tables.example.com @table
		+DELETE /apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings/tables.example.com
		+DELETE /apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/tables.example.com
		POST /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas {"metadata":{"name":"tables.example.com"},"spec":{"priorityLevelConfiguration":{"name":"exempt"}}}
		GET /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/tables.example.com @table
		+DELETE /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/tables.example.com
		POST /apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations {"metadata":{"name":"tables.example.com"},"spec":{"type":"Limited","limited":{"limitResponse":{"type":"Queue","queuing":{}}}}}
		GET /apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/tables.example.com @table
		+DELETE /apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/tables.example.com
	`)},
}
