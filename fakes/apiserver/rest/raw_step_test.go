package rest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ask is a request as it goes over the wire. Some words in it are short, see expand.
type ask struct {
	method, path string
	headers      string // "Name: value" lines
	body         string
}

// step is a request, or something else that is done to a server.
type step struct {
	ask
	keep   string // "N=resourceVersion T=continue": of the answer's metadata, for {N} in later requests and in answers
	during []step // put while this one's stream is open
	setUp  bool   // it is needed by others and shows nothing itself
	times  int    // it is put so often, {I} counts; the last answer is told. 0: once
	slow   bool   // a watch that nobody reads before those during it are put
	long   bool   // it takes seconds and changes nothing
	do     string // not a request, but one of deeds
	want   string // the answer that is known, if there is one; see wanting
}

// showing are steps that show the same facts, by their ids.
type showing struct {
	facts string
	steps []step
}

// table is a list of requests that a fresh server gets one after the other, in a namespace of its own.
type table struct {
	name      string // of its file, too
	namespace string
	parts     []showing
	long      bool // it takes a minute, and concerns nobody else
	whole     bool // managedFields are told, and whether something was stored
	kept      bool // the fake has Options.ManagedFields
	cells     bool // columns of Tables are not told
	rights    bool // roles say who may do what
}

// rawTables are all requests.
var rawTables = []table{
	{name: "http", namespace: "default", parts: httpParts},
	{name: "lists", namespace: "lists", parts: listParts},
	{name: "uncached", namespace: "uncached", parts: uncachedParts},
	{name: "watches", namespace: "watches", parts: watchParts},
	{name: "open", namespace: "open", parts: openParts},
	{name: "writes", namespace: "writes", parts: writeParts},
	{name: "patches", namespace: "patches", parts: patchParts},
	{name: "forms", namespace: "forms", parts: formParts},
	{name: "kinds", namespace: "kinds", parts: kindParts},
	{name: "clients", namespace: "clients", parts: clientParts},
	{name: "apply", namespace: "apply", parts: applyParts, whole: true},
	{name: "managed", namespace: "managed", parts: managedParts, whole: true},
	{name: "kept", namespace: "kept", parts: keptParts, whole: true, kept: true},
	{name: "refused", namespace: "refused", parts: refusedParts},
	{name: "mistakes", namespace: "mistakes", parts: mistakenParts},
	{name: "changed", namespace: "changed", parts: changedParts},
	{name: "further", namespace: "further", parts: furtherParts},
	{name: "controllers", namespace: "controllers", parts: and(controllerParts, connectParts)},
	{name: "tables", namespace: "tables", parts: tableParts, cells: true},
	{name: "rights", namespace: "rights", parts: rightParts, rights: true},
	{name: "definitions", namespace: "definitions", parts: definitionParts},
	{name: "stored", namespace: "stored", parts: storedParts, whole: true},
	{name: "slow", namespace: "slow", parts: slowParts, long: true},
	{name: "minute", namespace: "minute", parts: minuteParts, long: true},
	{name: "readers", namespace: "readers", parts: readerParts, long: true},
	{name: "behind", namespace: "behind", parts: behindParts},          // alone: it is felt by all leases
	{name: "compacted", namespace: "compacted", parts: compactedParts}, // the last, and alone: it is felt everywhere
}

// asked makes steps of requests.
func asked(asks []ask) []step {
	var out []step
	for _, a := range asks {
		out = append(out, step{ask: a})
	}
	return out
}

// brief are words for methods and headers in lines.
var brief = map[string]string{
	"MERGE": sendMerge, "STRATEGIC": strategic, "JSON": "Content-Type: application/json-patch+json", "APPLY": "Content-Type: application/apply-patch+yaml",
	"@table": asTable, "@partial": asPartial, "@list": asList, "@proto": inProto, "@yaml": inYAML, "@wildyaml": "Accept: */*, application/yaml", "@stream": inProto + ";stream=watch",
	"@stranger": "Authorization: Bearer wrong", "@nobody": "Authorization:", "@basic": "Authorization: Basic YTpi",
	"@openapi": "Accept: application/com.github.proto-openapi.spec.v3@v1.0+protobuf", "@html": "Accept: text/html", "@spdy": "Connection: Upgrade\nUpgrade: SPDY/3.1",
	"@sendyaml": sendYAML, "@text": sendText, "@none": sendNone, "@gzip": "Accept-Encoding: gzip",
}

// lines reads steps, one a line:
//
//	[+|~|xN]METHOD PATH [@HEADER|@NAME:VALUE...] [BODY] [=> KEEP]
//
// MERGE, STRATEGIC and JSON are kinds of PATCH, WATCH is a GET that watches for a second, or for two with
// steps during it: the lines with | behind it. SLOW is a watch that is not read meanwhile. A line with + is
// there for others, one with x60 is put so often, those with ~ that follow each other at the same time. What
// deeds says is done to the server.
func lines(text string) []step {
	var out []step
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "|"); ok {
			last := &out[len(out)-1]
			last.during = append(last.during, oneLine(rest))
			last.path = brieflyOpen.ReplaceAllString(last.path, "timeoutSeconds=2$1")
			continue
		}
		if line != "" && !strings.HasPrefix(line, "//") {
			out = append(out, oneLine(line))
		}
	}
	return out
}

// deeds are lines that are no requests, and whether they show something.
//
//	COMPACT RV      what is older is gone
//	TOGETHER KEYS   are deleted in one transaction
//	RESTART         the server is killed, and another started
//	TERM            it is told to end, and another started when it has
//	READY           that one is there
//	HOLD            from now on nothing comes to the cache of leases
//	HOLD 1500ms     for so long
//	RELEASE         what was held, and all else, comes
//	WAIT 80s        that time goes by
var deeds = []string{"COMPACT", "TOGETHER", "RESTART", "TERM", "READY", "HOLD", "RELEASE", "WAIT"}

var (
	repeats     = regexp.MustCompile(`^x\d+$`)
	brieflyOpen = regexp.MustCompile(`timeoutSeconds=1(&|$)`)
)

func oneLine(line string) (s step) {
	line, s.keep, _ = strings.Cut(strings.TrimSpace(line), " => ")
	if n, rest, ok := strings.Cut(line, " "); ok && repeats.MatchString(n) {
		s.times, _ = strconv.Atoi(n[1:])
		line = rest
	}
	line, s.setUp = strings.CutPrefix(line, "+")
	line, s.long = strings.CutPrefix(line, "~")
	s.method, line, _ = strings.Cut(strings.TrimSpace(line), " ")
	s.path, line, _ = strings.Cut(line, " ")
	var headers []string
	for strings.HasPrefix(line, "@") {
		var word string
		word, line, _ = strings.Cut(line, " ")
		if name, value, ok := strings.Cut(word[1:], ":"); ok { // any header, with _ for a space
			headers = append(headers, name+": "+strings.ReplaceAll(value, "_", " "))
			continue
		}
		headers = append(headers, brief[word])
	}
	s.body = line
	if slices.Contains(deeds, s.method) {
		s.do, s.path, s.body, s.setUp = strings.ToLower(s.method), strings.TrimSpace(s.path+" "+s.body), "", true
	}
	switch s.method {
	case "MERGE", "STRATEGIC", "JSON", "APPLY":
		headers = append(headers, brief[s.method])
		s.method = "PATCH"
	case "WATCH", "SLOW":
		s.method, s.slow = "GET", s.method == "SLOW"
		path, query, _ := strings.Cut(s.path, "?")
		if query != "" {
			query = "&" + query
		}
		if !strings.Contains(query, "timeoutSeconds") {
			query = "&timeoutSeconds=1" + query
		}
		s.path = path + "?watch=1" + query
	case "GET", "POST", "PUT", "DELETE":
	default:
		if s.do == "" {
			panic(fmt.Sprintf("no method: %q", line))
		}
	}
	s.headers = strings.Join(headers, "\n")
	return s
}

// waits says that a step takes seconds and changes nothing: it is put at the same time as its neighbours
// that do, too.
func (s step) waits() bool {
	long := s.long || strings.Contains(s.path, "timeoutSeconds=") || strings.Contains(s.path, "{F}") || strings.Contains(s.path, "=9000000000000000000")
	return long && s.method == "GET" && len(s.during) == 0 && s.keep == ""
}

// all are the steps of a table, those put during others before them.
func (t table) all() []step {
	var out []step
	for _, p := range t.parts {
		for _, s := range p.steps {
			out = append(append(out, s.during...), s)
		}
	}
	return out
}

// and joins steps, or what shows facts.
func and[T any](all ...[]T) []T { return slices.Concat(all...) }

// everyAsk is each request of all tables.
func everyAsk() []ask {
	var out []ask
	for _, t := range rawTables {
		for _, s := range t.all() {
			if s.do == "" {
				out = append(out, s.ask)
			}
		}
	}
	return out
}
