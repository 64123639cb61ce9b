// Package pins holds the sources of clauses to what they must be: a symbol of a
// module at a version, or a page of a repository at a commit. Tests use it, nothing else does.
package pins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/lwtest/lwtest/harness"
)

var (
	pinnedURL    = regexp.MustCompile(`^https://github\.com/[\w.-]+/[\w.-]+/blob/[0-9a-f]{40}/[^#?\s]+(#[^#\s]+)?$`)
	pinnedSymbol = regexp.MustCompile(`^([^@\s]+@v[^/@\s]+)/([^#\s]+\.go)#([\w]+)(?:\.([\w]+))?$`)
)

// errOffline says that a module could not be had from here, not that it does not exist.
var errOffline = errors.New("module not available here")

// pins resolves sources. It remembers where modules are.
type pins struct {
	temp string
	dirs map[string]string
	errs map[string]error
}

func newPins(t *testing.T) *pins {
	t.Helper()
	return &pins{t.TempDir(), map[string]string{}, map[string]error{}}
}

// check says what is wrong with a source as a pin; nil if nothing is.
func (p *pins) check(s harness.Source) error {
	switch {
	case s.Name == "":
		return fmt.Errorf("a source without a name (URL %q)", s.URL)
	case s.URL != "":
		if !pinnedURL.MatchString(s.URL) {
			return fmt.Errorf("%s: %q is no github.com blob URL with a full commit", s.Name, s.URL)
		}
		return nil
	}
	m := pinnedSymbol.FindStringSubmatch(s.Name)
	if m == nil {
		return fmt.Errorf("%q has no URL and is no module@version/file.go#Symbol", s.Name)
	}
	dir, err := p.module(m[1])
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, filepath.FromSlash(m[2])), nil, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if !declares(file, m[3], m[4]) {
		return fmt.Errorf("%s: the file declares no such symbol", s.Name)
	}
	return nil
}

// module gives the directory of module@version, downloading it if need be.
func (p *pins) module(at string) (string, error) {
	if dir, ok := p.dirs[at]; ok {
		return dir, p.errs[at]
	}
	dir, err := p.download(at)
	p.dirs[at], p.errs[at] = dir, err
	return dir, err
}

func (p *pins) download(at string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", at)
	cmd.Dir = p.temp // not within a module
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY="+proxyOnly())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	var got struct{ Dir, Error string }
	if err := json.Unmarshal(out, &got); err != nil {
		return "", fmt.Errorf("%w: %s: %v %s", errOffline, at, errors.Join(runErr, err), stderr.String())
	}
	switch {
	case got.Error == "" && got.Dir != "":
		return got.Dir, nil
	case unknownModule(got.Error):
		return "", errors.New(got.Error)
	}
	return "", fmt.Errorf("%w: %s: %s", errOffline, at, got.Error)
}

// proxyOnly is GOPROXY without its fallback to the origin: where a proxy says
// that there is no such version, an origin out of reach must not blur it.
func proxyOnly() string {
	out, err := exec.Command("go", "env", "GOPROXY").Output()
	proxy := strings.TrimSpace(string(out))
	if err != nil {
		return "" // the go command's own default
	}
	if short := strings.TrimRight(strings.TrimSuffix(proxy, "direct"), ",|"); short != "" {
		return short
	}
	return proxy
}

// unknownModule tells a module or version that the proxy does not have from a proxy that is out of reach.
func unknownModule(msg string) bool {
	for _, s := range []string{"403 Forbidden", "404 Not Found", "410 Gone", "unknown revision", "invalid version", "malformed"} {
		if strings.Contains(msg, s) {
			return true
		}
	}
	return false
}

// declares reports whether a file has, at top level, a declaration of name or,
// if member is not empty, a field or method of that name in it.
func declares(f *ast.File, name, member string) bool {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && member == "" && d.Name.Name == name {
				return true
			}
			if d.Recv != nil && member != "" && d.Name.Name == member && typeName(d.Recv.List[0].Type) == name {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.Name == name && (member == "" || hasMember(s.Type, member)) {
						return true
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if member == "" && n.Name == name {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

func hasMember(t ast.Expr, member string) bool {
	var fields *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return false
	}
	for _, f := range fields.List {
		for _, n := range f.Names {
			if n.Name == member {
				return true
			}
		}
		if len(f.Names) == 0 && typeName(f.Type) == member {
			return true
		}
	}
	return false
}

// typeName is the bare name of a receiver's or an embedded field's type.
func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.ParenExpr:
		return typeName(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	}
	return ""
}

// check fails the test for every source that is no sound pin. Where
// modules cannot be had it checks the rest, and then skips with the reason.
func check(t *testing.T, where []string, all []harness.Source) {
	t.Helper()
	p := newPins(t)
	var offline error
	for i, s := range all {
		switch err := p.check(s); {
		case errors.Is(err, errOffline):
			offline = err
		case err != nil:
			t.Errorf("%s: %v", where[i], err)
		}
	}
	if offline != nil && !t.Failed() {
		t.Skipf("symbols were not resolved: %v", offline)
	}
}

// Rules fails the test for every source of a rule that is no sound pin.
func Rules(t *testing.T, rules []harness.Rule) {
	t.Helper()
	var where []string
	var all []harness.Source
	for _, r := range rules {
		if r.Clause.Advice == "" {
			t.Errorf("%s has no advice", r.Address())
		}
		for _, s := range r.Clause.Sources {
			where, all = append(where, r.Address()), append(all, s)
		}
	}
	if len(all) == 0 {
		t.Fatal("the suite cites nothing")
	}
	check(t, where, all)
}

// Table does so for a table of sources, a struct of them, cited or not: no
// field was forgotten, and no two are one source.
func Table(t *testing.T, sources any) {
	t.Helper()
	var where []string
	var all []harness.Source
	v := reflect.ValueOf(sources)
	seen := map[harness.Source]string{}
	for i := range v.NumField() {
		field := v.Type().Field(i).Name
		s := harness.Source{Name: v.Field(i).FieldByName("Name").String(), URL: v.Field(i).FieldByName("URL").String()}
		if other, ok := seen[s]; ok {
			t.Errorf("%s and %s are one source", other, field)
		}
		seen[s] = field
		where, all = append(where, field), append(all, s)
	}
	check(t, where, all)
}
