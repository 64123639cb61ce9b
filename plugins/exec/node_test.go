package exec

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/client-go/tools/clientcmd"

	agent "github.com/lwtest/lwtest/fakes/node"
	"github.com/lwtest/lwtest/harness"
	plugin "github.com/lwtest/lwtest/plugins/node"
)

// serveNode is an adapter of lwtest's reference agent, which runs in another process.
func serveNode(mode string) {
	out, running, ended := json.NewEncoder(os.Stdout), (*exec.Cmd)(nil), make(chan error)
	kill := func() error {
		if running == nil {
			return errors.New("nothing runs")
		}
		_ = running.Process.Kill()
		<-ended
		running = nil
		return nil
	}
	start := func(request []byte) (err error) {
		switch mode {
		case "node-mute":
			select {}
		case "node-garbage":
			fmt.Println("no JSON")
		case "node-refuses":
			return errors.New("no such binary")
		case "node-dies":
			fmt.Fprintln(os.Stderr, "the agent is broken")
			os.Exit(2)
		}
		running = exec.Command(os.Args[0], string(request), "adapter=node-agent")
		running.Stderr = os.Stderr
		err = running.Start()
		go func(cmd *exec.Cmd) { ended <- cmd.Wait() }(running)
		return err
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var r struct {
			ID int64
			Op string
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			panic(err)
		}
		ok, err := any(Nothing{}), error(nil)
		switch r.Op {
		case "hello":
			ok = HelloReply{Protocol: Version, Implementation: "agent", Offers: []Offer{nodeOffer(mode)}}
		case "node.start":
			err = start(lines.Bytes())
		case "node.kill":
			err = kill()
		case "case.end":
			_ = kill()
		case "crash":
			os.Exit(7)
		}
		line := map[string]any{"id": r.ID, "ok": ok}
		if r.Op == "smoke.unknown" {
			line = map[string]any{"id": r.ID, "skip": "there is no such op"}
		} else if err != nil {
			line = map[string]any{"id": r.ID, "err": Failure{Msg: err.Error()}}
		}
		if err := out.Encode(line); err != nil || r.Op == "shutdown" {
			return
		}
	}
}

func nodeOffer(mode string) Offer {
	o := Offer{Kind: "node", Features: []string{"containers", "static-pods", "agent-restart", "lease", "node-status"}}
	switch mode {
	case "node-late":
		o.Config = &NodeConfig{NodeLeaseDurationSeconds: 40, Relist: "5s"}
	case "node-config":
		o.Config = &NodeConfig{Relist: "often"}
	}
	return o
}

// runAgent is the agent itself. request is the node.start.
func runAgent(request string) error {
	var s NodeStart
	if err := json.Unmarshal([]byte(request), &s); err != nil {
		return err
	}
	config, err := s.Config.times()
	if err != nil {
		return err
	}
	api, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient("unix://"+s.Socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	a, err := agent.New(agent.Config{Name: s.Node, API: api, Runtime: conn, Manifests: s.Manifests, ManifestURL: s.ManifestURL, HTTP: http.DefaultClient,
		State: filepath.Join(s.Dir, "state"), Logs: filepath.Join(s.Dir, "logs"), SyncFrequency: config.SyncFrequency, FileCheckFrequency: config.FileCheckFrequency,
		NodeStatusUpdateFrequency: config.NodeStatusUpdateFrequency, NodeStatusReportFrequency: config.NodeStatusReportFrequency, NodeLeaseDuration: config.NodeLeaseDuration,
		Relist: config.Relist, MaxContainerRestartPeriod: config.MaxContainerRestartPeriod, RuntimeRequestTimeout: config.RuntimeRequestTimeout})
	if err != nil {
		return err
	}
	return a.Run(context.Background())
}

// runNode runs a check on the agent of an adapter of this file.
func runNode(t *testing.T, mode, name string) harness.Result {
	t.Helper()
	return runOn(t, command(mode), name)
}

// runOn runs a check on the agent of an adapter.
func runOn(t *testing.T, command, name string) harness.Result {
	t.Helper()
	target, err := Open(t.Context(), command)
	require.NoError(t, err)
	defer func() {
		_, err := target.Close()
		assert.NoError(t, err)
	}()
	for _, c := range target.Cases {
		if c.Name == name {
			r, _ := harness.Run(c, harness.Options{Seed: 1, Target: "exec"})
			return r
		}
	}
	require.Fail(t, "there is no check "+name)
	return harness.Result{}
}

// TestNode checks that lwtest's agent passes in another process, where it is killed and started again, too.
func TestNode(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"phase/ends", "termination/agent-restart", "static/mirror"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := runNode(t, "node", name)
			assert.NotEqual(t, harness.Fail, r.Verdict, "%v", r.Rules)
			assert.NotEqual(t, harness.Skip, r.Verdict)
			if r.Verdict == harness.Inconclusive { // a busy machine, in real time
				assert.Empty(t, r.Cause, r.Reason)
				t.Log(r.Reason)
			}
		})
	}
}

// TestNodeFault checks who is blamed for what goes wrong.
func TestNodeFault(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"node-mute":    "it does not answer node.start within 20s",
		"node-garbage": "the line is not a JSON object of the protocol",
		"node-refuses": "it refuses node.start: no such binary",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := runNode(t, mode, "phase/ends")
			assert.Equal(t, harness.Inconclusive, r.Verdict)
			assert.Equal(t, harness.CauseAdapter, r.Cause)
			assert.Contains(t, r.Reason, want)
		})
	}
	r := runNode(t, "node-dies", "phase/ends")
	assert.Equal(t, harness.Fail, r.Verdict)
	require.NotEmpty(t, r.Rules[0].Bad, "subject/survives")
	assert.Contains(t, fmt.Sprint(r.Rules[0].Bad), "the process of the subject ended: exit status 2")
}

// TestNodeConfig checks that the times of the offer count, and that an offer whose times are none is refused.
func TestNodeConfig(t *testing.T) {
	t.Parallel()
	config, err := nodeOffer("node-late").Config.times()
	require.NoError(t, err)
	assert.Equal(t, 40*time.Second, config.NodeLeaseDuration)
	assert.Equal(t, 5*time.Second, config.Relist)
	assert.Equal(t, plugin.AgentConfig.SyncFrequency, config.SyncFrequency)
	all := configOf(plugin.AgentConfig)
	config, err = all.times()
	require.NoError(t, err)
	assert.Equal(t, plugin.AgentConfig, config)
	_, err = Open(t.Context(), command("node-config"))
	assert.ErrorContains(t, err, `its config has relist "often": it must be a time such as 10s`)
}

func TestSmokeNode(t *testing.T) {
	t.Parallel()
	assert.Empty(t, smokes(t, "node"))
	wrong := smokes(t, "node-refuses")
	assert.Len(t, wrong, 1, "%v", wrong)
	assert.Contains(t, wrong["open"], "node.start: no such binary")
}

// TestNodeOfDocs checks that the adapter of docs/node.md is right, and that lwtest can test an agent with it.
func TestNodeOfDocs(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s", tool)
		}
	}
	page, err := os.ReadFile("../../docs/node.md")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(page), "<!-- adapter -->\n```bash\n")
	script, _, ok := strings.Cut(after, "```\n")
	require.True(t, ok)
	const agent = `my-agent --kubeconfig "$(of kubeconfig)" --node "$(of node)"`
	require.Contains(t, script, agent)
	script = strings.Replace(script, agent, "exec '"+os.Args[0]+`' "$line" adapter=node-agent`, 1)
	script = strings.Replace(script, `"nodeLeaseDurationSeconds":40`, `"nodeLeaseDurationSeconds":8`, 1) // this agent does as it is asked
	file := filepath.Join(t.TempDir(), "adapter.sh")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o700))
	_, _, err = Smoke(t.Context(), "exec bash "+file, func(s Step, err error) { assert.NoError(t, err, s.Name) })
	require.NoError(t, err)
	r := runOn(t, "exec bash "+file, "node-status/register")
	assert.NotEqual(t, harness.Skip, r.Verdict)
	assert.NotEqual(t, harness.Fail, r.Verdict, "%v", r.Rules)
	assert.Empty(t, r.Cause, r.Reason)
}
