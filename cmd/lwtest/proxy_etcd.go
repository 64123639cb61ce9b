package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/etcd"
	"github.com/lwtest/lwtest/harness/report"
)

// proxyingEtcd holds the options of `proxy etcd`.
type proxyingEtcd struct{ faults, address, cacert, cert, key string }

func (a app) proxyEtcdVerb() *cobra.Command {
	var o proxyingEtcd
	cmd := &cobra.Command{
		Use:   "etcd HOST:PORT --faults FILE",
		Short: "Stand between an API server and its etcd until Ctrl-C, and let happen what only an etcd can cause",
		Long: `Stand between an API server and the etcd at HOST:PORT, or what speaks etcd's protocol, until Ctrl-C, and let happen what --faults says: watches
that are late, lose events, come in fragments or end with a compaction, transactions whose answers are lost, leaders that are gone, ranges from the
past. Point the API server to the address that is printed. Each strike of a fault is a line on stderr. An etcd with TLS, as kubeadm and kind
have it, needs --cacert, --cert and --key, as etcdctl does. The API server reaches the proxy without TLS.`,
		Example: `  lwtest proxy etcd 127.0.0.1:2379 --address 127.0.0.1:3379 --faults faults.yaml
  kube-apiserver --etcd-servers=http://127.0.0.1:3379 …         # where faults.yaml is, for one:
      faults:                                                   # docs/faults.md has all of them
      - {verbs: [txn], prefix: /registry/leases, nth: 3, loseAnswer: true}
      - {prefix: /registry/pods, events: {do: delay, for: 30s}}
      - {verbs: [range, txn], probability: 0.01, status: leader changed}
  cd /etc/kubernetes/pki/etcd && lwtest proxy etcd 127.0.0.1:2379 --cacert ca.crt --cert server.crt --key server.key --faults ~/faults.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("say where etcd is, as HOST:PORT, such as 127.0.0.1:2379")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.faults == "" {
				return usagef("say with --faults what is to happen")
			}
			return a.proxyEtcd(cmd.Context(), args[0], o)
		},
	}
	cmd.Flags().StringVar(&o.faults, "faults", "", "a YAML or JSON `FILE` that says what happens, see docs/faults.md")
	cmd.Flags().StringVar(&o.address, "address", "127.0.0.1:0", "where to listen, as `HOST:PORT`; port 0 is a free one")
	cmd.Flags().StringVar(&o.cacert, "cacert", "", "a `FILE` with the certificate of who signed that of etcd")
	cmd.Flags().StringVar(&o.cert, "cert", "", "a `FILE` with a certificate that etcd accepts of clients")
	cmd.Flags().StringVar(&o.key, "key", "", "a `FILE` with its key")
	return cmd
}

// secure returns how etcd is reached; nil: without TLS.
func (o proxyingEtcd) secure(up string) (*tls.Config, error) {
	if o.cacert == "" && o.cert == "" && o.key == "" {
		if strings.HasPrefix(up, "https://") {
			return nil, usagef("%s has TLS: say --cacert, --cert and --key, as etcdctl has them", up)
		}
		return nil, nil
	}
	c, err := rest.TLSConfigFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{CAFile: o.cacert, CertFile: o.cert, KeyFile: o.key}})
	if err != nil {
		return nil, fmt.Errorf("--cacert, --cert, --key: %w", err)
	}
	return c, nil
}

func (a app) proxyEtcd(ctx context.Context, etcdAt string, o proxyingEtcd) error {
	ctx, stop := signal.NotifyContext(ctx, ending()...)
	defer stop()
	b, err := os.ReadFile(o.faults)
	if err != nil {
		return fmt.Errorf("--faults: %w", err)
	}
	all, err := etcd.Read(b)
	if err != nil {
		return fmt.Errorf("--faults: %s: %w", o.faults, err)
	}
	secure, err := o.secure(etcdAt)
	if err != nil {
		return err
	}
	up := strings.TrimPrefix(strings.TrimPrefix(etcdAt, "http://"), "https://")
	if c, err := net.Dial("tcp", up); err != nil {
		return fmt.Errorf("no etcd answers: say where it is, as HOST:PORT: %w", err)
	} else if err := c.Close(); err != nil {
		return err
	}
	p, err := etcd.New(up, secure, o.address, func(fault, verb, key string) {
		fmt.Fprintf(a.stderr, "%s: %s %s\n", fault, verb, report.Line(key))
	}, all...)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(a.stdout, "http://%s\n", p.Address()); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "passing on to %s until Ctrl-C\n", up)
	<-ctx.Done()
	return p.Close()
}
