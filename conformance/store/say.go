package store

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lwtest/lwtest/harness/story"
)

// The functions here say in a sentence what a step does.

func sayOpen(_ story.Step, o Opening) string {
	var with []string
	for _, name := range o.Indexers {
		with = append(with, "an index by "+name)
	}
	if o.TTL > 0 {
		with = append(with, "a TTL of "+o.TTL.String())
	}
	if with == nil {
		return "open the store"
	}
	return "open the store with " + and(with)
}

// and lists names as people read them: "a", "a and b", "a, b and c".
func and(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

func sayChange(v Verb) func(story.Step, Content) string {
	return func(s story.Step, c Content) string {
		text := strings.ToLower(string(v)) + " " + s.Obj + c.says()
		if s.N > 1 {
			text += fmt.Sprintf(", %d times", s.N)
		}
		return by(s, text)
	}
}

// says describes a content behind the name of an object; a comma is part of it.
func (c Content) says() string {
	if c.Same {
		return ", as it was put last"
	}
	text := ""
	if len(c.Values) > 0 {
		text += " with the values " + and(c.Values)
	}
	if c.Body != "" {
		text += fmt.Sprintf(" with the content %q", c.Body)
	}
	text += c.Version.says(", ")
	if c.Unknown {
		text += ", its final state unknown"
	}
	return text
}

// says describes a version; before stands before it.
func (v Which) says(before string) string {
	switch v {
	case same:
		return before + "with the resourceVersion that was put last"
	case older:
		return before + "with an older resourceVersion"
	case unset:
		return before + "without a resourceVersion"
	}
	return ""
}

// by adds who makes a call.
func by(s story.Step, text string) string {
	if s.Actor == "" {
		return text
	}
	return text + ", as " + s.Actor
}

// sayItems lists objects, and how many more there are.
func sayItems(items []Item, n int, verbs bool) string {
	var all []string
	for _, x := range items {
		text := x.Obj + x.Content.says()
		if verbs {
			text = strings.ToLower(string(cmp.Or(x.Verb, Add))) + " " + text
		}
		all = append(all, text)
	}
	if n > 0 {
		all = append(all, fmt.Sprintf("%d more objects", n))
	}
	if all == nil {
		return "nothing"
	}
	return strings.Join(all, "; ")
}

func sayReplace(s story.Step, l List) string {
	return by(s, "replace everything by a list"+l.Version.says(" ")+": "+sayItems(l.Items, s.N, false))
}

func sayApplyAll(s story.Step, c Changes) string {
	return by(s, "make these changes at once: "+sayItems(c.Items, s.N, true))
}

func sayBookmark(s story.Step, m Mark) string { return by(s, "give a bookmark"+m.Version.says(" ")) }

func sayIndex(s story.Step, q Query) string {
	text := fmt.Sprintf("ask the index by %s for what shares a value with %s", q.index(), s.Obj)
	if len(q.Values) > 0 {
		text += " of the values " + and(q.Values)
	}
	return by(s, text)
}

func sayByIndex(s story.Step, q Query) string {
	return by(s, fmt.Sprintf("ask the index by %s for the objects and the keys under %q", q.index(), q.Value))
}

func sayIndexValues(s story.Step, q Query) string {
	return by(s, fmt.Sprintf("ask the index by %s for its values", q.index()))
}

func sayAddIndexers(s story.Step, x Indexers) string {
	return by(s, "add an index by "+and(x.names()))
}

func sayLook(s story.Step, _ noArgs) string {
	if s.Obj != "" {
		return by(s, "read everything, and "+s.Obj+" by its key")
	}
	return by(s, "read everything")
}

func sayPop(text string) func(story.Step, noArgs) string {
	return func(s story.Step, _ noArgs) string {
		if s.N > 1 {
			return by(s, fmt.Sprintf("%s, %d times", text, s.N))
		}
		return by(s, text)
	}
}
