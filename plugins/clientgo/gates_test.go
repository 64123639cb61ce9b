package clientgo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/plugins/clientgo"
)

func TestGates(t *testing.T) {
	require.Empty(t, clientgo.Gates())
	for _, v := range []string{"AtomicFIFO", "WatchListClient"} {
		t.Setenv("KUBE_FEATURE_"+v, "") // what it was comes back at the end
	}
	defer func() { require.NoError(t, clientgo.SetGates([]string{"AtomicFIFO=true", "WatchListClient=true"})) }()

	require.NoError(t, clientgo.SetGates([]string{"WatchListClient=false", "AtomicFIFO=false"}))
	assert.Equal(t, []string{"AtomicFIFO=false", "WatchListClient=false"}, clientgo.Gates())
	opened, err := clientgo.Targets()[0].Open(t.Context(), "")
	require.NoError(t, err)
	assert.Contains(t, opened.Cases[0].Plugin, "AtomicFIFO=false,WatchListClient=false")
	for _, c := range opened.Cases {
		assert.NotContains(t, c.Has, store.Version, "with that gate off no store tells one")
	}
}

func TestGatesThatCannotBe(t *testing.T) {
	for asked, says := range map[string]string{
		"Atomic=false":           `client-go has no feature gate "Atomic": there are [AtomicFIFO`,
		"":                       `no feature gate ""`,
		"AtomicFIFO":             `is to be "": say AtomicFIFO=true or AtomicFIFO=false`,
		"AtomicFIFO=off":         `is to be "off"`,
		"InOrderInformers=false": "locked",
	} {
		assert.ErrorContains(t, clientgo.SetGates([]string{"WatchListClient=false", asked}), says)
	}
	assert.ErrorContains(t, clientgo.SetGates([]string{"AtomicFIFO=false", "AtomicFIFO=true"}), "twice")
	assert.Empty(t, clientgo.Gates(), "nothing was set")
}
