// The checks seed math/rand, which repeats histories only with this setting.
//go:debug randseednop=0

// Command lwtest tests whether an implementation keeps the contract that
// Kubernetes controllers rely on. See `lwtest --help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/cmd/internal/assets"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	kindplugin "github.com/lwtest/lwtest/plugins/kind"
	"github.com/lwtest/lwtest/plugins/targets"
)

func main() {
	assets.Main(os.Args, nil)
	stderr := &screen{file: os.Stderr}
	k := &targets.Clusters{Stderr: stderr}
	a := app{targets: targets.New(k), kinds: kinds, stdout: os.Stdout, stderr: stderr, self: self, left: kindplugin.GiveUp, logs: k.KeepLogs, cluster: k.Use}
	os.Exit(a.run(context.Background(), os.Args[1:]))
}

// app is the command line: its targets and kinds, and its output. Results go to stdout, everything else to stderr.
type app struct {
	targets        targets.Set
	kinds          func() []kind
	stdout, stderr io.Writer
	self           func() *exec.Cmd                         // the command of a worker of the same program
	args           []string                                 // of this call
	apiServer      func(context.Context) (*exec.Cmd, error) // the command of an API server, without flags; nil: findAPIServer
	logs           func(run string)                         // called with the run directory before targets are opened; may be nil
	// cluster returns a kind cluster, for the runtime in its node; see targets.Clusters.Use.
	cluster func(ctx context.Context, name string, o kindplugin.Options) (*kindplugin.Cluster, func() error, error)
	left    func(say func(string)) // ends what is under way and says what stays behind; may be nil
}

// self returns the command of this program as a worker.
func self() *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return exec.Command(path, "worker")
}

// status is the exit status of a verb that did its work. Any other error means that it could not, which is status 3.
type status int

func (s status) Error() string { return fmt.Sprintf("status %d", int(s)) }

// run runs a command line and returns the exit status.
func (a app) run(ctx context.Context, args []string) int {
	out := &checked{Writer: a.stdout}
	a.args, a.stdout = args, out
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if out.err != nil { // this comes first: nobody has the results
		err = fmt.Errorf("the output could not be written: %w", out.err)
	}
	var s status
	switch {
	case err == nil:
		return report.OK
	case errors.As(err, &s):
		return int(s)
	}
	fmt.Fprintf(a.stderr, "lwtest: %s\n", report.Plain(err.Error())) // it may quote a server or a trace
	if u := (usage{}); errors.As(err, &u) {
		fmt.Fprintf(a.stderr, "Run `%s --help` for flags and examples.\n", cmd.CommandPath())
	}
	return report.Broken
}

// usage is an error in the command line.
type usage = targets.Usage

func usagef(format string, args ...any) error { return targets.Usagef(format, args...) }

func (a app) root() *cobra.Command {
	root := a.runVerb()
	root.Use = "lwtest"
	root.Version = version().module
	root.Short = "Test implementations of the contract that Kubernetes controllers rely on"
	root.Long = "lwtest tests whether an implementation keeps the contract that every Kubernetes controller\n" +
		"silently relies on. Without a verb it runs every suite against its built-in targets.\n\n" + exitStatuses
	root.Example = `  lwtest                                      # every suite, built-in targets
  lwtest --target kubeconfig:$KUBECONFIG      # … against an API server
  lwtest run 'watchcache/bookmark/*'          # some checks
  lwtest show watchcache/watch/reliable       # what a clause says, and why
  lwtest judge runs/20260101T120000Z-1        # judge saved histories, without running anything`
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		hint := "`lwtest --help` names them all"
		if strings.ContainsAny(args[0], "/*") {
			hint = fmt.Sprintf("`lwtest run '%s'` runs the checks of that name", args[0])
		}
		if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
			hint = fmt.Sprintf("did you mean `lwtest %s`?", s[0])
		}
		for old, now := range map[string]string{"explain": "show", "replay": "play"} {
			if harness.Suggest(args[0], []string{old}) != "" {
				hint = fmt.Sprintf("did you mean `lwtest %s`?", now)
			}
		}
		return usagef("there is no verb %q: %s", args[0], hint)
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SuggestionsMinimumDistance = 2
	run := a.runVerb()
	root.AddCommand(run, a.listVerb(), a.showVerb(), a.playVerb(), hidden("explain", a.showVerb()), hidden("replay", a.playVerb()), a.judgeVerb(), a.historyVerb(), a.reportVerb(), a.diffVerb(), a.resultsVerb(), a.recordVerb(), a.mutantsVerb(), a.serveVerb(), a.proxyVerb(), a.smokeVerb(), a.cleanVerb(), a.trackRecordVerb(), a.benchVerb(), a.envtestVerb(), a.versionVerb(), a.manVerb(), a.workerVerb(), a.fuzzVerb(), a.fuzzWorkerVerb())
	root.SetHelpCommand(helpVerb(root))
	root.SetHelpTemplate(helpTemplate)
	root.SetFlagErrorFunc(flagError)
	root.InitDefaultCompletionCmd()
	beStrict(root)
	a.completions(root)
	return root
}

// helpVerb is cobra's help verb, but returns an error for an unknown verb.
func helpVerb(root *cobra.Command) *cobra.Command {
	return &cobra.Command{Use: "help [VERB]", Short: "Say what a verb does", RunE: func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			var verbs []string
			for _, c := range root.Commands() {
				if !c.Hidden {
					verbs = append(verbs, c.Name())
				}
			}
			name := strings.Join(args, " ")
			return usagef("there is no verb %q%s: `lwtest --help` names them all", name, harness.Suggest(name, verbs))
		}
		return cmd.Help()
	}}
}

// helpTemplate begins with the usage: what else there is to say may be long.
const helpTemplate = `{{.Short}}.

{{.UsageString}}{{if and .Long (ne .Long .Short)}}
{{.Long | trimTrailingWhitespaces}}
{{end}}`

const exitStatuses = `Exit status: 0 every selected check passed, is a known failure, or was skipped while others were not;
1 a check failed that is not known to fail, or a known failure passed; 2 a check was inconclusive, or
nothing was tested; 3 could not run, or not to the end: stderr says why.`
