// Command kwok lets lwtest's node suite judge kwok's controller, for one node.
//
//	go build -o kwok . && lwtest run --suite node --target exec:./kwok
//
// With the argument "leases" the controller holds the lease of its node, as a kwok does that shares nodes with others.
package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kwok/kustomize/stage/node/fast"
	heartbeat "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	"sigs.k8s.io/kwok/pkg/config"
	"sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// asController is the first argument of the process that is kwok itself.
const asController = "controller"

func main() {
	if len(os.Args) > 1 && os.Args[1] == asController {
		os.Args = append(os.Args[:1], os.Args[2:]...)
		if err := control(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	features, leases := []string{"agent-restart"}, len(os.Args) > 1 && os.Args[1] == "leases"
	if leases {
		features = append(features, "lease")
	}
	adapter.Main(adapter.Adapter{Implementation: "kwok", Version: version(), Node: adapter.NodeOffer{Features: features,
		Command: func(s adapter.NodeStart) (*exec.Cmd, error) { return command(s, leases) }}})
}

// control is the command kwok, as cmd/kwok of its module has it.
func control(ctx context.Context) error {
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	ctx, _ = log.InitFlags(ctx, flags)
	ctx, err := config.InitFlags(ctx, flags)
	if err != nil {
		return err
	}
	command := cmd.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(flags)
	return command.ExecuteContext(ctx)
}

// command returns the command of a controller that manages the node of a case, with the stages that kwok is installed with.
func command(s adapter.NodeStart, leases bool) (*exec.Cmd, error) {
	stages := filepath.Join(s.Dir, "stages.yaml")
	all := strings.Join([]string{fast.DefaultNodeInit, heartbeat.DefaultNodeHeartbeatWithLease, podfast.DefaultPodReady, podfast.DefaultPodComplete, podfast.DefaultPodDelete}, "\n---\n")
	if err := os.WriteFile(stages, []byte(all), 0o600); err != nil {
		return nil, err
	}
	if err := createNode(s); err != nil {
		return nil, err
	}
	seconds := 0
	if leases {
		seconds = s.Config.NodeLeaseDurationSeconds
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(self, asController, "--kubeconfig", s.Kubeconfig, "--config", stages, "--manage-single-node", s.Node,
		"--node-lease-duration-seconds", strconv.Itoa(seconds), "--node-ip", "10.0.0.1")
	c.Env = append(os.Environ(), "HOME="+s.Dir)
	return c, nil
}

// createNode creates the Node, unless it is there: kwok leaves that to its user.
func createNode(s adapter.NodeStart) error {
	api, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		return err
	}
	body := fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":%q,"labels":{"kubernetes.io/hostname":%[1]q}}}`, s.Node)
	answer, err := http.Post(api.Host+"/api/v1/nodes", "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated && answer.StatusCode != http.StatusConflict {
		return fmt.Errorf("the Node could not be created: %s", answer.Status)
	}
	return nil
}

// version returns the version of kwok that is linked.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "sigs.k8s.io/kwok" {
				return m.Version
			}
		}
	}
	return ""
}
