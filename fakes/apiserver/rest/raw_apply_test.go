package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
)

const applyFile = "testdata/apply.txt"

// applyDiffers are requests that the fake answers otherwise, on purpose, by their line.
var applyDiffers = map[string]string{
	look(deployments + "/d").line(): "who scales gets no time there",
}

// What a real kube-apiserver answered to server-side applies, and to other writes of what has been applied, the fake
// answers, too, managedFields included.
func TestApply(t *testing.T) {
	b, err := os.ReadFile(applyFile)
	require.NoError(t, err)
	want := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n> ")[1:]
	require.Len(t, want, len(applyAsks), "the file is not of this table: see TestRealApply")
	inBubble(t, apiserver.Options{NoShards: true, FirstRevision: 1000, Namespaces: true, Types: schemas.Types}, func(t *testing.T, b both) {
		config := b.RESTConfig()
		client := &http.Client{Transport: &http.Transport{DialContext: config.Dial, DisableCompression: true}}
		defer client.CloseIdleConnections()
		seen := versions{}
		for i, a := range applyAsks {
			got := a.putWhole(t, client, config, seen)
			why, known := applyDiffers[a.line()]
			switch {
			case known:
				assert.NotEqual(t, want[i], got, "%d does not differ any more (%s)", i, why)
			case got != want[i]:
				t.Errorf("%d\nwant %s\n got %s", i, want[i], got)
			}
		}
	})
	t.Logf("%d requests, %d differ on purpose", len(applyAsks), len(applyDiffers))
}

// TestRealApply puts the table to a fresh, real kube-apiserver, and writes the file:
//
//	make goldens-check RAW=Apply
func TestRealApply(t *testing.T) {
	config := realConfig(t, wanted(t, "Apply"))
	define(t, config)
	client := realSession(config).client
	defer client.CloseIdleConnections()
	out, seen := "# a real kube-apiserver's answers; see TestRealApply", versions{}
	for _, a := range applyAsks {
		out += "\n> " + a.putWhole(t, client, config, seen)
	}
	require.NoError(t, os.WriteFile(applyFile, []byte(out+"\n"), 0o644))
}

// versions are the last resourceVersion that answers had, by path: whether the next has the same, shows whether
// something was stored.
type versions map[string]string

// putWhole is put, but that managedFields stay, of answers to all but creates (whose managers the fake does not keep),
// and that it is told whether the resourceVersion is that of the answer before.
func (a ask) putWhole(t *testing.T, client *http.Client, config *clientrest.Config, seen versions) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), a.method, config.Host+(&session{namespace: "default"}).expand(a.path), strings.NewReader(a.body))
	require.NoError(t, err)
	req.Header = http.Header{"User-Agent": {"lwtest/1 (x)"}, "Content-Type": {"application/json"}}
	if config.BearerToken != "" {
		req.Header.Set("Authorization", "Bearer "+config.BearerToken)
	}
	for _, h := range strings.Split(a.headers, "\n") {
		if name, value, ok := strings.Cut(h, ":"); ok {
			req.Header.Set(name, strings.TrimSpace(value))
		}
	}
	res, err := client.Do(req)
	require.NoError(t, err, a.line())
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	body, same := string(b), ""
	path, _, _ := strings.Cut(a.path, "?")
	if rv := anyVersion.FindString(body); rv != "" && !strings.Contains(body, `"kind":"Status"`) {
		if seen[path] == rv {
			same = " | the same resourceVersion"
		}
		seen[path] = rv
	}
	if a.method != http.MethodPost {
		body = strings.ReplaceAll(body, `"managedFields"`, `"managed"`) // which normal does not cut
	}
	return unchosen(a.line() + "\n< " + res.Status[:3] + " " + strings.TrimSuffix(headers(res), " | chunked") + same +
		"\n< " + strings.ReplaceAll(plain(body, req.URL.Host), "\n", "\n< "))
}

// line names a request.
func (a ask) line() string {
	parts := []string{a.method, a.path}
	for _, s := range []string{strings.ReplaceAll(a.headers, "\n", "; "), short(a.body)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

var (
	anyVersion   = regexp.MustCompile(`(resourceVersion\\?"?: ?\\?"|old resource version: \d+ \(|current: |"rv":)\d+`)
	anyToken     = regexp.MustCompile(`("continue": ?")[A-Za-z0-9_-]+`)
	fieldsInYAML = regexp.MustCompile(`(?m)^  managedFields:\n(  [- ] .*\n)+`)
	revision     = regexp.MustCompile(`(in record|in object meta:) \(?\d+\)?`) // one in the text of a conflict
)

// plain is a body without what differs from run to run, and in YAML without managedFields.
func plain(s, host string) string {
	s = fieldsInYAML.ReplaceAllString(s, "")
	s = moment.ReplaceAllString(uuid.ReplaceAllString(s, "UUID"), "TIME")
	s = anyToken.ReplaceAllString(anyVersion.ReplaceAllString(s, "${1}RV"), "${1}TOKEN")
	s = address.ReplaceAllString(strings.ReplaceAll(s, host, "HOST"), "HOST")
	var out strings.Builder
	for _, r := range strings.TrimSuffix(s, "\n") {
		if r == '\n' || r >= ' ' && r != 0xFFFD {
			out.WriteRune(r)
			continue
		}
		fmt.Fprintf(&out, "%+q", r)
	}
	if !strings.HasSuffix(s, "\n") {
		out.WriteString("¶") // no newline at the end
	}
	return out.String()
}

// unchosen is an answer without what is chosen at random.
func unchosen(s string) string {
	s = strings.Replace(s, " | chunked\n< {\"kind\"", "\n< {\"kind\"", 1) // that is a matter of size, but for watches
	return chosen.ReplaceAllString(revision.ReplaceAllString(s, "$1 RV"), `"$1":$2"IP"`)
}
