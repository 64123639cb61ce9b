package rest_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// client is a plain HTTP client of a server.
func client(config *clientrest.Config, change func(*http.Transport)) *http.Client {
	t := &http.Transport{DialContext: config.Dial, DisableCompression: true}
	if change != nil {
		change(t)
	}
	return &http.Client{Transport: t}
}

func get(t *testing.T, c *http.Client, url string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	res, err := c.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(b)
}

// HTTP/2 is there with TLS, and without for who knows it is.
func TestHTTP2(t *testing.T) {
	plain := func(tr *http.Transport) {
		tr.Protocols = &http.Protocols{}
		tr.Protocols.SetUnencryptedHTTP2(true)
	}
	t.Run("TLS", func(t *testing.T) {
		b := open(t, rest.Serve, apiserver.Options{}, rest.Options{TLS: true})
		defer b.close(t)
		pool := x509.NewCertPool()
		require.True(t, pool.AppendCertsFromPEM(b.RESTConfig().CAData))
		c := client(b.RESTConfig(), func(tr *http.Transport) {
			tr.TLSClientConfig, tr.ForceAttemptHTTP2 = &tls.Config{RootCAs: pool}, true
		})
		defer c.CloseIdleConnections()
		res, _ := get(t, c, b.URL()+"/api")
		require.Equal(t, "HTTP/2.0", res.Proto)
	})
	t.Run("TCP", func(t *testing.T) {
		b := open(t, rest.Serve, apiserver.Options{}, rest.Options{})
		defer b.close(t)
		c := client(b.RESTConfig(), plain)
		defer c.CloseIdleConnections()
		res, _ := get(t, c, b.URL()+"/api")
		require.Equal(t, "HTTP/2.0", res.Proto)
	})
	t.Run("bubble", func(t *testing.T) {
		inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
			c := client(b.RESTConfig(), plain)
			defer c.CloseIdleConnections()
			res, body := get(t, c, b.URL()+"/api/v1/namespaces?watch=1&timeoutSeconds=5")
			require.Equal(t, "HTTP/2.0", res.Proto)
			require.Equal(t, 4, strings.Count(body, "ADDED"))
		})
	})
}

// Close breaks watches off, and the clients see it; requests after it find nobody.
func TestCloseEndsWatches(t *testing.T) {
	for name, how := range map[string]serve{"TCP": rest.Serve, "pipe": rest.ServePipe} {
		t.Run(name, func(t *testing.T) {
			b := open(t, how, apiserver.Options{}, rest.Options{})
			defer b.close(t)
			c := client(b.RESTConfig(), nil)
			defer c.CloseIdleConnections()
			res, err := c.Get(b.URL() + "/api/v1/configmaps?watch=1")
			require.NoError(t, err)
			defer res.Body.Close()
			require.NoError(t, b.Close())
			_, err = io.ReadAll(res.Body)
			require.Error(t, err, "it has not ended cleanly")
			_, err = c.Get(b.URL() + "/api")
			require.Error(t, err)
		})
	}
}

// A server that goes breaks streams off; one that only ends them does so cleanly.
func TestRestartBreaksStreams(t *testing.T) {
	for end, want := range map[string]error{"restart": io.ErrUnexpectedEOF, "timeout": nil, "cache": nil} {
		t.Run(end, func(t *testing.T) {
			inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
				c := client(b.RESTConfig(), nil)
				defer c.CloseIdleConnections()
				res, err := c.Get(b.URL() + "/api/v1/namespaces?watch=1&timeoutSeconds=100")
				require.NoError(t, err)
				defer res.Body.Close()
				var all []byte
				done := make(chan error, 1)
				go func() { // a pipe holds nothing: what nobody reads is not sent
					var err error
					all, err = io.ReadAll(res.Body)
					done <- err
				}()
				synctest.Wait()
				switch end {
				case "restart":
					b.api.Restart()
				case "cache":
					require.NoError(t, b.api.StopCache(corev1.SchemeGroupVersion.WithResource("namespaces")))
				}
				require.Equal(t, want, <-done)
				require.Equal(t, 4, strings.Count(string(all), "ADDED"), "what was sent came whole")
			})
		})
	}
}

// Headers of a watch are there before any event, and each event when it is.
func TestWatchIsPrompt(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{}, rest.Options{})
	defer b.close(t)
	c := client(b.RESTConfig(), nil)
	defer c.CloseIdleConnections()
	res, err := c.Get(b.URL() + "/api/v1/configmaps?watch=1")
	require.NoError(t, err)
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	for i := range 3 {
		name := fmt.Sprint("a", i)
		_, err = apiserver.ConfigMaps(b.api, "default").Create(t.Context(), cm(name), metav1.CreateOptions{})
		require.NoError(t, err)
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, `"name":"`+name+`"`)
	}
}

// A client that does not read makes the server keep next to nothing, and loses its watch: what it then
// reads is whole, and ends cleanly.
func TestSlowReader(t *testing.T) {
	const changes = 300
	var taken atomic.Int64
	o := apiserver.Options{OnWatch: func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
		return func(e watch.Event, _ apiserver.Cause) []watch.Event {
			if e.Object == nil {
				return nil
			}
			taken.Add(1)
			return []watch.Event{e}
		}
	}, WindowAge: -1}
	inBubble(t, o, func(t *testing.T, b both) {
		conn, err := b.RESTConfig().Dial(t.Context(), "", "")
		require.NoError(t, err)
		defer conn.Close()
		fmt.Fprint(conn, "GET /api/v1/configmaps?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n")
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		defer res.Body.Close()
		large := cm("a")
		large.Data["n"] = strings.Repeat("x", 100_000)
		for i := range changes {
			large.Name = fmt.Sprint("a", i)
			_, err = apiserver.ConfigMaps(b.api, "default").Create(t.Context(), large, metav1.CreateOptions{})
			require.NoError(t, err)
			if i == 0 {
				synctest.Wait() // it has something to hold on to
			}
		}
		synctest.Wait()
		require.Less(t, taken.Load(), int64(5), "what is not read is not taken")
		all, err := io.ReadAll(res.Body)
		require.NoError(t, err, "a clean end")
		got := strings.Count(string(all), `{"type":"ADDED"`)
		require.Positive(t, got)
		require.Less(t, got, changes)
	})
}

// What is ready is written together: a backlog takes far fewer writes than events.
func TestEventsAreBatched(t *testing.T) {
	const objects = 1000
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		for i := range objects {
			_, err := apiserver.ConfigMaps(b.api, "default").Create(t.Context(), cm(fmt.Sprint("a", i)), metav1.CreateOptions{})
			require.NoError(t, err)
		}
		var reads atomic.Int64
		c := client(b.RESTConfig(), func(tr *http.Transport) {
			dial := tr.DialContext
			tr.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dial(ctx, network, address)
				return counting{conn, &reads}, err
			}
			tr.ReadBufferSize = 1 << 20
		})
		defer c.CloseIdleConnections()
		_, body := get(t, c, b.URL()+"/api/v1/configmaps?watch=1&timeoutSeconds=1")
		require.Equal(t, objects, strings.Count(body, `{"type":"ADDED"`))
		require.Less(t, reads.Load(), int64(objects/3), "of %d events", objects)
	})
}

type counting struct {
	net.Conn
	reads *atomic.Int64
}

func (c counting) Read(b []byte) (int, error) {
	c.reads.Add(1)
	return c.Conn.Read(b)
}

// A request may say how long it wants to wait.
func TestRequestTimeout(t *testing.T) {
	inBubble(t, apiserver.Options{TooLargeWait: time.Hour}, func(t *testing.T, b both) {
		c := client(b.RESTConfig(), nil)
		defer c.CloseIdleConnections()
		from := time.Now()
		res, body := get(t, c, b.URL()+"/api/v1/configmaps?resourceVersion=9000000000000000000&timeout=7s")
		require.Equal(t, 7*time.Second, time.Since(from))
		require.Equal(t, http.StatusGatewayTimeout, res.StatusCode, body)
		require.Contains(t, body, `"reason":"Timeout"`)
	})
}

// Without the token nothing is said, whatever is asked.
func TestUnauthorized(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{}, rest.Options{Token: "secret"})
	defer b.close(t)
	c := client(b.RESTConfig(), nil)
	defer c.CloseIdleConnections()
	for _, path := range []string{"/api/v1/configmaps", "/version", "/readyz", "/nosuch"} {
		res, body := get(t, c, b.URL()+path)
		require.Equal(t, http.StatusUnauthorized, res.StatusCode)
		require.Equal(t, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`+"\n", body)
	}
}

// Discovery that has not changed is not sent again.
func TestDiscoveryIsCached(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{}, rest.Options{})
	defer b.close(t)
	c := client(b.RESTConfig(), nil)
	defer c.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.URL()+"/apis", nil)
	require.NoError(t, err)
	req.Header.Set("Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	for _, want := range []int{http.StatusOK, http.StatusNotModified} {
		res, err := c.Do(req)
		require.NoError(t, err)
		res.Body.Close()
		require.Equal(t, want, res.StatusCode)
		req.Header.Set("If-None-Match", res.Header.Get("ETag"))
	}
}
