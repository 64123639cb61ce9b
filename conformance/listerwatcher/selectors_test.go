package listerwatcher

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Selectors are compared by what they mean.
func TestMeantLabels(t *testing.T) {
	for _, same := range [][]string{
		{"app=one", "app==one", "app in (one)", " app = one ", "app=one,app=one"},
		{"app!=one", "app notin (one)"},
		{"app in (one,two),x!=3", "x notin (3),app in (two, one)"},
		{"app", "app,app"},
		{""},
		{"app=one,app!=one"},
		{"app=two"},
		{"!app"},
		{"app in (one,two"},
	} {
		for _, s := range same {
			assert.Equal(t, meantLabels(same[0]), meantLabels(s))
		}
		for _, other := range []string{"app=three", "app notin (one,two)", "app in (one,two)", "x!=3"} {
			assert.NotEqual(t, meantLabels(other), meantLabels(same[0]))
		}
	}
}

func TestMeantFields(t *testing.T) {
	assert.Equal(t, meantFields("metadata.name=a,x!=b"), meantFields("x!=b,metadata.name==a"))
	for _, other := range []string{"", "metadata.name!=a", "metadata.name=b", "metadata.name=a,x=b", "no selector"} {
		assert.NotEqual(t, meantFields("metadata.name=a"), meantFields(other))
	}
}

func TestTagOf(t *testing.T) {
	for _, s := range []string{"lwtest-call!=3", "app in (one,two),lwtest-call!=3", "lwtest-call notin (3), app=one"} {
		assert.Equal(t, tagOf("lwtest-call!=3"), tagOf(s), s)
		assert.NotEqual(t, tagOf("lwtest-call!=4"), tagOf(s), s)
	}
	for _, s := range []string{"", "app=one", "lwtest-call=3", "lwtest-calls!=3", "lwtest-call!=3,("} {
		assert.Empty(t, tagOf(s), s)
	}
}
