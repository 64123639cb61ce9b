package fuzz

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// corpus is what steers drawing to what no story has reached: the triples that were reached, and the newest stories that
// reached a new one. Half of the stories are variations of these.
type corpus struct {
	Seen    []string          `json:"seen,omitempty"` // sorted
	Stories []json.RawMessage `json:"stories,omitempty"`
}

// longestVaried is how many events a story has at most that is varied: one that is much longer than others reaches new things,
// but its variations take most of the time.
const longestVaried = 600

// maxCorpus is how many stories a corpus keeps.
const maxCorpus = 64

// add takes what a batch has reached.
func (c *corpus) add(out outcome) {
	for _, t := range out.Triples {
		if i, there := slices.BinarySearch(c.Seen, t); !there {
			c.Seen = slices.Insert(c.Seen, i, t)
		}
	}
	c.Stories = append(c.Stories, out.Fresh...)
	c.Stories = slices.Clone(c.Stories[max(0, len(c.Stories)-maxCorpus):])
}

// readCorpus reads the stories of a directory; it may be missing, and without one the corpus is empty.
func readCorpus(dir string) (c corpus, err error) {
	if dir == "" {
		return c, nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	slices.SortStableFunc(files, func(a, b string) int { return modified(a).Compare(modified(b)) })
	for _, file := range files[max(0, len(files)-maxCorpus):] {
		b, e := os.ReadFile(file)
		if e == nil && !json.Valid(b) {
			e = fmt.Errorf("%s, a story of the corpus, is no JSON: delete it", file)
		}
		err = errors.Join(err, e)
		c.Stories = append(c.Stories, b)
	}
	b, e := os.ReadFile(filepath.Join(dir, seenFile))
	if e == nil {
		c.Seen = strings.Split(strings.TrimSpace(string(b)), "\n")
		slices.Sort(c.Seen)
	}
	return c, err
}

// seenFile has what the stories of a corpus have reached, a triple in each line, so that the next run adds only what is new.
const seenFile = "reached.txt"

// modified returns when a file was changed last; the zero time if nobody knows.
func modified(file string) (t time.Time) {
	if info, err := os.Stat(file); err == nil {
		t = info.ModTime()
	}
	return t
}

// write writes the stories to a directory, each under a name that its content makes.
func (c corpus) write(dir string) error {
	if dir == "" {
		return nil
	}
	err := os.MkdirAll(dir, 0o777)
	for _, b := range c.Stories {
		h := fnv.New64a()
		h.Write(b) // its error is always nil
		file := filepath.Join(dir, fmt.Sprintf("%016x.json", h.Sum64()))
		if _, e := os.Stat(file); e != nil {
			err = errors.Join(err, write(file, b))
		}
	}
	return errors.Join(err, write(filepath.Join(dir, seenFile), []byte(strings.Join(c.Seen, "\n")+"\n"))) // last: what it names is there
}

// guide draws the stories of a batch.
type guide struct {
	language harness.Language
	seen     map[string]bool
	stories  []harness.Script
	fresh    []json.RawMessage // stories of this batch that reached something new
	reached  []string          // what they reached

	covered *Pairs                   // by all stories so far; nil: the stories must not depend on what came before them
	rows    int                      // how many stories a covering set has
	row     func(int) harness.Script // makes one of them
}

// cross lets a part of the stories be ones of a covering set, of a target with these features. covered may be nil.
func (g *guide) cross(has []harness.Feature, seed int64, covered *Pairs) {
	g.covered = covered
	g.rows, g.row = g.language.Crossed(has, 2, seed)
}

// tried is how many stories of a covering set are looked at for one with a pair that no story has reached.
const tried = 20

// crossed returns a story of the covering set as the nth of a seed: one with a pair that no story has reached, if one is found soon. What
// other stories have reached depends on the size of batches, which depends on time.
func (g *guide) crossed(c harness.Choices, n int) (s harness.Script) {
	if g.covered == nil {
		return g.row(n % g.rows)
	}
	for from, i := c.IntN(g.rows), 0; i < min(tried, g.rows); i++ {
		if s = g.row((from + i) % g.rows); g.covered.lacks(s) {
			return s
		}
	}
	return s
}

func newGuide(l harness.Language, c corpus) *guide {
	g := &guide{language: l, seen: map[string]bool{}}
	for _, t := range c.Seen {
		g.seen[t] = true
	}
	for _, b := range c.Stories {
		if s, err := l.Parse(b); err == nil { // else it is for another kind, or has a word that is gone
			g.stories = append(g.stories, s)
		}
	}
	return g
}

// draw makes the nth story of a seed.
func (g *guide) draw(seed int64, n, steps int) harness.Script {
	c := rand.New(rand.NewPCG(uint64(seed), uint64(n)))
	if g.rows > 0 && story.Chance(c, 4) {
		return g.crossed(c, n)
	}
	if len(g.stories) == 0 || story.Chance(c, 2) {
		return g.language.Draw(c, steps)
	}
	return g.language.Vary(c, story.Pick(c, g.stories...), story.Pick(c, g.stories...))
}

// learn keeps a story that reached something new.
func (g *guide) learn(s harness.Script, h *history.History) {
	before := len(g.reached)
	for t := range triples(s, h) {
		if !g.seen[t] {
			g.seen[t] = true
			g.reached = append(g.reached, t)
		}
	}
	if len(g.reached) == before || len(h.Events) > longestVaried {
		return
	}
	slices.Sort(g.reached[before:])
	if b, err := s.JSON(); err == nil { // the tests of a vocabulary show that it is nil
		g.fresh = append(g.fresh, b)
		g.stories = append(g.stories, s)
		g.stories = g.stories[max(0, len(g.stories)-maxCorpus):]
	}
}

// triples returns what a history reached: for each event the state of its actor, which is the event before, the class of
// the event, and the word of the last step that was no waiting: mostly a fault, or a write.
func triples(s harness.Script, h *history.History) map[string]bool {
	words, out, states := s.Words(), map[string]bool{}, map[string]string{}
	step, word := 0, ""
	for i := range h.Events {
		e := &h.Events[i]
		for ; step < len(h.Steps) && int(h.Steps[step].After) <= i; step++ {
			if n := int(h.Steps[step].Num); h.Steps[step].Skipped == "" && h.Steps[step].Text != "" && n <= len(words) {
				word = words[n-1]
			}
		}
		class := classOf(e)
		out[states[e.Actor]+" > "+class+" > "+word] = true
		states[e.Actor] = class
	}
	return out
}

// classOf tells events apart: by who saw it, without its number, by kind and phase, and by what it failed with.
func classOf(e *history.Event) string {
	class := strings.TrimRight(e.Actor, "0123456789") + " " + e.Kind
	if e.Phase == history.Call {
		class += " call"
	}
	if err := e.Err(); err != nil {
		class += fmt.Sprint(" ", err.Code, err.Reason)
	}
	return class
}
