package rest

import (
	"cmp"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// followed is the kube-apiserver that this one answers like.
const followed = "v1.37.1+lwtest"

func (x *exchange) discoverCore() {
	if !x.reading() || x.wantsAggregate(x.found().core) {
		return
	}
	x.document(&metav1.APIVersions{
		TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: x.table.versions(""),
		ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: x.r.Host}},
	})
}

func (x *exchange) discoverGroups() {
	all, groups := x.found().named, x.found().groups
	if remote := x.remoteServices(); len(remote) > 0 {
		all, groups = x.aggregateWith(all, remote), withRemote(groups, remote)
	}
	if x.wantsAggregate(all) {
		return
	}
	x.document(&metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: groups})
}

func (x *exchange) discoverGroup(name string) {
	for _, g := range withRemote(x.found().groups, x.remoteServices()) {
		if g.Name == name {
			g.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
			x.document(&g)
			return
		}
	}
	x.noPage()
}

func (x *exchange) discoverVersion(gv schema.GroupVersion) {
	if !x.reading() {
		return
	}
	l := *x.found().versions[gv]
	x.document(&l)
}

// roots names what there is.
func (x *exchange) roots() {
	paths := []string{"/api", "/apis", "/version"}
	for gv := range x.found().versions {
		if gv.Group == "" {
			paths = append(paths, "/api/"+gv.Version)
			continue
		}
		paths = append(paths, "/apis/"+gv.Group, "/apis/"+gv.String())
	}
	for _, s := range x.remoteServices() {
		paths = append(paths, "/apis/"+s.Spec.Group, "/apis/"+s.Spec.Group+"/"+s.Spec.Version)
	}
	for _, h := range healths {
		paths = append(paths, "/"+h)
		for _, c := range checks[h] {
			paths = append(paths, "/"+h+"/"+c)
		}
	}
	slices.Sort(paths)
	x.raw(http.StatusOK, metav1.RootPaths{Paths: slices.Compact(paths)})
}

func (x *exchange) version(below []string) {
	switch {
	case len(below) > 0:
		x.fail(noSuchPath())
		return
	case x.r.Method != http.MethodGet:
		x.fail(noSuchMethod())
		return
	}
	git := x.git()
	numbers := strings.SplitN(strings.TrimPrefix(git, "v")+"..", ".", 3)
	compatible := "" // with the minor version before
	if n, err := strconv.Atoi(numbers[1]); err == nil && n > 0 {
		compatible = strconv.Itoa(n - 1)
	}
	x.raw(http.StatusOK, version.Info{
		Major: numbers[0], Minor: numbers[1], EmulationMajor: numbers[0], EmulationMinor: numbers[1],
		MinCompatibilityMajor: numbers[0], MinCompatibilityMinor: compatible,
		GitVersion: git, GitTreeState: "clean", BuildDate: "1970-01-01T00:00:00Z",
		GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	})
}

// git is the gitVersion.
func (x *exchange) git() string { return cmp.Or(x.o.Version, followed) }
