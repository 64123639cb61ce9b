package memory

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

// lease keeps keys for a while.
type lease struct {
	id, granted int64 // seconds
	ends        time.Time
	timer       *time.Timer
	keys        map[string]bool
}

// attach moves a key that has been written to its lease. The lock is held.
func (s *Server) attach(e *mvccpb.Event) {
	key := string(e.Kv.Key)
	if e.PrevKv != nil && s.leases[e.PrevKv.Lease] != nil {
		delete(s.leases[e.PrevKv.Lease].keys, key)
	}
	if l := s.leases[e.Kv.Lease]; e.Type == mvccpb.Event_PUT && l != nil {
		l.keys[key] = true
	}
}

// LeaseGrant implements etcdserverpb.LeaseServer.
func (s *Server) LeaseGrant(_ context.Context, q *etcdserverpb.LeaseGrantRequest) (*etcdserverpb.LeaseGrantResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := q.ID
	for id == 0 || q.ID == 0 && s.leases[id] != nil {
		id = rand.Int64()
	}
	if s.leases[id] != nil {
		return nil, rpctypes.ErrGRPCLeaseExist
	}
	l := &lease{id: id, granted: q.TTL, keys: map[string]bool{}}
	d := l.extend()
	l.timer = time.AfterFunc(d, func() { _, _ = s.LeaseRevoke(context.Background(), &etcdserverpb.LeaseRevokeRequest{ID: id}) }) // or it is revoked already
	s.leases[id] = l
	return &etcdserverpb.LeaseGrantResponse{Header: s.header(), ID: id, TTL: q.TTL}, nil
}

// extend lets a lease end its whole time later, and returns this time.
func (l *lease) extend() time.Duration {
	d := time.Duration(l.granted) * time.Second
	l.ends = time.Now().Add(d)
	return d
}

// LeaseRevoke implements etcdserverpb.LeaseServer: the keys of the lease are deleted, in one revision.
func (s *Server) LeaseRevoke(_ context.Context, q *etcdserverpb.LeaseRevokeRequest) (*etcdserverpb.LeaseRevokeResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.leases[q.ID]
	if l == nil {
		return nil, rpctypes.ErrGRPCLeaseNotFound
	}
	l.timer.Stop()
	delete(s.leases, q.ID)
	t := &txn{s: s, now: s.keys.Now(), rev: s.rev + 1}
	for key := range l.keys {
		if _, err := t.drop(&etcdserverpb.DeleteRangeRequest{Key: []byte(key)}); err != nil {
			return nil, err
		}
	}
	if len(t.events) > 0 {
		s.commit(t.now, t.events)
	}
	return &etcdserverpb.LeaseRevokeResponse{Header: s.header()}, nil
}

// LeaseTimeToLive implements etcdserverpb.LeaseServer.
func (s *Server) LeaseTimeToLive(_ context.Context, q *etcdserverpb.LeaseTimeToLiveRequest) (*etcdserverpb.LeaseTimeToLiveResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.leases[q.ID]
	if l == nil {
		return &etcdserverpb.LeaseTimeToLiveResponse{Header: s.header(), ID: q.ID, TTL: -1}, nil
	}
	out := &etcdserverpb.LeaseTimeToLiveResponse{Header: s.header(), ID: q.ID, TTL: int64(time.Until(l.ends).Seconds()), GrantedTTL: l.granted}
	for key := range l.keys {
		if q.Keys {
			out.Keys = append(out.Keys, []byte(key))
		}
	}
	return out, nil
}

// LeaseKeepAlive implements etcdserverpb.LeaseServer.
func (s *Server) LeaseKeepAlive(stream etcdserverpb.Lease_LeaseKeepAliveServer) error {
	for {
		q, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := stream.Send(s.keep(q.ID)); err != nil {
			return err
		}
	}
}

func (s *Server) keep(id int64) *etcdserverpb.LeaseKeepAliveResponse {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &etcdserverpb.LeaseKeepAliveResponse{Header: s.header(), ID: id}
	if l := s.leases[id]; l != nil {
		l.timer.Reset(l.extend())
		out.TTL = l.granted
	}
	return out
}
