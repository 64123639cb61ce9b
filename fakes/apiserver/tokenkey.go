package apiserver

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"math/big"
	"sync"
)

// tokenKey signs the tokens of service accounts. It is the same in all processes and no secret: whoever reads this can sign.
var tokenKey = sync.OnceValue(func() *ecdsa.PrivateKey {
	seed := sha256.Sum256([]byte(Issuer))
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), seed[:])
	if err != nil {
		panic(err) // the seed is a constant
	}
	return key
})

// half is how many bytes a signature, or a public key, has for each of its two numbers.
const half = 32

// signature signs a text (RFC 7518, ES256). The same text gets the same signature.
func signature(text string) string {
	sum := sha256.Sum256([]byte(text))
	der, err := tokenKey().Sign(nil, sum[:], crypto.SHA256)
	if err != nil {
		panic(err) // the key is a good one
	}
	var s struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &s); err != nil {
		panic(err)
	}
	b := make([]byte, 2*half)
	s.R.FillBytes(b[:half])
	s.S.FillBytes(b[half:])
	return base64.RawURLEncoding.EncodeToString(b)
}

// JWK is the public key of service account tokens, as a JSON Web Key (RFC 7517).
type JWK struct {
	Use       string `json:"use"`
	KeyType   string `json:"kty"`
	ID        string `json:"kid"`
	Curve     string `json:"crv"`
	Algorithm string `json:"alg"`
	X         string `json:"x"`
	Y         string `json:"y"`
}

// TokenKey returns the key by which anybody can check the tokens that an API of this package issues.
var TokenKey = sync.OnceValue(func() JWK {
	point, err := tokenKey().PublicKey.Bytes() // 4, x, y
	if err != nil {
		panic(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	id := sha256.Sum256(point)
	return JWK{Use: "sig", KeyType: "EC", ID: encode(id[:]), Curve: "P-256", Algorithm: "ES256", X: encode(point[1 : 1+half]), Y: encode(point[1+half:])}
})
