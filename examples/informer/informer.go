// Package informer is a small informer of ConfigMaps by hand, on net/http and encoding/json alone, and the example of
// how one is tested by lwtest.
package informer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Informer keeps a copy of a namespace's ConfigMaps.
type Informer struct {
	Client    *http.Client
	URL       string // of the API server
	Token     string // bearer token; "": none
	Namespace string
	Merge     bool // a bug: what is listed is put beside what was there, not in its place

	mu     sync.Mutex
	copy   map[string]json.RawMessage // by namespace/name
	synced bool
	last   string // resourceVersion of what the copy has; "": it is to be listed
}

type meta struct {
	Namespace, Name, ResourceVersion string
}

// status is what a server says where it fails.
type status struct {
	Code    int
	Reason  string
	Details struct{ RetryAfterSeconds int }
}

func (s *status) Error() string { return fmt.Sprint(s.Code, " ", s.Reason) }

// Run keeps the copy true until ctx ends.
func (i *Informer) Run(ctx context.Context) {
	defer i.Client.CloseIdleConnections()
	const first, longest = time.Second, 30 * time.Second
	for pause := first; ctx.Err() == nil; {
		began := time.Now()
		moved, err := i.once(ctx)
		if moved || err == nil && time.Since(began) >= time.Second {
			pause = first
			continue
		}
		wait := pause
		if s, ok := err.(*status); ok {
			wait = max(wait, time.Duration(s.Details.RetryAfterSeconds)*time.Second)
			if s.Code == http.StatusGone || s.Code == http.StatusGatewayTimeout { // that state is not to be had
				i.last = ""
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		pause = min(2*pause, longest)
	}
}

// once lists, if need be, and watches until the server ends that; moved says that something came.
func (i *Informer) once(ctx context.Context) (moved bool, err error) {
	if i.last == "" {
		if err := i.list(ctx); err != nil {
			return false, err
		}
	}
	body, err := i.get(ctx, url.Values{"watch": {"1"}, "resourceVersion": {i.last}, "allowWatchBookmarks": {"true"}, "timeoutSeconds": {"300"}})
	if err != nil {
		return false, err
	}
	defer body.Body.Close()
	for d := json.NewDecoder(body.Body); ; moved = true {
		var event struct {
			Type   string
			Object json.RawMessage
		}
		if d.Decode(&event) != nil {
			return moved, nil // the end: what was sent whole is in the copy
		}
		if err := i.take(event.Type, event.Object); err != nil {
			return false, err
		}
	}
}

func (i *Informer) list(ctx context.Context) error {
	body, err := i.get(ctx, nil)
	if err != nil {
		return err
	}
	defer body.Body.Close()
	var list struct {
		Kind     string
		Metadata meta
		Items    []json.RawMessage
		status   // where it is no list
	}
	if err := json.NewDecoder(body.Body).Decode(&list); err != nil {
		return err
	}
	if list.Kind != "ConfigMapList" {
		return &list.status
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.copy == nil || !i.Merge {
		i.copy = map[string]json.RawMessage{}
	}
	for _, o := range list.Items {
		i.copy[key(o)] = o
	}
	i.last, i.synced = list.Metadata.ResourceVersion, true
	return nil
}

// take puts an event into the copy.
func (i *Informer) take(kind string, o json.RawMessage) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch kind {
	case "ADDED", "MODIFIED":
		i.copy[key(o)] = o
	case "DELETED":
		delete(i.copy, key(o))
	case "BOOKMARK":
	default:
		s := &status{}
		_ = json.Unmarshal(o, s) // of what is no status it is empty
		return s
	}
	i.last = metaOf(o).ResourceVersion
	return nil
}

func (i *Informer) get(ctx context.Context, query url.Values) (*http.Response, error) {
	at := fmt.Sprintf("%s/api/v1/namespaces/%s/configmaps?%s", i.URL, i.Namespace, query.Encode())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	if i.Token != "" {
		r.Header.Set("Authorization", "Bearer "+i.Token)
	}
	body, err := i.Client.Do(r)
	if err != nil || body.StatusCode == http.StatusOK {
		return body, err
	}
	defer body.Body.Close()
	s := &status{Code: body.StatusCode}
	_ = json.NewDecoder(body.Body).Decode(s) // it may be no status
	if after, err := strconv.Atoi(body.Header.Get("Retry-After")); err == nil {
		s.Details.RetryAfterSeconds = after
	}
	return nil, s
}

func metaOf(o json.RawMessage) meta {
	var x struct{ Metadata meta }
	_ = json.Unmarshal(o, &x) // the decoder has read it
	return x.Metadata
}

func key(o json.RawMessage) string { m := metaOf(o); return m.Namespace + "/" + m.Name }

// Get gives an object by namespace/name; nil: there is none.
func (i *Informer) Get(key string) (json.RawMessage, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.copy[key], nil
}

// List gives all objects, by their keys.
func (i *Informer) List() (all []json.RawMessage, _ error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(i.copy)) {
		all = append(all, i.copy[key])
	}
	return all, nil
}

// HasSynced says that there has been a list.
func (i *Informer) HasSynced() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.synced
}
