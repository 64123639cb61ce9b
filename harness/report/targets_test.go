package report

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

func TestNames(t *testing.T) {
	const etcd = "etcd=unix%3A%2F%2F%2Ftmp%2Fetcd.sock"
	cases := []struct {
		name           string
		connects, want []string
	}{
		{"without options", []string{"fake", "go:fakeclientset", "fake:mutant/a"}, []string{"fake", "go:fakeclientset", "fake:mutant/a"}},
		{"with options", []string{"kubeconfig:/k?" + etcd + "&resource=leases"}, []string{"kubeconfig:/k"}},
		{"nothing but options", []string{"kind:?keep-cluster=yes", "kubeconfig:?resource=leases"}, []string{"kind", "kubeconfig"}},
		{"what differs", []string{"kubeconfig:/k?" + etcd + "&resource=leases", "kubeconfig:/k?" + etcd + "&resource=events", "kubeconfig:/k?" + etcd, "kubeconfig:/l?resource=events"},
			[]string{"kubeconfig:/k?resource=leases", "kubeconfig:/k?resource=events", "kubeconfig:/k", "kubeconfig:/l"}},
		{"no plain word", []string{"kubeconfig:/k?" + etcd, "kubeconfig:/k?etcd=http%3A%2F%2Fme%3Asecret%40host"}, []string{"kubeconfig:/k", "kubeconfig:/k#2"}},
		{"a number that is taken", []string{"a#2", "a?x=%2F", "a?x=%2F%2F"}, []string{"a#2", "a", "a#3"}},
		{"the name of another's options", []string{"a?x=b", "a?x=c", "a#2"}, []string{"a?x=b", "a?x=c", "a#2"}},
		{"no options", []string{"exec:cmd what?", "exec:cmd what?no", "exec:cmd %?a=%zz"}, []string{"exec:cmd what", "exec:cmd what?no", "exec:cmd %?a=%zz"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			names := Names(c.connects)
			var got []string
			seen := map[string]bool{}
			for _, connect := range c.connects {
				got = append(got, names[connect])
				seen[names[connect]] = true
			}
			assert.Equal(t, c.want, got)
			assert.Len(t, seen, len(c.connects), "each has a name of its own")
		})
	}
}

// Renderers for people show short names. The data keep the connect strings.
func TestShortNamesAreForPeople(t *testing.T) {
	const target = "kubeconfig:/k?etcd=http%3A%2F%2Fme%3Asecret%40host&resource=leases"
	r := &Report{Header: Header{Settings: Settings{Targets: []string{target}}}}
	r.Results = []harness.Result{{Check: "k/a/b", Target: target, Verdict: harness.Inconclusive, Reason: "so"}}
	d := Compare(Side{Name: "old", Report: &Report{}}, Side{Name: "new", Report: r})
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return r.Text(b, TextOptions{Verbose: true, Show: ShowKnown}) },
		"markdown": func(b *bytes.Buffer) error { return r.Markdown(b) },
		"diff":     func(b *bytes.Buffer) error { return d.Text(b, false) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		assert.Contains(t, b.String(), "kubeconfig:/k", name)
		assert.NotContains(t, b.String(), "secret", name)
		assert.NotContains(t, b.String(), "resource=", name)
	}
	var b bytes.Buffer
	require.NoError(t, r.JSON(&b))
	assert.Contains(t, b.String(), "resource=leases")
}
