package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/resources"
)

// probe finds out which features the server has switched off: those are not
// declared, with a line that says why.
func (s *server) probe(ctx context.Context) error {
	s.features = s.declared()
	why, err := s.refusesStreams(ctx)
	if why != "" {
		s.withdraw("the server refuses a streaming list ("+why+")", watchcache.WatchList)
	}
	if err != nil {
		return err
	}
	s.probeCache(ctx)
	s.noErrors()
	s.probeShards(ctx)
	s.probeForms(ctx)
	s.probeVersions(ctx)
	s.probeStatus(ctx)
	s.probeRights(ctx)
	return nil
}

// probeShards asks for a list that is a shard of nothing. Only a server that
// knows shards says so in the answer: that declares the feature, which is alpha
// and switched off nearly everywhere.
func (s *server) probeShards(ctx context.Context) {
	all := replay.Shard{Field: replay.HashedUID, Ranges: []replay.HashRange{{First: 0, Last: math.MaxUint64}}}
	l, err := client{s.objects, s.resource, baseName("")}.List(ctx, metav1.ListOptions{Limit: 1, ShardSelector: all.String()})
	if err == nil && l.ShardInfo != nil {
		s.features = append(s.features, watchcache.Shards)
	}
}

// probeForms asks for a list in each form: only one that is not acceptable decides anything. CBOR is alpha and switched off nearly
// everywhere.
func (s *server) probeForms(ctx context.Context) {
	for _, f := range append(slices.Clone(s.features), watchcache.CBOR) {
		if !resources.IsForm(string(f)) {
			continue
		}
		_, err := formed{client{s.objects, s.resource, baseName("")}, s.forms}.As(string(f)).List(ctx, metav1.ListOptions{Limit: 1})
		switch {
		case f == watchcache.CBOR && err == nil:
			s.features = append(s.features, f)
		case f != watchcache.CBOR && apierrors.IsNotAcceptable(err):
			s.withdraw("the server does not serve that form", f)
		}
	}
}

// probeVersions lists what stories with two versions are about, by each: who may not, or whose server has only one, does without.
func (s *server) probeVersions(ctx context.Context) {
	if !slices.Contains(s.features, watchcache.ServedVersions) {
		return
	}
	if first := s.resource.InVersion(false); first.Controlled {
		if m, err := (client{s.core, resources.ConfigMaps, "kube-system"}).Get(ctx, rootCA, metav1.GetOptions{}); err == nil && m.Name == rootCA {
			s.withdraw("the controllers of this cluster write to each of the "+first.Name, watchcache.ServedVersions)
			return
		}
	}
	for _, other := range []bool{false, true} {
		if _, err := s.InVersion(baseName(""), other).List(ctx, metav1.ListOptions{Limit: 1}); err != nil {
			r := s.resource.InVersion(other)
			s.withdraw(fmt.Sprintf("%s of %s cannot be listed (%v)", r.Name, r.GroupVersion, err), watchcache.ServedVersions)
			return
		}
	}
}

// probeStatus asks which subresources the resource has: the definition of a custom resource may be from
// before it had a status. Who may not ask, or gets another answer, learns nothing.
func (s *server) probeStatus(ctx context.Context) {
	if !slices.Contains(s.features, watchcache.StatusSubresource) {
		return
	}
	gv := s.resource.GroupVersion
	b, err := s.core.Get().AbsPath("/apis", gv.Group, gv.Version).DoRaw(ctx) // the core group lacks the feature
	var has metav1.APIResourceList
	if err != nil || json.Unmarshal(b, &has) != nil || has.GroupVersion != gv.String() {
		return
	}
	if path := s.resource.Name + "/status"; !slices.ContainsFunc(has.APIResources, func(r metav1.APIResource) bool { return r.Name == path }) {
		s.withdraw("the server has no "+path, watchcache.StatusSubresource)
	}
}

// probeCache asks for a resourceVersion that is not there yet. A watch cache
// waits three seconds for it, and then says when to try again; etcd refuses at
// once, and does not. Without a cache there are no bookmarks, and no window of
// events: only a plain 504 decides that.
func (s *server) probeCache(ctx context.Context) {
	if !slices.Contains(s.features, watchcache.Bookmarks) {
		return
	}
	_, err := client{s.objects, s.resource, baseName("")}.List(ctx, metav1.ListOptions{ResourceVersion: "9000000000000000000", Limit: 1})
	var status apierrors.APIStatus
	if !apierrors.IsTimeout(err) || !errors.As(err, &status) || status.Status().Details == nil || status.Status().Details.RetryAfterSeconds > 0 {
		return
	}
	if !slices.ContainsFunc(status.Status().Details.Causes, func(c metav1.StatusCause) bool { return c.Type == metav1.CauseTypeResourceVersionTooLarge }) {
		return
	}
	s.withdraw("the server has no watch cache for "+s.resource.Name, watchcache.Bookmarks, watchcache.Window)
}

// noErrors: a watch is refused in its stream for what is gone, and a streaming list for what is not there
// yet. Where neither is to be had, nothing is.
func (s *server) noErrors() {
	sources := []harness.Feature{watchcache.WatchList, watchcache.Window, watchcache.Compaction}
	if !slices.ContainsFunc(sources, func(f harness.Feature) bool { return slices.Contains(s.features, f) }) {
		s.withdraw("it serves no streaming lists, and without --etcd its history cannot be compacted", watchcache.Errors)
	}
}

// withdraw takes features back, and says why.
func (s *server) withdraw(why string, features ...harness.Feature) {
	for _, f := range features {
		s.features = slices.DeleteFunc(s.features, func(has harness.Feature) bool { return has == f })
		s.notes = append(s.notes, fmt.Sprintf("the feature %s is not tested: %s; --feature=%s tests it anyway", f, why, f))
	}
}

// refusesStreams asks for one streaming list, in a namespace of a name that
// nobody has: no object of others is seen, and nothing has to be made for it.
// A server whose feature gate WatchList is off says which parameter it forbids,
// one that never heard of streaming lists (before 1.27) that a watch takes no
// resourceVersionMatch. Any other answer decides nothing: the checks will.
func (s *server) refusesStreams(ctx context.Context) (why string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	yes, second := true, int64(1)
	w, err := client{s.objects, s.resource, baseName("")}.Watch(ctx, metav1.ListOptions{SendInitialEvents: &yes,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true, TimeoutSeconds: &second})
	if err == nil {
		w.Stop()
		return "", nil
	}
	var status apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return "", needsRole("watch "+s.resource.Name, ignore(err))
	}
	for _, c := range status.Status().Details.Causes {
		if c.Type == metav1.CauseTypeForbidden && (c.Field == "sendInitialEvents" || c.Field == "resourceVersionMatch") {
			return c.Message, nil
		}
	}
	return "", nil
}

// ignore leaves of an error only a refusal for want of rights.
func ignore(err error) error {
	if apierrors.IsForbidden(err) {
		return err
	}
	return nil
}
