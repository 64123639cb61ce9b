//go:build linux || darwin

// Command containerd does what containerd.sh leaves to it: it builds containerd from public Go modules, and writes the images that
// a container runtime is tested with.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/lwtest/lwtest/hack/gobuild"
	"github.com/lwtest/lwtest/hack/image"
	fromBusybox "github.com/lwtest/lwtest/hack/image/busybox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		say("%v", err)
		os.Exit(1)
	}
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "containerd: "+format+"\n", args...) }

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "programs":
		return programs(ctx, args[1])
	case len(args) == 3 && args[0] == "images":
		return images(args[1], args[2])
	}
	return errors.New("programs CACHE | images BUSYBOX TO: see containerd.sh")
}

// programs builds the commands of containerd that the cache does not have, and prints their folders, as a PATH.
func programs(ctx context.Context, cache string) error {
	b := gobuild.Builder{Cache: cache, Say: say}
	for i, name := range gobuild.ContainerdCommands {
		path, err := b.Program(ctx, name, gobuild.Containerd(name))
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Print(":")
		}
		fmt.Print(filepath.Dir(path))
	}
	fmt.Println()
	return nil
}

// images writes image.tar, a shell, and pause.tar, which holds a sandbox.
func images(busybox, to string) error {
	shell := fromBusybox.Image(busybox, "lwtest.local/busybox:1")
	pause := image.Image{Ref: "lwtest.local/pause:1", Files: shell.Files[:2], Config: image.Config{Env: []string{"PATH=/bin"}, Entrypoint: []string{"/bin/sleep", "2147483647"}}}
	return errors.Join(write(shell, filepath.Join(to, "image.tar")), write(pause, filepath.Join(to, "pause.tar")))
}

func write(i image.Image, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(i.Write(f, ""), f.Close())
}
