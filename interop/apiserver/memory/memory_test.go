package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lwtest/lwtest/interop/apiserver/etcd"
	"github.com/lwtest/lwtest/interop/apiserver/memory"
)

func connect(t *testing.T, endpoint string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// pair connects to an etcd, and to one in memory.
func pair(t *testing.T) [2]*clientv3.Client {
	t.Helper()
	endpoint, end, err := etcd.Start()
	require.NoError(t, err)
	t.Cleanup(end)
	m, err := memory.Start(memory.Options{})
	require.NoError(t, err)
	t.Cleanup(m.Close)
	return [2]*clientv3.Client{connect(t, endpoint), connect(t, m.Endpoint())}
}

var names = []string{"a", "a/x", "a/y", "b", "b/x"}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// drawn makes a random request; rev is about the present revision.
func drawn(r *rand.Rand, rev int64, deep bool) clientv3.Op {
	key := pick(r, names...)
	var opts []clientv3.OpOption
	if r.IntN(3) == 0 {
		opts = append(opts, clientv3.WithRange(pick(r, "a0", "b", "c", "\x00")))
	}
	switch n := r.IntN(10); {
	case n < 3:
		if r.IntN(2) == 0 {
			return clientv3.OpPut(key, fmt.Sprint(r.IntN(5)), clientv3.WithPrevKV())
		}
		return clientv3.OpPut(key, fmt.Sprint(r.IntN(5)))
	case n < 5:
		return clientv3.OpDelete(key, append(opts, clientv3.WithPrevKV())...)
	case n < 7 && deep:
		compare := pick(r, clientv3.Compare(clientv3.ModRevision(key), pick(r, "=", "<", ">", "!="), rev-int64(r.IntN(4))), clientv3.Compare(clientv3.Version(key), pick(r, "=", ">"), int64(r.IntN(2))),
			clientv3.Compare(clientv3.Value(key), "=", "1"), clientv3.Compare(clientv3.CreateRevision(key), "=", 0))
		if r.IntN(4) == 0 {
			compare = compare.WithRange("b0")
		}
		return clientv3.OpTxn([]clientv3.Cmp{compare}, []clientv3.Op{drawn(r, rev, false)}, []clientv3.Op{clientv3.OpGet(key), clientv3.OpPut("c", "")})
	}
	opts = append(opts, clientv3.WithLimit(int64(r.IntN(3))))
	if r.IntN(2) == 0 {
		opts = append(opts, clientv3.WithRev(rev-int64(r.IntN(8))+2))
	}
	if r.IntN(4) == 0 {
		opts = append(opts, pick(r, clientv3.WithCountOnly(), clientv3.WithKeysOnly(), clientv3.WithSort(clientv3.SortByModRevision, clientv3.SortDescend), clientv3.WithMinModRev(max(1, rev-3))))
	}
	return clientv3.OpGet(key, opts...)
}

// said is an answer without what belongs to one member.
func said(out clientv3.OpResponse, err error) string {
	if err != nil {
		return err.Error()
	}
	switch {
	case out.Txn() != nil:
		r := out.Txn()
		text := fmt.Sprint(r.Header.Revision, r.Succeeded)
		for _, one := range r.Responses {
			text += fmt.Sprint(" | ", kvs(one.GetResponseRange().GetKvs()), one.GetResponseRange().GetCount(), one.GetResponseDeleteRange().GetDeleted(), kvs(one.GetResponseDeleteRange().GetPrevKvs()), kvs([]*mvccpb.KeyValue{one.GetResponsePut().GetPrevKv()}))
		}
		return text
	case out.Put() != nil:
		return fmt.Sprint(out.Put().Header.Revision, kvs([]*mvccpb.KeyValue{out.Put().PrevKv}))
	case out.Del() != nil:
		return fmt.Sprint(out.Del().Header.Revision, out.Del().Deleted, kvs(out.Del().PrevKvs))
	}
	r := (*etcdserverpb.RangeResponse)(out.Get())
	return fmt.Sprint(r.Header.Revision, r.Count, r.More, kvs(r.Kvs))
}

func kvs(all []*mvccpb.KeyValue) (text string) {
	for _, kv := range all {
		if kv != nil {
			text += fmt.Sprintf(" %s=%q@%d/%d/%d", kv.Key, kv.Value, kv.CreateRevision, kv.ModRevision, kv.Version)
		}
	}
	return text
}

// events are those of a watch until it has told a revision, or ends.
func events(t *testing.T, c *clientv3.Client, from, until int64, opts ...clientv3.OpOption) (all []string) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	for r := range c.Watch(ctx, "", append(opts, clientv3.WithPrefix(), clientv3.WithRev(from))...) {
		if r.CompactRevision != 0 {
			return append(all, fmt.Sprint("compacted at ", r.CompactRevision))
		}
		require.NoError(t, r.Err())
		for _, e := range r.Events {
			all = append(all, e.Type.String()+kvs([]*mvccpb.KeyValue{e.Kv, e.PrevKv}))
			if e.Kv.ModRevision == until {
				return all
			}
		}
	}
	t.Fatalf("the watch never told %d", until)
	return nil
}

// An etcd in memory answers as etcd does.
func TestAsEtcd(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 7))
		both := pair(t)
		rev, compacted := int64(1), int64(0)
		for i := range 1500 {
			op := drawn(r, rev, true)
			out, err := both[0].Do(t.Context(), op)
			want := said(out, err)
			require.Equal(t, want, said(both[1].Do(t.Context(), op)), "seed %d, request %d: %+v", seed, i, op)
			now, err := both[0].Get(t.Context(), "a")
			require.NoError(t, err)
			rev = now.Header.Revision
			if r.IntN(100) == 0 {
				at := rev - int64(r.IntN(10))
				_, err := both[0].Compact(t.Context(), at)
				_, err2 := both[1].Compact(t.Context(), at)
				require.Equal(t, fmt.Sprint(err), fmt.Sprint(err2))
				compacted = max(compacted, at)
			}
		}
		for _, c := range both { // the last event of each watch
			_, err := c.Put(t.Context(), "z", "")
			require.NoError(t, err)
		}
		for _, from := range []int64{max(1, compacted-1), compacted, compacted + 1, (compacted + rev) / 2} {
			want := events(t, both[0], from, rev+1)
			require.Equal(t, want, events(t, both[1], from, rev+1), "from %d, compacted at %d", from, compacted)
			require.Equal(t, events(t, both[0], from, rev+1, clientv3.WithPrevKV()), events(t, both[1], from, rev+1, clientv3.WithPrevKV()), "from %d, compacted at %d", from, compacted)
		}
	}
}

// A lease that ends takes its keys with it, and one that is kept does not.
func TestLeases(t *testing.T) {
	m, err := memory.Start(memory.Options{})
	require.NoError(t, err)
	t.Cleanup(m.Close)
	c := connect(t, m.Endpoint())
	short, err := c.Grant(t.Context(), 1)
	require.NoError(t, err)
	long, err := c.Grant(t.Context(), 600)
	require.NoError(t, err)
	for key, id := range map[string]clientv3.LeaseID{"a": short.ID, "b": short.ID, "kept": long.ID} {
		_, err := c.Put(t.Context(), key, "", clientv3.WithLease(id))
		require.NoError(t, err)
	}
	_, err = c.Put(t.Context(), "b", "", clientv3.WithLease(long.ID)) // moves to another lease
	require.NoError(t, err)
	for r := range c.Watch(t.Context(), "a") {
		require.Equal(t, mvccpb.Event_DELETE, r.Events[0].Type)
		break
	}
	now, err := c.Get(t.Context(), "", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	require.NoError(t, err)
	require.Len(t, now.Kvs, 2)
	left, err := c.TimeToLive(t.Context(), long.ID, clientv3.WithAttachedKeys())
	require.NoError(t, err)
	slices.SortFunc(left.Keys, slices.Compare)
	require.Equal(t, [][]byte{[]byte("b"), []byte("kept")}, left.Keys)
	_, err = c.Put(t.Context(), "late", "", clientv3.WithLease(short.ID))
	require.ErrorContains(t, err, "requested lease not found")
}

// Who asks for progress, or for notices of it, hears of a revision only after all events up to it.
func TestProgress(t *testing.T) {
	m, err := memory.Start(memory.Options{Progress: 100 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(m.Close)
	c := connect(t, m.Endpoint())
	w := c.Watch(t.Context(), "a", clientv3.WithProgressNotify(), clientv3.WithCreatedNotify())
	<-w // it has begun
	done, err := c.Put(t.Context(), "a", "1")
	require.NoError(t, err)
	other, err := c.Put(t.Context(), "b", "1")
	require.NoError(t, err)
	require.NoError(t, c.RequestProgress(t.Context()))
	seen := false
	for r := range w {
		seen = seen || len(r.Events) > 0 && r.Events[0].Kv.ModRevision == done.Header.Revision
		if r.IsProgressNotify() && r.Header.Revision == other.Header.Revision {
			break
		}
	}
	require.True(t, seen)
	notice := <-w
	require.True(t, notice.IsProgressNotify(), "without a request")
}
