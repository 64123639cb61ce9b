package node

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // the failures that are known
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"text/template"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/harness"
)

// kubelet is a real kubelet, a process with folders and a port of its own. It sees tmpfs in place of /var/lib and /var/log, and works
// in an empty folder, because kubelets delete files there when a runtime tells no log path.
type kubelet struct {
	binary string
	at     Place
	port   int
	t      *harness.T
	log    *os.File
	cmd    *exec.Cmd
	killed atomic.Bool
	done   chan struct{} // closed when the process has ended
}

var kubeletYAML = template.Must(template.New("").Parse(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://{{.At.Socket}}
staticPodPath: {{.At.Manifests}}
staticPodURL: {{.At.ManifestURL}}
podLogsDir: {{.At.Dir}}/logs
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
syncFrequency: {{.SyncFrequency}}
fileCheckFrequency: {{.FileCheckFrequency}}
httpCheckFrequency: {{.HTTPCheckFrequency}}
nodeStatusUpdateFrequency: {{.NodeStatusUpdateFrequency}}
nodeStatusReportFrequency: {{.NodeStatusReportFrequency}}
nodeLeaseDurationSeconds: {{.NodeLeaseDuration.Seconds}}
runtimeRequestTimeout: {{.RuntimeRequestTimeout}}
imageMinimumGCAge: {{.ImageMinimumGCAge}}
imageGCHighThresholdPercent: {{.ImageGCHighThresholdPercent}}
imageGCLowThresholdPercent: {{.ImageGCLowThresholdPercent}}
evictionPressureTransitionPeriod: {{.EvictionPressureTransitionPeriod}}
evictionHard: {memory.available: 1Mi, imagefs.available: 10%}
crashLoopBackOff: {maxContainerRestartPeriod: {{.MaxContainerRestartPeriod}}}
featureGates:
  KubeletCrashLoopBackOffMax: true
{{if .Events}}  EventedPLEG: true
  PLEGOnDemandRelist: true
{{end}}{{if .Streaming}}  CRIListStreaming: true
{{end}}
`))

// newKubelet returns a kubelet that is not started.
func newKubelet(t *harness.T, binary string) (node.Subject, error) {
	return OpenProcess(t, true, func(at Place) (node.Agent, error) {
		k := &kubelet{binary: binary, at: at, t: t}
		return k, k.prepare(t)
	})
}

// smallDisk mounts the file system of images, until the case ends.
func smallDisk(t *harness.T) (string, error) {
	dir, err := os.MkdirTemp("", "lwtest-images-")
	if err != nil {
		return "", err
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", capacity)); err != nil {
		return "", errors.Join(fmt.Errorf("a small file system for images: %w", err), os.Remove(dir))
	}
	t.Cleanup(func() {
		_ = syscall.Unmount(dir, syscall.MNT_DETACH) // it is a tmpfs, and nobody else knows of it
		_ = os.Remove(dir)
	})
	return dir, nil
}

// prepare makes the folders and the log of a kubelet.
func (k *kubelet) prepare(t *harness.T) (err error) {
	if k.port, err = freePort(); err != nil {
		return err
	}
	for _, dir := range []string{"work", "logs", "root", "certs"} {
		if err := os.Mkdir(filepath.Join(k.at.Dir, dir), 0o700); err != nil {
			return err
		}
	}
	if k.log, err = os.Create(filepath.Join(k.at.Dir, "kubelet.log")); err != nil {
		return err
	}
	t.Cleanup(func() { k.log.Close() })
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Config implements node.Agent.
func (k *kubelet) Config() node.Config { return AgentConfig }

// configure writes the configuration of a start.
func (k *kubelet) configure(s node.Start) error {
	var config bytes.Buffer
	if err := kubeletYAML.Execute(&config, struct {
		node.Config
		node.Start
		At   Place
		Port int
	}{AgentConfig, s, k.at, k.port}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(k.at.Dir, "config.yaml"), config.Bytes(), 0o600)
}

// Start implements node.Agent.
func (k *kubelet) Start(_ context.Context, s node.Start) error {
	if err := k.configure(s); err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(k.at.Dir, name) }
	k.cmd = exec.Command("unshare", "-m", "--propagation", "private", "sh", "-c", `mount -t tmpfs tmpfs /var/lib && mount -t tmpfs tmpfs /var/log && exec "$@"`, "sh",
		k.binary, "--config", in("config.yaml"), "--kubeconfig", k.at.Kubeconfig, "--root-dir", in("root"), "--cert-dir", in("certs"), "--hostname-override", k.at.Node, "--v", cmp.Or(os.Getenv("LWTEST_KUBELET_V"), "2"))
	k.cmd.Dir, k.cmd.Stdout, k.cmd.Stderr = in("work"), k.log, k.log
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := k.cmd.Start(); err != nil {
		return err
	}
	k.killed.Store(false)
	k.done = make(chan struct{})
	go k.wait()
	return nil
}

// wait waits until the process has ended. One that nobody killed ends the case.
func (k *kubelet) wait() {
	defer close(k.done)
	if err := k.cmd.Wait(); !k.killed.Load() {
		k.t.Exited(fmt.Sprint(err), k.why())
	}
}

// why returns what the kubelet wrote when it panicked, or last.
func (k *kubelet) why() string {
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

// Kill implements node.Agent.
func (k *kubelet) Kill(context.Context) error {
	k.killed.Store(true)
	_ = syscall.Kill(-k.cmd.Process.Pid, syscall.SIGKILL) // it may have ended already
	<-k.done
	return k.keepLog()
}

// keepLog copies the log to where LWTEST_KUBELET_LOGS says, for those who look for the cause of a failure.
func (k *kubelet) keepLog() error {
	dir := os.Getenv("LWTEST_KUBELET_LOGS")
	if dir == "" {
		return nil
	}
	b, err := os.ReadFile(k.log.Name())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(k.at.Dir)+".log"), b, 0o600)
}

//go:embed known.json
var known []byte

// OpenKubelet returns a real kubelet. binary is its path; empty: the one that LWTEST_KUBELET names.
func OpenKubelet(binary string) (harness.Target, error) {
	binary = cmp.Or(binary, os.Getenv("LWTEST_KUBELET"))
	if binary == "" {
		return harness.Target{}, errors.New("there is no kubelet: `hack/kube/kube.sh kubelet --version v1.37.1` builds one and prints its path; use --target kubelet:PATH")
	}
	if os.Getuid() != 0 {
		return harness.Target{}, errors.New("a kubelet needs root")
	}
	if out, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
		return harness.Target{}, fmt.Errorf("a kubelet needs a mount namespace of its own, which `unshare -m` does not make here: %w %s", err, out)
	}
	version, err := exec.Command(binary, "--version").Output()
	if err != nil {
		return harness.Target{}, fmt.Errorf("%s is no kubelet that runs here: %w", binary, err)
	}
	p := harness.Plugin[node.Subject]{Name: string(bytes.TrimSpace(version)), Features: KubeletFeatures,
		Open: func(t *harness.T) (node.Subject, error) { return newKubelet(t, binary) }}
	lines, err := harness.ParseKnown("plugins/node/known.json", known)
	if err != nil {
		return harness.Target{}, err
	}
	return harness.Target{Name: "kubelet:" + binary, Cases: node.Suite.Bind(p), Known: lines}, nil
}
