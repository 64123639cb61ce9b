// Package critest runs the specs of critest, the validation of container runtimes by sigs.k8s.io/cri-tools, on the container runtime
// fake.
package critest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/cri-tools/pkg/framework"
	_ "sigs.k8s.io/cri-tools/pkg/validate"

	"github.com/lwtest/lwtest/fakes/cri"
)

// group is the specs that a regular expression matches.
type group struct{ needs, specs string }

// leftOut are the specs that a runtime without processes cannot pass, by what they need.
var leftOut = []group{
	{"a real process", `Security Context (NamespaceOption|SupplementalGroupsPolicy|SeccompProfilePath|NoNewPrivs)|Security Context bucket runtime should support|` +
		`UserNamespaces .*(NamespaceMode_POD|NamespaceMode_NODE)$|sysctls|OOMKilled|execSync with timeout|Multiple Containers .* container log`},
	{"a real mount", `Mount Propagation|support (non-)?recursive readonly mounts|starting container with volume|correctly mount image|using a valid subPath`},
	{"a real network", `port mapping|Multiple Containers .* network|portforward`},
	{"all metrics of cAdvisor", `metrics operations`}, // the fake has one; the API names none
	{"AppArmor, SELinux or NRI", `AppArmor|SELinux|NRI`},
}

// registry holds the images of critest.
func registry() map[string]cri.Image {
	const tests, e2e = "gcr.io/k8s-staging-cri-tools/", "registry.k8s.io/e2e-test-images/"
	id := func(n int64) *int64 { return &n }
	all := map[string]cri.Image{
		tests + "test-image-tag:test":            {Takes: 20 * time.Millisecond}, // a pull can come too late
		tests + "test-image-predefined-group":    {Paths: []string{"etc"}},
		tests + "test-image-user-uid":            {UID: id(1002)},
		tests + "test-image-user-uid-group":      {UID: id(1003)},
		tests + "test-image-user-username":       {User: "www-data"},
		tests + "test-image-user-username-group": {User: "www-data"},
		"registry.k8s.io/pause:3.9":              {Content: "pause"},
		"k8s.gcr.io/pause:3.9":                   {Content: "pause"},
	}
	for n := 1; n <= 3; n++ {
		all[fmt.Sprintf(tests+"test-image-tags:%d", n)] = cri.Image{Content: "tags"}
		all[fmt.Sprintf(tests+"test-image-%d:latest", n)] = cri.Image{}
	}
	for _, name := range []string{e2e + "busybox:1.29-2", e2e + "httpd:2.4.39-4", e2e + "nginx:1.14-2", tests + "test-image-latest", tests + "test-image-tag:all",
		tests + "test-image-digest@sha256:9700f9a2f5bf2c45f2f605a0bd3bce7cf37420ec9d3ed50ac2758413308766bf"} {
		all[name] = cri.Image{}
	}
	return all
}

// Both personalities pass all specs that need no real processes, mounts or networks.
func TestCritest(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("critest's specs are those of Linux")
	}
	for _, p := range []cri.Personality{cri.Containerd, cri.CRIO} {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			socket := filepath.Join(t.TempDir(), "cri.sock")
			l, err := cri.Listen(socket)
			require.NoError(t, err)
			r := cri.New(cri.Options{Personality: p, Registry: registry()})
			done := make(chan error, 1)
			go func() { done <- r.Serve(l) }()
			t.Cleanup(func() { r.Close(); require.NoError(t, <-done) })
			specs := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSpecs$", "-test.v", "-ginkgo.no-color") // one process can run them once
			specs.Env = append(os.Environ(), "CRITEST_SOCKET="+socket)
			var out bytes.Buffer
			specs.Stdout, specs.Stderr = &out, &out
			if err := specs.Run(); err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			for _, line := range regexp.MustCompile(`(?m)^(passed|left out|skipped itself): .*$`).FindAllString(out.String(), -1) {
				t.Log(line)
			}
			assert.Empty(t, r.Sandboxes())
		})
	}
}

// TestSpecs runs the specs on the runtime at CRITEST_SOCKET, and prints what became of them.
func TestSpecs(t *testing.T) {
	socket := os.Getenv("CRITEST_SOCKET")
	if socket == "" {
		t.Skip("TestCritest runs it")
	}
	framework.TestContext.RuntimeServiceAddr = "unix://" + socket
	framework.TestContext.RuntimeServiceTimeout, framework.TestContext.ImageServiceTimeout = 10*time.Second, 10*time.Second
	framework.TestContext.RegistryPrefix = framework.DefaultRegistryPrefix
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.Timeout = 5 * time.Minute
	for _, l := range leftOut {
		suite.SkipStrings = append(suite.SkipStrings, l.specs)
	}
	reporter.Succinct = true
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, "critest", suite, reporter)
}

var _ = ginkgo.ReportAfterSuite("what became of them", func(report ginkgo.Report) {
	passed, left := 0, make([]int, len(leftOut))
	for _, s := range report.SpecReports {
		if s.LeafNodeType != types.NodeTypeIt {
			continue
		}
		n := slices.IndexFunc(leftOut, func(l group) bool { return regexp.MustCompile(l.specs).MatchString(s.FullText()) })
		switch {
		case n >= 0:
			left[n]++
		case s.State == types.SpecStatePassed:
			passed++
		case s.State == types.SpecStateSkipped && s.Failure.Message != "":
			fmt.Printf("\nskipped itself: %s: %s\n", s.FullText(), s.Failure.Message)
		}
	}
	fmt.Printf("\npassed: %d\n", passed)
	for n, l := range leftOut {
		fmt.Printf("left out: %d need %s\n", left[n], l.needs)
	}
})
