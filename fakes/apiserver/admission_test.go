package apiserver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
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
	unnamed := podOf("", corev1.ResourceRequirements{})
	unnamed.GenerateName = "g-"
	_, err = api.Create(t.Context(), pods, unnamed, metav1.CreateOptions{})
	require.ErrorContains(t, err, `pods "g-" is forbidden`, "the name is generated later")
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

// A new claim and a new Ingress that name no class get the newest that is marked as the default.
func TestDefaultClasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apiserver.New(apiserver.Options{Admission: apiserver.Admission{DefaultStorageClass: true, DefaultIngressClass: true}})
		defer api.Close()
		claims, ingresses := inDefault("persistentvolumeclaims", "", ""), apiserver.Request{Resource: networkingv1.SchemeGroupVersion.WithResource("ingresses"), Namespace: "default"}
		classes := func(change func(*corev1.PersistentVolumeClaim, *networkingv1.Ingress)) [2]*string {
			claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{GenerateName: "v-"}, Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}}}
			ingress := &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{GenerateName: "i-"}, Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{
				Service: &networkingv1.IngressServiceBackend{Name: "s", Port: networkingv1.ServiceBackendPort{Number: 80}}}}}
			change(claim, ingress)
			return [2]*string{made(t, api, claims, claim).Spec.StorageClassName, made(t, api, ingresses, ingress).Spec.IngressClassName}
		}
		plain := func(*corev1.PersistentVolumeClaim, *networkingv1.Ingress) {}
		for _, c := range []struct{ name, marked string }{{"a", "false"}, {"c", "true"}, {"b", "true"}, {"d", "true"}} {
			require.Equal(t, c.name == "a" || c.name == "c", classes(plain)[0] == nil)
			meta := metav1.ObjectMeta{Name: c.name, Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": c.marked, networkingv1.AnnotationIsDefaultIngressClass: c.marked}}
			made(t, api, apiserver.Request{Resource: storagev1.SchemeGroupVersion.WithResource("storageclasses")}, &storagev1.StorageClass{ObjectMeta: meta, Provisioner: "p.example.com"})
			made(t, api, apiserver.Request{Resource: networkingv1.SchemeGroupVersion.WithResource("ingressclasses")}, &networkingv1.IngressClass{ObjectMeta: meta, Spec: networkingv1.IngressClassSpec{Controller: "example.com/c"}})
			if c.name == "c" {
				require.Equal(t, [2]*string{new("c"), new("c")}, classes(plain))
				time.Sleep(time.Second) // of the bubble
			}
		}
		require.Equal(t, [2]*string{new("b"), new("b")}, classes(plain), "as new as d, and before it by name")
		require.Equal(t, [2]*string{new(""), new("x")}, classes(func(v *corev1.PersistentVolumeClaim, i *networkingv1.Ingress) {
			v.Spec.StorageClassName, i.Spec.IngressClassName = new(""), new("x")
		}))
		require.Equal(t, [2]*string{}, classes(func(v *corev1.PersistentVolumeClaim, i *networkingv1.Ingress) {
			v.Annotations, i.Annotations = map[string]string{corev1.BetaStorageClassAnnotation: "x"}, map[string]string{"kubernetes.io/ingress.class": "x"}
		}))
	})
}

// New claims, volumes and VolumeAttributesClasses have a finalizer, once, and an update may take it away.
func TestStorageProtection(t *testing.T) {
	api := apiserver.New(apiserver.Options{Admission: apiserver.Admission{StorageObjectInUseProtection: true}})
	defer api.Close()
	for finalizer, r := range map[string]apiserver.Request{
		"kubernetes.io/pvc-protection": inDefault("persistentvolumeclaims", "", ""),
		"kubernetes.io/pv-protection":  {Resource: corev1.SchemeGroupVersion.WithResource("persistentvolumes")},
		"kubernetes.io/vac-protection": {Resource: storagev1.SchemeGroupVersion.WithResource("volumeattributesclasses")},
		"":                             inDefault("configmaps", "", ""),
	} {
		amount, modes := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
		obj := map[string]runtime.Object{
			"persistentvolumeclaims": &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{AccessModes: modes, Resources: corev1.VolumeResourceRequirements{Requests: amount}}},
			"persistentvolumes": &corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{AccessModes: modes, Capacity: amount, PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: "/x"}}}},
			"volumeattributesclasses": &storagev1.VolumeAttributesClass{DriverName: "d", Parameters: map[string]string{"a": "b"}},
			"configmaps":              &corev1.ConfigMap{},
		}[r.Resource.Resource]
		for _, name := range []string{"a", "b"} { // b has it already
			m := obj.(metav1.Object)
			m.SetName(name)
			obj = made(t, api, r, obj)
			m = obj.(metav1.Object)
			if finalizer == "" {
				require.Empty(t, m.GetFinalizers())
			} else {
				require.Equal(t, []string{finalizer}, m.GetFinalizers())
			}
			m.SetResourceVersion("")
		}
		r.Name = "a"
		got, err := api.Patch(t.Context(), r, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		require.Empty(t, got.(metav1.Object).GetFinalizers())
	}
}

// What PodSecurity says besides refusing pods, in the words of kube-apiserver.
func TestPodSecurityWarns(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true, Admission: apiserver.Admission{PodSecurity: true}})
	defer api.Close()
	bad := podOf("p", corev1.ResourceRequirements{})
	bad.Spec.HostNetwork = true
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: bad.Labels}, Spec: bad.Spec}
	selector := &metav1.LabelSelector{MatchLabels: bad.Labels}
	namespace := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: "default"}
	deployments := apiserver.Request{Resource: appsv1.SchemeGroupVersion.WithResource("deployments"), Namespace: "default"}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: appsv1.DeploymentSpec{Selector: selector, Template: template}}
	templates := inDefault("podtemplates", "", "")
	controllers := inDefault("replicationcontrollers", "", "")
	pods := inDefault("pods", "", "")
	name := func(r apiserver.Request, name, sub string) apiserver.Request {
		r.Name, r.Subresource = name, sub
		return r
	}
	label := func(labels string) string { return `{"metadata":{"labels":{` + labels + `}}}` }
	const violates = `PodSecurity "baseline:latest": host namespaces (hostNetwork=true)`
	const existing = `existing pods in namespace "default" violate the new PodSecurity enforce level "baseline:latest"`
	for _, step := range []struct {
		name   string
		r      apiserver.Request
		create runtime.Object // nil: patch
		patch  string
		warns  []string
		err    string
	}{
		{"nothing is said", pods, bad, "", nil, ""},
		{"no level", namespace, nil, label(`"pod-security.kubernetes.io/warn":"x"`), nil, `Namespace "default" is invalid: metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "x": must be one of privileged, baseline, restricted`},
		{"no version", namespace, nil, label(`"pod-security.kubernetes.io/audit-version":"1"`), nil, `Namespace "default" is invalid: metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: "1": must be "latest" or "v1.x"`},
		{"no level, new namespace", name(namespace, "", ""), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "x"}}}, "", nil, `Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted`},
		{"warn", namespace, nil, label(`"pod-security.kubernetes.io/warn":"baseline"`), nil, ""},
		{"pod", pods, podWith(bad, "q"), "", []string{"would violate " + violates}, ""},
		{"good pod", pods, podOf("good", corev1.ResourceRequirements{}), "", nil, ""},
		{"label of a pod", name(pods, "p", ""), nil, label(`"a":"b"`), nil, ""},
		{"image of a pod", name(pods, "p", ""), nil, `{"spec":{"containers":[{"name":"c","image":"j"}]}}`, []string{"would violate " + violates}, ""},
		{"status of a pod", name(pods, "p", "status"), nil, `{"status":{"phase":"Running"}}`, nil, ""},
		{"deployment", deployments, deployment, "", []string{"would violate " + violates}, ""},
		{"deployment with dots", deployments, func() runtime.Object { d := deployment.DeepCopy(); d.Name = "d.d"; return d }(), "", []string{
			"metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]", "would violate " + violates,
		}, ""},
		{"update of a deployment", name(deployments, "d", ""), nil, label(`"a":"b"`), []string{"would violate " + violates}, ""},
		{"scale of a deployment", name(deployments, "d", "scale"), nil, `{"spec":{"replicas":3}}`, nil, ""},
		{"status of a deployment", name(deployments, "d", "status"), nil, `{"status":{"replicas":1}}`, nil, ""},
		{"pod template", templates, &corev1.PodTemplate{ObjectMeta: metav1.ObjectMeta{Name: "t"}, Template: template}, "", []string{"would violate " + violates}, ""},
		{"controller", controllers, &corev1.ReplicationController{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Spec: corev1.ReplicationControllerSpec{Selector: bad.Labels, Template: &template}}, "", []string{"would violate " + violates}, ""},
		{"enforce", namespace, nil, label(`"pod-security.kubernetes.io/enforce":"baseline"`), []string{existing, "p (and 1 other pod): host namespaces"}, ""},
		{"the same", namespace, nil, label(`"a":"b"`), nil, ""},
		{"refused", pods, podWith(bad, "s"), "", nil, `pods "s" is forbidden: violates ` + violates},
		{"label of a pod", name(pods, "p", ""), nil, label(`"a":"c"`), nil, ""},
		{"image of a pod", name(pods, "p", ""), nil, `{"spec":{"containers":[{"name":"c","image":"k"}]}}`, nil, `pods "p" is forbidden: violates ` + violates},
		{"less", namespace, nil, label(`"pod-security.kubernetes.io/enforce":"privileged"`), nil, ""},
	} {
		t.Run(step.name, func(t *testing.T) {
			var notes apiserver.Notes
			ctx := apiserver.WithNotes(t.Context(), &notes)
			var err error
			if step.create != nil {
				_, err = api.Create(ctx, step.r, step.create, metav1.CreateOptions{})
			} else {
				_, err = api.Patch(ctx, step.r, types.StrategicMergePatchType, []byte(step.patch), metav1.PatchOptions{})
			}
			if step.err != "" {
				require.EqualError(t, err, step.err)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, step.warns, notes.Warnings)
		})
	}
}

// podWith is a pod with another name.
func podWith(p *corev1.Pod, name string) *corev1.Pod {
	p = p.DeepCopy()
	p.Name = name
	return p
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
