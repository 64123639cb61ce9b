//go:build linux

package main

import (
	"path/filepath"
	"slices"

	"github.com/lwtest/lwtest/hack/gobuild"
	"github.com/lwtest/lwtest/hack/image"
)

// part is a program of a node.
type part struct {
	name string
	gobuild.Command
}

// parts are all of them, of a version of Kubernetes.
func parts(version string) []part {
	var out []part
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubeadm", "kubectl"} {
		out = append(out, part{name, gobuild.Kubernetes(name, version)})
	}
	for _, name := range gobuild.ContainerdCommands {
		out = append(out, part{name, gobuild.Containerd(name)})
	}
	for name, pkg := range map[string]string{"host-local": "/plugins/ipam/host-local", "loopback": "/plugins/main/loopback", "ptp": "/plugins/main/ptp"} {
		out = append(out, part{name, gobuild.Command{Module: "github.com/containernetworking/plugins", Version: "v1.9.1", Package: pkg}})
	}
	return append(out, part{"crictl", gobuild.Command{Module: "sigs.k8s.io/cri-tools", Version: "v1.36.0", Package: "/cmd/crictl"}}, part{"etcd", gobuild.Command{Module: "go.etcd.io/etcd/server/v3", Version: "v3.6.8"}},
		part{"runc", gobuild.Command{Module: "github.com/opencontainers/runc", Version: "v1.5.2", Tags: "seccomp", LDFlags: " -X main.version=1.5.2", CGO: true}})
}

// static are the images of a control plane, each of one static program.
var static = []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// imageOf is the image of that name.
func imageOf(name, programs string) (image.Image, bool) {
	tmp := image.Folder{Path: "/tmp", Mode: 0o1777}
	at := func(to string) []image.File { return []image.File{{From: filepath.Join(programs, name), To: to}} }
	switch {
	case slices.Contains(static, name):
		return image.Image{Files: at("/usr/local/bin/" + name), Dirs: []image.Folder{tmp}}, true
	case name == "etcd":
		return image.Image{Files: at("/usr/local/bin/etcd"), Dirs: []image.Folder{tmp, {Path: "/var/lib/etcd", Mode: 0o700}}}, true
	case name == "pause":
		return image.Image{Files: at("/pause"), Config: image.Config{Entrypoint: []string{"/pause"}, User: "65535:65535"}}, true
	}
	return image.Image{}, false
}
