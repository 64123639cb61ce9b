package assets

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lwtest/lwtest/cmd/internal/serveapi"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
)

// runAPIServer serves the API server fake as kube-apiserver alone does: no controller runs unless LWTEST_WORKLOADS says so, so deleted
// namespaces stay Terminating, nothing is collected, and no service account is made.
func runAPIServer(ctx context.Context, p *process) error {
	if p.env("GOGC") == "" {
		debug.SetGCPercent(50) // half as much garbage in memory, for about a twentieth more processor time
	}
	o, err := p.options()
	if err != nil {
		return err
	}
	end, err := p.extras().Add(&o)
	if err != nil {
		return byVariable(err)
	}
	s, err := serve.Start(ctx, o)
	if err != nil {
		return errors.Join(fmt.Errorf("%w; --bind-address and --secure-port say where it listens", err), byVariable(end()))
	}
	p.tell(ctx, s)
	<-ctx.Done()
	p.note("kube-apiserver's stand-in ends: %v", context.Cause(ctx))
	return errors.Join(s.Close(), byVariable(end()))
}

// extras are what variables add: faults, a log and views.
func (p *process) extras() serveapi.Extras {
	return serveapi.Extras{
		Faults: p.env("LWTEST_FAULTS"),
		Log:    strings.ReplaceAll(p.env("LWTEST_LOG"), "%p", strconv.Itoa(os.Getpid())), // several suites may run at once
		Views:  strings.FieldsFunc(p.env("LWTEST_VIEW"), func(r rune) bool { return r == ',' }),
	}
}

// byVariable names the variables where an error names the flags of `lwtest serve apiserver`.
func byVariable(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.NewReplacer("--faults", "LWTEST_FAULTS", "--log", "LWTEST_LOG", "--view", "LWTEST_VIEW").Replace(err.Error()))
}

// tell says that a server serves, and what else there is to know.
func (p *process) tell(ctx context.Context, s *serve.Server) {
	dir := []string{"--cert-dir", p.last("cert-dir", "")}
	leave(dir, refusedFile, "")
	var notes []string
	for _, v := range s.Servers[1:] {
		notes = append(notes, fmt.Sprintf("view %s at %s", v.Name, v.Server.URL()))
	}
	for _, etcd := range p.list("etcd-servers") {
		notes = append(notes, announce(ctx, etcd)...)
	}
	leave(dir, notesFile, strings.Join(notes, "\n"))
	for _, n := range notes {
		p.note("%s", n)
	}
	p.note("kube-apiserver's stand-in serves at %s", s.First().URL())
}

// announce tells lwtest's etcd of an API server, and returns what is to be noted.
func announce(ctx context.Context, etcd string) []string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(etcd, "/")+apiServersPath, nil)
	if err != nil {
		return []string{fmt.Sprintf("--etcd-servers: %v", err)}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return []string{fmt.Sprintf("no etcd answers at %s; none is needed, nothing is stored", etcd)}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 100))
	before, err2 := strconv.Atoi(string(bytes.TrimSpace(b)))
	switch {
	case err != nil || err2 != nil || res.StatusCode != http.StatusOK:
		return []string{fmt.Sprintf("%s is a real etcd, as it seems: nothing is stored there", etcd)}
	case before > 0:
		return []string{fmt.Sprintf("%d API servers were on the etcd %s before: their objects are lost, for each API server begins with none", before, etcd)}
	}
	return nil
}

// options are what the flags mean.
func (p *process) options() (o serve.Options, err error) {
	o.KeepNamespaces, o.CEL, o.TLS, o.Pprof = true, p.cel, true, p.last("profiling", "true") == "true"
	o.ManagedFields = true
	err = errors.Join(p.yesNo("LWTEST_WORKLOADS", &o.Workloads), p.yesNo("LWTEST_MANAGED_FIELDS", &o.ManagedFields))
	o.HTTP1 = p.last("disable-http2-serving", "false") == "true"
	o.Address = net.JoinHostPort(p.last("bind-address", "127.0.0.1"), p.last("secure-port", "6443"))
	for name, only := range map[string]string{
		"allow-privileged": "true", "enable-garbage-collector": "true", "service-account-lookup": "true",
		"service-node-port-range": "30000-32767", "default-not-ready-toleration-seconds": "300", "default-unreachable-toleration-seconds": "300",
	} {
		if got := p.last(name, only); got != only {
			err = errors.Join(err, fmt.Errorf("--%s=%s is not supported, only %s: leave it out, or use a real kube-apiserver", name, got, only))
		}
	}
	for _, part := range []func(*serve.Options) error{p.authorization, p.authentication, p.tokens, p.admission, p.runtimeConfig, p.certificate, p.serviceRange} {
		err = errors.Join(err, part(&o))
	}
	return o, err
}

// yesNo sets a value to that of a variable, if there is one.
func (p *process) yesNo(name string, to *bool) error {
	switch said := p.env(name); said {
	case "":
	case "true", "false":
		*to = said == "true"
	default:
		return fmt.Errorf("%s=%s: say true or false", name, said)
	}
	return nil
}

// serviceRange reads the range of service addresses, as kube-apiserver limits it (cmd/kube-apiserver/app/options/validation.go).
func (p *process) serviceRange(o *serve.Options) (err error) {
	said := p.last("service-cluster-ip-range", apiserver.DefaultServiceRange.String())
	if strings.Contains(said, ",") {
		return fmt.Errorf("--service-cluster-ip-range=%s is not supported: say one range, or use a real kube-apiserver", said)
	}
	switch o.ServiceRange, err = netip.ParsePrefix(said); {
	case err != nil:
		return fmt.Errorf("--service-cluster-ip-range: %w", err)
	case !o.ServiceRange.Addr().Is4():
		return fmt.Errorf("--service-cluster-ip-range=%s is not supported: say an IPv4 range, or use a real kube-apiserver", said)
	case o.ServiceRange.Bits() < 12 || o.ServiceRange.Bits() > 29:
		return fmt.Errorf("--service-cluster-ip-range=%s: the mask must be /12 to /29", said)
	}
	return nil
}

func (p *process) authorization(o *serve.Options) error {
	for _, mode := range p.list("authorization-mode") {
		switch mode {
		case "RBAC":
			o.RBAC = true
		case "AlwaysAllow":
		default:
			return fmt.Errorf("--authorization-mode=%s is not supported: say RBAC or AlwaysAllow, or use a real kube-apiserver", mode)
		}
	}
	if slices.Contains(p.list("authorization-mode"), "AlwaysAllow") {
		o.RBAC = false // whom one of them allows something may do it
	}
	return nil
}

func (p *process) authentication(o *serve.Options) error {
	anonymous, err := strconv.ParseBool(p.last("anonymous-auth", "true"))
	if err != nil {
		return fmt.Errorf("--anonymous-auth: %w", err)
	}
	o.Authentication = &rest.Authentication{Anonymous: anonymous && o.RBAC}
	file := p.last("client-ca-file", "")
	if file == "" {
		return nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("--client-ca-file: %w", err)
	}
	o.ClientCA, o.Authentication.ClientCAs = b, x509.NewCertPool()
	if !o.Authentication.ClientCAs.AppendCertsFromPEM(b) {
		return fmt.Errorf("--client-ca-file: %s has no certificate in PEM", file)
	}
	return nil
}

// certificate reads the server's certificate. kube-apiserver makes one if --cert-dir has none; nobody would trust it.
func (p *process) certificate(o *serve.Options) error {
	dir := p.last("cert-dir", "/var/run/kubernetes")
	crt, key := p.last("tls-cert-file", filepath.Join(dir, "apiserver.crt")), p.last("tls-private-key-file", filepath.Join(dir, "apiserver.key"))
	o.Pair = &rest.Pair{}
	for file, to := range map[string]*[]byte{crt: &o.Pair.Certificate, key: &o.Pair.Key} {
		b, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("no certificate to serve with: %w; put apiserver.crt and apiserver.key into --cert-dir", err)
		}
		*to = b
	}
	if _, err := tls.X509KeyPair(o.Pair.Certificate, o.Pair.Key); err != nil {
		return fmt.Errorf("the certificate %s and the key %s do not fit: %w; make both anew", crt, key, err)
	}
	return nil
}

// defaultPlugins are the admission plugins that kube-apiserver v1.37.1 has on by default, and otherPlugins the rest.
var (
	defaultPlugins = strings.Fields(`CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass
		DefaultStorageClass DefaultTolerationSeconds LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceLifecycle
		NodeDeclaredFeatureValidator PersistentVolumeClaimResize PodGroupProtection PodResizeValidator PodSecurity PodTopologyLabels Priority
		ResourceQuota RuntimeClass ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy
		ValidatingAdmissionWebhook`)
	otherPlugins = strings.Fields(`AlwaysAdmit AlwaysDeny AlwaysPullImages DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration
		ImagePolicyWebhook LimitPodHardAntiAffinityTopology NamespaceAutoProvision NamespaceExists NodeRestriction
		OwnerReferencesPermissionEnforcement PodNodeSelector PodTolerationRestriction`)
)

func (p *process) admission(o *serve.Options) (err error) {
	for _, name := range apiserver.AdmissionPlugins() {
		*o.Admission.Plugin(name) = slices.Contains(defaultPlugins, name)
	}
	for _, name := range p.list("enable-admission-plugins") {
		switch {
		case slices.Contains(defaultPlugins, name), name == "AlwaysAdmit", name == "NamespaceExists": // these refuse nothing more
		case slices.Contains(otherPlugins, name):
			err = errors.Join(err, fmt.Errorf("--enable-admission-plugins=%s is not supported: leave it out, or use a real kube-apiserver", name))
		default:
			err = errors.Join(err, fmt.Errorf("--enable-admission-plugins: kube-apiserver has no plugin %q", name))
		}
	}
	for _, name := range p.list("disable-admission-plugins") {
		on := o.Admission.Plugin(name)
		switch {
		case on != nil:
			*on = false
		case slices.Contains(defaultPlugins, name):
			err = errors.Join(err, fmt.Errorf("--disable-admission-plugins=%s is not supported, only %s can be off: leave it out, or use a real kube-apiserver",
				name, strings.Join(apiserver.AdmissionPlugins(), ", ")))
		case !slices.Contains(otherPlugins, name):
			err = errors.Join(err, fmt.Errorf("--disable-admission-plugins: kube-apiserver has no plugin %q", name))
		}
	}
	return err
}

// runtimeConfig takes versions and resources away that are switched off, and refuses to switch on what this server lacks.
func (p *process) runtimeConfig(o *serve.Options) (err error) {
	all := apiserver.Resources()
	for _, said := range p.list("runtime-config") {
		name, on, _ := strings.Cut(said, "=")
		of := func(r apiserver.Resource) bool {
			version := cmp.Or(r.GroupVersionResource.GroupVersion().String(), "")
			return name == version || name == version+"/"+r.GroupVersionResource.Resource || r.GroupVersionResource.Group == "" && name == "api/"+version
		}
		switch whole := slices.Contains([]string{"api/all", "api/ga", "api/beta", "api/alpha", "api/legacy"}, name); {
		case on != "false" && (whole || slices.ContainsFunc(all, of)):
		case on != "false":
			err = errors.Join(err, fmt.Errorf("--runtime-config=%s is not supported: this server has no %s; leave it out, or use a real kube-apiserver", said, name))
		case whole && name != "api/beta" && name != "api/alpha":
			err = errors.Join(err, fmt.Errorf("--runtime-config=%s is not supported: name the versions that are to be off", said))
		case whole:
			level := strings.TrimPrefix(name, "api/")
			all = slices.DeleteFunc(all, func(r apiserver.Resource) bool { return strings.Contains(r.GroupVersionResource.Version, level) })
		default:
			all = slices.DeleteFunc(all, of)
		}
	}
	o.Resources = all
	return err
}
