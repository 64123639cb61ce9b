package apiservertest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	hooksv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
)

// CRDInstallOptions say which definitions are created.
type CRDInstallOptions struct {
	// Scheme is that of Environment.
	Scheme *runtime.Scheme
	// Paths are files, and folders of .yaml, .yml and .json files. Of what is in them only definitions are taken.
	Paths []string
	// CRDs are more of them. Of two of the same name the last counts.
	CRDs []*apiextensionsv1.CustomResourceDefinition
	// ErrorIfPathMissing makes a path that is missing an error. Else it is skipped.
	ErrorIfPathMissing bool
	// CleanUpAfterUse deletes them in Stop.
	CleanUpAfterUse bool
	// WebhookOptions say where conversion webhooks are served.
	WebhookOptions WebhookInstallOptions

	// MaxTime and PollInterval are those of WaitForCRDs. The defaults are 10 s and 100 ms.
	MaxTime, PollInterval time.Duration
}

// InstallCRDs creates definitions, or updates those that exist, and returns them.
func InstallCRDs(config *clientrest.Config, o CRDInstallOptions) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	if err := ReadCRDFiles(&o); err != nil {
		return nil, fmt.Errorf("unable to read CRD files: %w", err)
	}
	if err := o.convert(); err != nil {
		return nil, err
	}
	return o.CRDs, CreateCRDs(config, o.CRDs)
}

// ReadCRDFiles adds the definitions of Paths to CRDs, in which each name is once then.
func ReadCRDFiles(o *CRDInstallOptions) error {
	all := o.CRDs
	for _, path := range o.Paths {
		some, err := read[apiextensionsv1.CustomResourceDefinition](path, "CustomResourceDefinition")
		if errors.Is(err, os.ErrNotExist) && !o.ErrorIfPathMissing {
			continue
		}
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	at := map[string]int{}
	o.CRDs = nil
	for _, d := range all {
		if i, known := at[d.Name]; known {
			o.CRDs[i] = d.DeepCopy()
			continue
		}
		at[d.Name] = len(o.CRDs)
		o.CRDs = append(o.CRDs, d.DeepCopy())
	}
	return nil
}

// CreateCRDs creates definitions, or updates those that exist.
func CreateCRDs(config *clientrest.Config, all []*apiextensionsv1.CustomResourceDefinition) error {
	for _, d := range all {
		if err := ensure(config, apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"), "CustomResourceDefinition", d); err != nil {
			return fmt.Errorf("unable to create CRD %q: %w", d.Name, err)
		}
	}
	return nil
}

// WaitForCRDs waits until discovery has all served versions of the definitions. InstallCRDs does not call it: this server serves what
// is created at once. Of the options it takes MaxTime and PollInterval.
func WaitForCRDs(config *clientrest.Config, all []*apiextensionsv1.CustomResourceDefinition, o CRDInstallOptions) error {
	client, err := clientrest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	defer utilnet.CloseIdleConnectionsFor(client.Transport)
	c, err := discovery.NewDiscoveryClientForConfigAndClient(config, client)
	if err != nil {
		return err
	}
	missing := ""
	err = wait.PollUntilContextTimeout(context.Background(), cmp.Or(o.PollInterval, 100*time.Millisecond), cmp.Or(o.MaxTime, 10*time.Second), true,
		func(context.Context) (bool, error) {
			missing, err = undiscovered(c, all)
			return missing == "", err
		})
	if missing != "" {
		err = fmt.Errorf("%s is not in discovery: %w", missing, err)
	}
	return err
}

// undiscovered returns the first resource that discovery lacks, "" if it has all.
func undiscovered(c discovery.DiscoveryInterface, all []*apiextensionsv1.CustomResourceDefinition) (string, error) {
	for _, d := range all {
		for _, v := range d.Spec.Versions {
			if !v.Served {
				continue
			}
			gv := schema.GroupVersion{Group: d.Spec.Group, Version: v.Name}
			list, err := c.ServerResourcesForGroupVersion(gv.String())
			if err != nil && !apierrors.IsNotFound(err) {
				return "", err
			}
			if err != nil || !slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == d.Spec.Names.Plural }) {
				return gv.WithResource(d.Spec.Names.Plural).String(), nil
			}
		}
	}
	return "", nil
}

// UninstallCRDs deletes definitions. Those that are gone already are no error.
func UninstallCRDs(config *clientrest.Config, o CRDInstallOptions) error {
	if err := ReadCRDFiles(&o); err != nil {
		return err
	}
	return with(config, func(c dynamic.Interface) error {
		var errs []error
		for _, d := range o.CRDs {
			err := c.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")).Delete(context.Background(), d.Name, metav1.DeleteOptions{})
			if !apierrors.IsNotFound(err) {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	})
}

// convert points the conversion webhooks of definitions to where the test serves them. A definition whose types have no conversions
// in the scheme has no conversion webhook then, as in envtest.
func (o *CRDInstallOptions) convert() error {
	hooks := &o.WebhookOptions
	if len(hooks.LocalServingCAData) == 0 {
		return nil
	}
	if o.Scheme == nil {
		o.Scheme = scheme.Scheme
	}
	at, err := hooks.hostPort()
	if err != nil {
		return err
	}
	url := "https://" + at + "/convert"
	for _, d := range o.CRDs {
		if !hooks.IgnoreSchemeConvertible && !convertible(o.Scheme, schema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind}) {
			d.Spec.Conversion = nil
			continue
		}
		d.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
			Strategy: apiextensionsv1.WebhookConverter,
			Webhook: &apiextensionsv1.WebhookConversion{
				ConversionReviewVersions: []string{"v1", "v1beta1"},
				ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: &url, CABundle: hooks.LocalServingCAData},
			},
		}
	}
	return nil
}

// convertible reports whether a scheme has types of a kind that convert to each other: one with the method Hub, and one with
// ConvertTo and ConvertFrom. These are the interfaces of controller-runtime's pkg/conversion.
func convertible(s *runtime.Scheme, gk schema.GroupKind) bool {
	hub, spoke := false, false
	for gvk, t := range s.AllKnownTypes() {
		if gvk.GroupKind() != gk || gvk.Version == runtime.APIVersionInternal {
			continue
		}
		has := func(name string) bool { _, ok := reflect.PointerTo(t).MethodByName(name); return ok }
		hub = hub || has("Hub")
		spoke = spoke || has("ConvertTo") && has("ConvertFrom")
	}
	return hub && spoke
}

// WebhookInstallOptions say which webhooks are created, and where the test serves them.
type WebhookInstallOptions struct {
	// Paths are files, and folders of .yaml, .yml and .json files. Of what is in them only webhook configurations are taken.
	Paths []string
	// MutatingWebhooks and ValidatingWebhooks are more of them.
	MutatingWebhooks   []*hooksv1.MutatingWebhookConfiguration
	ValidatingWebhooks []*hooksv1.ValidatingWebhookConfiguration
	// IgnoreSchemeConvertible gives all definitions a conversion webhook.
	IgnoreSchemeConvertible bool
	// IgnoreErrorIfPathMissing skips paths that are missing.
	IgnoreErrorIfPathMissing bool

	// LocalServingHost and LocalServingPort are where the test serves webhooks; empty: 127.0.0.1 and a free port, which are set.
	LocalServingHost string
	LocalServingPort int
	// LocalServingCertDir is a temporary folder with the tls.crt and tls.key to serve with, and LocalServingCAData the authority that
	// vouches for them. Both are set.
	LocalServingCertDir string
	LocalServingCAData  []byte
	// LocalServingHostExternalName is the host in URLs; "": LocalServingHost.
	LocalServingHostExternalName string

	// These are envtest's, and mean nothing here: what is created is asked.
	MaxTime, PollInterval time.Duration
}

// PrepWithoutInstalling makes certificates, finds a port, reads Paths, and points the webhooks to the test: a service becomes a URL.
func (o *WebhookInstallOptions) PrepWithoutInstalling() error {
	at, err := o.hostPort()
	if err != nil {
		return err
	}
	if err := o.certify(); err != nil {
		return err
	}
	for _, path := range o.Paths {
		mutating, err := read[hooksv1.MutatingWebhookConfiguration](path, "MutatingWebhookConfiguration")
		var validating []*hooksv1.ValidatingWebhookConfiguration
		if err == nil {
			validating, err = read[hooksv1.ValidatingWebhookConfiguration](path, "ValidatingWebhookConfiguration")
		}
		if errors.Is(err, os.ErrNotExist) && o.IgnoreErrorIfPathMissing {
			continue
		}
		if err != nil {
			return err
		}
		o.MutatingWebhooks, o.ValidatingWebhooks = append(o.MutatingWebhooks, mutating...), append(o.ValidatingWebhooks, validating...)
	}
	for _, c := range o.MutatingWebhooks {
		for i := range c.Webhooks {
			o.point(&c.Webhooks[i].ClientConfig, at)
		}
	}
	for _, c := range o.ValidatingWebhooks {
		for i := range c.Webhooks {
			o.point(&c.Webhooks[i].ClientConfig, at)
		}
	}
	return nil
}

// point makes a client find the test's server.
func (o *WebhookInstallOptions) point(c *hooksv1.WebhookClientConfig, at string) {
	c.CABundle = o.LocalServingCAData
	if s := c.Service; s != nil && s.Path != nil {
		c.URL, c.Service = new("https://"+at+"/"+strings.TrimPrefix(*s.Path, "/")), nil
	}
}

// hostPort is where the test serves webhooks, as URLs have it. It finds a free port where none is said.
func (o *WebhookInstallOptions) hostPort() (string, error) {
	if o.LocalServingHost == "" {
		o.LocalServingHost = "127.0.0.1"
	}
	if o.LocalServingPort == 0 {
		l, err := net.Listen("tcp", net.JoinHostPort(o.LocalServingHost, "0"))
		if err != nil {
			return "", fmt.Errorf("unable to grab random port for serving webhooks on: %w", err)
		}
		o.LocalServingPort = l.Addr().(*net.TCPAddr).Port
		if err := l.Close(); err != nil {
			return "", err
		}
	}
	host := o.LocalServingHost
	if o.LocalServingHostExternalName != "" {
		host = o.LocalServingHostExternalName
	}
	return net.JoinHostPort(host, strconv.Itoa(o.LocalServingPort)), nil
}

// certify makes the certificate to serve with.
func (o *WebhookInstallOptions) certify() error {
	pair, err := rest.NewPair(o.LocalServingHost, o.LocalServingHostExternalName)
	if err != nil {
		return fmt.Errorf("unable to set up webhook serving certs: %w", err)
	}
	if o.LocalServingCertDir, err = os.MkdirTemp("", "lwtest-serving-certs-"); err != nil {
		return fmt.Errorf("unable to create directory for webhook serving certs: %w", err)
	}
	o.LocalServingCAData = pair.Authority
	return errors.Join(
		os.WriteFile(filepath.Join(o.LocalServingCertDir, "tls.crt"), pair.Certificate, 0o600),
		os.WriteFile(filepath.Join(o.LocalServingCertDir, "tls.key"), pair.Key, 0o600))
}

// Install creates the webhooks, or updates those that exist.
func (o *WebhookInstallOptions) Install(config *clientrest.Config) error {
	if len(o.LocalServingCAData) == 0 {
		if err := o.PrepWithoutInstalling(); err != nil {
			return err
		}
	}
	for _, c := range o.MutatingWebhooks {
		if err := ensure(config, hooksv1.SchemeGroupVersion.WithResource("mutatingwebhookconfigurations"), "MutatingWebhookConfiguration", c); err != nil {
			return err
		}
	}
	for _, c := range o.ValidatingWebhooks {
		if err := ensure(config, hooksv1.SchemeGroupVersion.WithResource("validatingwebhookconfigurations"), "ValidatingWebhookConfiguration", c); err != nil {
			return err
		}
	}
	return nil
}

// Cleanup removes the folder of certificates.
func (o *WebhookInstallOptions) Cleanup() error {
	if o.LocalServingCertDir == "" {
		return nil
	}
	return os.RemoveAll(o.LocalServingCertDir)
}

// WaitForWebhooks returns at once: this server asks the webhooks that were created.
func WaitForWebhooks(*clientrest.Config, []*hooksv1.MutatingWebhookConfiguration, []*hooksv1.ValidatingWebhookConfiguration, WebhookInstallOptions) error {
	return nil
}

// read reads the objects of a kind out of a file, or of a folder's.
func read[T any](path, kind string) (all []*T, err error) {
	files, err := serve.Files([]string{path})
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		docs := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(b), 4096)
		for {
			var u unstructured.Unstructured
			if err := docs.Decode(&u.Object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if u.GetKind() != kind {
				continue
			}
			var obj T
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &obj); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, &obj)
		}
	}
	return all, nil
}

// with calls f with a client whose connections are closed after it.
func with(config *clientrest.Config, f func(dynamic.Interface) error) error {
	client, err := clientrest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	defer utilnet.CloseIdleConnectionsFor(client.Transport)
	c, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		return err
	}
	return f(c)
}

// ensure creates an object, or updates it where it exists, and reads into it what the server answers.
func ensure(config *clientrest.Config, resource schema.GroupVersionResource, kind string, obj metav1.Object) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(resource.GroupVersion().WithKind(kind))
	return with(config, func(c dynamic.Interface) error {
		all, ctx := c.Resource(resource), context.Background()
		out, err := all.Create(ctx, u, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
				there, err := all.Get(ctx, u.GetName(), metav1.GetOptions{})
				if err != nil {
					return err
				}
				u.SetResourceVersion(there.GetResourceVersion())
				out, err = all.Update(ctx, u, metav1.UpdateOptions{})
				return err
			})
		}
		if err != nil {
			return err
		}
		return runtime.DefaultUnstructuredConverter.FromUnstructured(out.Object, obj)
	})
}
