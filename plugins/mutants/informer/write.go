package informer

import (
	"context"
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// Write implements informer.Writer.
func (i *informer) Write(ctx context.Context, key, note string) (json.RawMessage, error) {
	out, err := i.write(ctx, key, note)
	i.server.close() // no goroutine is left of a connection
	if err != nil {
		return nil, err
	}
	if i.keeps != nil {
		o, err := i.object(fromUpdate, out.DeepCopy())
		if err != nil {
			return nil, err
		}
		i.changes(func() {
			if i.keeps(o) {
				i.put(o, false)
			}
		})
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if older(i.wrote[key], out.ResourceVersion) {
		i.wrote[key] = out.ResourceVersion
	}
	return json.Marshal(out)
}

func (i *informer) write(ctx context.Context, key, note string) (*corev1.ConfigMap, error) {
	ns, name, _ := strings.Cut(key, "/")
	client := i.server.write(ns)
	for {
		m, err := client.Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			m, err = client.Create(ctx, noted(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns}}, note), metav1.CreateOptions{})
		case err == nil:
			m, err = client.Update(ctx, noted(m, note), metav1.UpdateOptions{})
		}
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) {
			return m, err // else somebody was faster
		}
	}
}

// Read implements informer.Rereader. It waits until the content has what was written under that key, or what came later.
func (i *informer) Read(ctx context.Context, key string) (json.RawMessage, error) {
	for {
		i.mu.Lock()
		got, ok, changed := i.items[key].raw, i.reflects(key), i.changed
		i.mu.Unlock()
		if ok {
			return got, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// keepingAnswers has it keep the answers to its own writes, if keeps says so.
func keepingAnswers(keeps func(i *informer, o object) bool) func(*informer) {
	return func(i *informer) { i.keeps = func(o object) bool { return keeps(i, o) } }
}

// isNewer says that an answer is newer than this object in the copy. Where it is not there, or a selector chooses what belongs there,
// the watch decides.
func isNewer(i *informer, o object) bool {
	was, there := i.items[o.key]
	return there && was.uid == o.uid && i.config.LabelSelector == "" && i.config.FieldSelector == "" && older(was.version, o.version)
}

// onlyForward has it take no older state of an object than it has.
func onlyForward(i *informer) {
	put := i.put
	i.put = func(o object, initial bool) {
		if was, there := i.items[o.key]; !there || was.uid != o.uid || !older(o.version, was.version) {
			put(o, initial)
		}
	}
}

// oneWriter has no pushes: those of two who change the content would come in any order.
var oneWriter = base{has: without(conformance.Pushes)}

// has says that the content is at least as new as our last write of a key.
func (i *informer) has(key string) bool { return !older(i.version, i.wrote[key]) }
