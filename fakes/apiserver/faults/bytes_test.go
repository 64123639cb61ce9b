package faults_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// chunks asks over HTTP/1.1, and gives the header and the chunks of the answer's body.
func chunks(t *testing.T, how faults.Bytes, path, header string, write func(apiserver.API)) (string, []string) {
	t.Helper()
	set, err := faults.New(1, faults.Fault{Wire: &how})
	require.NoError(t, err)
	server := apiserver.New(apiserver.Options{})
	defer server.Close()
	_, err = apiserver.ConfigMaps(server, "default").Create(t.Context(), named("a"), metav1.CreateOptions{})
	require.NoError(t, err)
	api, err := set.API(server, faults.Options{})
	require.NoError(t, err)
	s, err := rest.Serve(api, rest.Options{})
	require.NoError(t, err)
	defer s.Close()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	require.NoError(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, header)
	r := bufio.NewReader(conn)
	var head strings.Builder
	for {
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		if head.WriteString(line); line == "\r\n" {
			break
		}
	}
	write(server)
	var all []string
	for {
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		n, err := strconv.ParseInt(strings.TrimSpace(line), 16, 32)
		require.NoError(t, err)
		b := make([]byte, n+2)
		_, err = io.ReadFull(r, b)
		require.NoError(t, err)
		if n == 0 {
			return head.String(), all
		}
		all = append(all, string(b[:n]))
	}
}

// What goes out is the same, in other frames.
func TestWire(t *testing.T) {
	const watch = "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1"
	writes := func(s apiserver.API) {
		for _, name := range []string{"b", "c"} {
			m := named(name)
			m.Data = map[string]string{"text": "a€𝄞z"}
			_, err := apiserver.ConfigMaps(s, "default").Create(t.Context(), m, metav1.CreateOptions{})
			require.NoError(t, err)
		}
	}
	_, plain := chunks(t, faults.Bytes{Gzip: faults.Never}, watch, "", writes)
	whole := strings.Join(plain, "")
	require.Equal(t, 3, strings.Count(whole, "\n"))
	lines := func(s string) []string { return strings.Split(s, "\n") }

	_, bytes := chunks(t, faults.Bytes{Frame: 1}, watch, "", writes)
	for _, c := range bytes {
		require.LessOrEqual(t, len(c), 2, "two events that are written at once may have more bytes than frames")
	}
	require.Len(t, lines(strings.Join(bytes, "")), 4)

	_, inside := chunks(t, faults.Bytes{Inside: true}, watch, "", writes)
	require.Len(t, lines(strings.Join(inside, "")), 4)
	broken := 0
	for _, c := range inside {
		if !utf8.ValidString(c) {
			broken++
		}
	}
	require.GreaterOrEqual(t, broken, 4, "four characters are cut")

	_, gathered := chunks(t, faults.Bytes{Gather: &metav1.Duration{Duration: 500 * time.Millisecond}}, watch, "", writes)
	require.Len(t, gathered, 1)

	head, _ := chunks(t, faults.Bytes{Close: true, Frame: 7}, "/api/v1/namespaces/default/configmaps", "", func(apiserver.API) {})
	require.Contains(t, head, "Connection: close")
	head, _ = chunks(t, faults.Bytes{Gzip: faults.Always, Frame: 7}, "/api/v1/namespaces/default/configmaps", "Accept-Encoding: gzip\r\n", func(apiserver.API) {})
	require.Contains(t, head, "Content-Encoding: gzip")
}

// Over HTTP/2 a connection that ends politely does so by GOAWAY: the next request has another.
func TestGoAway(t *testing.T) {
	set, err := faults.New(1, faults.Fault{Wire: &faults.Bytes{Close: true}})
	require.NoError(t, err)
	server := apiserver.New(apiserver.Options{})
	defer server.Close()
	api, err := set.API(server, faults.Options{})
	require.NoError(t, err)
	seen := map[string]bool{}
	h := rest.Handler(api, rest.Options{})
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen[r.RemoteAddr] = true; h.ServeHTTP(w, r) }), Protocols: &http.Protocols{}}
	s.Protocols.SetUnencryptedHTTP2(true)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go s.Serve(l)
	defer s.Close()
	tr := &http.Transport{Protocols: s.Protocols}
	defer tr.CloseIdleConnections()
	for range 3 {
		res, err := (&http.Client{Transport: tr}).Get("http://" + l.Addr().String() + "/api/v1/namespaces/default/configmaps")
		require.NoError(t, err)
		require.Equal(t, "HTTP/2.0", res.Proto)
		_, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
	}
	require.Len(t, seen, 3)
}
