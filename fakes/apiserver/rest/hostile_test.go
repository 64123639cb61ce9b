package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// sending sends what may be no HTTP at all on a connection of its own, and gives the answer; nil: the connection
// was closed without one.
func sending(t *testing.T, s *rest.Server, text string) (*http.Response, string) {
	t.Helper()
	conn := dial(t, s)
	defer conn.Close()
	go func() { _, _ = io.WriteString(conn, text) }() // the server may not want all of it
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil, ""
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(b)
}

func dial(t *testing.T, s *rest.Server) net.Conn {
	t.Helper()
	config := s.RESTConfig()
	if config.Dial == nil {
		var d net.Dialer
		config.Dial = d.DialContext
	}
	conn, err := config.Dial(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
	require.NoError(t, err)
	return conn
}

func posting(path, kind, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, kind, len(body), body)
}

// Whatever comes is answered with a code that fits and, where the server itself says it, a Status; and the
// next client is served.
func TestHostileRequests(t *testing.T) {
	const maps, widgets = "/api/v1/namespaces/default/configmaps", "/apis/probe.example.com/v1/namespaces/default/widgets"
	deep := func(open, middle, shut string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(shut, n)
	}
	patch := func(kind, body string) string {
		return strings.Replace(posting(maps+"/a", "application/"+kind, body), "POST", "PATCH", 1)
	}
	copies := `[{"op":"add","path":"/data","value":{"a":"` + strings.Repeat("x", 1000) + `"}}`
	for i := range 40 {
		copies += fmt.Sprintf(`,{"op":"copy","from":"/data","path":"/data/b%d"}`, i)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'n'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	for name, test := range map[string]struct {
		text string
		code int
		want string
	}{
		"no HTTP":              {"\x16\x03\x01\x02\x00" + strings.Repeat("\x01", 512) + "\r\n\r\n", 400, ""},
		"an escape of nothing": {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, ""},
		"a null in the path":   {"GET /api/v1/namespaces/%00/configmaps/%00 HTTP/1.1\r\nHost: x\r\n\r\n", 404, `"kind":"Status"`},
		"up":                   {"GET /api/v1/namespaces/../../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 404, ""},
		"up, escaped":          {"GET /api/v1/namespaces/default/configmaps/%2e%2e%2f%2e%2e HTTP/1.1\r\nHost: x\r\n\r\n", 404, ""},
		"slashes":              {"GET //api///v1//configmaps HTTP/1.1\r\nHost: x\r\n\r\n", 404, ""},
		"no UTF-8":             {"GET /api/v1/namespaces/%ff%fe/configmaps/%c3%28 HTTP/1.1\r\nHost: x\r\n\r\n", 404, `"kind":"Status"`},
		"a bad query":          {"GET " + maps + "?limit=%zz;x HTTP/1.1\r\nHost: x\r\n\r\n", 200, ""},
		"a number too large":   {"GET " + maps + "?limit=99999999999999999999 HTTP/1.1\r\nHost: x\r\n\r\n", 400, `"kind":"Status"`},
		"a long header":        {"GET /api HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\n", 431, ""},
		"a long selector":      {"GET " + maps + "?labelSelector=" + strings.Repeat("(", 500_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 400, `"kind":"Status"`},
		"a deep shard":         {"GET " + maps + "?shardSelector=" + strings.Repeat("(", 900_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 500, "code point size exceeds limit"},
		"half of an object":    {posting(maps, "application/json", `{"metadata":{"name":`), 400, `"reason":"BadRequest"`},
		"half in protobuf":     {posting(maps, "application/vnd.kubernetes.protobuf", "k8s\x00\x0a\xff\xff\xff\x7f"), 400, `"reason":"BadRequest"`},
		"no protobuf":          {posting(maps, "application/vnd.kubernetes.protobuf", strings.Repeat("\xff", 1000)), 400, `"reason":"BadRequest"`},
		"a deep object":        {posting(maps, "application/json", `{"data":`+deep(`{"a":`, "1", "}", 400_000)+"}"), 400, `"reason":"BadRequest"`},
		"a deep custom one":    {posting(widgets, "application/json", `{"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"d"},"spec":`+deep(`[`, "1", "]", 400_000)+"}"), 400, `"reason":"BadRequest"`},
		"deep YAML":            {posting(maps, "application/yaml", deep("[", "1", "]", 400_000)), 400, `"reason":"BadRequest"`},
		"a YAML bomb":          {posting(maps, "application/yaml", bomb), 400, `"reason":"BadRequest"`},
		"a deep patch":         {patch("merge-patch+json", `{"data":`+deep(`{"a":`, "1", "}", 400_000)+"}"), 400, `"reason":"BadRequest"`},
		"a patch that copies":  {patch("json-patch+json", copies+"]"), 422, `"reason":"Invalid"`},
		"a long patch":         {patch("json-patch+json", "["+strings.Repeat(`{"op":"test","path":"/kind","value":"ConfigMap"},`, 10_000)+`{"op":"test","path":"/kind","value":"ConfigMap"}]`), 413, "is 10000, got 10001"},
		"a huge body":          {posting(maps, "application/json", strings.Repeat(" ", 4<<20)), 413, `"reason":"RequestEntityTooLarge"`},
		"a huge body in parts": {"POST " + maps + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("10000\r\n"+strings.Repeat(" ", 1<<16)+"\r\n", 64) + "0\r\n\r\n", 413, `"reason":"RequestEntityTooLarge"`},
		"a bad part":           {"POST " + maps + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400, "invalid byte in chunk length"},
		"two lengths":          {"POST " + maps + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", 400, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, rest.ServePipe, apiserver.Options{}, rest.Options{})
			defer b.close(t)
			write(t, b.api, "a", "1")
			before := heap()
			res, body := sending(t, b.Server, test.text)
			require.NotNil(t, res, "no answer")
			require.Equal(t, test.code, res.StatusCode, "%.300s", body)
			require.Contains(t, body, test.want)
			require.Less(t, heap()-before, uint64(1<<30), "bytes allocated for %d sent", len(test.text))
			res, _ = sending(t, b.Server, "GET "+maps+"/a HTTP/1.1\r\nHost: x\r\n\r\n")
			require.Equal(t, 200, res.StatusCode)
		})
	}
}

// heap is what was ever allocated, in bytes.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// inUse is what the heap and stacks hold.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// Who is slow with a header or a body is let go of: after 32 s, and after a minute with a Status.
func TestSlowClients(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		require.Equal(t, 32*time.Second, lasts(t, b.Server, "GET /api HTT"))
		from := time.Now()
		res, body := sending(t, b.Server, "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
		require.Equal(t, time.Minute, time.Since(from))
		require.Equal(t, http.StatusGatewayTimeout, res.StatusCode)
		require.Contains(t, body, "the body of the request has not come within 1m0s")
		// and who sends a second request on a connection that had a body is not cut off by the first's limit
		conn := dial(t, b.Server)
		defer conn.Close()
		in := bufio.NewReader(conn)
		for range 2 {
			_, err := io.WriteString(conn, posting("/api/v1/namespaces/default/configmaps", "application/json", "{}"))
			require.NoError(t, err)
			res, err := http.ReadResponse(in, nil)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, res.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusUnprocessableEntity, res.StatusCode)
			time.Sleep(2 * time.Minute)
		}
	})
}

// lasts is how long a connection is kept on which so much has come.
func lasts(t *testing.T, s *rest.Server, text string) time.Duration {
	t.Helper()
	from := time.Now()
	conn := dial(t, s)
	defer conn.Close()
	_, err := io.WriteString(conn, text)
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, conn)
	return time.Since(from).Truncate(time.Second)
}

// A watch that nobody reads costs a bounded part of what it would have sent, and others nothing: not the
// writers, nor another watch.
func TestSlowReaders(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{WindowCount: 10, WindowAge: time.Nanosecond}, rest.Options{})
	defer b.close(t)
	for range 20 {
		conn := dial(t, b.Server)
		defer conn.Close()
		_, err := io.WriteString(conn, "GET /api/v1/configmaps?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		_, err = http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
	}
	before := inUse()
	c := apiserver.ConfigMaps(b.api, "default")
	big := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "big"}, BinaryData: map[string][]byte{"b": bytes.Repeat([]byte("x"), 256<<10)}}
	_, err := c.Create(t.Context(), big, metav1.CreateOptions{})
	require.NoError(t, err)
	for i := range 500 { // 170 MB for each watch
		big.BinaryData["b"][0] = byte(i)
		big.BinaryData["b"][1] = byte(i >> 8)
		_, err := c.Update(t.Context(), big, metav1.UpdateOptions{})
		require.NoError(t, err)
		if i%100 == 0 {
			require.NoError(t, b.api.Compact(""))
		}
	}
	require.NoError(t, b.api.Compact(""))
	grown := inUse() - before
	t.Logf("20 watches that nobody reads: %d MiB more, of 20 times 170", grown>>20)
	require.Less(t, grown, int64(200<<20))
}

// Requests that stop half way cost what their connections do, and are gone after 32 s.
func TestHalfOpenInMemory(t *testing.T) {
	n := 2_000
	if os.Getenv("LWTEST_HALF_OPEN_PIPES") != "" {
		n = 100_000 // a quarter of a minute, 2 GB
	}
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		before, from := inUse(), time.Now()
		conns := make([]net.Conn, n)
		for i := range conns {
			conns[i] = dial(t, b.Server)
			_, err := io.WriteString(conns[i], "GET /api/v1/pods HTTP/1.1\r\nHos")
			require.NoError(t, err)
		}
		each := (inUse() - before) / int64(n)
		t.Logf("%d requests half open: %d bytes each", n, each)
		require.Less(t, each, int64(32<<10))
		write(t, b.api, "a", "1")
		res, _ := sending(t, b.Server, "GET /api/v1/namespaces/default/configmaps/a HTTP/1.1\r\nHost: x\r\n\r\n")
		require.Equal(t, 200, res.StatusCode, "others are served")
		for _, c := range conns {
			_, _ = io.Copy(io.Discard, c)
			require.NoError(t, c.Close())
		}
		require.Equal(t, 32*time.Second, time.Since(from))
	})
}

// hold, in a process of its own, opens so many connections that stop half way, says so, and waits.
const hold = "LWTEST_HALF_OPEN"

func holdOpen(address string, n int) error {
	conns := make([]net.Conn, n)
	for i := range conns {
		var d net.Dialer
		conn, err := d.DialContext(context.Background(), "tcp", address)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(conn, "GET /api/v1/pods HTTP/1.1\r\nHos"); err != nil {
			return err
		}
		conns[i] = conn
	}
	fmt.Println("open")
	for _, c := range conns {
		_, _ = io.Copy(io.Discard, c)
	}
	return nil
}
