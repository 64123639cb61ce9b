package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/fakes/etcd"
	"github.com/lwtest/lwtest/harness/report"
)

func (a app) proxyEtcdVerb() *cobra.Command {
	var faults, address string
	cmd := &cobra.Command{
		Use:   "etcd HOST:PORT --faults FILE",
		Short: "Stand between an API server and its etcd until Ctrl-C, and let happen what only an etcd can cause",
		Long: `Stand between an API server and the etcd at HOST:PORT, or what speaks etcd's protocol, until Ctrl-C, and let happen what --faults says: watches
that are late, lose events, come in fragments or end with a compaction, transactions whose answers are lost, leaders that are gone, ranges from the
past. Point the API server to the address that is printed. Each strike of a fault is a line on stderr. There is no TLS on either side.`,
		Example: `  lwtest proxy etcd 127.0.0.1:2379 --address 127.0.0.1:3379 --faults faults.yaml
  kube-apiserver --etcd-servers=http://127.0.0.1:3379 …         # where faults.yaml is, for one:
      faults:                                                   # docs/faults.md has all of them
      - {verbs: [txn], prefix: /registry/leases, nth: 3, loseAnswer: true}
      - {prefix: /registry/pods, events: {do: delay, for: 30s}}
      - {verbs: [range, txn], probability: 0.01, status: leader changed}`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("say where etcd is, as HOST:PORT, such as 127.0.0.1:2379")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.HasPrefix(args[0], "https://") {
				return usagef("%s: lwtest proxy etcd has no TLS: give an etcd that serves plain HTTP, as HOST:PORT", args[0])
			}
			if faults == "" {
				return usagef("say with --faults what is to happen")
			}
			return a.proxyEtcd(cmd.Context(), strings.TrimPrefix(args[0], "http://"), address, faults)
		},
	}
	cmd.Flags().StringVar(&faults, "faults", "", "a YAML or JSON `FILE` that says what happens, see docs/faults.md")
	cmd.Flags().StringVar(&address, "address", "127.0.0.1:0", "where to listen, as `HOST:PORT`; port 0 is a free one")
	return cmd
}

func (a app) proxyEtcd(ctx context.Context, up, address, file string) error {
	ctx, stop := signal.NotifyContext(ctx, ending()...)
	defer stop()
	b, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("--faults: %w", err)
	}
	all, err := etcd.Read(b)
	if err != nil {
		return fmt.Errorf("--faults: %s: %w", file, err)
	}
	if c, err := net.Dial("tcp", up); err != nil {
		return fmt.Errorf("no etcd answers: say where it is, as HOST:PORT: %w", err)
	} else if err := c.Close(); err != nil {
		return err
	}
	p, err := etcd.New(up, address, func(fault, verb, key string) {
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
