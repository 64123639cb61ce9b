package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/lwtest/lwtest/fakes/mvcc"
)

// keys is a state of the store.
type keys = mvcc.Tree[*mvccpb.KeyValue]

// span returns a range of keys as two of a tree: from the first on, and before the second. An empty second is the end of all.
func span(key, end []byte) (string, string) {
	switch {
	case len(end) == 0: // one key
		return string(key), string(key) + "\x00"
	case bytes.Equal(end, []byte{0}): // all from it on
		return string(key), ""
	}
	return string(key), string(end)
}

// count counts the keys of a span.
func count(t keys, from, to string) int64 {
	end := t.Len()
	if to != "" {
		end = t.Rank(to)
	}
	return int64(max(0, end-t.Rank(from)))
}

// at returns the state that a range is about, and its revision. The lock is held.
func (s *Server) at(rev int64) (keys, error) {
	switch {
	case rev > s.rev:
		return keys{}, rpctypes.ErrGRPCFutureRev
	case rev > 0 && rev < s.compacted:
		return keys{}, rpctypes.ErrGRPCCompacted
	case rev > 0:
		return s.keys.At(uint64(rev)), nil
	}
	return s.keys.Now(), nil
}

// Range implements etcdserverpb.KVServer.
func (s *Server) Range(_ context.Context, q *etcdserverpb.RangeRequest) (*etcdserverpb.RangeResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.at(q.Revision)
	if err != nil {
		return nil, err
	}
	out, err := read(t, q)
	if err != nil {
		return nil, err
	}
	out.Header = s.header()
	return out, nil
}

// read answers a range.
func read(t keys, q *etcdserverpb.RangeRequest) (*etcdserverpb.RangeResponse, error) {
	if len(q.Key) == 0 {
		return nil, rpctypes.ErrGRPCEmptyKey
	}
	from, to := span(q.Key, q.RangeEnd)
	out := &etcdserverpb.RangeResponse{Count: count(t, from, to)}
	if q.CountOnly {
		return out, nil
	}
	sorted := q.SortOrder != etcdserverpb.RangeRequest_NONE || q.SortTarget != etcdserverpb.RangeRequest_KEY
	for kv := range t.Between(from, to) {
		if !wanted(kv, q) {
			continue
		}
		if out.More = q.Limit > 0 && !sorted && int64(len(out.Kvs)) == q.Limit; out.More {
			break
		}
		out.Kvs = append(out.Kvs, kv)
	}
	if sorted {
		order(out.Kvs, q)
		if out.More = q.Limit > 0 && int64(len(out.Kvs)) > q.Limit; out.More {
			out.Kvs = out.Kvs[:q.Limit]
		}
	}
	for i, kv := range out.Kvs {
		if q.KeysOnly {
			out.Kvs[i] = proto.CloneOf(kv)
			out.Kvs[i].Value = nil
		}
	}
	return out, nil
}

// wanted reports whether the revisions of a key are among those that a range is about.
func wanted(kv *mvccpb.KeyValue, q *etcdserverpb.RangeRequest) bool {
	within := func(n, least, most int64) bool { return n >= least && (most == 0 || n <= most) }
	return within(kv.ModRevision, q.MinModRevision, q.MaxModRevision) && within(kv.CreateRevision, q.MinCreateRevision, q.MaxCreateRevision)
}

// order sorts what a range has found.
func order(all []*mvccpb.KeyValue, q *etcdserverpb.RangeRequest) {
	slices.SortStableFunc(all, func(a, b *mvccpb.KeyValue) int {
		c := bytes.Compare(a.Key, b.Key)
		switch q.SortTarget {
		case etcdserverpb.RangeRequest_VERSION:
			c = cmp.Compare(a.Version, b.Version)
		case etcdserverpb.RangeRequest_CREATE:
			c = cmp.Compare(a.CreateRevision, b.CreateRevision)
		case etcdserverpb.RangeRequest_MOD:
			c = cmp.Compare(a.ModRevision, b.ModRevision)
		case etcdserverpb.RangeRequest_VALUE:
			c = bytes.Compare(a.Value, b.Value)
		}
		if q.SortOrder == etcdserverpb.RangeRequest_DESCEND {
			return -c
		}
		return c
	})
}

// chunk is how many keys an answer of a range that is streamed has.
const chunk = 10

// RangeStream implements etcdserverpb.KVServer.
func (s *Server) RangeStream(q *etcdserverpb.RangeRequest, out etcdserverpb.KV_RangeStreamServer) error {
	if q.SortOrder != etcdserverpb.RangeRequest_NONE || q.SortTarget != etcdserverpb.RangeRequest_KEY || q.MinModRevision+q.MaxModRevision+q.MinCreateRevision+q.MaxCreateRevision != 0 {
		return status.Error(codes.Unimplemented, "RangeStream does not sort or filter")
	}
	whole, err := s.Range(out.Context(), q)
	if err != nil {
		return err
	}
	for len(whole.Kvs) > chunk {
		if err := out.Send(&etcdserverpb.RangeStreamResponse{RangeResponse: &etcdserverpb.RangeResponse{Kvs: whole.Kvs[:chunk]}}); err != nil {
			return err
		}
		whole.Kvs = whole.Kvs[chunk:]
	}
	return out.Send(&etcdserverpb.RangeStreamResponse{RangeResponse: whole})
}
