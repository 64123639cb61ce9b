package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// user makes a request of a user or another client, and records it. An object that is there already or is gone is no error of the story.
func (r *run) user(actor, method, path, kind string, body []byte) error {
	code, reply := r.insist(actor, method, path, kind, body)
	if code == http.StatusNotFound || code == http.StatusConflict {
		return story.SkipStep("the API server answers %d", code)
	}
	return failure(code, reply)
}

// failure returns an error for an answer that is no success.
func failure(code int, reply []byte) error {
	if code < 300 {
		return nil
	}
	return fmt.Errorf("the API server answers %d: %.300s", code, reply)
}

// insist makes a request of a user or another client, and records it. One that fails because a webhook does not answer is made again for a
// while: the webhook is the controller's, which is down or starts, and a user tries again then.
func (r *run) insist(actor, method, path, kind string, body []byte) (code int, reply []byte) {
	if actor == userActor {
		r.hide()
	}
	code, reply = r.once(actor, method, path, kind, body)
	for from := time.Now(); unanswered(code, reply) && time.Since(from) < mostTrying && r.t.Context().Err() == nil; {
		r.t.Sleep(time.Second)
		code, reply = r.once(actor, method, path, kind, body)
	}
	return code, reply
}

// mostTrying is how long users try again when a webhook does not answer.
const mostTrying = time.Minute

// unanswered reports whether an answer says that a webhook could not be called: one of admission, or one that converts. The words are
// kube-apiserver's (k8s.io/apiserver/pkg/admission/plugin/webhook, k8s.io/apiextensions-apiserver/pkg/apiserver/conversion).
func unanswered(code int, reply []byte) bool {
	return code == http.StatusInternalServerError && (bytes.Contains(reply, []byte("failed to call webhook")) || bytes.Contains(reply, []byte("conversion webhook for")))
}

// once makes a request of a user or another client, and records it.
func (r *run) once(actor, method, path, kind string, body []byte) (code int, reply []byte) {
	r.t.Do(harness.Call{Actor: r.actor(actor), Kind: method, Obj: history.Ref{Key: keyOf(path)}, Args: json.RawMessage(body)}, func(ctx context.Context) harness.Answer {
		code, reply = r.ask(ctx, method, path, kind, body)
		return answerOf(code, reply)
	})
	r.mu.Lock()
	r.last = time.Now()
	r.mu.Unlock()
	return code, reply
}

// ask makes a request as an administrator.
func (r *run) ask(ctx context.Context, method, path, kind string, body []byte) (int, []byte) {
	q, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return http.StatusBadRequest, []byte(err.Error())
	}
	q.Host, q.RemoteAddr, q.RequestURI = "localhost", "127.0.0.1:1", path
	q.Header.Set("Content-Type", kind)
	q.Header.Set("Accept", jsonType)
	q.Header.Set("User-Agent", "lwtest-user")
	rec := httptest.NewRecorder()
	r.c.ServeHTTP(rec, q)
	return rec.Code, rec.Body.Bytes()
}

// answerOf reads an answer of the API server.
func answerOf(code int, body []byte) harness.Answer {
	if code >= 300 {
		var s struct {
			Reason, Message string
		}
		_ = json.Unmarshal(body, &s)
		return harness.Answer{Err: &history.Error{Code: code, Reason: s.Reason, Msg: s.Message, Definite: code < 500 || s.Reason != ""}}
	}
	o, err := readObject(body)
	if err != nil {
		return harness.Answer{}
	}
	a := harness.Answer{Obj: history.Ref{UID: o.Meta.UID, RV: o.Meta.ResourceVersion}}
	if o.Kind != "Status" {
		a.Body = json.RawMessage(bytes.TrimSpace(body))
	}
	return a
}
