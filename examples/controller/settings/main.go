// Command settings runs the controller on the cluster that KUBECONFIG names.
package main

import (
	"flag"
	"log"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/lwtest/lwtest/examples/controller"
)

func main() {
	metrics := flag.String("metrics-bind-address", "0", "where metrics are served; 0: nowhere")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	c, err := ctrl.GetConfig()
	if err != nil {
		log.Fatal(err)
	}
	m, err := ctrl.NewManager(c, ctrl.Options{Metrics: server.Options{BindAddress: *metrics}})
	if err != nil {
		log.Fatal(err)
	}
	if err := (&controller.Reconciler{Client: m.GetClient()}).SetupWithManager(m); err != nil {
		log.Fatal(err)
	}
	if err := m.Start(ctrl.SetupSignalHandler()); err != nil {
		log.Fatal(err)
	}
}
