package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// right is what a user may do in all namespaces; the resource may be one with its subresource.
type right struct{ group, resource, verb string }

func (r right) String() string {
	name := r.resource
	if r.group != "" {
		name += "." + r.group
	}
	return r.verb + " " + name
}

// rights are all that a run needs: those that the first role grants.
func (s *server) rights() []right {
	var out []right
	for _, verb := range []string{"create", "list", "patch", "delete"} {
		out = append(out, right{"", "namespaces", verb})
	}
	for _, verb := range []string{"create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"} {
		out = append(out, right{s.resource.GroupVersion.Group, s.resource.Name, verb})
	}
	if !slices.Contains(s.resource.Lacks, watchcache.StatusSubresource) {
		for _, verb := range []string{"update", "patch"} {
			out = append(out, right{s.resource.GroupVersion.Group, s.resource.Name + "/status", verb})
		}
	}
	return out
}

// optional are rights without which a feature is not tested.
func (s *server) optional() map[harness.Feature][]right {
	var versions []right
	for _, r := range s.resource.Versions {
		for _, verb := range []string{"create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"} {
			versions = append(versions, right{r.GroupVersion.Group, r.Name, verb})
		}
	}
	return map[harness.Feature][]right{
		watchcache.ServedVersions:    versions,
		watchcache.ClusterScoped:     {{"", "namespaces", "get"}, {"", "namespaces", "watch"}, {"", "namespaces", "update"}},
		watchcache.SubresourceCreate: {{"", "pods/eviction", "create"}},
	}
}

// probeRights withdraws the features for which the user lacks a right.
func (s *server) probeRights(ctx context.Context) {
	for feature, rights := range s.optional() {
		i := slices.IndexFunc(rights, func(r right) bool { return slices.Contains(s.features, feature) && s.mayNot(ctx, r) })
		if i >= 0 {
			s.withdraw("the user may not "+rights[i].String(), feature)
		}
	}
}

// mayAll asks before anything is made which rights are missing: a refusal in
// the middle of a check would be taken for the server's fault.
func (s *server) mayAll(ctx context.Context) error {
	all := s.rights()
	missing := make([]bool, len(all))
	var wg sync.WaitGroup
	for i, r := range all {
		wg.Go(func() { missing[i] = s.mayNot(ctx, r) })
	}
	wg.Wait()
	var names []string
	for i, r := range all {
		if missing[i] {
			names = append(names, r.String())
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("the user of the kubeconfig may not %s (in all namespaces): %w", strings.Join(names, ", "), errRole)
}

// mayNot says whether a right is missing for sure. Who cannot ask learns it
// from the refusal itself.
func (s *server) mayNot(ctx context.Context, r right) bool {
	resource, sub, _ := strings.Cut(r.resource, "/")
	asked := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: r.group, Resource: resource, Subresource: sub, Verb: r.verb}}}
	answer := &authorizationv1.SelfSubjectAccessReview{}
	err := s.access.Post().MaxRetries(0).Resource("selfsubjectaccessreviews").Body(asked).Do(ctx).Into(answer)
	return err == nil && answer.Spec.ResourceAttributes != nil && !answer.Status.Allowed
}

// errRole says what would help.
var errRole = errors.New("lwtest needs this role; bind it to that user with `lwtest list --role | kubectl apply -f -` and `kubectl create clusterrolebinding lwtest --clusterrole=lwtest --user=NAME`:\n\n" + Role())

// needsRole adds the role to a refusal that it would cure.
func needsRole(what string, err error) error {
	if !apierrors.IsForbidden(err) {
		return err
	}
	return fmt.Errorf("lwtest may not %s: %w: %w", what, err, errRole)
}
