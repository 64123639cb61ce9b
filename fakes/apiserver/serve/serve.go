// Package serve starts the API server fake with all its parts: objects of files, faults, views, a request log, roles, webhooks.
// `lwtest serve apiserver` and package apiservertest are made of it.
package serve

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/fakes/workloads"
)

// WatchBehind is how many changes a reader may be behind: as many as a kube-apiserver keeps at most.
const WatchBehind = 1000

// Options of a server. The zero value serves the objects of a new cluster over TCP, at a free port of 127.0.0.1.
type Options struct {
	rest.Options
	// InMemory serves over net.Pipe, also inside a testing/synctest bubble: only the Dial of the rest.Config connects.
	InMemory bool
	// KeepNamespaces leaves deleted namespaces Terminating, as a kube-apiserver without kube-controller-manager does.
	KeepNamespaces bool
	// Accounts, Admission and ServiceRange are those of apiserver.Options.
	Accounts     bool
	Admission    apiserver.Admission
	ServiceRange netip.Prefix
	// Manifests are files, and folders of .yaml, .yml and .json files, whose objects are created first.
	Manifests []string
	// Faults strike requests; nil: none do.
	Faults *faults.Set
	// Views are more servers on the same store.
	Views []View
	// Webhooks says how webhooks, and the API servers behind APIServices, are reached.
	Webhooks rest.WebhookOptions
	// ClientCA is the authority of the certificates of Authentication.ClientCAs in PEM, for API servers behind APIServices. Empty: there is none.
	ClientCA []byte
	// CEL and ManagedFields are those of apiserver.Options.
	CEL           apiserver.CEL
	ManagedFields bool
	// Workloads makes pods of Deployments, Jobs and the like, and collects garbage; Scheduler binds pods to nodes. See package workloads.
	Workloads, Scheduler bool
	// Provisioner creates the default StorageClass workloads.DefaultClass, unless there is a default one, and makes the volumes of its claims.
	Provisioner bool
}

// View is a server whose caches are behind by Lag; negative: nothing new is ever seen.
type View struct {
	Name string
	Lag  time.Duration
}

// Server is a store with its servers, the first of which is named lwtest. It must be closed.
type Server struct {
	Store   *apiserver.Server
	Servers rest.Servers
	hooks   *rest.Webhooks
	remote  *rest.Aggregator
	stop    func() // ends the stand-ins
	running sync.WaitGroup
}

// Start starts a server.
func Start(ctx context.Context, o Options) (*Server, error) {
	var authority string
	if o.TLS {
		if o.Pair == nil {
			pair, err := rest.NewPair()
			if err != nil {
				return nil, err
			}
			o.Pair = &pair
		}
		authority = string(o.Pair.Authority)
	}
	remote, err := rest.NewAggregator(o.Webhooks)
	if err != nil {
		return nil, err
	}
	hooks := rest.NewWebhooks(o.Webhooks)
	o.Aggregator = remote
	s := &Server{hooks: hooks, remote: remote, stop: func() {}, Store: apiserver.New(apiserver.Options{
		Namespaces: true, NamespaceController: !o.KeepNamespaces, Types: schemas.Types, WatchBehind: WatchBehind,
		Accounts: o.Accounts, RootCA: authority, Admission: o.Admission, Tokens: o.Tokens, Webhooks: hooks.Call, CEL: o.CEL, ServiceRange: o.ServiceRange, ManagedFields: o.ManagedFields,
	})}
	if err := s.start(ctx, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, o Options) error {
	if o.RBAC {
		if err := rest.AddBootstrapRoles(ctx, s.Store); err != nil {
			return err
		}
	}
	if err := s.remote.AddAuthentication(ctx, s.Store, o.ClientCA, o.RBAC); err != nil {
		return err
	}
	files, err := Files(o.Manifests)
	if err == nil {
		err = rest.LoadFiles(ctx, s.Store, nil, files...)
	}
	if err != nil {
		return fmt.Errorf("manifests: %w", err)
	}
	if o.Provisioner {
		if err := workloads.AddDefaultClass(ctx, s.Store); err != nil {
			return err
		}
	}
	views, names := append([]View{{Name: "lwtest"}}, o.Views...), []string{}
	for _, v := range views {
		names = append(names, v.Name)
	}
	if o.Faults == nil {
		if o.Faults, err = faults.New(0); err != nil {
			return err
		}
	}
	if err := o.Faults.Views(names...); err != nil {
		return fmt.Errorf("faults: %w", err)
	}
	serve := rest.Serve
	if o.InMemory {
		serve = rest.ServePipe
	}
	for i, v := range views {
		on := s.Store.View
		if i > 0 {
			o.Address = ""
			on = s.Store.AddView()
			on.SetLag(v.Lag)
		}
		o.View = v.Name
		api, err := o.Faults.API(on, faults.Options{View: v.Name})
		if err != nil {
			return fmt.Errorf("faults: %w", err)
		}
		server, err := serve(api, o.Options)
		if err != nil {
			return err
		}
		s.Servers = append(s.Servers, rest.Named{Name: v.Name, Server: server})
	}
	s.controllers(ctx, o)
	return nil
}

// controllers starts the stand-ins, and what looks after APIServices. No fault strikes what they ask.
func (s *Server) controllers(ctx context.Context, o Options) {
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.running.Go(func() { s.remote.Run(ctx, s.Store) })
	if o.Workloads || o.Scheduler || o.Provisioner {
		s.running.Go(func() {
			_ = workloads.Run(ctx, s.Store, workloads.Options{Controllers: o.Workloads, Scheduler: o.Scheduler, Provisioner: o.Provisioner, Resources: o.Resources}) // it ends with the context
		})
	}
}

// Files returns the files of paths, which are files, and folders whose .yaml, .yml and .json files are taken, by name.
func Files(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
	}
	return files, nil
}

// First is the server of the store's first view.
func (s *Server) First() *rest.Server { return s.Servers[0].Server }

// Close breaks connections off and ends the store.
func (s *Server) Close() error {
	s.stop()
	s.running.Wait()
	var errs []error
	for _, n := range s.Servers {
		errs = append(errs, n.Server.Close())
	}
	s.hooks.Close()
	s.remote.Close()
	return errors.Join(append(errs, s.Store.Close())...)
}
