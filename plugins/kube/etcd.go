package kube

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// etcd is the store behind the API server, by its JSON gateway. What is done
// to it concerns the whole cluster, so it is there only where --etcd says so.
type etcd struct {
	base string
	http *http.Client
}

// etcdLimit is how long etcd may take to answer.
const etcdLimit = 10 * time.Second

// newEtcd takes http://HOST:PORT, or unix://PATH for a socket.
func newEtcd(endpoint string, certificates *tls.Config) (*etcd, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("--etcd %q: %w: give http://HOST:PORT or unix:///PATH", endpoint, err)
	}
	if u.User != nil { // connect strings are kept in reports
		return nil, fmt.Errorf("--etcd %s: leave out the user name and the password: reports would show them, and etcd's gateway ignores them", u.Redacted())
	}
	t := &http.Transport{DisableKeepAlives: true, TLSClientConfig: certificates}
	base := strings.TrimSuffix(endpoint, "/")
	switch u.Scheme {
	case "http", "https":
	case "unix":
		base = "http://localhost"
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", u.Path)
		}
	default:
		return nil, fmt.Errorf("--etcd %q: give http://HOST:PORT or unix:///PATH", endpoint)
	}
	return &etcd{base, &http.Client{Transport: t, Timeout: etcdLimit}}, nil
}

// header is part of every answer.
type header struct {
	Revision string `json:"revision"`
}

// ask makes one call of the gateway; keys and values in it are []byte, which
// JSON carries as base64, as the gateway wants them.
func (e *etcd) ask(ctx context.Context, call string, in, out any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.base+"/v3/kv/"+call, bytes.NewReader(b))
	if err != nil {
		return err
	}
	resp, err := e.http.Do(req)
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd: %s: %s: %s", call, resp.Status, bytes.TrimSpace(body))
	}
	return json.Unmarshal(body, out)
}

// revision is the store's present one.
func (e *etcd) revision(ctx context.Context) (int64, error) {
	var out struct{ Header header }
	if err := e.ask(ctx, "range", map[string]any{"key": compactKey, "serializable": false}, &out); err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(out.Header.Revision, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("etcd answered with the revision %q, which is not a number", out.Header.Revision)
	}
	return n, nil
}

// compactKey is where API servers agree on what has been compacted; their
// caches look there for what to forget.
var compactKey = []byte("compact_rev_key")

// compact forgets what was before the present, as an API server's compactor
// does: it tells the others by compactKey.
func (e *etcd) compact(ctx context.Context) (int64, error) {
	rev, err := e.revision(ctx)
	if err != nil {
		return 0, err
	}
	var out struct{ Header header }
	if err := e.ask(ctx, "put", map[string]any{"key": compactKey, "value": []byte(strconv.FormatInt(rev, 10))}, &out); err != nil {
		return 0, err
	}
	return rev, e.ask(ctx, "compaction", map[string]any{"revision": strconv.FormatInt(rev, 10), "physical": true}, &out)
}

// remove deletes keys in one transaction, so in one revision. It fails if one is not there.
func (e *etcd) remove(ctx context.Context, keys ...string) error {
	var compare, success []any
	for _, k := range keys {
		compare = append(compare, map[string]any{"key": []byte(k), "target": "VERSION", "result": "GREATER", "version": "0"})
		success = append(success, map[string]any{"requestDeleteRange": map[string]any{"key": []byte(k)}})
	}
	var out struct {
		Header    header
		Succeeded bool
	}
	if err := e.ask(ctx, "txn", map[string]any{"compare": compare, "success": success}, &out); err != nil {
		return err
	}
	if !out.Succeeded {
		return errors.New("etcd: one of " + strings.Join(keys, ", ") + " does not exist: lwtest expects the --etcd-prefix /registry; check the prefix of this API server")
	}
	return nil
}

// tryEtcd asks for the revision, and says what else will be asked of it.
func (s *server) tryEtcd(ctx context.Context) error {
	if s.etcd == nil {
		return nil
	}
	if _, err := s.etcd.revision(ctx); err != nil {
		return fmt.Errorf("--etcd cannot be used: %w", err)
	}
	s.notes = append(s.notes, "--etcd: checks compact the history of the whole cluster, and delete their own objects directly in etcd")
	return nil
}
