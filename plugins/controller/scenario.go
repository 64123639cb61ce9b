package controller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/harness/story"
)

// ReadScenario reads what users do from a file in YAML or JSON: {"steps": […]} with steps as in a story (docs/stories.md), or objects. From
// objects it makes a scenario: each is created, another client annotates each, a user labels each and takes the label away,
// changes a field of each custom resource and changes it back, and each is deleted.
func ReadScenario(file string) ([]story.Step, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	steps, err := readScenario(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return steps, nil
}

func readScenario(b []byte) ([]story.Step, error) {
	var objects []*unstructured.Unstructured
	for d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(b), 4096); ; {
		var doc map[string]any
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if _, ok := doc["steps"]; ok && len(objects) == 0 {
			return stepsOf(doc)
		}
		if len(doc) == 0 {
			continue
		}
		o := &unstructured.Unstructured{Object: doc}
		if o.GetKind() == "" || o.GetAPIVersion() == "" || o.GetName() == "" {
			return nil, errors.New("a document is neither a list of \"steps\" nor an object with apiVersion, kind and a name")
		}
		objects = append(objects, o)
	}
	if len(objects) == 0 {
		return nil, errors.New("it is empty: write steps, or objects")
	}
	return fromSamples(objects)
}

// stepsOf reads the steps of a document as those of a story.
func stepsOf(doc map[string]any) ([]story.Step, error) {
	doc["lwtest"], doc["kind"] = story.Format, "controller"
	b, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	script, err := controller.Suite.Describe().Language.Parse(b)
	if err != nil {
		return nil, err
	}
	return story.Of(script).Steps, nil
}

// fromSamples makes a scenario of objects.
func fromSamples(objects []*unstructured.Unstructured) (steps []story.Step, err error) {
	var names []string
	for _, o := range objects {
		b, err := o.MarshalJSON()
		if err != nil {
			return nil, err
		}
		steps = append(steps, Create(string(b)))
		names = append(names, nameOf(o))
	}
	for _, name := range names {
		steps = append(steps, Annotate(name),
			Change(name, `{metadata: {labels: {lwtest.example.com/changed: "yes"}}}`),
			Change(name, `{metadata: {labels: {lwtest.example.com/changed: null}}}`), Vary(name, 0))
	}
	for i := len(names) - 1; i >= 0; i-- { // what was made last may need what was made first
		steps = append(steps, Delete(names[i]))
	}
	return steps, nil
}

// kindName names the kind of an object as steps do.
func kindName(o *unstructured.Unstructured) string {
	if group := o.GroupVersionKind().Group; group != "" {
		return o.GetKind() + "." + group
	}
	return o.GetKind()
}

// nameOf names an object as steps do.
func nameOf(o *unstructured.Unstructured) string {
	name := kindName(o)
	if o.GetNamespace() != "" {
		name += "/" + o.GetNamespace()
	}
	return name + "/" + o.GetName()
}
