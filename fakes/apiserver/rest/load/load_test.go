package load_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/rest/load"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A little load is measured, and nothing of it stays.
func TestRun(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true})
	defer api.Close()
	s, err := rest.Serve(api, rest.Options{TLS: true, Token: "secret"})
	require.NoError(t, err)
	defer s.Close()
	f, err := load.Run(t.Context(), s.RESTConfig(), load.Options{Writers: 2, Watches: 3, Listed: 60, Fanned: 5, Changes: 4})
	require.NoError(t, err)
	require.Positive(t, f.Creates)
	require.Positive(t, f.Patches)
	require.Len(t, f.Lists, len(load.Forms))
	require.Positive(t, f.Lists[0])
	require.Positive(t, f.Burst)
	require.Positive(t, f.Trickle)
	left, err := api.List(t.Context(), apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("configmaps")}, metav1.ListOptions{})
	require.NoError(t, err)
	require.Zero(t, meta.LenList(left))
}

// A server that cannot be asked is an error.
func TestRefused(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true})
	defer api.Close()
	s, err := rest.Serve(api, rest.Options{Token: "secret"})
	require.NoError(t, err)
	defer s.Close()
	config := s.RESTConfig()
	config.BearerToken = "wrong"
	_, err = load.Run(t.Context(), config, load.Options{})
	require.ErrorContains(t, err, "401")
}
