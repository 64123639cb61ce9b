package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/plugins/cri/proxy"
)

func (a app) proxyVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "proxy",
		Short: "Stand between a real client and what it uses: record what passes, or let it fail",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("say what is proxied: `lwtest proxy cri`, `lwtest proxy apiserver` or `lwtest proxy etcd`")
		},
	}
	cmd.AddCommand(a.proxyCRIVerb(), a.proxyAPIServerVerb(), a.proxyEtcdVerb())
	return cmd
}

// proxying holds the options of `proxy cri`.
type proxying struct {
	listen, out, faults string
	secrets             bool
	seed                uint64
}

func (a app) proxyCRIVerb() *cobra.Command {
	var o proxying
	cmd := &cobra.Command{
		Use:   "cri SOCKET --listen SOCKET",
		Short: "Stand between a kubelet and its container runtime until Ctrl-C, and record what passes",
		Long: `Stand between a kubelet, or crictl, and the container runtime that listens on SOCKET, until Ctrl-C. All calls are passed on, and
recorded as a history for ` + "`lwtest judge`" + `. Point the kubelet to the socket of --listen. All clients must use it: whatever reaches
the runtime by another way is not in the history, and the runtime is blamed for it.

The history holds no passwords of registries and no values of environment variables, unless --secrets is set. It holds commands of
containers and of exec probes, and what the probes print.`,
		Example: `  lwtest proxy cri /run/containerd/containerd.sock --listen /run/lwtest.sock --out history.jsonl
  kubelet --container-runtime-endpoint unix:///run/lwtest.sock …     # or crictl -r unix:///run/lwtest.sock ps
  lwtest judge history.jsonl                                         # after Ctrl-C
  lwtest proxy cri ./cri.sock --listen ./proxy.sock --faults faults.yaml    # where faults.yaml is, for one:
      faults:                                                               # docs/cri.md has all of them
      - {method: RemoveContainer, times: 1, code: INTERNAL}
      - {method: StopPodSandbox, times: 1, code: DEADLINE_EXCEEDED, applied: true}
      - {method: GetContainerEvents, times: 1, code: UNAVAILABLE, applied: true, hang: true, for: 20s}
      - {event: drop, type: CONTAINER_STOPPED_EVENT, times: 1}`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("say the path of the runtime's socket, such as /run/containerd/containerd.sock")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.listen == "" {
				return usagef("say with --listen at which socket the kubelet finds the proxy")
			}
			return a.proxyCRI(cmd.Context(), strings.TrimPrefix(args[0], "unix://"), o)
		},
	}
	cmd.Flags().StringVar(&o.listen, "listen", "", "the `PATH` of the socket that the kubelet uses. One that nobody serves any more is replaced")
	cmd.Flags().StringVar(&o.out, "out", "", "the `FILE` of the history, which must not exist. It is compressed if its name ends in .gz (default cri-TIME.jsonl.gz)")
	cmd.Flags().StringVar(&o.faults, "faults", "", "a YAML or JSON `FILE` that says which calls and events fail, and how")
	cmd.Flags().BoolVar(&o.secrets, "secrets", false, "record passwords and environment variables, too")
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "a `NUMBER` that decides the chances of faults")
	return cmd
}

func (a app) proxyCRI(ctx context.Context, socket string, o proxying) (err error) {
	ctx, stop := signal.NotifyContext(ctx, ending()...)
	defer stop()
	faults, err := readCRIFaults(o.faults)
	if err != nil {
		return err
	}
	if _, err := os.Stat(socket); err != nil {
		return fmt.Errorf("there is no socket of a runtime: name one that runs, such as /run/containerd/containerd.sock: %w", err)
	}
	up, err := proxy.Dial(socket)
	if err != nil {
		return err
	}
	defer up.Close()
	o.listen = strings.TrimPrefix(o.listen, "unix://")
	l, err := cri.Listen(o.listen)
	if err != nil {
		return fmt.Errorf("--listen: the socket cannot be made: choose another path, or stop what serves it: %w", err)
	}
	defer l.Close()
	if o.out == "" {
		o.out = time.Now().UTC().Format("cri-20060102T150405Z.jsonl.gz")
	}
	out, err := os.OpenFile(o.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("--out: %s is there already: remove it, or name another file", o.out)
	} else if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer out.Close()
	record := io.Writer(out)
	if filepath.Ext(o.out) == ".gz" {
		z, _ := gzip.NewWriterLevel(out, gzip.BestSpeed) // the level is a valid one
		defer func() { err = errors.Join(err, z.Close()) }()
		record = flushed{z}
	}
	p, err := proxy.New(ctx, up, proxy.Options{Target: "cri:unix://" + socket, Out: record, Secrets: o.secrets, Faults: faults, Seed: o.seed, Problem: func(err error) {
		fmt.Fprintf(a.stderr, "lwtest: the history cannot be written any more, and calls still pass: %s\n", report.Line(err.Error()))
	}})
	if err != nil {
		os.Remove(o.out) // it has nothing but a header
		return fmt.Errorf("%s: %w", socket, err)
	}
	done := make(chan error, 1)
	go func() { done <- p.Serve(l) }()
	fmt.Fprintf(a.stderr, "passing on unix://%s to unix://%s until Ctrl-C; history: %s\n", o.listen, socket, o.out)
	select {
	case <-ctx.Done():
	case err = <-done:
	}
	sum, failed := p.Close()
	if failed != nil {
		err = errors.Join(err, fmt.Errorf("--out: %s is not complete: %w", o.out, failed))
	}
	_, printed := fmt.Fprintf(a.stdout, "%s, %d failed; %s; %s injected\n%s: %s. Judge it: lwtest judge %s\n", report.Many(sum.Calls, "call"), sum.Failed,
		report.Many(sum.Events, "event"), report.Many(sum.Faults, "fault"), o.out, report.Many(sum.Recorded, "line"), o.out)
	return errors.Join(err, printed)
}

// flushed compresses what it is given at once, so that nothing is lost if lwtest is killed.
type flushed struct{ *gzip.Writer }

func (f flushed) Write(b []byte) (int, error) {
	n, err := f.Writer.Write(b)
	return n, errors.Join(err, f.Flush())
}

// readCRIFaults reads the file of --faults. "" means no faults.
func readCRIFaults(file string) ([]cri.Fault, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--faults: %w", err)
	}
	faults, err := cri.ReadFaults(b)
	if err != nil {
		return nil, fmt.Errorf("--faults: %s: %w; docs/cri.md says what faults there are", file, err)
	}
	return faults, nil
}

// injected says which faults a proxy has injected into a history; "": none.
func injected(h *history.History) string {
	if h.Header.Kind != runtime.Suite.Kind {
		return ""
	}
	n, times, names := 0, map[string]int{}, []string{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind != runtime.KindFault || e.X == nil {
			continue
		}
		var fault struct{ Name, Does string }
		_ = json.Unmarshal(e.X.Body, &fault) // of another writer; it counts all the same
		text := fmt.Sprintf("%s (%s)", fault.Name, fault.Does)
		if times[text] == 0 {
			names = append(names, text)
		}
		n++
		times[text]++
	}
	if n == 0 {
		return ""
	}
	for i, text := range names {
		names[i] = fmt.Sprintf("%s %d×", text, times[text])
	}
	return fmt.Sprintf("%s injected, do not blame the runtime for what they break: %s", report.Many(n, "fault"), strings.Join(names, ", "))
}
