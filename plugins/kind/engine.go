package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/log"
)

// engine runs containers: a command that kind calls, and what stands behind it.
type engine struct {
	name   string
	option func() cluster.ProviderOption
}

// engines are those that kind knows, in the order in which kind tries them.
var engines = []engine{
	{"docker", cluster.ProviderWithDocker},
	{"nerdctl", func() cluster.ProviderOption { return cluster.ProviderWithNerdctl("") }},
	{"podman", cluster.ProviderWithPodman},
}

// choice is kind's own variable.
const choice = "KIND_EXPERIMENTAL_PROVIDER"

// findEngine gives the engine that is there: the one that kind's own variable names, or the first whose command is found.
func findEngine(ctx context.Context) (engine, error) {
	if name := os.Getenv(choice); name != "" {
		n := slices.IndexFunc(engines, func(e engine) bool { return e.name == name })
		if n < 0 {
			return engine{}, fmt.Errorf("%s is %q: use docker, nerdctl or podman", choice, name)
		}
		if _, err := exec.LookPath(name); err != nil {
			return engine{}, fmt.Errorf("%s is %q, but that command is not on the PATH: install it, or unset %[1]s", choice, name)
		}
		return engines[n], engines[n].answers(ctx)
	}
	for _, e := range engines {
		if _, err := exec.LookPath(e.name); err == nil {
			return e, e.answers(ctx)
		}
	}
	return engine{}, errors.New("a kind cluster needs docker or podman, and neither is on the PATH: install one, or use a running API server with --target kubeconfig:PATH")
}

// answers says why nothing can be had of it.
func (e engine) answers(ctx context.Context) error {
	_, err := e.ask(ctx, "version")
	if hangs := (silence{}); err == nil || errors.As(err, &hangs) || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%s does not answer: %w: start it (systemctl start %s, or `make docker` in a checkout of lwtest), and check that you may use it", e.name, err, e.name)
}

// command is a call of the engine that ends with ctx.
func (e engine) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, e.name, args...)
	cmd.WaitDelay = 5 * time.Second // on a machine that is very busy what it printed may come late
	return cmd
}

func (e engine) provider(say func(string)) *cluster.Provider {
	return cluster.NewProvider(cluster.ProviderWithLogger(logger{say}), e.option())
}

// logger passes on what kind tells its users, and drops what it tells its developers.
type logger struct{ say func(string) }

var _ log.Logger = logger{}

func (l logger) Warn(m string)                  { l.Info(m) }
func (l logger) Warnf(format string, a ...any)  { l.Infof(format, a...) }
func (l logger) Error(m string)                 { l.Info(m) }
func (l logger) Errorf(format string, a ...any) { l.Infof(format, a...) }
func (l logger) Infof(format string, a ...any)  { l.Info(fmt.Sprintf(format, a...)) }
func (l logger) Enabled() bool                  { return true }

func (l logger) V(level log.Level) log.InfoLogger {
	if level > 0 {
		return log.NoopInfoLogger{}
	}
	return l
}

// Info takes a line as kind's command would print it: a step that begins has a mark before it and a picture behind it, and
// the same line again when it is done, which is left out.
func (l logger) Info(m string) {
	line := strings.TrimSpace(m)
	if line == "" || strings.HasPrefix(line, "✓") {
		return
	}
	step, begins := strings.CutPrefix(line, "•")
	step, failed := strings.CutPrefix(step, "✗")
	if begins || failed {
		line = strings.Join(strings.Fields(strings.Map(plain, step)), " ")
	}
	if failed {
		line = "failed: " + line
	}
	l.say(line)
}

// plain leaves out pictures.
func plain(r rune) rune {
	if r >= 0x2190 {
		return -1
	}
	return r
}
