package rest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Pair is a certificate of a server with its key, and the authority that vouches for it, each in PEM.
type Pair struct{ Authority, Certificate, Key []byte }

// NewPair makes an authority, and a certificate by it for localhost, the loopback addresses and more hosts (names or addresses).
// Both are good at any time, virtual too.
func NewPair(hosts ...string) (Pair, error) {
	own := &x509.Certificate{
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			own.IPAddresses = append(own.IPAddresses, ip)
		} else if h != "" {
			own.DNSNames = append(own.DNSNames, h)
		}
	}
	return newPair(own, "lwtest fake API server")
}

// newPair makes an authority and completes a certificate by it, for that name.
func newPair(own *x509.Certificate, name string) (Pair, error) {
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "lwtest fake authority"},
		NotBefore: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	own.SerialNumber, own.Subject, own.KeyUsage = big.NewInt(2), pkix.Name{CommonName: name}, x509.KeyUsageDigitalSignature
	own.NotBefore, own.NotAfter = authority.NotBefore, authority.NotAfter
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("no key for an authority: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("no key for a certificate: %w", err)
	}
	root, err := x509.CreateCertificate(rand.Reader, authority, authority, signer.Public(), signer)
	if err != nil {
		return Pair{}, fmt.Errorf("no authority: %w", err)
	}
	leaf, err := x509.CreateCertificate(rand.Reader, own, authority, key.Public(), signer)
	if err != nil {
		return Pair{}, fmt.Errorf("no certificate: %w", err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("no key in PEM: %w", err)
	}
	text := func(kind string, b []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}) }
	return Pair{text("CERTIFICATE", root), text("CERTIFICATE", leaf), text("PRIVATE KEY", secret)}, nil
}
