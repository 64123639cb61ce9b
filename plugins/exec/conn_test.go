package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/harness/proc"
	"github.com/lwtest/lwtest/internal/full"
)

// An adapter that cannot be sent a request, and does not end, is told of, and is killed.
func TestUnsent(t *testing.T) {
	t.Parallel()
	p, err := proc.Start(command(""), proc.Limits{})
	require.NoError(t, err)
	c := talk(p, nil)
	var nonsense *ProtocolError
	require.ErrorAs(t, c.unsent(errors.New("full")), &nonsense)
	assert.Equal(t, "it does not read its stdin: full", nonsense.What)
	assert.Equal(t, error(nonsense), c.ended())
	<-p.Gone()
}

// All that an adapter writes in a case counts, answers as well as events.
func TestAnswersAreLimited(t *testing.T) {
	if full.Race {
		t.Skip("it reads 256 MiB, on one goroutine")
	}
	t.Parallel()
	p, err := proc.Start(command(""), proc.Limits{})
	require.NoError(t, err)
	c := talk(p, nil)
	t.Cleanup(func() { c.close(errors.New("over")) })
	large := strings.Repeat("y", 1<<20)
	for i := range int64(1000) {
		c.mu.Lock()
		c.waiting[i] = pending{id: i, op: "barrier", answer: make(chan answer, 1)}
		c.mu.Unlock()
		if err = c.take(fmt.Appendf(nil, `{"id":%d,"ok":{"x":%q}}`, i, large)); err != nil {
			break
		}
	}
	assert.ErrorContains(t, err, "a flood: it has written more than 268435456 bytes in one case")
}

// A field that may be left out is, where it is null; what must be there is the implementation's.
func TestNullIsNone(t *testing.T) {
	t.Parallel()
	n := InformerNotice{Object: []byte(`{}`), Old: []byte("null"), Held: []byte("null")}
	leaveOut(&n)
	assert.Equal(t, InformerNotice{Object: []byte(`{}`)}, n)
	var o InformerObject
	require.NoError(t, (&conn{}).decode("inf.get", answer{OK: []byte(`{"object":null}`)}, &o))
	assert.Nil(t, o.Object, "of an answer, too")
	e := Event{Object: []byte("null")}
	leaveOut(&e)
	assert.Equal(t, "null", string(e.Object))
}

// A handler is synced when the drive has been told of what had come by the time at which the adapter said so.
func TestHasFirst(t *testing.T) {
	t.Parallel()
	h := &handler{come: 2, done: 1}
	assert.False(t, h.hasFirst(false))
	assert.False(t, h.hasFirst(true), "one of two")
	h.come, h.done = 3, 2
	assert.True(t, h.hasFirst(true), "of what came later nothing is said")
	assert.False(t, h.hasFirst(false), "it is what the adapter says")
}

// What was answered before the talk ended was answered, whoever looks first.
func TestAnsweredAndOver(t *testing.T) {
	t.Parallel()
	p, err := proc.Start("cat", proc.Limits{})
	require.NoError(t, err)
	c := talk(p, nil)
	c.close(errors.New("over"))
	<-c.over
	for range 50 {
		asked := pending{id: 1, op: "barrier", answer: make(chan answer, 1)}
		w := &watch{session: &session{conn: c}, read: "lw.read", reading: &asked}
		asked.answer <- answer{OK: []byte(`{}`)}
		require.NoError(t, c.wait(t.Context(), awhile, asked, nil))
		asked.answer <- answer{OK: []byte(`{"event":{"type":"ADDED","object":{}}}`)}
		e, ok := w.Next(t.Context())
		require.True(t, ok)
		require.Equal(t, "ADDED", e.Type)
		asked = pending{id: 1, op: "barrier", answer: make(chan answer, 1)}
		require.EqualError(t, c.wait(t.Context(), awhile, asked, nil), "over")
	}
}

// What was taken does not wait any more.
func TestTakenWaitsNoMore(t *testing.T) {
	t.Parallel()
	f := &flow{}
	for range maxWaiting + 1 {
		require.Empty(t, f.waits(10_000))
		f.taken(10_000)
	}
	f.heavy = maxWaitingBytes
	assert.Contains(t, f.waits(1), "bytes")
	f.heavy, f.waiting = 0, maxWaiting
	assert.Contains(t, f.waits(1), "wait to be taken")
}

// How old entries get is said when a store is opened, and the end of a watch's context, also when it is open.
func TestSaid(t *testing.T) {
	says := `while read -r l; do echo "$l" >&2; id=${l#*'"id":'}; echo "{\"id\":${id%%,*},\"ok\":{\"options\":{}}}"; done`
	informerAt(t, says, func(i *remoteInformer, _ *handler) {
		_, err := i.openStore(store.Options{TTL: 3 * time.Second})
		require.NoError(t, err)
		said := func(what string) {
			assert.Eventually(t, func() bool { return strings.Contains(i.p.Log(), what) }, 5*time.Second, 5*time.Millisecond, what)
		}
		said(`"ttlMs":3000`)
		ctx, cancel := context.WithCancel(i.t.Context())
		_, err = lwClient{i.session, "c1"}.Watch(ctx, &metav1.ListOptions{})
		require.NoError(t, err)
		cancel()
		said(`"op":"cancel","of":2`)
	})
}
