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
	} {
		assert.Equal(t, want, Suggest(name, all), name)
	}
}
