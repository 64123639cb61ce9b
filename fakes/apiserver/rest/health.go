package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// healths are the paths of health.
var healths = []string{"healthz", "livez", "readyz"}

// hooks are what kube-apiserver v1.37.1 starts, and has done once it is ready.
var hooks = strings.Fields(`
	poststarthook/start-apiserver-admission-initializer poststarthook/generic-apiserver-start-informers
	poststarthook/priority-and-fairness-config-consumer poststarthook/priority-and-fairness-filter
	poststarthook/storage-object-count-tracker-hook poststarthook/start-apiextensions-informers
	poststarthook/start-apiextensions-controllers poststarthook/crd-informer-synced
	poststarthook/start-system-namespaces-controller poststarthook/peer-endpoint-reconciler-controller
	poststarthook/start-cluster-authentication-info-controller poststarthook/start-kube-apiserver-identity-lease-controller
	poststarthook/start-kube-apiserver-identity-lease-garbage-collector poststarthook/storage-readiness
	poststarthook/start-legacy-token-tracking-controller poststarthook/start-service-ip-repair-controllers
	poststarthook/rbac/bootstrap-roles poststarthook/scheduling/bootstrap-system-priority-classes
	poststarthook/priority-and-fairness-config-producer poststarthook/bootstrap-controller
	poststarthook/start-kubernetes-service-cidr-controller poststarthook/start-kube-aggregator-informers
	poststarthook/apiservice-status-local-available-controller poststarthook/apiservice-status-remote-available-controller
	poststarthook/apiservice-registration-controller poststarthook/apiservice-discovery-controller
	poststarthook/kube-apiserver-autoregistration autoregister-completion poststarthook/apiservice-openapi-controller
	poststarthook/apiservice-openapiv3-controller`)

// checks are those behind each path of health, in the order of kube-apiserver v1.37.1. All is always well here.
var checks = map[string][]string{
	"healthz": slices.Concat([]string{"ping", "log", "loopback-serving-certificate", "etcd"}, hooks),
	"livez":   slices.Concat([]string{"ping", "log", "loopback-serving-certificate", "etcd"}, hooks),
	"readyz":  slices.Concat([]string{"ping", "log", "etcd", "etcd-readiness", "informer-sync"}, hooks, []string{"shutdown"}),
}

// health answers that all is well, at length if asked (k8s.io/apiserver, pkg/server/healthz).
func (x *exchange) health(kind, check string) {
	if check == "" {
		x.w.Header().Set("X-Content-Type-Options", "nosniff")
	}
	_, verbose := x.r.URL.Query()["verbose"]
	switch {
	case check != "" && !slices.Contains(checks[kind], check):
		x.noPage()
	case check != "" || !verbose:
		x.text(http.StatusOK, "ok")
	default:
		x.text(http.StatusOK, healthReport(checks[kind], x.r.URL.Query()["exclude"])+kind+" check passed\n")
	}
}

// healthReport has a line for each check, and one for what is excluded and is none.
func healthReport(checks, excluded []string) string {
	var b strings.Builder
	for _, c := range checks {
		if slices.Contains(excluded, c) {
			b.WriteString("[+]" + c + " excluded: ok\n")
			continue
		}
		b.WriteString("[+]" + c + " ok\n")
	}
	var unknown []string
	for _, name := range excluded {
		if quoted := strconv.Quote(name); !slices.Contains(checks, name) && !slices.Contains(unknown, quoted) {
			unknown = append(unknown, quoted)
		}
	}
	if len(unknown) > 0 {
		b.WriteString("warn: some health checks cannot be excluded: no matches for " + strings.Join(unknown, ",") + "\n")
	}
	return b.String()
}
