package apiserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// hooked answers as webhooks do, by the hosts of their URLs, and writes down what it is asked.
type hooked struct {
	mu     sync.Mutex
	asked  []string // host, operation, resource
	last   admissionv1.AdmissionRequest
	answer map[string]func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error)
}

func (h *hooked) call(ctx context.Context, to hooksv1.WebhookClientConfig, body []byte) ([]byte, error) {
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, err
	}
	r, name := review.Request, strings.TrimPrefix(*to.URL, "https://")
	h.mu.Lock()
	h.asked = append(h.asked, strings.TrimSuffix(fmt.Sprintf("%s %s %s/%s", name, r.Operation, r.Resource.Resource, r.SubResource), "/"))
	h.last = *r
	h.mu.Unlock()
	review.Response = &admissionv1.AdmissionResponse{Allowed: true}
	if f := h.answer[name]; f != nil {
		var err error
		if review.Response, err = f(ctx, r); err != nil {
			return nil, err
		}
	}
	if review.Response.UID == "" {
		review.Response.UID = r.UID
	}
	return json.Marshal(review)
}

// patch answers with a JSON patch.
func patch(text string) func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
	return func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
		return &admissionv1.AdmissionResponse{Allowed: true, Patch: []byte(text), PatchType: new(admissionv1.PatchTypeJSONPatch)}, nil
	}
}

func answer(r admissionv1.AdmissionResponse) func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
	return func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
		return r.DeepCopy(), nil
	}
}

var everything = []hooksv1.RuleWithOperations{{
	Operations: []hooksv1.OperationType{hooksv1.OperationAll},
	Rule:       hooksv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{"*/*"}},
}}

func validating(name string, change func(*hooksv1.ValidatingWebhook)) *hooksv1.ValidatingWebhookConfiguration {
	w := hooksv1.ValidatingWebhook{
		Name: name + ".example.com", ClientConfig: hooksv1.WebhookClientConfig{URL: new("https://" + name)}, Rules: everything,
		SideEffects: new(hooksv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
	}
	if change != nil {
		change(&w)
	}
	return &hooksv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}, Webhooks: []hooksv1.ValidatingWebhook{w}}
}

func mutating(name string, change func(*hooksv1.MutatingWebhook)) *hooksv1.MutatingWebhookConfiguration {
	w := hooksv1.MutatingWebhook{
		Name: name + ".example.com", ClientConfig: hooksv1.WebhookClientConfig{URL: new("https://" + name)}, Rules: everything,
		SideEffects: new(hooksv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
	}
	if change != nil {
		change(&w)
	}
	return &hooksv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}, Webhooks: []hooksv1.MutatingWebhook{w}}
}

// hooksBubble is bubble with webhooks.
func hooksBubble(t *testing.T, h *hooked, o apiserver.Options, f func(*testing.T, *apiserver.Server), configurations ...runtime.Object) {
	t.Helper()
	o.Webhooks = h.call
	bubble(t, o, func(t *testing.T, s *apiserver.Server) {
		for _, c := range configurations {
			resource := hooksv1.SchemeGroupVersion.WithResource("validatingwebhookconfigurations")
			if _, ok := c.(*hooksv1.MutatingWebhookConfiguration); ok {
				resource.Resource = "mutatingwebhookconfigurations"
			}
			_, err := s.Create(ctx, apiserver.Request{Resource: resource}, c, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		f(t, s)
	})
}

// Mutating webhooks change what is stored, in the order of their configurations' names; validating ones see the result.
func TestWebhooksMutate(t *testing.T) {
	h := &hooked{}
	h.answer = map[string]func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error){
		"a": patch(`[{"op":"add","path":"/data","value":{"a":"1"}}]`),
		"b": patch(`[{"op":"add","path":"/data/b","value":"2"}]`),
		"v": answer(admissionv1.AdmissionResponse{Allowed: true, Warnings: []string{"careful"}}),
	}
	hooksBubble(t, h, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		var notes apiserver.Notes
		made, err := apiserver.ConfigMaps(s, "ns").Create(apiserver.WithNotes(ctx, &notes), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}}, metav1.CreateOptions{FieldManager: "me"})
		require.NoError(t, err)
		require.Equal(t, map[string]string{"a": "1", "b": "2"}, made.Data)
		require.Equal(t, []string{"careful"}, notes.Warnings)
		require.Equal(t, []string{"a CREATE configmaps", "b CREATE configmaps", "v CREATE configmaps"}, h.asked)
		require.JSONEq(t, `{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"me"}`, string(h.last.Options.Raw))
		require.Equal(t, made.Name, h.last.Name)
		require.Equal(t, "ns", h.last.Namespace)
		var seen corev1.ConfigMap
		require.NoError(t, json.Unmarshal(h.last.Object.Raw, &seen))
		require.Equal(t, "ConfigMap", seen.Kind)
		require.Equal(t, made.Name, seen.Name)
		require.Equal(t, made.UID, seen.UID)
		require.Equal(t, made.Data, seen.Data)

		h.asked = nil
		made.Data["c"] = "3"
		made, err = apiserver.ConfigMaps(s, "ns").Update(ctx, made, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.Equal(t, map[string]string{"a": "1", "b": "2"}, made.Data)
		require.NotEmpty(t, h.last.OldObject.Raw)
		err = apiserver.ConfigMaps(s, "ns").Delete(ctx, made.Name, metav1.DeleteOptions{})
		require.EqualError(t, err, `Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation`)
		require.Empty(t, h.last.Object.Raw)
	}, mutating("b", nil), mutating("a", nil), validating("v", nil))
}

// A webhook that wants it is asked again when a later one has changed the object, once.
func TestWebhooksReinvocation(t *testing.T) {
	h := &hooked{}
	h.answer = map[string]func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error){
		"c": patch(`[{"op":"add","path":"/data","value":{"c":"1"}}]`),
	}
	again := func(w *hooksv1.MutatingWebhook) { w.ReinvocationPolicy = new(hooksv1.IfNeededReinvocationPolicy) }
	hooksBubble(t, h, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("x"))
		require.Equal(t, []string{"a CREATE configmaps", "b CREATE configmaps", "c CREATE configmaps", "d CREATE configmaps", "a CREATE configmaps"}, h.asked)
	}, mutating("a", again), mutating("b", nil), mutating("c", nil), mutating("d", again))
}

// Before a mutating webhook sees a new pod, the built-in plugins have changed it. What the webhook adds, they see, too, and a webhook that wants
// it is asked about that again.
func TestWebhooksAfterPlugins(t *testing.T) {
	var seen []corev1.Pod
	h := &hooked{}
	h.answer = map[string]func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error){
		"a": func(ctx context.Context, r *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
			var p corev1.Pod
			if err := json.Unmarshal(r.Object.Raw, &p); err != nil {
				return nil, err
			}
			if seen = append(seen, p); len(seen) > 1 {
				return &admissionv1.AdmissionResponse{Allowed: true}, nil
			}
			return patch(`[{"op":"add","path":"/spec/tolerations/-","value":{"key":"k"}},{"op":"add","path":"/spec/containers/-","value":{"name":"d","image":"i"}}]`)(ctx, r)
		},
	}
	pods := inDefault("pods", "", "")
	o := apiserver.Options{Namespaces: true, Accounts: true, Admission: apiserver.Admission{ServiceAccount: true, LimitRanger: true, ResourceQuota: true}}
	hooksBubble(t, h, o, func(t *testing.T, s *apiserver.Server) {
		one := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
		made(t, s, inDefault("limitranges", "", ""), &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "l"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
			{Type: corev1.LimitTypeContainer, DefaultRequest: one, Default: one},
		}}})
		hard := corev1.ResourceList{"pods": resource.MustParse("2"), "requests.cpu": resource.MustParse("9")}
		q := made(t, s, inDefault("resourcequotas", "", ""), &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}})
		q.Status.Hard, q.Status.Used = hard, corev1.ResourceList{"pods": resource.MustParse("0")}
		_, err := s.Update(ctx, inDefault("resourcequotas", "q", "status"), q, metav1.UpdateOptions{})
		require.NoError(t, err)
		seen = nil

		p := made(t, s, pods, podOf("p", corev1.ResourceRequirements{}))
		require.Len(t, seen, 2)
		for i, names := range [][]string{{"c"}, {"c", "d"}} {
			var has []string
			for _, c := range seen[i].Spec.Containers {
				has = append(has, c.Name)
				require.Equal(t, one, c.Resources.Requests)
				require.Equal(t, one, c.Resources.Limits)
				require.Equal(t, seen[i].Spec.Volumes[0].Name, c.VolumeMounts[0].Name)
			}
			require.Equal(t, names, has)
			require.Equal(t, "default", seen[i].Spec.ServiceAccountName)
			require.Len(t, seen[i].Spec.Volumes, 1)
			require.Equal(t, new(int32(0)), seen[i].Spec.Priority)
			require.Len(t, seen[i].Spec.Tolerations, 2+i)
		}
		require.Equal(t, seen[1].Spec, p.Spec)
		got, err := s.Get(ctx, inDefault("resourcequotas", "q", ""), metav1.GetOptions{})
		require.NoError(t, err)
		used := got.(*corev1.ResourceQuota).Status.Used
		require.Equal(t, []string{"1", "2"}, []string{used.Pods().String(), used.Name("requests.cpu", resource.DecimalSI).String()})
	}, mutating("a", func(w *hooksv1.MutatingWebhook) {
		w.ReinvocationPolicy = new(hooksv1.IfNeededReinvocationPolicy)
		w.Rules = []hooksv1.RuleWithOperations{{Operations: everything[0].Operations, Rule: hooksv1.Rule{APIGroups: []string{""}, APIVersions: []string{"*"}, Resources: []string{"pods"}}}}
	}))
}

// That a condition means nothing here is told when it is written.
func TestWebhooksConditions(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		var notes apiserver.Notes
		c := validating("v", func(w *hooksv1.ValidatingWebhook) {
			w.MatchConditions = []hooksv1.MatchCondition{{Name: "never", Expression: "false"}}
		})
		_, err := s.Create(apiserver.WithNotes(ctx, &notes), apiserver.Request{Resource: hooksv1.SchemeGroupVersion.WithResource("validatingwebhookconfigurations")}, c, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Equal(t, []string{`webhook "v.example.com": this server does not evaluate CEL: matchConditions are taken to be true`}, notes.Warnings)
	})
}

func TestWebhooksDeny(t *testing.T) {
	for name, test := range map[string]struct {
		answer  admissionv1.AdmissionResponse
		code    int32
		message string
	}{
		"silent":  {admissionv1.AdmissionResponse{}, 400, `admission webhook "v.example.com" denied the request without explanation`},
		"message": {admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "no", Code: 403, Reason: "Forbidden"}}, 403, `admission webhook "v.example.com" denied the request: no`},
		"reason":  {admissionv1.AdmissionResponse{Result: &metav1.Status{Reason: "Because", Code: 200}}, 400, `admission webhook "v.example.com" denied the request: Because`},
		"uid":     {admissionv1.AdmissionResponse{UID: "other", Allowed: true}, 500, "Internal error occurred: failed calling webhook \"v.example.com\": received invalid webhook response: expected response.uid=\"UID\", got \"other\""},
		"patch":   {admissionv1.AdmissionResponse{Patch: []byte("[]"), Allowed: true}, 500, `Internal error occurred: failed calling webhook "v.example.com": received invalid webhook response: validating webhook may not return response.patch`},
	} {
		t.Run(name, func(t *testing.T) {
			h := &hooked{answer: map[string]func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error){"v": answer(test.answer)}}
			hooksBubble(t, h, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
				_, err := apiserver.ConfigMaps(s, "ns").Create(ctx, cm("x"), metav1.CreateOptions{})
				var status *apierrors.StatusError
				require.ErrorAs(t, err, &status)
				require.Equal(t, test.code, status.ErrStatus.Code)
				require.Equal(t, strings.ReplaceAll(test.message, "UID", string(h.last.UID)), status.ErrStatus.Message)
				_, err = apiserver.ConfigMaps(s, "ns").Get(ctx, "x", metav1.GetOptions{})
				require.True(t, apierrors.IsNotFound(err))
			}, validating("v", nil))
		})
	}
}

// Whoever does not answer fails the request, or is left out; a call ends with its timeout.
func TestWebhooksFail(t *testing.T) {
	h := &hooked{answer: map[string]func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error){
		"down": func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
			return nil, errors.New("connection refused")
		},
		"slow": func(ctx context.Context, _ *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}}
	ignore := func(w *hooksv1.ValidatingWebhook) { w.FailurePolicy = new(hooksv1.Ignore) }
	slow := func(w *hooksv1.ValidatingWebhook) { w.TimeoutSeconds = new(int32(3)); ignore(w) }
	hooksBubble(t, h, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		start := time.Now()
		create(t, s, "ns", cm("x"))
		require.Equal(t, 3*time.Second, time.Since(start))
	}, validating("down", ignore), validating("slow", slow))
	hooksBubble(t, h, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		start := time.Now()
		_, err := apiserver.ConfigMaps(s, "ns").Create(ctx, cm("x"), metav1.CreateOptions{})
		require.EqualError(t, err, `Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: context deadline exceeded`)
		require.True(t, apierrors.IsInternalError(err))
		require.Equal(t, 10*time.Second, time.Since(start))
	}, validating("slow", nil))
	hooksBubble(t, h, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		_, err := apiserver.ConfigMaps(s, "ns").Create(ctx, cm("x"), metav1.CreateOptions{})
		require.EqualError(t, err, `Internal error occurred: failed calling webhook "down.example.com": failed to call webhook: connection refused`)
	}, mutating("down", nil))
}

// Rules, scope and selectors choose what a webhook is asked about; so does a dry run.
func TestWebhooksMatch(t *testing.T) {
	h := &hooked{}
	rule := func(change func(*hooksv1.ValidatingWebhook)) func(*hooksv1.ValidatingWebhook) {
		return func(w *hooksv1.ValidatingWebhook) {
			w.Rules = []hooksv1.RuleWithOperations{*everything[0].DeepCopy()}
			change(w)
		}
	}
	hooksBubble(t, h, apiserver.Options{Namespaces: true}, func(t *testing.T, s *apiserver.Server) {
		h.asked = nil
		create(t, s, "default", cm("x"))
		require.Empty(t, h.asked)
		_, err := s.Create(ctx, apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces")},
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"on": "yes"}}}, metav1.CreateOptions{})
		require.NoError(t, err)
		require.ElementsMatch(t, []string{"cluster CREATE namespaces", "labelled CREATE namespaces", "namespace CREATE namespaces"}, h.asked)
		require.Equal(t, "n", h.last.Namespace)
		h.asked = nil
		create(t, s, "n", cm("x", "on", "yes"))
		require.ElementsMatch(t, []string{"labelled CREATE configmaps", "namespace CREATE configmaps"}, h.asked)
		h.asked = nil
		update(t, s, "n", "x", func(c *corev1.ConfigMap) { c.Labels = nil })
		require.ElementsMatch(t, []string{"labelled UPDATE configmaps", "namespace UPDATE configmaps"}, h.asked)
		h.asked = nil
		_, err = s.Create(ctx, apiserver.Request{Resource: pods, Namespace: "default"}, pod("p", ""), metav1.CreateOptions{})
		require.NoError(t, err)
		require.Empty(t, h.asked)
		_, err = s.Patch(ctx, apiserver.Request{Resource: pods, Namespace: "default", Name: "p", Subresource: "status"}, types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		require.Equal(t, []string{"status UPDATE pods/status"}, h.asked)
		require.Contains(t, string(h.last.Options.Raw), "UpdateOptions")
	},
		validating("cluster", rule(func(w *hooksv1.ValidatingWebhook) { w.Rules[0].Scope = new(hooksv1.ClusterScope) })),
		validating("labelled", rule(func(w *hooksv1.ValidatingWebhook) {
			w.ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"on": "yes"}}
		})),
		validating("namespace", rule(func(w *hooksv1.ValidatingWebhook) {
			w.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"on": "yes"}}
		})),
		validating("other", rule(func(w *hooksv1.ValidatingWebhook) { w.Rules[0].APIVersions = []string{"v9"} })),
		validating("status", rule(func(w *hooksv1.ValidatingWebhook) { w.Rules[0].Resources = []string{"pods/status"} })),
	)
}

// A webhook may write itself: what it took time for is looked at again.
func TestWebhooksMeanwhile(t *testing.T) {
	h := &hooked{}
	hooksBubble(t, h, apiserver.Options{Namespaces: true, NamespaceController: true}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "default", cm("x"))
		busy := false
		h.answer = map[string]func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error){
			"v": func(_ context.Context, r *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
				if !busy {
					busy = true
					switch r.Operation {
					case admissionv1.Create:
						remove := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: r.Namespace}
						_, err := s.Delete(ctx, remove, metav1.DeleteOptions{})
						require.NoError(t, err)
					default:
						touch(t, s, "default", "x")
					}
				}
				return &admissionv1.AdmissionResponse{Allowed: true}, nil
			},
		}
		old, err := apiserver.ConfigMaps(s, "default").Get(ctx, "x", metav1.GetOptions{})
		require.NoError(t, err)
		old.Data = map[string]string{"mine": "1"}
		_, err = apiserver.ConfigMaps(s, "default").Update(ctx, old, metav1.UpdateOptions{})
		require.True(t, apierrors.IsConflict(err), "%v", err)

		busy, h.asked = false, nil
		require.NoError(t, apiserver.ConfigMaps(s, "default").Delete(ctx, "x", metav1.DeleteOptions{}))
		require.Equal(t, []string{"v DELETE configmaps", "v UPDATE configmaps", "v DELETE configmaps"}, h.asked)

		busy = true
		_, err = s.Create(ctx, apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces")}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		busy = false
		_, err = apiserver.ConfigMaps(s, "n").Create(ctx, cm("y"), metav1.CreateOptions{})
		require.EqualError(t, err, `namespaces "n" not found`)
	}, validating("v", nil))
}

// An update that is retried is put to webhooks each time, and two at once do not wait for each other.
func TestWebhooksConcurrent(t *testing.T) {
	h := &hooked{answer: map[string]func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error){
		"v": func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
			time.Sleep(time.Second)
			return &admissionv1.AdmissionResponse{Allowed: true}, nil
		},
	}}
	hooksBubble(t, h, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { create(t, s, "ns", cm(fmt.Sprint(i))) })
		}
		wg.Wait()
		synctest.Wait()
		require.Equal(t, time.Second, time.Since(start))
	}, validating("v", nil))
}

// Webhooks see what is sent to a subresource, and can change it.
func TestWebhooksSubresources(t *testing.T) {
	h := &hooked{answer: map[string]func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error){
		"scales":    patch(`[{"op":"replace","path":"/spec/replicas","value":7}]`),
		"evictions": answer(admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "stay"}}),
	}}
	about := func(resource string) func(*hooksv1.MutatingWebhook) {
		return func(w *hooksv1.MutatingWebhook) {
			w.Rules = []hooksv1.RuleWithOperations{*everything[0].DeepCopy()}
			w.Rules[0].Resources = []string{resource}
		}
	}
	hooksBubble(t, h, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		deployment := apiserver.Request{Resource: appsv1.SchemeGroupVersion.WithResource("deployments"), Namespace: "ns", Name: "d"}
		labels := map[string]string{"a": "b"}
		_, err := s.Create(ctx, deployment, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
		}}, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Empty(t, h.asked)
		scale := deployment
		scale.Subresource = "scale"
		_, err = s.Patch(ctx, scale, types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		require.Equal(t, "Scale", h.last.Kind.Kind)
		require.Contains(t, string(h.last.Object.Raw), `"replicas":3`)
		require.Contains(t, string(h.last.OldObject.Raw), `"replicas":1`)
		got, err := s.Get(ctx, deployment, metav1.GetOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 7, *got.(*appsv1.Deployment).Spec.Replicas)

		one := apiserver.Request{Resource: pods, Namespace: "ns", Name: "p", Subresource: "binding"}
		_, err = s.Create(ctx, apiserver.Request{Resource: pods, Namespace: "ns"}, pod("p", ""), metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = s.Create(ctx, one, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Target: corev1.ObjectReference{Name: "n"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		one.Subresource = "eviction"
		_, err = s.Create(ctx, one, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, metav1.CreateOptions{})
		require.EqualError(t, err, `admission webhook "evictions.example.com" denied the request: stay`)
		require.Equal(t, []string{"scales UPDATE deployments/scale", "bindings CREATE pods/binding", "evictions CREATE pods/eviction"}, h.asked)
	}, mutating("scales", about("*/scale")), mutating("bindings", about("pods/binding")), mutating("evictions", about("pods/eviction")))
}
