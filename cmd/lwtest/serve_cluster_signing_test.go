package main

import (
	"crypto/tls"
	"testing"

	"github.com/stretchr/testify/require"
)

// The flags name a certificate of an authority and its key.
func TestSigning(t *testing.T) {
	c := &cluster{dir: t.TempDir()}
	flags, err := c.signing()
	require.NoError(t, err)
	require.Equal(t, []string{"--cluster-signing-cert-file=" + c.file("signing.crt"), "--cluster-signing-key-file=" + c.file("signing.key")}, flags)
	pair, err := tls.LoadX509KeyPair(c.file("signing.crt"), c.file("signing.key"))
	require.NoError(t, err)
	require.True(t, pair.Leaf.IsCA)
}
