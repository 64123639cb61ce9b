// Command envtests runs tests of other projects that use envtest, on lwtest's API server. It copies a project's module out of the Go
// module cache, puts apiservertest in the place of envtest there, and compares what fails with the project's known-NAME.json. With --assets
// it changes nothing in the copy: envtest starts the programs in a folder. What fails is compared with known-NAME-assets.json.
//
//	go run ./hack/envtests                      # controller-runtime's packages that take less than a few seconds, pkg/client and pkg/cache
//	go run ./hack/envtests cluster-api
//	go run ./hack/envtests controller-runtime pkg/manager pkg/source
//	go run ./hack/envtests --assets "$(bin/lwtest envtest)"        # every project, the packages that take less than a minute
//	go run ./hack/envtests --assets "$(bin/lwtest envtest)" kueue   # all packages that are listed for kueue
//	go run ./hack/envtests --assets "$(bin/lwtest envtest)" --version v0.21.0 controller-runtime pkg/client
//	go run ./hack/envtests --assets "$(bin/lwtest envtest)" --beside real kuberay   # each package on the programs in the folder real too
package main

import (
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

//go:embed known-*.json
var knownFiles embed.FS

// known is a test, with all its subtests, that is known to fail: in one version of the project, or in all if Version is "".
type known struct {
	Package, Test, Version, Why string
	Network                     bool // it passes where it can reach the internet
}

func main() {
	assets := flag.String("assets", "", "start the programs in this folder, and change nothing in the project")
	beside := flag.String("beside", "", "run each package on the programs in this folder too, and print both side by side; only with --assets")
	version := flag.String("version", "", "of the project, instead of all that are listed for it; only with --assets")
	flag.Parse()
	if *assets == "" && (*beside != "" || *version != "") {
		exit(2, errors.New("--beside and --version need --assets"))
	}
	if *assets != "" && flag.NArg() == 0 {
		var errs []error
		for _, p := range projects {
			if len(p.onPrograms.quick) == 0 {
				continue
			}
			errs = append(errs, p.runOnAssets(folders(*assets, *beside), *version, p.onPrograms.quick))
		}
		exit(1, errors.Join(errs...))
		return
	}
	name, packages := "controller-runtime", []string(nil)
	if flag.NArg() > 0 {
		name, packages = flag.Arg(0), flag.Args()[1:]
	}
	i := slices.IndexFunc(projects, func(p project) bool { return p.name == name })
	if i < 0 {
		exit(2, fmt.Errorf("no project %q; there are: %q", name, names()))
	}
	if *assets == "" {
		if projects[i].replace == nil {
			exit(2, fmt.Errorf("%s runs only with --assets", name))
		}
		exit(1, projects[i].run(packages))
		return
	}
	exit(1, projects[i].runOnAssets(folders(*assets, *beside), *version, packages))
}

// exit ends the process with a code, unless err is nil.
func exit(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(code)
	}
}

func names() (all []string) {
	for _, p := range projects {
		all = append(all, p.name)
	}
	return all
}

// folders returns absolute paths, because tests run in folders of their own. Empty ones are left out.
func folders(all ...string) (dirs []string) {
	for _, dir := range all {
		if dir == "" {
			continue
		}
		dir, err := filepath.Abs(dir)
		if err == nil {
			_, err = os.Stat(dir)
		}
		exit(2, err)
		dirs = append(dirs, dir)
	}
	return dirs
}

// known returns the project's known failures.
func (p *project) known() (all []known, err error) {
	b, err := knownFiles.ReadFile(p.knownFile())
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.knownFile(), err)
	}
	return slices.DeleteFunc(all, func(k known) bool { return k.Version != "" && k.Version != p.version }), nil
}

func (p *project) knownFile() string {
	if p.assets != nil {
		return "known-" + p.name + "-assets.json"
	}
	return "known-" + p.name + ".json"
}
