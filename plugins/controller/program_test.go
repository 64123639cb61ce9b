package controller_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/lwtest/lwtest/fakes/apiserver"
	fake "github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/controller"
)

// asController makes the test binary a controller: the value says what it does.
const asController = "LWTEST_TEST_CONTROLLER"

// copies is a controller that gives each ConfigMap with the label copy another one, "NAME-copy". With edge it does so only for events, so
// that one which it misses is never made up for.
func copies(ctx context.Context, edge bool) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.ContentType = runtime.ContentTypeProtobuf // as that of controller-runtime for built-in kinds
	maps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
	one := func(m *corev1.ConfigMap) bool {
		_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: m.Name + "-copy"}}, metav1.CreateOptions{})
		if err == nil || apierrors.IsAlreadyExists(err) {
			return true
		}
		fmt.Println("not copied:", err)
		time.Sleep(100 * time.Millisecond)
		return false
	}
	for ctx.Err() == nil {
		list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "copy"})
		if err != nil {
			return err
		}
		ok := true
		for i := range list.Items {
			ok = ok && (edge || one(&list.Items[i]))
		}
		if !ok {
			continue // it looks again
		}
		w, err := maps.Watch(ctx, metav1.ListOptions{LabelSelector: "copy", ResourceVersion: list.ResourceVersion})
		if err != nil {
			return err
		}
		for e := range w.ResultChan() {
			if m, is := e.Object.(*corev1.ConfigMap); is && e.Type == watch.Added && !one(m) {
				break
			}
		}
		w.Stop()
	}
	return nil
}

// runIfController makes the process a controller if it is to be one.
func runIfController() {
	what := os.Getenv(asController)
	if what == "" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	if what == "deaf" {
		ctx = context.WithoutCancel(ctx)
	}
	if what == "nothing" {
		stop()
	}
	if what == "hooks" {
		serveHooks(os.Args[1], os.Args[2])
	}
	if err := copies(ctx, what == "edge"); err != nil && ctx.Err() == nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// program returns the test binary as a controller, on a server; nil: on lwtest's.
func program(t *testing.T, what string, server *rest.Config) (harness.Target, error) {
	t.Helper()
	if testing.Short() {
		t.Skip("programs run in real time")
	}
	t.Parallel()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
steps:
- {op: create, with: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {copy: "yes"}}}}}
`), 0o600))
	return controller.OpenProgram(t.Context(), controller.Program{Command: "env " + asController + "=" + what + " " + os.Args[0] + " {namespace} {dir} {port}", Scenario: file, Quiet: time.Second, Server: server})
}

func runCheck(t *testing.T, target harness.Target, name string) (harness.Result, *history.History) {
	t.Helper()
	for _, c := range target.Cases {
		if c.Name == name {
			return harness.Run(c, harness.Options{TB: t, Seed: 1})
		}
	}
	t.Fatalf("there is no check %s", name)
	panic("not reached")
}

// A program is started again and again, killed, and told to stop.
func TestProgram(t *testing.T) {
	target, err := program(t, "level", nil)
	require.NoError(t, err)
	for _, check := range full.Part(t, []string{"converge/same/killed-before", "quiet/writes", "restart/quiet", "converge/same/answer-lost", "converge/same/behind"}, 5, 0) {
		t.Run(check, func(t *testing.T) {
			t.Parallel()
			r, _ := runCheck(t, target, check)
			assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
		})
	}
}

// On a cluster of others the suite leaves nothing behind, also if it is interrupted, and keeps away from what it did not make.
func TestProgramOnACluster(t *testing.T) {
	api := apiserver.New(apiserver.Options{Seed: 1, Namespaces: true, NamespaceController: true})
	server, err := fake.Serve(api, fake.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, errors.Join(server.Close(), api.Close())) })
	client := kubernetes.NewForConfigOrDie(server.RESTConfig())
	_, err = client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "others"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	maps := func() (names []string) {
		list, err := client.CoreV1().ConfigMaps("").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, m := range list.Items {
			names = append(names, m.Name)
		}
		return names
	}

	target, err := program(t, "level", server.RESTConfig())
	require.NoError(t, err)
	r, _ := runCheck(t, target, "converge/same/killed-after")
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	assert.Equal(t, []string{"others"}, maps())

	_, err = client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "lwtest-system",
		Annotations: map[string]string{"lwtest.example.com/run": "r1-check", "made.lwtest.example.com/none": "/api/v1/namespaces/default/configmaps/others"}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	r, _ = runCheck(t, target, "quiet/writes")
	assert.Equal(t, harness.Inconclusive, r.Verdict)
	assert.Contains(t, r.Reason, "the namespace lwtest-system is there already")
	line, err := target.Sweep(t.Context(), "r2")
	assert.NoError(t, err)
	assert.Empty(t, line)
	line, err = target.Sweep(t.Context(), "r1")
	assert.NoError(t, err)
	assert.Contains(t, line, "removed 2 objects")
	assert.Equal(t, []string{"others"}, maps(), "it has another uid")
}

// What a life has written is in the history.
func TestOutputOfAProgram(t *testing.T) {
	target, err := program(t, "level", nil)
	require.NoError(t, err)
	r, h := runCheck(t, target, "converge/same/refused/error")
	assert.Equal(t, harness.Pass, r.Verdict, "%s %v", r.Reason, r.Broken())
	assert.True(t, said(h, "not copied: the write is refused for this test"))
}

// said reports whether the output of a life has a text.
func said(h *history.History, text string) bool {
	for _, e := range h.Events {
		if e.Kind == "OVER" && e.X != nil && strings.Contains(string(e.X.Body), text) {
			return true
		}
	}
	return false
}

// What a program sends in protobuf is recorded as what it sends in JSON.
func TestProtobuf(t *testing.T) {
	target, err := program(t, "level", nil)
	require.NoError(t, err)
	r, h := runCheck(t, target, "quiet/writes")
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	assert.True(t, slices.ContainsFunc(h.Events, func(e history.Event) bool {
		return e.Kind == "POST" && e.X != nil && strings.Contains(string(e.X.Args), `"name":"a-copy"`)
	}))
}

// A program with a fault is found, with what it has missed.
func TestProgramWithAFault(t *testing.T) {
	target, err := program(t, "edge", nil)
	require.NoError(t, err)
	r, _ := runCheck(t, target, "converge/same/killed-before")
	assert.Equal(t, harness.Fail, r.Verdict, r.Reason)
}

// A program that cannot be tested is refused with its last words.
func TestRefusedProgram(t *testing.T) {
	_, err := program(t, "nothing", nil)
	assert.ErrorContains(t, err, "the controller ends before it asks the API server anything")
	for want, p := range map[string]controller.Program{
		"executable file not found":   {Command: "no-such-controller", Scenario: "x"},
		"the command is empty":        {Scenario: "x"},
		"EOF found when expecting":    {Command: `a "b`, Scenario: "x"},
		"there is no scenario":        {Command: os.Args[0]},
		"scenario.yaml: no such file": {Command: os.Args[0], Scenario: "/nowhere/scenario.yaml"},
		"only {kubeconfig}, {port}":   {Command: os.Args[0] + " {kubeconf}", Scenario: "x"},
	} {
		_, err := controller.OpenProgram(t.Context(), p)
		assert.ErrorContains(t, err, want)
	}
}

// A program that does not end when told to is reported, and killed.
func TestDeafProgram(t *testing.T) {
	full.Need(t, "it waits for 40 seconds")
	target, err := program(t, "deaf", nil)
	require.NoError(t, err)
	r, _ := runCheck(t, target, "quiet/writes")
	assert.Equal(t, harness.Fail, r.Verdict, r.Reason)
	assert.Contains(t, fmt.Sprint(r.Broken()), "stop/ends")
}
