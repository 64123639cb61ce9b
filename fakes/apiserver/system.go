package apiserver

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// AdvertiseAddress and AdvertisePort are the only endpoint of the API server's own Service: an address for documentation (RFC 5737), because
// Endpoints must not name a loopback address.
const (
	AdvertiseAddress = "192.0.2.1"
	AdvertisePort    = 6443
)

const kubernetes = "kubernetes" // the name of the Service and of its endpoints

// systemObject is an object that the server creates at its start and again when it is deleted.
type systemObject struct {
	resource schema.GroupVersionResource
	object   func() runtime.Object
}

// systemObjects are the Service default/kubernetes and its endpoints, as kube-apiserver v1.37.1 writes them
// (pkg/controlplane/controller/kubernetesservice).
var systemObjects = []systemObject{
	{corev1.SchemeGroupVersion.WithResource("services"), kubernetesService},
	{corev1.SchemeGroupVersion.WithResource("endpoints"), kubernetesEndpoints},
	{discoveryv1.SchemeGroupVersion.WithResource("endpointslices"), kubernetesSlice},
}

func kubernetesMeta(labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: kubernetes, Namespace: metav1.NamespaceDefault, Labels: labels}
}

func kubernetesService() runtime.Object {
	return &corev1.Service{
		ObjectMeta: kubernetesMeta(map[string]string{"component": "apiserver", "provider": kubernetes}),
		Spec: corev1.ServiceSpec{
			Ports: []corev1.ServicePort{{Name: "https", Port: 443, TargetPort: intstr.FromInt32(AdvertisePort)}},
		},
	}
}

func kubernetesEndpoints() runtime.Object {
	//lint:ignore SA1019 clients still read it
	return &corev1.Endpoints{
		ObjectMeta: kubernetesMeta(map[string]string{discoveryv1.LabelSkipMirror: "true"}),
		//lint:ignore SA1019 likewise
		Subsets: []corev1.EndpointSubset{{
			Addresses: []corev1.EndpointAddress{{IP: AdvertiseAddress}},
			Ports:     []corev1.EndpointPort{{Name: "https", Port: AdvertisePort, Protocol: corev1.ProtocolTCP}},
		}},
	}
}

func kubernetesSlice() runtime.Object {
	return &discoveryv1.EndpointSlice{
		ObjectMeta:  kubernetesMeta(map[string]string{discoveryv1.LabelServiceName: kubernetes}),
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{AdvertiseAddress}, Conditions: discoveryv1.EndpointConditions{Ready: new(true)}}},
		Ports:       []discoveryv1.EndpointPort{{Name: new("https"), Port: new(int32(AdvertisePort)), Protocol: new(corev1.ProtocolTCP)}},
	}
}

// addSystemObjects creates the system objects that are missing, of the kinds that are served. kube-apiserver looks
// every ten seconds; this server does it at its start and at each delete. The lock is held.
func (c *core) addSystemObjects(now time.Time) {
	if !c.o.Namespaces {
		return
	}
	for _, s := range systemObjects {
		k := c.st.kinds[s.resource]
		if k == nil || k.Now().Get(k.res.key(metav1.NamespaceDefault, kubernetes)) != nil {
			continue
		}
		in := s.object()
		if service, ok := in.(*corev1.Service); ok {
			service.Spec.ClusterIP = c.serviceRange().Addr().Next().String()
		}
		if err := c.fill(now, k, in, in.(metav1.Object), true); err != nil {
			continue // nothing is free that a service needs
		}
		c.commit(now, write{kind: k, change: &change{new: c.st.record(k.res.key(metav1.NamespaceDefault, kubernetes), in)}})
	}
}

// rootCA is the name of the ConfigMap with the certificate of the API server's authority.
const rootCA = "kube-root-ca.crt"

// accountsOf are the objects that each namespace has where a controller manager runs.
func (c *core) accountsOf(namespace string) []systemObject {
	in := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: namespace} }
	return []systemObject{
		{accounts, func() runtime.Object { return &corev1.ServiceAccount{ObjectMeta: in("default")} }},
		{corev1.SchemeGroupVersion.WithResource("configmaps"), func() runtime.Object {
			return &corev1.ConfigMap{ObjectMeta: in(rootCA), Data: map[string]string{"ca.crt": c.o.RootCA}}
		}},
	}
}

// addAccounts creates those of a namespace that are missing. The lock is held.
func (c *core) addAccounts(now time.Time, namespace string) {
	namespaces := c.st.kinds[corev1.SchemeGroupVersion.WithResource("namespaces")]
	if !c.o.Accounts || namespaces == nil {
		return
	}
	if ns := namespaces.Now().Get(namespace); ns == nil || ns.meta.GetDeletionTimestamp() != nil {
		return
	}
	for _, s := range c.accountsOf(namespace) {
		in := s.object()
		k, m := c.st.kinds[s.resource], in.(metav1.Object)
		if key := namespace + "/" + m.GetName(); k != nil && k.Now().Get(key) == nil && c.fill(now, k, in, m, true) == nil {
			c.commit(now, write{kind: k, change: &change{new: c.st.record(key, in)}})
		}
	}
}

// restoreSystemObject brings a system object back that has been deleted. The lock is held.
func (c *core) restoreSystemObject(now time.Time, deleted target) {
	if name := deleted.rec.meta.GetName(); name == "default" || name == rootCA {
		c.addAccounts(now, deleted.rec.meta.GetNamespace())
	}
	for _, s := range systemObjects {
		if deleted.kind.res.GroupVersionResource == s.resource && deleted.rec.meta.GetName() == kubernetes {
			c.addSystemObjects(now)
			return
		}
	}
}
