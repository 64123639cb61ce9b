package history

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Set is an immutable set of text pairs: labels, or fields. Equal sets of one
// Interner are one pointer with one ID, so a rule may remember what it found
// out about a set in a slice.
type Set struct {
	ID int32 // dense within its history, from 0
	m  map[string]string
}

// Get is the value of k, empty when it is absent. It may be called on nil.
func (s *Set) Get(k string) string {
	if s == nil {
		return ""
	}
	return s.m[k]
}

// Map is the content, not to be changed; nil on a nil Set.
func (s *Set) Map() map[string]string {
	if s == nil {
		return nil
	}
	return s.m
}

// String is the pairs in order of their keys.
func (s *Set) String() string { return canonical(s.Map()) }

func canonical(m map[string]string) string {
	var b strings.Builder
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(k)
		b.WriteByte('=')
		b.WriteString(m[k])
	}
	return b.String()
}

// Interner makes Sets; the zero value is ready. It is safe for concurrent use.
type Interner struct {
	mu  sync.Mutex
	all map[string]*Set
}

// Set gives the one Set with this content; nil for an empty one. It keeps a copy.
func (in *Interner) Set(m map[string]string) *Set {
	if len(m) == 0 {
		return nil
	}
	key := internKey(m)
	in.mu.Lock()
	defer in.mu.Unlock()
	if s, ok := in.all[key]; ok {
		return s
	}
	if in.all == nil {
		in.all = map[string]*Set{}
	}
	s := &Set{ID: int32(len(in.all)), m: maps.Clone(m)}
	in.all[key] = s
	return s
}

// internKey cannot be forged by keys or values that hold separators.
func internKey(m map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(m)) {
		for _, s := range [...]string{k, m[k]} {
			b.WriteString(strconv.Itoa(len(s)))
			b.WriteByte(':')
			b.WriteString(s)
		}
	}
	return b.String()
}
