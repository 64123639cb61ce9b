package informers_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/fake"
)

// unknown are failures that client-go does not have, next to some that it has.
var unknown = []struct{ rule, got string }{
	{"resume/pace", "10 watches with no pause between"}, // refused ones, say, each after a millisecond
	{"resume/pace", "10 lists with no pause between"},
	{"resume/pace", "10 requests with no pause between"},
	{"resume/pace", "40 pauses of 1ms to 1ms"},
	{"resume/retry-after", "WATCH 1ms after a watch: 429"},
	{"resume/retry-after", "WATCH 799ms after a watch: ERROR 503"},
	{"resume/retry-after", "LIST 0s after a list: 429"},
	{"resume/retry-after", "LIST 0s after a page: 503"},
	{"resume/retry-after", "LIST 0s after a watch: 504"},
	{"resume/retry-after", "WATCH 0s after a streaming list: 429"},
}

// What is known of a way covers that, and nothing that is only like it.
func TestKnownIsNarrow(t *testing.T) {
	for _, name := range informers.Names() {
		target, err := informers.Target(name, fake.Server, fake.ServerFeatures...)
		require.NoError(t, err)
		for _, line := range target.Known {
			for _, u := range unknown {
				if harness.Match(line.Rule, u.rule) {
					assert.NotRegexp(t, regexp.MustCompile(line.Got), u.got, "%s: %s", name, line.Where())
				}
			}
		}
	}
}
