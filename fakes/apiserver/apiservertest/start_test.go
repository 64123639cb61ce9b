package apiservertest_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/lwtest/lwtest/fakes/apiserver/apiservertest"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clients of a config, whose connections are closed when the test ends.
func clients(t *testing.T, config *clientrest.Config) *kubernetes.Clientset {
	t.Helper()
	h, err := clientrest.HTTPClientFor(config)
	require.NoError(t, err)
	t.Cleanup(func() { utilnet.CloseIdleConnectionsFor(h.Transport) })
	c, err := kubernetes.NewForConfigAndClient(config, h)
	require.NoError(t, err)
	return c
}

func TestStart(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: loaded}\n"), 0o600))
	s := apiservertest.Start(t, apiservertest.WithManifests(dir), apiservertest.WithTLS(), apiservertest.WithRBAC(), apiservertest.WithAccounts(),
		apiservertest.WithAdmission("ServiceAccount"), apiservertest.WithView(serve.View{Name: "late", Lag: -1}),
		apiservertest.WithFaults(faults.Fault{Verbs: []string{"get"}, Resource: "secrets", Status: &faults.Status{Code: 429}}))
	c := clients(t, s.Config)
	_, err := c.CoreV1().ConfigMaps("default").Get(t.Context(), "loaded", metav1.GetOptions{})
	require.NoError(t, err)
	_, err = c.CoreV1().ServiceAccounts("default").Get(t.Context(), "default", metav1.GetOptions{})
	require.NoError(t, err)
	authority, err := c.CoreV1().ConfigMaps("default").Get(t.Context(), "kube-root-ca.crt", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"ca.crt": string(s.Config.CAData)}, authority.Data)
	_, err = c.CoreV1().Secrets("default").Get(t.Context(), "none", metav1.GetOptions{})
	require.True(t, apierrors.IsTooManyRequests(err), "%v", err)
	_, err = c.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "new"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = clients(t, s.View("late")).CoreV1().ConfigMaps("default").Get(t.Context(), "new", metav1.GetOptions{ResourceVersion: "0"})
	require.True(t, apierrors.IsNotFound(err), "%v", err)

	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	require.NoError(t, err)
	require.Equal(t, s.URL, config.Host)
	config.Impersonate.UserName = "bob"
	_, err = clients(t, config).CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
}

func TestStartInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apiservertest.Start(t, apiservertest.InMemory())
		h := &http.Transport{DialContext: s.Config.Dial}
		defer h.CloseIdleConnections()
		c, err := kubernetes.NewForConfigAndClient(s.Config, &http.Client{Transport: h})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w, err := c.CoreV1().ConfigMaps("default").Watch(ctx, metav1.ListOptions{AllowWatchBookmarks: true})
		require.NoError(t, err)
		defer w.Stop()
		time.Sleep(time.Hour)
		_, err = c.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "new"}}, metav1.CreateOptions{})
		require.NoError(t, err)
	})
}

// Webhooks of manifests are created last, and asked from then on.
func TestStartWebhooks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(webhooks), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.yaml"), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: loaded}\n"), 0o600))
	s := apiservertest.Start(t, apiservertest.WithManifests(dir), apiservertest.WithWebhookService("system", "hook", "127.0.0.1:1"))
	_, err := clients(t, s.Config).CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "new"}}, metav1.CreateOptions{})
	require.ErrorContains(t, err, `Post "https://hook.system.svc:443/validate?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused`)
}
