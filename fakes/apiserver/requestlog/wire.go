package requestlog

import (
	"context"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Exchange is a request over a wire, which may reach an API or not.
type Exchange struct {
	log     *Log
	view    string
	by      apiserver.Caller
	wire    wire
	id      int64 // of the request that reached the API; 0: none
	watched Entry
}

// wire is what HTTP says of a request.
type wire struct {
	method, uri, accept string
	http2               bool
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *Exchange {
	x, _ := ctx.Value(exchangeKey{}).(*Exchange)
	return x
}

// Begin says that a request came over a wire, with method, URI and Accept of HTTP, and whether that is HTTP/2; the context is for what it does.
// What reaches the API of the log is logged there.
func (l *Log) Begin(ctx context.Context, view, method, uri, accept string, http2 bool) (context.Context, *Exchange) {
	x := &Exchange{log: l, view: view, by: apiserver.CallerOf(ctx), wire: wire{method, uri, accept, http2}}
	return context.WithValue(ctx, exchangeKey{}, x), x
}

// End says that the answer has left: its status, how many bytes its body had, whether it could not be written to the end,
// and whether the server broke it off. Of a watch the first is its client's doing: it has closed the connection while an
// event was on its way. What did not reach the API is logged as a whole now.
func (x *Exchange) End(status int, bytes int64, unwritten, broken bool) {
	if x.id == 0 {
		x.id = x.log.add(Entry{What: Asked, View: x.view, UserAgent: x.by.UserAgent, Remote: x.by.Remote, Client: x.by.Client, Idle: x.by.Idle, Method: x.wire.method, URI: x.wire.uri, Accept: x.wire.accept, HTTP2: x.wire.http2})
		x.log.add(Entry{What: Answered, Request: x.id, Code: int32(status)})
	}
	end := x.watched
	end.What, end.Request, end.Code, end.Bytes = Over, x.id, int32(status), bytes
	switch {
	case unwritten && x.watched.What == Over && !broken && end.How != Broken:
		end.How = Stopped
	case unwritten || broken:
		end.How = Broken
	case end.How == "":
		end.How = Clean
	}
	x.log.add(end)
}
