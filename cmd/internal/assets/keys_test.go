package assets

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// An RSA key, in each form that kube-apiserver reads, signs tokens that the server accepts and whose key it publishes.
func TestRSA(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	pkix, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	for _, pair := range [][2][]byte{
		{encoded("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)), encoded("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&key.PublicKey))},
		{encoded("PRIVATE KEY", pkcs8), encoded("PUBLIC KEY", pkix)},
		{encoded("PRIVATE KEY", pkcs8), encoded("PRIVATE KEY", pkcs8)},
	} {
		f, port := newFolder(t), freePort(t)
		f.write(t, "sa-signer.key", pair[0])
		f.write(t, "sa-signer.crt", pair[1])
		start(t, "kube-apiserver", f.args(port))
		url := "https://127.0.0.1:" + port
		crt, secret := f.client.sign(t, x509.ExtKeyUsageClientAuth, "admin", "system:masters")
		admin := client(t, crt, secret)
		code, body := ask(t, admin, "POST", url+"/api/v1/namespaces/default/serviceaccounts", `{"metadata":{"name":"robot"}}`)
		require.Equal(t, 201, code, body)
		_, body = ask(t, admin, "POST", url+"/api/v1/namespaces/default/serviceaccounts/robot/token", `{}`)
		var made struct{ Status struct{ Token string } }
		require.NoError(t, json.Unmarshal([]byte(body), &made))

		token := made.Status.Token
		header, err := base64.RawURLEncoding.DecodeString(token[:strings.Index(token, ".")])
		require.NoError(t, err)
		var keys struct{ Keys []apiserver.JWK }
		_, body = ask(t, admin, "GET", url+"/openid/v1/jwks", "")
		require.NoError(t, json.Unmarshal([]byte(body), &keys))
		require.Len(t, keys.Keys, 1)
		require.JSONEq(t, `{"alg":"RS256","kid":"`+keys.Keys[0].ID+`"}`, string(header))
		require.Equal(t, base64.RawURLEncoding.EncodeToString(key.N.Bytes()), keys.Keys[0].N)
		require.Equal(t, "AQAB", keys.Keys[0].E)

		changed := token[:len(token)-4] + "AAAA"
		for text, want := range map[string]int{token: 200, changed: 401} {
			code, _ := ask(t, client(t), "GET", url+"/api", "", "Authorization: Bearer "+text)
			assert.Equal(t, want, code)
		}
	}
}
