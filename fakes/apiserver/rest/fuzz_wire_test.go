package rest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// wireRequests are what the seeds of FuzzWire send.
var wireRequests = []wireRequest{
	{"GET", "/api/v1/namespaces/default/configmaps?limit=1", "", ""},
	{"GET", "/api/v1/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1", "", ""},
	{"POST", "/api/v1/namespaces/default/configmaps", "application/json", `{"metadata":{"name":"a"},"data":{"k":"v"}}`},
	{"PATCH", "/api/v1/namespaces/default/configmaps/a?fieldManager=m", "application/apply-patch+yaml", "apiVersion: v1\nkind: ConfigMap\ndata: {k: v}\n"},
	{"DELETE", "/api/v1/namespaces/default/configmaps/a", "application/json", `{"preconditions":{"uid":"u"}}`},
}

// FuzzWire sends bytes to the server on a connection, and closes it: requests of HTTP/1.1 and frames of HTTP/2, whole or not.
// The server does not panic, each error in JSON is a Status, and nothing of the server is left when it is closed.
func FuzzWire(f *testing.F) {
	for _, r := range wireRequests {
		f.Add([]byte(r.http1()))
		f.Add(r.http2(f))
	}
	f.Add([]byte("POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\nffffffff\r\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		logged := captureLog(t)
		api := apiserver.New(apiserver.Options{Resources: resources(), Namespaces: true, TooLargeWait: -1})
		s, err := rest.ServePipe(api, rest.Options{Resources: resources(), MaxBody: 1 << 16})
		require.NoError(t, err)
		conn, err := s.RESTConfig().Dial(t.Context(), "", "")
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(200*time.Millisecond))) // a server may wait for the rest of a request
		var got bytes.Buffer
		var reading sync.WaitGroup
		reading.Go(func() { _, _ = io.Copy(&got, io.LimitReader(conn, 1<<20)) })
		_, _ = conn.Write(sent) // the server may close it before
		reading.Wait()
		require.NoError(t, conn.Close())
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		select {
		case err := <-closed:
			require.NoError(t, err)
		case <-time.After(30 * time.Second):
			t.Fatal("the server has not closed within 30 s: something of a request is left")
		}
		require.NoError(t, api.Close())
		require.NotContains(t, logged.String(), "panic")
		wellAnswered(t, got.Bytes())
	})
}

// wellAnswered reads the answers of HTTP/1.1: each error in JSON is a Status of the same code.
func wellAnswered(t *testing.T, got []byte) {
	t.Helper()
	for r := bufio.NewReader(bytes.NewReader(got)); ; {
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			return // the end, or frames of HTTP/2
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode < 400 || answer.Header.Get("Content-Type") != "application/json" {
			return
		}
		var s metav1.Status
		require.NoError(t, json.Unmarshal(body, &s), "%s", body)
		require.Equal(t, answer.StatusCode, int(s.Code))
	}
}

// captureLog has the log, which net/http tells of panics, go to a buffer until the test ends.
func captureLog(t *testing.T) *lockedBuffer {
	b := &lockedBuffer{}
	log.SetOutput(b)
	t.Cleanup(func() { log.SetOutput(io.Discard) })
	return b
}

type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

type wireRequest struct{ method, path, kind, body string }

// http1 returns the request as HTTP/1.1 has it; the connection ends behind it.
func (r wireRequest) http1() string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", r.method, r.path, r.kind, len(r.body), r.body)
}

// http2 returns the frames of the request, with what a client begins with.
func (r wireRequest) http2(f *testing.F) []byte {
	var frames, headers bytes.Buffer
	frames.WriteString(http2.ClientPreface)
	to, enc := http2.NewFramer(&frames, nil), hpack.NewEncoder(&headers)
	for _, h := range [][2]string{{":method", r.method}, {":scheme", "http"}, {":authority", "x"}, {":path", r.path}, {"content-type", r.kind}} {
		require.NoError(f, enc.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]}))
	}
	require.NoError(f, to.WriteSettings())
	require.NoError(f, to.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers.Bytes(), EndHeaders: true, EndStream: r.body == ""}))
	if r.body != "" {
		require.NoError(f, to.WriteData(1, true, []byte(r.body)))
	}
	require.NoError(f, to.WriteGoAway(0, http2.ErrCodeNo, nil))
	return frames.Bytes()
}
