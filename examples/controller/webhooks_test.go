package controller_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/lwtest/lwtest/examples/controller"
	"github.com/lwtest/lwtest/harness/story"
	plugin "github.com/lwtest/lwtest/plugins/controller"
)

// defaults gives each new namespace a value.
type defaults struct{}

func (defaults) Default(_ context.Context, ns *corev1.Namespace) error {
	if ns.Labels[controller.Label] == "" {
		ns.Labels = map[string]string{controller.Label: "usual"}
	}
	return nil
}

// configuration is what config/webhook of an operator has.
const configuration = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: settings}
webhooks:
- name: defaults.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: system, name: webhooks, path: /mutate--v1-namespace}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [namespaces]}]
`

// hooks are the webhooks of a manager, which lwtest calls without a port. run is the context of Run: a manager gives its parts others.
type hooks struct {
	webhook.Server
	run context.Context
}

func (h hooks) Start(context.Context) error { return plugin.ServeWebhooks(h.run, h.WebhookMux()) }

// hooked is one life of a controller with a webhook.
func hooked(ctx context.Context, c *rest.Config) error {
	m, err := ctrl.NewManager(c, ctrl.Options{Metrics: server.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: new(true)},
		WebhookServer: hooks{webhook.NewServer(webhook.Options{}), ctx}})
	if err != nil {
		return err
	}
	if err := ctrl.NewWebhookManagedBy(m, &corev1.Namespace{}).WithDefaulter(defaults{}).Complete(); err != nil {
		return err
	}
	if err := (&controller.Reconciler{Client: m.GetClient()}).SetupWithManager(m); err != nil {
		return err
	}
	return m.Start(ctx)
}

// The same with a webhook: while the controller is down, users cannot create a namespace, and try again.
func TestWebhooks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "manifests.yaml")
	must(t, os.WriteFile(file, []byte(configuration), 0o600))
	plugin.Test(t, plugin.Subject{Name: "settings-hooked", Run: hooked, Manifests: []string{file}, Scenario: []story.Step{
		plugin.Create(`{apiVersion: v1, kind: Namespace, metadata: {name: shop}}`),
		plugin.Change("namespaces/shop", `{metadata: {labels: {example.com/settings: b}}}`),
		plugin.Change("namespaces/shop", `{metadata: {labels: {example.com/settings: usual}}}`),
		plugin.Delete("configmaps/shop/settings"),
		plugin.Create(`{apiVersion: v1, kind: Namespace, metadata: {name: other}}`),
		plugin.Delete("namespaces/other"),
	}})
}
