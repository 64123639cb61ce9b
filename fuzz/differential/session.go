package differential

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// session is one story on one server.
type session struct {
	server    *server
	namespace string

	seen     map[string]map[string]any // objects as last answered, by kind and name
	first    map[string]string         // their first resourceVersions
	began    string                    // resourceVersion of the namespace
	list     string                    // resourceVersion of the last list
	next     string                    // its continue token
	made     string                    // the last generated name
	newest   uint64                    // the largest resourceVersion of an object
	symbols  map[string]string         // of uids, resourceVersions and generated names, in the order in which they were answered
	counts   map[byte]int
	answers  []*answer // one for each request
	watching context.Context
	unwatch  context.CancelFunc
	reading  sync.WaitGroup
}

// server is where a session's requests go.
type server struct {
	client *http.Client
	url    string
	token  string
	real   bool // others use it as well, and its caches may be behind
}

// answer is what a server said to a request.
type answer struct {
	code    int
	headers http.Header
	body    []byte
	asked   string // the URL
	began   time.Time
	err     error

	mu     sync.Mutex // for the stream
	stream bool       // body grows
	grown  time.Time
}

func newSession(on *server, namespace string) *session {
	s := &session{server: on, namespace: namespace, seen: map[string]map[string]any{}, first: map[string]string{}, symbols: map[string]string{}, counts: map[byte]int{}}
	s.watching, s.unwatch = context.WithCancel(context.Background())
	return s
}

// close ends the watches that are still open.
func (s *session) close() {
	s.unwatch()
	s.reading.Wait()
}

// do makes a request and notes the answer.
func (s *session) do(w word, a Ask) error {
	key := a.Kind + "/" + a.Name
	var seen map[string]any
	if object, ok := s.seen[key]; ok {
		seen = copied(object)
	}
	body := s.fill(w.body(a, seen), key)
	at := s.fill(w.url(a), key)
	watch := strings.HasPrefix(w.name, "watch")
	if s.server.real && (watch || strings.Contains(at, "resourceVersion=")) && (w.methodOf(a) == http.MethodGet || w.methodOf(a) == http.MethodDelete) {
		s.server.send(context.Background(), http.MethodGet, s.fill(kindNamed(a.Kind).path(), "")+"?limit=1", nil, "") // the cache has caught up then
	}
	headers := w.headersOf(a, body)
	var got *answer
	if watch {
		got = s.open(at, headers)
	} else {
		got = s.server.send(context.Background(), w.methodOf(a), at, headers, body)
		s.learn(w, a, got)
	}
	s.answers = append(s.answers, got)
	return nil
}

// send makes a request and reads the whole answer.
func (v *server) send(ctx context.Context, method, at string, headers http.Header, body string) *answer {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	got, response := v.begin(ctx, method, at, headers, body)
	if response != nil {
		defer response.Body.Close()
		got.body, got.err = io.ReadAll(response.Body)
	}
	return got
}

func (v *server) begin(ctx context.Context, method, at string, headers http.Header, body string) (*answer, *http.Response) {
	got := &answer{asked: at, began: time.Now()}
	request, err := http.NewRequestWithContext(ctx, method, v.url+at, strings.NewReader(body))
	if err != nil {
		got.err = err
		return got, nil
	}
	for name, values := range headers {
		request.Header[name] = values
	}
	request.Header.Set("User-Agent", "differential/1")
	if v.token != "" {
		request.Header.Set("Authorization", "Bearer "+v.token)
	}
	response, err := v.client.Do(request)
	if err != nil {
		got.err = err
		return got, nil
	}
	got.code, got.headers = response.StatusCode, response.Header
	return got, response
}

// open opens a watch and reads it until the server ends it or the session is closed.
func (s *session) open(at string, headers http.Header) *answer {
	got, response := s.server.begin(s.watching, http.MethodGet, at, headers, "")
	if response == nil {
		return got
	}
	if got.code != http.StatusOK || !strings.Contains(at, "watch=1") { // a shrunk watch may have become a list
		defer response.Body.Close()
		got.body, got.err = io.ReadAll(response.Body)
		return got
	}
	got.stream, got.grown = true, time.Now()
	read := func() {
		defer response.Body.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := response.Body.Read(buffer)
			got.mu.Lock()
			got.body = append(got.body, buffer[:n]...)
			if n > 0 {
				got.grown = time.Now()
			}
			got.mu.Unlock()
			if err != nil {
				return
			}
		}
	}
	if strings.Contains(at, "timeoutSeconds=1") {
		read()
		return got
	}
	s.reading.Go(read)
	return got
}

// sofar is what has come, and for how long nothing has.
func (a *answer) sofar() ([]byte, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.body), time.Since(a.grown)
}

// learn notes what later requests refer to.
func (s *session) learn(w word, a Ask, got *answer) {
	var object map[string]any
	if got.code/100 != 2 || json.Unmarshal(got.body, &object) != nil || strings.Contains(got.asked, "dryRun=All") {
		return
	}
	meta, _ := object["metadata"].(map[string]any)
	version, _ := meta["resourceVersion"].(string)
	kind, _ := object["kind"].(string)
	if w.name == "list" || w.name == "next" {
		if strings.HasSuffix(kind, "List") || kind == "Table" {
			s.list = version
			s.next, _ = meta["continue"].(string)
		}
		return
	}
	name, _ := meta["name"].(string)
	if kind != kindNamed(a.Kind).Kind || name == "" || version == "" {
		return
	}
	if base, _ := meta["generateName"].(string); base != "" && w.name == "create" {
		s.made = name
	}
	delete(meta, "managedFields") // an update without them keeps them; the servers show them at different times
	key := a.Kind + "/" + strings.Replace(name, s.namespace, "{NS}", 1)
	s.seen[key] = object
	if s.first[key] == "" {
		s.first[key] = version
	}
}

// fill replaces placeholders: {NS} is the story's namespace, {RV}, {OLDRV} and {UID} are the last and the first
// resourceVersion and the uid of the object that the request is about, {LISTRV} and {CONTINUE} are the last list's, and {GEN} is
// the last generated name. Where no answer has told a resourceVersion, it is the one at which the story began.
func (s *session) fill(text, key string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	meta, _ := s.seen[key]["metadata"].(map[string]any)
	version, _ := meta["resourceVersion"].(string)
	uid, _ := meta["uid"].(string)
	or := func(s, other string) string {
		if s == "" {
			return other
		}
		return s
	}
	return strings.NewReplacer("{NS}", s.namespace, "{RV}", or(version, s.began), "{OLDRV}", or(s.first[key], s.began), "{UID}", or(uid, "none"),
		"{LISTRV}", or(s.list, s.began), "{CONTINUE}", or(s.next, "none"), "{GEN}", or(s.made, s.namespace+"-gen")).Replace(text)
}

// copied is a deep copy of an object.
func copied(object map[string]any) (out map[string]any) {
	b, _ := json.Marshal(object)
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	_ = d.Decode(&out)
	return out
}
