package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// sweep removes the namespaces that checks of a run have left because their
// process was killed. It looks again until it finds no other: a request of a
// process that is gone may still be carried out.
func (s *server) sweep(ctx context.Context, run string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	var gone int
	var errs []error
	tried := map[types.UID]bool{}
	for {
		all, err := s.leftBy(ctx, run)
		if err != nil {
			errs = append(errs, fmt.Errorf("lwtest cannot find out whether the run has left namespaces: %w: the next run removes those whose heartbeat is %s old; `kubectl get namespaces -l %s` shows them", err, dead, ownOnly))
			break
		}
		todo := slices.DeleteFunc(all, func(ns corev1.Namespace) bool { return tried[ns.UID] })
		if len(todo) == 0 {
			break
		}
		for i := range todo {
			tried[todo[i].UID] = true
			if err := s.remove(ctx, &todo[i]); err != nil {
				errs = append(errs, err)
				continue
			}
			gone++
		}
	}
	return deleted(gone), errors.Join(errs...)
}

func deleted(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "deleted 1 namespace of a check that could not end"
	}
	return fmt.Sprintf("deleted %d namespaces of checks that could not end", n)
}

// leftBy lists the namespaces of a run that live. Those of another resource are
// left to the target that knows how to empty them.
func (s *server) leftBy(ctx context.Context, run string) ([]corev1.Namespace, error) {
	all, err := s.ours(ctx)
	return slices.DeleteFunc(all, func(ns corev1.Namespace) bool {
		return ns.DeletionTimestamp != nil || ns.Annotations[ofNote] != s.resource.Name || !strings.HasPrefix(ns.Annotations[caseNote], run+"-")
	}), err
}
