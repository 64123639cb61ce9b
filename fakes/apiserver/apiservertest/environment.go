package apiservertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
)

// Environment stands in for controller-runtime's envtest.Environment: fields and methods have the same names and meanings. Like
// envtest's, the server has HTTPS, RBAC, no controllers (deleted namespaces stay Terminating, nothing makes Pods of a Deployment, nothing
// takes the finalizers of claims away), and all admission plugins of apiserver.Admission but ServiceAccount. The zero value is ready to
// Start.
type Environment struct {
	// Scheme says which custom resources have conversion webhooks: those whose types have ConvertTo and Hub. nil: scheme.Scheme.
	Scheme *runtime.Scheme
	// Config is for clients that may do everything. Start sets it, unless UseExistingCluster is true.
	Config *clientrest.Config
	// KubeConfig is a kubeconfig of the same. Start sets it.
	KubeConfig []byte

	// CRDInstallOptions, CRDs and CRDDirectoryPaths say which definitions Start creates. After Start CRDs has all of them.
	CRDInstallOptions CRDInstallOptions
	CRDs              []*apiextensionsv1.CustomResourceDefinition
	CRDDirectoryPaths []string
	// ErrorIfCRDPathMissing makes a path that is missing an error of Start.
	ErrorIfCRDPathMissing bool
	// WebhookInstallOptions say which webhooks Start creates, and where the test serves them.
	WebhookInstallOptions WebhookInstallOptions

	// UseExistingCluster starts no server: Config, which must be set, is one's. nil: the variable USE_EXISTING_CLUSTER says so.
	UseExistingCluster *bool

	// ControlPlane has what little of envtest's flags means something here.
	ControlPlane ControlPlane
	// Options are further options of the server: faults, a request log, views. Start adds TLS, RBAC and KeepNamespaces.
	Options serve.Options

	// These are envtest's, and mean nothing here: there are no programs to find, download or wait for.
	BinaryAssetsDirectory, DownloadBinaryAssetsVersion, DownloadBinaryAssetsIndexURL string
	DownloadBinaryAssets, AttachControlPlaneOutput                                   bool
	ControlPlaneStartTimeout, ControlPlaneStopTimeout                                time.Duration

	served *serve.Server
}

// User is a user to be added.
type User struct {
	Name   string
	Groups []string
}

// AuthenticatedUser is a user who can connect.
type AuthenticatedUser struct{ config *clientrest.Config }

// Config is for clients of the user.
func (u *AuthenticatedUser) Config() *clientrest.Config { return u.config }

// KubeConfig is a kubeconfig of the user.
func (u *AuthenticatedUser) KubeConfig() ([]byte, error) { return kubeconfig(u.config) }

// Start starts the server, and creates definitions and webhooks. Whatever it has created is served when it returns.
func (e *Environment) Start() (*clientrest.Config, error) {
	if e.existing() {
		if e.Config == nil {
			return nil, errors.New("UseExistingCluster: Config must say which cluster")
		}
	} else if err := e.start(); err != nil {
		return nil, fmt.Errorf("unable to start control plane itself: %w", err)
	}
	if len(e.KubeConfig) == 0 {
		var err error
		if e.KubeConfig, err = kubeconfig(e.Config); err != nil {
			return nil, fmt.Errorf("unable to set KubeConfig field: %w", err)
		}
	}
	if e.Scheme == nil {
		e.Scheme = scheme.Scheme
	}
	if err := e.WebhookInstallOptions.PrepWithoutInstalling(); err != nil {
		return nil, err
	}
	o := &e.CRDInstallOptions
	o.Scheme = cmp.Or(o.Scheme, e.Scheme)
	o.CRDs = slices.Concat(o.CRDs, e.CRDs)
	o.Paths = slices.Concat(o.Paths, e.CRDDirectoryPaths)
	o.ErrorIfPathMissing = o.ErrorIfPathMissing || e.ErrorIfCRDPathMissing
	o.WebhookOptions = e.WebhookInstallOptions
	var err error
	if e.CRDs, err = InstallCRDs(e.Config, *o); err != nil {
		return e.Config, fmt.Errorf("unable to install CRDs onto control plane: %w", err)
	}
	if err := e.WebhookInstallOptions.Install(e.Config); err != nil {
		return nil, fmt.Errorf("unable to install webhooks onto control plane: %w", err)
	}
	return e.Config, nil
}

func (e *Environment) existing() bool {
	if e.UseExistingCluster != nil {
		return *e.UseExistingCluster
	}
	said, err := strconv.ParseBool(os.Getenv("USE_EXISTING_CLUSTER"))
	return err == nil && said
}

func (e *Environment) start() (err error) {
	o := e.Options
	o.TLS, o.RBAC, o.KeepNamespaces = true, true, true
	e.ControlPlane.GetAPIServer().admission(&o.Admission)
	if o.CEL == nil {
		o.CEL = CEL
	}
	if o.Faults == nil {
		if o.Faults, err = faults.New(0); err != nil {
			return err
		}
	}
	if e.served, err = serve.Start(context.Background(), o); err != nil {
		return err
	}
	e.Config = e.served.First().RESTConfig()
	e.KubeConfig = e.served.Servers.Kubeconfig()
	return e.ControlPlane.started(e.Config)
}

// Store has the objects, once Start has returned; nil: there is none here.
func (e *Environment) Store() *apiserver.Server {
	if e.served == nil {
		return nil
	}
	return e.served.Store
}

// Stop stops the server. Definitions are deleted first if CRDInstallOptions.CleanUpAfterUse says so. It may be called twice.
func (e *Environment) Stop() error {
	var errs []error
	if e.CRDInstallOptions.CleanUpAfterUse && (e.served != nil || e.existing()) {
		errs = append(errs, UninstallCRDs(e.Config, CRDInstallOptions{CRDs: e.CRDs}))
	}
	errs = append(errs, e.WebhookInstallOptions.Cleanup())
	if e.served != nil {
		errs = append(errs, e.served.Close())
		e.served = nil
	}
	return errors.Join(errs...)
}

// AddUser adds a user, whose rights are those that RBAC gives. base has what else the config is to have, a QPS for one; nil: nothing.
// The user's requests impersonate the user, so they cannot impersonate others.
func (e *Environment) AddUser(user User, base *clientrest.Config) (*AuthenticatedUser, error) {
	return addUser(e.Config, user, base)
}

func addUser(admin *clientrest.Config, user User, base *clientrest.Config) (*AuthenticatedUser, error) {
	if admin == nil {
		return nil, errors.New("no API server is running: call Start first")
	}
	out := clientrest.CopyConfig(admin)
	if base != nil {
		out = clientrest.CopyConfig(base)
		out.Host, out.TLSClientConfig, out.BearerToken, out.Dial = admin.Host, admin.TLSClientConfig, admin.BearerToken, admin.Dial
	}
	out.Impersonate = clientrest.ImpersonationConfig{UserName: user.Name, Groups: user.Groups}
	return &AuthenticatedUser{out}, nil
}

// kubeconfig returns a config as a kubeconfig file.
func kubeconfig(c *clientrest.Config) ([]byte, error) {
	const name = "lwtest"
	out := clientcmdapi.NewConfig()
	out.Clusters[name] = &clientcmdapi.Cluster{Server: c.Host, CertificateAuthorityData: c.CAData, CertificateAuthority: c.CAFile, InsecureSkipTLSVerify: c.Insecure}
	out.AuthInfos[name] = &clientcmdapi.AuthInfo{
		Token: c.BearerToken, ClientCertificateData: c.CertData, ClientKeyData: c.KeyData, Username: c.Username, Password: c.Password,
		Impersonate: c.Impersonate.UserName, ImpersonateGroups: c.Impersonate.Groups,
	}
	out.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	out.CurrentContext = name
	return clientcmd.Write(*out)
}
