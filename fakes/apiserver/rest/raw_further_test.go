package rest_test

// furtherParts are about what is seldom met: what further kinds default, take and refuse.
var furtherParts = []showing{
	{"services/types status/services", lines(`
		+POST {SV} {"metadata":{"name":"lb"},"spec":{"type":"LoadBalancer","loadBalancerClass":"example.com/c","loadBalancerSourceRanges":["10.0.0.0/8"],"ports":[{"port":80}]}}
		MERGE {SV}/lb/status {"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"},{"hostname":"h.example.com"},{"ip":"1.2.3.5","ipMode":"Proxy"}]}}}
		MERGE {SV}/lb/status {"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3"}]}}}
		MERGE {SV}/lb/status {"status":{"loadBalancer":{"ingress":[{"ip":"01.2.3.4"},{"ip":"x"}]}}}
		MERGE {SV}/lb/status {"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4","ipMode":"Nonesuch"}]}}}
		MERGE {SV}/lb/status {"status":{"loadBalancer":{"ingress":[{"ipMode":"VIP"}]}}}
		MERGE {SV}/lb/status {"status":{"loadBalancer":{"ingress":[{"hostname":"1.2.3.4"}]}}}
		MERGE {SV}/lb/status {"status":{"loadBalancer":{"ingress":[{"hostname":"a_b"}]}}}
		MERGE {SV}/lb/status {"status":{"loadBalancer":{"ingress":[{"ip":"::FFFF:1.2.3.4"}]}}}
		MERGE {SV}/lb {"spec":{"loadBalancerClass":"example.com/d"}}
		MERGE {SV}/lb {"spec":{"loadBalancerClass":null}}
		MERGE {SV}/lb {"spec":{"type":"NodePort"}}
		MERGE {SV}/lb {"spec":{"type":"NodePort","loadBalancerSourceRanges":null}}
		MERGE {SV}/lb {"spec":{"type":"LoadBalancer"}}
		MERGE {SV}/lb {"spec":{"loadBalancerClass":"example.com/e"}}
		MERGE {SV}/lb/status {"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.6"}]}}}
		MERGE {SV}/lb {"spec":{"type":"ClusterIP","loadBalancerClass":"example.com/f"}}
		MERGE {SV}/lb {"spec":{"type":"ExternalName","externalName":"x.example.com"}}
		MERGE {SV}/lb {"spec":{"type":"LoadBalancer","externalName":null,"loadBalancerClass":"example.com/g"}}
		MERGE {SV}/lb {"spec":{"type":"ExternalName","externalName":"x.example.com","loadBalancerClass":null}}
		MERGE {SV}/lb/status {"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.6"},{"ip":"y"}]}}}
	`)},
	{"services/types refused/services", lines(`
		POST {SV}?dryRun=All {"metadata":{"name":"e"},"spec":{"externalIPs":["1.2.3.4"],"ports":[{"port":80}]}}
		POST {SV}?dryRun=All {"metadata":{"name":"e"},"spec":{"externalIPs":["127.0.0.1","01.2.3.4","169.254.1.1","0.0.0.0","224.0.0.1"],"ports":[{"port":80}]}}
		POST {SV}?dryRun=All {"metadata":{"name":"e"},"spec":{"clusterIP":"None","externalIPs":["1.2.3.4"],"ports":[{"port":80}]}}
		POST {SV}?dryRun=All {"metadata":{"name":"e"},"spec":{"loadBalancerSourceRanges":["10.0.0.0/8"],"ports":[{"port":80}]}}
		POST {SV}?dryRun=All {"metadata":{"name":"e"},"spec":{"type":"LoadBalancer","loadBalancerSourceRanges":["10.0.0.0","x"," 10.1.0.0/16 "],"ports":[{"port":80}]}}
		POST {SV}?dryRun=All {"metadata":{"name":"e","annotations":{"service.beta.kubernetes.io/load-balancer-source-ranges":"10.0.0.0/8"}},"spec":{"ports":[{"port":80}]}}
		POST {SV}?dryRun=All {"metadata":{"name":"e"},"spec":{"loadBalancerClass":"example.com/c","ports":[{"port":80}]}}
		POST {SV}?dryRun=All {"metadata":{"name":"e"},"spec":{"type":"LoadBalancer","loadBalancerClass":"not a name","ports":[{"port":80}]}}
		POST {SV}?dryRun=All {"metadata":{"name":"e"},"spec":{"type":"NodePort","allocateLoadBalancerNodePorts":true,"ports":[{"port":80}]}}
		POST {SV}?dryRun=All {"metadata":{"name":"e"},"spec":{"type":"NodePort","externalTrafficPolicy":"Nonesuch","ports":[{"port":80}]}}
		+POST {SV} {"metadata":{"name":"ex"},"spec":{"externalIPs":["1.2.3.4"],"externalTrafficPolicy":"Local","ports":[{"port":80}]}}
		MERGE {SV}/ex {"spec":{"externalIPs":null}}
		MERGE {SV}/ex {"spec":{"externalIPs":["1.2.3.5"]}}
	`)},
	{"changed/workloads", lines(`
		+POST {ST} {"metadata":{"name":"claims"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}}
		MERGE {ST}/claims {"spec":{"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}}}}]}}
		MERGE {ST}/claims {"spec":{"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"1Gi"}}}}]}}
		MERGE {ST}/claims {"spec":{"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}},{"metadata":{"name":"w"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}}
		MERGE {ST}/claims {"spec":{"volumeClaimTemplates":null}}
		MERGE {ST}/claims {"spec":{"serviceName":"t","podManagementPolicy":"Parallel","volumeClaimTemplates":null}}
		MERGE {ST}/claims {"spec":{"revisionHistoryLimit":4}}
		MERGE {ST}/claims {"spec":{"replicas":2,"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1024Mi"}}}}]}}
		MERGE {ST}/claims {"metadata":{"labels":{"l":"m"}},"spec":{"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}}
	`)},
	{"refused/workloads", lines(`
		POST {ST}?dryRun=All {"metadata":{"name":"x"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"rollingUpdate":{"partition":-1}}}}
		POST {ST}?dryRun=All {"metadata":{"name":"x"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"type":"OnDelete","rollingUpdate":{"partition":1}}}}
		POST {ST}?dryRun=All {"metadata":{"name":"x"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"type":"Nonesuch"},"podManagementPolicy":"Nonesuch"}}
		POST {ST}?dryRun=All {"metadata":{"name":"x"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"ordinals":{"start":-1},"revisionHistoryLimit":-1}}
		POST {ST}?dryRun=All {"metadata":{"name":"x"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Nonesuch"}}}
		POST {ST}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","volumeMounts":[{"name":"v","mountPath":"/v"}]}]}},"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}}
		POST {ST}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","volumeMounts":[{"name":"v","mountPath":"/v"}]}]}}}}
		POST {ST}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"rollingUpdate":{"maxUnavailable":"101%","partition":2}}}}
		POST {DE}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"strategy":{"rollingUpdate":{"maxUnavailable":"101%"}}}}
		POST {DE}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"strategy":{"rollingUpdate":{"maxSurge":"101%"}}}}
		POST {DS}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"rollingUpdate":{"maxUnavailable":1,"maxSurge":1}}}}
		POST {DS}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"rollingUpdate":{"maxUnavailable":0,"maxSurge":0}}}}
		POST {DS}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"rollingUpdate":{"maxUnavailable":"101%"}}}}
		POST {DS}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"rollingUpdate":{"maxSurge":"x"}}}}
		POST {DS}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"rollingUpdate":{"maxSurge":2,"maxUnavailable":0}}}}
		POST {DS}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"rollingUpdate":{"maxSurge":2}}}}
		POST {DS}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":{"type":"OnDelete","rollingUpdate":{"maxSurge":2}}}}
	`)},
	{"pods/defaults", lines(`
		POST {PO}?dryRun=All {"metadata":{"name":"x"},"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}],"initContainers":[{"name":"i","image":"i","ports":[{"containerPort":81}]}]}}
		POST {DE}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}],"initContainers":[{"name":"i","image":"i","ports":[{"containerPort":81}]}]}}}}
		POST {ST}?dryRun=All {"metadata":{"name":"x"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}],"initContainers":[{"name":"i","image":"i","ports":[{"containerPort":81}]}]}}}}
		POST {DS}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}],"initContainers":[{"name":"i","image":"i","ports":[{"containerPort":81}]}]}}}}
		POST /apis/apps/v1/namespaces/{NAMESPACE}/replicasets?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}],"initContainers":[{"name":"i","image":"i","ports":[{"containerPort":81}]}]}}}}
		POST {JO}?dryRun=All {"metadata":{"name":"x"},"spec":{"template":{"spec":{"restartPolicy":"Never","hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}],"initContainers":[{"name":"i","image":"i","ports":[{"containerPort":81}]}]}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"x"},"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80,"hostPort":81}]}]}}
		POST {DE}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80,"hostPort":81}]}],"initContainers":[{"name":"i","image":"i","ports":[{"containerPort":81}]}]}}}}
	`)},
	{"write/owners", lines(`
		POST {CM} {"metadata":{"name":"owned","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"v"},{"apiVersion":"v1","kind":"Pod","name":"c","uid":"u"}]}}
		POST {CM}?dryRun=All {"metadata":{"name":"owned2","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"}]}}
		JSON {CM}/owned [{"op":"add","path":"/metadata/ownerReferences/-","value":{"apiVersion":"v1","kind":"Pod","name":"b","uid":"v"}}]
		MERGE {CM}/owned {"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"v"},{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"v"},{"apiVersion":"v1","kind":"Pod","name":"c","uid":"u"}]}}
		MERGE {CM}/owned {"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"v","controller":true},{"apiVersion":"v1","kind":"Pod","name":"c","uid":"u"}]}}
		PUT {CM}/owned {"metadata":{"name":"owned","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"v"},{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"v"}]}}
		STRATEGIC {CM}/owned {"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"g","uid":"u"}]}}
		POST {WI}?dryRun=All {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"owned","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"}]}}
		+POST {PO} {"metadata":{"name":"owned"},"spec":{"containers":[{"name":"c","image":"i"}]}}
		MERGE {PO}/owned/status {"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"}]}}
		PUT {CM}/owned3 {"metadata":{"name":"owned3","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"}]}}
		PUT {LE}/owned3?dryRun=All {"metadata":{"name":"owned3","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"}]}}
	`)},
	{"status/jobs", lines(`
		+POST {JO} {"metadata":{"name":"one"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"Complete","status":"True"},{"type":"Failed","status":"True"}]}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"Complete","status":"True"}]}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"Failed","status":"True"}]}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"Failed","status":"True"},{"type":"FailureTarget","status":"True"}]}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"Complete","status":"True"},{"type":"SuccessCriteriaMet","status":"True"}]}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"Complete","status":"True"},{"type":"SuccessCriteriaMet","status":"True"}],"completionTime":"2026-01-02T00:00:00Z"}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"Complete","status":"True"},{"type":"FailureTarget","status":"True"},{"type":"SuccessCriteriaMet","status":"True"}],"startTime":"2026-01-01T00:00:00Z","completionTime":"2026-01-02T00:00:00Z"}}
		MERGE {JO}/one/status {"status":{"completionTime":"2026-01-02T00:00:00Z"}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"Failed","status":"True"},{"type":"FailureTarget","status":"True"}],"active":1,"terminating":1,"ready":2,"uncountedTerminatedPods":{"succeeded":["a","","a"],"failed":["a"]},"startTime":"2026-01-01T00:00:00Z"}}
		MERGE {JO}/one/status {"status":{"completedIndexes":"0-2"}}
		MERGE {JO}/one/status {"status":{"failedIndexes":"0"}}
		MERGE {JO}/one/status {"status":{"ready":1}}
		MERGE {JO}/one/status {"status":{"succeeded":1,"failed":1}}
		MERGE {JO}/one/status {"status":{"succeeded":0}}
		MERGE {JO}/one/status {"status":{"failed":0}}
		MERGE {JO}/one/status {"status":{"ready":-1,"terminating":-1}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"SuccessCriteriaMet","status":"True"},{"type":"FailureTarget","status":"True"}]}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"SuccessCriteriaMet","status":"True"},{"type":"Failed","status":"True"}]}}
		MERGE {JO}/one/status {"status":{"startTime":"2026-01-01T00:00:00Z"}}
		MERGE {JO}/one/status {"status":{"startTime":"2026-01-03T00:00:00Z"}}
		MERGE {JO}/one/status {"status":{"startTime":null}}
		MERGE {JO}/one/status {"status":{"completionTime":"2026-01-02T00:00:00Z","conditions":[{"type":"Complete","status":"True"},{"type":"SuccessCriteriaMet","status":"True"}],"succeeded":2}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"Complete","status":"False"},{"type":"SuccessCriteriaMet","status":"True"}]}}
		MERGE {JO}/one/status {"status":{"completionTime":"2026-01-05T00:00:00Z"}}
		MERGE {JO}/one/status {"status":{"active":1}}
		MERGE {JO}/one/status {"status":{"conditions":[{"type":"Complete","status":"True"},{"type":"SuccessCriteriaMet","status":"True"},{"type":"Failed","status":"True"}]}}
		MERGE {JO}/one/status {"status":{"conditions":[]}}
		GET {JO}/one
		+POST {JO} {"metadata":{"name":"two"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		+MERGE {JO}/two/status {"status":{"startTime":"2026-01-01T00:00:00Z"}}
		MERGE {JO}/two/status {"status":{"completionTime":"2025-01-01T00:00:00Z","conditions":[{"type":"Complete","status":"True"},{"type":"SuccessCriteriaMet","status":"True"}]}}
		MERGE {JO}/two/status {"status":{"conditions":[{"type":"FailureTarget","status":"True"}]}}
		MERGE {JO}/two/status {"status":{"conditions":[]}}
		MERGE {JO}/two/status {"status":{"conditions":[{"type":"Failed","status":"True"},{"type":"FailureTarget","status":"True"}]}}
		MERGE {JO}/two/status {"status":{"conditions":[{"type":"Failed","status":"True"}]}}
		MERGE {JO}/two/status {"status":{"conditions":[{"type":"FailureTarget","status":"True"}]}}
		+POST {JO} {"metadata":{"name":"wait"},"spec":{"suspend":true,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		MERGE {JO}/wait/status {"status":{"startTime":"2026-01-01T00:00:00Z"}}
		MERGE {JO}/wait/status {"status":{"startTime":null}}
		MERGE {JO}/wait {"spec":{"suspend":false}}
		MERGE {JO}/wait/status {"status":{"startTime":"2026-01-01T00:00:00Z"}}
	`)},
	{"changed/jobs refused/jobs", lines(`
		+POST {JO} {"metadata":{"name":"indexed"},"spec":{"completions":3,"parallelism":2,"completionMode":"Indexed","backoffLimitPerIndex":1,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		MERGE {JO}/indexed {"spec":{"completions":4}}
		MERGE {JO}/indexed {"spec":{"completions":4,"parallelism":4}}
		MERGE {JO}/indexed {"spec":{"parallelism":3}}
		MERGE {JO}/indexed {"spec":{"completions":null}}
		MERGE {JO}/indexed {"spec":{"completions":2,"parallelism":2}}
		MERGE {JO}/indexed {"spec":{"backoffLimitPerIndex":2}}
		MERGE {JO}/indexed {"spec":{"podReplacementPolicy":"TerminatingOrFailed"}}
		MERGE {JO}/indexed {"spec":{"parallelism":-1}}
		MERGE {JO}/indexed/status {"status":{"completedIndexes":"0,1","failedIndexes":"1"}}
		MERGE {JO}/indexed/status {"status":{"completedIndexes":"5"}}
		MERGE {JO}/indexed/status {"status":{"completedIndexes":"1-0"}}
		MERGE {JO}/indexed/status {"status":{"completedIndexes":"x"}}
		MERGE {JO}/indexed/status {"status":{"failedIndexes":"7"}}
		MERGE {JO}/indexed/status {"status":{"completedIndexes":"0","failedIndexes":"1"}}
		MERGE {JO}/indexed/status {"status":{"completedIndexes":"0,1"}}
		POST {JO}?dryRun=All {"metadata":{"name":"x"},"spec":{"completionMode":"Indexed","completions":200000,"parallelism":100001,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		POST {JO}?dryRun=All {"metadata":{"name":"x"},"spec":{"maxFailedIndexes":1,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		POST {JO}?dryRun=All {"metadata":{"name":"x"},"spec":{"completions":3,"completionMode":"Indexed","maxFailedIndexes":4,"backoffLimitPerIndex":1,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		POST {JO}?dryRun=All {"metadata":{"name":"x"},"spec":{"completions":3,"completionMode":"Indexed","maxFailedIndexes":2,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		POST {JO}?dryRun=All {"metadata":{"name":"x"},"spec":{"managedBy":"nodomain","successPolicy":{"rules":[]},"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
	`)},
	{"changed/others refused/others", lines(`
		POST /api/v1/nodes?dryRun=All {"metadata":{"name":"further"},"spec":{"podCIDR":"10.1.0.0"}}
		POST /api/v1/nodes?dryRun=All {"metadata":{"name":"further"},"spec":{"podCIDRs":["10.1.0.0/24","10.2.0.0/24"]}}
		POST /api/v1/nodes?dryRun=All {"metadata":{"name":"further"},"spec":{"podCIDRs":["10.1.0.0/24","fd00::/64"]}}
		POST /api/v1/nodes?dryRun=All {"metadata":{"name":"further"},"spec":{"podCIDRs":["10.1.0.0/24","fd00::/64","fd01::/64"]}}
		POST /api/v1/nodes?dryRun=All {"metadata":{"name":"further"},"spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.2.0.0/24"]}}
		POST /api/v1/nodes?dryRun=All {"metadata":{"name":"further"},"spec":{"podCIDRs":["10.1.0.0/24","x"]}}
		POST /api/v1/nodes?dryRun=All {"metadata":{"name":"further"},"spec":{"podCIDR":"010.1.0.1/24"}}
		POST /api/v1/nodes?dryRun=All {"metadata":{"name":"further","annotations":{"scheduler.alpha.kubernetes.io/preferAvoidPods":"{}"}},"spec":{"configSource":{}}}
		+POST /api/v1/nodes {"metadata":{"name":"further"}}
		MERGE /api/v1/nodes/further {"spec":{"podCIDR":"10.1.0.0"}}
		MERGE /api/v1/nodes/further {"spec":{"podCIDR":"10.1.0.0/24"}}
		MERGE /api/v1/nodes/further {"spec":{"podCIDR":"10.3.0.0/24"}}
		MERGE /api/v1/nodes/further {"spec":{"podCIDR":null,"podCIDRs":null}}
		MERGE /api/v1/nodes/further {"spec":{"podCIDRs":["10.1.0.0/24","fd00::/64"]}}
		MERGE /api/v1/nodes/further {"spec":{"podCIDR":null}}
		MERGE /api/v1/nodes/further/status {"spec":{"podCIDR":"10.4.0.0/24"},"status":{"capacity":{"cpu":"-1"}}}
		MERGE /api/v1/nodes/further {"spec":{"providerID":"p"}}
		MERGE /api/v1/nodes/further {"spec":{"providerID":null,"podCIDRs":["10.1.0.0/24","fd00::/64"],"taints":[{"key":"a b","effect":"NoSchedule"}]}}
		DELETE /api/v1/nodes/further
	`)},
	{"pods/gates", lines(`
		POST {PO}?dryRun=All {"metadata":{"name":"x"},"spec":{"nodeName":"n","schedulingGates":[{"name":"g"}],"containers":[{"name":"c","image":"i"}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"x"},"spec":{"schedulingGates":[{"name":"g"},{"name":"g"},{"name":"a b"}],"containers":[{"name":"c","image":"i"}]}}
		+POST {PO} {"metadata":{"name":"gated"},"spec":{"schedulingGates":[{"name":"g"}],"containers":[{"name":"c","image":"i"}]}}
		POST {PO}/gated/binding {"metadata":{"name":"gated"},"target":{"kind":"Node","name":"n"}}
		MERGE {PO}/gated/status {"status":{"phase":"Running"}}
		MERGE {PO}/gated/status {"status":{"nominatedNodeName":"Not A Name"}}
		MERGE {PO}/gated/status {"status":{"nominatedNodeName":"n"}}
		POST {PO}?dryRun=All {"metadata":{"name":"x"},"spec":{"nodeName":"Not A Name","containers":[{"name":"c","image":"i"}]}}
	`)},
	{"pods/classes", lines(`
		POST {PO}?dryRun=All {"metadata":{"name":"x"},"spec":{"preemptionPolicy":"Never","containers":[{"name":"c","image":"i"}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"x"},"spec":{"preemptionPolicy":"PreemptLowerPriority","containers":[{"name":"c","image":"i"}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"x"},"spec":{"preemptionPolicy":"Nonesuch","containers":[{"name":"c","image":"i"}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"x"},"spec":{"priorityClassName":"system-node-critical","preemptionPolicy":"Never","containers":[{"name":"c","image":"i"}]}}
		POST {DE}?dryRun=All {"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"preemptionPolicy":"Nonesuch","containers":[{"name":"c","image":"i"}]}}}}
	`)},
	{"pods/eviction pods/binding", lines(`
		+POST /api/v1/namespaces/{NAMESPACE}/serviceaccounts {"metadata":{"name":"further"}}
		+POST {PO} {"metadata":{"name":"evicted"},"spec":{"containers":[{"name":"c","image":"i"}]}}
		POST {PO}/evicted/eviction {"apiVersion":"policy/v1beta1","kind":"Eviction","metadata":{"name":"evicted"},"deleteOptions":{"dryRun":["All"]}}
		POST {PO}/evicted/eviction {"apiVersion":"policy/v2","kind":"Eviction","metadata":{"name":"evicted"}}
		POST {PO}/evicted/eviction {"apiVersion":"policy/v1","kind":"Pod","metadata":{"name":"evicted"}}
		POST {PO}/gated/binding?dryRun=All @table {"metadata":{"name":"gated"},"target":{"kind":"Node","name":"n"}}
		POST /api/v1/namespaces/{NAMESPACE}/serviceaccounts/further/token @table {"spec":{"audiences":["a"]}}
		MERGE {DE}/nosuch/scale @table {"spec":{"replicas":1}}
		POST {PO}/evicted/eviction @table {"apiVersion":"policy/v1beta1","kind":"Eviction","metadata":{"name":"evicted"},"deleteOptions":{"dryRun":["All"]}}
		POST {PO}/evicted/eviction {"apiVersion":"policy/v1beta1","kind":"Eviction","metadata":{"name":"evicted"}}
		GET {PO}/evicted
	`)},
	{"write/too-big-to-store", lines(`
		POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"big"},"spec":{"b0":"{BIG}","b1":"{BIG}","b2":"{BIG}","b3":"{BIG}","b4":"{BIG}","b5":"{BIG}","b6":"{BIG}","b7":"{BIG}","b8":"{BIG}"}}
		+POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"big"},"spec":{"b0":"{BIG}"}}
		MERGE {WI}/big {"spec":{"b0":"{BIG}","b1":"{BIG}","b2":"{BIG}","b3":"{BIG}","b4":"{BIG}","b5":"{BIG}","b6":"{BIG}","b7":"{BIG}","b8":"{BIG}"}}
		POST {RE} {"metadata":{"name":"big"},"revision":1,"data":{"b0":"{BIG}","b1":"{BIG}","b2":"{BIG}","b3":"{BIG}","b4":"{BIG}","b5":"{BIG}","b6":"{BIG}","b7":"{BIG}","b8":"{BIG}"}}
		POST {RE}?dryRun=All {"metadata":{"name":"big"},"revision":1,"data":{"b0":"{BIG}","b1":"{BIG}","b2":"{BIG}","b3":"{BIG}","b4":"{BIG}","b5":"{BIG}","b6":"{BIG}","b7":"{BIG}","b8":"{BIG}"}}
		GET {WI}/big?timeout=1s
	`)},
	{"list/field-namespace", lines(`
		GET {NS}?fieldSelector=metadata.namespace=x
		GET /api/v1/nodes?fieldSelector=metadata.namespace=x
		GET {NS}?fieldSelector=metadata.namespace=
		+POST /apis/storage.k8s.io/v1/csinodes {"metadata":{"name":"further"},"spec":{"drivers":[]}}
		GET /apis/storage.k8s.io/v1/csinodes?fieldSelector=metadata.namespace=x
		GET /apis/storage.k8s.io/v1/csinodes?fieldSelector=metadata.namespace=x,metadata.name=further
		GET /apis/storage.k8s.io/v1/csinodes?fieldSelector=metadata.namespace!=x,metadata.name=further
		DELETE /apis/storage.k8s.io/v1/csinodes/further
		GET /apis/scheduling.k8s.io/v1/priorityclasses?fieldSelector=metadata.namespace=x
	`)},
}
