package informers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/fake"
)

func TestSuite(t *testing.T) {
	for _, name := range informers.Names() {
		t.Run(name, func(t *testing.T) {
			target, err := informers.Target(name, fake.Server, fake.ServerFeatures...)
			require.NoError(t, err)
			harness.Test(t, target.Cases)
		})
	}
}
