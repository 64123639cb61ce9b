package kubecontrollers

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/controller"
)

// Each controller passes the suite, but for what known.json names.
func TestControllers(t *testing.T) {
	known(t)
	for _, c := range Controllers() {
		t.Run(c.Name, func(t *testing.T) {
			target, err := controller.Target(c.Subject())
			require.NoError(t, err)
			if !full.Wanted() {
				t.Log("runs the checks that have no run for each write: LWTEST_FULL=1 runs all")
				target.Cases = slices.DeleteFunc(target.Cases, func(x harness.Case) bool {
					return strings.HasPrefix(x.Name, "converge/") && (c.Wide || !strings.Contains(x.Name, "/late/"))
				})
			}
			harness.TestTarget(t, "controller", target.Name, target)
		})
	}
}

// known has the suite read known.json.
func known(t testing.TB) {
	t.Helper()
	file, err := filepath.Abs("known.json")
	require.NoError(t, err)
	t.Setenv("LWTEST_KNOWN", file)
}

// fuzz plays each pair of disturbances on a controller, and random ones in go test -fuzz.
func fuzz(f *testing.F, name string) {
	f.Helper()
	full.Need(f, "it takes minutes")
	known(f)
	controller.Fuzz(f, controllers(f, name).Subject())
}

func FuzzReplicaSet(f *testing.F) { fuzz(f, "replicaset") }

func FuzzDeployment(f *testing.F) { fuzz(f, "deployment") }

func FuzzStatefulSet(f *testing.F) { fuzz(f, "statefulset") }

func FuzzJob(f *testing.F) { fuzz(f, "job") }

func FuzzDaemonSet(f *testing.F) { fuzz(f, "daemonset") }

func FuzzCronJob(f *testing.F) { fuzz(f, "cronjob") }

func FuzzEndpointSlice(f *testing.F) { fuzz(f, "endpointslice") }

func FuzzDisruption(f *testing.F) { fuzz(f, "disruption") }

func FuzzClaimProtection(f *testing.F) { fuzz(f, "claim-protection") }

func FuzzQuota(f *testing.F) { fuzz(f, "resourcequota") }

func FuzzNamespace(f *testing.F) { fuzz(f, "namespace") }

func FuzzGarbageCollector(f *testing.F) { fuzz(f, "garbagecollector") }
