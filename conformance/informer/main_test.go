package informer_test

import (
	"os"
	"testing"

	"github.com/lwtest/lwtest/plugins/clientgo"
)

// Before the first test: what client-go still does when one has ended reads what Quiet replaces.
func TestMain(m *testing.M) {
	clientgo.Quiet()
	os.Exit(m.Run())
}
