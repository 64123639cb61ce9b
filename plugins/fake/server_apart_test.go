package fake

import (
	"bufio"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// Whoever has nothing but its address can be refused, and taken again.
func TestServerApart(t *testing.T) {
	ended := false
	check := harness.Check[rig.Server]{Info: harness.Info{Name: "apart", About: "connections", Rules: []harness.Rule{harness.Survives}}, Drive: func(_ *harness.T, s rig.Server) {
		url := s.Endpoint("me").URL + "/api/v1/namespaces/default/configmaps"
		client := &http.Client{Transport: transport.NewBearerAuthRoundTripper(s.Endpoint("me").Token, &http.Transport{})}
		defer client.CloseIdleConnections()
		assert.Nil(t, s.Endpoint("me").Dial)
		assert.Nil(t, s.Endpoint("me").Direct)
		get := func() error {
			r, err := client.Get(url)
			if err == nil {
				_, err = io.Copy(io.Discard, r.Body)
				assert.NoError(t, r.Body.Close())
			}
			return err
		}
		require.NoError(t, get())
		watch, err := client.Get(url + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")
		require.NoError(t, err)
		lines := bufio.NewReader(watch.Body)
		_, err = lines.ReadString('\n')
		require.NoError(t, err)
		for range 3 {
			s.(rig.Cutter).Refuse(true)
			assert.ErrorIs(t, get(), syscall.ECONNREFUSED)
			s.(rig.Cutter).Refuse(false)
			assert.NoError(t, get())
		}
		_, err = lines.ReadString('\n')
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF, "what was open is broken")
		assert.NoError(t, watch.Body.Close())
		ended = true
	}}
	suite := harness.Suite[rig.Server]{Kind: "apart", Version: "1", Checks: harness.Checks(check), Rules: []harness.Rule{harness.Survives}}
	for _, c := range suite.Bind(harness.Plugin[rig.Server]{Name: "apart", Open: ServerApart}) {
		harness.Run(c, harness.Options{TB: t})
	}
	assert.True(t, ended)
}

// A client that speaks HTTP/2 to it by TLS learns by pings that its connection is dead, and by nothing else; a new connection works.
func TestDeadConnection(t *testing.T) {
	t.Setenv("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "1")
	t.Setenv("HTTP2_PING_TIMEOUT_SECONDS", "1")
	ended := false
	check := harness.Check[rig.Server]{Info: harness.Info{Name: "dead", About: "connections", Rules: []harness.Rule{harness.Survives}}, Drive: func(_ *harness.T, s rig.Server) {
		require.NoError(t, s.(rig.Encrypter).Encrypt(true))
		at := s.Endpoint("me")
		client, err := rest.HTTPClientFor(&rest.Config{Host: at.URL, BearerToken: at.Token, TLSClientConfig: rest.TLSClientConfig{CAData: at.CA}})
		require.NoError(t, err)
		defer client.CloseIdleConnections()
		watch, err := client.Get(at.URL + "/api/v1/namespaces/default/configmaps?watch=1")
		require.NoError(t, err)
		require.Equal(t, "HTTP/2.0", watch.Proto)
		s.(rig.Killer).Kill()
		assert.Equal(t, 1, s.(rig.Killer).Dead())
		_, err = io.ReadAll(watch.Body)
		assert.ErrorContains(t, err, "client connection lost")
		assert.NoError(t, watch.Body.Close())
		list, err := client.Get(at.URL + "/api/v1/namespaces/default/configmaps")
		require.NoError(t, err)
		assert.NoError(t, list.Body.Close())
		assert.Eventually(t, func() bool { return s.(rig.Killer).Dead() == 0 }, time.Minute, time.Millisecond, "the client closes it once its requests have failed")
		ended = true
	}}
	suite := harness.Suite[rig.Server]{Kind: "apart", Version: "1", Checks: harness.Checks(check), Rules: []harness.Rule{harness.Survives}}
	for _, c := range suite.Bind(harness.Plugin[rig.Server]{Name: "apart", Open: ServerApart}) {
		harness.Run(c, harness.Options{TB: t})
	}
	assert.True(t, ended)
}
