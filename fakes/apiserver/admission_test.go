package apiserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

func inDefault(resource, name, sub string) apiserver.Request {
	return apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource(resource), Namespace: "default", Name: name, Subresource: sub}
}

func made[T runtime.Object](t *testing.T, api apiserver.API, r apiserver.Request, obj T) T {
	t.Helper()
	out, err := api.Create(t.Context(), r, obj, metav1.CreateOptions{})
	require.NoError(t, err)
	return out.(T)
}

func podOf(name string, c corev1.ResourceRequirements) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "a"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i", Resources: c}}}}
}

// With the plugin ServiceAccount a pod needs its account, and gets the account's token and pull secrets.
func TestServiceAccountAdmission(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true, NamespaceController: true, Admission: apiserver.Admission{ServiceAccount: true}})
	defer api.Close()
	pods := inDefault("pods", "", "")
	_, err := api.Create(t.Context(), pods, podOf("p", corev1.ResourceRequirements{}), metav1.CreateOptions{})
	require.EqualError(t, err, `pods "p" is forbidden: error looking up service account default/default: serviceaccount "default" not found`)
	require.True(t, apierrors.IsForbidden(err))
	made(t, api, inDefault("serviceaccounts", "", ""), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}, ImagePullSecrets: []corev1.LocalObjectReference{{Name: "s"}}})
	p := made(t, api, pods, podOf("p", corev1.ResourceRequirements{}))
	require.Equal(t, "default", p.Spec.ServiceAccountName)
	require.Equal(t, "s", p.Spec.ImagePullSecrets[0].Name)
	require.Regexp(t, "^kube-api-access-.{5}$", p.Spec.Volumes[0].Name)
	require.Equal(t, p.Spec.Volumes[0].Name, p.Spec.Containers[0].VolumeMounts[0].Name)
	quiet := podOf("q", corev1.ResourceRequirements{})
	quiet.Spec.AutomountServiceAccountToken = new(false)
	require.Empty(t, made(t, api, pods, quiet).Spec.Volumes)
}

// Each namespace has an account and a root certificate, which come back. A namespace that is deleted goes nevertheless.
func TestAccounts(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true, NamespaceController: true, Accounts: true})
	defer api.Close()
	has := func(namespace string) bool {
		for _, name := range []string{"serviceaccounts/default", "configmaps/kube-root-ca.crt"} {
			r := inDefault(name[:len(name)-len("/default")], "default", "")
			if name != "serviceaccounts/default" {
				r = inDefault("configmaps", "kube-root-ca.crt", "")
			}
			r.Namespace = namespace
			if _, err := api.Get(t.Context(), r, metav1.GetOptions{}); err != nil {
				return false
			}
		}
		return true
	}
	require.True(t, has("kube-system"))
	namespaces := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces")}
	made(t, api, namespaces, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	require.True(t, has("n"))
	account := inDefault("serviceaccounts", "default", "")
	account.Namespace = "n"
	_, err := api.Delete(t.Context(), account, metav1.DeleteOptions{})
	require.NoError(t, err)
	require.True(t, has("n"), "it comes back")
	namespaces.Name = "n"
	_, err = api.Delete(t.Context(), namespaces, metav1.DeleteOptions{})
	require.NoError(t, err)
	_, err = api.Get(t.Context(), namespaces, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err))
}

// A quota that a controller keeps refuses what it has no room for, in the words of kube-apiserver, and counts the rest.
func TestResourceQuota(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true, Admission: apiserver.Admission{ResourceQuota: true}})
	defer api.Close()
	hard := corev1.ResourceList{"pods": resource.MustParse("2"), "requests.cpu": resource.MustParse("1"), "count/configmaps": resource.MustParse("1")}
	quotas := inDefault("resourcequotas", "", "")
	q := made(t, api, quotas, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}})
	pods := inDefault("pods", "", "")
	made(t, api, pods, podOf("before", corev1.ResourceRequirements{})) // no controller has looked at the quota
	q.Status = corev1.ResourceQuotaStatus{Hard: hard, Used: corev1.ResourceList{"pods": resource.MustParse("0")}}
	_, err := api.Update(t.Context(), inDefault("resourcequotas", "q", "status"), q, metav1.UpdateOptions{})
	require.NoError(t, err)

	_, err = api.Create(t.Context(), pods, podOf("a", corev1.ResourceRequirements{}), metav1.CreateOptions{})
	require.EqualError(t, err, `pods "a" is forbidden: failed quota: q: must specify requests.cpu for: c`)
	cpu := func(n string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse(n)}}
	}
	_, err = api.Create(t.Context(), pods, podOf("a", cpu("600m")), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.NoError(t, err)
	made(t, api, pods, podOf("a", cpu("600m")))
	_, err = api.Create(t.Context(), pods, podOf("b", cpu("600m")), metav1.CreateOptions{})
	require.EqualError(t, err, `pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1`)
	configMaps := inDefault("configmaps", "", "")
	made(t, api, configMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	_, err = api.Create(t.Context(), configMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, metav1.CreateOptions{})
	require.True(t, apierrors.IsForbidden(err))
	got, err := api.Get(t.Context(), inDefault("resourcequotas", "q", ""), metav1.GetOptions{})
	require.NoError(t, err)
	used := got.(*corev1.ResourceQuota).Status.Used
	require.Equal(t, "1", used.Pods().String())
}

// A quota with scopes counts only what is in all of them, and nothing but pods and claims is in any.
func TestScopedQuota(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true, Admission: apiserver.Admission{ResourceQuota: true}})
	defer api.Close()
	none := corev1.ResourceList{"pods": resource.MustParse("0"), "count/configmaps": resource.MustParse("0")}
	in := func(s corev1.ResourceQuotaScope, op corev1.ScopeSelectorOperator, values ...string) *corev1.ScopeSelector {
		return &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{{ScopeName: s, Operator: op, Values: values}}}
	}
	plain := func(*corev1.Pod) {}
	ends := func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = new(int64(9)) }
	burstable := func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("1")}
	}
	critical := func(p *corev1.Pod) { p.Spec.PriorityClassName = "system-node-critical" }
	abroad := func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: "zone", Namespaces: []string{"other"}, LabelSelector: &metav1.LabelSelector{},
		}}}}
	}
	for _, c := range []struct {
		name     string
		scope    corev1.ResourceQuotaScope
		selector *corev1.ScopeSelector
		pod      func(*corev1.Pod)
		refused  bool
	}{
		{"terminating", corev1.ResourceQuotaScopeTerminating, nil, ends, true},
		{"terminating: not this", corev1.ResourceQuotaScopeTerminating, nil, plain, false},
		{"not terminating", corev1.ResourceQuotaScopeNotTerminating, nil, plain, true},
		{"best effort", corev1.ResourceQuotaScopeBestEffort, nil, plain, true},
		{"best effort: not this", corev1.ResourceQuotaScopeBestEffort, nil, burstable, false},
		{"not best effort", "", in(corev1.ResourceQuotaScopeNotBestEffort, corev1.ScopeSelectorOpExists), burstable, true},
		{"priority class", "", in(corev1.ResourceQuotaScopePriorityClass, corev1.ScopeSelectorOpIn, "system-node-critical"), critical, true},
		{"priority class: none", "", in(corev1.ResourceQuotaScopePriorityClass, corev1.ScopeSelectorOpExists), plain, false},
		{"no priority class", "", in(corev1.ResourceQuotaScopePriorityClass, corev1.ScopeSelectorOpDoesNotExist), plain, true},
		{"another priority class", "", in(corev1.ResourceQuotaScopePriorityClass, corev1.ScopeSelectorOpNotIn, "x"), critical, true},
		{"affinity", corev1.ResourceQuotaScopeCrossNamespacePodAffinity, nil, abroad, true},
		{"affinity: none", corev1.ResourceQuotaScopeCrossNamespacePodAffinity, nil, plain, false},
		{"two scopes, one of them", corev1.ResourceQuotaScopeTerminating, in(corev1.ResourceQuotaScopeBestEffort, corev1.ScopeSelectorOpExists), plain, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Spec: corev1.ResourceQuotaSpec{Hard: none, ScopeSelector: c.selector}}
			if c.scope != "" {
				quota.Spec.Scopes = []corev1.ResourceQuotaScope{c.scope}
			}
			quota = made(t, api, inDefault("resourcequotas", "", ""), quota)
			quota.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none}
			_, err := api.Update(t.Context(), inDefault("resourcequotas", "q", "status"), quota, metav1.UpdateOptions{})
			require.NoError(t, err)
			pod := podOf("p", corev1.ResourceRequirements{})
			c.pod(pod)
			dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
			_, err = api.Create(t.Context(), inDefault("pods", "", ""), pod, dry)
			require.Equal(t, c.refused, apierrors.IsForbidden(err), "%v", err)
			_, err = api.Create(t.Context(), inDefault("configmaps", "", ""), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, dry)
			require.NoError(t, err)
			_, err = api.Delete(t.Context(), inDefault("resourcequotas", "q", ""), metav1.DeleteOptions{})
			require.NoError(t, err)
		})
	}
}

// An eviction takes a disruption from the pod's budget, and is refused with 429 if there is none.
func TestBudgets(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true})
	defer api.Close()
	pods := inDefault("pods", "", "")
	budgets := apiserver.Request{Resource: policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets"), Namespace: "default"}
	b := made(t, api, budgets, &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}}})
	for _, name := range []string{"p", "q", "r"} {
		p := made(t, api, pods, podOf(name, corev1.ResourceRequirements{}))
		if name == "r" {
			continue
		}
		p.Status.Phase, p.Status.Conditions = corev1.PodRunning, []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		_, err := api.Update(t.Context(), inDefault("pods", name, "status"), p, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	evict := func(name string) error {
		_, err := api.Create(t.Context(), inDefault("pods", name, "eviction"), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		return err
	}
	cause := func(err error) string {
		require.True(t, apierrors.IsTooManyRequests(err), "%v", err)
		return err.(apierrors.APIStatus).Status().Details.Causes[0].Message
	}
	require.NoError(t, evict("r"), "it does not run")
	require.Equal(t, "The disruption budget b is still being processed by the server.", cause(evict("p")))
	status := budgets
	status.Name, status.Subresource = "b", "status"
	b.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: b.Generation, DisruptionsAllowed: 1, CurrentHealthy: 2, DesiredHealthy: 1, ExpectedPods: 2}
	_, err := api.Update(t.Context(), status, b, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, evict("p"))
	require.Equal(t, "The disruption budget b does not allow evicting pods currently", cause(evict("q")))
	status.Subresource = ""
	got, err := api.Get(t.Context(), status, metav1.GetOptions{})
	require.NoError(t, err)
	require.Contains(t, got.(*policyv1.PodDisruptionBudget).Status.DisruptedPods, "p")
}

// With the plugin PodSecurity a namespace refuses pods below the level of its label.
func TestPodSecurity(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true, Admission: apiserver.Admission{PodSecurity: true}})
	defer api.Close()
	pods := inDefault("pods", "", "")
	bad := podOf("p", corev1.ResourceRequirements{})
	bad.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: new(true)}
	made(t, api, pods, bad)
	_, err := api.Patch(t.Context(), apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: "default"}, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"baseline"}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	bad.Name = "q"
	_, err = api.Create(t.Context(), pods, bad, metav1.CreateOptions{})
	require.EqualError(t, err, `pods "q" is forbidden: violates PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)`)
	made(t, api, pods, podOf("r", corev1.ResourceRequirements{}))
}

// With the plugin LimitRanger containers get the defaults of a LimitRange, and what it forbids is refused.
func TestLimitRanger(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true, Admission: apiserver.Admission{LimitRanger: true}})
	defer api.Close()
	of := func(cpu string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	}
	made(t, api, inDefault("limitranges", "", ""), &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "l"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
		{Type: corev1.LimitTypeContainer, DefaultRequest: of("100m"), Default: of("200m"), Min: of("50m"), Max: of("1"), MaxLimitRequestRatio: of("4")},
		{Type: corev1.LimitTypePod, Max: of("1500m")},
		{Type: corev1.LimitTypePersistentVolumeClaim, Min: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}, Max: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}},
	}}})
	pods := inDefault("pods", "", "")
	p := made(t, api, pods, podOf("p", corev1.ResourceRequirements{}))
	require.Equal(t, of("100m"), p.Spec.Containers[0].Resources.Requests)
	require.Equal(t, of("200m"), p.Spec.Containers[0].Resources.Limits)
	require.Equal(t, "LimitRanger plugin set: cpu request for container c; cpu limit for container c", p.Annotations["kubernetes.io/limit-ranger"])
	require.Equal(t, corev1.PodQOSBurstable, p.Status.QOSClass)
	for _, c := range []struct{ request, limit, want string }{
		{"10m", "20m", `minimum cpu usage per Container is 50m, but request is 10m`},
		{"60m", "2", `[maximum cpu usage per Container is 1, but limit is 2, cpu max limit to request ratio per Container is 4, but provided ratio is 33.333333, maximum cpu usage per Pod is 1500m, but limit is 2]`},
	} {
		_, err := api.Create(t.Context(), pods, podOf("q", corev1.ResourceRequirements{Requests: of(c.request), Limits: of(c.limit)}), metav1.CreateOptions{})
		require.True(t, apierrors.IsForbidden(err))
		require.EqualError(t, err, `pods "q" is forbidden: `+c.want)
	}
	for size, want := range map[string]string{"1Mi": "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi", "3Gi": "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi"} {
		_, err := api.Create(t.Context(), inDefault("persistentvolumeclaims", "", ""), &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "v"}, Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}}}}, metav1.CreateOptions{})
		require.EqualError(t, err, `persistentvolumeclaims "v" is forbidden: `+want)
	}
}
