package rest_test

// mistakenParts are mistakes that users make in kinds that they write by hand, and what is close to them.
var mistakenParts = []showing{
	{"refused/jobs", lines(`
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"61 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"0 0 * * 8","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"*/1 * * * x","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"@dailyy","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"every day","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"0 0 0 * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"*/0 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"5-3 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"* * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"* * * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"@every 5m","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"@every x","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"@daily","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"0 0 * jan-mar mon","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"TZ=UTC 0 0 * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"TZ=0","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"1,2-3/4 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"-1 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"0 0 * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}},"timeZone":"Mars/X"}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"0 0 * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}},"timeZone":"Etc/UTC"}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"0 0 * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}},"timeZone":"Local"}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"0 0 * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}},"timeZone":""}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"0 0 * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}},"timeZone":"../x"}}
		POST /apis/batch/v1/namespaces/{NAMESPACE}/cronjobs?dryRun=All {"metadata":{"name":"m"},"spec":{"schedule":"61 0 * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}},"timeZone":"UTC","concurrencyPolicy":"Foo","startingDeadlineSeconds":-1}}
	`)},
	{"refused/others", lines(`
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["Foo"],"resources":{"requests":{"storage":"1Gi"}}}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":[],"resources":{"requests":{"storage":"1Gi"}}}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce","ReadWriteOncePod"],"resources":{"requests":{"storage":"1Gi"}}}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"-1Gi"}}}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"0"}}}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce"]}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"cpu":"1"}}}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"storageClassName":"A_b"}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"storageClassName":""}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"X"}}
		POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"selector":{"matchLabels":{"a b":"c"}}}}
		+POST /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims {"metadata":{"name":"kept"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}
		MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/kept {"spec":{"resources":{"requests":{"storage":"2Gi"}}}}
		MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/kept {"spec":{"storageClassName":"x","accessModes":["ReadOnlyMany"]}}
		MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/kept {"spec":{"accessModes":["ReadOnlyMany"]}}
		MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/kept {"spec":{"volumeMode":"Block"}}
		MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/kept {"spec":{"volumeName":"v"}}
		MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/kept {"spec":{"volumeName":"w"}}
		MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/kept {"metadata":{"labels":{"a":"b"}}}
		MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/kept/status {"status":{"phase":"Bound","capacity":{"storage":"1Gi"}}}
		MERGE /api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/kept {"spec":{"resources":{"requests":{"storage":"1Mi"}}}}
	`)},
	{"refused/others", lines(`
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"service":{"name":"","port":{"number":80}}}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"service":{"name":"A_b","port":{"number":80}}}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"service":{"name":"s","port":{}}}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80,"name":"a"}}}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":70000}}}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"name":"A_"}}}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}},"resource":{"kind":"K","name":"n"}}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"resource":{"apiGroup":"A_","kind":"","name":""}}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"resource":{"kind":"a/b","name":"."}}}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"host":"1.2.3.4","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"host":"A_b","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"host":"*.a.b","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"host":"a.*.b","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"host":"a.b:80","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"http":{"paths":[]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"host":"a.b"}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"http":{"paths":[{"path":"foo","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"http":{"paths":[{"path":"","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"http":{"paths":[{"path":"/a//b/..","pathType":"Exact","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"http":{"paths":[{"path":"/a%2fb/./c","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"http":{"paths":[{"path":"a","pathType":"ImplementationSpecific","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"http":{"paths":[{"path":"","pathType":"ImplementationSpecific","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"http":{"paths":[{"path":"/","pathType":"Foo","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"http":{"paths":[{"path":"/","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"rules":[{"host":"1.2.3.4","http":{"paths":[{"path":"foo","pathType":"Exact","backend":{"service":{"name":"","port":{}}}}]}}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}},"tls":[{"hosts":["a.*","A_","*.b"],"secretName":"A_"}]}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}},"ingressClassName":"A_"}}
		POST /apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses?dryRun=All {"metadata":{"name":"m","annotations":{"kubernetes.io/ingress.class":"b"}},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}},"ingressClassName":"a"}}
		POST /apis/networking.k8s.io/v1/ingressclasses?dryRun=All {"metadata":{"name":"m"},"spec":{"controller":"x"}}
		POST /apis/networking.k8s.io/v1/ingressclasses?dryRun=All {"metadata":{"name":"m"},"spec":{}}
	`)},
	{"refused/others", lines(`
		POST /apis/storage.k8s.io/v1/storageclasses?dryRun=All {"metadata":{"name":"m"}}
		POST /apis/storage.k8s.io/v1/storageclasses?dryRun=All {"metadata":{"name":"m"},"provisioner":""}
		POST /apis/storage.k8s.io/v1/storageclasses?dryRun=All {"metadata":{"name":"m"},"provisioner":"a b"}
		POST /apis/storage.k8s.io/v1/storageclasses?dryRun=All {"metadata":{"name":"m"},"provisioner":"A.example/B"}
		POST /apis/storage.k8s.io/v1/storageclasses?dryRun=All {"metadata":{"name":"m"},"provisioner":"p","reclaimPolicy":"Foo","volumeBindingMode":"X"}
		POST /apis/storage.k8s.io/v1/storageclasses?dryRun=All {"metadata":{"name":"m"},"provisioner":"p","reclaimPolicy":"Recycle"}
		POST /apis/storage.k8s.io/v1/storageclasses?dryRun=All {"metadata":{"name":"m"},"provisioner":"p","parameters":{"":"x"}}
		POST /apis/storage.k8s.io/v1/storageclasses?dryRun=All {"metadata":{"name":"m"},"provisioner":"","reclaimPolicy":"Foo","volumeBindingMode":"X"}
		+POST /apis/storage.k8s.io/v1/storageclasses {"metadata":{"name":"kept"},"provisioner":"p"}
		MERGE /apis/storage.k8s.io/v1/storageclasses/kept {"provisioner":"q"}
		MERGE /apis/storage.k8s.io/v1/storageclasses/kept {"parameters":{"a":"b"}}
		MERGE /apis/storage.k8s.io/v1/storageclasses/kept {"reclaimPolicy":"Retain","volumeBindingMode":"WaitForFirstConsumer"}
		MERGE /apis/storage.k8s.io/v1/storageclasses/kept {"allowVolumeExpansion":true,"mountOptions":["x"]}
	`)},
	{"refused/others", lines(`
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":[]}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"cpu":"1"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"0"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"-1"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"]}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["Foo"],"hostPath":{"path":"/x"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce","ReadWriteOncePod"],"hostPath":{"path":"/x"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"../x"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":""}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"},"nfs":{"server":"s","path":"/"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"nfs":{"server":"","path":"x"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"csi":{"driver":"","volumeHandle":""}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"local":{"path":"/x"}}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"},"persistentVolumeReclaimPolicy":"Foo"}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/"},"persistentVolumeReclaimPolicy":"Recycle"}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"},"storageClassName":"A_"}}
		POST /api/v1/persistentvolumes?dryRun=All {"metadata":{"name":"m"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"},"volumeMode":"X"}}
		+POST /api/v1/persistentvolumes {"metadata":{"name":"kept"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"}}}
		MERGE /api/v1/persistentvolumes/kept {"spec":{"volumeMode":"Block"}}
		MERGE /api/v1/persistentvolumes/kept {"spec":{"capacity":{"storage":"2Gi"}}}
	`)},
	{"refused/others", lines(`
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"cpu":"-1"}}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"a b":"1"}}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"foo":"2"}}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"pods":"500m"}}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"count/deployments.apps":"1","requests.nvidia.com/gpu":"1","services.loadbalancers":"0","x.storageclass.storage.k8s.io/requests.storage":"1Gi"}}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"limits.cpu":"1"},"scopes":["Foo"]}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"pods":"1"},"scopes":["BestEffort","NotBestEffort"]}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"cpu":"1"},"scopes":["BestEffort"]}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"pods":"1"},"scopes":["Terminating"]}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"pods":"1"},"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In","values":[]}]}}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"pods":"1"},"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In","values":["a"]}]}}}
		POST /api/v1/namespaces/{NAMESPACE}/resourcequotas?dryRun=All {"metadata":{"name":"m"},"spec":{"hard":{"hugepages-2Mi":"1","ephemeral-storage":"1Gi","configmaps":"1","requests.hugepages-2Mi":"1"}}}
		+POST /api/v1/namespaces/{NAMESPACE}/resourcequotas {"metadata":{"name":"kept"},"spec":{"hard":{"pods":"1"},"scopes":["Terminating"]}}
		MERGE /api/v1/namespaces/{NAMESPACE}/resourcequotas/kept {"spec":{"scopes":[]}}
		MERGE /api/v1/namespaces/{NAMESPACE}/resourcequotas/kept {"spec":{"hard":{"pods":"-1"}}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","min":{"cpu":"2"},"max":{"cpu":"1"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Pod","default":{"cpu":"1"},"defaultRequest":{"cpu":"1"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Foo"}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":""}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"a b"}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container"},{"type":"Container"}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","max":{"foo":"1"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","max":{"storage":"1"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"PersistentVolumeClaim"}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"PersistentVolumeClaim","min":{"storage":"1Gi"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","default":{"cpu":"1"},"defaultRequest":{"cpu":"2"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","min":{"cpu":"1"},"defaultRequest":{"cpu":"500m"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","max":{"cpu":"1"},"default":{"cpu":"2"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","min":{"cpu":"1"},"default":{"cpu":"500m"},"defaultRequest":{"cpu":"500m"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","max":{"cpu":"1"},"defaultRequest":{"cpu":"2"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","maxLimitRequestRatio":{"cpu":"500m"}}]}}
		POST /api/v1/namespaces/{NAMESPACE}/limitranges?dryRun=All {"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","min":{"cpu":"1"},"max":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"3"}}]}}
	`)},
	{"refused/others", lines(`
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"x","sideEffects":"Some","admissionReviewVersions":["v1beta1"],"clientConfig":{"url":"http://x"},"rules":[{"apiGroups":["*","a"],"apiVersions":[],"operations":["X"],"resources":["*/*","pods"]}],"failurePolicy":"Foo","timeoutSeconds":90}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"Unknown","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v2","v2","A_"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}],"failurePolicy":"Foo","matchPolicy":"Foo"}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}],"timeoutSeconds":0}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]},{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"http://x"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://u:p@x?y=z#f"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"x"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://a b"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x","service":{"name":"s","namespace":"n"}},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"service":{"name":"","namespace":""}},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"service":{"name":"s","namespace":"n","path":"/a/b","port":443}},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"service":{"name":"s","namespace":"n","path":"a","port":70000}},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"service":{"name":"s","namespace":"n","path":"//"}},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"service":{"name":"s","namespace":"n","path":"/a//B_/"}},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["X","*"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":["*","a"],"apiVersions":["*",""],"operations":["CREATE"],"resources":["pods"],"scope":"Foo"}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["*/*","pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["","*","pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods/*","pods/log"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["*/scale","a/scale"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["*","pods/log"],"scope":"*"}]}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}],"namespaceSelector":{"matchLabels":{"a b":"c"}},"objectSelector":{"matchExpressions":[{"key":"a","operator":"Foo"}]}}]}
		POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}],"matchConditions":[{"name":"","expression":""},{"name":"a","expression":"true"},{"name":"a","expression":"true"}]}]}
		+POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations {"metadata":{"name":"kept"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}],"namespaceSelector":{"matchLabels":{"no":"no"}}}]}
		MERGE /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kept {"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}],"timeoutSeconds":31}]}
		DELETE /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kept
	`)},
	{"refused/others", lines(`
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"x","sideEffects":"Some","admissionReviewVersions":["v1beta1"],"clientConfig":{"url":"http://x"},"rules":[{"apiGroups":["*","a"],"apiVersions":[],"operations":["X"],"resources":["*/*","pods"]}],"failurePolicy":"Foo","timeoutSeconds":90}]}
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"Unknown","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v2","v2","A_"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}],"failurePolicy":"Foo","matchPolicy":"Foo"}]}
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}],"timeoutSeconds":0}]}
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]},{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}
		POST /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All {"metadata":{"name":"m"},"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}],"reinvocationPolicy":"Foo"}]}
	`)},
	{"refused/pods", lines(`
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Foo","values":["b"]}]}]}}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In"}]}]}}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]}]}}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Gt","values":["1","2"]}]}]}}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a b","operator":"In","values":["c d"]}]}]}}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}]}}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":0,"preference":{"matchExpressions":[{"key":"a","operator":"Foo"}]}}]}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["a","b"]},{"key":"x","operator":"Exists"}]}]}}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"a":"b"}}}]}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"a b","namespaces":["A_"]}]}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z","labelSelector":{"matchExpressions":[{"key":"a","operator":"Foo"}]}}]}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":101,"podAffinityTerm":{"topologyKey":""}}]}}}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","hostPath":{"path":"../x"}}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","hostPath":{"path":"/a/../..","type":"Foo"}}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","nfs":{"server":"","path":"x"}}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"hostAliases":[{"ip":"x"}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"hostAliases":[{"ip":"","hostnames":["A_"]}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"hostAliases":[{"ip":"1.2.3.4","hostnames":["a.b"]}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"hostAliases":[{"ip":"1.2.03.4"}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"key":"a","operator":"Exists","value":"b"}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"key":"a","value":"b c"}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"key":"a","effect":"Foo"}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"key":"a","tolerationSeconds":5}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"key":"a","operator":"Gt","value":"1"}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i","securityContext":{"privileged":true,"allowPrivilegeEscalation":false}}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i","securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"add":["CAP_SYS_ADMIN"]}}}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i","securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"add":["SYS_ADMIN"]}}}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i","securityContext":{"runAsUser":-1,"runAsGroup":-1}}]}}
		POST {PO}?dryRun=All {"metadata":{"name":"m"},"spec":{"containers":[{"name":"c","image":"i"}],"readinessGates":[{"conditionType":"a b"}]}}
		POST /api/v1/namespaces/{NAMESPACE}/podtemplates?dryRun=All {"metadata":{"name":"m"},"template":{"metadata":{"labels":{"a b":"c"}},"spec":{"hostAliases":[{"ip":"x"}]}}}
		POST /api/v1/namespaces/{NAMESPACE}/podtemplates?dryRun=All {"metadata":{"name":"m"},"template":{"spec":{"containers":[{"name":"c","image":"i"}],"restartPolicy":"Never"}}}
	`)},
}
