// Command virtualkubelet lets lwtest's node suite judge virtual-kubelet with its mock provider. The argument is virtual-kubelet itself.
//
//	go build -o vk github.com/virtual-kubelet/virtual-kubelet/cmd/virtual-kubelet
//	go build -o adapter . && lwtest run --suite node --target 'exec:./adapter ./vk'
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"debug/buildinfo"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// config holds the times of virtual-kubelet that no flag changes: DefaultLeaseDuration, DefaultPingInterval and
// DefaultStatusUpdateInterval of its package node.
var config = adapter.NodeConfig{NodeLeaseDurationSeconds: 40, NodeStatusUpdateFrequency: "10s", NodeStatusReportFrequency: "1m"}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: adapter PATH-OF-VIRTUAL-KUBELET")
		os.Exit(2)
	}
	binary := os.Args[1]
	version, err := versionOf(binary)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	adapter.Main(adapter.Adapter{Implementation: "virtual-kubelet, mock provider", Version: version, Node: adapter.NodeOffer{
		Features: []string{"agent-restart", "lease", "node-status"}, Config: &config,
		Command: func(s adapter.NodeStart) (*exec.Cmd, error) { return command(binary, s) }}})
}

// versionOf returns the version of the module that a binary was built from.
func versionOf(binary string) (string, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return "", fmt.Errorf("%s is no virtual-kubelet that Go has built: %w", binary, err)
	}
	if info.Main.Path == module {
		return info.Main.Version, nil
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version, nil
		}
	}
	return "", fmt.Errorf("%s is no virtual-kubelet", binary)
}

const module = "github.com/virtual-kubelet/virtual-kubelet"

// command returns the command of a virtual-kubelet. It forgets its pods when it is killed, as its provider does.
func command(binary string, s adapter.NodeStart) (*exec.Cmd, error) {
	provider := filepath.Join(s.Dir, "mock.json")
	if err := os.WriteFile(provider, fmt.Appendf(nil, `{%q:{"cpu":"16","memory":"64Gi","pods":"110"}}`, s.Node), 0o600); err != nil {
		return nil, err
	}
	cert, key := filepath.Join(s.Dir, "cert.pem"), filepath.Join(s.Dir, "key.pem")
	if err := certify(cert, key); err != nil {
		return nil, err
	}
	c := exec.Command(binary, "--kubeconfig", s.Kubeconfig, "--nodename", s.Node, "--provider", "mock", "--provider-config", provider, "--disable-taint")
	c.Env = append(os.Environ(), "HOME="+s.Dir, "APISERVER_CERT_LOCATION="+cert, "APISERVER_KEY_LOCATION="+key, "KUBELET_PORT=0", "VKUBELET_POD_IP=127.0.0.1")
	return c, nil
}

// certify writes a certificate, without which virtual-kubelet does not start.
func certify(cert, key string) error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return err
	}
	if err := os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), 0o600); err != nil {
		return err
	}
	return os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), 0o600)
}
