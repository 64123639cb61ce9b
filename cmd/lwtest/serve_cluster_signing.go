package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"time"
)

// signing makes an authority, by which kube-controller-manager signs certificates, and returns its flags. The API server does not trust it.
func (c *cluster) signing() ([]string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "lwtest signing authority"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.AddDate(10, 0, 0), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	cert, err := x509.CreateCertificate(rand.Reader, authority, authority, key.Public(), key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	for name, block := range map[string]*pem.Block{"signing.crt": {Type: "CERTIFICATE", Bytes: cert}, "signing.key": {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(c.file(name), pem.EncodeToMemory(block), 0o600); err != nil {
			return nil, err
		}
	}
	return []string{"--cluster-signing-cert-file=" + c.file("signing.crt"), "--cluster-signing-key-file=" + c.file("signing.key")}, nil
}
