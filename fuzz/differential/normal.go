package differential

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// compared are the headers that are compared.
var compared = []string{"Content-Type", "Warning", "Allow", "Location", "Retry-After"}

var (
	uuid      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	moment    = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000 UTC)`)
	versionIn = regexp.MustCompile(`(resourceVersion\\*":\\*"|ResourceVersion in (?:precondition|object meta): |resource version: |current: |Too large resource version: |in record:? \(?|in object meta: \(?|in the precondition \(|resourceVersion:? ?"?)(\d+)`)
	generated = regexp.MustCompile(`\b(gen-\d+-|n\d{3}-g{53}|Bad_\d+-)([bcdfghjklmnpqrstvwxz2456789]{5})\b`)
	age       = regexp.MustCompile(`^(\d+ \()?(\d+[smhd]){1,2}( ago\))?$`)
	serviceIP = regexp.MustCompile(`\b10\.0\.0\.\d+\b`)
	portIn    = regexp.MustCompile(`:3\d{4}/`)                   // of nodes, in cells
	portQuote = regexp.MustCompile(`([nN]odePort\\*":)3\d{4}\b`) // of nodes, in messages that quote an object
	pointer   = regexp.MustCompile(`0xc[0-9a-f]{6,}`)
)

// normal is an answer without what differs between two correct servers: a tree of maps, lists and strings.
func (s *session) normal(a *answer) any {
	if a.err != nil {
		return map[string]any{"error": "no answer"}
	}
	headers := map[string]any{}
	for _, name := range compared {
		for i, v := range a.headers.Values(name) {
			headers[fmt.Sprint(name, i)] = s.text(v)
		}
	}
	body, _ := a.sofar()
	return map[string]any{"code": fmt.Sprint(a.code), "headers": headers, "body": s.documents(a, body)}
}

// documents are the documents of a body: objects, events of a watch, or text.
func (s *session) documents(a *answer, body []byte) any {
	kind := a.headers.Get("Content-Type")
	switch {
	case len(body) == 0:
		return []any{}
	case strings.HasPrefix(kind, runtime.ContentTypeProtobuf):
		body = readable(body)
	case strings.HasPrefix(kind, "application/yaml"):
		b, err := yaml.YAMLToJSON(body)
		if err != nil {
			return "no YAML: " + err.Error()
		}
		body = b
	case !strings.HasPrefix(kind, runtime.ContentTypeJSON):
		return s.text(string(body))
	}
	out := []any{}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	for {
		var v any
		err := d.Decode(&v)
		if err != nil {
			if err != io.EOF {
				out = append(out, "no JSON: "+err.Error())
			}
			return out
		}
		if object, ok := v.(map[string]any); ok {
			if a.stream && plainBookmark(object) {
				continue
			}
			s.freeVersions(object)
		}
		out = append(out, s.value("", v))
	}
}

// plainBookmark reports whether an event is a bookmark that comes when the server wants.
func plainBookmark(event map[string]any) bool {
	object, _ := event["object"].(map[string]any)
	meta, _ := object["metadata"].(map[string]any)
	notes, _ := meta["annotations"].(map[string]any)
	return event["type"] == "BOOKMARK" && notes["k8s.io/initial-events-end"] == nil
}

// value normalises a value that stands under a name.
func (s *session) value(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if managers, ok := v["managedFields"].([]any); ok {
			v["managedFields"] = byName(managers)
		}
		several := strings.Count(fmt.Sprint(v["message"]), "metadata.labels: ") > 1
		if details, ok := v["details"].(map[string]any); ok && (several || details["group"] == "probe.example.com" || v["reason"] == "Conflict") {
			unordered(v, details)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = s.value(key, v[key])
		}
		return v
	case []any:
		for i := range v {
			v[i] = s.value(name, v[i])
		}
		if name == "finalizers" && (slices.Contains(v, any("foregroundDeletion")) || slices.Contains(v, any("orphan"))) { // in no order
			slices.SortFunc(v, func(x, y any) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) })
		}
		return v
	case json.Number:
		if n, err := v.Int64(); err == nil && n >= 30000 && n < 40000 && (name == "nodePort" || name == "healthCheckNodePort") {
			return "PORT"
		}
		return v.String()
	case string:
		return s.word(name, v)
	}
	return fmt.Sprint(v)
}

// unordered puts the errors of a custom resource, those of labels, or the conflicts of an apply in an order: they come in any.
func unordered(status, details map[string]any) {
	if causes, ok := details["causes"].([]any); ok {
		slices.SortFunc(causes, func(x, y any) int { return strings.Compare(plain(x), plain(y)) })
	}
	message, _ := status["message"].(string)
	if before, list, some := strings.Cut(message, " is invalid: ["); some {
		all := strings.Split(strings.TrimSuffix(list, "]"), ", ")
		slices.Sort(all)
		status["message"] = before + " is invalid: [" + strings.Join(all, ", ") + "]"
	}
}

// word normalises a string that stands under a name.
func (s *session) word(name, v string) string {
	switch {
	case name == "resourceVersion":
		return s.version(v)
	case name == "continue" && v != "":
		plain, err := base64.RawURLEncoding.DecodeString(v)
		if err != nil {
			return "no base64: " + v
		}
		return regexp.MustCompile(`"rv":\d+`).ReplaceAllString(s.text(string(plain)), `"rv":RV`)
	case name == "cells" && age.MatchString(v):
		return age.ReplaceAllString(v, "${1}AGE$3")
	}
	return s.text(v)
}

// version names a resourceVersion by the order in which objects were seen to have it.
func (s *session) version(v string) string {
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil || n < 100 {
		return v
	}
	s.newest = max(s.newest, n)
	return s.symbol('r', v)
}

// freeVersions replaces resourceVersions that are of no object: that of a list is told by whether it is older than an object.
func (s *session) freeVersions(v map[string]any) {
	object, _ := v["object"].(map[string]any)
	meta, _ := v["metadata"].(map[string]any)
	inner, _ := object["metadata"].(map[string]any)
	switch {
	case v["type"] == "BOOKMARK" && inner != nil:
		inner["resourceVersion"] = "of a bookmark"
	case meta != nil && meta["resourceVersion"] != nil && (has(v, "items") || has(v, "rows")):
		said := fmt.Sprint(meta["resourceVersion"])
		n, err := strconv.ParseUint(said, 10, 64)
		switch {
		case err != nil || n < 100:
		case n < s.newest:
			meta["resourceVersion"] = "older"
		default:
			meta["resourceVersion"] = "current"
		}
	}
}

func has(object map[string]any, name string) bool {
	_, ok := object[name]
	return ok
}

// symbol is the name of a value that a server chose.
func (s *session) symbol(what byte, v string) string {
	key := string(what) + v
	if s.symbols[key] == "" {
		s.counts[what]++
		s.symbols[key] = fmt.Sprintf("%c%d", what, s.counts[what])
	}
	return s.symbols[key]
}

// text normalises what stands in a string.
func (s *session) text(v string) string {
	v = withoutManagers(v)
	v = uuid.ReplaceAllStringFunc(v, func(m string) string { return s.symbol('u', m) })
	v = strings.ReplaceAll(v, s.namespace, "{NS}")
	v = moment.ReplaceAllStringFunc(v, soon)
	v = versionIn.ReplaceAllString(v, "${1}RV")
	v = generated.ReplaceAllStringFunc(v, func(m string) string { return m[:len(m)-5] + s.symbol('g', m) })
	v = portIn.ReplaceAllString(v, ":PORT/")
	v = portQuote.ReplaceAllString(v, "${1}PORT")
	v = serviceIP.ReplaceAllString(v, "IP")
	v = strings.ReplaceAll(v, s.server.url, "URL")
	return pointer.ReplaceAllString(v, "POINTER")
}

var managersIn = regexp.MustCompile(`,?\\*"managedFields\\*": ?\[`)

// withoutManagers takes managedFields out of an object that a message quotes: the fake shows them once somebody has applied it.
func withoutManagers(v string) string {
	for found := managersIn.FindStringIndex(v); found != nil; found = managersIn.FindStringIndex(v) {
		end, depth := found[1], 1
		for ; depth > 0 && end < len(v); end++ {
			switch v[end] {
			case '[':
				depth++
			case ']':
				depth--
			}
		}
		rest := v[end:]
		if strings.HasSuffix(v[:found[0]], "{") {
			rest = strings.TrimPrefix(rest, ",")
		}
		v = v[:found[0]] + rest
	}
	return v
}

// soon is a time that is about now, told by how far ahead it is; or any other time as it is.
func soon(m string) string {
	t, err := time.Parse(time.RFC3339Nano, strings.Replace(strings.Replace(m, " +0000 UTC", "Z", 1), " ", "T", 1))
	ahead := time.Until(t)
	switch {
	case err != nil || ahead < -time.Hour || ahead > time.Hour:
		return m
	case ahead < 3*time.Second:
		return "TIME"
	}
	return "TIME+"
}

// byName are managers by what they are, "Update kubectl apps/v1 status": the order within one second is chance.
func byName(managers []any) map[string]any {
	out := map[string]any{}
	for _, m := range managers {
		entry, _ := m.(map[string]any)
		name := fmt.Sprintf("%v %v %v %v", entry["operation"], entry["manager"], entry["apiVersion"], entry["subresource"])
		name = strings.ReplaceAll(name, "/", " ")
		for out[name] != nil {
			name += " again"
		}
		out[name] = m
	}
	return out
}

// protobufs reads protobuf of built-in kinds.
var protobufs = func() *protobuf.Serializer {
	types := runtime.NewScheme()
	_ = scheme.AddToScheme(types)
	_ = metav1.AddMetaToScheme(types)
	return protobuf.NewSerializer(types, types)
}()

// readable is protobuf as JSON: an object, or the events of a watch.
func readable(b []byte) []byte {
	if bytes.HasPrefix(b, []byte("k8s\x00")) {
		return decoded(b)
	}
	var out bytes.Buffer
	for len(b) >= 4 { // frames with their lengths
		n := int(binary.BigEndian.Uint32(b))
		if b = b[4:]; n > len(b) {
			break // the rest is on its way
		}
		var e metav1.WatchEvent
		if err := e.Unmarshal(b[:n]); err != nil {
			fmt.Fprintf(&out, "%q\n", err)
			break
		}
		fmt.Fprintf(&out, `{"type":%q,"object":%s}`+"\n", e.Type, decoded(e.Object.Raw))
		b = b[n:]
	}
	return out.Bytes()
}

func decoded(b []byte) []byte {
	obj, gvk, err := protobufs.Decode(b, nil, nil)
	if err != nil {
		return fmt.Appendf(nil, "%q", "unreadable: "+err.Error())
	}
	obj.GetObjectKind().SetGroupVersionKind(*gvk)
	text, err := json.Marshal(obj)
	if err != nil {
		return fmt.Appendf(nil, "%q", err)
	}
	return text
}
