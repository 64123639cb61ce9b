package apiserver

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
)

// Gate says what the user of a request may write, where that depends on what is stored or about to be. Its functions are called without a
// lock, and may read the API. A nil function refuses nothing.
type Gate struct {
	// Create returns why the user may not create an object. An Update or Patch of an object that does not exist calls it. The answer has its
	// error if nothing else is wrong with the object.
	Create func() error
	// Write returns why the user may not store an object in place of another, which is nil for a new one. It sees the object when mutating
	// webhooks have changed it, and before it is checked; it must change neither.
	Write func(in, old runtime.Object) error
}

type gateKey struct{}

// WithGate is a context whose writes pass a gate.
func WithGate(ctx context.Context, g Gate) context.Context {
	return context.WithValue(ctx, gateKey{}, g)
}

// gateOf returns the gate of a context; without one it refuses nothing.
func gateOf(ctx context.Context) Gate {
	g, _ := ctx.Value(gateKey{}).(Gate)
	return g
}

// create returns the error of Create.
func (g Gate) create() error {
	if g.Create == nil {
		return nil
	}
	return g.Create()
}

// write returns the error of Write.
func (g Gate) write(in, old runtime.Object) error {
	if g.Write == nil {
		return nil
	}
	return g.Write(in, old)
}
