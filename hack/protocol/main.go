// Command protocol writes what is generated from the messages of plugins/exec: a JSON Schema of every line, and the
// tables of docs/protocol.md. With -check it only says whether they are current.
//
//	cd hack/protocol && go run . [-check]
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"

	"github.com/invopop/jsonschema"
)

func main() {
	check := flag.Bool("check", false, "fail if a file is not current, and write nothing")
	flag.Parse()
	err := os.Chdir("../..")
	if err == nil {
		err = run(*check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "protocol:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	r, err := newReflector()
	if err != nil {
		return err
	}
	schema, err := r.schema()
	if err != nil {
		return err
	}
	const page = "docs/protocol.md"
	have, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	doc, err := r.page(have)
	if err != nil {
		return err
	}
	for name, want := range map[string][]byte{"plugins/exec/schema.json": schema, page: doc} {
		have, err := os.ReadFile(name)
		switch {
		case err != nil && !os.IsNotExist(err):
			return err
		case bytes.Equal(have, want):
		case check:
			return fmt.Errorf("%s is not current: run `cd hack/protocol && go run .` and commit it", name)
		default:
			if err := os.WriteFile(name, want, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// reflector makes schemas of the messages, with their comments.
type reflector struct{ jsonschema.Reflector }

// newReflector reads comments from the source, below the working directory.
func newReflector() (*reflector, error) {
	r := &reflector{jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, AllowAdditionalProperties: true, Mapper: plain}}
	for _, dir := range []string{"plugins/exec", "conformance/store"} {
		if err := r.AddGoComments("github.com/lwtest/lwtest", dir); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// plain is for what stands for any JSON.
func plain(t reflect.Type) *jsonschema.Schema {
	if t == reflect.TypeFor[json.RawMessage]() {
		return &jsonschema.Schema{Type: "object"}
	}
	return nil
}
