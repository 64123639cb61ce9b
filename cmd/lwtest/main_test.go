package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/lwtest/lwtest/harness/report"
	kindplugin "github.com/lwtest/lwtest/plugins/kind"
	"github.com/lwtest/lwtest/plugins/targets"
)

// asProgram makes the test binary lwtest itself, with the toy targets beside the real ones, so that workers are
// processes and crashes are real.
const asProgram = "LWTEST_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		a := toyApp()
		stderr := &screen{file: os.Stderr}
		k := &targets.Clusters{Stderr: stderr}
		a.targets.Schemes, a.logs, a.cluster = append(toyTargets(), targets.New(k).Schemes...), k.KeepLogs, k.Use
		a.stdout, a.stderr, a.left = os.Stdout, stderr, kindplugin.GiveUp
		os.Exit(a.run(context.Background(), os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// selfTest returns the command of this test binary as a worker.
func selfTest() *exec.Cmd {
	cmd := exec.Command(os.Args[0], "worker")
	cmd.Env = append(os.Environ(), asProgram+"=1", "GORACE=atexit_sleep_ms=0") // or each exit of a -race binary takes a second
	return cmd
}

// serverTest returns the command of this test binary as an API server: nothing is built, and nothing evaluates CEL.
func serverTest(ctx context.Context) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "serve", "apiserver")
	cmd.Env = selfTest().Env
	return cmd, nil
}

// toyApp returns the command line with the toy beside the built-in targets.
func toyApp() app {
	k := &targets.Clusters{Stderr: io.Discard}
	return app{targets: targets.Set{Schemes: append(toyTargets(), targets.New(k).Schemes...), Default: []string{"good"}, BuiltIn: []string{"good", "ordered"}}, kinds: func() []kind { return append([]kind{{about: toySuite.Describe()}}, kinds()...) }, self: selfTest, logs: k.KeepLogs, cluster: k.Use, apiServer: serverTest}
}

// output is what a command line printed, and its status.
type output struct {
	status      int
	out, errors string
}

// lwtest runs a command line in this process. Its workers are other processes.
func lwtest(t *testing.T, args ...string) output {
	t.Helper()
	var out, errs bytes.Buffer
	a := toyApp()
	a.stdout, a.stderr = &out, &errs
	s := a.run(t.Context(), args)
	t.Cleanup(func() {
		if t.Failed() && s != report.OK {
			t.Logf("lwtest %s: status %d\n%s", strings.Join(args, " "), s, errs.String())
		}
	})
	return output{s, out.String(), errs.String()}
}

// In the help of each verb the value of a flag has a name in capitals, which says what to give.
func TestFlagsHaveWords(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if name, usage := pflag.UnquoteUsage(f); name != "" {
				assert.Regexp(t, `[A-Z]{2}|^N$|^I/N$`, name, "%s --%s: %s", cmd.CommandPath(), f.Name, usage)
			}
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(toyApp().root())
}
