//go:build linux || darwin

package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/lwtest/lwtest/hack/gobuild"
)

const etcdVersion = "v3.6.8"

// build returns the folder with etcd and kube-apiserver of a version; it makes it when there is none yet.
func build(ctx context.Context, cache, version string) (string, error) {
	etcd := gobuild.Command{Module: "go.etcd.io/etcd/server/v3", Version: etcdVersion}
	return folderOf(ctx, cache, version, map[string]gobuild.Command{"kube-apiserver": gobuild.Kubernetes("kube-apiserver", version), "etcd": etcd})
}

// buildKubectl returns the path of kubectl of a version, in a folder of its own: servers are seldom wanted
// with it.
func buildKubectl(ctx context.Context, cache, version string) (string, error) {
	dir, err := folderOf(ctx, cache, version+"-kubectl", map[string]gobuild.Command{"kubectl": gobuild.Kubernetes("kubectl", version)})
	return filepath.Join(dir, "kubectl"), err
}

// buildKubelet returns the path of kubelet of a version, which hack/kubelet uses.
func buildKubelet(ctx context.Context, cache, version string) (string, error) {
	dir, err := folderOf(ctx, cache, version+"-kubelet", map[string]gobuild.Command{"kubelet": gobuild.Kubernetes("kubelet", version)})
	return filepath.Join(dir, "kubelet"), err
}

// buildControllers returns the path of kube-controller-manager of a version, which is seldom wanted, too.
func buildControllers(ctx context.Context, cache, version string) (string, error) {
	dir, err := folderOf(ctx, cache, version+"-controllers", map[string]gobuild.Command{controllerManager: gobuild.Kubernetes(controllerManager, version)})
	return filepath.Join(dir, controllerManager), err
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
