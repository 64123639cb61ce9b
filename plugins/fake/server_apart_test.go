package fake

import (
	"bufio"
	"io"
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
