// Package serveapi is the command `lwtest serve apiserver`. lwtest-apiserver is the same command, with CEL.
package serveapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
)

// UsageError is an error in the command line.
type UsageError struct{ error }

func usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Flags are the flags of the command, and what they say.
type Flags struct {
	*pflag.FlagSet
	Kubeconfig string

	options   serve.Options
	extras    Extras
	admission []string
	pods      string // of --pods-through
}

// Command returns the command `apiserver`, which serves until it is interrupted or its context ends. The kubeconfig goes to stdout. cel may
// be nil, see apiserver.Options. Errors in the values of flags are UsageErrors.
func Command(stdout, stderr io.Writer, cel apiserver.CEL) *cobra.Command {
	f := NewFlags()
	f.options.CEL = cel
	cmd := &cobra.Command{
		Use:   "apiserver",
		Short: "Serve the API server fake until Ctrl-C, and print its kubeconfig",
		Long:  long(cel),
		Example: `  lwtest serve apiserver > kubeconfig &          # a free port of loopback
  lwtest serve apiserver --address 127.0.0.1:8080 --manifests ./objects
  lwtest serve apiserver --kubeconfig ./fake     # into a file, once it serves
  lwtest serve apiserver --tls --token secret    # HTTPS, and nobody else
  lwtest serve apiserver --manifests ./objects --webhook-service hooks/validate=127.0.0.1:9443
  lwtest serve apiserver --accounts --admission ServiceAccount,ResourceQuota
  lwtest serve apiserver --view b=10s            # a second server on the same store, whose caches are 10 s behind
  lwtest serve apiserver --log log.jsonl         # and then: lwtest history log.jsonl > h.jsonl; lwtest judge h.jsonl
  lwtest serve apiserver --faults faults.yaml    # where faults.yaml is, for one:
      faults:                                    # docs/faults.md has all of them
      - {verbs: [list], resource: configmaps, nth: 1, times: 3, status: {code: 429, retryAfter: 2}}
      - {verbs: [watch], userAgent: kubelet, events: {types: [DELETED], nth: 1, do: drop}}`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), stdout, stderr) },
	}
	cmd.Flags().AddFlagSet(f.FlagSet)
	return cmd
}

// NewFlags returns the flags with their defaults.
func NewFlags() *Flags {
	f := &Flags{FlagSet: pflag.NewFlagSet("apiserver", pflag.ContinueOnError)}
	f.StringVar(&f.options.Address, "address", "", "listen at this `ADDRESS` (default a free port of 127.0.0.1)")
	f.BoolVar(&f.options.TLS, "tls", false, "serve HTTPS; the kubeconfig has the certificate of its authority")
	f.StringVar(&f.options.Token, "token", "", "the bearer `TOKEN` that every request must have")
	f.StringArrayVar(&f.options.Manifests, "manifests", nil, "create the objects of the .yaml, .yml and .json files of this `FOLDER` first, by name, but definitions, namespaces and classes before all others. May be\nrepeated, and name a file")
	f.StringVar(&f.Kubeconfig, "kubeconfig", "", "write the kubeconfig to this `FILE`, not to stdout")
	f.StringVar(&f.extras.Log, "log", "", "write a request log to this `FILE`, as JSON Lines; it holds whole objects, secrets included")
	f.StringVar(&f.extras.Faults, "faults", "", "a YAML or JSON `FILE` that says which requests fail and how, see docs/faults.md")
	f.BoolVar(&f.options.RBAC, "rbac", false, "refuse what no role allows to service accounts and to users who are impersonated (--as); the usual ClusterRoles exist. An\nunknown token is 401, and with --tls a request without one is anonymous")
	f.BoolVar(&f.options.Pprof, "pprof", false, "serve /debug/pprof/")
	f.StringToStringVar(&f.options.Webhooks.Services, "webhook-service", nil, "`NAMESPACE/NAME=HOST:PORT`: where the webhooks, or the API server, of a service are. May be repeated. Only this machine and private addresses are connected to")
	f.BoolVar(&f.options.Accounts, "accounts", false, "give each namespace the ServiceAccount default and the ConfigMap kube-root-ca.crt, as kube-controller-manager does")
	f.StringSliceVar(&f.admission, "admission", nil, "switch these optional admission `PLUGINS` on: "+strings.Join(apiserver.AdmissionPlugins(), ", "))
	f.StringArrayVar(&f.extras.Views, "view", nil, "`NAME=LAG`: serve another view of the store, at a free port, whose caches are so much behind; a context of\nthat name is in the kubeconfig. May be repeated")
	f.BoolVar(&f.options.Workloads, "workloads", false, "run stand-ins for the controllers of kube-controller-manager that users see: Deployments, Jobs, the garbage collector and more")
	f.BoolVar(&f.options.Scheduler, "schedule", false, "stand in for kube-scheduler: give each pod a ready node that it fits. Affinity between pods, topology spread and preemption are ignored")
	f.BoolVar(&f.options.ManagedFields, "managed-fields", true, "keep metadata.managedFields from each object's creation on, as kube-apiserver does; with =false only once somebody has applied it, which makes\nwrites cheaper")
	f.BoolVar(&f.options.Provisioner, "provision", false, "create the default StorageClass standard, and make the volumes of its claims. --workloads or a kube-controller-manager binds them")
	f.StringVar(&f.pods, "pods-through", "", "connect to addresses of pods through an HTTP proxy, as `PREFIX=ADDRESS`")
	_ = f.MarkHidden("pods-through") // it exists; lwtest serve cluster says it
	return f
}

// Args returns the flags that were given but --kubeconfig, for another process.
func (f *Flags) Args() (all []string) {
	f.VisitAll(func(g *pflag.Flag) {
		if !g.Changed || g.Name == "kubeconfig" {
			return
		}
		values := []string{strings.Trim(g.Value.String(), "[]")} // those of a map are in brackets
		if v, ok := g.Value.(pflag.SliceValue); ok {
			values = v.GetSlice()
		}
		for _, v := range values {
			all = append(all, "--"+g.Name+"="+v)
		}
	})
	return all
}

// long says what the server does with CEL.
func long(cel apiserver.CEL) string {
	const all = "Serve the API server fake until Ctrl-C, and print its kubeconfig.\n\n" +
		"No controllers run, but one: a deleted namespace is emptied and goes.\n" +
		"PersistentVolumeClaims and PersistentVolumes have no finalizer, and go at once, unless\n" +
		"--admission StorageObjectInUseProtection gives them one, which then somebody else must take away.\n\n"
	if cel != nil {
		return all + "CEL expressions are evaluated: x-kubernetes-validations of definitions, and matchConditions of webhooks, and\n" +
			"ValidatingAdmissionPolicies."
	}
	return all + "CEL expressions are not evaluated: definitions and webhooks that have some are accepted with a warning. The command\n" +
		"lwtest-apiserver evaluates them, and is the same otherwise: `go install github.com/lwtest/lwtest/cmd/lwtest-apiserver@latest`."
}

func (f *Flags) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	o := f.options
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // half as much garbage in memory, for about a twentieth more processor time
	}
	if o.Admission, err = apiserver.ParseAdmission(f.admission); err != nil {
		return usagef("--admission: %v", err)
	}
	if f.pods != "" {
		if o.DialKubelet, err = through(f.pods); err != nil {
			return err
		}
	}
	if _, err := serve.Files(o.Manifests); err != nil {
		return fmt.Errorf("--manifests: %w", err)
	}
	end, err := f.extras.Add(&o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	s, err := serve.Start(ctx, o)
	if err != nil {
		return err
	}
	defer s.Close()
	servers := s.Servers
	if err := WriteKubeconfig(f.Kubeconfig, stdout, servers.Kubeconfig()); err != nil {
		return err
	}
	for _, s := range servers[1:] {
		fmt.Fprintf(stderr, "view %s at %s\n", s.Name, s.Server.URL())
	}
	fmt.Fprintf(stderr, "serving at %s until Ctrl-C\n", servers[0].Server.URL())
	<-ctx.Done()
	return nil
}

// WriteKubeconfig writes a kubeconfig to stdout if file is "", or else to the file, which never has only a part of it.
func WriteKubeconfig(file string, stdout io.Writer, kubeconfig []byte) (err error) {
	if file == "" {
		_, err = stdout.Write(kubeconfig)
	} else if info, err2 := os.Stat(file); err2 == nil && !info.Mode().IsRegular() { // /dev/stdout, a pipe
		err = os.WriteFile(file, kubeconfig, 0o600)
	} else if err = os.WriteFile(file+".new", kubeconfig, 0o600); err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		_ = os.Remove(file + ".new") // it may not be there
		return fmt.Errorf("the kubeconfig %s cannot be written: %w", file, err)
	}
	return nil
}

// Extras are the texts of the flags --faults, --log and --view.
type Extras struct {
	Faults, Log string
	Views       []string
}

// Add adds to options what the flags say. Call end when the server has ended: it closes the log. Errors name the flags.
func (x Extras) Add(o *serve.Options) (end func() error, err error) {
	if o.Faults, err = readFaults(x.Faults); err != nil {
		return nil, err
	}
	if o.Views, err = readViews(x.Views); err != nil {
		return nil, err
	}
	if x.Log == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(x.Log)
	if err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	sink, failed := requestlog.JSONLines(f)
	o.Log = requestlog.New(sink)
	return func() error {
		if err := errors.Join(failed(), f.Close()); err != nil {
			return fmt.Errorf("--log: %w", err)
		}
		return nil
	}, nil
}

// readFaults reads the file of --faults. "" means no faults.
func readFaults(file string) (*faults.Set, error) {
	if file == "" {
		return faults.New(0)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--faults: %w", err)
	}
	set, err := faults.Read(b)
	if err != nil {
		return nil, fmt.Errorf("--faults: %s: %w", file, err)
	}
	return set, nil
}

// readViews reads the values of --view.
func readViews(all []string) ([]serve.View, error) {
	var out []serve.View
	for _, said := range all {
		name, lag, ok := strings.Cut(said, "=")
		d, err := time.ParseDuration(lag)
		if !ok || err != nil || name == "" || name == "lwtest" || slices.ContainsFunc(out, func(v serve.View) bool { return v.Name == name }) {
			return nil, usagef("--view %q: say NAME=LAG, b=10s for one (0s: none; -1s: nothing new is ever seen), with a name of its own that is not lwtest", said)
		}
		out = append(out, serve.View{Name: name, Lag: d})
	}
	return out, nil
}
