package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

const storiesIntro = `# Stories: checks as data

Generated from the code by ` + "`go run ./hack/docs`" + `: do not edit.

A story is a list of steps. The checks of clients, stores, runtimes and nodes are stories too, but for a few that race. All kinds have words, with which
` + "`lwtest fuzz`" + ` makes random stories, and you can make your own. A step has a word (` + "`op`" + `) and,
as the word needs them, these fields:

| field | meaning |
|---|---|
| op | the word: one of the tables below |
| actor | which informer (default "informer") or which handler; of a store: who makes the call |
| obj | which object: "o1" is in the client's namespace, "other/o1" in the other one; of a store: the key, "a/x" or "x". An object with the name no-key has no key |
| as | a name for what the step makes, for later steps |
| n | how many |
| for | a duration, such as "30s" |
| with | the arguments of the word |
| async | true: the next step does not wait for this one. Asynchronous steps of one actor keep their order |
| when | conditions that must all hold, or the step does nothing: features (` + "`lwtest list --features`" + `) and "virtual-time". "!x" means: x must not hold |
| of | the values of the kind's dimensions that the step shows ([fuzzing.md](fuzzing.md)); it changes nothing in what the step does |

A step that does not apply does nothing, and the history says why. So every part of a story is a story.

The word ` + "`settle`" + ` means: wait until nothing moves, and look at the store. Some rules hold only when all disturbances are over,
such as that the store equals the server. Such rules are judged only there, and not while something still fails, such as a
fault that nobody has cleared.

` + "```sh" + `
lwtest show informer/sync/has-synced/empty                    # a check's clause, rules and story, in sentences
lwtest show --json informer/sync/has-synced/empty > mine.json # a starting point for your own
lwtest play mine.json --target go:client-go/shared-informer   # play it, and judge what happened
` + "```" + `

This story makes client-go ask for the streaming list again for ever, though no stream ever ends well:

` + "```json" + `
%s
` + "```" + `

## Add a check

A check of the suite is one literal in conformance/informer/stories_SECTION.go. The functions in build.go make steps, and
` + "`whileDisconnected`, `whileUnwatched`, `atOnce`" + ` and the like make whole scenes:

` + "```go" + `
{
	Name:   "resume/version/mine",
	About:  "The watch ends, and objects change before the next is open.",
	Needs:  []harness.Feature{rig.Cuts, rig.Faults},
	Unless: polls, // an informer that opens no watch
	Rules:  []harness.Rule{resumeVersion, convergeEqual, convergeTime},
	Steps:  seq(fill(3), start(), settle(), atOnce(put("o1"), del("o0"), put("o0")), settle()),
},
` + "```" + `

1. ` + "`lwtest show CHECK`" + ` shows what you wrote, ` + "`lwtest play CHECK --target go:client-go/shared-informer`" + ` plays it. Look at its history,
   too (` + "`--keep all`" + `): did happen what you meant?
2. ` + "`make docs`" + ` documents it. ` + "`make goldens-clients CHECKS='informer/CHECK'`" + ` records what client-go does in it, and leaves the
   other recordings alone. Commit both.
3. ` + "`go test ./conformance/informer/... ./hack/docs`" + `

## A story from a file

The optional field ` + "`rules`" + ` names the rules that the story must test: if it does not, the verdict is inconclusive. A rule
that needs a feature which the target lacks is left out. All rules of the kind judge the story anyway.

The optional field ` + "`needs`" + ` names features: without them the story is skipped. "!x" means: it is skipped with x.
`

// storiesPage documents the vocabulary of each kind that has stories.
func storiesPage(root string) ([]byte, error) {
	example, err := os.ReadFile(filepath.Join(root, "examples", "stories", "watchlist-fallback.json"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, storiesIntro, bytes.TrimSpace(example))
	for _, k := range []*harness.Kind{informer.Suite.Describe(), listerwatcher.Suite.Describe(), store.Suite.Describe(), watchcache.Suite.Describe(), runtime.Suite.Describe(), node.Suite.Describe(), controller.Suite.Describe()} {
		comments, err := fieldComments(root, "conformance/rig", "conformance/"+k.Name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\n## Words of the kind %s\n\n| word | what a step with it does | arguments (with) |\n|---|---|---|\n", k.Name)
		var golden []string
		for _, w := range k.Language.Words() {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", w.Name, cell(w.Help), cell(arguments(w.Args, comments)))
			if w.GoldenOnly != "" {
				golden = append(golden, fmt.Sprintf("- %s: %s", w.Name, w.GoldenOnly))
			}
		}
		if golden == nil {
			continue
		}
		fmt.Fprintf(&b, "\nThese words hide a loop or a race, so no fuzzer can draw them:\n\n%s\n", strings.Join(golden, "\n"))
	}
	return b.Bytes(), nil
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// arguments describes the type of a word's arguments.
func arguments(t reflect.Type, comments map[string]string) string {
	if t == nil {
		return ""
	}
	if t.Kind() != reflect.Struct {
		return map[reflect.Kind]string{reflect.String: "a text", reflect.Slice: "a list of names"}[t.Kind()]
	}
	if t.Name() == "Fault" {
		return "a fault: [faults.md](faults.md)"
	}
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			out = append(out, arguments(f.Type, comments))
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		text := fmt.Sprintf("`%s` (%s)", name, typeName(f.Type))
		if c := comments[path.Base(t.PkgPath())+"."+t.Name()+"."+f.Name]; c != "" {
			text += ": " + c
		}
		out = append(out, text)
	}
	return strings.Join(out, "<br>")
}

func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Name() == "Duration":
		return "duration"
	case t == reflect.TypeFor[json.RawMessage]():
		return "JSON"
	case t == reflect.TypeFor[v1.PodSpec]():
		return "a PodSpec of the API v1"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Map:
		return "texts by name"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return "list of texts"
	case t.Kind() == reflect.Struct:
		return "an object with the fields " + strings.Join(fieldNames(t), ", ")
	case t.Kind() == reflect.Slice:
		return "list of objects with the fields " + strings.Join(fieldNames(t.Elem()), ", ")
	}
	return "number"
}

// fieldNames returns the names in JSON of a struct's fields.
func fieldNames(t reflect.Type) (out []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			out = append(out, "`"+name+"`")
		}
	}
	return out
}

// fieldComments reads the comments of all struct fields, by "package.Type.Field".
func fieldComments(root string, dirs ...string) (map[string]string, error) {
	out := map[string]string{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if t, ok := n.(*ast.TypeSpec); ok {
					structComments(path.Base(dir), t, out)
				}
				return true
			})
		}
	}
	return out, nil
}

func structComments(pkg string, t *ast.TypeSpec, out map[string]string) {
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range s.Fields.List {
		text := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
		for _, name := range f.Names {
			out[pkg+"."+t.Name.Name+"."+name.Name] = text
		}
	}
}
