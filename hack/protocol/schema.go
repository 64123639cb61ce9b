package main

import (
	"encoding/json"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/lwtest/lwtest/plugins/exec"
)

// document is schema.json: what a line of each direction may be. Fields that it does not know are let pass.
type document struct {
	Schema  string                        `json:"$schema"`
	Title   string                        `json:"title"`
	Version int                           `json:"x-version"`
	Defs    map[string]*jsonschema.Schema `json:"$defs"`
}

// schema is schema.json. Of each op there is OP.request, the line that asks, and OP.ok, what stands under ok of its answer;
// of each event EV.event, the line. answer is any line that answers.
func (r *reflector) schema() ([]byte, error) {
	d := document{"https://json-schema.org/draft/2020-12/schema", "the lines of lwtest's exec protocol", exec.Version, map[string]*jsonschema.Schema{}}
	for _, o := range exec.Ops() {
		d.Defs[o.Name+".request"] = r.line(o.Request, o.About, "op", o.Name, "id")
		d.Defs[o.Name+".ok"] = r.of(o.Reply)
	}
	for _, e := range exec.Evs() {
		d.Defs[e.Name+".event"] = r.line(e.Fields, e.About, "ev", e.Name)
	}
	d.Defs["answer"] = r.answer()
	b, err := json.MarshalIndent(d, "", "\t")
	return append(b, '\n'), err
}

// of is the schema of a message.
func (r *reflector) of(v any) *jsonschema.Schema {
	s := r.ReflectFromType(reflect.TypeOf(v))
	s.Version, s.ID = "", ""
	if s.Properties == nil {
		s.Properties = jsonschema.NewProperties()
	}
	return s
}

// line is the schema of a line with a constant name, and with an id where there is one.
func (r *reflector) line(v any, about, field, name string, id ...string) *jsonschema.Schema {
	s := r.of(v)
	s.Description = about
	s.Properties.Set(field, &jsonschema.Schema{Const: name})
	s.Required = append(s.Required, field)
	for _, i := range id {
		s.Properties.Set(i, &jsonschema.Schema{Type: "integer", Description: "chosen by lwtest, and never twice"})
		s.Required = append(s.Required, i)
	}
	return s
}

// answer is the schema of all of them.
func (r *reflector) answer() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Description: "answers the request of that id: with what was asked for, with an error of the implementation, or by saying why the adapter does not have the op", Properties: jsonschema.NewProperties(), Required: []string{"id"}}
	s.Properties.Set("id", &jsonschema.Schema{Type: "integer"})
	s.Properties.Set("ok", &jsonschema.Schema{Type: "object"})
	s.Properties.Set("err", r.of(exec.Failure{}))
	s.Properties.Set("skip", &jsonschema.Schema{Type: "string"})
	for _, one := range []string{"ok", "err", "skip"} {
		s.OneOf = append(s.OneOf, &jsonschema.Schema{Required: []string{one}})
	}
	return s
}
