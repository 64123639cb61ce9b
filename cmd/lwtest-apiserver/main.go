// Command lwtest-apiserver is `lwtest serve apiserver` with CEL. See its --help. A copy that is named kube-apiserver or etcd stands in for
// that program; see docs/envtest.md.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/lwtest/lwtest/cmd/internal/assets"
	"github.com/lwtest/lwtest/cmd/internal/serveapi"
	"github.com/lwtest/lwtest/fakes/apiserver/cel"
)

func main() {
	assets.Main(os.Args, cel.New())
	cmd := serveapi.Command(os.Stdout, os.Stderr, cel.New())
	cmd.Use, cmd.SilenceErrors, cmd.SilenceUsage = "lwtest-apiserver", true, true
	cmd.Example = strings.ReplaceAll(cmd.Example, "lwtest serve apiserver", cmd.Use)
	if err := cmd.Execute(); err != nil {
		fmt.Fprintf(os.Stderr, "lwtest-apiserver: %v\n", err)
		os.Exit(3) // as lwtest
	}
}
