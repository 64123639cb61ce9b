package controller_test

import (
	"context"
	"testing"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/lwtest/lwtest/examples/controller"
	"github.com/lwtest/lwtest/harness/story"
	plugin "github.com/lwtest/lwtest/plugins/controller"
)

// manager is one life of the controller.
func manager(ctx context.Context, c *rest.Config) error {
	m, err := ctrl.NewManager(c, ctrl.Options{Metrics: server.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: new(true)}})
	if err != nil {
		return err
	}
	if err := (&controller.Reconciler{Client: m.GetClient()}).SetupWithManager(m); err != nil {
		return err
	}
	return m.Start(ctx)
}

// The suite plays what users do, and lets something go wrong at each write of the controller: it is killed, an answer is lost, events are
// late, its view is stale. It must end as undisturbed.
func TestSuite(t *testing.T) { plugin.Test(t, subject) }

// Random disturbances, several at once: go test -run XXX -fuzz FuzzSuite -fuzztime 5m. Plain go test plays each pair of them.
func FuzzSuite(f *testing.F) { plugin.Fuzz(f, subject) }

var subject = plugin.Subject{Name: "settings", Run: manager, Scenario: []story.Step{
	plugin.Create(`{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {example.com/settings: a}}}`),
	plugin.Change("namespaces/shop", `{metadata: {labels: {example.com/settings: b}}}`),
	plugin.Annotate("configmaps/shop/settings"),
	plugin.Change("namespaces/shop", `{metadata: {labels: {example.com/settings: c}}}`),
	plugin.Delete("configmaps/shop/settings"),
	plugin.Create(`{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {example.com/settings: a}}}`),
	plugin.Delete("namespaces/other"),
}}
