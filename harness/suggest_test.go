package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSuggest(t *testing.T) {
	all := []string{"fake", "go:client-go/typed", "go:client-go/typed-protobuf", "watchcache/list/empty-version", "parallel"}
	for name, want := range map[string]string{
		"fak":                           " (did you mean fake?)",
		"paralel":                       " (did you mean parallel?)",
		"typd":                          " (did you mean go:client-go/typed?)",
		"typed":                         " (did you mean go:client-go/typed?)",
		"watchcache/list/empty_version": " (did you mean watchcache/list/empty-version?)",
		"list/empty-versoin":            " (did you mean watchcache/list/empty-version?)",
		"nonsense":                      "",
		"":                              "",
		"fake":                          "",
	} {
		assert.Equal(t, want, Suggest(name, all), name)
	}
}

func TestSuggestAddress(t *testing.T) {
	all := []string{"informer/sync/flag", "informer/sync/flag/late", "informer/pages/flag", "watchcache/list/empty-version"}
	for glob, want := range map[string]string{
		"infomer":              " (did you mean informer?)",
		"informr":              " (did you mean informer?)",
		"informer/synch":       " (did you mean informer/sync?)",
		"informer/sink/*":      " (did you mean informer/sync?)",
		"synk/*":               " (did you mean informer/sync?)",
		"informer/sync/flga/*": " (did you mean informer/sync/flag?)",
		"informer/sync/flog":   " (did you mean informer/sync/flag?)",
		"*/empty-*":            " (there is watchcache/list/empty-version)",
		"informer/nonsense":    " (did you mean informer?)",
		"nonsense":             "",
	} {
		assert.Equal(t, want, SuggestAddress(glob, all), glob)
	}
}
