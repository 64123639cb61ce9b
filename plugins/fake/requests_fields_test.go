package fake_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
)

// signingRequest is a request for a certificate, in base64.
const signingRequest = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISE1HNENBUUF3RERFS01BZ0dBMVVFQXd3QmRUQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCTUtmR3l0Y0tVTEpMQnc4clphYU40UDJmRUluUFpYbFptR2xlenhueEhvc1hLazdEeVhzOWZ4cUx6eEV3V0t4CkdkbXU2YVIxeWVoVEtTcUlkcmRsMEsyZ0FEQUtCZ2dxaGtqT1BRUURBZ05KQURCR0FpRUE4R0M4OTlPaDV2YzMKSXdPZXVHUzcyUlNDSjJTQ1VHSDFWV3I4NllSV0pyb0NJUUNoZyszeEJlRy9KL1U4VWhmcUN6VGpJSUpCVGwwRgpXTjJLU0k4bWdoTHdWZz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="

// selected is a kind with fields that can be selected: what is done to its objects, so that they come into
// the scopes of these selectors and leave them.
type selected struct {
	resource, path string
	lines          string
	selectors      string
	static         bool // nothing that is selected changes by a write that tells it
}

const svc, evs, jobs = "/api/v1/namespaces/default/services", "/api/v1/namespaces/default/events", "/apis/batch/v1/namespaces/default/jobs"

var selecteds = []selected{
	{resource: "secrets", path: "/api/v1/namespaces/default/secrets", static: true, lines: `
		POST PATH {"metadata":{"name":"a"},"type":"example.com/t"}
		POST PATH {"metadata":{"name":"b"}}
		MERGE PATH/a {"data":{"k":"dg=="}}
		DELETE PATH/a`, selectors: "type=example.com/t type=Opaque type!=Opaque"},
	{resource: "namespaces", path: "/api/v1/namespaces", static: true, lines: `
		POST NS {"metadata":{"name":"a"}}
		POST NS {"metadata":{"name":"b"}}
		POST NS/a/configmaps {"metadata":{"name":"a","finalizers":["example.com/held"]}}
		DELETE NS/a
		GET NS/a
		MERGE NS/a/configmaps/a {"metadata":{"finalizers":null}}`, selectors: "status.phase=Active status.phase=Terminating status.phase!=Active"},
	{resource: "pods", path: "/api/v1/namespaces/default/pods", lines: `
		POST PODS {POD ON n}
		POST PODS {"metadata":{"name":"o"},"spec":{"hostNetwork":true,"restartPolicy":"Never","schedulerName":"s","serviceAccountName":"sa","containers":[{"name":"c","image":"i"}]}}
		STRATEGIC PODS/p/status {"status":{"phase":"Running","podIP":"10.1.2.3","podIPs":[{"ip":"10.1.2.3"}]}}
		MERGE PODS/o/status {"status":{"nominatedNodeName":"n"}}
		MERGE PODS/o/status {"status":{"nominatedNodeName":"m"}}
		STRATEGIC PODS/p/status {"status":{"phase":"Succeeded","podIP":"10.1.2.4","podIPs":[{"$patch":"delete","ip":"10.1.2.3"},{"ip":"10.1.2.4"}]}}
		DELETE PODS/p?gracePeriodSeconds=0`, selectors: `
		spec.nodeName=n spec.nodeName=  spec.restartPolicy=Never spec.schedulerName=s spec.serviceAccountName=sa spec.hostNetwork=true
		status.phase=Running status.phase=Pending status.phase!=Running,spec.nodeName=n status.podIP=10.1.2.3 status.nominatedNodeName=n status.podIPs=10.1.2.3`},
	{resource: "nodes", path: "/api/v1/nodes", lines: `
		POST PATH {"metadata":{"name":"a"}}
		POST PATH {"metadata":{"name":"b"},"spec":{"unschedulable":true}}
		MERGE PATH/a {"spec":{"unschedulable":true}}
		MERGE PATH/a/status {"status":{"phase":"Running"}}
		MERGE PATH/a {"spec":{"unschedulable":null}}
		DELETE PATH?fieldSelector=spec.unschedulable=true
		DELETE PATH/a`, selectors: "spec.unschedulable=true spec.unschedulable=false"},
	{resource: "services", path: svc, lines: `
		POST PATH {"metadata":{"name":"a"},"spec":{"clusterIP":"10.0.0.9","ports":[{"port":80}]}}
		POST PATH {"metadata":{"name":"b"},"spec":{"clusterIP":"None"}}
		MERGE PATH/a {"spec":{"type":"NodePort"}}
		PUT PATH/a {"metadata":{"name":"a"},"spec":{"type":"ExternalName","externalName":"x.example.com"}}
		MERGE PATH/a {"spec":{"type":"ClusterIP","clusterIP":"10.0.0.9","ports":[{"port":80}],"externalName":null}}
		DELETE PATH/a`, selectors: "spec.type=NodePort spec.type=ClusterIP spec.clusterIP=10.0.0.9 spec.clusterIP=None"},
	{resource: "events", path: evs, lines: `
		POST PATH {"metadata":{"name":"a"},"involvedObject":{"apiVersion":"v1","kind":"Pod","namespace":"default","name":"p","uid":"u","resourceVersion":"7","fieldPath":"spec"},"reason":"Started","type":"Normal","source":{"component":"me"},"reportingComponent":"me"}
		POST PATH {"metadata":{"name":"b"},"involvedObject":{"namespace":"default"}}
		MERGE PATH/a {"reason":"Stopped","type":"Warning","source":{"component":"you"},"involvedObject":{"name":"q","uid":"v","resourceVersion":"8","fieldPath":"status","kind":"Job","apiVersion":"batch/v1"},"reportingComponent":"you"}
		GET /apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=reason=Stopped
		GET /apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=regarding.kind=Job
		MERGE PATH/a {"reason":"Started","type":"Normal"}
		DELETE PATH/a`, selectors: `
		reason=Started type=Warning source=me reportingComponent=me involvedObject.name=p involvedObject.uid=u involvedObject.resourceVersion=7
		involvedObject.fieldPath=spec involvedObject.kind=Pod involvedObject.apiVersion=v1 involvedObject.namespace=default`},
	{resource: "events.events.k8s.io", path: "/apis/events.k8s.io/v1/namespaces/default/events", static: true, lines: `
		POST PATH {"metadata":{"name":"a"},"eventTime":"2026-01-01T00:00:00.000000Z","reportingController":"example.com/me","reportingInstance":"i","action":"x","reason":"Started","type":"Normal","regarding":{"apiVersion":"v1","kind":"Pod","namespace":"default","name":"p","uid":"u","resourceVersion":"7","fieldPath":"spec"}}
		POST PATH {"metadata":{"name":"b"},"eventTime":"2026-01-01T00:00:00.000000Z","reportingController":"example.com/you","reportingInstance":"i","action":"x","reason":"Stopped","type":"Warning","regarding":{"namespace":"default"}}
		DELETE PATH/a`, selectors: `
		reason=Started type=Warning reportingController=example.com/me regarding.name=p regarding.uid=u regarding.resourceVersion=7
		regarding.fieldPath=spec regarding.kind=Pod regarding.apiVersion=v1 regarding.namespace=default`},
	{resource: "jobs.batch", path: jobs, lines: `
		POST PATH {"metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}],"restartPolicy":"Never"}}}}
		POST PATH {"metadata":{"name":"b"},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}],"restartPolicy":"Never"}}}}
		MERGE PATH/a/status {"status":{"succeeded":1,"startTime":"2026-01-01T00:00:00Z"}}
		MERGE PATH/a/status {"status":{"succeeded":2}}
		DELETE PATH/a?propagationPolicy=Background`, selectors: "status.successful=1 status.successful=0 status.successful=2"},
	{resource: "replicationcontrollers", path: "/api/v1/namespaces/default/replicationcontrollers", lines: `
		POST PATH {"metadata":{"name":"a"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		POST PATH {"metadata":{"name":"b"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
		MERGE PATH/a/status {"status":{"replicas":1}}
		MERGE PATH/a/status {"status":{"replicas":2}}
		DELETE PATH/b?propagationPolicy=Background`, selectors: "status.replicas=0 status.replicas=1 status.replicas!=1"},
	{resource: "certificatesigningrequests.certificates.k8s.io", path: "/apis/certificates.k8s.io/v1/certificatesigningrequests", static: true, lines: `
		POST PATH {"metadata":{"name":"a"},"spec":{"signerName":"example.com/s","usages":["any"],"request":"` + signingRequest + `"}}
		POST PATH {"metadata":{"name":"b"},"spec":{"signerName":"example.com/t","usages":["any"],"request":"` + signingRequest + `"}}
		MERGE PATH/a/status {"status":{"certificate":"Yw=="}}
		DELETE PATH/a`, selectors: "spec.signerName=example.com/s spec.signerName!=example.com/s"},
	{resource: "clustertrustbundles.certificates.k8s.io", path: "/apis/certificates.k8s.io/v1/clustertrustbundles", static: true, lines: `
		POST PATH {"metadata":{"name":"a"},"spec":{"signerName":"example.com/s","trustBundle":"c"}}
		POST PATH {"metadata":{"name":"b"},"spec":{"signerName":"example.com/t","trustBundle":"c"}}
		MERGE PATH/a {"spec":{"trustBundle":"d"}}
		DELETE PATH/a`, selectors: "spec.signerName=example.com/s spec.signerName!=example.com/s"},
	{resource: "podcertificaterequests.certificates.k8s.io", path: "/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests", static: true, lines: `
		POST PATH {"metadata":{"name":"a"},"spec":{"signerName":"example.com/s","podName":"p","nodeName":"n"}}
		POST PATH {"metadata":{"name":"b"},"spec":{"signerName":"example.com/t","podName":"q","nodeName":"n"}}
		MERGE PATH/a/status {"status":{"certificateChain":"c"}}
		DELETE PATH/a`, selectors: "spec.signerName=example.com/s spec.podName=p spec.nodeName=n spec.podName!=p"},
	{resource: "resourceslices.resource.k8s.io", path: "/apis/resource.k8s.io/v1/resourceslices", lines: `
		POST PATH {"metadata":{"name":"a"},"spec":{"driver":"example.com","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1}}}
		POST PATH {"metadata":{"name":"b"},"spec":{"driver":"example.org","pool":{"name":"q","generation":1,"resourceSliceCount":1}}}
		MERGE PATH/a {"spec":{"nodeName":"m","pool":{"name":"q"},"driver":"example.org"}}
		MERGE PATH/a {"spec":{"nodeName":"n","pool":{"name":"p"},"driver":"example.com"}}
		DELETE PATH/a`, selectors: "spec.nodeName=n spec.driver=example.com spec.pool.name=p spec.nodeName="},
}

// asked are the writes, with a list by each selector after each of them; and in the end watches of all.
func (s *selected) asked() string {
	lists, out := "", ""
	for _, f := range strings.Fields(s.selectors) {
		lists += "\nGET " + s.path + "?fieldSelector=" + strings.ReplaceAll(f, ",", "%2C")
	}
	for line := range strings.Lines(strings.TrimSpace(s.lines)) {
		out += line + lists + "\n"
	}
	for line := range strings.Lines(lists[1:]) {
		out += strings.TrimSpace(line) + "&watch=1&resourceVersion=5&timeoutSeconds=1\n"
		out += strings.TrimSpace(line) + "&watch=1&resourceVersion=9&timeoutSeconds=1\n"
	}
	return strings.ReplaceAll(out, "PATH", s.path)
}

// What is selected by a field is judged by what the objects had there.
func TestSelectedPass(t *testing.T) {
	for _, s := range selecteds {
		t.Run(s.resource, func(t *testing.T) {
			r := read(t, played(t, s.asked()), s.resource)
			for _, rr := range r.Rules {
				assert.NotEqual(t, harness.Fail, rr.Verdict, watchcache.Suite.Describe().Explain(rr))
			}
			want := []string{"list/snapshot", "list/scope", "watch/reliable"}
			if !s.static {
				want = append(want, "watch/types", "watch/scope/field", "watch/delete-version")
			}
			for _, rr := range r.Rules {
				for _, w := range want {
					if rr.Rule == w {
						assert.NotZero(t, rr.Tested, w)
					}
				}
			}
		})
	}
}

// blind takes no notice of field selectors.
type blind struct{ apiserver.API }

func (b blind) List(ctx context.Context, at apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	o.FieldSelector = ""
	return b.API.List(ctx, at, o)
}

func (b blind) Watch(ctx context.Context, at apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	o.FieldSelector = ""
	return b.API.Watch(ctx, at, o)
}

// A server that takes no notice of the selector is found, whatever the kind.
func TestSelectedFail(t *testing.T) {
	for _, s := range selecteds {
		t.Run(s.resource, func(t *testing.T) {
			wrong := broken(read(t, playedOn(t, s.asked(), func(api apiserver.API) apiserver.API { return blind{api} }), s.resource))
			for _, rule := range []string{"list/scope", "watch/scope/field"} {
				require.Contains(t, wrong, rule)
			}
		})
	}
}

// Each field that can be selected is asked for.
func TestSelectedAll(t *testing.T) {
	asks := map[string]string{}
	for _, s := range selecteds {
		asks[s.resource] = s.selectors
	}
	for _, r := range apiserver.Resources() {
		for f := range r.Fields {
			if f != "spec.host" { // another name of spec.nodeName
				require.Regexp(t, `(^|[\s,])`+f+`!?=`, asks[r.GroupResource().String()], "%s: %s", r.Resource, f)
			}
		}
	}
}
