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
)

// txn is a transaction on its way.
type txn struct {
	s      *Server
	now    keys
	rev    int64 // that it will have, if it writes
	events []*mvccpb.Event
	header *etcdserverpb.ResponseHeader // of all answers in it
}

// Put implements etcdserverpb.KVServer.
func (s *Server) Put(ctx context.Context, q *etcdserverpb.PutRequest) (*etcdserverpb.PutResponse, error) {
	out, err := s.one(ctx, &etcdserverpb.RequestOp{Request: &etcdserverpb.RequestOp_RequestPut{RequestPut: q}})
	return out.GetResponsePut(), err
}

// DeleteRange implements etcdserverpb.KVServer.
func (s *Server) DeleteRange(ctx context.Context, q *etcdserverpb.DeleteRangeRequest) (*etcdserverpb.DeleteRangeResponse, error) {
	out, err := s.one(ctx, &etcdserverpb.RequestOp{Request: &etcdserverpb.RequestOp_RequestDeleteRange{RequestDeleteRange: q}})
	return out.GetResponseDeleteRange(), err
}

// one is a transaction of one request.
func (s *Server) one(ctx context.Context, op *etcdserverpb.RequestOp) (*etcdserverpb.ResponseOp, error) {
	out, err := s.Txn(ctx, &etcdserverpb.TxnRequest{Success: []*etcdserverpb.RequestOp{op}})
	if err != nil {
		return nil, err
	}
	return out.Responses[0], nil
}

// Txn implements etcdserverpb.KVServer.
func (s *Server) Txn(_ context.Context, q *etcdserverpb.TxnRequest) (*etcdserverpb.TxnResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &txn{s: s, now: s.keys.Now(), rev: s.rev + 1, header: s.header()}
	out, err := t.run(q)
	if err != nil || len(t.events) == 0 {
		return out, err
	}
	for _, e := range t.events {
		s.attach(e)
	}
	s.commit(t.now, t.events)
	t.header.Revision = s.rev
	return out, nil
}

// run does what follows from the comparisons.
func (t *txn) run(q *etcdserverpb.TxnRequest) (*etcdserverpb.TxnResponse, error) {
	out := &etcdserverpb.TxnResponse{Header: t.header, Succeeded: !slices.ContainsFunc(q.Compare, func(c *etcdserverpb.Compare) bool { return !t.holds(c) })}
	ops := q.Failure
	if out.Succeeded {
		ops = q.Success
	}
	for _, op := range ops {
		r, err := t.do(op)
		if err != nil {
			return nil, err
		}
		out.Responses = append(out.Responses, r)
	}
	return out, nil
}

func (t *txn) do(op *etcdserverpb.RequestOp) (*etcdserverpb.ResponseOp, error) {
	switch q := op.Request.(type) {
	case *etcdserverpb.RequestOp_RequestPut:
		r, err := t.put(q.RequestPut)
		return &etcdserverpb.ResponseOp{Response: &etcdserverpb.ResponseOp_ResponsePut{ResponsePut: r}}, err
	case *etcdserverpb.RequestOp_RequestDeleteRange:
		r, err := t.drop(q.RequestDeleteRange)
		return &etcdserverpb.ResponseOp{Response: &etcdserverpb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: r}}, err
	case *etcdserverpb.RequestOp_RequestTxn:
		r, err := t.run(q.RequestTxn)
		return &etcdserverpb.ResponseOp{Response: &etcdserverpb.ResponseOp_ResponseTxn{ResponseTxn: r}}, err
	case *etcdserverpb.RequestOp_RequestRange:
		r, err := t.read(q.RequestRange)
		return &etcdserverpb.ResponseOp{Response: &etcdserverpb.ResponseOp_ResponseRange{ResponseRange: r}}, err
	}
	return nil, status.Errorf(codes.Unimplemented, "a transaction cannot have a %T", op.Request)
}

// read sees what the transaction has written, unless it says a revision.
func (t *txn) read(q *etcdserverpb.RangeRequest) (*etcdserverpb.RangeResponse, error) {
	now := t.now
	if q.Revision > 0 {
		var err error
		if now, err = t.s.at(q.Revision); err != nil {
			return nil, err
		}
	}
	out, err := read(now, q)
	if err != nil {
		return nil, err
	}
	out.Header = t.header
	return out, nil
}

// holds reports whether a comparison holds for all keys that it is about. A key that is not there has version, revisions and lease 0, and no value.
func (t *txn) holds(c *etcdserverpb.Compare) bool {
	from, to := span(c.Key, c.RangeEnd)
	all := slices.Collect(t.now.Between(from, to))
	if len(all) == 0 {
		return c.Target != etcdserverpb.Compare_VALUE && compared(c, &mvccpb.KeyValue{})
	}
	return !slices.ContainsFunc(all, func(kv *mvccpb.KeyValue) bool { return !compared(c, kv) })
}

func compared(c *etcdserverpb.Compare, kv *mvccpb.KeyValue) bool {
	n := 0
	switch c.Target {
	case etcdserverpb.Compare_VERSION:
		n = cmp.Compare(kv.Version, c.GetVersion())
	case etcdserverpb.Compare_CREATE:
		n = cmp.Compare(kv.CreateRevision, c.GetCreateRevision())
	case etcdserverpb.Compare_MOD:
		n = cmp.Compare(kv.ModRevision, c.GetModRevision())
	case etcdserverpb.Compare_LEASE:
		n = cmp.Compare(kv.Lease, c.GetLease())
	case etcdserverpb.Compare_VALUE:
		n = bytes.Compare(kv.Value, c.GetValue())
	}
	switch c.Result {
	case etcdserverpb.Compare_GREATER:
		return n > 0
	case etcdserverpb.Compare_LESS:
		return n < 0
	case etcdserverpb.Compare_NOT_EQUAL:
		return n != 0
	}
	return n == 0
}

func (t *txn) put(q *etcdserverpb.PutRequest) (*etcdserverpb.PutResponse, error) {
	was := t.now.Get(string(q.Key))
	switch {
	case len(q.Key) == 0:
		return nil, rpctypes.ErrGRPCEmptyKey
	case (q.IgnoreValue || q.IgnoreLease) && was == nil:
		return nil, rpctypes.ErrGRPCKeyNotFound
	case q.Lease != 0 && t.s.leases[q.Lease] == nil:
		return nil, rpctypes.ErrGRPCLeaseNotFound
	}
	kv := &mvccpb.KeyValue{Key: q.Key, Value: q.Value, Lease: q.Lease, CreateRevision: t.rev, ModRevision: t.rev, Version: 1}
	if was != nil {
		kv.CreateRevision, kv.Version = was.CreateRevision, was.Version+1
	}
	if q.IgnoreValue {
		kv.Value = was.Value
	}
	if q.IgnoreLease {
		kv.Lease = was.Lease
	}
	t.now = t.now.Put(string(q.Key), kv)
	t.events = append(t.events, &mvccpb.Event{Type: mvccpb.Event_PUT, Kv: kv, PrevKv: was})
	out := &etcdserverpb.PutResponse{Header: t.header}
	if q.PrevKv {
		out.PrevKv = was
	}
	return out, nil
}

func (t *txn) drop(q *etcdserverpb.DeleteRangeRequest) (*etcdserverpb.DeleteRangeResponse, error) {
	if len(q.Key) == 0 {
		return nil, rpctypes.ErrGRPCEmptyKey
	}
	out := &etcdserverpb.DeleteRangeResponse{Header: t.header}
	from, to := span(q.Key, q.RangeEnd)
	for _, kv := range slices.Collect(t.now.Between(from, to)) {
		t.now = t.now.Drop(string(kv.Key))
		t.events = append(t.events, &mvccpb.Event{Type: mvccpb.Event_DELETE, Kv: &mvccpb.KeyValue{Key: kv.Key, ModRevision: t.rev}, PrevKv: kv})
		out.Deleted++
		if q.PrevKv {
			out.PrevKvs = append(out.PrevKvs, kv)
		}
	}
	return out, nil
}

// Compact implements etcdserverpb.KVServer.
func (s *Server) Compact(_ context.Context, q *etcdserverpb.CompactionRequest) (*etcdserverpb.CompactionResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case q.Revision > s.rev:
		return nil, rpctypes.ErrGRPCFutureRev
	case q.Revision <= s.compacted:
		return nil, rpctypes.ErrGRPCCompacted
	}
	s.compacted = q.Revision
	s.keys.Compact(uint64(q.Revision))
	s.log = slices.Clone(s.log[s.since(q.Revision):]) // a watch may begin at that revision
	close(s.moved)                                    // watches that are behind it end
	s.moved = make(chan struct{})
	return &etcdserverpb.CompactionResponse{Header: s.header()}, nil
}

// since returns the index of the first write of a revision or after it. The lock is held.
func (s *Server) since(rev int64) int {
	i, _ := slices.BinarySearchFunc(s.log, rev, func(w written, rev int64) int { return cmp.Compare(w.rev, rev) })
	return i
}
