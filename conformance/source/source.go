// Package source pins the public sources that clauses cite: pages at a commit, symbols at a version.
package source

import "github.com/lwtest/lwtest/harness"

// The snapshots that the page sources are pinned to. Anchors are those that
// GitHub makes of the headings: it keeps the text of a {#name} in them.
const (
	concepts        = "https://github.com/kubernetes/website/blob/bad70d1db1641fd4bfe653ccf60ea9cef0e36f46/content/en/docs/reference/using-api/api-concepts.md#"
	Authentication  = "https://github.com/kubernetes/website/blob/00cce4136eb6507551a29d29715ff10b463cc5ad/content/en/docs/reference/access-authn-authz/authentication.md#"
	ServerSideApply = "https://github.com/kubernetes/website/blob/bad70d1db1641fd4bfe653ccf60ea9cef0e36f46/content/en/docs/reference/using-api/server-side-apply.md"
	ObjectPages     = "https://github.com/kubernetes/website/blob/bad70d1db1641fd4bfe653ccf60ea9cef0e36f46/content/en/docs/concepts/overview/working-with-objects/"
	Overview        = "https://github.com/kubernetes/website/blob/bad70d1db1641fd4bfe653ccf60ea9cef0e36f46/content/en/docs/concepts/overview/"
	conventions     = "https://github.com/kubernetes/community/blob/24e7d8f5409c1a0121394a613746e524f781e044/contributors/devel/sig-architecture/api-conventions.md#"
	keps            = "https://github.com/kubernetes/enhancements/blob/64765b4b02389318f2113119dd9e491479f978a0/keps/sig-api-machinery/"
	EtcdLearn       = "https://github.com/etcd-io/website/blob/824597935df6e95992ef61c07e3222f4f796ca6c/content/en/docs/v3.6/learning/"
)

// Packages of symbols.
const (
	MetaTypes    = "k8s.io/apimachinery@v0.37.2/pkg/apis/meta/v1/types.go#"
	WatchTypes   = "k8s.io/apimachinery@v0.37.2/pkg/watch/watch.go#"
	WatchPackage = "k8s.io/apimachinery@v0.37.2/pkg/watch/"
	Errors       = "k8s.io/apimachinery@v0.37.2/pkg/api/errors/errors.go#"
	StorageTests = "k8s.io/apiserver@v0.37.2/pkg/storage/testing/"
	Cache        = "k8s.io/client-go@v0.37.2/tools/cache/"
	WatchTools   = "k8s.io/client-go@v0.37.2/tools/watch/"
	Pager        = "k8s.io/client-go@v0.37.2/tools/pager/pager.go#"
	REST         = "k8s.io/client-go@v0.37.2/rest/"
)

// Persistence is what HTTP/1.1 says of connections that carry further requests: a client that uses none again says so with each request.
var Persistence = harness.Source{Name: `RFC 9112, "Persistence"`, URL: "https://github.com/httpwg/httpwg.github.io/blob/03d654325e07b3bb0bd2c37dc5d94248d0407a55/specs/rfc9112.html#persistent.connections"}

// Symbol is a source that says itself where it is: module@version/file#Symbol
// or module@version/file#Type.Member.
func Symbol(s string) harness.Source { return harness.Source{Name: s} }

// Concept is a section of the Kubernetes API concepts.
func Concept(section, anchor string) harness.Source {
	return harness.Source{Name: `Kubernetes API concepts, "` + section + `"`, URL: concepts + anchor}
}

// Convention is a section of the API conventions.
func Convention(section, anchor string) harness.Source {
	return harness.Source{Name: `Kubernetes API conventions, "` + section + `"`, URL: conventions + anchor}
}

// KEP is a section of one of API machinery's.
func KEP(name, section, at string) harness.Source {
	return harness.Source{Name: name + `, "` + section + `"`, URL: keps + at}
}

// EtcdWatch is a guarantee of etcd's watches.
func EtcdWatch(guarantee string) harness.Source {
	return harness.Source{Name: `etcd 3.6 API guarantees, "Watch APIs": ` + guarantee, URL: EtcdLearn + "api_guarantees.md#watch-apis"}
}
