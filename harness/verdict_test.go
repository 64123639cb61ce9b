package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		of   []Verdict
		want Verdict
	}{
		{nil, Inconclusive},
		{[]Verdict{Pass}, Pass},
		{[]Verdict{Skip}, Skip},
		{[]Verdict{Pass, Skip}, Skip},
		{[]Verdict{Skip, Inconclusive, Pass}, Inconclusive},
		{[]Verdict{Inconclusive, Fail, Skip}, Fail},
		{[]Verdict{Fail, Fail}, Fail},
	} {
		assert.Equal(t, c.want, Worst(c.of...), "%v", c.of)
	}
}

func TestAdjust(t *testing.T) {
	table := []FeatureInfo{{"wings", ""}, {"wheels", ""}}
	has := []Feature{"wings", VirtualTime}
	for _, c := range []struct {
		changes []string
		want    []Feature
		err     string
	}{
		{nil, []Feature{"wings", VirtualTime}, ""},
		{[]string{"wheels"}, []Feature{"wings", VirtualTime, "wheels"}, ""},
		{[]string{"wings"}, []Feature{VirtualTime, "wings"}, ""},
		{[]string{"-wings"}, []Feature{VirtualTime}, ""},
		{[]string{"-wheels"}, []Feature{"wings", VirtualTime}, ""},
		{[]string{"-virtual-time", "wheels", "-wheels"}, []Feature{"wings"}, ""},
		{[]string{"wheels", "tail"}, nil, `unknown feature "tail": there are virtual-time, wheels, wings`},
		{[]string{"-tail"}, nil, `unknown feature "tail"`},
		{[]string{"--wings"}, nil, `unknown feature "-wings"`},
		{[]string{""}, nil, `unknown feature "": there`},
		{[]string{"wing"}, nil, `unknown feature "wing" (did you mean wings?): there are virtual-time, wheels, wings`},
		{[]string{"Wheals"}, nil, `unknown feature "Wheals" (did you mean wheels?)`},
		{[]string{"virtual_time"}, nil, `(did you mean virtual-time?)`},
		{[]string{"w"}, nil, `unknown feature "w": there`},
	} {
		got, err := Adjust(has, c.changes, table)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err)
			continue
		}
		assert.NoError(t, err)
		assert.Equal(t, c.want, got, "%q", c.changes)
		assert.Equal(t, []Feature{"wings", VirtualTime}, has, "the argument is left alone")
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		glob, address string
		want          bool
	}{
		{"toy/a/b", "toy/a/b", true},
		{"toy/a", "toy/a/b", true},
		{"toy", "toy/a/b", true},
		{"toy/a/b/c", "toy/a/b", false},
		{"toy/*", "toy/a/b", true},
		{"toy/*/b", "toy/a/b", true},
		{"toy/*/c", "toy/a/b", false},
		{"*", "toy/a/b", true},
		{"*/a", "toy/a/b", true},
		{"*/b", "toy/a/b", false},
		{"t?y/[ab]", "toy/a/b", true},
		{"to", "toy/a", false},
		{"to*", "toy/a", true},
		{"", "toy", true},
		{"[", "toy", false},
		{"toy/", "toy/a", false},
		{"*", "", true},
	} {
		assert.Equal(t, c.want, Match(c.glob, c.address), "%q on %q", c.glob, c.address)
	}
}
