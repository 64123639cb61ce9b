package informer_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
)

// deaf is an informer whose writes ignore their context.
type deaf struct{ over <-chan struct{} }

func (d deaf) New(informer.Config) (informer.Informer, error) { return d, nil }
func (deaf) Run(ctx context.Context)                          { <-ctx.Done() }
func (deaf) Get(string) (json.RawMessage, error)              { return nil, nil }
func (deaf) List() ([]json.RawMessage, error)                 { return nil, nil }

func (d deaf) Write(context.Context, string, string) (json.RawMessage, error) {
	<-d.over
	return nil, context.Canceled
}

// A write that does not end with its context may be done at any time: the case is given up.
func TestHeldWriteIgnoresItsContext(t *testing.T) {
	open := func(t *harness.T) (informer.Subject, error) { return deaf{t.Context().Done()}, nil }
	features := append([]harness.Feature{harness.VirtualTime, informer.Writes}, fake.ServerFeatures...)
	c := informer.Suite.Bind(informer.Plugin("deaf", fake.Server, open, features...))[0]
	r, _ := playFile(t, c, `{"lwtest":"story/v1","kind":"informer","steps":[{"op":"start"},{"op":"own-write-held","obj":"o2","for":"19s"},{"op":"settle"}]}`)
	assert.Equal(t, harness.Inconclusive, r.Verdict)
	assert.Contains(t, r.Reason, "nobody knows whether it still writes")
}
