package node

// oneRuns is a pod that runs.
const oneRuns = `
	user PUT a
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
	agent PATCH pods/status a {status: {phase: Running}}
`

// staticRuns is a static pod that runs.
const staticRuns = `
	user MANIFEST s {}
	cri RunPodSandbox s -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
`

// servedRuns is a static pod that the manifest URL told, with its mirror pod.
const servedRuns = `
	user SERVE 200 {body: {items: [{metadata: {name: s, namespace: default}}]}}` + staticRuns + `
	agent CREATE pods s
`

var sourceHistories = map[string][]judgedHistory{
	"source/scope": {
		{name: "its own", history: `
			agent LIST pods
			agent WATCH pods`},
		{name: "all", want: "spec.nodeName=node-1", got: `""`, history: `
			agent LIST pods
			agent WATCH pods {fieldSelector: ""} <<`},
		{name: "those of another node", want: "spec.nodeName=node-1", got: "node-2", history: `
			agent LIST pods {fieldSelector: spec.nodeName=node-2} <<`},
	},
	"source/ready": {
		{name: "it waits", history: oneRuns + `
			KILL
			user SERVE 0
			user DELETE a 0
			START
			+5s
			user SERVE 200
			cri StopContainer c1 2`},
		{name: "all answer", untested: true, history: oneRuns + `
			KILL
			user DELETE a 0
			START
			cri StopContainer c1 2`},
		{name: "it has stopped already", history: oneRuns + `
			KILL
			user SERVE 0
			user DELETE a 0
			cri ContainerStatus c1 EXITED 0
			START
			cri StopPodSandbox p1`},
		{name: "a pod that is being deleted", history: oneRuns + `
			KILL
			user SERVE 0
			user DELETE a 3
			START
			cri StopContainer c1 3
			cri StopPodSandbox p1`},
		{name: "a deletion that was told, though the pod is gone by then", history: oneRuns + `
			KILL
			user SERVE 0
			START
			user DELETE a 3
			user DELETE a 0
			cri StopContainer c1 2`},
		{name: "a probe that failed", history: oneRuns + `
			KILL
			user SERVE 0
			START
			cri ExecSync c1 probe live -> 1
			cri StopContainer c1 3`},
		{name: "a deletion that ended before the agent was started", want: "no container is stopped", got: "StopContainer", history: oneRuns + `
			KILL
			user SERVE 0
			user DELETE a 3
			user DELETE a 0
			START <<
			cri StopContainer c1 2 <<`},
		{name: "it does not wait", want: "no container is stopped", got: "StopContainer", history: oneRuns + `
			KILL
			user SERVE 0
			user DELETE a 0
			START <<
			cri StopContainer c1 2 <<
			user SERVE 200`},
		{name: "its sandbox", want: "no container is stopped", got: "StopPodSandbox", history: oneRuns + `
			KILL
			user SERVE 0
			user DELETE a 0
			START <<
			cri StopPodSandbox p1 <<`},
		{name: "it never comes", want: "it is so", got: "not within", history: oneRuns + `
			KILL
			START
			user EXPIRED source/ready <<`},
	},
	"source/http":    keeps("source/http"),
	"source/offline": keeps("source/offline"),
	"source/duplicate": {
		{name: "one runs", history: `
			user MANIFEST s {}
			user MANIFEST s second {metadata: {labels: {x: z}}}
			cri RunPodSandbox h1 -> p1`},
		{name: "one after the other", history: `
			user MANIFEST s {}
			user MANIFEST s second {metadata: {labels: {x: z}}}
			cri RunPodSandbox h2 -> p1
			cri StopPodSandbox p1
			cri RunPodSandbox h1 -> p2`},
		{name: "one manifest that changes", untested: true, history: `
			user MANIFEST s {}
			user MANIFEST s {metadata: {labels: {x: z}}}
			cri RunPodSandbox h2 -> p1`},
		{name: "both run", also: "static/replace", want: "the pod of that name that runs has ended", got: "it has not", history: `
			user MANIFEST s {}
			user MANIFEST s second {metadata: {labels: {x: z}}}
			cri RunPodSandbox h1 -> p1 <<
			cri RunPodSandbox h2 -> p2 <<`},
	},
	"source/refused": {
		{name: "it does not run, and another does", history: `
			user MANIFEST s {spec: {serviceAccountName: x}}
			user MANIFEST t {}
			cri RunPodSandbox t -> p1`},
		{name: "nothing runs", untested: true, history: `
			user MANIFEST s {spec: {serviceAccountName: x}}`},
		{name: "a manifest of its name that may run", untested: true, history: `
			user MANIFEST s {}
			user MANIFEST s {spec: {serviceAccountName: x}}
			cri RunPodSandbox h1 -> p1`},
		{name: "a variable", want: "does not run", got: "it does", history: `
			user MANIFEST s {spec: {containers: [{name: c, env: [{name: V, valueFrom: {configMapKeyRef: {name: m, key: k}}}]}]}} <<
			cri RunPodSandbox s -> p1 <<`},
		{name: "an account", want: "does not run", got: "it does", history: `
			user MANIFEST s {spec: {serviceAccountName: x}} <<
			cri RunPodSandbox s -> p1 <<`},
		{name: "a secret", want: "does not run", got: "it does", history: `
			user MANIFEST s {spec: {volumes: [{name: v, secret: {secretName: x}}]}} <<
			cri RunPodSandbox s -> p1 <<`},
		{name: "a claim", want: "does not run", got: "it does", history: `
			user MANIFEST s {spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: x}}]}} <<
			cri RunPodSandbox s -> p1 <<`},
	},
}

var staticHistories = map[string][]judgedHistory{
	"static/identity": {
		{name: "it has all", history: staticRuns + `
			agent CREATE pods s`},
		{name: "from the URL, without tolerations", history: `
			user SERVE 200
			user MANIFEST s {}
			agent CREATE pods s {metadata: {annotations: {kubernetes.io/config.source: http}}, spec: {tolerations: null}}`},
		{name: "the name of the manifest", want: "ends with -node-1", got: "s", history: `
			user MANIFEST s {}
			agent CREATE pods s {metadata: {name: s}} <<`},
		{name: "no hash", want: "the hash of the manifest, twice", got: `"h1" and ""`, history: `
			user MANIFEST s {}
			agent CREATE pods s {metadata: {annotations: {kubernetes.io/config.hash: null}}} <<`},
		{name: "no source", want: "is file or http", got: `""`, history: `
			user MANIFEST s {}
			agent CREATE pods s {metadata: {annotations: {kubernetes.io/config.source: null}}} <<`},
		{name: "no toleration", want: "tolerates", got: "it does not", history: `
			user MANIFEST s {}
			agent CREATE pods s {spec: {tolerations: null}} <<`},
		{name: "the hash of another pod", want: "as the UID of default/t-node-1", got: "of default/s-node-1", history: staticRuns + `
			user MANIFEST t {}
			agent CREATE pods t {metadata: {annotations: {kubernetes.io/config.mirror: h1, kubernetes.io/config.hash: h1}}} <<`},
	},
	"static/mirror": {
		{name: "the Node owns it", history: staticRuns + `
			agent CREATE pods s`},
		{name: "another Node owns it", history: staticRuns + `
			api DELETED node
			api ADDED node {metadata: {uid: n2}}
			agent CREATE pods s`},
		{name: "no owner", want: "is the Node node-1", got: "nil", history: staticRuns + `
			agent CREATE pods s {metadata: {ownerReferences: null}} <<`},
		{name: "an owner that does not control it", want: "is the Node node-1", got: "nil", history: staticRuns + `
			agent CREATE pods s {metadata: {ownerReferences: [{uid: n1, controller: false}]}} <<`},
		{name: "an owner of another UID", want: "the UID of the Node", got: "n9", history: staticRuns + `
			agent CREATE pods s {metadata: {ownerReferences: [{$patch: replace}, {uid: n9, kind: Node, name: node-1, controller: true}]}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: staticRuns + `
			user EXPIRED static/mirror <<`},
	},
	"static/replace": {
		{name: "one after the other", history: staticRuns + `
			user MANIFEST s {metadata: {labels: {x: z}}}
			cri StopContainer c1 3
			cri StopPodSandbox p1
			cri RunPodSandbox s -> p2`},
		{name: "side by side", want: "has ended before", got: "it has not", history: staticRuns + `
			<< RunPodSandbox s -> p1
			user MANIFEST s {metadata: {labels: {x: z}}}
			cri RunPodSandbox s -> p2 <<`},
		{name: "while the old one ends", want: "has ended before", got: "it has not", history: staticRuns + `
			<< RunPodSandbox s -> p1
			user MANIFEST s {metadata: {labels: {x: z}}}
			cri StopContainer c1 3 ...
			cri RunPodSandbox s -> p2 <<
			cri <- c1`},
		{name: "it does not come", want: "it is so", got: "not within", history: staticRuns + `
			user EXPIRED static/replace <<`},
	},
	"static/remove":  keeps("static/remove"),
	"static/foreign": keeps("static/foreign"),
}
