package controllerruntime_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// BenchmarkSuite measures the whole life of a suite's servers: envtest starts them from KUBEBUILDER_ASSETS, a client without a rate limit
// makes 200 objects one by one, and envtest stops them.
func BenchmarkSuite(b *testing.B) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		b.Skip("KUBEBUILDER_ASSETS names no folder: run `lwtest envtest`")
	}
	value := strings.Repeat("x", 900)
	for b.Loop() {
		var env envtest.Environment
		config, err := env.Start()
		require.NoError(b, err)
		config.QPS = -1
		client, err := kubernetes.NewForConfig(config)
		require.NoError(b, err)
		for i := range 200 {
			cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("c", i)}, Data: map[string]string{"v": value}}
			_, err := client.CoreV1().ConfigMaps("default").Create(b.Context(), cm, metav1.CreateOptions{})
			require.NoError(b, err)
		}
		require.NoError(b, env.Stop())
	}
}
