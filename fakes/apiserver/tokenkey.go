package apiserver

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
)

// TokenKeys sign and check the tokens of service accounts (RFC 7519, ES256 or RS256). They may be used concurrently.
type TokenKeys struct {
	issuer  string
	key     crypto.Signer
	trusted []crypto.PublicKey
}

// NewTokenKeys returns keys for the tokens of an issuer. key signs, and tokens that trusted keys have signed are good too. Each key is an
// ECDSA key on the curve P-256, or an RSA key.
func NewTokenKeys(issuer string, key crypto.Signer, trusted ...crypto.PublicKey) (*TokenKeys, error) {
	if len(trusted) == 0 {
		trusted = []crypto.PublicKey{key.Public()}
	}
	for _, k := range slices.Concat([]crypto.PublicKey{key.Public()}, trusted) {
		switch k := k.(type) {
		case *rsa.PublicKey:
		case *ecdsa.PublicKey:
			if k.Curve != elliptic.P256() {
				return nil, errors.New("a key of service account tokens is not on the curve P-256: only ES256 and RS256 are supported")
			}
		default:
			return nil, fmt.Errorf("a key of service account tokens is a %T: only ES256 and RS256 are supported", k)
		}
	}
	return &TokenKeys{issuer, key, trusted}, nil
}

// defaultTokenKeys are the same in all processes and no secret: whoever reads this can sign.
var defaultTokenKeys = sync.OnceValue(func() *TokenKeys {
	const issuer = "https://kubernetes.default.svc"
	seed := sha256.Sum256([]byte(issuer))
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), seed[:])
	if err != nil {
		panic(err) // the seed is a constant
	}
	return &TokenKeys{issuer, key, []crypto.PublicKey{&key.PublicKey}}
})

// OrDefault returns k, or the keys of an API whose Options have none.
func (k *TokenKeys) OrDefault() *TokenKeys {
	if k == nil {
		return defaultTokenKeys()
	}
	return k
}

// Issuer returns who issues the tokens, and for whom unless a request says so.
func (k *TokenKeys) Issuer() string { return k.issuer }

// half is how many bytes a signature, or a public key, has for each of its two numbers.
const half = 32

// signature signs a text. The same text gets the same signature.
func (k *TokenKeys) signature(text string) string {
	sum := sha256.Sum256([]byte(text))
	signed, err := k.key.Sign(nil, sum[:], crypto.SHA256)
	if err != nil {
		panic(err) // the key is a good one
	}
	if _, ok := k.key.Public().(*rsa.PublicKey); ok {
		return base64.RawURLEncoding.EncodeToString(signed)
	}
	var s struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(signed, &s); err != nil {
		panic(err)
	}
	b := make([]byte, 2*half)
	s.R.FillBytes(b[:half])
	s.S.FillBytes(b[half:])
	return base64.RawURLEncoding.EncodeToString(b)
}

// signed reports whether a trusted key has signed a text.
func (k *TokenKeys) signed(text, signature string) bool {
	b, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		return false
	}
	sum := sha256.Sum256([]byte(text))
	return slices.ContainsFunc(k.trusted, func(key crypto.PublicKey) bool {
		switch key := key.(type) {
		case *rsa.PublicKey:
			return rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], b) == nil
		case *ecdsa.PublicKey:
			return len(b) == 2*half && ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(b[:half]), new(big.Int).SetBytes(b[half:]))
		}
		return false
	})
}

// JWK is the public key of service account tokens, as a JSON Web Key (RFC 7517): X and Y of an ECDSA key, or N and E of an RSA key.
type JWK struct {
	Use       string `json:"use"`
	KeyType   string `json:"kty"`
	ID        string `json:"kid"`
	Curve     string `json:"crv,omitempty"`
	Algorithm string `json:"alg"`
	X         string `json:"x,omitempty"`
	Y         string `json:"y,omitempty"`
	N         string `json:"n,omitempty"`
	E         string `json:"e,omitempty"`
}

// JWKs returns the keys by which anybody can check tokens, the one that signs first.
func (k *TokenKeys) JWKs() []JWK {
	first := jwk(k.key.Public())
	all := []JWK{first}
	for _, t := range k.trusted {
		if next := jwk(t); next != first {
			all = append(all, next)
		}
	}
	return all
}

func jwk(key crypto.PublicKey) JWK {
	encode := base64.RawURLEncoding.EncodeToString
	if key, ok := key.(*rsa.PublicKey); ok {
		id := sha256.Sum256(x509.MarshalPKCS1PublicKey(key))
		return JWK{Use: "sig", KeyType: "RSA", ID: encode(id[:]), Algorithm: "RS256", N: encode(key.N.Bytes()), E: encode(big.NewInt(int64(key.E)).Bytes())}
	}
	point, err := key.(*ecdsa.PublicKey).Bytes() // 4, x, y
	if err != nil {
		panic(err) // the curve has been looked at
	}
	id := sha256.Sum256(point)
	return JWK{Use: "sig", KeyType: "EC", ID: encode(id[:]), Curve: "P-256", Algorithm: "ES256", X: encode(point[1 : 1+half]), Y: encode(point[1+half:])}
}

// Token is what a service account's token says: whose it is and for whom, until when, and what it lives as long as.
type Token struct {
	ID        string   `json:"jti"`
	Issuer    string   `json:"iss"`
	Audiences []string `json:"aud"`
	Expires   int64    `json:"exp"` // seconds since 1970
	About     struct {
		Namespace      string
		ServiceAccount Named
		Pod            *Named
		Node           *Named
		Secret         *Named
	} `json:"kubernetes.io"`
}

// Named is an object that a token speaks of.
type Named struct{ Name, UID string }

var (
	// ErrForeign: it is no token of a service account, or has another issuer.
	ErrForeign = errors.New("it is no token of a service account")
	// ErrSignature: no trusted key has signed it.
	ErrSignature = errors.New("go-jose/go-jose: error in cryptographic primitive")
)

// Read reads a token of the issuer. It does not look whether the objects that the token speaks of still exist.
func (k *TokenKeys) Read(text string) (*Token, error) {
	end := max(0, strings.LastIndex(text, "."))
	said, sum := text[:end], strings.TrimPrefix(text[end:], ".")
	_, claims, ok := strings.Cut(said, ".")
	if !ok {
		return nil, ErrForeign
	}
	var t Token
	if b, err := base64.RawURLEncoding.DecodeString(claims); err != nil || json.Unmarshal(b, &t) != nil || t.About.ServiceAccount.Name == "" || t.Issuer != k.issuer {
		return nil, ErrForeign
	}
	if !k.signed(said, sum) {
		return nil, ErrSignature
	}
	return &t, nil
}

// issue returns a signed token.
func (k *TokenKeys) issue(claims map[string]any) string {
	b, err := json.Marshal(claims)
	if err != nil {
		panic(err) // texts and numbers
	}
	encode := base64.RawURLEncoding.EncodeToString
	key := jwk(k.key.Public())
	text := encode([]byte(`{"alg":"`+key.Algorithm+`","kid":"`+key.ID+`"}`)) + "." + encode(b)
	return text + "." + k.signature(text)
}
