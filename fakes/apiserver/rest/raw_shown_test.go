package rest_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shownBy says, of facts that name no code of an answer and nothing else that said would find, by which requests,
// with their answers, they are seen: each regular expression is matched by one that is tied to the fact.
var shownBy = map[string][]string{
	"controllers/core":         {`"generation":1,[^}]*"annotations"`, `"generation":2,[^}]*"labels"`, `"defaultRequest":\{`},
	"controllers/workloads":    {`"concurrencyPolicy":"Allow"`, `"averageUtilization":80`, `"finalizers":\["orphan"\]`, `"disruptionsAllowed":1`},
	"controllers/storage":      {`"volumeBindingMode":"Immediate"`, `"attached":true`},
	"controllers/volumes":      {`"lastPhaseTransitionTime":"TIME"`, `"volumeMode":"Filesystem"`},
	"controllers/devices":      {`"allocationMode":"ExactCount","count":1`, `"timeAdded":"TIME"`},
	"rights/escalating":        {`< 201 `, `is attempting to grant RBAC permissions not currently held`},
	"rights/reviews":           {`to Group \\"rights\\"`, `rbac: RBAC: clusterrole`},
	"controllers/rights":       {`"name":"a:b"`, `"apiGroup":"rbac.authorization.k8s.io"`},
	"controllers/certificates": {`"username":"admin"`, `"type":"Approved"`},
	"controllers/admission":    {`"reinvocationPolicy":"Never"`, `"matchPolicy":"Equivalent"`},
	"connections/pod":          {`< 204`, `does not have a host assigned`, `choose one of: \[i c d\]`},
	"connections/node":         {`no preferred addresses found`, `error dialing backend`},
	"connections/service":      {`no endpoints available`},
	"controllers/network":      {`"policyTypes":\["Ingress","Egress"\]`, `"scope":"Cluster"`},
	"status/shape":             {`"kind":"Status","apiVersion":"v1","metadata":\{\},"status":"Failure","message":.*"details":\{\},"code":`},
	"status/kind":              {`"details":\{"name":"[^"]*","(group":"[^"]*",")?kind":"[a-z]+"`, `"kind":"ConfigMap"[^}]*\},"code":409`},
	"status/group":             {`leases\.coordination\.k8s\.io \\"`},
	"status/causes":            {`is invalid: \[.*"causes":\[\{.*\},\{`},
	"list/unset":               {`GET \{CM\}\n< 200.*"resourceVersion"`, `GET \{CM\}\?limit=1\n< 200.*"continue"`},
	"list/zero":                {`resourceVersion=0.*limit=1.*\n< 200.*"items":\[\{.*\},\{`, `resourceVersion=0.*NotOlderThan.*\n< 200`},
	"list/zero-uncached":       {`GET \{EV\}\?resourceVersion=0\n< 200`, `GET \{EV\}\?resourceVersion=0&limit=1\n< 200.*"continue"`},
	"list/at-least":            {`\?resourceVersion=\{[A-Z0-9]+\}\n< 200`},
	"list/limit-exact":         {`\?resourceVersion=\{B\}&limit=1.*\n< 200.*"resourceVersion":"\{B\}"`},
	"list/not-older-than":      {`NotOlderThan\n< 200`, `NotOlderThan&limit=\d.*\n< 200.*"continue"`},
	"list/exact":               {`resourceVersion=\{A\}&resourceVersionMatch=Exact\n< 200.*"resourceVersion":"\{A\}"`, `Exact&limit=1\n< 200.*"continue"`},
	"list/old-served":          {`resourceVersion=(1|\{A\})\n< 200`, `resourceVersion=\{A\}&resourceVersionMatch=NotOlderThan.*\n< 200`},
	"list/namespace-missing":   {`nosuch/configmaps\n< 200.*"items":\[\]`},
	"list/global-version":      {`GET \{LE\}.*\n< 200.*"metadata":\{"resourceVersion":"\{M\}"\}`},
	"list/body":                {`"items":\[\]`},
	"list/body-custom":         {`\{WI\}.*"apiVersion":"probe`},
	"list/parameters":          {`\n< 200`},
	"apply/since":              {`< 409.*conflict with \\"p1\\"`, `"manager":"c1","operation":"Update"`, `"f:replicas":\{\}\}\},"subresource":"scale"`},
	"write/owners":             {`Warning: 299 - "\.metadata\.ownerReferences.*"ownerReferences":\[\{[^]]*"a","uid":"u"\}\]`},
	"status/services":          {`"ingress":\[\{"ip":"1\.2\.3\.4","ipMode":"VIP"\}`, `ingress: Forbidden`, `< 200.*"type":"NodePort".*"loadBalancer":\{\}`},
	"page/order":               {`"name":"[ab]".*"name":"[cd]"`},
	"page/remaining":           {`"remainingItemCount":\d`, `(label|field)Selector.*"continue":"«[^»]*»"\}`},
	"page/full":                {`limit=\d+.*\n< 200.*"metadata":\{"resourceVersion":"[^"]*"\}`},
	"page/empty-last":          {`"items":\[\]`},
	"page/negative":            {`limit=-1.*\n< 200`},
	"continue/rest":            {`continue=\{T[0-9]?\}.*\n< 200`},
	"continue/zero":            {`continue=\{T[0-9]?\}.*resourceVersion=0.*\n< 200`},
	"continue/elsewhere":       {`continue=.*\n< 200`},
	"continue/inconsistent":    {`continue=\{T2\}\n< 200`},
	"token/shape":              {`"continue":"«\{"v":"meta.k8s.io/v1","rv":[^,]*,"start":"[^"]*"\}»`},
	"token/negative":           {`"rv":-\d.*\n< 200`},
	"options/order":            {`"causes":\[\{.*\},\{`},
	"old/watch-uncached":       {`\{EV\}.*The resourceVersion for the provided watch is too old`},
	"old/window":               {`resourceVersion=\{A\}&labelSelector=later\n< 200[^\n]*$`, `resourceVersion=\{B\}&labelSelector=later\n< 200[^\n]*\n<.*"code":410`, `resourceVersion=\{E\}&labelSelector=still\n< 200[^\n]*$`},
	"old/list-decides":         {`resourceVersion=\{R\}&resourceVersionMatch=Exact\n< 200`, `resourceVersion=\{A\}&resourceVersionMatch=Exact\n< 410`},
	"old/watch-survives":       {`\{CM\}\?watch=1.*resourceVersion=\{A\}\n< 200[^\n]*\n<.*"type":"ADDED"`},
	"future/uncached":          {`\{EV\}.*\n< 504 Content-Type: application/json\n`},
	"future/watch":             {`resourceVersion=\{F\}\n< 200[^\n]*$`, `POST .*"far`},
	"future/lag":               {`\?resourceVersion=0\n< 200.*"\{A\}"`, `GET \{LE\}\n< 200.*\{B\}`, `resourceVersion=\{B\}\n< 504`, `Match=Exact\n< 200.*\{A3\}`, `"type":"ERROR".*"code":504`},
	"watch/no-initial":         {`sendInitialEvents=false.*\n< 200[^\n]*$`},
	"watch/from":               {`resourceVersion=\{A\}\n< 200[^\n]*\n<.*"type":"MODIFIED"`},
	"watch/limit":              {`limit=1\n< 200.*(ADDED.*\n<.*ADDED)`},
	"watch/continue":           {`continue=abc&?.*\n< 4`, `resourceVersion=\{[A-Z0-9]+\}&?.*continue=|continue=abc&resourceVersion=\{B2\}\n< 200`},
	"watch/boolean":            {`watch=TRUE.*chunked`, `watch=False.*"kind":"ConfigMapList"`},
	"watch/get":                {`\{CM\}/b\?watch=1\n< 200[^\n]*json\n`},
	"watch/one":                {`/watch/namespaces/.*/configmaps/b.*"type":"ADDED"`},
	"watch/lines":              {`"type":"[A-Z]+","object":\{"(kind|apiVersion)"`},
	"watch/chunked":            {`chunked`},
	"watch/together":           {`together`, `resourceVersion=\{T4-1\}.*\n< 200[^\n]*$`, `"type":"DELETED".*\n<.*"type":"DELETED"`},
	"watch/bookmarks-minute":   {`timeoutSeconds=75.*BOOKMARK.*ADDED.*BOOKMARK`},
	"apply/kinds":              {`"e\\",\\"image.*\n< 200`, `/status.*"subresource":"status"`},
	"apply/others":             {`before-first-apply`, `"manager":"p1"`},
	"apply/scale":              {`"fieldsV1":\{"f:spec":\{"f:replicas":\{\}\}\},"subresource":"scale"`},
	"pods/spec":                {`pod updates may not change fields other than`, `"image\\":\\"j\\".*\n< 200`, `must be less than or equal to previous value`},
	"watch/bookmarks-uncached": {`\{EV\}.*allowWatchBookmarks=true.*\n< 200`},
	"watch/slow":               {`slow GET \{CM\}.*some, in order, and a clean end`, `slow GET \{EV\}.*all, in order`},
	"watch/killed":             {`"type":"ADDED".*\n< broken: unexpected EOF$`, `timeoutSeconds=4.*\n< 200[^\n]*\n< \{"type":"DELETED"[^\n]*$`},
	"write/create-custom":      {`\{WI\}.*\n< 400.*Object \'Kind\' is missing`},
	"write/create-ignored":     {`"uid.*\n< 201`},
	"write/generate-name":      {`"name":"gen-·"`},
	"write/field-validation":   {`Warning: 299`, `fieldValidation=Strict.*\n< 400.*strict decoding error`, `fieldValidation=Ignore.*\n< 20[01] Content-Type: application/json\n`},
	"write/put-unconditional":  {`PUT .*\n< 200`},
	"write/create-on-update":   {`PUT \{(LE|EV)\}.*\n< 201`, `PUT.*uid.*\n< 409`},
	"write/unplaced":           {`\"namespace\\":\\"other.*\n< 201`},
	"write/no-op":              {`PUT.*\n< 200.*"\{X2\}"|MERGE.*"\{X4\}"|"resourceVersion":"\{X[24]\}"`},
	"write/dry-run":            {`POST .*dryRun=All.*\n< 201.*"metadata":\{"name":"[^"]*","namespace":"[^"]*","uid":"UUID","creationTimestamp"`},
	"delete/answer":            {`DELETE.*"status":"Success","details":\{[^}]*\}\}`},
	"delete/options-unknown":   {`spam.*\n< 200`},
	"delete/propagation":       {`"finalizers":\["(orphan|foregroundDeletion)"`},
	"delete/uncollected":       {`events.*\n< 200.*"status":"Success"`},
	"delete/finalizers":        {`DELETE .*\n< 200.*"deletionTimestamp".*"finalizers"`, `no new finalizers can be added`},
	"delete/namespace":         {`"phase":"Terminating"`, `this namespace may not be deleted`},
	"patch/root":               {`name must be provided`, `"path\\":\\"\\",\\"value.*\n< 200`},
	"status/subresource":       {`/status.*\n< 200`},
	"scale/shape":              {`"kind":"Scale"`, `PUT .*/scale.*\n< 200`},
	"pods/unbound":             {`DELETE .*\n< 200.*"deletionGracePeriodSeconds":0`},
	"pods/bound":               {`DELETE .*\n< 200.*"deletionGracePeriodSeconds":30`},
	"pods/again":               {`DELETE .*gracePeriodSeconds.*\n< 200.*"deletionGracePeriodSeconds":[1-9]`},
	"pods/negative":            {`-1.*"deletionGracePeriodSeconds":1\b`},
	"pods/finalizer":           {`"deletionTimestamp".*"finalizers"`},
	"pods/generation":          {`"generation":1,`, `"generation":2,"creationTimestamp":"TIME","deletionTimestamp"`},
	"pods/binding":             {`/binding .*\n< 201`, `is already assigned to node`},
	"pods/eviction":            {`/eviction .*\n< 201.*"Success"`},
	"pods/fields":              {`fieldSelector=.*(status.phase|spec.nodeName)`},
	"pods/ephemeral":           {`ephemeralcontainers .*\n< 200.*"ephemeralContainers":\[`, `may not be changed`, `may not be removed`},
	"pods/resize":              {`/resize .*\n< 200.*"cpu":"150m"`, `QOS Class may not change`, `image\\":\\"j.*\n< 200.*"image":"i:1"`},
	"pods/place":               {`"topology.kubernetes.io/zone":"z","x":"z"`},
	"events/twin":              {`"apiVersion":"events.k8s.io/v1".*"note":"n"`, `\{EV\}/e\n.*"message":"n"`, `events\.events\.k8s\.io`, `field is immutable`, `"count":2`},
	"jobs/failure-policy":      {`"type":"DisruptionTarget","status":"True"`},
	"priorities/system":        {`"name":"system-node-critical".*"value":2000001000`, `system-cluster-critical".*"value":2000000000`, `cannot be deleted`},
	"pods/gates":               {`only deletion is allowed`, `only additions to spec.nodeSelector are allowed`},
	"pods/classes":             {`"priorityClassName":"all"`, `"overhead":\{"cpu":"1"\}`, `nosuch.*\n< 40`},
	"services/types":           {`"type":"ExternalName"`, `"nodePort":PORT`, `"healthCheckNodePort":PORT|"externalTrafficPolicy":"Local"`},
	"services/node-ports":      {`provided port is already allocated`, `provided port is not in the valid range`},
	"pods/defaults":            {`"terminationGracePeriodSeconds":30`},
	"shard/off":                {`shardSelector=.*\n< 200`},
	"review/access":            {`"kind":"SelfSubjectAccessReview".*"allowed":true`, `"kind":"LocalSubjectAccessReview".*"allowed":true`},
	"review/rules":             {`"resourceRules":\[.*"nonResourceRules":\[`},
	"review/self":              {`"kind":"SelfSubjectReview".*"username":"admin"`, `"authenticated":true`, `invalid bearer token`},
	"account/token":            {`"token":"JWT"`, `less than 10 minutes`, `cannot bind token`, `"boundObjectRef":\{"kind":"Secret"`},
	"changed/services":         {`may not change once set`, `"type":"ExternalName"`},
	"http/headers":             {`\n< 200 Content-Type: application/json`},
	"http/gzip":                {`Content-Encoding: gzip`},
	"http/pretty":              {`\n< \{\n<   "`},
	"http/accept":              {`application/yaml\n`, `protobuf \{`},
	"http/accept-custom":       {`\n< 406`},
	"http/watch-media":         {`stream=watch`, `\n< 406`},
	"http/slashes":             {`//.*\n< (404|301|200)`},
	"http/no-page":             {`text/plain.*404 page not found`},
	"get/version":              {`resourceVersion=0.*\n< 200`},
	"get/match":                {`resourceVersionMatch=.*\n< 200`},
	"table/list":               {`"kind":"Table".*"rows":\[`},
	"table/watch":              {`"object":\{"kind":"Table".*"columnDefinitions":null`},
	"table/cells":              {`"cells":\["p","2/3","(Running|NotReady)","4 \(AGE ago\)","AGE"`, `"conditions":\[\{"type":"Completed"`},
	"definitions/refused":      {`must have exactly one version marked as storage version`, `must be one of boolean,date,integer,number,string`},
	"definitions/served":       {`"type":"Established"`, `"reason":"ListKindConflict"`, `"singularName":"gadget"`},
	"definitions/schema":       {`"proto":"TCP"`, `unknown field \\"spec.unknown\\"`, `"cells":\["a",`, `field label not supported: spec.name`},
	"definitions/subresources": {`"kind":"Scale"`, `conflict with \\"m\\"`, `field not declared in schema`},
	"definitions/versions":     {`"apiVersion":"defs.example.com/v2"`, `field is immutable`, `missing from spec.versions`},
	"definitions/stored":       {`"apiVersion":"stored.example.com/v1".*"b":"bb".*"old":"o"`, `"mode":"auto"`},
	"definitions/deleted":      {`InstanceDeletionInProgress`, `create not allowed while custom resource definition is terminating`},
	"table/columns":            {`"columnDefinitions":\[`},
	"table/include":            {`includeObject=None.*"object":null`, `includeObject=Foo.*\n< 400|Invalid value: \\"`},
	"version/fields":           {`"gitVersion"`},
	"discovery/plain":          {`"kind":"API(Resource|Group)`},
	"discovery/aggregated":     {`ETag`, `\n< 304|APIGroupDiscoveryList`},
	"openapi/index":            {`"serverRelativeURL"`},
	"openapi/hash":             {`immutable`, `\n< 301`},
	"health/ok":                {`\n< 200.*\n< ok`},
}

// saidWords are words in what a fact says, and what an answer then has.
var saidWords = []struct{ said, seen string }{
	{`\b([2345]\d\d)\b`, `(\n< $1 |"code":$1\b)`},
	{`\b(ADDED|MODIFIED|DELETED|ERROR)\b`, `"?$1\b`},
	{`\b[bB]ookmarks?\b`, `BOOKMARK`},
	{`and Retry-After`, `Retry-After|retryAfterSeconds`},
	{`\bbare 500\b`, `"message":"([^"\\]|\\.)*","code":500`},
}

// shownElsewhere are facts that were seen with a feature gate on: their requests are in another table, with a golden of
// a real kube-apiserver, see TestAnswers of package apiserver.
var shownElsewhere = map[string]string{
	"shard/list":    `> GET CM\?shardSelector=shardRange[^\n]*\n< 200 list [^\n]*shardInfo`,
	"shard/watch":   `shardSelector=shardRange[^\n]*&watch=1[^\n]*\n< 200 ADDED`,
	"shard/garbage": `> GET CM\?shardSelector=[^\n]*\n< 500 Status \{"message":"invalid shard selector[^}]*"\}\n`,
}

// claims are the expressions that what a fact says asks for.
func claims(what string) (out []string) {
	for _, w := range saidWords {
		r := regexp.MustCompile(w.said)
		for _, m := range r.FindAllStringSubmatchIndex(what, -1) {
			out = append(out, string(r.ExpandString(nil, w.seen, what, m)))
		}
	}
	return out
}

// What a fact says is in what a real kube-apiserver answered to the requests that are tied to it: the codes that it
// names, and the events, or what shownBy has.
func TestFactsShown(t *testing.T) {
	tied := map[string][]string{}
	for _, table := range rawTables {
		for i, a := range table.golden(t) {
			for _, id := range strings.Fields(table.factsOf(i)) {
				tied[id] = append(tied[id], a)
			}
		}
	}
	n, left := 0, maps.Clone(shownBy)
	elsewhere, err := os.ReadFile("../testdata/shards.txt")
	require.NoError(t, err)
	for _, f := range facts {
		delete(left, f.id)
		if where := shownElsewhere[f.id]; where != "" {
			assert.True(t, regexp.MustCompile(where).Match(elsewhere), "%s: no answer there has %s", f.id, where)
		}
		if f.later != "" || shownElsewhere[f.id] != "" {
			continue
		}
		wanted := append(claims(f.what), shownBy[f.id]...)
		assert.NotEmpty(t, wanted, "%s: no word of it, and no line of shownBy, says how it is seen", f.id)
		for _, w := range wanted {
			n++
			r := regexp.MustCompile("(?s)" + w)
			assert.True(t, slices.ContainsFunc(tied[f.id], r.MatchString), fmt.Sprintf("%s: %s: none of its %d answers has %s", f.id, f.what, len(tied[f.id]), w))
		}
	}
	assert.Empty(t, left, "there are no such facts")
	t.Logf("%d expressions", n)
}
