package rest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// slowParts are about what takes its time: a window that changes go out of.
//
// Revisions are hardly written by other tables: in their window is what is written here, and some changes more.
var slowParts = []showing{
	{"old/window", lines(`
		+POST {RE} {"metadata":{"name":"w"},"revision":1,"data":{}} => A=resourceVersion
		x60 +MERGE {RE}/w {"revision":1{I}} => B=resourceVersion
		x80 +MERGE {RE}/w {"revision":2{I}} => C=resourceVersion
		x40 +MERGE {RE}/w {"revision":3{I}} => D=resourceVersion
		+POST {CM} {"metadata":{"name":"between"}}
		WATCH {RE}?resourceVersion={A}&labelSelector=later
		WATCH {RE}?resourceVersion={D-1}
		WAIT 80s
		WATCH {RE}?resourceVersion={B}&labelSelector=later
		x30 +MERGE {RE}/w {"revision":4{I}} => E=resourceVersion
		WATCH {RE}?resourceVersion={A}&labelSelector=later
		WATCH {RE}?resourceVersion={B}&labelSelector=later
		WATCH {RE}?resourceVersion={C}&labelSelector=later
		WATCH {RE}?resourceVersion={E-1}
		x100 +MERGE {RE}/w {"revision":5{I}} => G=resourceVersion
		WATCH {RE}?resourceVersion={C}&labelSelector=later
		WATCH {RE}?resourceVersion={D}&labelSelector=later
		WATCH {RE}?resourceVersion={E}&labelSelector=later
		x100 +MERGE {RE}/w {"revision":6{I}} => H=resourceVersion
		WATCH {RE}?resourceVersion={E}&labelSelector=still
		WATCH {RE}?resourceVersion={D}&allowWatchBookmarks=true&labelSelector=later
		GET {RE}?resourceVersion={A}&labelSelector=later
	`)},
}

// minuteParts are about what comes each minute.
var minuteParts = []showing{
	{"watch/bookmarks-minute", lines(`
		+POST {CM} {"metadata":{"name":"minute"}} => A=resourceVersion
		WATCH {CM}?resourceVersion={A}&allowWatchBookmarks=true&timeoutSeconds=75
			| +POST {SE} {"metadata":{"name":"beside"}}
			| WAIT 66s
			| +POST {CM} {"metadata":{"name":"later"}}
	`)},
}

// readerParts are about readers that do not read.
var readerParts = []showing{
	{"watch/slow", lines(`
		+POST {CM} {"metadata":{"name":"s"}} => S=resourceVersion
		+POST {EV} {"metadata":{"name":"s"},"involvedObject":{"namespace":"{NAMESPACE}"}} => T=resourceVersion
		SLOW {CM}?resourceVersion={S}&timeoutSeconds=45
			| x120 +MERGE {CM}/s {"metadata":{"annotations":{"n":"{I}","k":"{BIG}"}}}
		SLOW {EV}?resourceVersion={T}&timeoutSeconds=45
			| x120 +MERGE {EV}/s {"metadata":{"annotations":{"n":"{I}","k":"{BIG}"}}}
	`)},
}

// slowly reads a watch that has not been read while changes came, {I} of them, which count themselves. How many
// are there is chance; whether it is all of them, and who ended it, is not.
func (s *session) slowly(p step, res *http.Response) string {
	out := fmt.Sprintf("< %d %s\n< ", res.StatusCode, headers(res))
	wanted, _ := strconv.Atoi(s.values["I"])
	got, last, err := counted(res.Body)
	switch {
	case err != nil:
		return out + "broken: " + err.Error()
	case got == wanted:
		return out + "all, in order"
	}
	p.path = from.ReplaceAllString(p.path, "resourceVersion="+last+"&timeoutSeconds=5")
	resumed, err := s.send(p.ask)
	if err != nil {
		return out + err.Error()
	}
	defer resumed.Body.Close()
	more, _, err := counted(resumed.Body)
	if err != nil || got+more != wanted {
		return out + fmt.Sprintf("%d, then %d of %d, %v", got, more, wanted, err)
	}
	return out + "some, in order, and a clean end; the others, in order, from the last of them"
}

var from = regexp.MustCompile(`resourceVersion=[^&]*&timeoutSeconds=\d+`)

// counted reads events whose objects count, to the end: how many they are, and the version of the last.
func counted(body io.Reader) (n int, last string, err error) {
	for in, before := json.NewDecoder(body), 0; ; n++ {
		var e struct {
			Type   string
			Object metav1.PartialObjectMetadata
		}
		if err := in.Decode(&e); errors.Is(err, io.EOF) {
			return n, last, nil
		} else if err != nil {
			return n, last, err
		}
		this, err := strconv.Atoi(e.Object.Annotations["n"])
		if err != nil || e.Type != "MODIFIED" || n > 0 && this != before+1 {
			return n, last, fmt.Errorf("%s %d after %d, %v", e.Type, this, before, err)
		}
		before, last = this, e.Object.ResourceVersion
	}
}
