package assets

import (
	"crypto/ecdsa"
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
	key, ok := keys[0].(*ecdsa.PrivateKey)
	if !ok {
		return fmt.Errorf("%s: %s has no private key", signer, file)
	}
	var trusted []*ecdsa.PublicKey
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

func public(key any) *ecdsa.PublicKey {
	if k, ok := key.(*ecdsa.PrivateKey); ok {
		return &k.PublicKey
	}
	return key.(*ecdsa.PublicKey)
}

// readKeys returns the keys of a file in PEM, each an *ecdsa.PrivateKey or *ecdsa.PublicKey. There is at least one.
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
	case "RSA PRIVATE KEY", "RSA PUBLIC KEY":
		err = fmt.Errorf("an RSA key: make an ECDSA key on P-256, only ES256 is supported")
	default:
		return nil, nil // the parameters of a curve, for one
	}
	if err != nil {
		return nil, err
	}
	switch key.(type) {
	case *ecdsa.PrivateKey, *ecdsa.PublicKey:
		return key, nil
	}
	return nil, fmt.Errorf("a %T: make an ECDSA key on P-256, only ES256 is supported", key)
}
