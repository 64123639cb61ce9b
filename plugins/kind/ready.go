package kind

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

const (
	readyEvery = 250 * time.Millisecond
	readyLimit = 4 * time.Minute
)

// ready waits until the cluster works, which kind's Create does not: its nodes are Ready, its control plane too, and its
// controllers have made what pods in a new namespace need.
func (c *Cluster) ready(ctx context.Context) error {
	config, err := c.Config(ctx)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var missing error
	err = wait.PollUntilContextTimeout(ctx, readyEvery, readyLimit, true, func(ctx context.Context) (bool, error) {
		missing = notReady(ctx, client)
		return missing == nil, nil
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("the kind cluster is not ready after %s: %w", readyLimit, missing)
}

// notReady says what is missing.
func notReady(ctx context.Context, c kubernetes.Interface) error {
	nodes, err := c.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, n := range nodes.Items {
		if why := nodeWaits(n); why != "" {
			return fmt.Errorf("node %s: %s", n.Name, why)
		}
	}
	pods, err := c.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "tier=control-plane"})
	switch {
	case err != nil:
		return err
	case len(nodes.Items) == 0 || len(pods.Items) < 4: // etcd, API server, scheduler, controllers
		return errors.New("some pods of the control plane do not exist yet")
	}
	for _, p := range pods.Items {
		if !podReady(p) {
			return fmt.Errorf("pod %s is not ready", p.Name)
		}
	}
	_, err = c.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	return err
}

// nodeWaits is why a node is not Ready, in its own words; empty: it is.
func nodeWaits(n corev1.Node) string {
	for _, is := range n.Status.Conditions {
		if is.Type == corev1.NodeReady {
			if is.Status == corev1.ConditionTrue {
				return ""
			}
			return is.Message
		}
	}
	return "it does not report that it is ready"
}

func podReady(p corev1.Pod) bool {
	for _, is := range p.Status.Conditions {
		if is.Type == corev1.PodReady {
			return is.Status == corev1.ConditionTrue
		}
	}
	return false
}
