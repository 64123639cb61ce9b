package apiserver

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var keyUsages = []certificatesv1.KeyUsage{
	certificatesv1.UsageAny, certificatesv1.UsageCertSign, certificatesv1.UsageClientAuth, certificatesv1.UsageCodeSigning,
	certificatesv1.UsageContentCommitment, certificatesv1.UsageCRLSign, certificatesv1.UsageDataEncipherment, certificatesv1.UsageDecipherOnly, certificatesv1.UsageDigitalSignature,
	certificatesv1.UsageEmailProtection, certificatesv1.UsageEncipherOnly, certificatesv1.UsageIPsecEndSystem, certificatesv1.UsageIPsecTunnel,
	certificatesv1.UsageIPsecUser, certificatesv1.UsageKeyAgreement, certificatesv1.UsageKeyEncipherment, certificatesv1.UsageMicrosoftSGC,
	certificatesv1.UsageNetscapeSGC, certificatesv1.UsageOCSPSigning, certificatesv1.UsageSMIME, certificatesv1.UsageServerAuth,
	certificatesv1.UsageSigning, certificatesv1.UsageTimestamping,
}

func checkSigningRequest(in, _ *certificatesv1.CertificateSigningRequest) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	if err := checkRequest(s.Request); err != nil {
		errs = append(errs, field.Invalid(path.Child("request"), s.Request, err.Error()))
	}
	usages := path.Child("usages")
	if len(s.Usages) == 0 {
		errs = append(errs, field.Required(usages, ""))
	}
	for i, u := range s.Usages {
		errs = append(errs, oneOf(usages.Index(i), u, keyUsages...)...)
	}
	for i, u := range s.Usages {
		if slices.Contains(s.Usages[:i], u) {
			errs = append(errs, field.Duplicate(usages.Index(i), u))
		}
	}
	if signer := path.Child("signerName"); s.SignerName == "kubernetes.io/legacy-unknown" {
		errs = append(errs, field.Invalid(signer, s.SignerName, "the legacy signerName is not allowed via this API version"))
	} else {
		errs = append(errs, checkSigner(s.SignerName, signer)...)
	}
	if e := s.ExpirationSeconds; e != nil && *e < 600 {
		errs = append(errs, field.Invalid(path.Child("expirationSeconds"), *e, "may not specify a duration less than 600 seconds (10 minutes)"))
	}
	return errs
}

// checkRequest returns an error unless b is a certificate request in PEM with a valid signature.
func checkRequest(b []byte) error {
	block, _ := pem.Decode(b)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return fmt.Errorf("PEM block type must be CERTIFICATE REQUEST")
	}
	r, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return err
	}
	return r.CheckSignature()
}

// checkSigner checks the name of a signer, which is DOMAIN/PATH.
func checkSigner(name string, path *field.Path) (errs field.ErrorList) {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	domain, rest, ok := strings.Cut(name, "/")
	if !ok || strings.Contains(rest, "/") {
		return field.ErrorList{field.Invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")}
	}
	for _, part := range []struct {
		text  string
		wrong func(string) []string
	}{{domain, utilvalidation.IsDNS1123Label}, {rest, utilvalidation.IsDNS1123Subdomain}} {
		for _, label := range strings.Split(part.text, ".") {
			wrong := part.wrong(label)
			for _, w := range wrong {
				errs = append(errs, field.Invalid(path, part.text, fmt.Sprintf("validating label %q: %s", label, w)))
			}
			if len(wrong) > 0 {
				break
			}
		}
		if part.text == domain && !strings.Contains(domain, ".") {
			errs = append(errs, field.Invalid(path, domain, "should be a domain with at least two segments separated by dots"))
		}
	}
	return errs
}
