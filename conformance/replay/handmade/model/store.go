package model

import (
	"fmt"
	"sort"

	"github.com/lwtest/lwtest/harness/history"
)

// object is one state of an object. Objects are never changed.
type object struct {
	ref  history.Ref
	ns   string
	name string
	app  string // value of the label
	on   bool   // value of the field status.phase
}

// change is one entry of the log.
type change struct {
	rev int
	was *object // nil: it did not exist
	now *object // nil: a deletion
}

func (c *change) key() string {
	if c.now != nil {
		return c.now.ref.Key
	}
	return c.was.ref.Key
}

// store is the reference: a map, a counter and a log.
type store struct {
	rev    int
	log    []change
	live   map[string]*object
	prefix string   // of resourceVersions: makes them long
	rvs    []string // by rev
	quiet  bool     // objects carry no resourceVersion and no uid
	noUID  bool
	// graceful: a deletion is two steps; see grace.go.
	graceful bool
	opaque   bool // resourceVersions are in no order
	uids     int
}

func (s *store) rv(rev int) string {
	for len(s.rvs) <= rev {
		if s.opaque {
			s.rvs = append(s.rvs, opaque(len(s.rvs)))
			continue
		}
		if s.prefix != "" {
			s.rvs = append(s.rvs, fmt.Sprintf("%s%09d", s.prefix, len(s.rvs)))
			continue
		}
		s.rvs = append(s.rvs, fmt.Sprint(len(s.rvs)))
	}
	return s.rvs[rev]
}

// opaque is the resourceVersion of a revision where only equal ones tell anything: each is another, numbers
// and texts take turns.
func opaque(rev int) string {
	return []string{"", "v"}[rev%2] + fmt.Sprint(uint32(rev+1)*2654435761)
}

// put stores an object at a new revision and gives it as stored.
func (s *store) put(o object) *object {
	s.rev++
	was := s.live[o.ref.Key]
	o.ref.RV, o.ref.UID = "", ""
	if !s.quiet {
		o.ref.RV = s.rv(s.rev)
		if was != nil {
			o.ref.UID = was.ref.UID
		} else if !s.noUID {
			s.uids++
			o.ref.UID = fmt.Sprint("uid-", s.uids)
		}
	}
	s.live[o.ref.Key] = &o
	s.log = append(s.log, change{s.rev, was, &o})
	return &o
}

// remove deletes at the current revision: the caller has advanced it.
func (s *store) remove(key string) {
	s.log = append(s.log, change{s.rev, s.live[key], nil})
	delete(s.live, key)
}

// foreign lets somebody else's change pass.
func (s *store) foreign(key string) {
	s.put(object{ref: history.Ref{Key: key}, ns: "~", name: key})
}

// at is the state at a revision, in order of keys.
func (s *store) at(rev int) []*object {
	state := s.live
	if rev < s.rev {
		state = map[string]*object{}
		for i := range s.log {
			c := &s.log[i]
			if c.rev > rev {
				break
			}
			if c.now == nil {
				delete(state, c.key())
			} else {
				state[c.key()] = c.now
			}
		}
	}
	out := make([]*object, 0, len(state))
	for _, o := range state {
		out = append(out, o)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ref.Key < out[j].ref.Key })
	return out
}

// after is the place in the log of the first change after a revision.
func (s *store) after(rev int) int {
	return sort.Search(len(s.log), func(i int) bool { return s.log[i].rev > rev })
}
