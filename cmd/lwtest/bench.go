package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/lwtest/lwtest/fakes/apiserver/rest/load"
)

func (a app) benchVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure a fake",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return usagef("say what: `lwtest bench apiserver`") },
	}
	cmd.AddCommand(a.benchAPIServerVerb())
	return cmd
}

func (a app) benchAPIServerVerb() *cobra.Command {
	var against string
	var managed bool
	var o load.Options
	cmd := &cobra.Command{
		Use:   "apiserver",
		Short: "Measure the API server fake over HTTP, and another server to compare with",
		Long: "bench apiserver starts the fake in a process of its own, on loopback with TLS, and puts load on it.\n" +
			"It creates and patches configmaps of 1 KB while watches are open, lists them, and changes them with\n" +
			"many watches open. With --against it then does the same to another API server, in a new namespace that\n" +
			"it deletes afterwards. If that server listens on this machine, its memory is shown, too.",
		Example: "  lwtest bench apiserver --against kubeconfig:$KUBECONFIG",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Listed <= 0 || o.Fanned <= 0 {
				return usagef("--listed and --fanned must be above 0")
			}
			return a.benchAPIServer(cmd.Context(), against, managed, o)
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "another server to compare with, as kubeconfig:`FILE`")
	cmd.Flags().BoolVar(&managed, "managed-fields", false, "the fake keeps managedFields from each object's creation on, as with serve apiserver --managed-fields")
	cmd.Flags().IntVar(&o.Listed, "listed", 10_000, "the `COUNT` of objects to create, to patch and to list")
	cmd.Flags().IntVar(&o.Fanned, "fanned", 1000, "the `COUNT` of watches that changes go to")
	return cmd
}

// measured holds the figures of a server under load.
type measured struct {
	load.Figures
	ready      time.Duration // from the start of its process until it was ready; 0: not known
	idle, most int64         // bytes of memory; 0: not known
}

func (a app) benchAPIServer(ctx context.Context, against string, managed bool, o load.Options) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	var other *clientrest.Config
	if against != "" {
		file, ok := strings.CutPrefix(against, "kubeconfig:")
		if !ok {
			return usagef("--against is %q: say kubeconfig:FILE", against)
		}
		var err error
		if other, err = clientcmd.BuildConfigFromFlags("", file); err != nil {
			return fmt.Errorf("--against: %w", err)
		}
		other.QPS = -1
	}
	ours, err := a.benchOurs(ctx, managed, o)
	if err != nil {
		return fmt.Errorf("the fake: %w", err)
	}
	if other == nil {
		a.printFigures(ours, nil)
		return nil
	}
	theirs, err := a.measure(ctx, other, listener(other.Host), o)
	if err != nil {
		return fmt.Errorf("the other server: %w", err)
	}
	a.printFigures(ours, &theirs)
	return nil
}

// benchOurs starts the fake and measures it.
func (a app) benchOurs(ctx context.Context, managed bool, o load.Options) (m measured, err error) {
	dir, err := os.MkdirTemp("", "lwtest-bench-")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "kubeconfig")
	path, err := os.Executable()
	if err != nil {
		return m, err
	}
	cmd := exec.Command(path, "serve", "apiserver", "--tls", "--token", rand.Text(), "--kubeconfig", file, fmt.Sprintf("--managed-fields=%t", managed))
	cmd.Stderr = a.stderr
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, end(cmd)) }()
	config, err := awaitServer(ctx, file)
	if err != nil {
		return m, err
	}
	ready := time.Since(begin)
	m, err = a.measure(ctx, config, cmd.Process.Pid, o)
	m.ready = ready
	return m, err
}

// end interrupts the server and waits for it to end.
func end(cmd *exec.Cmd) error {
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return cmd.Wait()
}

// awaitServer waits until the kubeconfig is there and its server is ready.
func awaitServer(ctx context.Context, file string) (*clientrest.Config, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		config, err := clientcmd.BuildConfigFromFlags("", file)
		if err == nil {
			config.QPS = -1
			err = readyz(ctx, config)
		}
		if err == nil {
			return config, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("it is not ready after 10 s: %w", err)
		case <-time.After(200 * time.Microsecond):
		}
	}
}

func readyz(ctx context.Context, config *clientrest.Config) error {
	client, err := clientrest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

// measure puts load on a server. process is its process id, or 0 if that is not known.
func (a app) measure(ctx context.Context, config *clientrest.Config, process int, o load.Options) (m measured, err error) {
	m.idle = resident(process)
	o.Progress = func(what string) {
		fmt.Fprintf(a.stderr, "%s: %s\n", config.Host, what)
		m.most = max(m.most, resident(process))
	}
	m.Figures, err = load.Run(ctx, config, o)
	return m, err
}

// printFigures prints the figures, with the ratio to a kube-apiserver that the fake should reach.
func (a app) printFigures(ours measured, theirs *measured) {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer w.Flush()
	if theirs == nil {
		theirs = &measured{}
	}
	fmt.Fprintf(w, "\tthe fake\tthe other\tratio\taim\t\n")
	line := func(what string, format func(float64) string, our, their float64, aim string) {
		ratio := "-"
		other := "-"
		if their > 0 {
			ratio, other = fmt.Sprintf("%.2f", our/their), format(their)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", what, format(our), other, ratio, aim)
	}
	count := func(v float64) string { return fmt.Sprintf("%.0f", v) }
	ms := func(v float64) string { return fmt.Sprintf("%.1f ms", v*1000) }
	mb := func(v float64) string { return fmt.Sprintf("%.0f MB", v/1e6) }
	line("ready", ms, ours.ready.Seconds(), theirs.ready.Seconds(), "30 ms")
	line("memory, idle", mb, float64(ours.idle), float64(theirs.idle), "")
	line("memory, most", mb, float64(ours.most), float64(theirs.most), "0.4")
	line("creates a second", count, ours.Creates, theirs.Creates, "3")
	line("patches a second", count, ours.Patches, theirs.Patches, "3")
	for i, form := range load.Forms {
		their := 0.0
		if theirs.Lists != nil {
			their = theirs.Lists[i].Seconds()
		}
		line("list in "+form[0], ms, ours.Lists[i].Seconds(), their, map[bool]string{true: "0.25", false: "0.33"}[i == 0])
	}
	line("events a second, burst", count, ours.Burst, theirs.Burst, "4")
	line("events a second, trickle", count, ours.Trickle, theirs.Trickle, "")
}
