package resources

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Controls are what can be done to lwtest's own API server beside any request of its API, as the optional
// interfaces of watchcache.Subject: for subjects to embed. It is safe for concurrent use, as the server is.
type Controls struct {
	Server *apiserver.Server
	Of     schema.GroupVersionResource // what is tested: whose cache is meant
}

// Compact implements watchcache.Compactor.
func (c Controls) Compact(context.Context) (string, error) {
	rv := c.Server.Revision()
	return rv, c.Server.Compact(rv)
}

// MoveWindow implements watchcache.WindowMover.
func (c Controls) MoveWindow(context.Context) error {
	return c.Server.ForgetEvents(c.Of, "")
}

// Restart implements watchcache.Restarter.
func (c Controls) Restart(context.Context) error {
	c.Server.Restart()
	return nil
}

// DeleteTogether implements watchcache.Deleter.
func (c Controls) DeleteTogether(namespace string, names ...string) error {
	var reqs []apiserver.Request
	for _, n := range names {
		reqs = append(reqs, apiserver.Request{Resource: c.Of, Namespace: namespace, Name: n})
	}
	return c.Server.DeleteTogether(reqs...)
}

// WriteOther implements watchcache.OtherWriter. The other resource is secrets.
func (c Controls) WriteOther(ctx context.Context) (string, error) {
	secrets := apiserver.Of(c.Server, corev1.SchemeGroupVersion.WithResource("secrets"), "default",
		func() *corev1.Secret { return &corev1.Secret{} }, func() *corev1.SecretList { return &corev1.SecretList{} })
	if _, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "other-"}}, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	l, err := secrets.List(ctx, metav1.ListOptions{Limit: 1})
	return l.ResourceVersion, err
}

// SetLag implements watchcache.Lagger.
func (c Controls) SetLag(_ context.Context, lag time.Duration) error {
	c.Server.SetLag(lag)
	return nil
}

// SetReady implements watchcache.Starter.
func (c Controls) SetReady(_ context.Context, ready bool) error {
	if ready {
		return c.Server.StartCache(c.Of)
	}
	return c.Server.StopCache(c.Of)
}

// Rows are all resources that fakes serve but APIServices, whose names are not free, and the custom one in its versions, of which the first
// is stored.
func Rows() []apiserver.Resource {
	all := slices.DeleteFunc(apiserver.Resources(), func(r apiserver.Resource) bool { return r.GroupVersionResource == apiserver.APIServices })
	for _, r := range Things.Versions {
		row := apiserver.CustomResource(r.GroupVersion.WithKind(r.Kind), r.Name, true).WithStatus()
		row.StoredVersion = Things.GroupVersion.Version
		all = append(all, row)
	}
	return all
}
