package rest_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// The log says how many connections a client has left when it opens another. Those of other clients do not count, nor does
// one that has just answered.
func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle := map[string][][]int{}
		log := requestlog.New(func(e requestlog.Entry) {
			if e.What == requestlog.Asked {
				idle[e.Client] = append(idle[e.Client], e.Idle)
			}
		})
		api := apiserver.New(apiserver.Options{})
		s, err := rest.ServePipe(api, rest.Options{Log: log, Token: "t"})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()); require.NoError(t, api.Close()) }()
		ask := func(client string, by *http.Transport) {
			r, err := http.NewRequest(http.MethodGet, s.URL()+"/api/v1/configmaps", nil)
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer t."+client)
			res, err := by.RoundTrip(r)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, res.Body)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
		}
		transport := func() *http.Transport {
			by := &http.Transport{DialContext: s.RESTConfig().Dial}
			t.Cleanup(by.CloseIdleConnections)
			return by
		}
		pooled := transport()
		for range 3 {
			ask("each-its-own", transport())
			ask("one", pooled)
			time.Sleep(2 * time.Second)
		}
		ask("each-its-own", transport())
		ask("each-its-own", transport())
		assert.Equal(t, map[string][][]int{"each-its-own": {nil, {2}, {4, 2}, {6, 4, 2}, {6, 4, 2}}, "one": {nil, nil, nil}}, idle)
	})
}
