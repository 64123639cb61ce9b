package apiserver_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// answers are the files of requests, by name; each was asked of a server with these options.
var answers = map[string]func(*apiserver.Options){
	"answers": func(o *apiserver.Options) { o.NoShards = true },
	"shards":  func(*apiserver.Options) {}, // --feature-gates=ShardedListAndWatch=true
}

func answersFile(name string) string { return "testdata/" + name + ".txt" }

// differs are requests that the fake answers otherwise, on purpose.
var differs = map[string]string{
	`PATCH CM/b merge {"data":{"k":5}}`:          "the real message shows the whole object, with managedFields",
	`PATCH WI/a merge {"metadata":{"labels":5}}`: "as above",

	"GET WI?shardSelector=shardRange(object.metadata.namespace,{Z},{T})": "the real one shards custom resources and does not say so: nobody can tell such a list from a whole one",
	"GET CM?shardSelector={low},":                                        "what the parser of CEL expected is not kept",
	"GET CM?shardSelector={low}||":                                       "as above",
	"GET CM?shardSelector={low}{low}":                                    "as above",
	"GET CM?shardSelector=[{low}]":                                       "lists of CEL are not read",
	"GET CM?shardSelector=shardRange(object.metadata.uid,{Z}":            "what the parser of CEL expected is not kept",
}

// What a real kube-apiserver answered to each of a long list of requests, the fake answers too: code,
// reason, message, details, objects, versions. TestRecordAnswers makes the file.
func TestAnswers(t *testing.T) {
	unused := map[string]bool{}
	for request := range differs {
		unused[request] = true
	}
	all := 0
	for name, options := range answers {
		o := withWidgets(nil)
		o.Namespaces, o.FirstRevision = true, 100_000
		options(&o)
		bubble(t, o, func(t *testing.T, s *apiserver.Server) {
			script := readAnswers(t, name)
			got := replay(t, script, inProcess(s, o.Resources))
			for i, e := range script {
				if differs[e.request] != "" {
					delete(unused, e.request)
					require.NotEqual(t, e.answer, got[i], "not different any more: %s", e.request)
					continue
				}
				require.Equal(t, e.answer, got[i], e.request)
			}
			all += len(script)
		})
	}
	require.Empty(t, unused, "of these there are none")
	require.Greater(t, all, 250)
}

// exchange is one request of the file, as "METHOD PATH?QUERY [CONTENT-TYPE] [BODY]" with abbreviations,
// and its normal answer.
type exchange struct{ request, answer string }

func readAnswers(t *testing.T, name string) (out []exchange) {
	t.Helper()
	b, err := os.ReadFile(answersFile(name))
	require.NoError(t, err)
	for _, line := range strings.Split(string(b), "\n") {
		if request, ok := strings.CutPrefix(line, "> "); ok {
			out = append(out, exchange{request: request})
		} else if answer, ok := strings.CutPrefix(line, "< "); ok {
			e := &out[len(out)-1]
			e.answer = strings.TrimPrefix(e.answer+"\n"+answer, "\n")
		}
	}
	return out
}

// server answers a request with a code and a body.
type server func(method, path string, query url.Values, contentType, body string) (int, []byte)

// replay sends all requests, and gives the normal answers.
func replay(t *testing.T, script []exchange, send server) (out []string) {
	t.Helper()
	short := strings.NewReplacer("CM", "/api/v1/namespaces/default/configmaps", "EV", "/api/v1/namespaces/default/events",
		"LE", "/apis/coordination.k8s.io/v1/namespaces/default/leases", "WI", "/apis/probe.example.com/v1/namespaces/default/widgets",
		"NS", "/api/v1/namespaces")
	shards := strings.NewReplacer("{low}", "shardRange(object.metadata.uid,{Z},{M})", "{high}", "shardRange(object.metadata.uid,{M},{T})")
	bounds := strings.NewReplacer("{Z}", "'0x0000000000000000'", "{M}", "'0x8000000000000000'", "{T}", "'0x10000000000000000'", "&&", "%26%26", "+", "%2B")
	types := map[string]string{
		"json": "application/json-patch+json", "merge": "application/merge-patch+json", "strategic": "application/strategic-merge-patch+json",
		"apply": "application/apply-patch+yaml", "odd": "text/odd",
	}
	seen := &sight{}
	for _, e := range script {
		method, rest, _ := strings.Cut(e.request, " ")
		target, body, _ := strings.Cut(rest, " ")
		contentType := "application/json"
		if word, more, ok := strings.Cut(body, " "); ok && types[word] != "" {
			contentType, body = types[word], more
		}
		path, query, _ := strings.Cut(target, "?")
		if strings.HasPrefix(query, "shardSelector=") {
			query = bounds.Replace(shards.Replace(query))
		}
		values, err := url.ParseQuery(seen.fill(query))
		require.NoError(t, err, e.request)
		code, answer := send(method, short.Replace(path), values, contentType, seen.fill(body))
		out = append(out, fmt.Sprintf("%d %s", code, seen.normal(answer, values.Get("watch") != "")))
	}
	return out
}

// sight is what answers have shown: the resourceVersions of objects in order, and the last token.
type sight struct {
	versions []uint64
	token    string
}

var (
	version   = regexp.MustCompile(`(current: |in record \(|"rv":|resourceVersion\\*":\\*")(\d+)`)
	wanted    = regexp.MustCompile(`\{v(\d+)\}`)
	uuid      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	moment    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	generated = regexp.MustCompile(`\b(gen-|Bad_|g{58})[bcdfghjklmnpqrstvwxz2456789]{5}\b`)
)

// fill puts what has been seen into a request: {v3} is the version of the fourth change, {continue} the token.
func (s *sight) fill(request string) string {
	request = strings.ReplaceAll(request, "{continue}", s.token)
	return wanted.ReplaceAllStringFunc(request, func(m string) string {
		i, _ := strconv.Atoi(wanted.FindStringSubmatch(m)[1])
		return strconv.FormatUint(s.versions[i], 10)
	})
}

// normal is an answer without what differs from run to run.
func (s *sight) normal(body []byte, watched bool) string {
	var out []string
	for d := json.NewDecoder(bytes.NewReader(body)); d.More(); {
		var o struct {
			Type   string
			Object map[string]any
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return string(body)
		}
		if err := json.Unmarshal(raw, &o); err == nil && watched && o.Type != "" {
			out = append(out, o.Type+" "+s.object(o.Object))
			continue
		}
		var plain map[string]any
		if err := json.Unmarshal(raw, &plain); err != nil {
			return string(body)
		}
		s.learn(plain)
		out = append(out, s.object(plain))
	}
	return strings.Join(slices.Compact(out), "\n") // one bookmark or two before the end is chance
}

func (s *sight) learn(o map[string]any) {
	m, _ := o["metadata"].(map[string]any)
	if text, _ := m["resourceVersion"].(string); text != "" && o["items"] == nil {
		rev, _ := strconv.ParseUint(text, 10, 64)
		if last := len(s.versions) - 1; rev > 100 && (last < 0 || rev > s.versions[last]) {
			s.versions = append(s.versions, rev)
		}
	}
}

// symbol is the number of the last change at or before a version: others may have written meanwhile.
func (s *sight) symbol(text string) string {
	rev, _ := strconv.ParseUint(text, 10, 64)
	n := len(s.versions) - 1
	for ; n >= 0 && s.versions[n] > rev; n-- {
	}
	if n < 0 {
		return text
	}
	return "v" + strconv.Itoa(n)
}

func (s *sight) clean(text string) string {
	text = generated.ReplaceAllString(moment.ReplaceAllString(uuid.ReplaceAllString(text, "UUID"), "TIME"), "$1·")
	return version.ReplaceAllStringFunc(text, func(m string) string {
		part := version.FindStringSubmatch(m)
		return part[1] + s.symbol(part[2])
	})
}

func (s *sight) object(o map[string]any) string {
	m, _ := o["metadata"].(map[string]any)
	token, _ := m["continue"].(string)
	if decoded, err := base64.RawURLEncoding.DecodeString(token); err == nil && token != "" {
		s.token, token = token, s.clean(string(decoded))
	}
	rv, _ := m["resourceVersion"].(string)
	if items, isList := o["items"].([]any); isList {
		lines := []string{fmt.Sprintf("list @%s remaining %v continue %s", s.symbol(rv), m["remainingItemCount"], token)}
		if m["shardInfo"] != nil {
			lines[0] += " shardInfo " + text(m["shardInfo"])
		}
		for _, item := range items {
			lines = append(lines, "  "+s.object(item.(map[string]any)))
		}
		return strings.Join(lines, "\n")
	}
	if o["kind"] == "Status" {
		o = map[string]any{"message": o["message"], "reason": o["reason"], "details": o["details"], "continue": token}
		return "Status " + s.clean(text(o))
	}
	for _, name := range []string{"managedFields", "namespace", "resourceVersion"} {
		delete(m, name)
	}
	name, _ := m["name"].(string)
	delete(m, "name")
	return s.clean(fmt.Sprintf("%s @%s %s %s", name, s.symbol(rv), text(m), text(o["data"])))
}

// text is JSON without what is null or empty at the top.
func text(v any) string {
	if m, ok := v.(map[string]any); ok {
		maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil || v == "" })
	}
	return string(encode(v))
}
