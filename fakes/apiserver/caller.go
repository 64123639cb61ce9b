package apiserver

import "context"

// Caller says who makes a request, for those who log requests or choose among them.
type Caller struct {
	UserAgent string
	Remote    string // address; "" in this process
	Client    string // what the bearer token says after the server's own and a dot; "": nothing
	Idle      []int  // of the first request by a connection: for how many seconds each other one of the client has carried nothing
	Internal  bool   // the server itself: no fault strikes it
}

type callerKey struct{}

// WithCaller is a context whose requests are that caller's. HTTP says it by itself.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf is who makes the requests of a context; empty where nobody has said.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
