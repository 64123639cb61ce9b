package apiserver

import "context"

// Notes are what the answer to a write says beside its object.
type Notes struct {
	Created  bool     // by an Update of what was not there
	Warnings []string // of fields that a Patch names and that do not exist, or twice; of a Delete that orphans
}

type notesKey struct{}

// WithNotes is a context with which a write fills notes, which must be read only when it has returned.
// They are HTTP's: another code, and headers.
func WithNotes(ctx context.Context, notes *Notes) context.Context {
	return context.WithValue(ctx, notesKey{}, notes)
}

// notesOf are those to be filled; nobody reads them where nobody asked.
func notesOf(ctx context.Context) *Notes {
	if notes, ok := ctx.Value(notesKey{}).(*Notes); ok {
		return notes
	}
	return &Notes{}
}
