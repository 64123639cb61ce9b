package replay

import (
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// kind is a kind of event as a number: what is asked millions of times is not
// asked of texts.
type kind uint8

const (
	otherKind kind = iota
	kindAdded
	kindModified
	kindDeleted
	kindBookmark
	kindErrored
	kindSettled
	kindEnded
	kindStopped
	kindCreate
	kindUpdate
	kindPatch
	kindDelete
	kindDeleteCollection
	kindGet
	kindList
	kindWatch
)

var kindTexts = [...]string{
	kindAdded: Added, kindModified: Modified, kindDeleted: Deleted, kindBookmark: Bookmark, kindErrored: Errored,
	kindSettled: history.Settled, kindEnded: history.Ended, kindStopped: history.Stopped,
	kindCreate: Create, kindUpdate: Update, kindPatch: Patch, kindDelete: Delete, kindDeleteCollection: DeleteCollection,
	kindGet: Get, kindList: List, kindWatch: Watch,
}

// kindsOf gives the kind of each of a history's.
func kindsOf(h *history.History) []kind {
	out := make([]kind, len(h.Kinds()))
	for i, text := range h.Kinds() {
		out[i] = kind(max(slices.Index(kindTexts[:], text), 0))
	}
	return out
}

// isEvent says whether a notice of this kind tells of an object.
func (k kind) isEvent() bool { return k-kindAdded <= kindDeleted-kindAdded }

// isWrite says whether a call of this kind can change an object.
func (k kind) isWrite() bool { return k-kindCreate <= kindDelete-kindCreate }

// Shown is what a watch brought, in brief; the event with number Num has the rest.
type Shown struct {
	Num     int32
	K, N    int32 // of its object
	Version int32 // index of the version it shows; None where no write explains it, or the key is foreign
	kind    kind
}

// Kind is that of the event; empty if the replay knows nothing of it.
func (s *Shown) Kind() string { return kindTexts[s.kind] }

// IsEvent says whether it is ADDED, MODIFIED or DELETED.
func (s *Shown) IsEvent() bool { return s.kind.isEvent() }

// Deleted says whether it is DELETED.
func (s *Shown) Deleted() bool { return s.kind == kindDeleted }
