package fake_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
)

func TestFake(t *testing.T) {
	target, err := fake.Open(t.Context(), "")
	require.NoError(t, err)
	harness.Test(t, target.Cases)
}
