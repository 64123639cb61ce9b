package main

import (
	"encoding/json"
	"testing"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// What a store writes is what it was given, whatever is in it.
func TestScrape(t *testing.T) {
	var a adapter.Adapter
	ways["store"](&a)
	s, err := a.Store.Open(adapter.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	odd := adapter.Object{Namespace: "a", Name: "x", ResourceVersion: "1", Values: []string{`"`, `\`, "\n", "ü", "}"}}
	for _, err := range []error{
		s.Apply(adapter.Change{Verb: adapter.Add, Object: adapter.Object{Namespace: "a", Name: "gone"}}),
		s.Replace([]adapter.Object{{Namespace: "a", Name: "y"}}, "7"),
		s.Apply(adapter.Change{Verb: adapter.Update, Object: odd}),
		s.Apply(adapter.Change{Verb: adapter.Delete, Object: adapter.Object{Namespace: "a", Name: "y"}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.(adapter.StoreReader).List()
	if err != nil || len(all) != 1 {
		t.Fatalf("%v %v", all, err)
	}
	got, err := s.(adapter.StoreReader).GetByKey("a/x")
	if err != nil || got == nil {
		t.Fatalf("%v %v", got, err)
	}
	have, _ := json.Marshal(got)
	want, _ := json.Marshal(odd)
	if string(have) != string(want) {
		t.Errorf("it has %s, and was given %s", have, want)
	}
}

// Each way that is for informers makes one, before there is a server.
func TestInformers(t *testing.T) {
	for _, way := range []string{"informer", "informer-cached"} {
		var a adapter.Adapter
		ways[way](&a)
		i, err := a.Informer.New(adapter.InformerConfig{Server: adapter.Server{URL: "http://127.0.0.1:1"}, Resource: adapter.Resource{Version: "v1", Resource: "configmaps"}})
		if err != nil {
			t.Fatal(err)
		}
		if all, err := i.List(); err != nil || len(all) > 0 {
			t.Errorf("%s: it begins with %v %v", way, all, err)
		}
	}
}
