package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/plugins/kube"
	"github.com/lwtest/lwtest/plugins/kube/gate"
)

// proxyingAPI holds the options of `proxy apiserver`.
type proxyingAPI struct {
	faults, context, address, kubeconfig string
}

func (a app) proxyAPIServerVerb() *cobra.Command {
	var o proxyingAPI
	cmd := &cobra.Command{
		Use:   "apiserver [KUBECONFIG] --faults FILE",
		Short: "Stand between clients and an API server until Ctrl-C, and let requests fail",
		Long: `Stand between clients and the API server that KUBECONFIG leads to (default: what kubectl uses), until Ctrl-C, and let requests fail as
--faults says. A kubeconfig for the clients is printed. All that they ask passes with the credentials of KUBECONFIG, so the proxy listens on
this machine alone unless --address says otherwise. Each strike of a fault is a line on stderr.

The file is that of ` + "`lwtest serve apiserver --faults`" + ` (docs/faults.md). What only lwtest's own API server can do is refused: stale, empty,
limit, wire, views, and events whose bytes are spoiled.`,
		Example: `  lwtest proxy apiserver --faults faults.yaml > proxied
  KUBECONFIG=proxied ./manager                          # where faults.yaml is, for one:
      faults:
      - {verbs: [update], resource: deployments.apps, nth: 3, loseAnswer: true}
      - {verbs: [watch], resource: pods, events: {do: delay, for: 30s}}
      - {verbs: [create], probability: 0.1, status: {code: 429, retryAfter: 1}}`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("say one kubeconfig, or none for the one that kubectl uses")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.faults == "" {
				return usagef("say with --faults which requests fail, and how")
			}
			return a.proxyAPIServer(cmd.Context(), strings.Join(args, ""), o)
		},
	}
	cmd.Flags().StringVar(&o.faults, "faults", "", "a YAML or JSON `FILE` that says which requests fail and how, see docs/faults.md")
	cmd.Flags().StringVar(&o.context, "context", "", "the `CONTEXT` of the kubeconfig (default its current one)")
	cmd.Flags().StringVar(&o.address, "address", "127.0.0.1:0", "where to listen, as `HOST:PORT`; port 0 is a free one. There is no TLS: whoever knows the printed path is who KUBECONFIG says")
	cmd.Flags().StringVar(&o.kubeconfig, "kubeconfig", "", "write the kubeconfig for clients to this `FILE`, not to stdout")
	return cmd
}

func (a app) proxyAPIServer(ctx context.Context, kubeconfig string, o proxyingAPI) error {
	ctx, stop := signal.NotifyContext(ctx, ending()...)
	defer stop()
	b, err := os.ReadFile(o.faults)
	if err != nil {
		return fmt.Errorf("--faults: %w", err)
	}
	set, err := faults.Read(b)
	if err != nil {
		return fmt.Errorf("--faults: %s: %w", o.faults, err)
	}
	config, err := kube.Config(kube.Options{Kubeconfig: kubeconfig, Context: o.context})
	if err != nil {
		return err
	}
	up, err := gate.ReverseProxy(config)
	if err != nil {
		return err
	}
	h, err := set.Proxy(up, func(fault, does string, q *http.Request) {
		fmt.Fprintf(a.stderr, "%s: %s: %s %s\n", fault, does, q.Method, report.Line(q.URL.RequestURI()))
	})
	if err != nil {
		return fmt.Errorf("--faults: %s: %w", o.faults, err)
	}
	g, err := gate.New(h, o.address)
	if err != nil {
		return err
	}
	if err := a.handOut(g.Kubeconfig(), o.kubeconfig); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "passing on to %s until Ctrl-C\n", config.Host)
	<-ctx.Done()
	return g.Close()
}

// handOut prints a kubeconfig, or writes it to a file.
func (a app) handOut(kubeconfig []byte, file string) error {
	if file == "" {
		_, err := a.stdout.Write(kubeconfig)
		return err
	}
	if err := os.WriteFile(file, kubeconfig, 0o600); err != nil {
		return fmt.Errorf("--kubeconfig: %s cannot be written: %w", filepath.Base(file), err)
	}
	return nil
}
