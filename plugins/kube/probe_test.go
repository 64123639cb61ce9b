package kube

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/resources"
)

// invalid refuses a parameter of a request as kube-apiserver does.
func invalid(field, reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"ListOptions.meta.k8s.io \"\" is invalid","reason":"Invalid","code":422,
			"details":{"group":"meta.k8s.io","kind":"ListOptions","causes":[{"reason":%q,"message":"Forbidden: not here","field":%q}]}}`, reason, field)
	}
}

// streaming answers what is asked with sendInitialEvents; all else is well.
func streaming(t *testing.T, answer http.HandlerFunc) *requests {
	return restricted(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Query().Get("sendInitialEvents") == "true" {
			answer(w, req)
			return
		}
		done(w, req)
	})
}

func TestStreamsThatAreRefusedAreNotDeclared(t *testing.T) {
	for name, c := range map[string]struct {
		answer    http.HandlerFunc
		withdrawn bool
	}{
		"the feature gate is off":  {invalid("sendInitialEvents", "FieldValueForbidden"), true},
		"before 1.27":              {invalid("resourceVersionMatch", "FieldValueForbidden"), true},
		"something else":           {invalid("timeoutSeconds", "FieldValueForbidden"), false},
		"wrong, but not forbidden": {invalid("sendInitialEvents", "FieldValueInvalid"), false},
		"served":                   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }, false},
		"not yet":                  {func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusTooManyRequests) }, false},
		"broken":                   {func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusInternalServerError) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := streaming(t, c.answer)
			s, err := connect(t.Context(), dialConfig(r.URL), Options{})
			require.NoError(t, err)
			defer s.hangUp()
			target := s.target()
			want := (&server{resource: resources.All[0]}).declared()
			if c.withdrawn {
				want, err = harness.Adjust(want, []string{"-" + string(watchcache.WatchList)}, watchcache.Suite.Features)
				require.NoError(t, err)
				require.Len(t, target.Notes, 1)
				require.Equal(t, "the feature watchlist is not tested: the server refuses a streaming list (Forbidden: not here); --feature=watchlist tests it anyway", target.Notes[0])
			} else {
				require.Empty(t, target.Notes)
			}
			require.Equal(t, want, target.Cases[0].Has)
		})
	}
}

// The probe is one request, made in a namespace that is nobody's.
func TestTheProbeTouchesNothing(t *testing.T) {
	r := streaming(t, invalid("sendInitialEvents", "FieldValueForbidden"))
	s, err := connect(t.Context(), dialConfig(r.URL), Options{Resource: "leases"})
	require.NoError(t, err)
	defer s.hangUp()
	var probes []string
	asked := r.take()
	for _, a := range asked {
		if strings.Contains(a, "watch=true") {
			probes = append(probes, a)
		}
	}
	require.Len(t, probes, 1)
	require.Regexp(t, `^GET /apis/coordination.k8s.io/v1/namespaces/lwtest-[a-z0-9-]+/leases\?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=1&watch=true\n$`, probes[0])
	require.Empty(t, changes(asked))
}

func TestAProbeThatIsForbiddenNamesTheRight(t *testing.T) {
	r := streaming(t, func(w http.ResponseWriter, _ *http.Request) { forbid(w) })
	_, err := connect(t.Context(), dialConfig(r.URL), Options{})
	require.ErrorContains(t, err, "lwtest may not watch configmaps")
	require.ErrorContains(t, err, "kind: ClusterRole")
}

// TestRealProbe holds what the probe found against what the server says of its
// own feature gates: start one with --feature-gates=WatchList=false,ShardedListAndWatch=true to see both.
func TestRealProbe(t *testing.T) {
	config := realConfig(t)
	t.Parallel()
	s := admin(t, config)
	metrics, err := s.core.Get().AbsPath("/metrics").DoRaw(t.Context())
	require.NoError(t, err)
	gate := regexp.MustCompile(`(?m)^kubernetes_feature_enabled\{name="WatchList",[^}]*\} ([01])$`).FindSubmatch(metrics)
	if gate == nil {
		t.Skip("the server says nothing of its feature gates")
	}
	require.NoError(t, s.probe(t.Context()))
	require.Equal(t, string(gate[1]) == "1", slices.Contains(s.features, watchcache.WatchList), "%s: %v", gate[0], s.notes)
	on := regexp.MustCompile(`(?m)^kubernetes_feature_enabled\{name="ShardedListAndWatch",[^}]*\} 1$`).Match(metrics)
	require.Equal(t, on, slices.Contains(s.features, watchcache.Shards))
	t.Logf("%s: %v", gate[0], s.notes)
}

// A server that has no watch cache refuses what is not there yet at once, and
// does not say when to try again.
func TestProbeOfTheCache(t *testing.T) {
	tooLarge := func(retry int32) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			s := metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: http.StatusGatewayTimeout, Reason: metav1.StatusReasonTimeout,
				Details: &metav1.StatusDetails{RetryAfterSeconds: retry, Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}}}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusGatewayTimeout)
			_ = json.NewEncoder(w).Encode(s)
		}
	}
	for name, c := range map[string]struct {
		answer    http.HandlerFunc
		withdrawn bool
	}{
		"no cache": {tooLarge(0), true},
		"a cache":  {tooLarge(1), false},
		"broken":   {func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusInternalServerError) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewServer(c.answer)
			defer r.Close()
			config := dialConfig(r.URL)
			s := &server{resource: resources.ConfigMaps, clock: &clock{}}
			require.NoError(t, s.clients(config))
			defer s.hangUp()
			s.features = s.declared()
			s.probeCache(t.Context())
			require.Equal(t, !c.withdrawn, slices.Contains(s.features, watchcache.Bookmarks))
			require.Equal(t, !c.withdrawn, slices.Contains(s.features, watchcache.Window))
		})
	}
}

// Only a server that says that its list is a shard knows shards; none is called a liar for not doing so.
func TestProbeOfShards(t *testing.T) {
	list := func(meta string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"%s},"items":[]}`, meta)
		}
	}
	for name, c := range map[string]struct {
		answer   http.HandlerFunc
		declared bool
	}{
		"shards":          {list(`,"shardInfo":{"selector":"shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')"}`), true},
		"the gate is off": {list(""), false},
		"refused":         {func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusBadRequest) }, false},
		"broken":          {func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusInternalServerError) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				asked = append(asked, req.URL.Query().Get("shardSelector"))
				c.answer(w, req)
			}))
			defer r.Close()
			s := &server{resource: resources.ConfigMaps, clock: &clock{}}
			require.NoError(t, s.clients(dialConfig(r.URL)))
			defer s.hangUp()
			s.features = s.declared()
			require.NotContains(t, s.features, watchcache.Shards)
			s.probeShards(t.Context())
			require.Equal(t, c.declared, slices.Contains(s.features, watchcache.Shards))
			require.Empty(t, s.notes)
			require.Equal(t, []string{"shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')"}, asked)
		})
	}
}

// What has no status subresource, as by a definition from before it had one, is not tested with it.
func TestStatusThatIsNotServedIsNotDeclared(t *testing.T) {
	const without = `{"kind":"APIResourceList","groupVersion":"apps/v1","resources":[{"name":"deployments"},{"name":"deployments/scale"}]}`
	for name, c := range map[string]struct {
		answer    string
		withdrawn bool
	}{
		"not there":       {without, true},
		"there":           {strings.Replace(without, "scale", "status", 1), false},
		"of another kind": {strings.Replace(without, "apps/v1", "apps/v2", 1), false},
		"unreadable":      {`no`, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := restricted(t, func(w http.ResponseWriter, req *http.Request) {
				if req.URL.Path == "/apis/apps/v1" {
					fmt.Fprint(w, c.answer)
					return
				}
				done(w, req)
			})
			s, err := connect(t.Context(), dialConfig(r.URL), Options{Resource: "deployments"})
			require.NoError(t, err)
			defer s.hangUp()
			require.Equal(t, !c.withdrawn, slices.Contains(s.features, watchcache.StatusSubresource))
			if c.withdrawn {
				require.Equal(t, []string{"the feature status-subresource is not tested: the server has no deployments/status; --feature=status-subresource tests it anyway"}, s.notes)
			}
		})
	}
}

// Of what a watch is refused with in its stream, something is left: or the feature is withdrawn.
func TestNothingIsRefusedInStreams(t *testing.T) {
	for name, c := range map[string]struct {
		features  []harness.Feature
		withdrawn bool
	}{
		"streaming lists":    {[]harness.Feature{watchcache.Errors, watchcache.WatchList}, false},
		"a window of events": {[]harness.Feature{watchcache.Errors, watchcache.Window}, false},
		"etcd at hand":       {[]harness.Feature{watchcache.Errors, watchcache.Compaction}, false},
		"nothing":            {[]harness.Feature{watchcache.Errors, watchcache.Bookmarks}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{features: c.features}
			s.noErrors()
			require.Equal(t, !c.withdrawn, slices.Contains(s.features, watchcache.Errors))
			require.Equal(t, c.withdrawn, len(s.notes) == 1)
		})
	}
}
