package history

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Set is an immutable set of text pairs: labels or fields. An Interner returns the same pointer with the same ID for
// equal sets, so a rule may cache results about sets in a slice.
type Set struct {
	ID int32 // from 0 without gaps within its history
	m  map[string]string
}

// Get returns the value of k, or "" if it is absent. s may be nil.
func (s *Set) Get(k string) string {
	if s == nil {
		return ""
	}
	return s.m[k]
}

// Map returns the content, which the caller must not change. It is nil for a nil Set.
func (s *Set) Map() map[string]string {
	if s == nil {
		return nil
	}
	return s.m
}

// String returns the pairs in order of their keys.
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

// Interner makes Sets. The zero value is ready to use. Its methods may be called concurrently.
type Interner struct {
	mu  sync.Mutex
	all map[string]*Set
}

// Set returns the one Set with a copy of this content, or nil if m is empty.
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

// internKey returns a text that is different for different maps, even if they hold separators.
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
