package rest_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// One object is ADDED to one watch and MODIFIED to another, whole, partial, in protobuf or as a row: what is
// encoded once for all of a kind is not sent to others, and what the store holds stays as it is.
func TestWatchesShareWhatIsTheSame(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		c := apiserver.ConfigMaps(b.api, "default")
		made, err := c.Create(t.Context(), cm("a"), metav1.CreateOptions{})
		require.NoError(t, err)
		changed := cm("a")
		changed.Data["n"] = "2"
		after, err := c.Update(t.Context(), changed, metav1.UpdateOptions{})
		require.NoError(t, err)
		want := map[string]string{
			"|": `{"type":"ADDED","object":{"kind":"ConfigMap"`,
			"&resourceVersion=" + made.ResourceVersion + "|": `{"type":"MODIFIED","object":{"kind":"ConfigMap"`,
			"|" + asPartial:                 `{"type":"ADDED","object":{"kind":"PartialObjectMetadata"`,
			"|" + asTable:                   `{"type":"ADDED","object":{"kind":"Table"`,
			"|" + inProto + ";stream=watch": "\x00\x00\x00",
		}
		client := client(b.RESTConfig(), nil)
		defer client.CloseIdleConnections()
		var wait sync.WaitGroup
		for request, begin := range want {
			for range 3 {
				wait.Go(func() {
					query, header, _ := strings.Cut(request, "|")
					r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.URL()+benchPath+"?watch=1&timeoutSeconds=1"+query, nil)
					if !assertNoError(t, err) {
						return
					}
					if name, v, ok := strings.Cut(header, ": "); ok {
						r.Header.Set(name, v)
					}
					res, err := client.Do(r)
					if !assertNoError(t, err) {
						return
					}
					defer res.Body.Close()
					body, err := io.ReadAll(res.Body)
					if assertNoError(t, err) && !strings.HasPrefix(string(body), begin) {
						t.Errorf("%s: %.100q", request, body)
					}
				})
			}
		}
		wait.Wait()
		got, err := c.Get(t.Context(), "a", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, after, got, "without kind and apiVersion")
	})
}

func assertNoError(t *testing.T, err error) bool {
	if err != nil {
		t.Error(err)
	}
	return err == nil
}
