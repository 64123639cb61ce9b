package rest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

var (
	uuid      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	moment    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	version   = regexp.MustCompile(`(resourceVersion\\*"?: ?\\*"|old resource version: \S+ \(|old resource version: |current: |Too large resource version: |in record:? \(?|in object meta: \(?|in the precondition \(|modRevision=|"rv":)(\d+)`)
	tokens    = regexp.MustCompile(`("?continue"?: "?|"continue":")([A-Za-z0-9_-]{20,})`)
	marked    = regexp.MustCompile(`((?m)^(?:\{"type":"BOOKMARK"|BOOKMARK ).*"resourceVersion":")\d+`) // at which of several is chance
	retry     = regexp.MustCompile(`("type":"ERROR".*"retryAfterSeconds":)[1-3]`)                      // etcd's is by chance
	address   = regexp.MustCompile(`\d+\.\d+\.\d+\.\d+:\d+`)
	generated = regexp.MustCompile(`\b(gen-|g{58}|Bad_|x)[bcdfghjklmnpqrstvwxz2456789]{5}\b`)
	collected = regexp.MustCompile(`("finalizers":\[)([^\]]*"foregroundDeletion"[^\]]*)\]`)
	rules     = regexp.MustCompile(`("(?:nonR|r)esourceRules":\[\{)(.*?)\}\]`)
	jwts      = regexp.MustCompile(`"token":"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"`)
	chosen    = regexp.MustCompile(`"(clusterIP|clusterIPs)":(\[)?"10\.[09]\.0\.\d+"`) // 10.9 while a ServiceCIDR of another table is there
	nodePort  = regexp.MustCompile(`"(nodePort|healthCheckNodePort)":3\d{4}`)
	hash      = regexp.MustCompile(`(hash=)[0-9A-F]{128}`)
	cellsOf   = regexp.MustCompile(`"cells":\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*\]`) // a string may hold a bracket
	columnsOf = regexp.MustCompile(`"columnDefinitions":\[\{.*?\}\],"rows"`)
	age       = regexp.MustCompile(`"(\d+ \()?\d+[smhdy](?:\d+[smhd])?( ago\))?"`)
	serviceIP = regexp.MustCompile(`"10\.[09]\.0\.\d+"`)
	elsewhere = regexp.MustCompile(`"apis/(?:defs|stored)\.example\.com/v\d":\{[^}]*\},?`)     // in the index of OpenAPI: definitions of other tables
	dangling  = regexp.MustCompile(`("cells":\["tables\.example\.com","exempt",.*?)"False"\]`) // a controller says so, sooner or later
)

// most is how much of an answer is kept; what is longer is told by its length and a hash.
const most = 6000

// normal is a body without what differs from run to run, and without managedFields, which only tables that are whole tell.
func (s *session) normal(b []byte, res *http.Response) string {
	if strings.HasPrefix(res.Header.Get("Content-Type"), runtime.ContentTypeProtobuf) {
		b = readable(b)
	}
	text := s.clean(cutFields(string(b)), res.Request.URL.Host)
	var out strings.Builder
	for _, r := range strings.TrimSuffix(text, "\n") {
		if r == '\n' || r >= ' ' && r != 0xFFFD {
			out.WriteRune(r)
			continue
		}
		fmt.Fprintf(&out, "%+q", r)
	}
	if !strings.HasSuffix(text, "\n") {
		out.WriteString("¶") // no newline at the end
	}
	if out.Len() > most {
		return fmt.Sprintf("%.300s… (%d, %x)", out.String(), out.Len(), sha256.Sum256([]byte(out.String())))
	}
	return lessBookmarks(out.String())
}

// repaired is an Event of kube-apiserver's own, in a list of them: that of its loop which met a service in the moment between
// its address and the record of that.
var repaired = regexp.MustCompile(`\{"metadata":\{[^{}]*(?:"managedFields":\[\{[^\[\]]*\}\])?\},"involvedObject":\{[^{}]*\},"reason":"ClusterIPNotAllocated"[^{}]*"source":\{\}[^{}]*\},?`)

// The Event goes, and its neighbour stays.
func TestRepaired(t *testing.T) {
	own := `{"metadata":{"name":"1r.18ea","namespace":"kinds","resourceVersion":"9","managedFields":[{"manager":"kube-apiserver","fieldsV1":{"f:reason":{}}}]},"involvedObject":{"kind":"Service","name":"1r"},"reason":"ClusterIPNotAllocated","message":"10.0.0.22","source":{},"type":"Warning","eventTime":"2026-11-23T22:11:07.8Z"}`
	other := `{"metadata":{"name":"g","namespace":"kinds","managedFields":[{"manager":"m","fieldsV1":{"f:x":{}}}]},"involvedObject":{"namespace":"kinds"},"source":{},"eventTime":null}`
	assert.Equal(t, `{"items":[`+other+`]}`, repaired.ReplaceAllString(`{"items":[`+own+`,`+other+`]}`, ""))
	assert.Equal(t, `{"items":[`+other+`,]}`, repaired.ReplaceAllString(`{"items":[`+other+`,`+own+`]}`, ""), "it is the first by its name")
	assert.Equal(t, `{"items":[]}`, repaired.ReplaceAllString(`{"items":[`+own+`]}`, ""))
}

// clean replaces what differs from run to run.
func (s *session) clean(text, host string) string {
	text = repaired.ReplaceAllString(text, "")
	text = generated.ReplaceAllString(uuid.ReplaceAllString(text, "UUID"), "${1}·")
	text = tokens.ReplaceAllStringFunc(text, func(m string) string {
		p := tokens.FindStringSubmatch(m)
		plain, err := base64.RawURLEncoding.DecodeString(p[2])
		if err != nil {
			return p[1] + "no base64: " + p[2]
		}
		return p[1] + "«" + string(plain) + "»"
	})
	text = marked.ReplaceAllString(text, "${1}RV")
	text = version.ReplaceAllStringFunc(text, s.symbol)
	text = version.ReplaceAllStringFunc(text, s.symbol)                 // "too old resource version: N (OLDEST)" has two
	text = collected.ReplaceAllStringFunc(text, func(m string) string { // in no order
		p := collected.FindStringSubmatch(m)
		all := strings.Split(p[2], ",")
		slices.Sort(all)
		return p[1] + strings.Join(all, ",") + "]"
	})
	text = rules.ReplaceAllStringFunc(text, func(m string) string { // in no order either
		p := rules.FindStringSubmatch(m)
		all := strings.Split(p[2], "},{")
		slices.Sort(all)
		return p[1] + strings.Join(all, "},{") + "}]"
	})
	text = strings.ReplaceAll(text, s.config.BearerToken, "TOKEN")
	text = jwts.ReplaceAllString(text, `"token":"JWT"`)
	text = chosen.ReplaceAllString(text, `"$1":$2"IP"`)
	text = nodePort.ReplaceAllString(text, `"$1":PORT`)
	text = hash.ReplaceAllString(text, "${1}HASH")
	text = retry.ReplaceAllString(text, "${1}1")
	text = elsewhere.ReplaceAllString(text, "")
	text = cellsOf.ReplaceAllStringFunc(text, func(m string) string {
		return serviceIP.ReplaceAllString(age.ReplaceAllString(m, `"${1}AGE$2"`), `"IP"`)
	})
	text = dangling.ReplaceAllString(text, `${1}"?"]`)
	if s.cells {
		text = columnsOf.ReplaceAllString(text, `"rows"`)
	}
	text = sortManagers(moment.ReplaceAllString(text, "TIME"))
	return address.ReplaceAllString(strings.ReplaceAll(text, host, "HOST"), "HOST")
}

// sortManagers puts managers in the order that they have within one second: whether two come in one is chance.
func sortManagers(text string) string {
	before, rest, found := strings.Cut(text, `"managed":`)
	if !found {
		return text
	}
	var all []json.RawMessage
	d := json.NewDecoder(strings.NewReader(rest))
	if err := d.Decode(&all); err != nil {
		return text
	}
	key := func(entry json.RawMessage) string {
		var m struct{ Operation, Time, Manager, APIVersion, Subresource string }
		_ = json.Unmarshal(entry, &m)
		return strings.Join([]string{m.Operation, m.Time, m.Manager, m.APIVersion, m.Subresource}, "\x00") // those without a time come first
	}
	slices.SortStableFunc(all, func(a, b json.RawMessage) int { return strings.Compare(key(a), key(b)) })
	var out []string
	for _, entry := range all {
		out = append(out, string(entry))
	}
	return before + `"managed":[` + strings.Join(out, ",") + "]" + sortManagers(rest[d.InputOffset():])
}

// symbol names a version that has been kept; others are all the same.
func (s *session) symbol(m string) string {
	p := version.FindStringSubmatch(m)
	switch name := s.names[p[2]]; {
	case name != "":
		return p[1] + "{" + name + "}"
	case p[2] == "0" || p[2] == "1" || len(p[2]) > 15:
		return m // as they were asked for
	}
	return p[1] + "RV"
}

var mark = regexp.MustCompile(`^(\{"type":"BOOKMARK"|BOOKMARK )`)

// lessBookmarks leaves one of several bookmarks in a row: how many come at once is chance.
func lessBookmarks(text string) string {
	var out []string
	last := false
	for _, line := range strings.Split(text, "\n") {
		this := mark.MatchString(line)
		if this && last {
			continue
		}
		last = this
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// cutFields takes managedFields out, in JSON and in YAML.
func cutFields(s string) string {
	for {
		found := jsonFields.FindStringIndex(s)
		if found == nil {
			break
		}
		at, end, depth := found[0], found[1], 1
		for ; depth > 0; end++ {
			switch s[end] {
			case '[':
				depth++
			case ']':
				depth--
			}
		}
		before := strings.TrimRight(s[:at], " \n")
		if strings.HasSuffix(before, ",") {
			s = before[:len(before)-1] + s[end:]
		} else {
			s = s[:at] + strings.TrimLeft(strings.TrimPrefix(s[end:], ","), " \n")
		}
	}
	return yamlFields.ReplaceAllString(s, "")
}

var (
	jsonFields = regexp.MustCompile(`\\*"managedFields\\*": ?\[`)
	yamlFields = regexp.MustCompile(`(?m)^(?:  managedFields:\n(?:  [- ] .*\n)+|    managedFields:\n(?:    [- ] .*\n)+)`)
)

// readable is protobuf as JSON, a line for each object or event.
func readable(b []byte) []byte {
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, metav1.AddMetaToScheme, apidiscoveryv2.AddToScheme} {
		if err := add(types); err != nil {
			return []byte(err.Error())
		}
	}
	whole := protobuf.NewSerializer(types, types)
	var out bytes.Buffer
	show := func(b []byte) {
		obj, gvk, err := whole.Decode(b, nil, nil)
		if err != nil {
			fmt.Fprintf(&out, "unreadable: %v\n", err)
			return
		}
		obj.GetObjectKind().SetGroupVersionKind(*gvk)
		text, err := json.Marshal(obj)
		fmt.Fprintf(&out, "protobuf %s", text)
		if err != nil {
			fmt.Fprintf(&out, "unwritable: %v", err)
		}
		out.WriteByte('\n')
	}
	if bytes.HasPrefix(b, []byte("k8s\x00")) {
		show(b)
		return out.Bytes()
	}
	for len(b) >= 4 { // a watch: frames with their length
		n := int(binary.BigEndian.Uint32(b))
		if b = b[4:]; n > len(b) {
			fmt.Fprintf(&out, "a frame of %d in %d\n", n, len(b))
			break
		}
		var e metav1.WatchEvent
		if err := e.Unmarshal(b[:n]); err != nil {
			fmt.Fprintf(&out, "unreadable: %v\n", err)
			break
		}
		out.WriteString(e.Type + " ")
		show(e.Object.Raw)
		b = b[n:]
	}
	return out.Bytes()
}
