package requestlog

import (
	"context"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Exchange is a request over a wire, which may reach an API or not.
type Exchange struct {
	log         *Log
	view        string
	by          apiserver.Caller
	method, uri string
	id          int64 // of the request that reached the API; 0: none
	watched     Entry
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *Exchange {
	x, _ := ctx.Value(exchangeKey{}).(*Exchange)
	return x
}

// Begin says that a request came over a wire, with method and URI of HTTP; the context is for what it does.
// What reaches the API of the log is logged there.
func (l *Log) Begin(ctx context.Context, view, method, uri string) (context.Context, *Exchange) {
	x := &Exchange{log: l, view: view, by: apiserver.CallerOf(ctx), method: method, uri: uri}
	return context.WithValue(ctx, exchangeKey{}, x), x
}

// End says that the answer has left: its status, how many bytes its body had, whether it broke off. What did
// not reach the API is logged as a whole now.
func (x *Exchange) End(status int, bytes int64, broken bool) {
	if x.id == 0 {
		x.id = x.log.add(Entry{What: Asked, View: x.view, UserAgent: x.by.UserAgent, Remote: x.by.Remote, Method: x.method, URI: x.uri})
		x.log.add(Entry{What: Answered, Request: x.id, Code: int32(status)})
	}
	end := x.watched
	end.What, end.Request, end.Code, end.Bytes = Over, x.id, int32(status), bytes
	switch {
	case broken:
		end.How = Broken
	case end.How == "":
		end.How = Clean
	}
	x.log.add(end)
}
