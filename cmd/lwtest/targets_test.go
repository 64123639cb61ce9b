package main

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/plugins/targets"
)

func TestFind(t *testing.T) {
	a := toyApp()
	for connect, want := range map[string][2]string{
		"fake":                       {"fake", ""},
		"fake:mutant/lost-deleted":   {"fake", "mutant/lost-deleted"},
		"go:fakeclientset":           {"go:fakeclientset", ""},
		"kubeconfig":                 {"kubeconfig", ""},
		"kubeconfig:/a:b?resource=x": {"kubeconfig", "/a:b?resource=x"},
		"hostile-toy:spin":           {"hostile-toy", "spin"},
	} {
		s, arg, err := a.targets.Find(connect)
		require.NoError(t, err, connect)
		assert.Equal(t, want, [2]string{s.Name, arg})
	}
	for _, connect := range []string{"", "fakes", "go", "go:other", "hostile", "good:"} {
		_, _, err := a.targets.Find(connect)
		assert.Error(t, err, "%q", connect)
	}
}

// Options of a cluster are part of its connect string, so that a report says what was tested.
func TestConnects(t *testing.T) {
	a := toyApp()
	o := url.Values{"resource": {"leases"}, "context": {"a b"}}
	got, err := a.targets.Connects([]string{"kubeconfig:/k", "good", "kubeconfig", "kubeconfig:/k?x=y"}, "", o)
	require.NoError(t, err)
	assert.Equal(t, []string{"kubeconfig:/k?context=a+b&resource=leases", "good", "kubeconfig:?context=a+b&resource=leases", "kubeconfig:/k?x=y&context=a+b&resource=leases"}, got)
	_, arg, err := a.targets.Find(got[0])
	require.NoError(t, err)
	path, options, err := targets.Split(arg)
	require.NoError(t, err)
	assert.Equal(t, "/k", path)
	assert.Equal(t, o, options)

	got, err = a.targets.Connects(nil, "", nil)
	require.NoError(t, err)
	assert.Equal(t, a.targets.Default, got)
	_, err = a.targets.Connects([]string{"good"}, "", o)
	assert.ErrorContains(t, err, "only for a cluster")
}
