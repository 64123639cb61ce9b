package node

import (
	"cmp"
	"context"
	_ "embed" // the failures that are known
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/proc"
)

// kubelet is a real kubelet as the agent of a case.
type kubelet struct{ process *process }

// newKubelet returns a kubelet that is not started.
func newKubelet(t *harness.T, binary string) (node.Subject, error) {
	return OpenProcess(t, true, func(at Place) (node.Agent, error) {
		kubeconfig, err := os.ReadFile(at.Kubeconfig)
		if err != nil {
			return nil, err
		}
		p, err := newProcess(KubeletOptions{Binary: binary, Dir: at.Dir, Node: at.Node, ManifestURL: at.ManifestURL, Config: AgentConfig, Evicts: true, Kubeconfig: kubeconfig},
			func(err error, why string) { t.Exited(fmt.Sprint(err), why) })
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { p.log.Close() })
		return &kubelet{p}, nil
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
	clear, err := proc.AtEnd(`umount -l -- "$1"; rmdir -- "$1"`, dir)
	if err != nil {
		return "", errors.Join(err, syscall.Unmount(dir, syscall.MNT_DETACH), os.Remove(dir))
	}
	t.Cleanup(clear)
	return dir, nil
}

// Config implements node.Agent.
func (k *kubelet) Config() node.Config { return AgentConfig }

// Start implements node.Agent.
func (k *kubelet) Start(_ context.Context, s node.Start) error { return k.process.start(s) }

// Kill implements node.Agent.
func (k *kubelet) Kill(context.Context) error {
	k.process.kill()
	return k.process.keepLog()
}

//go:embed known.json
var known []byte

// OpenKubelet returns a real kubelet. binary is its path; empty: the one that LWTEST_KUBELET names.
func OpenKubelet(binary string) (harness.Target, error) {
	binary = cmp.Or(binary, os.Getenv("LWTEST_KUBELET"))
	if binary == "" {
		return harness.Target{}, errors.New("there is no kubelet: `hack/kube/kube.sh kubelet --version v1.37.1` builds one and prints its path; use --target kubelet:PATH")
	}
	version, err := KubeletVersion(binary)
	if err != nil {
		return harness.Target{}, err
	}
	p := harness.Plugin[node.Subject]{Name: version, Features: KubeletFeatures,
		Open: func(t *harness.T) (node.Subject, error) { return newKubelet(t, binary) }}
	lines, err := harness.ParseKnown("plugins/node/known.json", known)
	if err != nil {
		return harness.Target{}, err
	}
	return harness.Target{Name: "kubelet:" + binary, Cases: node.Suite.Bind(p), Known: lines}, nil
}
