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
	"k8s.io/apimachinery/pkg/types"
)

// closeLimit bounds Close, and each other sweep.
const closeLimit = time.Minute

// patience is how long a controller may take to show, by conditions, that it deals with a deleted namespace. Tests shorten
// it.
var patience = 30 * time.Second

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
			errs = append(errs, needsRole("delete the namespace "+ns.Name+", which an earlier run left", err))
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
// is all; what it has not ended within a minute is said, and is no error: it will.
// On a bare kube-apiserver nothing ever does: there all of them that
// have no deletion condition, and nothing in them, are finalized here, whichever
// run made them, once one has waited for a controller for 30 seconds. It is an
// error if one stays that was deleted since this connection was opened.
func (s *server) close() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	late, err := s.finish(ctx)
	return late, errors.Join(s.release(), err)
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

// finish waits until no deleted namespace is left that a controller has not looked
// at. It says which are only late: a controller is at work there.
func (s *server) finish(ctx context.Context) (late string, err error) {
	d, err := s.terminating(ctx)
	for tried := false; err == nil && len(d.waiting) > 0; {
		if !tried && !d.attended && s.due(d.waiting) {
			tried = true
			failed := s.finalize(ctx, d.waiting)
			d.waiting = slices.DeleteFunc(d.waiting, func(ns corev1.Namespace) bool { return failed[ns.Name] == nil })
			if !d.worked() {
				return "", s.stay(d.waiting, failed)
			}
			continue
		}
		_ = sleep(ctx, time.Second) // an end of the time shows below
		now, failed := s.terminating(ctx)
		if ctx.Err() != nil {
			return s.overdue(d)
		}
		d, err = d.then(now), failed
	}
	return "", err
}

// stay is about namespaces that were deleted since this connection was opened,
// and that nobody will end.
func (s *server) stay(all []corev1.Namespace, failed map[string]error) error {
	var errs []error
	for _, ns := range s.recent(all) {
		errs = append(errs, fmt.Errorf("the namespace %s was deleted, but does not go: %w", ns.Name, failed[ns.Name]))
	}
	return summary(errs)
}

// overdue is about namespaces that have not gone when there is no more time.
func (s *server) overdue(d dying) (late string, err error) {
	switch all := s.recent(d.waiting); {
	case !d.worked():
		return "", fmt.Errorf("the namespaces %s were deleted, but are still there after %s", names(d.waiting), closeLimit)
	case len(all) == 0:
		return "", nil
	case len(all) == 1:
		return "1 deleted namespace is still there; the namespace controller removes it", nil
	default:
		return fmt.Sprintf("%d deleted namespaces are still there; the namespace controller removes them", len(all)), nil
	}
}

// recent are those that were deleted since this connection was opened.
func (s *server) recent(all []corev1.Namespace) (out []corev1.Namespace) {
	for _, ns := range all {
		if !ns.DeletionTimestamp.Time.Before(s.opened) {
			out = append(out, ns)
		}
	}
	return out
}

// due says whether there is no controller to wait for: it takes what is deleted
// in turn, so if one has waited in vain for so long, the others would, too.
func (s *server) due(all []corev1.Namespace) bool {
	return slices.ContainsFunc(all, func(ns corev1.Namespace) bool {
		return s.clock.now().Sub(ns.DeletionTimestamp.Time) > patience
	})
}

// summary keeps the first of errors that are alike.
func summary(errs []error) error {
	if len(errs) < 2 {
		return errors.Join(errs...)
	}
	return fmt.Errorf("%w\nand the same for %d more", errs[0], len(errs)-1)
}

// dying are our namespaces that are deleted.
type dying struct {
	waiting  []corev1.Namespace // those that no controller has looked at
	attended bool               // a controller has looked at one
	fewer    bool               // one that waited waits no longer
}

// worked says whether a controller of namespaces seems to be at work.
func (d dying) worked() bool { return d.attended || d.fewer }

// then keeps of now what has waited before, by uid: whoever runs at the same
// time goes on deleting.
func (d dying) then(now dying) dying {
	known := map[types.UID]bool{}
	for i := range d.waiting {
		known[d.waiting[i].UID] = true
	}
	left := slices.DeleteFunc(now.waiting, func(ns corev1.Namespace) bool { return !known[ns.UID] })
	return dying{left, d.attended || now.attended, d.fewer || len(left) < len(d.waiting)}
}

func (s *server) terminating(ctx context.Context) (dying, error) {
	all, err := s.ours(ctx)
	if err != nil {
		return dying{}, fmt.Errorf("the state of the deleted namespaces cannot be read: %w", err)
	}
	var out dying
	for _, ns := range all {
		switch {
		case ns.DeletionTimestamp == nil || ns.Annotations[beatNote] == "":
		case attended(&ns):
			out.attended = true
		default:
			out.waiting = append(out.waiting, ns)
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

func names(all []corev1.Namespace) string {
	var out []string
	for i := range all {
		out = append(out, all[i].Name)
	}
	return strings.Join(out, ", ")
}
