package listwatch_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/fake"
)

func TestSuite(t *testing.T) {
	utilruntime.ErrorHandlers = nil
	klog.SetLogger(klog.New(nil))
	for _, name := range listwatch.Names() {
		t.Run(name, func(t *testing.T) {
			cases, err := listwatch.Cases(name, "", fake.Server, fake.ServerFeatures...)
			require.NoError(t, err)
			harness.Test(t, cases)
		})
	}
}
