package node

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"text/template"
	"time"

	"github.com/lwtest/lwtest/conformance/node"
)

// process is a real kubelet. It sees tmpfs in place of /var/lib and /var/log, and works in an empty folder, because kubelets delete files
// there when a runtime tells no log path. Its methods are not called concurrently.
type process struct {
	KubeletOptions
	ended  func(err error, why string) // is called when it ends though nobody killed it; why is what it wrote last
	log    *os.File
	done   chan struct{} // closed when the process has ended
	mu     sync.Mutex    // guards what follows
	cmd    *exec.Cmd
	killed bool
}

// RunKubelet runs a kubelet until ctx is done. Its error says why it ended before.
func RunKubelet(ctx context.Context, o KubeletOptions) error {
	ended := make(chan error, 1)
	k, err := newProcess(o, func(err error, why string) { ended <- fmt.Errorf("the kubelet: %v\n%s", err, why) })
	if err != nil {
		return err
	}
	defer k.log.Close()
	if err := k.start(node.Start{}); err != nil {
		return err
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		k.kill()
		return nil
	}
}

// KubeletVersion returns what a kubelet says of its version, or why none can run here.
func KubeletVersion(binary string) (string, error) {
	if os.Getuid() != 0 {
		return "", errors.New("a kubelet needs root")
	}
	if out, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
		return "", fmt.Errorf("a kubelet needs a mount namespace of its own, which `unshare -m` does not make here: %w %s", err, out)
	}
	version, err := exec.Command(binary, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s is no kubelet that runs here: %w", binary, err)
	}
	if !bytes.HasPrefix(version, []byte("Kubernetes v")) {
		return "", fmt.Errorf("%s is no kubelet: its --version does not begin with \"Kubernetes v\"", binary)
	}
	return string(bytes.TrimSpace(version)), nil
}

var kubeletYAML = template.Must(template.New("").Parse(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://{{.Dir}}/cri.sock
staticPodPath: {{.Dir}}/manifests
{{with .ManifestURL}}staticPodURL: {{.}}
{{end}}volumePluginDir: {{.Dir}}/plugins
podLogsDir: {{.Dir}}/logs
address: 127.0.0.1
port: {{.Port}}
readOnlyPort: 0
healthzPort: 0
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
localStorageCapacityIsolation: true
failSwapOn: false
oomScoreAdj: 0
makeIPTablesUtilChains: false
syncFrequency: {{.Config.SyncFrequency}}
fileCheckFrequency: {{.Config.FileCheckFrequency}}
httpCheckFrequency: {{.Config.HTTPCheckFrequency}}
nodeStatusUpdateFrequency: {{.Config.NodeStatusUpdateFrequency}}
nodeStatusReportFrequency: {{.Config.NodeStatusReportFrequency}}
nodeLeaseDurationSeconds: {{.Config.NodeLeaseDuration.Seconds}}
runtimeRequestTimeout: {{.Config.RuntimeRequestTimeout}}
registryPullQPS: {{.Config.RegistryPullQPS}}
registryBurst: {{.Config.RegistryBurst}}
imageMinimumGCAge: {{.Config.ImageMinimumGCAge}}
imageMaximumGCAge: {{.Config.ImageMaximumGCAge}}
containerLogMonitorInterval: {{.Config.ContainerLogMonitorInterval}}
containerLogMaxSize: "{{.Config.ContainerLogMaxSize}}"
imageGCHighThresholdPercent: {{.Config.ImageGCHighThresholdPercent}}
imageGCLowThresholdPercent: {{.Config.ImageGCLowThresholdPercent}}
evictionPressureTransitionPeriod: {{.Config.EvictionPressureTransitionPeriod}}
evictionHard: { {{- if .Evicts}}memory.available: 1Mi, imagefs.available: 10%{{end -}} }
crashLoopBackOff: {maxContainerRestartPeriod: {{.Config.MaxContainerRestartPeriod}}}
featureGates:
  KubeletCrashLoopBackOffMax: true
{{if .Events}}  EventedPLEG: true
  PLEGOnDemandRelist: true
{{end}}{{if .Streaming}}  CRIListStreaming: true
{{end}}
`))

// newProcess makes the folders of a kubelet, which is not started.
func newProcess(o KubeletOptions, ended func(err error, why string)) (k *process, err error) {
	k = &process{KubeletOptions: o, ended: ended}
	if k.Port == 0 {
		if k.Port, err = FreePort(); err != nil {
			return nil, err
		}
	}
	for _, dir := range []string{"work", "logs", "root", "certs", "manifests", "plugins"} {
		if err := os.MkdirAll(k.in(dir), 0o700); err != nil {
			return nil, err
		}
	}
	if k.log, err = os.Create(k.in("kubelet.log")); err != nil {
		return nil, err
	}
	return k, os.WriteFile(k.in("kubeconfig"), k.Kubeconfig, 0o600)
}

func (k *process) in(name string) string { return filepath.Join(k.Dir, name) }

// configure writes the configuration of a start.
func (k *process) configure(s node.Start) error {
	var config bytes.Buffer
	if err := kubeletYAML.Execute(&config, struct {
		*process
		node.Start
		Config node.Config
	}{k, s, s.Configure(k.Config)}); err != nil {
		return err
	}
	return os.WriteFile(k.in("config.yaml"), config.Bytes(), 0o600)
}

// start starts it, and returns without waiting until it is ready.
func (k *process) start(s node.Start) error {
	if err := k.configure(s); err != nil {
		return err
	}
	k.killed = false
	if err := k.run(); err != nil {
		return err
	}
	k.done = make(chan struct{})
	go k.wait()
	return nil
}

// run starts the program.
func (k *process) run() error {
	k.cmd = exec.Command("unshare", "-m", "--propagation", "private", "sh", "-c", `mount -t tmpfs tmpfs /var/lib && mount -t tmpfs tmpfs /var/log && exec "$@"`, "sh",
		k.Binary, "--config", k.in("config.yaml"), "--kubeconfig", k.in("kubeconfig"), "--root-dir", k.in("root"), "--cert-dir", k.in("certs"), "--hostname-override", k.Node, "--v", cmp.Or(os.Getenv("LWTEST_KUBELET_V"), "2"))
	k.cmd.Dir, k.cmd.Stdout, k.cmd.Stderr = k.in("work"), k.log, k.log
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return k.cmd.Start()
}

// wait waits until the process has ended for good.
func (k *process) wait() {
	defer close(k.done)
	for {
		err := k.cmd.Wait()
		if err == nil {
			err = errors.New("exit status 0")
		}
		again := k.lacksRuntime()
		if again {
			time.Sleep(restartPause)
		}
		k.mu.Lock()
		killed := k.killed
		if again = again && !killed; again {
			err = k.run()
			again = err == nil
		}
		k.mu.Unlock()
		if killed {
			return
		}
		if !again {
			k.ended(err, k.why())
			return
		}
	}
}

// lacksRuntime reports whether the kubelet gave up while it started, because of an error of the runtime: NewMainKubelet returns it then. Its
// supervisor starts it again.
func (k *process) lacksRuntime() bool {
	why := strings.TrimSpace(k.why())
	last := why[strings.LastIndexByte(why, '\n')+1:]
	return strings.Contains(last, `"command failed"`) && strings.Contains(last, "failed to create kubelet") && strings.Contains(last, "code = ")
}

// why returns what the kubelet wrote when it panicked, or last.
func (k *process) why() string {
	const most = 2000
	b, err := os.ReadFile(k.log.Name())
	if err != nil {
		return err.Error()
	}
	if i := bytes.Index(b, []byte("\npanic: ")); i >= 0 {
		return string(b[i:min(len(b), i+most)])
	}
	return string(b[max(0, len(b)-most):])
}

// kill ends it at once, as a crash does.
func (k *process) kill() {
	k.mu.Lock()
	k.killed = true
	_ = syscall.Kill(-k.cmd.Process.Pid, syscall.SIGKILL) // it may have ended already
	k.mu.Unlock()
	<-k.done
}

// keepLog copies the log to where LWTEST_KUBELET_LOGS says, for those who look for the cause of a failure.
func (k *process) keepLog() error {
	dir := os.Getenv("LWTEST_KUBELET_LOGS")
	if dir == "" {
		return nil
	}
	b, err := os.ReadFile(k.log.Name())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(k.Dir)+".log"), b, 0o600)
}
