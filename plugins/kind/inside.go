package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Node is a node of a cluster, in which commands can be run.
type Node struct {
	Name   string
	engine engine
}

// ControlPlane returns the first control-plane node.
func (c *Cluster) ControlPlane(ctx context.Context) (Node, error) {
	all, err := c.controlPlane(ctx)
	if err != nil {
		return Node{}, err
	}
	return Node{all[0].String(), c.engine}, nil
}

// Command returns a command that runs in the node. Without a Stdin it reads nothing. A Ctrl-C does not reach it.
func (n Node) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := n.engine.command(ctx, append([]string{"exec", "-i", n.Name}, args...)...)
	apart(cmd)
	return cmd
}

// Do runs a command in the node and waits for it. The error holds what the command said.
func (n Node) Do(ctx context.Context, stdin io.Reader, args ...string) error {
	cmd := n.Command(ctx, args...)
	cmd.Stdin = stdin
	if _, err := cmd.Output(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%s in the node %s: %w", args[0], n.Name, inItsWords(err))
	}
	return nil
}

// Put copies a file into the node, as a program.
func (n Node) Put(ctx context.Context, file, to string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return n.Do(ctx, f, "sh", "-c", `cat >"$0" && chmod 755 "$0"`, to)
}

// Get copies what is in a folder of the node into a folder, which must exist.
func (n Node) Get(ctx context.Context, folder, to string) error {
	if _, err := n.engine.command(ctx, "cp", n.Name+":"+folder+"/.", to).Output(); err != nil {
		return fmt.Errorf("%s cannot be copied from the node %s: %w", folder, n.Name, inItsWords(err))
	}
	return nil
}
