package rest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// A kubeconfig leaves the check of certificates out only where there are none.
func TestKubeconfigInsecure(t *testing.T) {
	for name, o := range map[string]rest.Options{"http": {}, "https": {TLS: true}} {
		t.Run(name, func(t *testing.T) {
			api := apiserver.New(apiserver.Options{})
			defer api.Close()
			s, err := rest.Serve(api, o)
			require.NoError(t, err)
			defer s.Close()
			c, err := clientcmd.Load(s.Kubeconfig())
			require.NoError(t, err)
			require.Equal(t, !o.TLS, c.Clusters["lwtest"].InsecureSkipTLSVerify)
		})
	}
}
