package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/cmd/internal/assets"
	"github.com/lwtest/lwtest/harness/release"
)

func (a app) envtestVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "envtest [DIR]",
		Short: "Put stand-ins for kube-apiserver and etcd into a folder, for envtest, and print the folder",
		Long: "envtest of controller-runtime starts the kube-apiserver and etcd that it finds in KUBEBUILDER_ASSETS. This verb puts\n" +
			"lwtest's API server there under these names, and a real kubectl if it finds one. Nothing of a project changes.\n" +
			"Without DIR the folder is in LWTEST_CACHE, or in the user's cache folder. See docs/envtest.md.",
		Example: `  export KUBEBUILDER_ASSETS=$(lwtest envtest)
  go test ./...
  lwtest envtest bin/assets`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("`lwtest envtest` takes one folder, %d were given", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, i, err := a.installer()
			if err != nil {
				return err
			}
			if len(args) > 0 {
				dir = args[0]
			} else if dir == "" {
				return errors.New("there is no cache folder: set LWTEST_CACHE, or say which folder: `lwtest envtest DIR`")
			}
			if i.Dir, err = filepath.Abs(dir); err != nil {
				return err
			}
			if err := i.Run(cmd.Context()); err != nil {
				return err
			}
			fmt.Fprintln(a.stdout, i.Dir)
			return nil
		},
	}
}

// installer returns the folder in the cache for what is built ("": there is no cache folder), and what it is built from.
func (a app) installer() (dir string, i assets.Install, err error) {
	caches := cacheFolders()
	self, err := os.Executable()
	if err != nil {
		return "", i, err
	}
	i = assets.Install{Self: self, Clone: cloneOf(self), Stderr: a.stderr}
	if v := version().module; strings.HasPrefix(v, "v") && !strings.Contains(v, "+") {
		i.Version = v
	}
	if len(caches) > 0 {
		dir = filepath.Join(caches[0], "envtest", strings.Trim(version().module, "()"))
	}
	if i.Clone != "" {
		caches = append(caches, filepath.Join(i.Clone, ".cache"))
	}
	for _, c := range caches {
		i.Kubectls = append(i.Kubectls, filepath.Join(c, "kube", "v*-kubectl", "kubectl"))
	}
	return dir, i, nil
}

// cacheFolders returns the folders that may have what lwtest has built, the one to write to first. There is none without LWTEST_CACHE and
// a home directory.
func cacheFolders() (all []string) {
	if dir := os.Getenv("LWTEST_CACHE"); dir != "" {
		all = append(all, dir)
	}
	if user, err := os.UserCacheDir(); err == nil {
		all = append(all, filepath.Join(user, "lwtest"))
	}
	return all
}

// cloneOf returns the clone of lwtest that the working directory or the program is in, or "".
func cloneOf(program string) string {
	for _, dir := range []string{".", filepath.Dir(program)} {
		if root, err := release.Root(dir); err == nil {
			return root
		}
	}
	return ""
}
