// Package registry is the least of a Kubernetes API server: k8s.io/apiserver's generic registry and handlers with one resource, ConfigMaps, over
// an etcd or what stands in for one, with a watch cache or without. What stands in front of the storage is what kube-apiserver has: preconditions,
// suggestions of cached objects, patches that are tried again.
package registry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/emicklei/go-restful/v3"
	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	generics "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/lwtest/lwtest/fakes/etcd"
	"github.com/lwtest/lwtest/plugins/adapter"
)

// Options say what an API server is made of.
type Options struct {
	// Etcd is the address of an etcd, or of what stands in for one, which is empty. Close is called when the API server is closed; it may be nil.
	Etcd  string
	Close func()
	// Cached puts k8s.io/apiserver's watch cache before the storage.
	Cached bool
	// Away is how late the etcd answers reads, as one on another machine. What a storage reads in several requests may change between them.
	Away time.Duration
	// NotFoundAt has 404s say at which resourceVersion the storage found no object. Before 0.38 a get says 0 (kubernetes#142591).
	NotFoundAt bool
	// Admit is asked before each write; nil: all are admitted.
	Admit admission.Interface
}

// Features are what an API server of this package promises to the suite of servers. Without a watch cache it sends no bookmarks but those that end
// initial events.
func Features(cached bool) []string {
	all := []string{"comparable-rv", "watchlist", "patch", "apply", "json-patch", "strategic-merge-patch", "label-selectors", "field-selectors",
		"delete-preconditions", "pages", "watch-errors", "dry-run", "plain-update", "generate-name", "finalizers", "deletecollection", "delete-answer", "update-needs-object",
		"sole-writer", "compaction", "other-resource", "restart", "storage-faults"}
	if cached {
		all = append(all, "bookmarks", "lag")
	}
	return all
}

// Server is an API server on loopback. It implements adapter.Serving and its parts for what Features promise.
type Server struct {
	o       Options
	proxy   *etcd.Proxy // between the storage and its etcd
	client  *clientv3.Client
	address string

	mu     sync.Mutex // while it starts again, and of others
	now    *instance
	others int // objects of another cluster
}

// instance is an API server between two restarts.
type instance struct {
	store  *generics.Store
	server *http.Server
	end    context.CancelFunc
}

// Start starts an API server. Its error is that of a part that does not start. It takes over o.Close.
func Start(o Options) (_ *Server, err error) {
	s := &Server{o: o, address: "127.0.0.1:0"}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.client, err = clientv3.New(clientv3.Config{Endpoints: []string{o.Etcd}, DialTimeout: dialing}); err != nil {
		return nil, err
	}
	var faults []etcd.Fault
	if o.Away > 0 {
		faults = []etcd.Fault{{Name: "away", Verbs: []string{"range"}, Latency: &metav1.Duration{Duration: o.Away}}}
	}
	if s.proxy, err = etcd.New(strings.TrimPrefix(o.Etcd, "http://"), nil, "127.0.0.1:0", nil, faults...); err != nil {
		return nil, err
	}
	return s, s.begin()
}

// begin starts an instance.
func (s *Server) begin() error {
	i := &instance{}
	s.now = i
	var err error
	if i.store, err = newStore("http://"+s.proxy.Address(), s.o.Cached); err != nil {
		return err
	}
	served := rest.Storage(i.store)
	if s.o.NotFoundAt {
		i.store.Storage.Storage = noting{i.store.Storage.Storage}
		served = telling{i.store}
	}
	handler, err := handlerOf(served, s.o.Admit)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.address)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	i.end, s.address = end, l.Addr().String()
	i.server = &http.Server{Handler: handler, BaseContext: func(net.Listener) context.Context { return ctx }, ReadHeaderTimeout: dialing}
	go func() { _ = i.server.Serve(l) }() // until it is closed
	return i.ready()
}

// dialing is how long an etcd may take to answer.
const dialing = 10 * time.Second

// ready waits until the watch cache is filled.
func (i *instance) ready() error {
	for from := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := i.store.ReadinessCheck()
		if err == nil {
			return nil
		}
		if time.Since(from) > dialing {
			return fmt.Errorf("the storage is not ready: %w", err)
		}
	}
}

func (i *instance) close() (err error) {
	if i.server != nil {
		i.end()
		err = i.server.Close()
	}
	if i.store != nil {
		i.store.Destroy()
	}
	return err
}

// Address implements adapter.Serving.
func (s *Server) Address() adapter.Server { return adapter.Server{URL: "http://" + s.address} }

// Close ends the API server.
func (s *Server) Close() { _ = s.close() }

func (s *Server) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	if s.now != nil {
		errs = append(errs, s.now.close())
	}
	if s.proxy != nil {
		errs = append(errs, s.proxy.Close())
	}
	if s.client != nil {
		errs = append(errs, s.client.Close())
	}
	if s.o.Close != nil {
		s.o.Close()
	}
	return errors.Join(errs...)
}

// prefix is that of all keys, and otherPrefix that of another cluster in the same etcd. A store that takes "_" for a wildcard mixes them up.
const (
	prefix      = "/registry_a"
	otherPrefix = "/registry-a"
)

// newStore returns the registry of ConfigMaps, over the etcd at an address.
func newStore(address string, cached bool) (*generics.Store, error) {
	config := storagebackend.NewDefaultConfig(prefix, codec)
	config.Transport.ServerList = []string{address}
	config.CompactionInterval = 0 // the suite says when
	config.EncodeVersioner = corev1.SchemeGroupVersion
	decorator := generic.UndecoratedStorage
	if cached {
		decorator = generics.StorageWithCacher()
	}
	resource := corev1.Resource("configmaps")
	s := &generics.Store{
		NewFunc:                   func() runtime.Object { return &corev1.ConfigMap{} },
		NewListFunc:               func() runtime.Object { return &corev1.ConfigMapList{} },
		PredicateFunc:             matching,
		DefaultQualifiedResource:  resource,
		SingularQualifiedResource: corev1.Resource("configmap"),
		CreateStrategy:            strategy{},
		UpdateStrategy:            strategy{},
		DeleteStrategy:            strategy{},
		ReturnDeletedObject:       true,
		TableConvertor:            rest.NewDefaultTableConvertor(resource),
	}
	options := generic.RESTOptions{StorageConfig: config.ForResource(resource), Decorator: decorator, EnableGarbageCollection: true, DeleteCollectionWorkers: 1, ResourcePrefix: "configmaps"}
	return s, s.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options, AttrFunc: attributes})
}

// handlerOf serves a registry as /api/v1/…/configmaps.
func handlerOf(s rest.Storage, admit admission.Interface) (http.Handler, error) {
	version := corev1.SchemeGroupVersion
	group := endpoints.APIGroupVersion{
		Storage: map[string]rest.Storage{"configmaps": s}, Root: "/api", GroupVersion: version,
		AllServedVersionsByResource: map[string][]string{"configmaps": {version.Version}},
		Serializer:                  codecs, ParameterCodec: metav1.ParameterCodec,
		Typer: scheme, Creater: scheme, Convertor: scheme, ConvertabilityChecker: scheme, Defaulter: scheme, Namer: runtime.Namer(meta.NewAccessor()),
		UnsafeConvertor: runtime.UnsafeObjectConvertor(scheme), TypeConverter: managedfields.NewDeducedTypeConverter(),
		EquivalentResourceRegistry: runtime.NewEquivalentResourceRegistry(),
		Admit:                      admit,
		Authorizer:                 authorizerfactory.NewAlwaysAllowAuthorizer(),
		MinRequestTimeout:          30 * time.Minute, // as kube-apiserver's
		MaxRequestBodyBytes:        3 << 20,
	}
	container := restful.NewContainer()
	container.Router(restful.CurlyRouter{})
	if _, _, err := group.InstallREST(container); err != nil {
		return nil, err
	}
	info := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	return filters.WithAuditInit(filters.WithRequestInfo(container, info)), nil
}
