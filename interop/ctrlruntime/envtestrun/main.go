// Command envtestrun runs a command of any language against the programs in KUBEBUILDER_ASSETS, which envtest starts. KUBECONFIG names the
// kubeconfig of an administrator.
//
//	KUBEBUILDER_ASSETS=$(lwtest envtest) go run ./envtestrun node ../clientnode/journey.mjs
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "which command?")
		os.Exit(2)
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(command []string) (err error) {
	env := &envtest.Environment{}
	if _, err := env.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Stop()) }()
	user, err := env.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return err
	}
	kubeconfig, err := user.KubeConfig()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "envtestrun-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(file, kubeconfig, 0o600); err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "KUBECONFIG="+file)
	return cmd.Run()
}
