// Command lwtest-image writes a container image with a static lwtest and lwtest-apiserver and nothing else, for linux/amd64, as
// docker load and ctr images import take it. The image runs lwtest as an ordinary user in /work, where the run directories are.
package main

import (
	"fmt"
	"os"

	"github.com/lwtest/lwtest/hack/image"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: lwtest-image LWTEST LWTEST-APISERVER REF > image.tar")
		os.Exit(64)
	}
	i := image.Image{Ref: os.Args[3],
		Files:  []image.File{{From: os.Args[1], To: "/bin/lwtest"}, {From: os.Args[2], To: "/bin/lwtest-apiserver"}},
		Dirs:   []image.Folder{{Path: "/tmp", Mode: 0o1777}, {Path: "/work", Mode: 0o1777}},
		Config: image.Config{Env: []string{"PATH=/bin"}, Entrypoint: []string{"/bin/lwtest"}, User: "65532:65532", WorkingDir: "/work"}}
	if err := i.Write(os.Stdout, os.TempDir()); err != nil {
		fmt.Fprintln(os.Stderr, "lwtest-image:", err)
		os.Exit(1)
	}
}
