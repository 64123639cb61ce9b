package node

import (
	"net"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/tools/cache"
)

// watchServices follows the services, which containers have as variables.
func (a *Agent) watchServices() {
	lw := cache.NewListWatchFromClient(a.api.CoreV1().RESTClient(), "services", metav1.NamespaceAll, fields.Everything())
	store, c := cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: lw, ObjectType: &v1.Service{}, Handler: cache.ResourceEventHandlerFuncs{}})
	a.spawn(func() {
		if cache.WaitForCacheSync(a.ctx.Done(), c.HasSynced) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.services = store
		}
	})
	c.RunWithContext(a.ctx)
}

// serviceEnv returns the variables of services: of default/kubernetes and, unless the pod wants none, of those in its namespace
// (k8s.io/kubernetes v1.37.1, pkg/kubelet/envvars). Pods of the API run once services have been read; static pods do without.
func (a *Agent) serviceEnv(p *v1.Pod) map[string]string {
	a.mu.Lock()
	store := a.services
	a.mu.Unlock()
	out := map[string]string{}
	if store == nil {
		return out
	}
	var master *v1.Service
	for _, o := range store.List() {
		s := o.(*v1.Service)
		switch {
		case s.Spec.ClusterIP == "" || s.Spec.ClusterIP == v1.ClusterIPNone || len(s.Spec.Ports) == 0:
		case s.Namespace == metav1.NamespaceDefault && s.Name == "kubernetes":
			master = s
		case s.Namespace == p.Namespace && (p.Spec.EnableServiceLinks == nil || *p.Spec.EnableServiceLinks):
			addService(out, s)
		}
	}
	if master != nil && out["KUBERNETES_SERVICE_HOST"] == "" { // a service of that name in the pod's namespace wins
		addService(out, master)
	}
	return out
}

// addService adds the variables of a service: NAME_SERVICE_HOST and the like, and those of links between containers.
func addService(out map[string]string, s *v1.Service) {
	name := strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
	out[name+"_SERVICE_HOST"] = s.Spec.ClusterIP
	for i, p := range s.Spec.Ports {
		port, protocol := strconv.Itoa(int(p.Port)), string(p.Protocol)
		if protocol == "" {
			protocol = string(v1.ProtocolTCP)
		}
		url := strings.ToLower(protocol) + "://" + net.JoinHostPort(s.Spec.ClusterIP, port)
		if i == 0 {
			out[name+"_SERVICE_PORT"], out[name+"_PORT"] = port, url
		}
		if p.Name != "" {
			out[name+"_SERVICE_PORT_"+strings.ToUpper(strings.ReplaceAll(p.Name, "-", "_"))] = port
		}
		link := name + "_PORT_" + port + "_" + protocol
		out[link], out[link+"_PROTO"], out[link+"_PORT"], out[link+"_ADDR"] = url, strings.ToLower(protocol), port, s.Spec.ClusterIP
	}
}
