package exec

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	plugin "github.com/lwtest/lwtest/plugins/cri"
)

// running is an adapter whose implementation is lwtest's own runtime, on a socket. Each case has another.
type running struct {
	mode   string
	dir    string
	out    *json.Encoder
	starts int
	named  map[string]*cri.Runtime // by handle
}

func serveRuntime(mode string) {
	dir, err := os.MkdirTemp("", "lwtest-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	a := &running{mode: mode, dir: dir, out: json.NewEncoder(os.Stdout), named: map[string]*cri.Runtime{}}
	defer a.end()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var r struct {
			ID    int64
			Op, H string
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			panic(err)
		}
		line := map[string]any{"id": r.ID}
		ok, err := a.do(r.Op, r.H)
		var lacks *Skipped
		switch {
		case errors.As(err, &lacks):
			line["skip"] = lacks.Why
		case err != nil:
			line["err"] = Failure{Msg: err.Error()}
		default:
			line["ok"] = ok
		}
		if err := a.out.Encode(line); err != nil || r.Op == "shutdown" {
			return
		}
	}
}

func (a *running) do(op, h string) (any, error) {
	r := a.named[h]
	if (op == "rt.kill" || op == "rt.restart") && r == nil {
		return nil, errors.New("nothing is open as " + h)
	}
	switch op {
	case "hello":
		return HelloReply{Protocol: Version, Implementation: "fake", Version: "1", Offers: []Offer{{Kind: "runtime", Features: a.features()}}}, nil
	case "crash":
		os.Exit(7)
	case "case.end":
		a.end()
	case "rt.start":
		return a.start(h)
	case "rt.kill":
		if a.mode == "runtime-skips" {
			return nil, &Skipped{op, "not written yet"}
		}
		r.Crash()
	case "rt.restart":
		r.Restart(cri.Keeps)
	case "case.begin", "barrier", "cancel", "shutdown":
	default:
		return nil, &Skipped{op, "there is no such op"}
	}
	return Nothing{}, nil
}

func (a *running) features() []string {
	var all []string
	for _, f := range plugin.FakeFeatures {
		if f != harness.VirtualTime && f != runtime.Leaks && (a.mode != "runtime-less" || f != runtime.Stats) {
			all = append(all, string(f))
		}
	}
	return all
}

func (a *running) start(h string) (any, error) {
	a.starts++
	path := filepath.Join(a.dir, h)
	switch {
	case a.mode == "runtime-fails", a.mode == "runtime-fails-late" && a.starts > 1:
		return nil, errors.New("no space left on device")
	case a.mode == "runtime-dead", a.mode == "runtime-dead-late" && a.starts > 1:
		return RTStarted{Socket: path}, nil
	case a.mode == "runtime-relative":
		return RTStarted{Socket: "s"}, nil
	}
	l, err := cri.Listen(path)
	if err != nil {
		return nil, err
	}
	r := cri.New(cri.Options{Handlers: []string{"runc"}})
	switch a.mode {
	case "runtime-more": // it declares more than it has
		r.Arm(cri.Fault{Method: "RuntimeConfig", Code: codes.Unimplemented})
	case "runtime-dies":
		if a.starts > 1 {
			r.Arm(cri.Fault{Method: "RunPodSandbox", Crash: true})
		}
	}
	go r.Serve(l)
	a.named[h] = r
	return RTStarted{Socket: path}, nil
}

// end ends all runtimes.
func (a *running) end() {
	for h, r := range a.named {
		r.Close()
		os.Remove(filepath.Join(a.dir, h))
	}
	clear(a.named)
}

// runRuntime runs a check on the runtime of an adapter.
func runRuntime(t *testing.T, target harness.Target, name string) harness.Result {
	t.Helper()
	for _, c := range target.Cases {
		if c.Name == name {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: "exec", Wall: time.Minute})
			return r
		}
	}
	require.Fail(t, "there is no check "+name)
	return harness.Result{}
}

// TestRuntime checks that the runtime that an adapter starts passes the suite, with restarts, and that nothing stays behind. It has
// a temporary folder of its own, because other packages have theirs in the common one meanwhile.
func TestRuntime(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	names := make(chan string)
	var all sync.WaitGroup
	for range 4 { // they mostly wait
		all.Go(func() {
			target, err := Open(t.Context(), command("runtime"))
			if !assert.NoError(t, err) {
				return
			}
			for name := range names {
				r := runRuntime(t, target, name)
				if r.Verdict == harness.Fail || strings.HasPrefix(name, "restart/") && r.Verdict == harness.Skip {
					assert.Fail(t, name, r.Reason)
				}
				if r.Verdict == harness.Inconclusive { // a busy machine, in real time
					t.Log(name, r.Reason)
				}
			}
			_, err = target.Close()
			assert.NoError(t, err)
		})
	}
	for _, c := range full.Part(t, runtime.Suite.Describe().Checks, 20, 0) {
		names <- c.Name
	}
	for _, name := range []string{"restart/keeps", "restart/exit"} {
		names <- name
	}
	close(names)
	all.Wait()
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "lwtest-logs-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestRuntimeRefused checks that an adapter is refused whose runtime cannot be tested.
func TestRuntimeRefused(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"runtime-fails":    "rt.start failed: no space left on device",
		"runtime-dead":     "rt.start named a runtime that cannot be tested: ",
		"runtime-relative": `its socket is "s": it must be an absolute path`,
		"runtime-more":     "the adapter declares runtime-config, but the runtime does not have that",
	} {
		t.Run(mode, func(t *testing.T) {
			_, err := Open(t.Context(), command(mode))
			require.ErrorContains(t, err, want)
			assert.ErrorContains(t, err, "the adapter \"exec ")
			if mode == "runtime-dead" {
				assert.ErrorContains(t, err, "there is no such socket")
			}
		})
	}
}

// TestRuntimeFault checks who is blamed for what goes wrong in a case.
func TestRuntimeFault(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"runtime-fails-late": "rt.start failed: no space left on device",
		"runtime-dead-late":  "there is no such socket",
		"runtime-skips":      "it declares the feature restart, but answers rt.kill with skip: not written yet",
	} {
		t.Run(mode, func(t *testing.T) {
			target, err := Open(t.Context(), command(mode))
			require.NoError(t, err)
			r := runRuntime(t, target, "restart/exit")
			assert.Equal(t, harness.Inconclusive, r.Verdict)
			assert.Equal(t, harness.CauseAdapter, r.Cause)
			assert.Contains(t, r.Reason, want)
			_, err = target.Close()
			require.NoError(t, err)
		})
	}
	target, err := Open(t.Context(), command("runtime-dies"))
	require.NoError(t, err)
	r := runRuntime(t, target, "stop/kill")
	assert.Equal(t, harness.Fail, r.Verdict)
	require.NotEmpty(t, r.Rules[0].Bad, "subject/survives")
	assert.Contains(t, fmt.Sprint(r.Rules[0].Bad), "does not answer at the end of the case")
	_, err = target.Close()
	require.NoError(t, err)
}

// TestRuntimeNote checks that features are named that the runtime has and the adapter does not declare.
func TestRuntimeNote(t *testing.T) {
	t.Parallel()
	target, err := Open(context.WithoutCancel(t.Context()), command("runtime-less"))
	require.NoError(t, err)
	require.Len(t, target.Notes, 1)
	assert.Contains(t, target.Notes[0], "the runtime seems to have stats, ")
	_, err = target.Close()
	require.NoError(t, err)
}

func TestSmokeRuntime(t *testing.T) {
	t.Parallel()
	assert.Empty(t, smokes(t, "runtime"))
	for mode, want := range map[string]string{"runtime-fails": "rt.start: no space left on device", "runtime-dead": "there is no such socket"} {
		wrong := smokes(t, mode)
		assert.Len(t, wrong, 1, "%v", wrong)
		assert.Contains(t, wrong["open"], want)
	}
}
