package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// healths are the paths of health, checks what stands behind each.
var (
	healths = []string{"healthz", "livez", "readyz"}
	checks  = []string{"ping", "log", "etcd"}
)

// health answers that all is well, at length if asked (k8s.io/apiserver, pkg/server/healthz).
func (x *exchange) health(kind, check string) {
	if check == "" {
		x.w.Header().Set("X-Content-Type-Options", "nosniff")
	}
	_, verbose := x.r.URL.Query()["verbose"]
	switch {
	case check != "" && !slices.Contains(checks, check):
		x.noPage()
	case check != "" || !verbose:
		x.text(http.StatusOK, "ok")
	default:
		x.text(http.StatusOK, healthReport(x.r.URL.Query()["exclude"])+kind+" check passed\n")
	}
}

// healthReport has a line for each check, and one for what is excluded and is none.
func healthReport(excluded []string) string {
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
