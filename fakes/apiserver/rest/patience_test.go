package rest_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// timed notes the deadlines that are set for what is read.
type timed struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (d *timed) SetReadDeadline(at time.Time) error {
	d.deadlines = append(d.deadlines, at)
	return nil
}

// A body has its minute, and what comes after it on the connection has none of that left over.
func TestBodyDeadline(t *testing.T) {
	api := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, api.Close()) }()
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	before := time.Now()
	rest.Handler(api, rest.Options{}).ServeHTTP(w, httptest.NewRequest("POST", "/api/v1/namespaces/a/configmaps", strings.NewReader(`{"metadata":{"name":"x"}}`)))
	require.Equal(t, 201, w.Code)
	require.Len(t, w.deadlines, 2)
	require.GreaterOrEqual(t, w.deadlines[0].Sub(before), time.Minute)
	require.Zero(t, w.deadlines[1])
}
