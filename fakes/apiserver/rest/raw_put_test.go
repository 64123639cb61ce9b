package rest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	clientrest "k8s.io/client-go/rest"
)

// session puts a table to a server. What answers have shown is kept in it.
type session struct {
	client    *http.Client
	config    *clientrest.Config
	namespace string
	deeds     map[string]func(string) error // what can be done to the server, by the words of deeds
	values    map[string]string             // {N}, as the server has it
	names     map[string]string             // and back: the name of a value
	whole     bool                          // managedFields are told, too
	kept      bool                          // the API server keeps managedFields from the creation on
	cells     bool                          // columns of Tables are not
	versions  map[string]string             // where they are: the last resourceVersion that answers had, by path
}

// run puts all steps and gives their answers, as normal text, in the order of table.all. What is known of them is
// waited for, see raw_patience_test.go; want may be nil.
func (s *session) run(t table, want []string) []string {
	s.namespace, s.values, s.names = t.namespace, map[string]string{}, map[string]string{}
	s.whole, s.kept, s.cells, s.versions = t.whole, t.kept, t.cells, map[string]string{}
	steps := t.wanting(want)
	var out []string
	for len(steps) > 0 {
		n := 1
		for steps[0].waits() && n < len(steps) && steps[n].waits() {
			n++
		}
		out = append(out, s.atOnce(steps[:n])...)
		steps = steps[n:]
	}
	return out
}

// atOnce puts steps at the same time. Their answers come in their order.
func (s *session) atOnce(steps []step) []string {
	if len(steps) == 1 {
		return s.put(steps[0])
	}
	answers := make([]string, len(steps))
	var wait sync.WaitGroup
	for i := range steps {
		wait.Go(func() { answers[i] = s.put(steps[i])[0] }) // they keep nothing, so they only read the session
	}
	wait.Wait()
	return answers
}

// line names a step.
func (s step) line() string {
	parts := []string{s.method, s.path}
	switch {
	case s.do != "":
		parts[0] = s.do
	case s.times > 0:
		parts[0] = fmt.Sprintf("%d times %s", s.times, s.method)
	case s.slow:
		parts[0] = "slow " + s.method
	}
	for _, s := range []string{strings.ReplaceAll(s.headers, "\n", "; "), short(s.body)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

func short(s string) string {
	if len(s) > 400 {
		return fmt.Sprintf("%.40q… (%d)", s, len(s))
	}
	return strings.Trim(fmt.Sprintf("%q", s), `"`)
}

// put does a step, and those during it.
func (s *session) put(p step) []string {
	if p.do != "" {
		s.client.CloseIdleConnections() // they may not outlive what is done
		return []string{p.line() + said(s.deeds[p.do](s.expand(p.path)))}
	}
	s.again(p)
	a := p.ask
	if p.open() {
		a = p.patiently().ask
	}
	res, err := s.send(a)
	if err != nil {
		return []string{p.line() + "\n< no answer: " + regexp.MustCompile(`127[.0-9:]+(->[0-9.:]+)?`).ReplaceAllString(err.Error(), "HOST")}
	}
	defer res.Body.Close()
	var out []string
	for _, d := range p.during {
		out = append(out, s.put(d)...)
	}
	if p.slow {
		return append(out, p.line()+"\n"+s.slowly(p, res))
	}
	answer := p.line() + "\n" + s.answer(p, res)
	if p.hasty(answer) {
		if res, err := s.send(p.patiently().ask); err == nil {
			defer res.Body.Close()
			answer = p.line() + "\n" + s.answer(p, res)
		}
	}
	return append(out, answer)
}

// again puts a request as often as it wants, but for the last time.
func (s *session) again(p step) {
	for i := 1; i <= p.times; i++ {
		s.values["I"] = strconv.Itoa(i)
		if i == p.times {
			return
		}
		if res, err := s.send(p.ask); err == nil {
			_, _ = io.Copy(io.Discard, res.Body) // the last answer tells whether all went well
			res.Body.Close()
		}
	}
}

// stay shows where an answer leads, and does not go there.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func said(err error) string {
	if err != nil {
		return "\n< " + err.Error()
	}
	return ""
}

func (s *session) send(a ask) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	req, err := http.NewRequestWithContext(ctx, a.method, s.config.Host+s.expand(a.path), strings.NewReader(s.expand(a.body)))
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("User-Agent", "lwtest")
	if a.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if s.config.BearerToken != "" {
		req.Header.Set("Authorization", "Bearer "+s.config.BearerToken)
	}
	for _, h := range strings.Split(a.headers, "\n") {
		if name, value, ok := strings.Cut(h, ":"); ok {
			req.Header.Set(name, strings.TrimSpace(s.expand(value)))
		}
	}
	if req.Header.Get("Content-Type") == "" {
		req.Header.Del("Content-Type")
	}
	res, err := s.client.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	res.Body = &closing{res.Body, cancel}
	if res.StatusCode == http.StatusTooManyRequests {
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err == nil && bytes.Contains(body, []byte("storage is (re)initializing")) { // when a definition is there is chance
			time.Sleep(time.Second)
			return s.send(a)
		}
		res.Body = io.NopCloser(bytes.NewReader(body))
		return res, err
	}
	return res, nil
}

// closing ends a request's context with its body.
type closing struct {
	io.ReadCloser
	end context.CancelFunc
}

func (c *closing) Close() error { defer c.end(); return c.ReadCloser.Close() }

// answer reads an answer to its end.
func (s *session) answer(p step, res *http.Response) string {
	var body io.Reader = res.Body
	if res.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(res.Body)
		if err != nil {
			return "< unreadable: " + err.Error()
		}
		body = z
	}
	var b []byte
	var err error
	if p.open() {
		b, err = readOpen(res.Body, p.events(), 2*time.Second)
	} else {
		b, err = io.ReadAll(body)
	}
	s.learn(p.keep, b)
	head := headers(res)
	if !strings.Contains(p.path, "watch") {
		head = strings.TrimSuffix(head, " | chunked") // that is a matter of size
	}
	out := fmt.Sprintf("< %d %s", res.StatusCode, s.clean(head, res.Request.URL.Host)) + s.stored(p, string(b))
	if s.whole && (p.method != http.MethodPost || s.kept) { // without kept, whoever creates does not come to manage anything on the fake
		b = bytes.ReplaceAll(b, []byte(`"managedFields"`), []byte(`"managed"`)) // which normal does not cut
	}
	if len(b) > 0 {
		out += "\n< " + strings.ReplaceAll(s.normal(b, res), "\n", "\n< ")
	}
	if err != nil {
		out += "\n< broken: " + err.Error()
	}
	return out
}

var storedVersion = regexp.MustCompile(`resourceVersion"?: ?"?\d+`)

// stored tells, where managedFields are told, whether the resourceVersion is that of the answer before: whether
// something was stored.
func (s *session) stored(p step, body string) (same string) {
	path, _, _ := strings.Cut(p.path, "?")
	if rv := storedVersion.FindString(body); s.whole && rv != "" && !strings.Contains(body, `"kind":"Status"`) {
		if s.versions[path] == rv {
			same = " | the same resourceVersion"
		}
		s.versions[path] = rv
	}
	return same
}

// learn keeps fields of an answer's metadata, or a token, or hashes of documents in an index, under names.
func (s *session) learn(keep string, body []byte) {
	var o struct {
		Metadata map[string]any
		Status   any                                           // of what has a token, an object
		Paths    map[string]struct{ ServerRelativeURL string } // of OpenAPI
	}
	if keep == "" || json.Unmarshal(body, &o) != nil {
		return
	}
	for _, k := range strings.Fields(keep) {
		name, field, _ := strings.Cut(k, "=")
		value := fmt.Sprint(o.Metadata[field])
		if field == "token" {
			status, _ := o.Status.(map[string]any)
			value = fmt.Sprint(status["token"])
		}
		if doc, ok := o.Paths[field]; ok {
			_, value, _ = strings.Cut(doc.ServerRelativeURL, "hash=")
		}
		s.values[name] = value
		if field == "resourceVersion" {
			s.names[value] = name
		}
	}
}

var (
	word    = regexp.MustCompile(`\{([A-Z][A-Z0-9]*)([+-]\d+)?\}`)
	encoded = regexp.MustCompile(`«[^»]*»`)
	paths   = map[string]string{
		"CM": "/api/v1/namespaces/%s/configmaps", "SE": "/api/v1/namespaces/%s/secrets", "PO": "/api/v1/namespaces/%s/pods",
		"EV": "/api/v1/namespaces/%s/events", "LE": "/apis/coordination.k8s.io/v1/namespaces/%s/leases",
		"WI": "/apis/probe.example.com/v1/namespaces/%s/widgets", "RE": "/apis/apps/v1/namespaces/%s/controllerrevisions", "NS": "/api/v1/namespaces", "NAMESPACE": "%s",
		"SV": "/api/v1/namespaces/%s/services", "JO": "/apis/batch/v1/namespaces/%s/jobs", "DE": "/apis/apps/v1/namespaces/%s/deployments",
		"ST": "/apis/apps/v1/namespaces/%s/statefulsets", "DS": "/apis/apps/v1/namespaces/%s/daemonsets",
	}
)

// expand writes short words out: {CM} is the path of configmaps, {F} a version that is far away, {N} what
// was kept and {N-1} one less, {BIG} a long text, «…» the text within as a token.
func (s *session) expand(text string) string {
	text = word.ReplaceAllStringFunc(text, func(m string) string {
		p := word.FindStringSubmatch(m)
		if path, ok := paths[p[1]]; ok {
			return strings.ReplaceAll(path, "%s", s.namespace)
		}
		value, ok := s.values[p[1]]
		switch p[1] {
		case "F":
			value, ok = "9000000000000000000", true
		case "TOKEN":
			value, ok = s.config.BearerToken, true
		case "BIG":
			value, ok = strings.Repeat("x", 200_000), true
		}
		if !ok || p[2] == "" {
			return value
		}
		n, _ := strconv.ParseInt(value, 10, 64)
		more, _ := strconv.ParseInt(p[2], 10, 64)
		return strconv.FormatInt(n+more, 10)
	})
	return encoded.ReplaceAllStringFunc(text, func(m string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(strings.Trim(m, "«»")))
	})
}

// headers that matter. Those that every answer has are told of where one is missing.
func headers(res *http.Response) string {
	var out []string
	for _, name := range []string{"Audit-Id", "X-Kubernetes-Pf-Flowschema-Uid", "X-Kubernetes-Pf-Prioritylevel-Uid"} {
		if res.Header.Get(name) == "" {
			out = append(out, "no "+name)
		}
	}
	if c := res.Header.Get("Cache-Control"); c != "no-cache, private" {
		out = append(out, "Cache-Control: "+c)
	}
	for _, name := range []string{"Content-Type", "Retry-After", "Warning", "Vary", "Content-Encoding", "X-Content-Type-Options", "Allow", "Location"} {
		for _, v := range res.Header.Values(name) {
			out = append(out, name+": "+v)
		}
	}
	for _, name := range []string{"ETag", "Last-Modified", "Expires"} {
		if res.Header.Get(name) != "" {
			out = append(out, name)
		}
	}
	if slices.Contains(res.TransferEncoding, "chunked") {
		out = append(out, "chunked")
	}
	return strings.Join(out, " | ")
}
