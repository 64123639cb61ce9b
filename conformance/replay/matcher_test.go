package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
)

var aspects = []string{replay.ByNamespace, replay.ByName, replay.ByLabel, replay.ByField}

func TestScope(t *testing.T) {
	for _, c := range []struct {
		ns, labels, fields string
		restricted         []string
		name               string
	}{
		{"", "", "", nil, ""},
		{"a", "", "", []string{replay.ByNamespace}, ""},
		{"", "app=one", "", []string{replay.ByLabel}, ""},
		{"", "", "metadata.name=x", []string{replay.ByName}, "x"},
		{"", "", "metadata.name!=x", []string{replay.ByField}, ""},
		{"a", "app", "metadata.name=x,status.phase=on", aspects, "x"},
	} {
		s, err := replay.ParseScope(replay.Args{Namespace: c.ns, Options: metav1.ListOptions{LabelSelector: c.labels, FieldSelector: c.fields}})
		require.NoError(t, err)
		var got []string
		for _, a := range aspects {
			if s.Restricted(a) {
				got = append(got, a)
			}
		}
		assert.Equal(t, c.restricted, got, s.String())
		assert.Equal(t, c.name, s.Name)
		assert.False(t, s.Restricted("anything else"))
	}
	_, err := replay.ParseScope(replay.Args{Options: metav1.ListOptions{LabelSelector: "a in"}})
	assert.ErrorContains(t, err, "label selector")
	_, err = replay.ParseScope(replay.Args{Options: metav1.ListOptions{FieldSelector: "a"}})
	assert.ErrorContains(t, err, "field selector")
}

func TestArgs(t *testing.T) {
	yes := true
	a := replay.Args{Namespace: "a", Name: "x", Options: metav1.ListOptions{ResourceVersion: "5", Limit: 2, SendInitialEvents: &yes}}
	h := handmade.History(t, "w1 -> WATCH ns=a rv=5 limit=2 initial=true")
	b, err := replay.ParseArgs(h.Event(1).X.Args)
	require.NoError(t, err)
	b.Name = "x"
	assert.Equal(t, a, b)
	_, err = replay.ParseArgs([]byte("{"))
	assert.Error(t, err)
	_, err = replay.ParseArgs([]byte(`{"limit":"x"}`))
	assert.Error(t, err)
}

// TestMatcher puts each object to each scope, as a whole and aspect by aspect.
func TestMatcher(t *testing.T) {
	h := handmade.History(t, `
		w1 -> WATCH
		w1 <- ADDED a/x @2 app=one .status.phase=on
		w1 <- ADDED a/xy @3 app=two
		w1 <- ADDED ab/x @4 app=one .status.phase=off
		w1 <- ADDED x @5`)
	for _, c := range []struct {
		ns, labels, fields string
		want               string // of the four objects: 1 inside, else the aspects that keep it out: s(pace) n(ame) l(abel) f(ield)
	}{
		{"", "", "", "1 1 1 1"},
		{"a", "", "", "1 1 s s"},
		{"ab", "", "", "s s 1 s"},
		{"", "app=one", "", "1 l 1 l"},
		{"", "app!=one", "", "l 1 l 1"},
		{"", "app notin (one),!app", "", "l l l 1"},
		{"", "", "metadata.name=x", "1 nf 1 1"},
		{"", "", "metadata.name!=x", "f 1 f f"},
		{"", "", "metadata.namespace=a", "1 1 f f"},
		{"", "", "status.phase=on", "1 f f f"},
		{"", "", "status.phase!=on", "f 1 1 1"},
		{"", "", "status.phase!=on,metadata.name=x", "f nf 1 1"},
		{"a", "app=one", "metadata.name=x", "1 nlf s sl"},
	} {
		s, err := replay.ParseScope(replay.Args{Namespace: c.ns, Options: metav1.ListOptions{LabelSelector: c.labels, FieldSelector: c.fields}})
		require.NoError(t, err)
		m := replay.NewMatcher(h, s)
		for range 2 { // the second time it remembers
			got := ""
			for n := int32(2); n <= 5; n++ {
				o := &h.Event(n).Obj
				out := ""
				for i, a := range aspects {
					if !m.MatchesAspect(a, o) {
						out += string("snlf"[i])
					}
				}
				assert.Equal(t, out == "", m.Matches(o), "%s and %s", s, o.Key)
				if out == "" {
					out = "1"
				}
				got += " " + out
			}
			assert.Equal(t, " "+c.want, got, s.String())
		}
	}
}

func TestOutsideBut(t *testing.T) {
	r := of(t, `
		c1 -> CREATE a/x v=1 app=one
		c1 <- @2
		c1 -> CREATE a/xy v=2 app=one
		c1 <- @3
		c1 -> CREATE a/x v=3 app=two
		c1 <- @4
		c1 -> CREATE ab/xy v=4 app=one
		c1 <- @5`)
	s, err := replay.ParseScope(replay.Args{Namespace: "a", Options: metav1.ListOptions{LabelSelector: "app=one", FieldSelector: "metadata.name=x"}})
	require.NoError(t, err)
	m := replay.NewMatcher(r.H, s)
	for i, want := range []string{"", replay.ByName, replay.ByLabel, ""} {
		for _, a := range aspects {
			assert.Equal(t, a == want, m.OutsideBut(a, &r.Versions[i]), "version %d, but for %s", i, a)
		}
	}
}
