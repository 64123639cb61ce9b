package apiservertest_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/lwtest/lwtest/fakes/apiserver/apiservertest"
)

// A framework that sets up a control plane as envtest's compiles, and learns where the server is.
func TestControlPlane(t *testing.T) {
	var out bytes.Buffer
	e := apiservertest.Environment{ControlPlane: apiservertest.ControlPlane{
		APIServer: &apiservertest.APIServer{Out: &out, Err: &out, StartTimeout: 1},
		Etcd:      &apiservertest.Etcd{Out: &out},
	}}
	e.ControlPlane.Etcd.Configure().AppendNoDefaults("unsafe-no-fsync")
	plane := &e.ControlPlane
	assert.Nil(t, plane.APIURL())
	_, err := plane.RESTClientConfig()
	require.ErrorContains(t, err, "call Start first")
	_, err = plane.AddUser(apiservertest.User{Name: "u"}, nil)
	require.ErrorContains(t, err, "call Start first")

	config, err := e.Start()
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Stop()) }()
	server := plane.GetAPIServer()
	assert.Equal(t, config.Host, plane.APIURL().String())
	assert.Equal(t, config.Host, server.SecureServing.URL("https", "").String())
	assert.Equal(t, config.CAData, server.CA)
	assert.NotZero(t, server.SecurePort)

	user, err := plane.AddUser(apiservertest.User{Name: "u"}, nil)
	require.NoError(t, err)
	mine, err := plane.RESTClientConfig()
	require.NoError(t, err)
	require.NotEqual(t, mine, user.Config())
	client, err := kubernetes.NewForConfig(user.Config())
	require.NoError(t, err)
	_, err = client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
	assert.True(t, apierrors.IsForbidden(err), err)
}
