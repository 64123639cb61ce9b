package node

// nodeReadyNow is a Node that is Ready.
const nodeReadyNow = `
	agent PATCH nodes/status {status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {memory: 8Gi}, addresses: [{type: Hostname, address: node-1}], conditions: [{type: Ready, status: "True"}], runtimeHandlers: [{name: ""}], declaredFeatures: [A, B]}}
`

var nodeHistories = map[string][]judgedHistory{
	"lease/owner": {
		{name: "the Node", history: `
			agent CREATE leases
			+2s
			agent UPDATE leases`},
		{name: "another Node", history: `
			api DELETED node
			api ADDED node {metadata: {uid: n2}}
			agent CREATE leases`},
		{name: "nobody", want: "the owner is the Node node-1", got: "null", history: `
			agent CREATE leases {metadata: {ownerReferences: null}} <<`},
		{name: "one that is not there", want: "the UID of the Node", got: "n9", history: `
			agent CREATE leases {metadata: {ownerReferences: [{$patch: replace}, {kind: Node, name: node-1, uid: n9}]}} <<`},
		{name: "another holder", want: "the holder is node-1", got: "node-2", history: `
			agent UPDATE leases {spec: {holderIdentity: node-2}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED lease/owner <<"},
	},
	"lease/renew": {
		{name: "every quarter", history: `
			agent CREATE leases
			+2s
			agent UPDATE leases
			+2s
			agent UPDATE leases`},
		{name: "after a failure", history: `
			agent CREATE leases
			+2s
			agent UPDATE leases ! 500
			agent UPDATE leases
			+2s
			agent UPDATE leases`},
		{name: "the API server was away", untested: true, history: `
			agent CREATE leases
			user REFUSE
			+20s
			user ACCEPT
			agent UPDATE leases`},
		{name: "late", want: "renewed within 8s", got: "9s", history: `
			agent CREATE leases <<
			+9s
			agent UPDATE leases <<`},
		{name: "the last renewal of an agent that was killed comes late", history: `
			agent CREATE leases
			+2s
			agent UPDATE leases
			KILL
			agent UPDATE leases
			START
			+9s
			agent UPDATE leases`},
		{name: "twice at the start", history: `
			agent CREATE leases
			agent UPDATE leases
			+2s
			agent UPDATE leases
			KILL
			START
			agent UPDATE leases
			agent UPDATE leases
			+2s
			agent UPDATE leases`},
		{name: "all the time", want: "renewed every 2s", got: "500ms", history: `
			agent CREATE leases
			+2s
			agent UPDATE leases <<
			+500ms
			agent UPDATE leases <<`},
		{name: "for another time", want: "the duration is 8s", got: "40", history: `
			agent CREATE leases {spec: {leaseDurationSeconds: 40}} <<`},
	},
	"node-status/register": {
		{name: "with all of it", history: nodeReadyNow},
		{name: "what others wrote stays", history: nodeReadyNow + `
			user NODE {metadata: {labels: {x: z}}, spec: {taints: [{key: t, effect: NoSchedule}]}}
			+10s
			agent PATCH nodes/status {status: {daemonEndpoints: {kubeletEndpoint: {Port: 10250}}}}`},
		{name: "without a capacity", want: "has its capacity", got: "cpu", history: `
			agent PATCH nodes/status {status: {capacity: {cpu: "4", pods: "0"}, allocatable: {memory: 8Gi}, addresses: [{type: Hostname, address: x}], conditions: [{type: Ready, status: "True"}], runtimeHandlers: [{name: ""}]}} <<`},
		{name: "without an address", want: "has addresses", got: "it has none", history: `
			agent PATCH nodes/status {status: {capacity: {cpu: "4", pods: "110"}, allocatable: {memory: 8Gi}, conditions: [{type: Ready, status: "True"}], runtimeHandlers: [{name: ""}]}} <<`},
		{name: "the story takes away what it gave", history: nodeReadyNow + `
			user NODE {metadata: {labels: {x: z}}, spec: {taints: [{key: t, effect: NoSchedule}]}}
			user NODE {metadata: {labels: {x: null}}, spec: {taints: null}}
			+10s
			agent PATCH nodes/status {status: {daemonEndpoints: {kubeletEndpoint: {Port: 10250}}}}`},
		{name: "a state of before is told late", history: nodeReadyNow + `
			user NODE {metadata: {labels: {x: z}, resourceVersion: "12"}}
			api MODIFIED node {metadata: {labels: null, resourceVersion: "9"}}`},
		{name: "the story changes a label, and that is lost", want: "keeps the label x", got: "it does not", history: `
			user NODE {metadata: {labels: {x: z}}}
			user NODE {metadata: {labels: {x: other}}} <<
			api MODIFIED node {metadata: {labels: null}} <<`},
		{name: "a label is lost", want: "keeps the label x", got: "it does not", history: `
			user NODE {metadata: {labels: {x: z}}} <<
			api MODIFIED node {metadata: {labels: null}} <<`},
		{name: "a taint is lost", want: "keeps the taint t", got: "it does not", history: `
			user NODE {spec: {taints: [{key: t, effect: NoSchedule}]}} <<
			api MODIFIED node {spec: {taints: null}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED node-status/register <<"},
	},
	"node-status/report": {
		{name: "it has changed", history: nodeReadyNow + `
			+1s
			agent PATCH nodes/status {status: {conditions: [{type: Ready, status: "False"}]}}`},
		{name: "it was long ago", history: nodeReadyNow + `
			+10s
			agent PATCH nodes/status {status: {conditions: [{type: Ready, lastHeartbeatTime: "2000-01-01T00:00:10Z"}]}}`},
		{name: "nothing has changed", history: nodeReadyNow + `
			+5s
			user CAME other`},
		{name: "the agent was killed", untested: true, history: nodeReadyNow + `
			KILL
			START
			agent PATCH nodes/status {}`},
		{name: "a change is written twice: the agent had not seen its write", history: nodeReadyNow + `
			+10ms
			agent PATCH nodes/status {}`},
		{name: "its watch of the Node is refused", history: `
			agent WATCH nodes ! 500` + nodeReadyNow + `
			+2s
			agent PATCH nodes/status {}`},
		{name: "three times", want: "every 10s", got: "10ms", history: nodeReadyNow + `
			+10ms
			agent PATCH nodes/status {} <<
			+10ms
			agent PATCH nodes/status {} <<`},
		{name: "a heartbeat", want: "every 10s", got: "2s", history: nodeReadyNow + `
			<< PATCH nodes/status
			+2s
			agent PATCH nodes/status {status: {conditions: [{type: Ready, lastHeartbeatTime: "2000-01-01T00:00:02Z"}]}} <<`},
	},
	"node-status/ready": append(keeps("node-status/ready"), []judgedHistory{
		{name: "it is not", history: nodeReadyNow + `
			user CONDITIONS x {runtime: true, network: false}
			+6s
			agent PATCH nodes/status {status: {conditions: [{type: Ready, status: "False"}]}}
			+15s
			cri ListContainers`},
		{name: "it is not for a while", untested: true, history: nodeReadyNow + `
			user CONDITIONS x {runtime: true, network: false}
			+6s
			user CONDITIONS x {runtime: true, network: true}
			+15s
			cri ListContainers`},
		{name: "all is well", untested: true, history: nodeReadyNow + `
			user CONDITIONS x {runtime: true, network: true}
			+20s
			cri ListContainers`},
		{name: "the API server is away", untested: true, history: nodeReadyNow + `
			user CONDITIONS x {runtime: false, network: true}
			user REFUSE
			+20s
			cri ListContainers`},
		{name: "the agent is killed", untested: true, history: nodeReadyNow + `
			user CONDITIONS x {runtime: false, network: true}
			+6s
			KILL
			+15s
			START`},
		{name: "the network is not, and the Node is", want: "not Ready 17s after", got: "it is", history: nodeReadyNow + `
			<< PATCH nodes/status
			user CONDITIONS x {runtime: true, network: false} <<
			+20s
			cri ListContainers`},
		{name: "the runtime is not, and the Node is", want: "not Ready 17s after", got: "it is", history: nodeReadyNow + `
			<< PATCH nodes/status
			user CONDITIONS x {runtime: false, network: true} <<
			+20s
			cri ListContainers`},
	}...),
	"node-status/features": {
		{name: "as ever", history: nodeReadyNow + `
			+10s
			agent PATCH nodes/status {}`},
		{name: "not Ready yet", untested: true, history: `
			agent PATCH nodes/status {status: {conditions: [{type: Ready, status: "False"}]}}`},
		{name: "no handlers", want: "the handlers of the runtime are in the status", got: "there are none", history: nodeReadyNow + `
			+10s
			agent PATCH nodes/status {status: {runtimeHandlers: null}} <<`},
		{name: "not sorted", want: "are sorted", got: "[B A]", history: `
			agent PATCH nodes/status {status: {capacity: {cpu: "4", pods: "110"}, allocatable: {memory: 8Gi}, addresses: [{type: Hostname, address: x}], conditions: [{type: Ready, status: "True"}], runtimeHandlers: [{name: ""}], declaredFeatures: [B, A]}} <<`},
		{name: "others", want: "stay [A B]", got: "[A]", history: nodeReadyNow + `
			+10s
			agent PATCH nodes/status {status: {declaredFeatures: [A]}} <<`},
	},
}

var faultHistories = map[string][]judgedHistory{
	"fault/recovers":      keeps("fault/recovers"),
	"fault/api":           keeps("fault/api"),
	"fault/agent-restart": keeps("fault/agent-restart"),
	"fault/reboot":        keeps("fault/reboot"),
}
