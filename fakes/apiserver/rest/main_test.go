package rest_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

func TestMain(m *testing.M) {
	utilruntime.ErrorHandlers = nil // they sleep across bubbles
	goleak.VerifyTestMain(m)
}

// both are an API and the HTTP server on it.
type both struct {
	*rest.Server
	api *apiserver.Server
}

// widget is a custom resource.
var widget = schema.GroupVersionKind{Group: "probe.example.com", Version: "v1", Kind: "Widget"}

func resources() []apiserver.Resource {
	return append(apiserver.Resources(), apiserver.CustomResource(widget, "widgets", true))
}

type serve func(apiserver.API, rest.Options) (*rest.Server, error)

func open(t *testing.T, how serve, a apiserver.Options, o rest.Options) both {
	t.Helper()
	a.Resources, a.Namespaces = resources(), true
	o.Resources = a.Resources
	api := apiserver.New(a)
	s, err := how(api, o)
	require.NoError(t, err)
	return both{s, api}
}

func (b both) close(t *testing.T) {
	t.Helper()
	require.NoError(t, b.Close())
	require.NoError(t, b.api.Close())
}

// everywhere runs a test over TCP and in a bubble, each also over TLS (which is HTTP/2) with a token.
func everywhere(t *testing.T, a apiserver.Options, f func(*testing.T, both)) {
	t.Helper()
	t.Run("TCP", func(t *testing.T) {
		b := open(t, rest.Serve, a, rest.Options{})
		defer b.close(t)
		f(t, b)
	})
	t.Run("TLS", func(t *testing.T) {
		b := open(t, rest.Serve, a, rest.Options{TLS: true, Token: "secret"})
		defer b.close(t)
		f(t, b)
	})
	t.Run("bubble", func(t *testing.T) { inBubble(t, a, f) })
	t.Run("bubble with TLS", func(t *testing.T) { inBubbleWith(t, a, rest.Options{TLS: true, Token: "secret"}, f) })
}

func inBubble(t *testing.T, a apiserver.Options, f func(*testing.T, both)) {
	t.Helper()
	inBubbleWith(t, a, rest.Options{}, f)
}

func inBubbleWith(t *testing.T, a apiserver.Options, o rest.Options, f func(*testing.T, both)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := open(t, rest.ServePipe, a, o)
		defer b.close(t)
		f(t, b)
	})
}
