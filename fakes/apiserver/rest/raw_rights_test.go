package rest_test

const (
	clusterRights = "/apis/rbac.authorization.k8s.io/v1/"
	rightsHere    = "/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/"
	byCarl        = " @Impersonate-User:carl "
	byDora        = " @Impersonate-User:dora "
	byPatcher     = " @Impersonate-User:patcher "
	whoAmI        = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews @Authorization:Bearer_{TK} "
	reviewed      = ` {"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}`
	accessReview  = `POST /apis/authorization.k8s.io/v1/subjectaccessreviews {"spec":{`
	editorRule    = `{"verbs":["get","create","update","patch","delete"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","clusterroles","rolebindings","clusterrolebindings"]}`
	smallRule     = `{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"]}`
)

// bound are lines that make a ClusterRole with one rule and bind it to a subject.
func bound(name, rule, subject string) string {
	return `
		+POST ` + clusterRights + `clusterroles {"metadata":{"name":"` + name + `"},"rules":[` + rule + `]}` + boundTo(name, name, subject)
}

// boundTo is a line that binds a ClusterRole to a subject.
func boundTo(name, role, subject string) string {
	return `
		+POST ` + clusterRights + `clusterrolebindings {"metadata":{"name":"` + name + `"},"roleRef":{"kind":"ClusterRole","name":"` + role + `"},"subjects":[` + subject + `]}`
}

// user is a subject.
func user(name string) string { return `{"kind":"User","name":"` + name + `"}` }

// rightParts are about who may do what. Aggregated roles are not among them: it takes a controller to make them.
var rightParts = []showing{
	{"rights/escalate", lines(bound("rights-carl", editorRule, user("carl")) + bound("rights-small", smallRule, user("small")) + `
		WAIT 1s
		POST ` + rightsHere + `roles` + byCarl + `{"metadata":{"name":"c"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]}
		POST ` + rightsHere + `roles` + byCarl + `{"metadata":{"generateName":"c"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]}
		POST ` + rightsHere + `roles` + byCarl + `{"metadata":{"name":"c"},"rules":[{"verbs":["get"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"]}]}
		POST ` + rightsHere + `roles` + byCarl + `{"metadata":{"name":"C d"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]}
		POST /apis/rbac.authorization.k8s.io/v1/namespaces/nosuch/roles` + byCarl + `{"metadata":{"name":"c"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]}
		POST ` + clusterRights + `clusterroles` + byCarl + `{"metadata":{"name":"rights-c"},"rules":[{"verbs":["get","list"],"apiGroups":[""],"resources":["pods","secrets"]},{"verbs":["get","watch"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a","b"]},{"verbs":["get"],"apiGroups":["","apps"],"resources":["pods/log","*/scale"]},{"verbs":["get","post"],"nonResourceURLs":["/a","/b/*"]}]}
		POST ` + clusterRights + `clusterroles` + byCarl + `{"metadata":{"name":"rights-c"},"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]}
		POST ` + clusterRights + `clusterroles` + byCarl + `{"metadata":{"name":"rights-c"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}}
		POST ` + clusterRights + `clusterrolebindings` + byCarl + `{"metadata":{"name":"rights-c"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},"subjects":[` + user("x") + `]}
		POST ` + rightsHere + `rolebindings` + byCarl + `{"metadata":{"name":"c"},"roleRef":{"kind":"ClusterRole","name":"rights-small"},"subjects":[` + user("x") + `]}
		POST ` + rightsHere + `rolebindings` + byCarl + `{"metadata":{"name":"c"},"roleRef":{"kind":"ClusterRole","name":"rights-carl"},"subjects":[` + user("x") + `]}
		POST ` + rightsHere + `rolebindings` + byCarl + `{"metadata":{"name":"d"},"roleRef":{"kind":"Role","name":"missing"},"subjects":[` + user("x") + `]}
		POST ` + rightsHere + `rolebindings` + byCarl + `{"metadata":{"name":"d"},"roleRef":{"kind":"ClusterRole","name":"missing"},"subjects":[` + user("x") + `]}
		POST ` + rightsHere + `rolebindings` + byCarl + `{"metadata":{"name":"d"},"roleRef":{"kind":"Foo","name":"missing"},"subjects":[` + user("x") + `]}
		POST ` + clusterRights + `clusterrolebindings` + byCarl + `{"metadata":{"name":"rights-d"},"roleRef":{"kind":"ClusterRole","name":"missing"},"subjects":[` + user("x") + `]}
		PUT ` + clusterRights + `clusterroles/rights-c` + byCarl + `{"metadata":{"name":"rights-c"},"rules":[` + smallRule + `]}
		APPLY ` + clusterRights + `clusterroles/rights-c?fieldManager=m` + byCarl + `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"rights-c"},"rules":[` + smallRule + `]}
	`)},
	{"rights/unchanged", lines(`
		MERGE ` + clusterRights + `clusterroles/rights-small` + byCarl + `{}
		MERGE ` + clusterRights + `clusterroles/rights-small` + byCarl + `{"metadata":{"labels":{"a":"b"}}}
		MERGE ` + clusterRights + `clusterroles/rights-small` + byCarl + `{"metadata":{"finalizers":["a.example.com/b"]}}
		MERGE ` + clusterRights + `clusterroles/rights-small` + byCarl + `{"metadata":{"finalizers":null,"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"b"}]}}
		MERGE ` + clusterRights + `clusterroles/view` + byCarl + `{"metadata":{"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}}}
		MERGE ` + clusterRights + `clusterroles/rights-carl` + byCarl + `{"metadata":{"labels":{"a":"b"}}}
		MERGE ` + clusterRights + `clusterrolebindings/rights-small` + byCarl + `{"metadata":{"labels":{"a":"b"}}}
		MERGE ` + clusterRights + `clusterrolebindings/rights-small` + byCarl + `{"metadata":{"finalizers":[]}}
		PUT ` + clusterRights + `clusterrolebindings/cluster-admin` + byCarl + `{"metadata":{"name":"cluster-admin"},"roleRef":{"kind":"ClusterRole","name":"cluster-admin"},"subjects":[{"kind":"Group","name":"system:masters"}]}
		PUT ` + clusterRights + `clusterroles/cluster-admin` + byCarl + `{"metadata":{"name":"cluster-admin","resourceVersion":"1"},"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]}
		DELETE ` + rightsHere + `rolebindings/c` + byCarl + `
	`)},
	{"rights/escalating", lines(bound("rights-dora", editorRule+`,{"verbs":["escalate"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"]},{"verbs":["bind"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterroles"],"resourceNames":["rights-small"]},{"verbs":["get"],"nonResourceURLs":["/a/*"]},{"verbs":["get"],"apiGroups":["apps"],"resources":["*/scale"]}`, user("dora")) + `
		WAIT 1s
		POST ` + rightsHere + `roles` + byDora + `{"metadata":{"name":"d"},"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]}
		POST ` + clusterRights + `clusterroles` + byDora + `{"metadata":{"name":"rights-d"},"rules":[` + smallRule + `]}
		POST ` + clusterRights + `clusterroles` + byDora + `{"metadata":{"name":"rights-d"},"rules":[{"verbs":["get"],"nonResourceURLs":["/a/b","/a/*","/a"]},{"verbs":["get"],"apiGroups":["apps"],"resources":["deployments/scale","deployments","*/scale"],"resourceNames":["n"]}]}
		POST ` + clusterRights + `clusterrolebindings` + byDora + `{"metadata":{"name":"rights-d"},"roleRef":{"kind":"ClusterRole","name":"rights-small"},"subjects":[` + user("x") + `]}
		POST ` + rightsHere + `rolebindings` + byDora + `{"metadata":{"name":"d"},"roleRef":{"kind":"ClusterRole","name":"rights-small"},"subjects":[` + user("x") + `]}
		POST ` + rightsHere + `rolebindings` + byDora + `{"metadata":{"name":"e"},"roleRef":{"kind":"Role","name":"d"},"subjects":[` + user("x") + `]}
		POST ` + clusterRights + `clusterrolebindings` + byDora + `{"metadata":{"name":"rights-e"},"roleRef":{"kind":"ClusterRole","name":"cluster-admin"},"subjects":[` + user("x") + `]}
		+POST ` + rightsHere + `rolebindings {"metadata":{"name":"f"},"roleRef":{"kind":"ClusterRole","name":"rights-small"},"subjects":[` + user("carl") + `]}
		WAIT 1s
		POST ` + rightsHere + `roles` + byCarl + `{"metadata":{"name":"f"},"rules":[` + smallRule + `]}
		POST ` + clusterRights + `clusterroles` + byCarl + `{"metadata":{"name":"rights-f"},"rules":[` + smallRule + `]}
	`)},
	{"rights/create", lines(bound("rights-patcher", `{"verbs":["get","patch","update"],"apiGroups":["","coordination.k8s.io","probe.example.com"],"resources":["configmaps","leases","endpoints","widgets"]},{"verbs":["create"],"apiGroups":["coordination.k8s.io"],"resources":["leases"],"resourceNames":["mine"]}`, user("patcher")) + `
		WAIT 1s
		APPLY {CM}/a?fieldManager=m` + byPatcher + `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}
		APPLY {CM}/a?fieldManager=m` + byPatcher + `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a b":"c"}}
		MERGE {CM}/a` + byPatcher + `{"data":{"a":"b"}}
		PUT {CM}/a` + byPatcher + `{"metadata":{"name":"a"}}
		PUT {LE}/a` + byPatcher + `{"metadata":{"name":"a"}}
		PUT {LE}/a` + byPatcher + `{"metadata":{"name":"a"},"spec":{"leaseDurationSeconds":-1}}
		PUT {LE}/mine` + byPatcher + `{"metadata":{"name":"mine"}}
		APPLY {LE}/yours?fieldManager=m&dryRun=All` + byPatcher + `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"yours"}}
		APPLY {WI}/a?fieldManager=m` + byPatcher + `{"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"a"}}
		APPLY {LE}/mine?fieldManager=m` + byPatcher + `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"mine","labels":{"a":"b"}}}
	`)},
	{"rights/impersonate", lines(`
		+POST /api/v1/namespaces/{NAMESPACE}/serviceaccounts {"metadata":{"name":"i"}}
		+POST /api/v1/namespaces/{NAMESPACE}/serviceaccounts/i/token {} => TK=token
		` + whoAmI + `@Impersonate-User:bob` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:serviceaccount:n:a` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:serviceaccount:n:a @Impersonate-Group:g` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:node:n` + reviewed + `
		` + whoAmI + `@Impersonate-Group:g` + reviewed + `
		` + whoAmI + `@Impersonate-Extra-A%2fB:c @Impersonate-Uid:5` + reviewed + `
		GET /version @Authorization:Bearer_{TK} @Impersonate-User:bob
		GET {CM}/a @Authorization:Bearer_{TK} @Impersonate-User:<bob>
	` + bound("rights-users", `{"verbs":["impersonate"],"apiGroups":[""],"resources":["users"]}`, `{"kind":"ServiceAccount","namespace":"rights","name":"i"}`) + `
		WAIT 1s
		` + whoAmI + `@Impersonate-User:bob` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:serviceaccount:n:a` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:serviceaccount:n:A` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:node:n` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:anonymous` + reviewed + `
		` + whoAmI + `@Impersonate-User:bob @Impersonate-Uid:5` + reviewed + `
		` + whoAmI + `@Impersonate-User:bob @Impersonate-Group:g` + reviewed + `
		` + whoAmI + `@Impersonate-User:bob @Impersonate-Extra-A%2fB:c` + reviewed + `
	` + bound("rights-all", `{"verbs":["impersonate"],"apiGroups":[""],"resources":["groups","serviceaccounts"]},{"verbs":["impersonate"],"apiGroups":["authentication.k8s.io"],"resources":["uids","userextras/a/b"]}`, `{"kind":"ServiceAccount","namespace":"rights","name":"i"}`) + `
		WAIT 1s
		` + whoAmI + `@Impersonate-User:system:serviceaccount:n:a @Impersonate-Uid:5 @Impersonate-Extra-A%2fB:c` + reviewed + `
		` + whoAmI + `@Impersonate-User:bob @Impersonate-Group:system:unauthenticated` + reviewed + `
		` + whoAmI + `@Impersonate-User:bob @Impersonate-Extra-Scopes:x` + reviewed + `
	`)},
	{"rights/constrained", lines(`
		+POST /api/v1/namespaces/{NAMESPACE}/serviceaccounts {"metadata":{"name":"j"}}
		+POST /api/v1/namespaces/{NAMESPACE}/serviceaccounts/j/token {} => TK=token
	` + bound("rights-modes", `{"verbs":["impersonate-on:user-info:create","impersonate-on:arbitrary-node:create","impersonate-on:serviceaccount:create"],"apiGroups":["authentication.k8s.io"],"resources":["selfsubjectreviews"]},{"verbs":["impersonate:user-info"],"apiGroups":["authentication.k8s.io"],"resources":["users"],"resourceNames":["rob"]}`, `{"kind":"ServiceAccount","namespace":"rights","name":"j"}`) + `
		WAIT 1s
		` + whoAmI + `@Impersonate-User:rob` + reviewed + `
		` + whoAmI + `@Impersonate-User:eve` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:node:n` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:serviceaccount:n:a` + reviewed + `
		` + whoAmI + `@Impersonate-User:rob @Impersonate-Group:system:masters` + reviewed + `
		` + whoAmI + `@Impersonate-User:rob @Impersonate-Group:g` + reviewed + `
		` + whoAmI + `@Impersonate-User:rob @Impersonate-Uid:5` + reviewed + `
		` + whoAmI + `@Impersonate-User:rob @Impersonate-Extra-A%2fB:c` + reviewed + `
		` + whoAmI + `@Impersonate-User:rob @Impersonate-Extra-A%20B:c` + reviewed + `
		GET /version @Authorization:Bearer_{TK} @Impersonate-User:rob
	` + bound("rights-nodes", `{"verbs":["impersonate:arbitrary-node","impersonate:serviceaccount"],"apiGroups":["authentication.k8s.io"],"resources":["nodes","serviceaccounts"]}`, `{"kind":"ServiceAccount","namespace":"rights","name":"j"}`) + `
		WAIT 1s
		` + whoAmI + `@Impersonate-User:system:node:n` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:serviceaccount:n:a` + reviewed + `
		` + whoAmI + `@Impersonate-User:system:node:n @Impersonate-Group:g` + reviewed + `
	`)},
	{"rights/reviews", lines(boundTo("rights-group", "rights-carl", `{"kind":"Group","name":"rights"}`) + boundTo("rights-account", "rights-carl", `{"kind":"ServiceAccount","namespace":"n","name":"a"}`) + `
		+POST ` + rightsHere + `rolebindings {"metadata":{"name":"g"},"roleRef":{"kind":"ClusterRole","name":"rights-carl"},"subjects":[{"kind":"ServiceAccount","namespace":"{NAMESPACE}","name":"b"}]}
	` + boundTo("rights-broken", "nosuch", user("broken")) + `
		WAIT 1s
		` + accessReview + `"user":"small","resourceAttributes":{"verb":"get","resource":"configmaps"}}}
		` + accessReview + `"user":"nobody","groups":["a","rights"],"resourceAttributes":{"verb":"get","group":"rbac.authorization.k8s.io","resource":"roles"}}}
		` + accessReview + `"user":"system:serviceaccount:n:a","resourceAttributes":{"verb":"get","group":"rbac.authorization.k8s.io","resource":"roles"}}}
		` + accessReview + `"user":"system:serviceaccount:{NAMESPACE}:b","resourceAttributes":{"verb":"get","group":"rbac.authorization.k8s.io","resource":"roles","namespace":"{NAMESPACE}"}}}
		` + accessReview + `"user":"broken","resourceAttributes":{"verb":"get","resource":"configmaps"}}}
		` + accessReview + `"user":"nobody","groups":["system:masters"],"resourceAttributes":{"verb":"get","resource":"configmaps"}}}
		GET {CM} @Impersonate-User:broken
		GET /metrics @Impersonate-User:broken
		POST ` + rightsHere + `roles @Impersonate-User:broken {"metadata":{"name":"b"},"rules":[` + smallRule + `]}
	` + boundTo("rights-broken-carl", "rights-carl", user("broken")) + `
		WAIT 1s
		POST ` + rightsHere + `roles @Impersonate-User:broken {"metadata":{"name":"b"},"rules":[` + smallRule + `]}
	`)},
	{"rights/unchanged", lines(`
		MERGE ` + clusterRights + `clusterroles/rights-small` + byCarl + `{"rules":null}
	`)},
}
