// Command containerd writes the two images that a container runtime is tested with, without a registry: a shell, and what holds a
// sandbox. It is used by containerd.sh.
package main

import (
	"fmt"
	"os"

	"github.com/lwtest/lwtest/hack/image"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: containerd BUSYBOX IMAGE.tar PAUSE.tar")
		os.Exit(64)
	}
	busybox := os.Args[1]
	var files []image.File
	for _, name := range []string{"sh", "sleep", "seq", "true", "false", "cat", "head", "tail", "env", "busybox"} {
		files = append(files, image.File{From: busybox, To: "/bin/" + name})
	}
	for file, i := range map[string]image.Image{
		os.Args[2]: {Ref: "lwtest.local/busybox:1", Files: files, Config: image.Config{Env: []string{"PATH=/bin"}, Cmd: []string{"/bin/sh"}}},
		os.Args[3]: {Ref: "lwtest.local/pause:1", Files: files[:2], Config: image.Config{Env: []string{"PATH=/bin"}, Entrypoint: []string{"/bin/sleep", "2147483647"}}},
	} {
		if err := write(i, file); err != nil {
			fmt.Fprintln(os.Stderr, "containerd:", err)
			os.Exit(1)
		}
	}
}

func write(i image.Image, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := i.Write(f, ""); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
