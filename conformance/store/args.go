package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/story"
)

// arguments are those of a word.
type arguments interface {
	says(story.Step) string // a part of a sentence, may be empty
}

// Opening says what a store is made with.
type Opening struct {
	Indexers Indexers       `json:"indexers,omitempty"` // "namespace" and "value"; without the feature index it has none
	TTL      story.Duration `json:"ttl,omitempty"`      // of a store whose entries expire
}

// Indexers are names of index functions: "namespace" and "value".
type Indexers []string

// Content says what an object is like. The zero value is an object that differs from all others.
type Content struct {
	Values  []string `json:"values,omitempty"`  // what the index function "value" returns
	Version Which    `json:"version,omitempty"` // "same", "older", "oldest" or "none"; empty: the newest
	Body    string   `json:"body,omitempty"`    // everything else
	Same    bool     `json:"same,omitempty"`    // the very object that was put last under the key
	Unknown bool     `json:"unknown,omitempty"` // of a deletion: its final state is unknown
}

// Which says which resourceVersion something has: "older", "oldest" or "none"; empty: the newest. Of an object also "same".
type Which string

const (
	same  Which = "same"  // that of the object that was put last under the key
	older Which = "older" // older than all others
	unset Which = "none"
	// oldest is older than all others as a number, and as a text, too.
	oldest Which = "oldest"
)

// List holds the objects that replace everything, or several changes.
type List struct {
	Items   []Item `json:"items,omitempty"`
	Version Which  `json:"version,omitempty"` // resourceVersion of the list that replaces everything: "older", "oldest" or "none"; empty: the newest
}

// Item is one of several objects.
type Item struct {
	Obj  string `json:"obj"`
	Verb Verb   `json:"verb,omitempty"` // of a change: "ADD", "UPDATE" or "DELETE"; empty: "ADD"
	Content
}

// Query is what an index is asked.
type Query struct {
	Index  string   `json:"index,omitempty"`  // empty: "value"
	Value  string   `json:"value,omitempty"`  // under which to look
	Values []string `json:"values,omitempty"` // of the object with which something shares a value
}

// Keyed are keys of objects.
type Keyed []string

type noArgs struct{}

func (q Query) index() string { return cmp.Or(q.Index, ByValue) }

// of returns the resourceVersion: newest, unless v names another. For "same" the caller knows it.
func (v Which) of(newest string) string {
	return map[Which]string{older: "50", oldest: "100", unset: "", same: newest, "": newest}[v]
}

// lacksKey reports whether one of the objects in arguments has no key.
func lacksKey(a arguments) bool {
	k, _ := a.(Keyed)
	if l, ok := a.(List); ok {
		for _, x := range l.Items {
			k = append(k, x.Obj)
		}
	}
	return slices.ContainsFunc(k, func(key string) bool { return keyless(objectAt(key)) })
}

// Validate returns an error for an unknown index function.
func (o Opening) Validate() error { return o.Indexers.Validate() }

// Validate returns an error for an unknown index function.
func (x Indexers) Validate() error { return story.OneOf("index function", x, ByNamespace, ByValue) }

// Validate returns an error for an unknown version, and for values that a history cannot hold.
func (c Content) Validate() error {
	if slices.ContainsFunc(c.Values, func(v string) bool { return v == "" || strings.Contains(v, ",") }) {
		return fmt.Errorf("values are %q: a value must not be empty, nor have a comma", c.Values)
	}
	return c.Version.Validate()
}

// Validate returns an error for an unknown version.
func (v Which) Validate() error {
	return story.OneOf("version", []Which{v}, "", older, oldest, unset, same)
}

// Validate returns an error for a bad item, or an unknown version.
func (l List) Validate() error {
	for i, x := range l.Items {
		err := cmp.Or(story.OneOf("verb", []Verb{x.Verb}, "", Add, Update, Delete), x.Content.Validate())
		if x.Obj == "" {
			err = fmt.Errorf("it has no \"obj\"")
		}
		if err != nil {
			return fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	return l.Version.Validate()
}

func (noArgs) says(story.Step) string { return "" }

func (x Indexers) says(story.Step) string { return " by " + strings.Join(x, " and by ") }

func (k Keyed) says(story.Step) string {
	if len(k) == 0 {
		return ""
	}
	return ", and get " + strings.Join(k, ", ") + " in both ways"
}

func (o Opening) says(s story.Step) (text string) {
	if len(o.Indexers) > 0 {
		text = ", with indexes" + o.Indexers.says(s)
	}
	if o.TTL > 0 {
		text += ", with a TTL of " + o.TTL.String()
	}
	return text
}

func (v Which) says(story.Step) string {
	return map[Which]string{same: " with the resourceVersion that was put last", older: " with an older resourceVersion", oldest: " with the oldest resourceVersion", unset: " without a resourceVersion"}[v]
}

func (c Content) says(s story.Step) string {
	if c.Same {
		return " as it was put last"
	}
	text := c.Version.says(s)
	if len(c.Values) > 0 {
		text += " with the values " + strings.Join(c.Values, " and ")
	}
	if c.Body != "" {
		text += fmt.Sprintf(" with the content %q", c.Body)
	}
	if c.Unknown {
		text += ", its final state unknown"
	}
	return text
}

func (l List) says(s story.Step) string {
	var all []string
	for _, x := range l.Items {
		all = append(all, strings.TrimSpace(strings.ToLower(string(x.Verb))+" "+x.Obj+x.Content.says(s)))
	}
	if s.N > 0 {
		all = append(all, fmt.Sprintf("%d more objects", s.N))
	}
	return l.Version.says(s) + ": " + cmp.Or(strings.Join(all, "; "), "nothing")
}

func (q Query) says(story.Step) string {
	text := " the index by " + q.index()
	if q.Value != "" {
		text += fmt.Sprintf(", under %q,", q.Value)
	}
	if len(q.Values) > 0 {
		text += ", with the values " + strings.Join(q.Values, " and ") + ","
	}
	return text
}
