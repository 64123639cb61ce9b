package rest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// client-go's typed clients write status and scale, bind, evict and finalize, in JSON and in protobuf.
func TestSubresources(t *testing.T) {
	for _, kind := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(kind, func(t *testing.T) {
			everywhere(t, apiserver.Options{}, func(t *testing.T, b both) {
				config := b.RESTConfig()
				config.ContentType, config.AcceptContentTypes = kind, kind
				clients, err := kubernetes.NewForConfig(config)
				require.NoError(t, err)
				podLife(t, clients)
				podParts(t, clients)
				accountLife(t, clients)
				deploymentLife(t, clients)
				namespaceLife(t, clients)
			})
		})
	}
}

var onlyContainer = []corev1.Container{{Name: "c", Image: "i"}}

// podLife binds a pod, lets it run, evicts it, and ends it as a kubelet does.
func podLife(t *testing.T, clients kubernetes.Interface) {
	t.Helper()
	ctx, c := context.Background(), clients.CoreV1().Pods("default")
	p, err := c.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: onlyContainer}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Equal(t, corev1.PodPending, p.Status.Phase)
	require.EqualValues(t, 30, *p.Spec.TerminationGracePeriodSeconds)
	to := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}
	require.NoError(t, c.Bind(ctx, to, metav1.CreateOptions{}))
	require.True(t, apierrors.IsConflict(c.Bind(ctx, to, metav1.CreateOptions{})))

	_, err = c.UpdateStatus(ctx, p, metav1.UpdateOptions{})
	require.True(t, apierrors.IsConflict(err), "it is of before the binding: %v", err)
	p, err = c.Get(ctx, "p", metav1.GetOptions{})
	require.NoError(t, err)
	p.Status.Phase, p.Spec.NodeName = corev1.PodRunning, "other"
	p, err = c.UpdateStatus(ctx, p, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, corev1.PodRunning, p.Status.Phase)
	require.Equal(t, "n", p.Spec.NodeName)
	p, err = c.Patch(ctx, "p", types.StrategicMergePatchType, []byte(`{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`), metav1.PatchOptions{}, "status")
	require.NoError(t, err)
	require.Len(t, p.Status.Conditions, 2, "merged by their type")

	require.NoError(t, c.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p"}}))
	p, err = c.Get(ctx, "p", metav1.GetOptions{})
	require.NoError(t, err)
	require.NotNil(t, p.DeletionTimestamp)
	require.NoError(t, c.Delete(ctx, "p", *metav1.NewDeleteOptions(0)))
	_, err = c.Get(ctx, "p", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
}

// podParts debugs a pod and resizes it, as kubectl debug and vertical autoscalers do.
func podParts(t *testing.T, clients kubernetes.Interface) {
	t.Helper()
	ctx, c := context.Background(), clients.CoreV1().Pods("default")
	half := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")}
	p, err := c.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "parts"}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "c", Image: "i", Resources: corev1.ResourceRequirements{Requests: half}}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	p.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: "sh"}}}
	_, err = c.Update(ctx, p, metav1.UpdateOptions{})
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	p, err = c.UpdateEphemeralContainers(ctx, "parts", p, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Len(t, p.Spec.EphemeralContainers, 1)
	require.Equal(t, corev1.PullAlways, p.Spec.EphemeralContainers[0].ImagePullPolicy)
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("1")
	p.Spec.Containers[0].Image = "other"
	p, err = c.UpdateResize(ctx, "parts", p, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, "1", p.Spec.Containers[0].Resources.Requests.Cpu().String())
	require.Equal(t, "i", p.Spec.Containers[0].Image)
	require.EqualValues(t, 3, p.Generation)
	require.NoError(t, c.Delete(ctx, "parts", metav1.DeleteOptions{}))
}

// accountLife asks for a token, and who asks.
func accountLife(t *testing.T, clients kubernetes.Interface) {
	t.Helper()
	ctx, c := context.Background(), clients.CoreV1().ServiceAccounts("default")
	_, err := c.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	r, err := c.CreateToken(ctx, "a", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, r.Status.Token)
	require.EqualValues(t, 3600, *r.Spec.ExpirationSeconds)
	require.Equal(t, r.CreationTimestamp.Add(time.Hour).Unix(), r.Status.ExpirationTimestamp.Unix())
	_, err = c.CreateToken(ctx, "nosuch", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	require.NoError(t, c.Delete(ctx, "a", metav1.DeleteOptions{}))
	me, err := clients.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Equal(t, "admin", me.Status.UserInfo.Username)
}

// deploymentLife scales a deployment, and says how far that is.
func deploymentLife(t *testing.T, clients kubernetes.Interface) {
	t.Helper()
	ctx, c := context.Background(), clients.AppsV1().Deployments("default")
	labels := map[string]string{"app": "x"}
	_, err := c.Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: onlyContainer}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	s, err := c.GetScale(ctx, "d", metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 1, s.Spec.Replicas)
	s.Spec.Replicas = 3
	_, err = c.UpdateScale(ctx, "d", s, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = c.UpdateScale(ctx, "d", s, metav1.UpdateOptions{})
	require.True(t, apierrors.IsConflict(err), "%v", err)
	d, err := c.Get(ctx, "d", metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 3, *d.Spec.Replicas)
	require.EqualValues(t, 2, d.Generation)
	d.Status.Replicas = 3
	d, err = c.UpdateStatus(ctx, d, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 2, d.Generation)
	s, err = c.GetScale(ctx, "d", metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 3, s.Status.Replicas)
	require.Equal(t, "app=x", s.Status.Selector)
	require.NoError(t, c.Delete(ctx, "d", metav1.DeleteOptions{}))
}

// namespaceLife ends a namespace as its controller does.
func namespaceLife(t *testing.T, clients kubernetes.Interface) {
	t.Helper()
	ctx, c := context.Background(), clients.CoreV1().Namespaces()
	_, err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ending"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, c.Delete(ctx, "ending", metav1.DeleteOptions{}))
	n, err := c.Get(ctx, "ending", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, corev1.NamespaceTerminating, n.Status.Phase)
	_, err = clients.CoreV1().ConfigMaps("ending").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "late"}}, metav1.CreateOptions{})
	require.True(t, apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause), "%v", err)
	n.Spec.Finalizers = nil
	_, err = c.Finalize(ctx, n, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = c.Get(ctx, "ending", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
}

// A write to /scale that changes nothing takes the time of the manager of replicas away, and so moves it before managers that
// wrote in an earlier second: a kube-apiserver stores that, but not a time alone.
func TestScaleOrdersManagers(t *testing.T) {
	for gap, stored := range map[time.Duration]bool{0: false, 2 * time.Second: true} {
		inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
			clients, err := kubernetes.NewForConfig(b.RESTConfig())
			require.NoError(t, err)
			c, labels := clients.AppsV1().ReplicaSets("default"), map[string]string{"app": "x"}
			r, err := c.Create(t.Context(), &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Spec: appsv1.ReplicaSetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: onlyContainer}},
			}}, metav1.CreateOptions{FieldManager: "first"})
			require.NoError(t, err)
			time.Sleep(gap)
			*r.Spec.Replicas = 2
			r, err = c.Update(t.Context(), r, metav1.UpdateOptions{FieldManager: "a-second"})
			require.NoError(t, err)
			for _, again := range []bool{stored, false} {
				_, err := c.Patch(t.Context(), "r", types.MergePatchType, []byte("{}"), metav1.PatchOptions{FieldManager: "third"}, "scale")
				require.NoError(t, err)
				now, err := c.Get(t.Context(), "r", metav1.GetOptions{})
				require.NoError(t, err)
				require.Equal(t, again, now.ResourceVersion != r.ResourceVersion, gap)
				r = now
			}
		})
	}
}
