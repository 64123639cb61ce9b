package controllerruntime

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// docs/faults.md names each exported name of envtest that apiservertest lacks, and no other.
func TestNamesOfEnvtest(t *testing.T) {
	root := folder(t, "sigs.k8s.io/controller-runtime")
	theirs := exported(t, filepath.Join(root, "pkg/envtest"), filepath.Join(root, "pkg/internal/testing/controlplane"), filepath.Join(root, "pkg/internal/testing/process"))
	ours := exported(t, filepath.Join(folder(t, "github.com/lwtest/lwtest"), "fakes/apiserver/apiservertest"))
	var missing []string
	for _, name := range theirs {
		of, _, _ := strings.Cut(name, ".")
		if !slices.Contains(ours, name) && (of == name || slices.Contains(ours, of)) { // of a type that is missing the type alone
			missing = append(missing, name)
		}
	}
	assert.Contains(t, theirs, "APIServer.Out")
	assert.Contains(t, ours, "Environment.Start")

	doc, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(doc), "| name of envtest | instead |\n|---|---|\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	var told []string
	for _, row := range strings.Split(strings.TrimSpace(table), "\n") {
		for _, name := range strings.Split(strings.Split(row, "|")[1], ",") {
			told = append(told, strings.Trim(strings.TrimSpace(name), "`"))
		}
	}
	slices.Sort(told)
	assert.Equal(t, missing, told)
}

func folder(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// exported returns the exported names of the first folder, with fields and methods as Type.Name. A type that is another's in one of the
// other folders has that one's.
func exported(t *testing.T, dirs ...string) []string {
	t.Helper()
	types, first := map[string][]string{}, []string{}
	for i, dir := range dirs {
		for _, d := range declarations(t, dir) {
			names, members := declared(d)
			for _, n := range names {
				types[n] = append(types[n], members...)
			}
			if i == 0 {
				first = append(first, names...)
			}
		}
	}
	var all []string
	for _, n := range first {
		all = append(all, n)
		for _, m := range types[n] {
			all = append(all, n+"."+m)
		}
	}
	all = slices.DeleteFunc(all, func(n string) bool { return !token.IsExported(n[strings.LastIndex(n, ".")+1:]) || !token.IsExported(n) })
	slices.Sort(all)
	return slices.Compact(all)
}

func declarations(t *testing.T, dir string) (all []ast.Decl) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		require.NoError(t, err)
		all = append(all, parsed.Decls...)
	}
	return all
}

// declared returns what a declaration names, and fields or methods of it.
func declared(d ast.Decl) (names, members []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}, nil
		}
		of := d.Recv.List[0].Type
		if p, ok := of.(*ast.StarExpr); ok {
			of = p.X
		}
		if of, ok := of.(*ast.Ident); ok {
			return []string{of.Name}, []string{d.Name.Name}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
				if of, ok := s.Type.(*ast.StructType); ok && len(d.Specs) == 1 {
					for _, f := range of.Fields.List {
						for _, n := range f.Names {
							members = append(members, n.Name)
						}
					}
				}
			}
		}
	}
	return names, members
}
