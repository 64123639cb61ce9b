//go:build linux || darwin

package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/lwtest/lwtest/hack/gobuild"
)

const (
	etcdVersion    = "v3.6.8"
	metricsVersion = "v0.9.0"
)

// build returns the folder with etcd and kube-apiserver of a version; it makes it when there is none yet.
func build(ctx context.Context, cache, version string) (string, error) {
	etcd := gobuild.Command{Module: "go.etcd.io/etcd/server/v3", Version: etcdVersion}
	return folderOf(ctx, cache, version, map[string]gobuild.Command{"kube-apiserver": gobuild.Kubernetes("kube-apiserver", version), "etcd": etcd})
}

const metricsServer = "metrics-server"

// alone are the programs that have a verb of their own, and the suffix of the folder that each is in: they are seldom
// wanted together with servers.
var alone = map[string]struct{ program, folder string }{
	"kubectl":            {"kubectl", "-kubectl"},
	"kubelet":            {"kubelet", "-kubelet"},
	"scheduler":          {"kube-scheduler", "-scheduler"},
	"controller-manager": {controllerManager, "-controllers"},
	metricsServer:        {metricsServer, "-metrics"},
}

// buildAlone returns the path of the program of a verb.
func buildAlone(ctx context.Context, cache, verb, version string) (string, error) {
	p := alone[verb]
	command := gobuild.Kubernetes(p.program, version)
	if verb == metricsServer { // it has versions of its own
		version = metricsVersion
		command = gobuild.Command{Module: "sigs.k8s.io/metrics-server", Version: version, Package: "/cmd/metrics-server"}
	}
	dir, err := folderOf(ctx, cache, version+p.folder, map[string]gobuild.Command{p.program: command})
	return filepath.Join(dir, p.program), err
}

// folderOf returns a folder of the cache with these programs, which it builds when there is none yet.
func folderOf(ctx context.Context, cache, name string, programs map[string]gobuild.Command) (string, error) {
	b := gobuild.Builder{Cache: cache, Say: progress}
	return b.Once(name, func(tmp, _ string) error {
		for program, c := range programs {
			path, err := b.Program(ctx, program, c)
			if err != nil {
				return err
			}
			if err := os.Link(path, filepath.Join(tmp, program)); err != nil {
				return err
			}
		}
		return nil
	})
}
