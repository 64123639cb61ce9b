package model

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
)

func text(t *testing.T, o Options) string {
	t.Helper()
	h, err := New(o)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, h.Write(&b))
	return b.String()
}

func TestSameSeedSameHistory(t *testing.T) {
	o := Options{Seed: 7, Ops: 200, Writers: 3, Watchers: 4, Listers: 2, Names: 3, Lost: 0.1, Foreign: true}
	once := text(t, o)
	assert.Equal(t, once, text(t, o))
	o.Seed++
	assert.NotEqual(t, once, text(t, o))
}

// TestEverythingHappens: a model that does not do a thing tests nothing of it.
func TestEverythingHappens(t *testing.T) {
	all := text(t, Options{Seed: 1, Ops: 2000, Writers: 4, Watchers: 6, Listers: 3, Names: 3, Lost: 0.1, Foreign: true})
	for _, want := range []string{
		`"kind":"CREATE"`, `"kind":"UPDATE"`, `"kind":"PATCH"`, `"kind":"DELETE"`, `"kind":"GET"`, `"kind":"LIST"`, `"kind":"WATCH"`,
		`"kind":"ADDED"`, `"kind":"MODIFIED"`, `"kind":"DELETED"`, `"kind":"BOOKMARK"`, `"kind":"SETTLED"`, `"kind":"ENDED"`,
		`"reason":"Conflict"`, `"reason":"AlreadyExists"`, `"reason":"NotFound"`, `connection reset`, `dryRun`, `/gen`, `"~/f1"`,
		`initial-events-end`, `"continue"`, `"resourceVersionMatch":"Exact"`, `"sendInitialEvents":false`, `"sendInitialEvents":true`,
	} {
		assert.Contains(t, all, want)
	}
}

// TestKindsHappen: so does what only some kinds of objects do.
func TestKindsHappen(t *testing.T) {
	all := text(t, Options{Seed: 1, Ops: 2000, Writers: 4, Watchers: 6, Listers: 3, Names: 3, Lost: 0.1, Holds: true, Features: []string{Comparable, replay.Grace, replay.CreateOnUpdate}})
	for _, want := range []string{
		` node=n grace=30 deleting"`, ` node=n grace=5 deleting"`, ` node=n deleting"`, ` finalizers=f grace=10 deleting"`,
		`"gracePeriodSeconds":0`, `"gracePeriodSeconds":-1`, `"features":["comparable-rv","grace","create-on-update"]`, `"reason":"Invalid"`,
	} {
		assert.Contains(t, all, want)
	}
	assert.Contains(t, text(t, Options{Seed: 1, Ops: 20, Writers: 1, Watchers: 1, Listers: 1, Names: 1, Features: []string{}}), `"rv":"v`)
	assert.Contains(t, text(t, Options{Seed: 1, Ops: 20, Writers: 1, Names: 1, RealTime: true}), `"time":"real"`)
}
