package rest_test

// managedParts are about objects that others have written before somebody applies them. The writes before that are
// marked: who manages what they tell at a real server alone.
var managedParts = []showing{
	{"apply/since", lines(`
		POST {CM}?fieldManager=c1&unseen=1 {"metadata":{"name":"a","labels":{"x":"1"}},"data":{"k":"1","l":"1"}}
		MERGE {CM}/a?fieldManager=p1&unseen=1 {"data":{"m":"1"}}
		MERGE {CM}/a?fieldManager=p1&unseen=1 {"data":{"n":"1"}}
		MERGE {CM}/a?fieldManager=p9&unseen=1 {"data":{"n":"1"}}
		PUT {CM}/a?fieldManager=u1&unseen=1 {"metadata":{"name":"a","annotations":{"o":"1"}},"data":{"k":"2","m":"1","n":"1"}}
		MERGE {CM}/a?fieldManager=c1&unseen=1 {"data":{"q":"1"}}
		APPLY {CM}/a?fieldManager=m1&dryRun=All {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"m":"2"}}
		APPLY {CM}/a?fieldManager=m1 {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"m":"1","r":"1"}}
		APPLY {CM}/a?fieldManager=m1 {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}
		GET {CM}/a
		POST {CM}?fieldManager=kubectl-client-side-apply&unseen=1 {"metadata":{"name":"csa","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"csa\"},\"data\":{\"k\":\"1\",\"l\":\"1\"}}"}},"data":{"k":"1","l":"1"}}
		MERGE {CM}/csa?fieldManager=other&unseen=1 {"metadata":{"labels":{"o":"1"}},"data":{"theirs":"1"}}
		APPLY {CM}/csa?fieldManager=kubectl {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"csa"},"data":{"k":"1"}}
		POST {CM}?unseen=1 {"metadata":{"name":"agent"},"data":{"k":"1"}}
		APPLY {CM}/agent?fieldManager=m1 {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"agent"},"data":{"l":"1"}}
		POST {CM}?fieldManager=c1&unseen=1 {"metadata":{"name":"reset"},"data":{"k":"1"}}
		MERGE {CM}/reset?fieldManager=p1 {"metadata":{"managedFields":[{}]}}
		MERGE {CM}/reset?fieldManager=p2 {"data":{"l":"1"}}
		APPLY {CM}/reset?fieldManager=m1 {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"reset"},"data":{"m":"1"}}
		POST {CM}?fieldManager=c1&unseen=1 {"metadata":{"name":"many"},"data":{"k":"0"}}
		MERGE {CM}/many?fieldManager=p0&unseen=1 {"data":{"k0":"0"}}
		MERGE {CM}/many?fieldManager=p1&unseen=1 {"data":{"k1":"1"}}
		MERGE {CM}/many?fieldManager=p2&unseen=1 {"data":{"k2":"2"}}
		MERGE {CM}/many?fieldManager=p0&unseen=1 {"data":{"k3":"3"}}
		MERGE {CM}/many?fieldManager=p1&unseen=1 {"data":{"k4":"4"}}
		MERGE {CM}/many?fieldManager=p2&unseen=1 {"data":{"k5":"5"}}
		MERGE {CM}/many?fieldManager=p0&unseen=1 {"data":{"k6":"6"}}
		MERGE {CM}/many?fieldManager=p1&unseen=1 {"data":{"k0":"7"}}
		MERGE {CM}/many?fieldManager=p2&unseen=1 {"data":{"k1":"8"}}
		MERGE {CM}/many?fieldManager=p0&unseen=1 {"data":{"k2":"9"}}
		MERGE {CM}/many?fieldManager=p1&unseen=1 {"data":{"k3":"10"}}
		MERGE {CM}/many?fieldManager=p2&unseen=1 {"data":{"k4":"11"}}
		MERGE {CM}/many?fieldManager=p0&unseen=1 {"data":{"k5":"12"}}
		MERGE {CM}/many?fieldManager=p1&unseen=1 {"data":{"k6":"13"}}
		MERGE {CM}/many?fieldManager=p2&unseen=1 {"data":{"k0":"14"}}
		MERGE {CM}/many?fieldManager=p0&unseen=1 {"data":{"k1":"15"}}
		MERGE {CM}/many?fieldManager=p1&unseen=1 {"data":{"k2":"16"}}
		MERGE {CM}/many?fieldManager=p2&unseen=1 {"data":{"k3":"17"}}
		MERGE {CM}/many?fieldManager=p0&unseen=1 {"data":{"k4":"18"}}
		MERGE {CM}/many?fieldManager=p1&unseen=1 {"data":{"k5":"19"}}
		APPLY {CM}/many?fieldManager=m1 {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"many"},"data":{"k":"0"}}
		POST {SV}?fieldManager=c1&unseen=1 {"metadata":{"name":"a"},"spec":{"ports":[{"port":80}],"selector":{"a":"b"}}}
		MERGE {SV}/a?fieldManager=p1&unseen=1 {"spec":{"type":"LoadBalancer"}}
		MERGE {SV}/a/status?fieldManager=s1&unseen=1 {"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}}
		PUT {SV}/a?fieldManager=u1&unseen=1 {"metadata":{"name":"a"},"spec":{"type":"LoadBalancer","ports":[{"port":80,"name":"p"}],"selector":{"a":"c"}}}
		APPLY {SV}/a?fieldManager=m1 {"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"selector":{"z":"1"}}}
		POST {DE}?fieldManager=c1&unseen=1 {"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		MERGE {DE}/a/scale?fieldManager=s1&unseen=1 {"spec":{"replicas":3}}
		MERGE {DE}/a/status?fieldManager=s2&unseen=1 {"status":{"replicas":3}}
		STRATEGIC {DE}/a?fieldManager=p1&unseen=1 {"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"}]}}}}
		MERGE {DE}/a/status?fieldManager=s2&unseen=1 {"status":{"readyReplicas":2}}
		APPLY {DE}/a?fieldManager=m1 {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":4}}
		APPLY {DE}/a?fieldManager=m1 {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"}]}}}}
		POST {DE}?fieldManager=c1&unseen=1 {"metadata":{"name":"b"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		MERGE {DE}/b/scale?fieldManager=s1&unseen=1 {"spec":{"replicas":3}}
		APPLY {DE}/b/scale?fieldManager=m1&force=1 {"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"b"},"spec":{"replicas":5}}
		GET {DE}/b
		POST {PO}?fieldManager=c1&unseen=1 {"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}
		+POST {PO}/a/binding?unseen=1 {"metadata":{"name":"a"},"target":{"kind":"Node","name":"n"}}
		STRATEGIC {PO}/a/status?fieldManager=s1&unseen=1 {"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}
		STRATEGIC {PO}/a/status?fieldManager=s1&unseen=1 {"status":{"podIP":"1.2.3.4","podIPs":[{"ip":"1.2.3.4"}]}}
		MERGE {PO}/a?fieldManager=p1&unseen=1 {"metadata":{"labels":{"l":"1"}}}
		DELETE {PO}/a?unseen=1
		APPLY {PO}/a?fieldManager=m1 {"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"m":"1"}}}
		POST {JO}?fieldManager=c1&unseen=1 {"metadata":{"name":"a"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}
		MERGE {JO}/a/status?fieldManager=s1&unseen=1 {"status":{"active":1,"startTime":"2026-01-01T00:00:00Z"}}
		APPLY {JO}/a?fieldManager=m1 {"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"},"spec":{"suspend":true}}
		POST /api/v1/nodes?fieldManager=c1&unseen=1 {"metadata":{"name":"managed"},"spec":{"podCIDR":"10.1.0.0/24"}}
		STRATEGIC /api/v1/nodes/managed/status?fieldManager=s1&unseen=1 {"status":{"conditions":[{"type":"Ready","status":"True"}],"capacity":{"cpu":"1"}}}
		MERGE /api/v1/nodes/managed?fieldManager=p1&unseen=1 {"spec":{"taints":null}}
		APPLY /api/v1/nodes/managed?fieldManager=m1 {"apiVersion":"v1","kind":"Node","metadata":{"name":"managed","labels":{"m":"1"}}}
		DELETE /api/v1/nodes/managed?unseen=1
		POST {NS}?fieldManager=c1&unseen=1 {"metadata":{"name":"managed2","labels":{"l":"1"}}}
		APPLY {NS}/managed2?fieldManager=m1 {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"managed2","labels":{"m":"1"}}}
		POST {SE}?fieldManager=c1&unseen=1 {"metadata":{"name":"a"},"stringData":{"k":"1"}}
		APPLY {SE}/a?fieldManager=m1 {"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"data":{"l":"Mg=="}}
		POST {DS}?fieldManager=c1&unseen=1 {"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		MERGE {DS}/a?fieldManager=p1&unseen=1 {"spec":{"minReadySeconds":2}}
		MERGE {DS}/a/status?fieldManager=s1&unseen=1 {"status":{"numberReady":1}}
		APPLY {DS}/a?fieldManager=m1 {"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"a"},"spec":{"minReadySeconds":2}}
		PUT {LE}/a?fieldManager=u1&unseen=1 {"metadata":{"name":"a"},"spec":{"holderIdentity":"h"}}
		MERGE {LE}/a?fieldManager=p1&unseen=1 {"spec":{"leaseDurationSeconds":3}}
		APPLY {LE}/a?fieldManager=m1 {"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"a"},"spec":{"holderIdentity":"h"}}
		POST {WI}?fieldManager=c1&unseen=1 {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"k":{"a":"1"},"l":[1]}}
		MERGE {WI}/a?fieldManager=p1&unseen=1 {"spec":{"k":{"b":"1"}}}
		APPLY {WI}/a?fieldManager=m1 {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"k":{"c":"1"}}}
		POST {CM}?fieldManager=c1&unseen=1 {"metadata":{"name":"kept","finalizers":["example.com/held"]},"data":{"k":"1"}}
		DELETE {CM}/kept?unseen=1
		APPLY {CM}/kept?fieldManager=m1 {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"},"data":{"k":"1"}}
	`)},
}
