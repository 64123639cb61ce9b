package apiservertest

import (
	"cmp"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// StartTimeout and StopTimeout are envtest's, and mean nothing here.
const StartTimeout, StopTimeout = 60, 60

// ControlPlane stands in for envtest's.
type ControlPlane struct {
	APIServer *APIServer
	// Etcd and KubectlPath are envtest's, and mean nothing here.
	Etcd        *Etcd
	KubectlPath string

	config *clientrest.Config // set while it runs
}

// GetAPIServer returns the API server, which it makes if there is none.
func (p *ControlPlane) GetAPIServer() *APIServer {
	if p.APIServer == nil {
		p.APIServer = &APIServer{}
	}
	return p.APIServer
}

// APIURL returns the URL of the API server, once it runs; before nil.
func (p *ControlPlane) APIURL() *url.URL { return p.GetAPIServer().URL }

// AddUser is that of Environment.
func (p *ControlPlane) AddUser(user User, base *clientrest.Config) (*AuthenticatedUser, error) {
	return addUser(p.config, user, base)
}

// RESTClientConfig returns the config of a client that may do everything.
func (p *ControlPlane) RESTClientConfig() (*clientrest.Config, error) {
	if p.config == nil {
		return nil, errors.New("no API server is running: call Start first")
	}
	return clientrest.CopyConfig(p.config), nil
}

// started says where the API server is.
func (p *ControlPlane) started(config *clientrest.Config) error {
	s := p.GetAPIServer()
	u, err := url.Parse(config.Host)
	if err != nil {
		return err
	}
	p.config, s.URL, s.SecureServing.CA = config, u, config.CAData
	s.SecureServing.ListenAddr = ListenAddr{Address: u.Hostname(), Port: u.Port()}
	s.SecurePort, err = strconv.Atoi(cmp.Or(u.Port(), "443"))
	return err
}

// APIServer has the flags of a kube-apiserver.
type APIServer struct {
	// URL, SecurePort and SecureServing are where it serves. Start sets them.
	URL        *url.URL
	SecurePort int
	SecureServing

	// These are envtest's, and mean nothing here: no program is started.
	Path, CertDir             string
	Args                      []string
	EtcdURL                   *url.URL
	InsecureServing           *ListenAddr
	StartTimeout, StopTimeout time.Duration
	Out, Err                  io.Writer

	args Arguments
}

// SecureServing is where an API server serves, and the authority that vouches for it.
type SecureServing struct {
	ListenAddr
	CA []byte
}

// ListenAddr is an address.
type ListenAddr struct{ Address, Port string }

// HostPort returns host:port.
func (l *ListenAddr) HostPort() string { return net.JoinHostPort(l.Address, l.Port) }

// URL returns the URL of a path there.
func (l *ListenAddr) URL(scheme, path string) *url.URL {
	return &url.URL{Scheme: scheme, Host: l.HostPort(), Path: path}
}

// Etcd is that of envtest, and means nothing here: the API server keeps its objects in memory.
type Etcd struct {
	URL                       *url.URL
	Path, DataDir             string
	Args                      []string
	StartTimeout, StopTimeout time.Duration
	Out, Err                  io.Writer

	args Arguments
}

// Configure returns flags that mean nothing.
func (e *Etcd) Configure() *Arguments { return &e.args }

// Configure returns the flags. Of them --enable-admission-plugins and --disable-admission-plugins mean something here, for the plugins of
// apiserver.AdmissionPlugins. All others are kept, and mean nothing.
func (s *APIServer) Configure() *Arguments { return &s.args }

// EmptyArguments returns no flags.
func EmptyArguments() *Arguments { return &Arguments{} }

// Arguments are flags, without dashes, with their values.
type Arguments struct{ flags map[string][]string }

// Append adds values to a flag.
func (a *Arguments) Append(flag string, values ...string) *Arguments {
	return a.Set(flag, append(a.flags[flag], values...)...)
}

// AppendNoDefaults is Append: there are no defaults here.
func (a *Arguments) AppendNoDefaults(flag string, values ...string) *Arguments {
	return a.Append(flag, values...)
}

// Set sets the values of a flag.
func (a *Arguments) Set(flag string, values ...string) *Arguments {
	if a.flags == nil {
		a.flags = map[string][]string{}
	}
	a.flags[flag] = values
	return a
}

// Enable sets a flag without a value.
func (a *Arguments) Enable(flag string) *Arguments { return a.Set(flag) }

// Disable leaves a flag out.
func (a *Arguments) Disable(flag string) *Arguments {
	delete(a.flags, flag)
	return a
}

// admission switches the plugins on that kube-apiserver has by default, but ServiceAccount as envtest does, and those that flags name.
func (s *APIServer) admission(o *apiserver.Admission) {
	named := func(flag, plugin string) bool {
		return slices.Contains(strings.Split(strings.Join(s.args.flags[flag], ","), ","), plugin)
	}
	for _, plugin := range apiserver.AdmissionPlugins() {
		on := o.Plugin(plugin)
		*on = (*on || plugin != "ServiceAccount" || named("enable-admission-plugins", plugin)) && !named("disable-admission-plugins", plugin)
	}
}

// SetupEnvtestDefaultBinaryAssetsDirectory returns "": there are no programs to find.
func SetupEnvtestDefaultBinaryAssetsDirectory() (string, error) { return "", nil }
