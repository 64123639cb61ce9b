//go:build linux || darwin

package main

import (
	"context"
	"path/filepath"

	"github.com/lwtest/lwtest/hack/gobuild"
)

const etcdVersion = "v3.6.8"

// build returns the folder with etcd and kube-apiserver of a version; it makes it when there is none yet.
func build(ctx context.Context, cache, version string) (string, error) {
	return builder(cache).Once(version, func(tmp, src string) error {
		if err := builder(cache).Compile(ctx, src, filepath.Join(tmp, "kube-apiserver"), gobuild.Kubernetes("kube-apiserver", version)); err != nil {
			return err
		}
		return builder(cache).Compile(ctx, src, filepath.Join(tmp, "etcd"), gobuild.Command{Module: "go.etcd.io/etcd/server/v3", Version: etcdVersion})
	})
}

// buildKubectl returns the path of kubectl of a version, in a folder of its own: servers are seldom wanted
// with it.
func buildKubectl(ctx context.Context, cache, version string) (string, error) {
	dir, err := builder(cache).Once(version+"-kubectl", func(tmp, src string) error {
		return builder(cache).Compile(ctx, src, filepath.Join(tmp, "kubectl"), gobuild.Kubernetes("kubectl", version))
	})
	return filepath.Join(dir, "kubectl"), err
}

// buildControllers returns the path of kube-controller-manager of a version, which is seldom wanted, too.
func buildControllers(ctx context.Context, cache, version string) (string, error) {
	dir, err := builder(cache).Once(version+"-controllers", func(tmp, src string) error {
		return builder(cache).Compile(ctx, src, filepath.Join(tmp, controllerManager), gobuild.Kubernetes(controllerManager, version))
	})
	return filepath.Join(dir, controllerManager), err
}

// builder keeps what it builds in the cache.
func builder(cache string) gobuild.Builder { return gobuild.Builder{Cache: cache, Say: progress} }
