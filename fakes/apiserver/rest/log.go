package rest

import (
	"context"
	"net/http"

	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
)

// answer is one whose end the log has.
type answer struct {
	http.ResponseWriter
	entry  *requestlog.Exchange
	code   int
	bytes  int64
	failed bool // to write
}

// logged begins the log's exchange of a request.
func (h *handler) logged(ctx context.Context, w http.ResponseWriter, r *http.Request) (*answer, context.Context) {
	ctx, entry := h.o.Log.Begin(ctx, h.o.View, r.Method, r.URL.RequestURI(), r.Header.Get("Accept"), r.ProtoMajor == 2)
	return &answer{ResponseWriter: w, entry: entry}, ctx
}

// end is for a defer: a handler that breaks off panics.
func (a *answer) end() {
	p := recover()
	a.entry.End(a.code, a.bytes, a.failed, p != nil)
	if p != nil {
		panic(p)
	}
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	a.code = code
	a.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	if a.code == 0 {
		a.code = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	a.failed = a.failed || err != nil
	return n, err
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
