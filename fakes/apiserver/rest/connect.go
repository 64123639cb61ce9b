package rest

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// connection is a subresource behind which somebody else answers, most often the kubelet of a node. It follows
// k8s.io/kubernetes v1.37.1, pkg/registry/core/pod/rest, node/rest and service.
type connection struct {
	resource schema.GroupVersionResource
	name     string
	kind     string   // of its options, which discovery says
	verbs    []string // as discovery says
	methods  []string // that are served; nil: all
	serve    func(x *exchange, t target)
}

var (
	readVerbs  = []string{"get"}
	openVerbs  = []string{"create", "get"}
	proxyVerbs = []string{"create", "delete", "get", "patch", "update"}

	upgradeMethods = []string{http.MethodGet, http.MethodPost} // browsers open WebSockets by GET
)

// connections are all of them.
var connections = sync.OnceValue(func() []connection {
	v1 := corev1.SchemeGroupVersion
	pods, nodes, services := v1.WithResource("pods"), v1.WithResource("nodes"), v1.WithResource("services")
	return []connection{
		{pods, "attach", "PodAttachOptions", openVerbs, upgradeMethods, streaming("attach")},
		{pods, "exec", "PodExecOptions", openVerbs, upgradeMethods, streaming("exec")},
		{pods, "log", "Pod", readVerbs, []string{http.MethodGet}, (*exchange).log},
		{pods, "portforward", "PodPortForwardOptions", openVerbs, upgradeMethods, (*exchange).portForward},
		{pods, "proxy", "PodProxyOptions", proxyVerbs, nil, (*exchange).proxyPod},
		{nodes, "proxy", "NodeProxyOptions", proxyVerbs, nil, (*exchange).proxyNode},
		{services, "proxy", "ServiceProxyOptions", proxyVerbs, nil, (*exchange).proxyService},
	}
})

// connectionOf returns the connection that a resource has under the name of a subresource, which may have a path below it.
func connectionOf(gvr schema.GroupVersionResource, sub string) (connection, bool) {
	if sub == "" {
		return connection{}, false
	}
	name, _, below := strings.Cut(sub, "/")
	all := connections()
	i := slices.IndexFunc(all, func(c connection) bool {
		return c.resource == gvr && c.name == name && (!below || name == "proxy")
	})
	if i < 0 {
		return connection{}, false
	}
	return all[i], true
}

// connecting reports, before the path is read, whether a request is for a connection, which has no deadline.
func (x *exchange) connecting() bool {
	parts := split(x.r.URL.Path)
	if len(parts) > 6 && parts[2] == "namespaces" {
		parts = slices.Delete(parts, 2, 4)
	}
	if len(parts) < 5 || parts[0] != "api" {
		return false
	}
	_, ok := connectionOf(schema.GroupVersionResource{Version: parts[1], Resource: parts[2]}, strings.Join(parts[4:], "/"))
	return ok
}

// connect serves a connection. It counts for no flow, and what it sends has no limit in time.
func (x *exchange) connect(c connection, t target) {
	x.w.Header().Del("X-Kubernetes-Pf-Flowschema-Uid")
	x.w.Header().Del("X-Kubernetes-Pf-Prioritylevel-Uid")
	if c.methods != nil && !slices.Contains(c.methods, x.r.Method) {
		x.fail(noSuchMethod())
		return
	}
	c.serve(x, t)
}

// pod reads the pod that a request is about.
func (x *exchange) pod(t target, name string) (*corev1.Pod, error) {
	obj, err := x.stored.Get(x.r.Context(), apiserver.Request{Resource: t.req.Resource, Namespace: t.req.Namespace, Name: name}, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return obj.(*corev1.Pod), nil
}

// containerOf returns the container that a request names, or the only one of the pod.
func containerOf(pod *corev1.Pod, name string) (string, error) {
	var all []string
	for _, c := range pod.Spec.InitContainers {
		all = append(all, c.Name)
	}
	for _, c := range pod.Spec.Containers {
		all = append(all, c.Name)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		all = append(all, c.Name)
	}
	switch {
	case name != "" && !slices.Contains(all, name):
		return "", apierrors.NewBadRequest(fmt.Sprintf("container %s is not valid for pod %s", name, pod.Name))
	case name == "" && len(pod.Spec.Containers) > 1:
		return "", apierrors.NewBadRequest(fmt.Sprintf("a container name must be specified for pod %s, choose one of: %s", pod.Name, all))
	case name == "" && len(pod.Spec.Containers) == 0:
		return "", apierrors.NewBadRequest("a container name must be specified for pod " + pod.Name)
	case name == "":
		return pod.Spec.Containers[0].Name, nil
	}
	return name, nil
}

// kubelet returns the URL of the kubelet of a node. A node that is not there is an error about the resource of the request,
// as in kube-apiserver, which looks for it with the request's storage.
func (x *exchange) kubelet(t target, node string) (*url.URL, error) {
	nodes := corev1.SchemeGroupVersion.WithResource("nodes")
	obj, err := x.stored.Get(x.r.Context(), apiserver.Request{Resource: nodes, Name: node}, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, apierrors.NewNotFound(t.req.Resource.GroupResource(), node)
	}
	if err != nil {
		return nil, err
	}
	status := obj.(*corev1.Node).Status
	port := int(status.DaemonEndpoints.KubeletEndpoint.Port)
	if port <= 0 {
		port = 10250
	}
	for _, wanted := range []corev1.NodeAddressType{corev1.NodeInternalIP, corev1.NodeHostName} {
		for _, a := range status.Addresses {
			if a.Type == wanted {
				return &url.URL{Scheme: "https", Host: net.JoinHostPort(a.Address, strconv.Itoa(port))}, nil
			}
		}
	}
	return nil, fmt.Errorf("no preferred addresses found; known addresses: %v", status.Addresses)
}

// streaming serves exec and attach.
func streaming(path string) func(x *exchange, t target) {
	return func(x *exchange, t target) {
		pod, err := x.pod(t, t.req.Name)
		if err != nil {
			x.fail(err)
			return
		}
		query := x.r.URL.Query()
		container, err := containerOf(pod, query.Get("container"))
		if err != nil {
			x.fail(err)
			return
		}
		out := url.Values{}
		for said, name := range map[string]string{"stdin": "input", "stdout": "output", "stderr": "error", "tty": "tty"} {
			if truth(query[said]) {
				out.Set(name, "1")
			}
		}
		if path == "exec" {
			out["command"] = query["command"]
		}
		x.upgrade(t, pod, "/"+path+"/"+pod.Namespace+"/"+pod.Name+"/"+container, out)
	}
}

// portForward serves port-forward.
func (x *exchange) portForward(t target) {
	pod, err := x.pod(t, t.req.Name)
	if err != nil {
		x.fail(err)
		return
	}
	out := url.Values{}
	if ports := x.r.URL.Query()["ports"]; len(ports) > 0 {
		out.Set("port", strings.Join(ports, ","))
	}
	x.upgrade(t, pod, "/portForward/"+pod.Namespace+"/"+pod.Name, out)
}

// upgrade forwards a request that must be upgraded to the kubelet of a pod.
func (x *exchange) upgrade(t target, pod *corev1.Pod, path string, query url.Values) {
	if pod.Spec.NodeName == "" {
		x.fail(apierrors.NewBadRequest("pod " + pod.Name + " does not have a host assigned"))
		return
	}
	to, err := x.kubelet(t, pod.Spec.NodeName)
	if err != nil {
		x.fail(err)
		return
	}
	if !x.upgrading() {
		x.fail(apierrors.NewBadRequest("Upgrade request required"))
		return
	}
	to.Path, to.RawQuery = path, query.Encode()
	x.forward(to, func(err error) error { return fmt.Errorf("error dialing backend: %w", err) })
}

// upgrading reports whether a request wants another protocol on its connection.
func (x *exchange) upgrading() bool {
	return slices.ContainsFunc(x.r.Header.Values("Connection"), func(v string) bool { return strings.Contains(strings.ToLower(v), "upgrade") })
}

// log serves the logs of a container.
func (x *exchange) log(t target) {
	query := x.r.URL.Query()
	out, err := logQuery(t.req.Name, query)
	if err != nil {
		x.fail(err)
		return
	}
	pod, err := x.pod(t, t.req.Name)
	if err != nil {
		x.fail(err)
		return
	}
	container, err := containerOf(pod, query.Get("container"))
	if err != nil {
		x.fail(err)
		return
	}
	if pod.Spec.NodeName == "" {
		x.w.WriteHeader(http.StatusNoContent)
		return
	}
	from, err := x.kubelet(t, pod.Spec.NodeName)
	if err != nil {
		x.fail(err)
		return
	}
	from.Path, from.RawQuery = "/containerLogs/"+pod.Namespace+"/"+pod.Name+"/"+container, out.Encode()
	x.copyLog(pod.Name, from, truth(query["follow"]))
}

// logQuery returns what a kubelet is asked for logs of a pod; 400 or 422 where that cannot be.
func logQuery(pod string, query url.Values) (url.Values, error) {
	out := url.Values{}
	for _, name := range []string{"follow", "previous", "timestamps"} {
		if truth(query[name]) {
			out.Set(name, "true")
		}
	}
	var errs field.ErrorList
	for _, number := range []struct {
		name  string
		least int64
		words string
	}{{"tailLines", 0, "must be greater than or equal to 0"}, {"limitBytes", 1, "must be greater than 0"}, {"sinceSeconds", 1, "must be greater than 0"}} {
		if !query.Has(number.name) {
			continue
		}
		n, err := strconv.ParseInt(query.Get(number.name), 10, 64)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		if n < number.least {
			errs = append(errs, field.Invalid(field.NewPath(number.name), n, number.words))
		}
		out.Set(number.name, query.Get(number.name))
	}
	if since := query.Get("sinceTime"); since != "" {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		out.Set("sinceTime", at.Format(time.RFC3339))
	}
	if query.Has("sinceSeconds") && query.Has("sinceTime") {
		errs = append(errs, field.Forbidden(field.NewPath(""), "at most one of `sinceTime` or `sinceSeconds` may be specified"))
	}
	if query.Has("stream") { // the gate PodLogsQuerySplitStreams is off
		errs = append(errs, field.Forbidden(field.NewPath("stream"), "may not be specified"))
	}
	if len(errs) > 0 {
		return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "PodLogOptions"}, pod, errs)
	}
	return out, nil
}

// proxyNode forwards to the kubelet of a node, or to another port of it.
func (x *exchange) proxyNode(t target) {
	scheme, name, port, valid := utilnet.SplitSchemeNamePort(t.req.Name)
	if !valid {
		x.fail(apierrors.NewBadRequest(fmt.Sprintf("invalid node request %q", t.req.Name)))
		return
	}
	to, err := x.kubelet(t, name)
	if err != nil {
		x.fail(err)
		return
	}
	if port != "" && port != to.Port() {
		to.Scheme, to.Host = scheme, net.JoinHostPort(to.Hostname(), port)
		if scheme == "" {
			to.Scheme = "http"
		}
	}
	x.proxy(t, to)
}

// proxyPod forwards to the address of a pod.
func (x *exchange) proxyPod(t target) {
	scheme, name, port, valid := utilnet.SplitSchemeNamePort(t.req.Name)
	if !valid {
		x.fail(apierrors.NewBadRequest(fmt.Sprintf("invalid pod request %q", t.req.Name)))
		return
	}
	pod, err := x.pod(t, name)
	if err != nil {
		x.fail(err)
		return
	}
	for _, c := range pod.Spec.Containers {
		if port == "" && len(c.Ports) > 0 {
			port = strconv.Itoa(int(c.Ports[0].ContainerPort))
		}
	}
	if _, err := netip.ParseAddr(pod.Status.PodIP); err != nil {
		x.fail(apierrors.NewBadRequest("address not allowed"))
		return
	}
	to := &url.URL{Scheme: scheme, Host: net.JoinHostPort(pod.Status.PodIP, port)}
	if port == "" {
		to.Host = strings.TrimSuffix(to.Host, ":")
	}
	if scheme == "" {
		to.Scheme = "http"
	}
	x.proxy(t, to)
}

// proxyService forwards to a ready endpoint of a service: a pod that has the address, as in kube-apiserver.
func (x *exchange) proxyService(t target) {
	scheme, name, port, valid := utilnet.SplitSchemeNamePort(t.req.Name)
	if !valid {
		x.fail(apierrors.NewBadRequest(fmt.Sprintf("invalid service request %q", t.req.Name)))
		return
	}
	if n, err := strconv.ParseInt(port, 10, 64); err == nil {
		if port, err = x.portName(t, name, n); err != nil {
			x.fail(err)
			return
		}
	}
	host, err := x.endpoint(t, name, port)
	if err != nil {
		x.fail(err)
		return
	}
	x.proxy(t, &url.URL{Scheme: cmp.Or(scheme, "http"), Host: host})
}

// portName returns the name of a port of a service.
func (x *exchange) portName(t target, service string, number int64) (string, error) {
	obj, err := x.stored.Get(x.r.Context(), apiserver.Request{Resource: t.req.Resource, Namespace: t.req.Namespace, Name: service}, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	for _, p := range obj.(*corev1.Service).Spec.Ports {
		if int64(p.Port) == number {
			return p.Name, nil
		}
	}
	return "", apierrors.NewServiceUnavailable(fmt.Sprintf("no service port %d found for service %q", number, service))
}

// endpoint returns the address of the first ready endpoint of a service.
func (x *exchange) endpoint(t target, service, port string) (string, error) {
	req := apiserver.Request{Resource: discoveryv1.SchemeGroupVersion.WithResource("endpointslices"), Namespace: t.req.Namespace}
	all, err := x.stored.List(x.r.Context(), req, metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + service})
	if err != nil {
		return "", err
	}
	for _, slice := range all.(*discoveryv1.EndpointSliceList).Items {
		for _, p := range slice.Ports {
			if p.Port == nil || p.Name == nil || *p.Name != port {
				continue
			}
			for _, e := range slice.Endpoints {
				if ready := e.Conditions.Ready; (ready == nil || *ready) && x.isPod(t, e) {
					return net.JoinHostPort(e.Addresses[0], strconv.Itoa(int(*p.Port))), nil
				}
			}
		}
	}
	return "", apierrors.NewServiceUnavailable(fmt.Sprintf("no endpoints available for service %q", service))
}

// isPod reports whether an endpoint is a pod that has its address.
func (x *exchange) isPod(t target, e discoveryv1.Endpoint) bool {
	if e.TargetRef == nil || e.TargetRef.Namespace != t.req.Namespace {
		return false
	}
	pods := target{req: apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("pods"), Namespace: t.req.Namespace}}
	pod, err := x.pod(pods, e.TargetRef.Name)
	return err == nil && slices.Contains(pod.Status.PodIPs, corev1.PodIP{IP: e.Addresses[0]})
}

// proxy forwards a request as it is, with the path behind "proxy".
func (x *exchange) proxy(t target, to *url.URL) {
	to.Path = strings.TrimPrefix(t.req.Subresource, "proxy")
	if to.Path == "" && !strings.HasSuffix(x.r.URL.Path, "/") && (x.r.Method == http.MethodGet || x.r.Method == http.MethodHead) {
		at := x.r.URL.Path + "/"
		if x.r.URL.RawQuery != "" {
			at += "?" + x.r.URL.RawQuery
		}
		x.w.Header().Set("Location", at)
		x.w.WriteHeader(http.StatusMovedPermanently)
		return
	}
	if strings.HasSuffix(x.r.URL.Path, "/") && !strings.HasSuffix(to.Path, "/") {
		to.Path += "/"
	}
	to.RawQuery = x.r.URL.RawQuery
	x.forward(to, func(err error) error {
		return apierrors.NewServiceUnavailable(fmt.Sprintf("error trying to reach service: %v", err))
	})
}

var errRedirect = errors.New("redirects forbidden")
