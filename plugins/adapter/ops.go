package adapter

import (
	"context"
	"encoding/json"
)

// call is a request under way. Its context ends when lwtest calls it off, when its case ends, and, unless it stays,
// when it is answered.
type call struct {
	context.Context
	session *session
	life    *life
	id      int64
	stays   bool
}

// op is how a request is read and answered.
type op struct {
	read func(line []byte) (any, error)
	do   func(*call, any) (any, error)
	// examples for tests: what a request and its answer are
	request, reply any
}

// on is an op whose request is an R and whose answer is an A.
func on[R, A any](do func(*call, R) (A, error)) op {
	return op{
		read: func(line []byte) (any, error) {
			var r R
			err := json.Unmarshal(line, &r)
			return r, err
		},
		do:      func(c *call, r any) (any, error) { return do(c, r.(R)) },
		request: new(R), reply: new(A),
	}
}

// nothing has no fields.
type nothing struct{}

// cancel names a request.
type cancel struct {
	Of int64 `json:"of"`
}

// caseBegin says which case begins.
type caseBegin struct {
	Case string `json:"case"`
}

// ops are all that an adapter of Go answers. Those of a kind that it does not offer are skipped, as unknown ones are.
func (a Adapter) ops() map[string]op {
	ops := map[string]op{
		"hello":      on(func(*call, hello) (helloReply, error) { return a.says(), nil }),
		"case.begin": on(func(*call, caseBegin) (nothing, error) { return nothing{}, nil }),
		// Events are written when they happen, so that all are out.
		"barrier": on(func(*call, nothing) (nothing, error) { return nothing{}, nil }),
		// These are answered where lines are taken.
		"case.end": on[nothing, nothing](nil),
		"cancel":   on[cancel, nothing](nil),
		"crash":    on[nothing, nothing](nil),
		"shutdown": on[nothing, nothing](nil),
	}
	for _, of := range []struct {
		offered bool
		ops     map[string]op
	}{
		{a.ListerWatcher.Open != nil, a.ListerWatcher.ops()},
		{a.Informer.New != nil, a.Informer.ops()},
		{a.Store.Open != nil, a.Store.ops()},
		{a.WatchCache.Open != nil || a.WatchCache.Serve != nil, a.WatchCache.ops()},
		{a.Runtime.Start != nil, a.Runtime.ops()},
		{a.Node.Command != nil, a.Node.ops()},
	} {
		if !of.offered {
			continue
		}
		for name, op := range of.ops {
			ops[name] = op
		}
	}
	return ops
}
