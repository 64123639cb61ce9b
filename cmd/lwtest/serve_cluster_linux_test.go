package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/lwtest/lwtest/internal/full"
)

// A cluster of a real scheduler, controller manager and kubelets brings a Deployment to running pods, updates it, and deletes its
// namespace with all that is in it. No reflector of these programs fails meanwhile.
func TestServeClusterReal(t *testing.T) {
	full.Need(t, "it takes half a minute, and builds Kubernetes programs")
	if os.Getuid() != 0 {
		t.Skip("a kubelet needs root")
	}
	logs := t.TempDir()
	var flags []string
	for _, program := range []string{"scheduler", "controller-manager", "kubelet"} {
		flags = append(flags, "--"+program, logged(t, program, logs))
	}
	_, client, stop := startCluster(t, flags...)
	_, err := client.CoreV1().Pods(metav1.NamespaceDefault).Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: deployment("").Spec.Template.Spec}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.NoError(t, err, "a cluster that is ready takes pods")
	_, err = client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	deployments := client.AppsV1().Deployments("n")
	d, err := deployments.Create(t.Context(), deployment("one"), metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return running(t, client, "one") == 3 }, 2*time.Minute, 100*time.Millisecond, "three pods run")
	_, err = deployments.Patch(t.Context(), d.Name, "application/strategic-merge-patch+json", []byte(`{"spec":{"template":{"metadata":{"labels":{"version":"two"}}}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return running(t, client, "two") == 3 && running(t, client, "one") == 0 }, 2*time.Minute, 100*time.Millisecond, "they are replaced")
	require.NoError(t, client.CoreV1().Namespaces().Delete(t.Context(), "n", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool {
		_, err := client.CoreV1().Namespaces().Get(t.Context(), "n", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, 2*time.Minute, 100*time.Millisecond, "the namespace goes with all that is in it")
	assert.Equal(t, 0, running(t, client, "two"))
	stop()
	assert.Empty(t, failures(t, logs))
}

// logged returns a script that runs a real program, whose log it keeps. It skips the test if there is no such program and none can be
// built.
func logged(t *testing.T, program, logs string) string {
	out, err := exec.Command("../../hack/kube/kube.sh", program, "--version", "v1.37.1").Output()
	if err != nil {
		t.Skipf("there is no %s, and none can be built here: %v", program, err)
	}
	script := filepath.Join(t.TempDir(), program)
	text := fmt.Sprintf("#!/bin/sh\nexec %s \"$@\" 2>>%s\n", strings.TrimSpace(string(out)), filepath.Join(logs, program+".log"))
	require.NoError(t, os.WriteFile(script, []byte(text), 0o700))
	return script
}

// failures are the lines in which a reflector says that a list or a watch has failed.
func failures(t *testing.T, logs string) (out []string) {
	files, err := filepath.Glob(filepath.Join(logs, "*.log"))
	require.NoError(t, err)
	require.Len(t, files, 3)
	failed := regexp.MustCompile(`(?m)^[EW].*(reflector|[Ff]ailed to (list|watch)).*$`)
	require.Regexp(t, failed, `E1127 08:10:28.214813   30139 reflector.go:205] "Failed to watch" err="…"`)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NotEmpty(t, b, f)
		out = append(out, failed.FindAllString(string(b), -1)...)
	}
	return out
}

func deployment(version string) *appsv1.Deployment {
	labels := map[string]string{"app": "a"}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "a", "version": version}}, Spec: corev1.PodSpec{
		TerminationGracePeriodSeconds: new(int64(1)), Containers: []corev1.Container{{Name: "c", Image: "busybox", Command: []string{"sleep", "infinity"}}}}}
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: appsv1.DeploymentSpec{Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template}}
}

// running returns how many pods of a version have the phase Running.
func running(t *testing.T, client *kubernetes.Clientset, version string) (n int) {
	list, err := client.CoreV1().Pods("n").List(context.Background(), metav1.ListOptions{LabelSelector: "version=" + version})
	require.NoError(t, err)
	for _, p := range list.Items {
		if p.Status.Phase == corev1.PodRunning {
			n++
		}
	}
	return n
}
