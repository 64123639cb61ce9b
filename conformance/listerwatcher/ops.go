package listerwatcher

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Open says which namespace the client is opened for.
type Open struct {
	Namespace string `json:"namespace,omitempty"` // "own", "other" or "all"; empty: own
}

// Validate returns an error for an unknown namespace.
func (o Open) Validate() error {
	if all := []string{"", "own", "other", "all"}; !slices.Contains(all, o.Namespace) {
		return fmt.Errorf("the namespace is %q: say %q, %q or %q", o.Namespace, "own", "other", "all")
	}
	return nil
}

// Options are those of a list or a watch, as metav1.ListOptions has them.
type Options struct {
	ResourceVersion      string                      `json:"resourceVersion,omitempty"` // a number; or the name of a list, "now", "first" (when the client was opened) or "future"
	ResourceVersionMatch metav1.ResourceVersionMatch `json:"resourceVersionMatch,omitempty"`
	LabelSelector        string                      `json:"labelSelector,omitempty"`
	FieldSelector        string                      `json:"fieldSelector,omitempty"`
	Limit                int64                       `json:"limit,omitempty"`
	Continue             string                      `json:"continue,omitempty"` // the name of a list: its continue token is sent
	TimeoutSeconds       *int64                      `json:"timeoutSeconds,omitempty"`
	AllowWatchBookmarks  bool                        `json:"allowWatchBookmarks,omitempty"`
	SendInitialEvents    *bool                       `json:"sendInitialEvents,omitempty"`

	Untagged bool `json:"untagged,omitempty"` // of a list: no selector of its own is added, by which the history knows its requests
	Unread   bool `json:"unread,omitempty"`   // of a watch: nothing is read before the word read
}

// Wait says what a wait waits for.
type Wait struct {
	Type            string `json:"type,omitempty"`            // of the event: ADDED, MODIFIED or DELETED; empty: ADDED
	ResourceVersion string `json:"resourceVersion,omitempty"` // as that of a list; empty: "now"
	LabelSelector   string `json:"labelSelector,omitempty"`
	Unless          string `json:"unless,omitempty"` // an object: the wait ends at once if it exists
	Gone            bool   `json:"gone,omitempty"`   // or if it does not
}

// Validate returns an error for an unknown type.
func (a Wait) Validate() error {
	if all := []string{"", "ADDED", "MODIFIED", "DELETED"}; !slices.Contains(all, a.Type) {
		return fmt.Errorf("the type is %q: say %q, %q or %q", a.Type, "ADDED", "MODIFIED", "DELETED")
	}
	return nil
}

// vocabulary is the words of this kind's stories.
var vocabulary = story.NewVocabulary("listerwatcher", append(rig.Words[*world](),
	story.Word[*world, Open]{Name: "open", Help: "opens the client for the namespace in \"with\". Without this step the first call opens it for its own.",
		Do: (*world).open, Say: func(_ story.Step, o Open) string {
			return "open the client for the namespace: " + cmp.Or(o.Namespace, "own")
		}, Needs: needsOpen},
	story.Plain("open-again", "opens another client for the same namespace, which makes the calls from then on.", "open another client, which makes the calls from now on", (*world).openAgain),
	asking("list", "lists, and waits for the answer, which \"as\" names for later steps. It goes on for n pages, as long as there is a continue token.", "list", Lists, (*world).list),
	asking("watch", "opens the watch \"actor\". It is read from then on, with a pause of \"for\" after each event.", "watch", Watches, (*world).watch),
	word("read", "reads a watch that was opened unread, with a pause of \"for\" after each event.", "read", (*world).read, Watches),
	word("stop", "stops a watch.", "stop", (*world).stop, Watches),
	word("cancel", "ends the context of the last call of an actor: a list, a watch or a wait.", "end the context of", (*world).cancelCall),
	story.Wanting(story.Entry[*world](story.Word[*world, Wait]{Name: "until", Help: "waits for an event of obj, beside what follows.", Do: (*world).until,
		Say: func(s story.Step, a Wait) string { return "wait as " + s.Actor + " for an event of " + s.Obj + said(a) }, Needs: needsUntil}), "actor", "obj"),
	story.Word[*world, rig.None]{Name: "settle", Do: (*world).settle, Say: saySettle,
		Help: "waits until nothing moves. In real time: until the last write has arrived at all watches. With an actor: says that its last call had all the time it needs, whatever still goes wrong."},
	story.Wanting(story.Entry[*world](story.Word[*world, rig.None]{Name: "await", Text: "wait for the end of the last call of {actor}, in real time for {for} at most", Do: (*world).awaitEnd,
		Help: "waits for the end of an actor's last call: in virtual time until nothing moves, and says that it had all the time it needs, whatever still goes wrong; in real time as long as \"for\" says."}), "actor"),
)...).Random(draws(), begins, ends).Cross(cross)

// asking makes a word of a call with options.
func asking(name, help, text string, f harness.Feature, do func(*world, story.Step, Options) error) story.Entry[*world] {
	return story.Wanting(story.Entry[*world](story.Word[*world, Options]{Name: name, Help: help, Do: do,
		Say: func(s story.Step, o Options) string {
			text := text + " as " + s.Actor + said(o) + pausing(s)
			if s.N > 1 {
				text += fmt.Sprintf(", up to %d pages", s.N)
			}
			if s.As != "" {
				text += ", and call it " + s.As
			}
			return text
		},
		Needs: func(_ story.Step, o Options) []harness.Feature {
			if o.FieldSelector != "" {
				return []harness.Feature{f, FieldCalls}
			}
			return []harness.Feature{f}
		}}), "actor")
}

// word makes a word without arguments, about the last call of an actor.
func word(name, help, text string, do func(*world, story.Step) error, needs ...harness.Feature) story.Entry[*world] {
	return story.Wanting(story.Entry[*world](story.Word[*world, rig.None]{Name: name, Help: help,
		Do:    func(w *world, s story.Step, _ rig.None) error { return do(w, s) },
		Say:   func(s story.Step, _ rig.None) string { return text + " " + s.Actor + pausing(s) },
		Needs: func(story.Step, rig.None) []harness.Feature { return needs }}), "actor")
}

func saySettle(s story.Step, _ rig.None) string {
	if s.Actor == "" {
		return "wait until nothing moves"
	}
	return "wait until nothing moves: " + s.Actor + " has had all the time it needs"
}

func pausing(s story.Step) string {
	if s.For == 0 {
		return ""
	}
	return ", with a pause of " + s.For.String() + " after each event"
}

// said lists the arguments that are set, as JSON has them.
func said(args any) string {
	b, err := json.Marshal(args)
	if err != nil || string(b) == "{}" {
		return ""
	}
	return " with " + strings.NewReplacer(`"`, "", ",", ", ", ":", ": ").Replace(string(b[1:len(b)-1]))
}

func needsOpen(_ story.Step, o Open) []harness.Feature {
	if o.Namespace == "all" {
		return []harness.Feature{AllNamespaces}
	}
	return nil
}

func needsUntil(_ story.Step, a Wait) []harness.Feature {
	if a.Unless != "" {
		return []harness.Feature{Waits, Preconditions}
	}
	return []harness.Feature{Waits}
}
