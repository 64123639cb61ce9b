package mutants_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// A fault is at most ten lines, so that one can see that it is one fault. Lines without a letter, and
// the one that says what is wrapped, do not count.
func TestMutantsAreSmall(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := 0
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != "Open" {
				return true
			}
			found++
			body := string(src[fset.Position(kv.Value.Pos()).Offset:fset.Position(kv.Value.End()).Offset])
			lines := -1
			for l := range strings.Lines(body) {
				if strings.ContainsFunc(l, unicode.IsLetter) {
					lines++
				}
			}
			require.LessOrEqual(t, lines, 10, "%s: %s", fset.Position(kv.Pos()), body)
			return true
		})
	}
	require.Greater(t, found, 40)
}
