package environment

import (
	"context"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	envtest "github.com/lwtest/lwtest/fakes/apiserver/apiservertest" // was sigs.k8s.io/controller-runtime/pkg/envtest
)

func TestGreeting(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	env := &envtest.Environment{
		CRDDirectoryPaths:     []string{"config/crd.yaml"},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{"config/webhook.yaml"}},
	}
	cfg, err := env.Start()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, env.Stop()) })

	scheme := runtime.NewScheme()
	AddToScheme(scheme)
	hooks := env.WebhookInstallOptions
	m, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: new(true)}, // for -count=2
		WebhookServer: webhook.NewServer(webhook.Options{Host: hooks.LocalServingHost, Port: hooks.LocalServingPort, CertDir: hooks.LocalServingCertDir}),
	})
	require.NoError(t, err)
	require.NoError(t, Setup(m))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- m.Start(ctx) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-ended) })
	require.Eventually(t, func() bool { return m.GetWebhookServer().StartedChecker()(nil) == nil }, 10*time.Second, 10*time.Millisecond)

	c := m.GetClient()
	err = c.Create(ctx, &Greeting{ObjectMeta: metav1.ObjectMeta{Name: "nobody", Namespace: "default"}})
	require.ErrorContains(t, err, `admission webhook "greetings.example.com" denied the request: spec.name says nobody`)
	g := &Greeting{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "default"}, Spec: GreetingSpec{Name: "world"}}
	require.NoError(t, c.Create(ctx, g))
	require.Eventually(t, func() bool {
		err := c.Get(ctx, client.ObjectKeyFromObject(g), g)
		return err == nil && g.Status.Text == "Hello, world"
	}, 10*time.Second, 10*time.Millisecond)
}
