package faults_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver/faults"
)

// The page's example is one, and the page names every field and everything that can be done to an event.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../../../docs/faults.md")
	require.NoError(t, err)
	page := string(b)
	_, example, ok := strings.Cut(page, "```yaml\n")
	require.True(t, ok)
	example, _, ok = strings.Cut(example, "```")
	require.True(t, ok)
	_, err = faults.Read([]byte(example))
	require.NoError(t, err)
	for _, v := range []any{faults.Fault{}, faults.Events{}, faults.Status{}, faults.Answer{}, faults.Bytes{}} {
		for i := range reflect.TypeOf(v).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(v).Field(i).Tag.Get("json"), ",")
			require.Contains(t, page, name)
		}
	}
	for _, do := range []faults.Do{faults.Drop, faults.Double, faults.Swap, faults.Delay, faults.Early, faults.Lie, faults.Error,
		faults.Close, faults.Break, faults.Stall, faults.Truncate, faults.Garble, faults.Replace} {
		require.Contains(t, page, "`"+string(do)+"`")
	}
}
