package mutants_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A row is at most 20 lines, so that one can see that it is one fault, and a file at most 300.
func TestMutantsAreSmall(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	rows := 0
	for _, name := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		require.NoError(t, err)
		require.LessOrEqual(t, fset.Position(file.FileEnd).Line, 300, name)
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok || len(literal.Elts) == 0 {
				return true
			}
			kv, ok := literal.Elts[0].(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != "name" {
				return true
			}
			rows++
			require.LessOrEqual(t, fset.Position(literal.End()).Line-fset.Position(literal.Pos()).Line, 20, "%s", fset.Position(literal.Pos()))
			return true
		})
	}
	require.Greater(t, rows, 700)
}
