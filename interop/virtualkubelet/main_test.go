package main

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"testing"
)

// The certificate is one, with its key.
func TestCertify(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "cert"), filepath.Join(t.TempDir(), "key")
	if err := certify(cert, key); err != nil {
		t.Fatal(err)
	}
	if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
		t.Error(err)
	}
}

// Other programs are refused.
func TestVersionOf(t *testing.T) {
	for _, other := range []string{os.Args[0], "/no/such/file"} {
		if v, err := versionOf(other); err == nil {
			t.Errorf("%s is virtual-kubelet %s", other, v)
		}
	}
}
