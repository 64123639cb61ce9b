package kube

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/watchcache"
)

var (
	_ watchcache.Compactor   = &subject{}
	_ watchcache.WindowMover = &subject{}
	_ watchcache.Restarter   = &subject{}
	_ watchcache.Deleter     = &subject{}
)

// compactLimit is how long an API server may take to see that something was
// compacted: it looks each 15 seconds.
const compactLimit = 40 * time.Second

// Compact implements watchcache.Compactor, for the whole cluster: it needs --etcd.
func (s *subject) Compact(ctx context.Context) (string, error) {
	if s.etcd == nil {
		return "", errors.New("past states can be dropped only with --etcd ENDPOINT, which compacts the history of the whole cluster")
	}
	c := s.In(metav1.NamespaceAll)
	before, err := s.In(baseName("")).List(ctx, metav1.ListOptions{}) // a namespace of nobody's: an empty list
	if err != nil {
		return "", err
	}
	if _, err := s.window(ctx, 1); err != nil { // so that it lies in the past
		return "", err
	}
	rev, err := s.etcd.compact(ctx)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, compactLimit)
	defer cancel()
	for {
		_, err := c.List(ctx, metav1.ListOptions{ResourceVersion: before.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact, Limit: 1})
		switch {
		case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
			return fmt.Sprint(rev), nil
		case err != nil && ctx.Err() == nil:
			return "", err
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return "", fmt.Errorf("the API server still serves a list at exactly %s, %s after etcd was compacted at %d", before.ResourceVersion, compactLimit, rev)
		}
	}
}

// What makes the watch cache of a kube-apiserver forget: more events than it
// keeps, of which the first are older than it must keep them, which are 75
// seconds: nothing makes it forget sooner (k8s.io/apiserver, cacher,
// resizeCacheLocked). It keeps more of them after a busy time, so more are
// written until it is seen to have forgotten.
const (
	windowEvents = 150
	windowAge    = 82 * time.Second
	windowTries  = 120
)

// MoveWindow implements watchcache.WindowMover by writing to a namespace of its own.
func (s *subject) MoveWindow(ctx context.Context) error {
	before, err := s.In(baseName("")).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	ns, err := s.window(ctx, windowEvents)
	if err != nil {
		return err
	}
	select {
	case <-time.After(windowAge):
	case <-ctx.Done():
		return ctx.Err()
	}
	for range windowTries {
		if err := s.churn(ctx, ns, windowEvents); err != nil {
			return err
		}
		if s.forgotten(ctx, before.ResourceVersion) {
			return nil
		}
	}
	return fmt.Errorf("the API server still serves a watch from %s after %d events; if it has no watch cache, add --feature=-window", before.ResourceVersion, (windowTries+1)*windowEvents)
}

// forgotten says whether a watch from there is refused with 410.
func (s *subject) forgotten(ctx context.Context, rv string) bool {
	second := int64(1)
	w, err := s.In(baseName("")).Watch(ctx, metav1.ListOptions{ResourceVersion: rv, TimeoutSeconds: &second})
	if err != nil {
		return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
	}
	defer w.Stop()
	e, ok := <-w.ResultChan()
	if !ok || e.Type != watch.Error {
		return false
	}
	err = apierrors.FromObject(e.Object)
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}

// window makes a namespace and writes so often in it.
func (s *subject) window(ctx context.Context, events int) (string, error) {
	names, err := s.Namespaces(ctx, 1)
	if err != nil {
		return "", err
	}
	return names[0], s.churn(ctx, names[0], events)
}

// churn creates objects: each is an event. They go with their namespace.
func (s *subject) churn(ctx context.Context, ns string, events int) error {
	c := s.In(ns)
	for i := range events {
		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: fmt.Sprint("churn-", i%10, "-", time.Now().UnixNano())}, Data: map[string]string{watchcache.Spec: "churn"}}
		if _, err := c.Create(ctx, m, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// restartLimit is how long a server may take to serve again.
const restartLimit = 90 * time.Second

// Restart implements watchcache.Restarter by --restart-cmd, or what the options
// have in its place, which must end once the server is stopped, or serves again.
// A watch from before must have ended by then: else nothing was restarted.
func (s *subject) Restart(ctx context.Context) error {
	if s.restart == nil {
		return errors.New("the server can be restarted only with --restart-cmd COMMAND")
	}
	ctx, cancel := context.WithTimeout(ctx, restartLimit)
	defer cancel()
	open, err := s.In(baseName("")).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer open.Stop()
	if err := s.restart(ctx); err != nil {
		return err
	}
	if !ends(ctx, open) {
		return errors.New("--restart-cmd has ended, but a watch from before it is still open: check that the command restarts the server under test")
	}
	for {
		_, err := s.In(baseName("")).List(ctx, metav1.ListOptions{})
		if err == nil {
			return nil
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer again %s after its restart: %w", restartLimit, err)
		}
	}
}

// ends says whether a watch comes to its end before a context does.
func ends(ctx context.Context, w watch.Interface) bool {
	for {
		select {
		case _, open := <-w.ResultChan():
			if !open {
				return true
			}
		case <-ctx.Done():
			return false
		}
	}
}

// restart is what the options say of it; nil: nothing.
func (o Options) restart() func(context.Context) error {
	if o.Restart != nil || o.RestartCmd == "" {
		return o.Restart
	}
	return func(ctx context.Context) error {
		out, err := exec.CommandContext(ctx, "sh", "-c", o.RestartCmd).CombinedOutput()
		if err != nil {
			return fmt.Errorf("--restart-cmd %q: %w: %s", o.RestartCmd, err, strings.TrimSpace(string(out)))
		}
		return nil
	}
}

// DeleteTogether implements watchcache.Deleter in etcd itself: no API deletes
// several objects in one revision, but what expires by one lease goes so.
func (s *subject) DeleteTogether(namespace string, names ...string) error {
	if s.etcd == nil {
		return errors.New("objects can be deleted in one revision only with --etcd ENDPOINT")
	}
	var keys []string
	for _, n := range names {
		keys = append(keys, fmt.Sprintf("/registry/%s/%s/%s", s.resource.Prefix(), namespace, n))
	}
	return s.etcd.remove(context.Background(), keys...)
}
