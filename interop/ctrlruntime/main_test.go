package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// What is written to the object leaves its status alone, and the other way round; what is stale is refused with its Status.
func TestStatus(t *testing.T) {
	ctx := context.Background()
	s, err := fakeClient.Open()
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Create(ctx, adapter.Write{Namespace: "n", Object: json.RawMessage(`{"metadata":{"name":"a"},"data":{"spec":"one"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(first, &m); err != nil {
		t.Fatal(err)
	}
	m["data"] = map[string]string{"spec": "two", "status": "new"}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	w := adapter.Write{Namespace: "n", Object: b, Subresource: "status"}
	second, err := s.Update(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Data map[string]string }
	if err := json.Unmarshal(second, &got); err != nil || got.Data["status"] != "new" || got.Data["spec"] != "one" {
		t.Errorf("%v: it has %v", err, got.Data)
	}
	_, err = s.Update(ctx, w)
	var e *adapter.Error
	if !errors.As(err, &e) || e.Status == nil {
		t.Errorf("a stale update of status: %v", err)
	}
}

// Who asks for the cache is told where it is.
func TestMisused(t *testing.T) {
	for args, want := range map[string]string{
		"fake-client": "", "cache": "it is in interop/controllerruntime", "": "fake-client  pkg/client/fake", "fake-client more": "fake-client  pkg/client/fake",
	} {
		if got := misused(strings.Fields(args)); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%q: got %q, want %q", args, got, want)
		}
	}
}
