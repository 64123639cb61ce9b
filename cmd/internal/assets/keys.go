package assets

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"slices"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
)

// tokens reads the keys of service account tokens. Without --service-account-signing-key-file the fake has its own.
func (p *process) tokens(o *serve.Options) error {
	const signer, checker = "--service-account-signing-key-file", "--service-account-key-file"
	file, issuers := p.last(signer[2:], ""), p.list("service-account-issuer")
	if file == "" {
		return nil
	}
	if len(issuers) != 1 {
		return fmt.Errorf("--service-account-issuer: %q: say one issuer", issuers)
	}
	keys, err := readKeys(signer, file)
	if err != nil {
		return err
	}
	key, ok := keys[0].(crypto.Signer)
	if !ok {
		return fmt.Errorf("%s: %s has no private key", signer, file)
	}
	var trusted []crypto.PublicKey
	for _, file := range p.list(checker[2:]) {
		keys, err := readKeys(checker, file)
		if err != nil {
			return err
		}
		for _, k := range keys {
			trusted = append(trusted, public(k))
		}
	}
	o.Tokens, err = apiserver.NewTokenKeys(issuers[0], key, trusted...)
	return err
}

func public(key any) crypto.PublicKey {
	if k, ok := key.(crypto.Signer); ok {
		return k.Public()
	}
	return key
}

// readKeys returns the keys of a file in PEM, each a private or public key, ECDSA or RSA. There is at least one.
func readKeys(flag, file string) (keys []any, err error) {
	rest, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		key, err := parseKey(block)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", flag, file, err)
		}
		keys = append(keys, key)
	}
	keys = slices.DeleteFunc(keys, func(k any) bool { return k == nil })
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s: %s has no key in PEM", flag, file)
	}
	return keys, nil
}

// parseKey returns the key of a block, or nil if it holds none.
func parseKey(block *pem.Block) (key any, err error) {
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "PUBLIC KEY":
		key, err = x509.ParsePKIXPublicKey(block.Bytes)
	case "CERTIFICATE":
		var c *x509.Certificate
		if c, err = x509.ParseCertificate(block.Bytes); err == nil {
			key = c.PublicKey
		}
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "RSA PUBLIC KEY":
		key, err = x509.ParsePKCS1PublicKey(block.Bytes)
	default:
		return nil, nil // the parameters of a curve, for one
	}
	if err != nil {
		return nil, err
	}
	switch key.(type) {
	case *ecdsa.PrivateKey, *ecdsa.PublicKey, *rsa.PrivateKey, *rsa.PublicKey:
		return key, nil
	}
	return nil, fmt.Errorf("a %T: make an RSA key, or an ECDSA key on P-256: only RS256 and ES256 are supported", key)
}
