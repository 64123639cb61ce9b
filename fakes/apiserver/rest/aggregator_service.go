package rest

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// nowhere returns the condition of an APIService whose service has no address.
func nowhere(reason, format string, args ...any) (string, *apiserver.APIServiceCondition) {
	is := metav1.ConditionFalse
	if strings.HasSuffix(reason, "AccessError") {
		is = metav1.ConditionUnknown
	}
	return "", &apiserver.APIServiceCondition{Status: is, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// resolve returns the host and port behind a service, or the condition that it is in. WebhookOptions.Services go first, without a look
// at the service. Cluster addresses lead nowhere here: a ready endpoint is taken.
func (a *Aggregator) resolve(ctx context.Context, api apiserver.API, of *apiserver.ServiceReference) (string, *apiserver.APIServiceCondition) {
	if host := a.o.Services[of.Namespace+"/"+of.Name]; host != "" {
		return host, nil
	}
	obj, err := api.Get(ctx, apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("services"), Namespace: of.Namespace, Name: of.Name}, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nowhere("ServiceNotFound", "service/%s in %q is not present", of.Name, of.Namespace)
	}
	if err != nil {
		return nowhere("ServiceAccessError", "service/%s in %q cannot be checked due to: %v", of.Name, of.Namespace, err)
	}
	spec, port := obj.(*corev1.Service).Spec, -1
	if spec.Type == corev1.ServiceTypeExternalName {
		return net.JoinHostPort(spec.ExternalName, strconv.Itoa(int(of.Port))), nil
	}
	for i, p := range spec.Ports {
		if p.Port == of.Port {
			port = i
		}
	}
	if port < 0 {
		return nowhere("ServicePortError", "service/%s in %q is not listening on port %d", of.Name, of.Namespace, of.Port)
	}
	return a.endpoint(ctx, api, of, spec.Ports[port].Name)
}

// endpoint is resolve for a port of a service that has endpoints.
func (a *Aggregator) endpoint(ctx context.Context, api apiserver.API, of *apiserver.ServiceReference, port string) (string, *apiserver.APIServiceCondition) {
	req := apiserver.Request{Resource: discoveryv1.SchemeGroupVersion.WithResource("endpointslices"), Namespace: of.Namespace}
	l, err := api.List(ctx, req, metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + of.Name})
	if err != nil {
		return nowhere("EndpointsAccessError", "service/%s in %q cannot be checked due to: %v", of.Name, of.Namespace, err)
	}
	all := l.(*discoveryv1.EndpointSliceList).Items
	if len(all) == 0 {
		return nowhere("EndpointsNotFound", "cannot find endpointslices for service/%s in %q", of.Name, of.Namespace)
	}
	if host := readyAddress(all, port); host != "" {
		return host, nil
	}
	return nowhere("MissingEndpoints", "endpointslices for service/%s in %q have no addresses with port name %q", of.Name, of.Namespace, port)
}

// readyAddress returns the first ready address with a port of that name; "": there is none.
func readyAddress(all []discoveryv1.EndpointSlice, port string) string {
	for _, slice := range all {
		for _, p := range slice.Ports {
			if p.Port == nil || p.Name == nil || *p.Name != port {
				continue
			}
			for _, e := range slice.Endpoints {
				if (e.Conditions.Ready == nil || *e.Conditions.Ready) && len(e.Addresses) > 0 {
					return net.JoinHostPort(e.Addresses[0], strconv.Itoa(int(*p.Port)))
				}
			}
		}
	}
	return ""
}

// AddAuthentication creates what API servers behind an API need to know of it: the ConfigMap extension-apiserver-authentication, and with
// roles the Role that lets them read it. clientCA, in PEM, is the authority of users' certificates; empty: there are none.
func (a *Aggregator) AddAuthentication(ctx context.Context, api apiserver.API, clientCA []byte, roles bool) error {
	const namespace, name = metav1.NamespaceSystem, "extension-apiserver-authentication"
	data := map[string]string{
		"requestheader-client-ca-file": string(a.ca), "requestheader-allowed-names": `["` + FrontProxy + `"]`,
		"requestheader-username-headers": `["X-Remote-User"]`, "requestheader-uid-headers": `["X-Remote-Uid"]`,
		"requestheader-group-headers": `["X-Remote-Group"]`, "requestheader-extra-headers-prefix": `["X-Remote-Extra-"]`,
	}
	if len(clientCA) > 0 {
		data["client-ca-file"] = string(clientCA)
	}
	req := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), Namespace: namespace}
	_, err := api.Create(ctx, req, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data}, metav1.CreateOptions{FieldManager: apiserver.ServerManager})
	if err != nil || !roles {
		return err
	}
	return addReader(ctx, api, namespace, name)
}
