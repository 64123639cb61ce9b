package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/story"
)

// Vary says which field users change, and when.
type Vary struct {
	Choice int `json:"choice,omitempty"` // which field and value, among those that the schema has; what the API server refuses is passed over
	After  int `json:"after,omitempty"`  // the step of the scenario after which they do it, from 1; 0: at once
}

// Validate returns an error for a negative number.
func (v Vary) Validate() error {
	if v.Choice < 0 || v.After < 0 {
		return fmt.Errorf("choice %d, after %d: neither may be negative", v.Choice, v.After)
	}
	return nil
}

func sayVary(s story.Step, v Vary) string {
	of := s.Obj
	if of == "" {
		of = "a custom resource"
	}
	text := fmt.Sprintf("change a field of %s as its schema allows (choice %d), and change it back", of, v.Choice)
	if v.After > 0 {
		text = fmt.Sprintf("after step %d of the scenario ", v.After) + text
	}
	return text
}

// change is a change of an object and the change back, as merge patches.
type change struct {
	path        string
	patch, back []byte
}

func stepVary(w *world, s story.Step, v Vary) error {
	if v.After > 0 {
		w.run.mu.Lock()
		w.run.planned = append(w.run.planned, s)
		w.run.mu.Unlock()
		return nil
	}
	return w.vary(s.Obj, v.Choice)
}

// plannedAfter returns what users do after a step of the scenario, once.
func (r *run) plannedAfter(step int) (due []story.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned = slices.DeleteFunc(r.planned, func(s story.Step) bool {
		v := s.With.(Vary)
		if v.After <= step {
			due = append(due, story.Step{Op: s.Op, Obj: s.Obj, With: Vary{Choice: v.Choice}})
		}
		return v.After <= step
	})
	return due
}

// vary changes a field of an object, lets everything come to rest, and changes the field back. An empty name stands for all objects that
// users have created.
func (w *world) vary(obj string, choice int) error {
	r := w.run
	paths := r.created
	if obj != "" {
		p, err := w.object(obj)
		if err != nil {
			return err
		}
		paths = []string{p}
	}
	c := w.changeOf(paths, choice)
	if c == nil {
		return story.SkipStep("no field can be changed: the schema is not known, or allows nothing")
	}
	if err := r.tryUser(c.path, c.patch); err != nil {
		return err
	}
	r.rest()
	return r.tryUser(c.path, c.back)
}

// changeOf returns the change with which a run goes on; nil: there is none. The first run of a case draws it. All others do the same, also
// where an object looks otherwise because something went wrong.
func (w *world) changeOf(paths []string, choice int) *change {
	w.run.varied++
	i := w.run.varied - 1
	if w.run.num == 1 {
		c := w.run.draw(paths, choice)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.changes = append(w.changes, c)
		return c
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i >= len(w.changes) {
		return nil
	}
	return w.changes[i]
}

// tryUser patches an object as a user. What the API server refuses is no error of the story: a field may only be allowed to grow.
func (r *run) tryUser(path string, patch []byte) error {
	code, reply := r.insist(userActor, http.MethodPatch, path, mergeType, patch)
	if code < 300 || code >= 500 {
		return failure(code, reply)
	}
	return story.SkipStep("the API server answers %d: %.300s", code, reply)
}

// mostTried is how many changes the API server may refuse before none is made.
const mostTried = 30

// draw draws a change of one of the objects that are at the paths.
func (r *run) draw(paths []string, choice int) *change {
	type drawn struct {
		path      string
		was, want map[string]any
	}
	var all []drawn
	for _, p := range paths {
		was, s := r.known(p)
		if s == nil {
			continue
		}
		for _, v := range s.variations(was["spec"]) {
			all = append(all, drawn{p, was, map[string]any{"spec": v.value}})
		}
	}
	for i := range min(len(all), mostTried) {
		d := all[(choice+i)%len(all)]
		was := map[string]any{}
		if spec, ok := d.was["spec"]; ok {
			was["spec"] = spec
		}
		patch, _ := json.Marshal(mergePatch(was, d.want)) // they come from JSON
		back, _ := json.Marshal(mergePatch(d.want, was))
		if r.accepts(d.path, patch, d.was["spec"]) {
			return &change{d.path, patch, back}
		}
	}
	return nil
}

// known returns an object and its schema; nil: it is not there, or no definition says what it is.
func (r *run) known(p string) (map[string]any, *schema) {
	x, ok := parsePath(p)
	plural, group, isGroup := strings.Cut(x.resource, ".")
	if !ok || !isGroup {
		return nil, nil
	}
	ctx := context.WithoutCancel(r.t.Context())
	code, definition := r.ask(ctx, http.MethodGet, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+plural+"."+group, jsonType, nil)
	if code != http.StatusOK {
		return nil, nil
	}
	var o map[string]any
	if code, b := r.ask(ctx, http.MethodGet, p, jsonType, nil); code != http.StatusOK || unmarshalNumbers(b, &o) != nil {
		return nil, nil
	}
	version, _ := o["apiVersion"].(string)
	return o, schemaIn(definition, path.Base(version))
}

// accepts reports whether the API server would change the spec of an object by a patch.
func (r *run) accepts(p string, patch []byte, spec any) bool {
	code, b := r.ask(context.WithoutCancel(r.t.Context()), http.MethodPatch, p+"?dryRun=All", mergeType, patch)
	var o map[string]any
	return code == http.StatusOK && unmarshalNumbers(b, &o) == nil && !reflect.DeepEqual(o["spec"], spec)
}
