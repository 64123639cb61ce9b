package rest_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// A server that is told to end leaves watches open to their end, or until whoever told it has no more time.
func TestShutdown(t *testing.T) {
	for name, test := range map[string]struct {
		patience time.Duration
		end      error // of the watch
		err      error
	}{
		"patient":   {time.Minute, nil, nil},
		"impatient": {time.Second, io.ErrUnexpectedEOF, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
				config := b.RESTConfig()
				c := &http.Client{Transport: &http.Transport{DialContext: config.Dial}}
				defer c.CloseIdleConnections()
				res, err := c.Get(b.URL() + "/api/v1/configmaps?watch=1&timeoutSeconds=30")
				require.NoError(t, err)
				defer res.Body.Close()
				ended := make(chan error, 1)
				ctx, cancel := context.WithTimeout(t.Context(), test.patience)
				defer cancel()
				go func() { ended <- b.Shutdown(ctx) }()
				_, err = io.ReadAll(res.Body)
				require.ErrorIs(t, err, test.end)
				require.ErrorIs(t, <-ended, test.err)
				_, err = c.Get(b.URL() + "/version")
				require.Error(t, err, "it accepts nobody")
			})
		})
	}
}
