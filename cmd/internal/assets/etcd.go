package assets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"
)

// apiServersPath is a path of the stand-in for etcd: a POST answers how many there were before.
const apiServersPath = "/lwtest/apiservers"

// etcdFlags are those of etcd v3.6.8. Those that begin with experimental- have a name without that, too.
var etcdFlags = slices.Concat(
	flags(used, "where to listen for clients, http:// only (default http://localhost:2379)", "listen-client-urls"),
	flags(accepted, "nothing is stored", "data-dir", "wal-dir", "unsafe-no-fsync bool", "snapshot-count uint", "max-snapshots uint", "max-wals uint",
		"quota-backend-bytes int", "backend-batch-interval duration", "backend-batch-limit int", "backend-bbolt-freelist-type",
		"auto-compaction-mode", "auto-compaction-retention", "max-txn-ops uint", "max-request-bytes uint", "max-concurrent-streams uint",
		"bcrypt-cost uint", "auth-token", "auth-token-ttl uint", "feature-gates", "v2-deprecation", "enable-grpc-gateway bool",
		"grpc-keepalive-min-time duration", "grpc-keepalive-interval duration", "grpc-keepalive-timeout duration", "cors", "host-whitelist",
		"socket-reuse-port bool", "socket-reuse-address bool"),
	experimental(flags(accepted, "nothing is stored", "bootstrap-defrag-threshold-megabytes uint", "compact-hash-check-enabled bool",
		"compact-hash-check-time duration", "compaction-batch-limit int", "compaction-sleep-interval duration", "corrupt-check-time duration",
		"downgrade-check-time duration", "enable-lease-checkpoint bool", "enable-lease-checkpoint-persist bool", "initial-corrupt-check bool",
		"memory-mlock bool", "snapshot-catchup-entries uint", "stop-grpc-service-on-defrag bool", "txn-mode-write-with-shared-buffer bool",
		"watch-progress-notify-interval duration")),
	flags(accepted, "there are no peers", "name", "listen-peer-urls", "initial-advertise-peer-urls", "advertise-client-urls", "initial-cluster",
		"initial-cluster-state", "initial-cluster-token", "heartbeat-interval uint", "election-timeout uint", "initial-election-tick-advance bool",
		"pre-vote bool", "strict-reconfig-check bool", "force-new-cluster bool", "max-learners int", "raft-read-timeout duration",
		"raft-write-timeout duration"),
	flags(accepted, "there are no such logs, metrics or traces", "logger", "log-outputs strings", "log-level", "log-format", "enable-log-rotation bool",
		"log-rotation-config-json", "metrics", "listen-metrics-urls", "enable-pprof bool"),
	experimental(flags(accepted, "there are no such logs, metrics or traces", "enable-distributed-tracing bool", "distributed-tracing-address",
		"distributed-tracing-service-name", "distributed-tracing-instance-id", "distributed-tracing-sampling-rate int",
		"warning-apply-duration duration", "warning-unary-request-duration duration")),
	flags(refused, "clients connect without TLS here; leave it out, or use a real etcd", "cert-file", "key-file", "client-cert-auth bool", "trusted-ca-file",
		"auto-tls bool", "peer-cert-file", "peer-key-file", "peer-client-cert-auth bool", "peer-trusted-ca-file", "peer-auto-tls bool",
		"cipher-suites strings", "tls-min-version", "tls-max-version", "client-cert-file", "client-key-file", "client-crl-file",
		"client-cert-allowed-hostname", "peer-client-cert-file", "peer-client-key-file", "peer-crl-file", "peer-cert-allowed-cn",
		"peer-cert-allowed-hostname", "peer-skip-client-san-verification bool", "experimental-peer-skip-client-san-verification bool",
		"self-signed-cert-validity uint"),
	flags(refused, "give flags", "config-file"),
	flags(refused, "there is one member; leave it out, or use a real etcd", "discovery", "discovery-srv", "discovery-srv-name", "discovery-endpoints",
		"discovery-token", "discovery-proxy", "discovery-fallback", "discovery-dial-timeout duration", "discovery-request-timeout duration",
		"discovery-keepalive-time duration", "discovery-keepalive-timeout duration", "discovery-insecure-transport bool",
		"discovery-insecure-skip-tls-verify bool", "discovery-cert", "discovery-key", "discovery-cacert", "discovery-user", "discovery-password"),
	flags(refused, "--listen-client-urls has all of it here", "listen-client-http-urls"),
)

// experimental returns flags under both of their names.
func experimental(all []flag) []flag {
	for _, f := range slices.Clone(all) {
		f.name = "experimental-" + f.name
		all = append(all, f)
	}
	return all
}

// runEtcd answers that it is well, and counts API servers. It stores nothing: each API server fake has its own store.
func runEtcd(ctx context.Context, p *process) error {
	urls := p.list("listen-client-urls")
	if len(urls) == 0 {
		urls = []string{"http://localhost:2379"}
	}
	server := &http.Server{Handler: etcdHandler(), ReadHeaderTimeout: 32 * time.Second}
	ended := make(chan error, len(urls))
	for _, said := range urls {
		u, err := url.Parse(said)
		if err != nil || u.Scheme != "http" || u.Host == "" {
			return errors.Join(fmt.Errorf("--listen-client-urls: %q: say http://HOST:PORT", said), server.Close())
		}
		l, err := net.Listen("tcp", u.Host)
		if err != nil {
			return errors.Join(fmt.Errorf("--listen-client-urls: %w", err), server.Close())
		}
		go func() { ended <- server.Serve(l) }()
	}
	p.note("etcd's stand-in serves at %q; it stores nothing", urls)
	<-ctx.Done()
	p.note("etcd's stand-in ends: %v", context.Cause(ctx))
	err := server.Close()
	for range urls {
		<-ended // with ErrServerClosed
	}
	return err
}

func etcdHandler() http.Handler {
	var servers atomic.Int64
	mux := http.NewServeMux()
	answer := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}
	}
	mux.HandleFunc("GET /health", answer(`{"health":"true"}`))
	mux.HandleFunc("GET /version", answer(`{"etcdserver":"3.6.8","etcdcluster":"3.6.8"}`))
	mux.HandleFunc("POST "+apiServersPath, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, servers.Add(1)-1) })
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "this is lwtest's stand-in for etcd, which stores nothing: ask the API server", http.StatusNotFound)
	})
	return mux
}
