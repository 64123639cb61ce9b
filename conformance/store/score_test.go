package store

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A class of call is counted where it was met, and not where one axis is another's.
func TestScore(t *testing.T) {
	for _, c := range []struct{ name, history, class string }{
		{"a list that lacks nothing", "has map\nADD a/x@1 => ok\nREPLACE @5 a/x@2 => ok", "REPLACE items=some lacks=none key=some beside=false outcome=ok"},
		{"a list that lacks what is there", "has map\nADD a/x@1 => ok\nREPLACE @5 a/y@2 => ok", "REPLACE items=some lacks=present key=some beside=false outcome=ok"},
		{"a list that lacks what has gone", "has map\nADD a/x@1 => ok\nDELETE a/x@1 => ok\nREPLACE @5 a/y@2 => ok", "REPLACE items=some lacks=none key=some beside=false outcome=ok"},
		{"an empty list", "has map\nADD a/x@1 => ok\nREPLACE @5 => ok", "REPLACE items=none lacks=present key=some beside=false outcome=ok"},
		{"a key twice", "has map\nREPLACE @5 a/x@1 a/x@2 => ok", "REPLACE items=twice lacks=none key=some beside=false outcome=ok"},
		{"no key", "has map\nREPLACE @5 a/x@1 a/no-key => KeyError", "REPLACE items=some lacks=none key=none beside=false outcome=KeyError"},
		{"a list that lacks what is known", "has queue delta\nADD a/x@1 => ok\nPOP => Added=a/x@1\nREPLACE @5 a/y@2 => ok", "REPLACE items=some lacks=known key=some beside=false outcome=ok"},
		{"a list that lacks what is queued, and what is known", "has queue delta\nADD a/z@1 => ok\nPOP => Added=a/z@1\nADD a/x@1 => ok\nREPLACE @5 a/y@2 => ok",
			"REPLACE items=some lacks=queued key=some beside=false outcome=ok"},
		{"a list that lacks what is known, and gives what is queued", "has queue delta\nADD a/z@1 => ok\nPOP => Added=a/z@1\nADD a/x@1 => ok\nREPLACE @5 a/x@2 => ok",
			"REPLACE items=some lacks=known key=some beside=false outcome=ok"},
		{"old", "has map expiring\nOPEN ttl=2s => ok\nADD a/x@1 => ok\n... 3s\nGET a/x => nothing", "GET key=present age=old beside=false outcome=nothing"},
		{"young", "has map expiring\nOPEN ttl=2s => ok\nADD a/x@1 => ok\n... 1s\nGET a/x => a/x@1", "GET key=present age=young beside=false outcome=object"},
		{"of exactly the TTL", "has map expiring\nOPEN ttl=2s => ok\nADD a/x@1 => ok\n... 2s\nGET a/x => a/x@1", "GET key=present age=young beside=false outcome=object"},
		{"without a TTL nothing is old", "has map\nADD a/x@1 => ok\n... 3s\nGET a/x => a/x@1", "GET key=present age=young beside=false outcome=object"},
		{"what is not there is not old", "has map expiring\nOPEN ttl=2s => ok\n... 3s\nGET a/x => nothing", "GET key=absent age=young beside=false outcome=nothing"},
		{"a list of what may be old", "has map expiring\nOPEN ttl=2s => ok\nLIST => nothing", "LIST age=old beside=false outcome=nothing"},
		{"a list where nothing grows old", "has map\nLIST => nothing", "LIST beside=false outcome=nothing"},
		{"keys have no age", "has map expiring\nOPEN ttl=2s => ok\nLIST-KEYS => nothing", "LIST-KEYS beside=false outcome=nothing"},
	} {
		got := score(historyOf(t, c.history))
		assert.Equal(t, 1, got[c.class], "%s: %s", c.name, c.class)
	}
}
