package cases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
)

// A part has no check that would be skipped.
func TestPart(t *testing.T) {
	t.Setenv("LWTEST_FULL", "")
	t.Setenv("LWTEST_SHARE", "")
	check := func(name string, needs, either, unless []harness.Feature) harness.Case {
		return harness.Case{Info: harness.Info{Name: name, Needs: needs, Either: either, Unless: unless}, Has: []harness.Feature{"has"}}
	}
	has, lacks := []harness.Feature{"has"}, []harness.Feature{"lacks"}
	all := []harness.Case{check("a", lacks, nil, nil), check("b", has, has, lacks), check("c", nil, nil, has), check("d", nil, nil, nil), check("e", nil, lacks, nil)}
	names := func(some []harness.Case) (out []string) {
		for _, c := range some {
			out = append(out, c.Name)
		}
		return out
	}
	if !full.Race {
		assert.Equal(t, []string{"b", "d"}, names(cases.Part(t, all, 1, 0)))
	}
	assert.Equal(t, []string{"d"}, names(cases.Part(t, all, 2, 1)))
	assert.Len(t, all, 5)
	if !full.Race {
		t.Setenv("LWTEST_FULL", "1")
		assert.Equal(t, []string{"a", "b", "c", "d", "e"}, names(cases.Part(t, all, 2, 1)))
	}
}
