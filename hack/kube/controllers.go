//go:build linux || darwin

package main

import (
	"context"
	"errors"
)

// controllersFlag begins the flag by which a supervisor is told the path of kube-controller-manager.
const controllersFlag = "--controllers="

const (
	kubeAPIServer     = "kube-apiserver"
	controllerManager = "kube-controller-manager"
)

// control starts kube-controller-manager, and waits until it has done what it does in each namespace. It has no
// port, and holds no lease: nobody else is there who could.
func (s *servers) control(ctx context.Context, url, token string) error {
	if err := s.run("", s.controllers,
		"--kubeconfig="+s.file("kubeconfig"), "--leader-elect=false", "--secure-port=0",
		"--service-account-private-key-file="+s.file("sa.key"), "--root-ca-file="+s.file("apiserver.crt"),
	); err != nil {
		return err
	}
	return s.await(ctx, controllerManager, func() error {
		return errors.Join(s.get(ctx, url+"/api/v1/namespaces/default/configmaps/kube-root-ca.crt", token),
			s.get(ctx, url+"/api/v1/namespaces/default/serviceaccounts/default", token))
	})
}

// programs says what is started with these flags.
func programs(flags []string) string {
	if path, _ := taken(controllersFlag, flags); path != "" {
		return "etcd, kube-controller-manager and kube-apiserver"
	}
	return "etcd and kube-apiserver"
}
