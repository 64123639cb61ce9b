//go:build linux

// Command kind-node does what kind-node.sh leaves to it: it builds the programs of a node from public Go modules, and writes
// images. Start it through kind-node.sh; README.md tells how.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/lwtest/lwtest/hack/gobuild"
	"github.com/lwtest/lwtest/hack/image"
	"github.com/lwtest/lwtest/plugins/kind"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		say("%v", err)
		os.Exit(1)
	}
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "kind-node: "+format+"\n", args...) }

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 4 && args[0] == "programs":
		return programs(ctx, args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "images":
		return images(args[1], args[2], strings.Fields(args[3]))
	case len(args) == 4 && args[0] == "node":
		return image.Image{Ref: args[1], Tree: args[2], Config: node}.Write(os.Stdout, args[3])
	}
	return errors.New("programs CACHE VERSION TO | images PROGRAMS TO REFS | node REF TREE SCRATCH: see kind-node.sh")
}

// cluster is what a cluster of the image is to be like.
//
//go:embed cluster.yaml
var cluster string

// node is how kind wants a node to start and to stop.
var node = image.Config{Labels: map[string]string{kind.ConfigLabel: cluster}, Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "container=docker", "HTTP_PROXY=", "HTTPS_PROXY=", "NO_PROXY="},
	Entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"}, StopSignal: "SIGRTMIN+3"}

// programs builds all of a node that the cache does not have, and puts them into a folder.
func programs(ctx context.Context, cache, version, to string) error {
	b := gobuild.Builder{Cache: cache, Say: say}
	for _, p := range parts(version) {
		path, err := b.Program(ctx, p.name, p.Command)
		if err != nil {
			return err
		}
		if err := os.Link(path, filepath.Join(to, p.name)); err != nil {
			return err
		}
	}
	return nil
}

// images writes an archive for each reference, of the program that its name says.
func images(programs, to string, refs []string) error {
	for _, ref := range refs {
		name := ref[strings.LastIndex(ref, "/")+1:]
		name, _, _ = strings.Cut(name, ":")
		i, ok := imageOf(name, programs)
		if !ok {
			continue // kubeadm names some that this cluster does without
		}
		i.Ref = ref
		out, err := os.Create(filepath.Join(to, name+".tar"))
		if err != nil {
			return err
		}
		if err := errors.Join(i.Write(out, to), out.Close()); err != nil {
			return err
		}
	}
	return nil
}
