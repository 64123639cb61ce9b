package kube

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/lwtest/lwtest/conformance/watchcache"
)

// How lwtest's namespaces are told from all others. What lacks the label or
// the heartbeat is never touched.
const (
	ownLabel  = "lwtest.github.io/owned" // "true"
	ownOnly   = ownLabel + "=true"
	caseNote  = "lwtest.github.io/case"      // run and check: harness.T.ID
	ofNote    = "lwtest.github.io/resource"  // what its check writes there
	otherNote = "lwtest.github.io/other"     // a text that a check changes
	beatNote  = "lwtest.github.io/heartbeat" // RFC 3339, the server's time
	about     = "lwtest.github.io/about"
	saying    = "created by a run of lwtest, which removes it after its check, or at the latest at the end of the run; the next run removes it when its heartbeat is ten minutes old"
)

const (
	beat      = time.Minute      // between two heartbeats
	dead      = 10 * time.Minute // without one: its run is gone
	useLimit  = 10 * time.Second // for a new namespace to take objects
	goLimit   = 25 * time.Second // for the requests at the end of a check: the deletion of a thousand objects takes a busy server ten
	pollEvery = 100 * time.Millisecond
)

// Namespaces makes n namespaces for one check, whose names begin or end alike.
// They can be used when it returns, and are deleted when the check ends.
func (s *subject) Namespaces(ctx context.Context, n int) ([]string, error) {
	var names []string
	base := baseName(s.t.ID())
	for i := range n {
		ns, err := s.make(ctx, nameLike(base, i), s.t.ID())
		if ns != nil {
			s.t.Cleanup(func() { s.note(s.remove(context.Background(), ns)) })
		}
		if err != nil {
			return nil, err
		}
		names = append(names, ns.Name)
	}
	for _, name := range names {
		if err := s.usable(ctx, name); err != nil {
			return nil, err
		}
	}
	s.namespaces = names
	s.t.Go(func() { s.beat(s.t.Context(), names) })
	return names, nil
}

// WriteOther implements watchcache.OtherWriter. The other resource is namespaces: the check's own is annotated.
func (s *subject) WriteOther(ctx context.Context) (string, error) {
	if err := s.annotate(ctx, s.namespaces[0], otherNote, rand.Text()); err != nil {
		return "", err
	}
	l := &corev1.NamespaceList{}
	err := s.core.Get().Resource("namespaces").VersionedParams(&metav1.ListOptions{LabelSelector: ownOnly, Limit: 1}, scheme.ParameterCodec).Do(ctx).Into(l)
	return l.ResourceVersion, err
}

// make makes a namespace. One that it gives has to be removed, with an error, too: then nobody knows whether it
// was made; but the name is ours alone, so what has it may go.
func (s *server) make(ctx context.Context, name, id string) (*corev1.Namespace, error) {
	ns, made := &corev1.Namespace{}, &corev1.Namespace{}
	ns.Name = name
	s.mark(ns, id)
	err := s.core.Post().MaxRetries(0).Resource("namespaces").Body(ns).Do(ctx).Into(made)
	switch {
	case refused(err):
		return nil, needsRole("create namespaces", err)
	case err != nil:
		return ns, fmt.Errorf("it is not known whether the namespace %s was created: %w", ns.Name, err)
	}
	return made, nil
}

// nameLike is the name of the ith namespace: the second begins like the first,
// the third ends like it, and so on in turn.
func nameLike(base string, i int) string {
	if i%2 == 0 && i > 0 {
		return "other-" + base + strings.Repeat("b", i/2-1)
	}
	return base + strings.Repeat("b", (i+1)/2)
}

// baseName is a name that no other check uses, of this run or another.
func baseName(id string) string {
	h := fnv.New32a()
	fmt.Fprint(h, id)
	return fmt.Sprintf("lwtest-%s-%08x", strings.ToLower(rand.Text()[:10]), h.Sum32())
}

func (s *server) mark(ns *corev1.Namespace, id string) {
	ns.Labels = map[string]string{ownLabel: "true", "app.kubernetes.io/managed-by": "lwtest"}
	ns.Annotations = map[string]string{caseNote: id, ofNote: s.resource.Name, beatNote: s.stamp(), about: saying}
}

func (s *server) stamp() string { return s.clock.now().UTC().Format(time.RFC3339) }

// usable waits until the namespace takes objects: other API servers of the
// same cluster may hear of it a little later.
func (s *server) usable(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	probe := &corev1.ConfigMap{Data: map[string]string{}}
	probe.Namespace, probe.Name = name, "probe"
	for {
		_, err := client{s.objects, s.resource, name}.Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		switch {
		case err == nil:
			return nil
		case !apierrors.IsNotFound(err) && ctx.Err() == nil:
			return needsRole("create "+s.resource.Name+" in a namespace that it has just created", err)
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return fmt.Errorf("the namespace %s accepts no %s after %s: %w", name, s.resource.Name, useLimit, err)
		}
	}
}

// beat renews the heartbeats until the check ends. One that fails is made up
// for by the next: only ten minutes without any count.
func (s *server) beat(ctx context.Context, names []string) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, name := range names {
			_ = s.renew(ctx, name)
		}
	}
}

func (s *server) renew(ctx context.Context, name string) error {
	return s.annotate(ctx, name, beatNote, s.stamp())
}

// annotate sets an annotation of a namespace.
func (s *server) annotate(ctx context.Context, name, note, text string) error {
	b, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{note: text}}})
	if err != nil {
		return err
	}
	return s.core.Patch(types.MergePatchType).Resource("namespaces").Name(name).Body(b).Do(ctx).Error()
}

// remove deletes a namespace of this run, then the objects in it: a terminating
// namespace takes no new ones. What it still waits for is close's.
func (s *server) remove(ctx context.Context, ns *corev1.Namespace) error {
	ctx, cancel := context.WithTimeout(ctx, goLimit)
	defer cancel()
	p := &metav1.Preconditions{}
	if ns.UID != "" { // or its making was never confirmed
		p.UID = &ns.UID
	}
	err := s.deleteNamespace(ctx, ns.Name, p)
	if err == nil {
		err = s.empty(ctx, ns.Name)
	}
	if err != nil {
		return fmt.Errorf("the namespace %s could not be removed: %w: the next run removes it when its heartbeat is %s old, or use `kubectl delete namespace %s`", ns.Name, err, dead, ns.Name)
	}
	return nil
}

func (s *server) deleteNamespace(ctx context.Context, name string, p *metav1.Preconditions) error {
	err := s.tidy.core.Delete().Resource("namespaces").Name(name).Body(&metav1.DeleteOptions{Preconditions: p}).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// empty deletes what checks have left in a namespace: objects of our resource, and those with two versions.
func (s *server) empty(ctx context.Context, name string) error {
	err := emptyOf(ctx, client{s.tidy.objects, s.resource, name})
	if err == nil && slices.Contains(s.features, watchcache.ServedVersions) && s.resource.InVersion(false).Name != s.resource.Name {
		err = emptyOf(ctx, client{s.tidy.versions, s.resource.InVersion(false), name})
	}
	return err
}

// emptyOf deletes all objects of a client, and takes the finalizers of those that a check has left some on.
func emptyOf(ctx context.Context, c client) error {
	err := c.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	if err != nil {
		return ignoreNotFound(err)
	}
	l, err := c.List(ctx, metav1.ListOptions{})
	if err != nil {
		return ignoreNotFound(err)
	}
	for i := range l.Items {
		if len(l.Items[i].Finalizers) == 0 {
			continue
		}
		if _, err := c.Patch(ctx, l.Items[i].Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); ignoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// mayWork asks, without leaving anything, whether namespaces can be made.
func (s *server) mayWork(ctx context.Context) error {
	ns := &corev1.Namespace{}
	ns.Name = baseName("")
	s.mark(ns, "")
	o := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	err := s.core.Post().Resource("namespaces").VersionedParams(&o, scheme.ParameterCodec).Body(ns).Do(ctx).Error()
	return needsRole("create namespaces of its own", err)
}
