package apiservertest_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver/apiservertest"
)

const twoVersions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: ignored}
`

const webhooks = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: v}
webhooks:
- name: v.example.com
  clientConfig: {service: {namespace: system, name: hook, path: /validate}}
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]
  sideEffects: None
  admissionReviewVersions: [v1]
`

// serveHooks serves webhooks where an environment expects them.
func serveHooks(t *testing.T, o apiservertest.WebhookInstallOptions) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/validate", func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if json.NewDecoder(r.Body).Decode(&review) == nil {
			review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Warnings: []string{"watched"}, Result: &metav1.Status{
				Code: 403, Reason: metav1.StatusReasonForbidden, Message: "not " + review.Request.Name + " for " + review.Request.UserInfo.Username + " within " + r.URL.Query().Get("timeout"),
			}}
			_ = json.NewEncoder(w).Encode(review)
		}
	})
	mux.HandleFunc("/convert", func(w http.ResponseWriter, r *http.Request) {
		var review apiextensionsv1.ConversionReview
		if json.NewDecoder(r.Body).Decode(&review) != nil {
			return
		}
		review.Response = &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
		for _, raw := range review.Request.Objects {
			u := &unstructured.Unstructured{}
			if u.UnmarshalJSON(raw.Raw) == nil {
				u.SetAPIVersion(review.Request.DesiredAPIVersion)
				u.Object["by"] = "the webhook"
				review.Response.ConvertedObjects = append(review.Response.ConvertedObjects, runtime.RawExtension{Object: u})
			}
		}
		_ = json.NewEncoder(w).Encode(review)
	})
	pair, err := tls.LoadX509KeyPair(filepath.Join(o.LocalServingCertDir, "tls.crt"), filepath.Join(o.LocalServingCertDir, "tls.key"))
	require.NoError(t, err)
	l, err := net.Listen("tcp", net.JoinHostPort(o.LocalServingHost, strconv.Itoa(o.LocalServingPort)))
	require.NoError(t, err)
	server := &http.Server{Handler: mux, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}, ReadHeaderTimeout: time.Second}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.ServeTLS(l, "", "") }()
	t.Cleanup(func() { require.NoError(t, server.Close()); <-ended })
}

// An environment has its definitions, webhooks, conversions and users, as envtest has.
func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "crd.yaml"), []byte(twoVersions), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hooks.yaml"), []byte(webhooks), 0o600))
	e := &apiservertest.Environment{
		CRDDirectoryPaths: []string{filepath.Join(dir, "crd.yaml")}, ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: apiservertest.WebhookInstallOptions{Paths: []string{dir}, IgnoreSchemeConvertible: true},
	}
	config, err := e.Start()
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Stop()) }()
	require.Len(t, e.CRDs, 1)
	require.NotEmpty(t, e.KubeConfig)
	c := clients(t, config)

	_, err = c.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	require.ErrorContains(t, err, `failed calling webhook "v.example.com": failed to call webhook: Post "https://`)
	require.ErrorContains(t, err, `/validate?timeout=10s": dial tcp `)
	require.ErrorContains(t, err, `connection refused`)
	serveHooks(t, e.WebhookInstallOptions)
	_, err = c.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	require.EqualError(t, err, `admission webhook "v.example.com" denied the request: not a for admin within 10s`)

	h, err := clientrest.HTTPClientFor(config)
	require.NoError(t, err)
	d, err := dynamic.NewForConfigAndClient(config, h)
	require.NoError(t, err)
	v1 := d.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}).Namespace("default")
	v2 := d.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v2", Resource: "widgets"}).Namespace("default")
	_, err = v1.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	got, err := v2.Get(t.Context(), "w", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "the webhook", got.Object["by"])
	require.Equal(t, "example.com/v2", got.GetAPIVersion())

	bob, err := e.AddUser(apiservertest.User{Name: "bob", Groups: []string{"readers"}}, nil)
	require.NoError(t, err)
	b := clients(t, bob.Config())
	_, err = b.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	_, err = c.RbacV1().RoleBindings("default").Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "readers"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "readers"}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = b.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	file, err := bob.KubeConfig()
	require.NoError(t, err)
	require.Contains(t, string(file), "as: bob")
}

// hub and spoke are types of a kind with conversions.
type hub struct{ metav1.TypeMeta }

func (h *hub) Hub()                           {}
func (h *hub) DeepCopyObject() runtime.Object { return h }

type spoke struct{ metav1.TypeMeta }

func (s *spoke) ConvertTo(any) error            { return nil }
func (s *spoke) ConvertFrom(any) error          { return nil }
func (s *spoke) DeepCopyObject() runtime.Object { return s }

// Definitions whose types convert get a conversion webhook, others none.
func TestEnvironmentConvertible(t *testing.T) {
	scheme := runtime.NewScheme()
	gv := schema.GroupVersion{Group: "example.com", Version: "v1"}
	scheme.AddKnownTypeWithName(gv.WithKind("Widget"), &hub{})
	gv.Version = "v2"
	scheme.AddKnownTypeWithName(gv.WithKind("Widget"), &spoke{})
	dir := t.TempDir()
	file := filepath.Join(dir, "crd.yaml")
	require.NoError(t, os.WriteFile(file, []byte(twoVersions), 0o600))
	for _, s := range []*runtime.Scheme{scheme, runtime.NewScheme()} {
		e := &apiservertest.Environment{Scheme: s, CRDInstallOptions: apiservertest.CRDInstallOptions{Paths: []string{file}, CleanUpAfterUse: true}}
		_, err := e.Start()
		require.NoError(t, err)
		want := apiextensionsv1.NoneConverter
		if s == scheme {
			want = apiextensionsv1.WebhookConverter
		}
		require.Equal(t, want, e.CRDs[0].Spec.Conversion.Strategy)
		require.NoError(t, e.Stop())
		require.NoError(t, e.Stop())
	}
}

func TestEnvironmentPaths(t *testing.T) {
	e := &apiservertest.Environment{CRDDirectoryPaths: []string{"none"}, ErrorIfCRDPathMissing: true}
	_, err := e.Start()
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, e.Stop())
	e = &apiservertest.Environment{CRDDirectoryPaths: []string{"none"}}
	e.ControlPlane.GetAPIServer().Configure().Append("enable-admission-plugins", "ServiceAccount").Append("disable-admission-plugins", "PodSecurity,NamespaceLifecycle")
	config, err := e.Start()
	require.NoError(t, err)
	_, err = clients(t, config).CoreV1().Pods("default").Create(context.Background(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}, metav1.CreateOptions{})
	require.ErrorContains(t, err, `serviceaccount "default" not found`)
	require.NoError(t, e.Stop())
}

// All optional admission plugins but ServiceAccount are on unless a flag says otherwise.
func TestEnvironmentAdmission(t *testing.T) {
	all := []string{"DefaultIngressClass", "DefaultStorageClass", "LimitRanger", "PodSecurity", "ResourceQuota", "StorageObjectInUseProtection"}
	for _, c := range []struct {
		name            string
		enable, disable []string
		on              []string
	}{
		{"no flags", nil, nil, all},
		{"enabled", []string{"LimitRanger"}, nil, all},
		{"disabled", nil, []string{"LimitRanger,DefaultIngressClass"}, []string{"DefaultStorageClass", "PodSecurity", "ResourceQuota", "StorageObjectInUseProtection"}},
		{"an account", []string{"PodSecurity", "ServiceAccount"}, nil, append([]string{"ServiceAccount"}, all...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &apiservertest.Environment{}
			e.ControlPlane.GetAPIServer().Configure().Append("enable-admission-plugins", c.enable...).Append("disable-admission-plugins", c.disable...)
			config, err := e.Start()
			require.NoError(t, err)
			defer func() { require.NoError(t, e.Stop()) }()
			require.ElementsMatch(t, c.on, pluginsOn(t, clients(t, config)))
		})
	}
}

// pluginsOn finds out which optional admission plugins are on, by what they do.
func pluginsOn(t *testing.T, c *kubernetes.Clientset) (on []string) {
	t.Helper()
	ctx := t.Context()
	marked := metav1.ObjectMeta{Name: "m", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true", networkingv1.AnnotationIsDefaultIngressClass: "true"}}
	_, err := c.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{ObjectMeta: marked, Provisioner: "p.example.com"}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = c.NetworkingV1().IngressClasses().Create(ctx, &networkingv1.IngressClass{ObjectMeta: marked, Spec: networkingv1.IngressClassSpec{Controller: "example.com/c"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	one := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	_, err = c.CoreV1().LimitRanges("default").Create(ctx, &corev1.LimitRange{ObjectMeta: marked, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Default: one}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	none := corev1.ResourceList{"count/configmaps": resource.MustParse("0")}
	quota, err := c.CoreV1().ResourceQuotas("default").Create(ctx, &corev1.ResourceQuota{ObjectMeta: marked, Spec: corev1.ResourceQuotaSpec{Hard: none}}, metav1.CreateOptions{})
	require.NoError(t, err)
	quota.Status.Hard = none
	_, err = c.CoreV1().ResourceQuotas("default").UpdateStatus(ctx, quota, metav1.UpdateOptions{})
	require.NoError(t, err)

	ingress, err := c.NetworkingV1().Ingresses("default").Create(ctx, &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Name: "i"}, Spec: networkingv1.IngressSpec{
		DefaultBackend: &networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "s", Port: networkingv1.ServiceBackendPort{Number: 80}}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	claim, err := c.CoreV1().PersistentVolumeClaims("default").Create(ctx, &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "v"}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, unnamed := c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"pod-security.kubernetes.io/warn": "x"}}}, metav1.CreateOptions{})
	_, full := c.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, metav1.CreateOptions{})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	_, nobody := c.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
	_, err = c.CoreV1().ServiceAccounts("default").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	pod.Name = "q"
	pod, err = c.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
	require.NoError(t, err)
	for plugin, does := range map[string]bool{
		"DefaultIngressClass": ingress.Spec.IngressClassName != nil, "DefaultStorageClass": claim.Spec.StorageClassName != nil,
		"LimitRanger": len(pod.Spec.Containers[0].Resources.Limits) > 0, "PodSecurity": apierrors.IsInvalid(unnamed), "ResourceQuota": apierrors.IsForbidden(full),
		"ServiceAccount": apierrors.IsForbidden(nobody), "StorageObjectInUseProtection": len(claim.Finalizers) > 0,
	} {
		if does {
			on = append(on, plugin)
		}
	}
	return on
}

// WaitForCRDs returns once discovery has all that is served, and says what it lacks.
func TestWaitForCRDs(t *testing.T) {
	e := &apiservertest.Environment{}
	config, err := e.Start()
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Stop()) }()
	path := filepath.Join(t.TempDir(), "crd.yaml")
	require.NoError(t, os.WriteFile(path, []byte(twoVersions), 0o600))
	o := apiservertest.CRDInstallOptions{Paths: []string{path}, MaxTime: 10 * time.Millisecond, PollInterval: time.Millisecond}
	require.NoError(t, apiservertest.ReadCRDFiles(&o))
	require.ErrorContains(t, apiservertest.WaitForCRDs(config, o.CRDs, o), "example.com/v1, Resource=widgets is not in discovery")
	require.NoError(t, apiservertest.CreateCRDs(config, o.CRDs))
	o.MaxTime = 0
	require.NoError(t, apiservertest.WaitForCRDs(config, o.CRDs, o))
}
