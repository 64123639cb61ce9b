package rest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/rest/load"
)

const benchPath = "/api/v1/namespaces/default/configmaps"

// benchmark is a server on TCP, and a client for many requests at once.
func benchmark(b *testing.B) (*apiserver.Server, string, *http.Client) {
	api := apiserver.New(apiserver.Options{})
	s, err := rest.Serve(api, rest.Options{})
	require.NoError(b, err)
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2000}}
	b.Cleanup(func() {
		c.CloseIdleConnections()
		require.NoError(b, s.Close())
		require.NoError(b, api.Close())
	})
	return api, s.URL() + benchPath, c
}

// watchers count the bytes that n watches get, until the server ends.
func watchers(b *testing.B, c *http.Client, url string, n int) *atomic.Int64 {
	var bytes atomic.Int64
	var opened sync.WaitGroup
	for range n {
		opened.Add(1)
		go func() {
			res, err := c.Get(url + "?watch=1")
			opened.Done()
			if err != nil {
				return
			}
			defer res.Body.Close()
			buf := make([]byte, 64<<10)
			for {
				k, err := res.Body.Read(buf)
				bytes.Add(int64(k))
				if err != nil {
					return
				}
			}
		}()
	}
	opened.Wait()
	return &bytes
}

// 8 clients create configmaps of 1 KB while 100 watch.
func BenchmarkCreate(b *testing.B) {
	_, url, c := benchmark(b)
	watchers(b, c, url, 100)
	var next atomic.Int64
	value := strings.Repeat("x", 1000)
	b.SetParallelism(4) // of two cores
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			body := fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a%d"},"data":{"n":"%s"}}`, next.Add(1), value)
			res, err := c.Post(url, "application/json", bytes.NewReader([]byte(body)))
			if err != nil || res.StatusCode != http.StatusCreated {
				b.Error(err, res)
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	})
}

// A list of 10,000 configmaps of 1 KB.
func BenchmarkList(b *testing.B) {
	api, url, c := benchmark(b)
	large := cm("")
	large.Data["n"] = strings.Repeat("x", 1000)
	for i := range 10_000 {
		large.Name = fmt.Sprint("a", i)
		_, err := apiserver.ConfigMaps(api, "default").Create(b.Context(), large, metav1.CreateOptions{})
		require.NoError(b, err)
	}
	for _, form := range load.Forms {
		b.Run(form[0], func(b *testing.B) {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
			require.NoError(b, err)
			req.Header.Set("Accept", form[1])
			for b.Loop() {
				res, err := c.Do(req)
				require.NoError(b, err)
				_, err = io.Copy(io.Discard, res.Body)
				require.NoError(b, err)
				res.Body.Close()
			}
		})
	}
}

// One change of 1 KB comes to 1,000 watches; an operation is one event at one of them.
func BenchmarkFanOut(b *testing.B) {
	const watches = 1000
	api, url, c := benchmark(b)
	got := watchers(b, c, url, watches)
	large := cm("")
	large.Data["n"] = strings.Repeat("x", 1000)
	changes := max(1, b.N/watches)
	b.ResetTimer()
	for i := range changes {
		large.Name = fmt.Sprint("a", i)
		_, err := apiserver.ConfigMaps(api, "default").Create(b.Context(), large, metav1.CreateOptions{})
		require.NoError(b, err)
		if i%50 == 49 || i == changes-1 {
			for got.Load() < int64(i+1)*watches*1200 {
				runtime.Gosched()
			}
		}
	}
}
