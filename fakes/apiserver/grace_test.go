package apiserver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// A pod on a node has the time it asks for, or less: its deletionTimestamp is when that ends, and nothing
// but a delete with no time left, which the kubelet sends, ends it.
func TestGrace(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		req := apiserver.Request{Resource: pods, Namespace: "ns"}
		w := record(t, s, req, metav1.ListOptions{})
		_, err := s.Create(ctx, req, pod("p", "n"), metav1.CreateOptions{})
		require.NoError(t, err)
		req.Name = "p"
		begin := time.Now()
		left := func(asked *int64) time.Duration {
			t.Helper()
			obj, err := s.Delete(ctx, req, metav1.DeleteOptions{GracePeriodSeconds: asked})
			require.NoError(t, err)
			p := obj.(*corev1.Pod)
			require.EqualValues(t, 2, p.Generation)
			require.Equal(t, begin.Add(time.Duration(*p.DeletionGracePeriodSeconds)*time.Second).UTC(), p.DeletionTimestamp.UTC())
			return p.DeletionTimestamp.Sub(begin)
		}
		require.Equal(t, 30*time.Second, left(nil))
		time.Sleep(5 * time.Second)
		require.Equal(t, 20*time.Second, left(new(int64(20))), "counted from the first delete")
		require.Equal(t, 20*time.Second, left(new(int64(25))), "no more than before")
		time.Sleep(20 * time.Minute)
		require.Equal(t, []string{"ADDED p@2", "MODIFIED p@3", "MODIFIED p@4"}, w.got(), "nobody else deletes it")
		require.Zero(t, left(new(int64(0))))
		require.Equal(t, []string{"MODIFIED p@5", "DELETED p@6"}, w.got())
	})
}

// Where a controller ends namespaces, what holds an object in one holds the namespace, too.
func TestNamespaceController(t *testing.T) {
	bubble(t, apiserver.Options{Namespaces: true, NamespaceController: true}, func(t *testing.T, s *apiserver.Server) {
		spaces := corev1.SchemeGroupVersion.WithResource("namespaces")
		ns := apiserver.Request{Resource: spaces, Name: "a"}
		_, err := s.Create(ctx, ns, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		held := cm("held")
		held.Finalizers = []string{"x.io/f"}
		create(t, s, "a", held)
		create(t, s, "a", cm("free"))
		_, err = s.Create(ctx, apiserver.Request{Resource: pods, Namespace: "a"}, pod("p", "n"), metav1.CreateOptions{})
		require.NoError(t, err)

		obj, err := s.Delete(ctx, ns, metav1.DeleteOptions{})
		require.NoError(t, err)
		require.Equal(t, corev1.NamespaceTerminating, obj.(*corev1.Namespace).Status.Phase)
		l, err := apiserver.ConfigMaps(s, "a").List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, l.Items, 1)
		_, err = apiserver.ConfigMaps(s, "a").Create(ctx, cm("new"), metav1.CreateOptions{})
		require.True(t, apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause), "%v", err)

		update(t, s, "a", "held", func(m *corev1.ConfigMap) { m.Finalizers = nil })
		_, err = s.Get(ctx, ns, metav1.GetOptions{})
		require.NoError(t, err, "the pod has time left")
		_, err = s.Delete(ctx, apiserver.Request{Resource: pods, Namespace: "a", Name: "p"}, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
		require.NoError(t, err)
		_, err = s.Get(ctx, ns, metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
	})
}

// Jobs do not hold a namespace, whose dependents would be orphaned if nobody said anything, nor does what
// waits for a garbage collector.
func TestNamespaceWithJobs(t *testing.T) {
	bubble(t, apiserver.Options{Namespaces: true, NamespaceController: true}, func(t *testing.T, s *apiserver.Server) {
		ns := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: "a"}
		_, err := s.Create(ctx, ns, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		jobs := apiserver.Request{Resource: batchv1.SchemeGroupVersion.WithResource("jobs"), Namespace: "a"}
		for _, name := range []string{"plain", "orphaning"} {
			job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: pod("p", "").Spec}}}
			job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
			_, err = s.Create(ctx, jobs, job, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		create(t, s, "a", cm("foreground"))
		foreground := metav1.DeletePropagationForeground
		require.NoError(t, apiserver.ConfigMaps(s, "a").Delete(ctx, "foreground", metav1.DeleteOptions{PropagationPolicy: &foreground}))
		jobs.Name = "orphaning"
		_, err = s.Delete(ctx, jobs, metav1.DeleteOptions{})
		require.NoError(t, err)
		_, err = s.Get(ctx, jobs, metav1.GetOptions{})
		require.NoError(t, err, "it has the finalizer orphan")

		_, err = s.Delete(ctx, ns, metav1.DeleteOptions{})
		require.NoError(t, err)
		_, err = s.Get(ctx, ns, metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
	})
}
