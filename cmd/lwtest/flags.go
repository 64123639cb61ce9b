package main

import (
	"errors"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/targets"
)

// flags holds the flags of the verbs that run something.
type flags struct {
	set         *pflag.FlagSet
	suites      []string
	targets     []string
	server      string
	context     string
	resource    string
	etcd        string
	restartCmd  string
	kindImage   string
	kindConfig  string
	kindEtcd    bool
	keepCluster bool
	crds        []string
	roles       []string
	manifests   []string
	scenario    string
	quiet       time.Duration
	features    []string
	gates       []string
	level       string
	known       string
	parallel    int
	timeout     time.Duration
	span        time.Duration
	seed        int64
	out         string
	format      string
	realTime    bool
	resume      string
	release     string
	color       string
	verbose     bool
	show        string
	keep        string
	wire        string
	html        string
	since       *report.Diff // for the page of --html; nil: nothing to compare with
}

// selecting registers the flags that select checks and targets.
func (f *flags) selecting(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.suites, "suite", nil, "only checks of this `KIND` (repeatable)")
	f.aiming(cmd)
}

// aiming registers the flags that select targets.
func (f *flags) aiming(cmd *cobra.Command) {
	s := cmd.Flags()
	f.set = s
	s.StringArrayVar(&f.targets, "target", nil, "what to test, as a `CONNECT` string (repeatable; default lwtest's own server and client-go's main parts; all: every built-in target)")
	s.StringVar(&f.server, "server", "", "for clients: the `CONNECT` string of the API server to use, kubeconfig:PATH or kind (default lwtest's own, which misbehaves on demand)")
	s.StringVar(&f.context, "context", "", "for a kubeconfig: the `CONTEXT` to use (default its current one)")
	s.StringVar(&f.resource, "resource", "", "for a cluster: the `RESOURCE` to test with: configmaps (default), leases, events, deployments (with a status), pods (with a grace period too; nothing runs them) or things (a custom one)")
	s.StringVar(&f.etcd, "etcd", "", "for a cluster: the `ENDPOINT` of its etcd; checks then compact the history of the whole cluster")
	s.StringVar(&f.restartCmd, "restart-cmd", "", "for a cluster: the shell `COMMAND` that restarts its API server")
	s.StringVar(&f.kindImage, "kind-image", "", "for a new kind cluster: the `IMAGE` of its nodes (default kind's own, which it pulls)")
	s.StringVar(&f.kindConfig, "kind-config", "", "for a new kind cluster: the `FILE` with its configuration (default from the image's label, or kind's)")
	s.BoolVar(&f.kindEtcd, "kind-etcd", false, "for a kind cluster: use its etcd; checks then compact the history of the whole cluster")
	s.BoolVar(&f.keepCluster, "keep-cluster", false, "for a new kind cluster: do not delete it after the run")
	s.StringSliceVar(&f.crds, "crds", nil, "for a controller: a `PATH` of custom resource definitions, a file or a folder (repeatable)")
	s.StringSliceVar(&f.roles, "role", nil, "for a controller: a `PATH` of its ClusterRoles and Roles, a file or a folder; what it asks for is compared with them (repeatable)")
	s.StringSliceVar(&f.manifests, "manifests", nil, "for a controller that is a program: a `PATH` of objects that exist before it starts, a file or a folder, such as its webhook configurations (repeatable)")
	s.StringVar(&f.scenario, "scenario", "", "for a controller: the `FILE` with what users do, in steps, or with samples of objects (docs/controllers.md)")
	s.DurationVar(&f.quiet, "quiet", 0, "for a controller: it is at rest when it has written nothing for this `DURATION` (default 10s)")
	s.StringArrayVar(&f.features, "feature", nil, "declare a `FEATURE`, or withdraw it: --feature=-x (repeatable)")
	f.gating(cmd)
	f.seeding(cmd)
}

func (f *flags) gating(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.gates, "gates", nil, "set feature `GATES` of client-go, as NAME=false,NAME=true: AtomicFIFO, InOrderInformersBatchProcess, UnlockWhileProcessingFIFO, WatchListClient")
}

func (f *flags) seeding(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&f.seed, "seed", 1, "seed of random choices, a `NUMBER`: the same seed repeats the run")
}

// running registers the flags that say how to run, judge and print.
func (f *flags) running(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.level, "level", "must", "clauses whose failures count; `LEVEL` is must or should")
	s.StringVar(&f.known, "known", "", "a `FILE` of known failures, in addition to those of the targets")
	f.driving(cmd)
	f.printing(cmd)
}

// driving registers the flags that say how to drive checks.
func (f *flags) driving(cmd *cobra.Command) {
	s := cmd.Flags()
	f.set = s
	s.IntVar(&f.parallel, "parallel", 0, "the `COUNT` of worker processes (default one per core, and three for controllers in real time, which mostly wait); checks that only keep watches open for minutes are not counted")
	s.DurationVar(&f.timeout, "timeout", harness.DefaultWall, "stop a check that takes longer than this `DURATION`; in real time, longer than this and its own span")
	s.DurationVar(&f.span, "span", harness.DefaultLongest, "in real time, skip checks that take longer than this `DURATION`")
	s.BoolVar(&f.realTime, "real-time", false, "do not use virtual time, even if a target declares it")
	s.StringVar(&f.keep, "keep", keepNew, "keep these histories in the run directory; `WHICH` is new (new failures and inconclusive checks) or all")
	s.StringVar(&f.out, "out", "", "run directory, a `DIR` (default runs/<UTC time>-<seed>)")
}

// printing registers the flags for stdout.
func (f *flags) printing(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.format, "format", "text", "print this `FORMAT`: text, json, junit, markdown, or github: text with annotations, and a summary of the workflow's step")
	s.StringVar(&f.color, "color", "auto", "use colors: `WHEN` is auto, always or never")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "list every check, and show every new failure in full")
	s.StringVar(&f.html, "html", "", "also write the report to this `FILE`, as one page for a browser")
	s.StringVar(&f.show, "show", "", "list what the summary only counts; `WHAT` is known (failures) or skipped (checks)")
}

// settings checks the flags and returns the settings of the run.
func (f *flags) settings(a app, globs []string) (report.Settings, error) {
	level, err := f.check()
	if err != nil {
		return report.Settings{}, err
	}
	if err := errors.Join(checkGlobs(globs), checkFeatures(f.features)); err != nil {
		return report.Settings{}, err
	}
	for _, s := range f.suites {
		if _, err := a.kind(s); err != nil {
			return report.Settings{}, err
		}
	}
	if f.server != "" {
		if err := targets.CheckServer(f.server); err != nil {
			return report.Settings{}, err
		}
	}
	connects, err := a.targets.Connects(f.targets, f.server, f.options())
	if err != nil {
		return report.Settings{}, err
	}
	if err := f.setGates(); err != nil {
		return report.Settings{}, err
	}
	return report.Settings{Targets: connects, Globs: globs, Suites: f.suites, Features: f.features, Gates: f.gates, Seed: f.seed,
		RealTime: f.realTime, Timeout: f.timeout, Span: f.span, Keep: f.kept(), Level: level}, nil
}

// The values of --keep.
const (
	keepNew = "new"
	keepAll = "all"
)

// kept returns --keep as the settings hold it.
func (f *flags) kept() string {
	if f.keep == keepAll {
		return report.KeepAll
	}
	return ""
}

// setGates sets the feature gates in this process and, by the environment, in its workers.
func (f *flags) setGates() error {
	slices.Sort(f.gates)
	if err := clientgo.SetGates(f.gates); err != nil {
		return usagef("--gates: %w", err)
	}
	return nil
}

// options returns the flags that become part of a cluster's connect string.
func (f *flags) options() url.Values {
	out := url.Values{}
	for name, v := range map[string]string{targets.OptContext: f.context, targets.OptResource: f.resource, targets.OptEtcd: f.etcd, targets.OptRestart: f.restartCmd,
		targets.OptImage: f.kindImage, targets.OptConfig: f.kindConfig, targets.OptKindEtcd: yes(f.kindEtcd), targets.OptKeep: yes(f.keepCluster),
		targets.OptCRDs: strings.Join(f.crds, ","), targets.OptRole: strings.Join(f.roles, ","), targets.OptManifests: strings.Join(f.manifests, ","), targets.OptScenario: f.scenario, targets.OptQuiet: duration(f.quiet)} {
		if v != "" {
			out.Set(name, v)
		}
	}
	return out
}

// duration returns the form of a time in a connect string; "": there is none.
func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// yes returns the form of a switch in a connect string.
func yes(on bool) string {
	if on {
		return "yes"
	}
	return ""
}

// check returns an error for a value that cannot be meant.
func (f *flags) check() (harness.Level, error) {
	switch {
	case f.parallel < 0:
		return "", usagef("--parallel is %d: say how many processes, 0 for one per core", f.parallel)
	case f.timeout <= 0:
		return "", usagef("--timeout is %s: a check needs some time", f.timeout)
	case f.keep != keepNew && f.keep != keepAll:
		return "", usagef("--keep is %q: say new or all", f.keep)
	case f.span <= 0:
		return "", usagef("--span is %s: give a time above 0", f.span)
	}
	return f.checkJudging()
}

// checkGlobs returns an error for a malformed glob and for an empty one. An empty one would select everything, and
// probably comes from a variable that is not set.
func checkGlobs(globs []string) error {
	for _, g := range globs {
		if g == "" {
			return usagef("a glob is empty: leave it out for all checks, or say which; `lwtest list` shows them")
		}
		if _, err := path.Match(g, ""); err != nil {
			return usagef("%q is not a glob: close each [ with a ], and write \\[ for the sign itself; `lwtest list` shows all addresses", g)
		}
	}
	return nil
}

// checkFeatures returns an error for a feature that is both declared and withdrawn.
func checkFeatures(changes []string) error {
	for _, c := range changes {
		if !strings.HasPrefix(c, "-") && slices.Contains(changes, "-"+c) {
			return usagef("--feature %s and --feature=-%s contradict each other: say one of them", c, c)
		}
	}
	return nil
}

func (f *flags) checkJudging() (harness.Level, error) {
	if err := f.checkPrinting(); err != nil {
		return "", err
	}
	switch strings.ToLower(f.level) {
	case "must":
		return harness.Must, nil
	case "should":
		return harness.Should, nil
	}
	return "", usagef("--level is %q: say must or should", f.level)
}

func (f *flags) checkPrinting() error {
	switch f.format {
	case "text", "json", "junit", "markdown", "github":
	default:
		return usagef("--format is %q: say text, json, junit, markdown or github", f.format)
	}
	if dir := filepath.Dir(f.html); f.html != "" && !isDir(dir) { // before a run, not after it
		return usagef("--html is %q, and there is no directory %s: create it, or name another file", f.html, dir)
	}
	switch report.Show(f.show) {
	case report.ShowNothing, report.ShowKnown, report.ShowSkipped:
	default:
		return usagef("--show is %q: say known or skipped", f.show)
	}
	switch f.color {
	case "auto", "always", "never":
	default:
		return usagef("--color is %q: say auto, always or never", f.color)
	}
	return nil
}
