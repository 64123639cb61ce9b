package apiserver_test

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

const (
	podSpec = `"spec":{"containers":[{"name":"c","image":"i"}]`
	makes   = `{"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},` + podSpec + `}}}}`
)

const matches = `"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}`

// signingRequest is a request for a certificate, in base64.
var signingRequest = newSigningRequest()

func newSigningRequest() string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

// least is what there must be beside a name.
var least = map[string]string{
	"pods": "{" + podSpec + "}}", "services": `{"spec":{"ports":[{"port":80}]}}`, "controllerrevisions": `{"data":{}}`,
	"runtimeclasses": `{"handler":"h"}`, "jobs": `{"spec":{"template":{` + podSpec + `,"restartPolicy":"Never"}}}}`,
	"events":               `{"involvedObject":{"namespace":"ns"}}`,
	"events.events.k8s.io": `{"regarding":{"namespace":"ns"},"eventTime":"2020-01-01T00:00:00.000000Z","type":"Normal","reportingController":"c","reportingInstance":"i","action":"a","reason":"r"}`, "endpointslices": `{"addressType":"IPv4"}`,
	"replicationcontrollers":   `{"spec":{"selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},` + podSpec + `}}}}`,
	"cronjobs":                 `{"spec":{"schedule":"@daily","jobTemplate":{"spec":{"template":{` + podSpec + `,"restartPolicy":"Never"}}}}}}`,
	"horizontalpodautoscalers": `{"spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}`,
	"rolebindings":             `{"roleRef":{"kind":"Role","name":"r"}}`, "clusterrolebindings": `{"roleRef":{"kind":"ClusterRole","name":"r"}}`,
	"persistentvolumes":                 `{"spec":{"capacity":{"storage":"1"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/"}}}`,
	"persistentvolumeclaims":            `{"spec":{"resources":{"requests":{"storage":"1"}},"accessModes":["ReadWriteOnce"]}}`,
	"podtemplates":                      `{"template":{` + podSpec + `}}}`,
	"storageclasses":                    `{"provisioner":"p"}`,
	"ingresses":                         `{"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}}}`,
	"ingressclasses":                    `{"spec":{"controller":"a.b/c"}}`,
	"flowschemas":                       `{"spec":{"priorityLevelConfiguration":{"name":"p"}}}`,
	"prioritylevelconfigurations":       `{"spec":{"type":"Limited","limited":{"limitResponse":{"type":"Reject"}}}}`,
	"validatingadmissionpolicies":       `{"spec":{` + matches + `,"validations":[{"expression":"true"}]}}`,
	"validatingadmissionpolicybindings": `{"spec":{"policyName":"p","validationActions":["Deny"]}}`,
	"mutatingadmissionpolicies":         `{"spec":{` + matches + `,"reinvocationPolicy":"Never","mutations":[{"patchType":"JSONPatch","jsonPatch":{"expression":"[]"}}]}}`,
	"mutatingadmissionpolicybindings":   `{"spec":{"policyName":"p"}}`,
	"certificatesigningrequests":        `{"spec":{"signerName":"a.b/c","usages":["any"],"request":"` + signingRequest + `"}}`,
	"deployments":                       makes, "replicasets": makes, "statefulsets": makes, "daemonsets": makes,
}

// Every row of the table: an object goes through every verb, and every selectable field selects.
func TestResources(t *testing.T) {
	for _, r := range withWidgets(nil).Resources {
		if r.Resource == "customresourcedefinitions" {
			continue // the server goes on writing to them: definitions_test.go
		}
		if r.GroupVersionResource == apiserver.APIServices {
			continue // their names are not free: rest/apiservices_test.go
		}
		t.Run(r.Resource, func(t *testing.T) {
			bubble(t, withWidgets(nil), func(t *testing.T, s *apiserver.Server) {
				req := apiserver.Request{Resource: r.GroupVersionResource}
				if r.Namespaced {
					req.Namespace = "ns"
				}
				obj := r.New()
				if doc := cmp.Or(least[r.GroupResource().String()], least[r.Resource]); doc != "" {
					require.NoError(t, json.Unmarshal([]byte(doc), obj))
				}
				obj.(metav1.Object).SetName("a")
				w := record(t, s, req, metav1.ListOptions{})
				_, err := s.Create(ctx, req, obj, metav1.CreateOptions{})
				require.NoError(t, err)

				fields := []string{"metadata.name"}
				if r.Namespaced {
					fields = append(fields, "metadata.namespace")
				}
				for f := range r.Fields {
					fields = append(fields, f)
				}
				for _, f := range fields {
					for op, want := range map[string]int{"!=nothing-like-it": 1, "=nothing-like-it": 0} {
						l, err := s.List(ctx, req, metav1.ListOptions{FieldSelector: f + op})
						require.NoError(t, err)
						require.IsType(t, r.NewList(), l)
						require.Equal(t, want, meta.LenList(l), f+op)
					}
				}
				req.Name = "a"
				_, err = s.Patch(ctx, req, types.MergePatchType, []byte(`{"metadata":{"labels":{"k":"v"}}}`), metav1.PatchOptions{})
				require.NoError(t, err)
				got, err := s.Get(ctx, req, metav1.GetOptions{})
				require.NoError(t, err)
				require.IsType(t, r.New(), got)
				_, err = s.Update(ctx, req, got, metav1.UpdateOptions{})
				require.NoError(t, err)
				_, err = s.Delete(ctx, req, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
				require.NoError(t, err)
				want := []string{"ADDED a@2", "MODIFIED a@3", "DELETED a@4"}
				if r.Grace != nil {
					want = []string{"ADDED a@2", "MODIFIED a@3", "MODIFIED a@4", "DELETED a@5"}
				}
				require.Equal(t, want, w.got())
			})
		})
	}
}
