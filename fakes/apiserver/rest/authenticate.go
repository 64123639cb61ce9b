package rest

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"fmt"
	"net/http"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
)

// Authentication says which credentials a server believes, beside Options.Token and the tokens of service accounts. A request with
// other credentials, or with none, is 401.
type Authentication struct {
	// ClientCAs are the authorities of client certificates: of such a certificate CN is the user's name, and O are the groups. nil: a
	// server asks for no certificates.
	ClientCAs *x509.CertPool
	// Anonymous makes a request without credentials one of the user system:anonymous.
	Anonymous bool
}

// authenticate finds out who sends a request, by the rules of kube-apiserver (pkg/kubeapiserver/authenticator): by the certificate of the
// client, else by a bearer token. It returns false if that is 401.
func (x *exchange) authenticate(r *http.Request) bool {
	wrong := false
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		who, err := x.certified(r.TLS.PeerCertificates)
		if err == nil {
			x.user = who
			return true
		}
		wrong = true
	}
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); token != "" && strings.EqualFold(kind, "Bearer") {
		return x.authenticateToken(r, token)
	}
	return !wrong && x.authenticateNobody()
}

// authenticateToken finds out whose a bearer token is. Without roles, a Token and an Authentication every token is an administrator's.
func (x *exchange) authenticateToken(r *http.Request, token string) bool {
	x.user = admin()
	if own, _, _ := strings.Cut(token, "."); x.o.Token != "" && subtle.ConstantTimeCompare([]byte(own), []byte(x.o.Token)) == 1 {
		return true
	}
	who, _, err := x.account(r.Context(), token, []string{x.o.Tokens.Issuer()})
	if err == nil {
		x.user = who
		return true
	}
	return x.o.Token == "" && x.o.Authentication == nil && !x.o.RBAC
}

// authenticateNobody says who sends a request without credentials.
func (x *exchange) authenticateNobody() bool {
	switch a := x.o.Authentication; {
	case a == nil:
		x.user = admin()
		return x.o.Token == ""
	case a.Anonymous:
		x.user = authenticationv1.UserInfo{Username: "system:anonymous", Groups: []string{"system:unauthenticated"}}
		return true
	}
	return false
}

// certificateUser is the user whom a certificate names, until the certificate ends.
type certificateUser struct {
	authenticationv1.UserInfo
	until time.Time
}

// certified returns the user whom a client's certificate names. Users are remembered: to verify a certificate takes as long as to answer
// a request.
func (h *handler) certified(chain []*x509.Certificate) (authenticationv1.UserInfo, error) {
	sum := sha256.Sum256(chain[0].Raw)
	if known, ok := h.certificates.Load(sum); ok && time.Now().Before(known.(certificateUser).until) {
		return known.(certificateUser).UserInfo, nil
	}
	if h.o.Authentication == nil || h.o.Authentication.ClientCAs == nil {
		return authenticationv1.UserInfo{}, fmt.Errorf("client certificates are not asked for")
	}
	o := x509.VerifyOptions{Roots: h.o.Authentication.ClientCAs, Intermediates: x509.NewCertPool(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	for _, c := range chain[1:] {
		o.Intermediates.AddCert(c)
	}
	if _, err := chain[0].Verify(o); err != nil {
		return authenticationv1.UserInfo{}, err
	}
	subject := chain[0].Subject
	if subject.CommonName == "" {
		return authenticationv1.UserInfo{}, fmt.Errorf("the client certificate has no CN")
	}
	who := authenticationv1.UserInfo{
		Username: subject.CommonName, Groups: append(append([]string{}, subject.Organization...), "system:authenticated"),
		Extra: map[string]authenticationv1.ExtraValue{"authentication.kubernetes.io/credential-id": {fmt.Sprintf("X509SHA256=%x", sum)}},
	}
	h.certificates.Store(sum, certificateUser{who, chain[0].NotAfter})
	return who, nil
}
