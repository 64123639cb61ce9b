package rest_test

// connectParts are about logs, exec and the like where there is no kubelet to forward to.
var connectParts = []showing{
	{"connections/pod", lines(`
		+POST {PO} {"metadata":{"name":"alone"},"spec":{"containers":[{"name":"c","image":"i"}]}}
		GET {PO}/alone/log?follow=true
		GET {PO}/alone/log?container=x
		GET {PO}/alone/log?tailLines=-1
		GET {PO}/alone/log?tailLines=x
		GET {PO}/alone/log?sinceSeconds=0&limitBytes=0
		GET {PO}/alone/log?stream=Stdout
		POST {PO}/alone/log
		POST {PO}/alone/exec?command=ls
		POST {PO}/alone/exec?command=ls&container=x
		POST {PO}/alone/exec?command=ls @spdy
		GET {PO}/alone/attach @spdy
		POST {PO}/alone/portforward @spdy
		PUT {PO}/alone/exec
		GET {PO}/nosuch/exec @spdy
		GET {PO}/alone/proxy/
		+POST {PO} {"metadata":{"name":"two"},"spec":{"initContainers":[{"name":"i","image":"i"}],"containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}]}}
		GET {PO}/two/log
		POST {PO}/two/exec?command=ls @spdy
	`)},
	{"connections/node", lines(`
		+POST {PO} {"metadata":{"name":"lost"},"spec":{"nodeName":"connect-nosuch","containers":[{"name":"c","image":"i"}]}}
		GET {PO}/lost/log
		POST {PO}/lost/exec?command=ls @spdy
		GET /api/v1/nodes/connect-nosuch/proxy/healthz
		+POST /api/v1/nodes {"metadata":{"name":"connect-bare"}}
		GET /api/v1/nodes/connect-bare/proxy/healthz
		+POST {PO} {"metadata":{"name":"bare"},"spec":{"nodeName":"connect-bare","containers":[{"name":"c","image":"i"}]}}
		GET {PO}/bare/log
		POST {PO}/bare/portforward @spdy
		+POST /api/v1/nodes {"metadata":{"name":"connect-deaf"},"status":{"addresses":[{"type":"InternalIP","address":"127.0.0.1"}],"daemonEndpoints":{"kubeletEndpoint":{"Port":1}}}}
		+POST {PO} {"metadata":{"name":"deaf"},"spec":{"nodeName":"connect-deaf","containers":[{"name":"c","image":"i"}]}}
		GET {PO}/deaf/log?limitBytes=7&previous=1
		POST {PO}/deaf/exec?command=ls
		POST {PO}/deaf/exec?command=ls @spdy
		GET {PO}/deaf/attach @spdy
	`)},
	{"connections/service", lines(`
		GET {SV}/nosuch/proxy/
		GET {SV}/http:nosuch:web/proxy/healthz
		GET {SV}/a:b:c:d/proxy/
		GET {SV}/nosuch:80/proxy/
		+POST {SV} {"metadata":{"name":"behind"},"spec":{"ports":[{"name":"web","port":80}]}}
		+POST /apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices {"metadata":{"name":"behind","labels":{"kubernetes.io/service-name":"behind"}},"addressType":"IPv4","ports":[{"name":"web","port":1}],"endpoints":[{"addresses":["192.0.2.2"]}]}
		GET {SV}/behind:81/proxy/
		GET {SV}/behind:80/proxy/
	`)},
}
