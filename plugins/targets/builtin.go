// Package targets names everything that can be tested, by connect strings such as "kubeconfig:PATH", and opens it.
package targets

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	plugin "github.com/lwtest/lwtest/plugins/controller"
	"github.com/lwtest/lwtest/plugins/cri"
	"github.com/lwtest/lwtest/plugins/exec"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/fakeclientset"
	"github.com/lwtest/lwtest/plugins/kube"
	controllers "github.com/lwtest/lwtest/plugins/mutants/controller"
	faultyInformers "github.com/lwtest/lwtest/plugins/mutants/informer"
	clients "github.com/lwtest/lwtest/plugins/mutants/listerwatcher"
	faultyNodes "github.com/lwtest/lwtest/plugins/mutants/node"
	runtimes "github.com/lwtest/lwtest/plugins/mutants/runtime"
	stores "github.com/lwtest/lwtest/plugins/mutants/store"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
	nodes "github.com/lwtest/lwtest/plugins/node"
)

// New returns all targets that can be tested. k makes the kind clusters that some of them use.
func New(k *Clusters) Set {
	return Set{Default: builtIn(false), BuiltIn: builtIn(true), Schemes: slices.Concat(servers(), clientGo(), ways(listerwatcher.Suite.Kind, "client-go's list and watch calls: ", k, listwatch.Names(), listwatch.About, listwatch.Target),
		ways(informer.Suite.Kind, "client-go's copy of a resource: ", k, informers.Names(), informers.About, informers.Target), clusterTargets(k), own(k))}
}

func servers() []Scheme {
	return []Scheme{
		{Name: "fake", Arg: "[VARIANT]", Help: "lwtest's own API server; fake:mutant/NAME breaks one rule, fake:oddity/NAME is odd but correct, fake:http is tested over HTTP", Open: openFake},
		{Name: "go:fakeclientset", Help: "client-go's kubernetes/fake", Open: fakeclientset.Open},
	}
}

// clusterTargets returns the API servers outside of lwtest.
func clusterTargets(k *Clusters) []Scheme {
	return []Scheme{
		{Name: "kubeconfig", Arg: "[PATH]", Options: []string{OptContext, OptResource, OptEtcd, OptRestart}, Help: "any API server; without a path what kubectl would use", Open: openKube},
		{Name: Kind, Arg: "[NAME]", Suite: watchcache.Suite.Kind, Options: []string{OptResource, OptImage, OptConfig, OptKindEtcd, OptKeep, OptRestart}, Help: "a kind cluster: created for the run and deleted after it, or an existing one with this NAME; with --suite runtime the containerd in its node", Open: k.open},
	}
}

// own returns lwtest's own implementations, and the target for adapters.
func own(k *Clusters) []Scheme {
	return []Scheme{
		{Name: "store", Arg: "NAME", Help: "lwtest's own stores and queues: mutant/NAME breaks one rule, oddity/NAME is odd but correct", Open: stores.Open},
		{Name: "listwatch", Arg: "NAME", Help: "client-go's list and watch calls: mutant/NAME breaks one rule, oddity/NAME is odd but correct", Open: func(_ context.Context, arg string) (harness.Target, error) {
			clientgo.Quiet()
			return clients.Open(arg, fake.Server, fake.ServerFeatures...)
		}},
		{Name: "informer", Arg: "NAME", Help: "lwtest's own informers: mutant/NAME breaks one rule, oddity/NAME is odd but correct", Open: func(_ context.Context, arg string) (harness.Target, error) {
			clientgo.Quiet()
			return OwnInformers.Find(arg)
		}},
		{Name: "cri", Arg: "NAME", Help: "a container runtime: unix:///PATH is one that listens on a socket (docs/cri.md), fake and fake/cri-o are lwtest's own, mutant/NAME breaks one rule", Open: openCRI},
		{Name: "node", Arg: "NAME", Help: "a node agent on lwtest's API server and container runtime: reference is lwtest's own, mutant/NAME breaks one rule", Open: openNode},
		{Name: "kubelet", Arg: "[PATH]", Help: "a real kubelet on lwtest's API server and container runtime; without a path the one that LWTEST_KUBELET names", Open: openKubelet},
		{Name: Controller, Arg: "COMMAND", Suite: controller.Suite.Kind, Options: []string{OptCRDs, OptManifests, OptScenario, OptRole, OptQuiet, OptServer, OptContext}, Help: "a controller in any language, as a program on lwtest's API server or that of --server (docs/controllers.md); mutant/NAME and oddity/NAME are lwtest's own", Open: k.openController},
		{Name: "exec", Arg: "COMMAND", Help: "an implementation in a process of its own, in any language: an adapter that speaks lines of JSON (docs/protocol.md)", Open: exec.Open},
		{Name: "hostile", Arg: "NAME", Hidden: true, Open: hostile.Open},
	}
}

// OwnInformers are lwtest's own informers on its own servers.
var OwnInformers = faultyInformers.Servers{Open: fake.Server, Has: fake.ServerFeatures}

// openNode opens a node agent.
func openNode(_ context.Context, arg string) (harness.Target, error) {
	return faultyNodes.Open(arg)
}

// Controller is the scheme of controllers.
const Controller = "controller"

// ownController reports whether the argument of the scheme controller names one of lwtest's own.
func ownController(arg string) bool {
	return strings.HasPrefix(arg, "mutant/") || strings.HasPrefix(arg, "oddity/")
}

// openController opens "COMMAND?crds=…&manifests=…&scenario=…&quiet=…&server=…", or one of lwtest's own controllers.
func (k *Clusters) openController(ctx context.Context, arg string) (harness.Target, error) {
	if ownController(arg) {
		return controllers.Open(arg)
	}
	command, options, err := Split(arg)
	if err != nil {
		return harness.Target{}, err
	}
	p := plugin.Program{Command: command, Scenario: options.Get(OptScenario)}
	for name, to := range map[string]*[]string{OptCRDs: &p.CRDs, OptRole: &p.Roles, OptManifests: &p.Manifests} {
		if paths := options.Get(name); paths != "" {
			*to = strings.Split(paths, ",")
		}
	}
	if quiet := options.Get(OptQuiet); quiet != "" {
		if p.Quiet, err = time.ParseDuration(quiet); err != nil || p.Quiet <= 0 {
			return harness.Target{}, Usagef("quiet is %q: say a time, as in 10s", quiet)
		}
	}
	if options.Get(OptServer) == "" {
		return plugin.OpenProgram(ctx, p)
	}
	return k.onCluster(ctx, options.Get(OptServer), options.Get(OptContext), func(config *rest.Config) (harness.Target, error) {
		p.Server = config
		return plugin.OpenProgram(ctx, p)
	})
}

// openKubelet opens a kubelet.
func openKubelet(_ context.Context, arg string) (harness.Target, error) {
	return nodes.OpenKubelet(arg)
}

// openCRI opens a container runtime.
func openCRI(ctx context.Context, arg string) (harness.Target, error) {
	if strings.Contains(arg, "://") {
		return cri.Open(ctx, arg)
	}
	return runtimes.Open(arg)
}

// clientGo returns client-go's own parts.
func clientGo() []Scheme {
	var out []Scheme
	for _, t := range clientgo.Targets() {
		out = append(out, Scheme{Name: t.Name, Help: t.Help, Family: familyOf(t.Name), Open: t.Open})
	}
	return out
}

// ways returns a target for each way in which client-go does something against an API server.
func ways(suite, help string, k *Clusters, names []string, about func(string) string,
	open func(string, func(*harness.T) (rig.Server, error), ...harness.Feature) (harness.Target, error)) []Scheme {
	var out []Scheme
	for _, name := range names {
		out = append(out, Scheme{Name: ClientGo + name, Server: true, Suite: suite, Family: familyOf(ClientGo + name), Help: help + about(name), Open: func(ctx context.Context, arg string) (harness.Target, error) {
			return k.onServer(ctx, arg, func(server func(*harness.T) (rig.Server, error), has ...harness.Feature) (harness.Target, error) {
				return open(name, server, has...)
			})
		}})
	}
	return out
}

// family is a group of client-go's parts that share most of their code. It has one line in a summary.
type family struct {
	name    string
	targets []string // without "go:client-go/"; those after the "|" are tested only with --target all
}

// families holds each of client-go's parts once.
var families = []family{
	{"client-go stores", []string{"store", "indexer", "thread-safe-store", "expiration-cache"}},
	{"client-go queues", []string{"delta-fifo", "real-fifo", "real-fifo-atomic", "undelta-store"}},
	{"client-go clients", []string{"typed", "dynamic", "|", "typed-protobuf", "metadata"}},
	{"client-go list-watchers", []string{"list-watch", "|", "factory-list-watch"}},
	{"client-go pagers", []string{"pager", "pager-each"}},
	{"client-go watchers", []string{"retry-watcher", "until", "until-with-sync", "until-without-retry"}},
	{"client-go informers", []string{"shared-informer", "shared-informer-lists", "|", "new-informer"}},
	{"client-go factories", []string{"factory-typed", "|", "factory-typed-lists", "factory-typed-protobuf", "factory-dynamic", "factory-metadata"}},
	{"client-go reflectors", []string{"reflector-store", "reflector-pages", "|", "reflector-undelta", "reflector-delta-fifo", "reflector-real-fifo"}},
}

// ClientGo begins the connect strings of the parts of client-go.
const ClientGo = "go:client-go/"

// familyOf returns the name of the family of a target, or "" if it has none.
func familyOf(name string) string {
	part, ok := strings.CutPrefix(name, ClientGo)
	for _, f := range families {
		if ok && slices.Contains(f.targets, part) {
			return f.name
		}
	}
	return ""
}

// builtIn returns the targets that need only lwtest itself: the default targets, or all of them.
func builtIn(all bool) []string {
	out := []string{"fake", "go:fakeclientset", "cri:fake", "cri:fake/cri-o", "node:reference"}
	for _, f := range families {
		for _, part := range f.targets {
			if part == "|" && !all {
				break
			}
			if part != "|" {
				out = append(out, ClientGo+part)
			}
		}
	}
	return out
}

// Options of the connect string of a cluster or a controller. Each is a flag, too.
const (
	OptContext   = "context"
	OptResource  = "resource"
	OptEtcd      = "etcd"
	OptRestart   = "restart-cmd"
	OptImage     = "kind-image"
	OptConfig    = "kind-config"
	OptKindEtcd  = "kind-etcd"
	OptKeep      = "keep-cluster"
	OptCRDs      = "crds"
	OptManifests = "manifests"
	OptScenario  = "scenario"
	OptQuiet     = "quiet"
	OptRole      = "role"
	OptServer    = "server" // of a controller
)

// openFake opens a target of the scheme "fake". arg is the text after the colon.
func openFake(ctx context.Context, arg string) (harness.Target, error) {
	if arg == "http" || strings.HasPrefix(arg, "http/") {
		return kube.OpenFake(ctx, arg)
	}
	return fake.Open(ctx, arg)
}

// openKube opens "PATH?context=NAME&resource=NAME…". Each part is optional.
func openKube(ctx context.Context, arg string) (harness.Target, error) {
	path, options, err := Split(arg)
	if err != nil {
		return harness.Target{}, err
	}
	if err := notSeveral(path); err != nil {
		return harness.Target{}, err
	}
	return kube.Open(ctx, kube.Options{Kubeconfig: path, Context: options.Get(OptContext), Resource: options.Get(OptResource),
		Etcd: options.Get(OptEtcd), RestartCmd: options.Get(OptRestart)})
}
