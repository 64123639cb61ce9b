package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// patience is how long a controller may take to show, by conditions, that
	// it deals with a deleted namespace.
	patience = 30 * time.Second
	// closeLimit bounds Close, and each other sweep.
	closeLimit = time.Minute
)

// ours lists the namespaces that are lwtest's, of whatever run.
func (s *server) ours(ctx context.Context) ([]corev1.Namespace, error) {
	ctx, cancel := context.WithTimeout(ctx, goLimit)
	defer cancel()
	var l corev1.NamespaceList
	err := s.tidy.core.Get().Resource("namespaces").Param("labelSelector", ownOnly).Do(ctx).Into(&l)
	return l.Items, err
}

// removeStale deletes namespaces whose run is gone. The precondition lets
// those live whose heartbeat comes after all.
func (s *server) removeStale(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	all, err := s.ours(ctx)
	if err != nil {
		return needsRole("list namespaces", err)
	}
	var errs []error
	for i := range all {
		ns := &all[i]
		if ns.DeletionTimestamp != nil || !s.stale(ns) {
			continue
		}
		err := s.deleteNamespace(ctx, ns.Name, &metav1.Preconditions{UID: &ns.UID, ResourceVersion: &ns.ResourceVersion})
		if err != nil && !apierrors.IsConflict(err) {
			errs = append(errs, needsRole("delete the namespace "+ns.Name+", which an earlier run has left", err))
		}
	}
	return errors.Join(errs...)
}

// stale says whether the run that made a namespace is gone. One without a
// heartbeat that can be read was not made by us.
func (s *server) stale(ns *corev1.Namespace) bool {
	t, err := time.Parse(time.RFC3339, ns.Annotations[beatNote])
	return err == nil && s.clock.now().Sub(t) > dead
}

// close waits for the deleted namespaces. Where a controller ends them, that
// is all. On a bare kube-apiserver nothing ever does: there all of them that
// have no deletion condition, and nothing in them, are finalized here, whichever
// run made them, once one has waited for a controller for 30 seconds. It is an
// error if one stays that was deleted since this connection was opened.
func (s *server) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	finished := s.finish(ctx)
	return errors.Join(s.release(), finished)
}

// release lets go of the connection, and says what could not be removed. What is
// deleted and only waits is whose that closes: the longer it has run, the less
// there is to wait for.
func (s *server) release() error {
	defer s.hangUp()
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := s.errs
	s.errs = nil
	return errors.Join(errs...)
}

func (s *server) finish(ctx context.Context) error {
	waiting, err := s.terminating(ctx)
	for err == nil && !s.due(waiting) {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return fmt.Errorf("the namespaces %s were deleted, and have not gone within %s", names(waiting), closeLimit)
		}
		var now []corev1.Namespace
		now, err = s.terminating(ctx)
		waiting = both(waiting, now)
	}
	if err != nil || len(waiting) == 0 {
		return err
	}
	failed := s.finalize(ctx, waiting)
	var errs []error
	for i := range waiting {
		ns := &waiting[i]
		if err := failed[ns.Name]; err != nil && !ns.DeletionTimestamp.Time.Before(s.opened) {
			errs = append(errs, fmt.Errorf("the namespace %s is deleted, and stays: %w", ns.Name, err))
		}
	}
	return summary(errs)
}

// due says whether there is no controller to wait for: it takes what is deleted
// in turn, so if one has waited in vain for so long, the others would, too.
func (s *server) due(all []corev1.Namespace) bool {
	return len(all) == 0 || slices.ContainsFunc(all, func(ns corev1.Namespace) bool {
		return s.clock.now().Sub(ns.DeletionTimestamp.Time) > patience
	})
}

// summary keeps the first of errors that are alike.
func summary(errs []error) error {
	if len(errs) < 2 {
		return errors.Join(errs...)
	}
	return fmt.Errorf("%w\nand so it is with %d more", errs[0], len(errs)-1)
}

// terminating lists those of our namespaces that are deleted and that no
// controller deals with.
func (s *server) terminating(ctx context.Context) ([]corev1.Namespace, error) {
	all, err := s.ours(ctx)
	if err != nil {
		return nil, fmt.Errorf("the deleted namespaces cannot be looked after: %w", err)
	}
	var out []corev1.Namespace
	for _, ns := range all {
		if ns.DeletionTimestamp != nil && ns.Annotations[beatNote] != "" && !attended(&ns) {
			out = append(out, ns)
		}
	}
	return out, nil
}

// attended says whether a namespace controller has looked at a deleted namespace.
func attended(ns *corev1.Namespace) bool {
	for _, c := range ns.Status.Conditions {
		switch c.Type {
		case corev1.NamespaceDeletionDiscoveryFailure, corev1.NamespaceDeletionContentFailure, corev1.NamespaceDeletionGVParsingFailure,
			corev1.NamespaceContentRemaining, corev1.NamespaceFinalizersRemaining:
			return true
		}
	}
	return false
}

// both keeps of now what was among the first, by uid: whoever runs at the same
// time goes on deleting.
func both(first, now []corev1.Namespace) []corev1.Namespace {
	known := map[string]bool{}
	for i := range first {
		known[string(first[i].UID)] = true
	}
	var out []corev1.Namespace
	for _, ns := range now {
		if known[string(ns.UID)] {
			out = append(out, ns)
		}
	}
	return out
}

func names(all []corev1.Namespace) string {
	var out []string
	for i := range all {
		out = append(out, all[i].Name)
	}
	return strings.Join(out, ", ")
}
