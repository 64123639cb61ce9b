// Package memory is an etcd with one member that keeps all it has in memory, in the same structure as the API server fake: fakes/mvcc. Kubernetes'
// own tests of its storage and its watch cache run on it (make upstream), which is how we know that the structure is right.
package memory

import (
	"context"
	"net"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/version"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/lwtest/lwtest/fakes/mvcc"
)

// Options say how an etcd differs from etcd's defaults.
type Options struct {
	// Progress is how often a watch that asked for it, and has nothing else to say, is told the revision; 0: every ten minutes.
	Progress time.Duration
}

// Server is an etcd. It serves ranges, transactions, watches, leases and compactions as etcd v3.7 does. It has no members, no users and no alarms,
// splits no responses into fragments, and takes requests of any size.
type Server struct {
	etcdserverpb.UnimplementedKVServer
	etcdserverpb.UnimplementedWatchServer
	etcdserverpb.UnimplementedLeaseServer
	etcdserverpb.UnimplementedMaintenanceServer

	o      Options
	server *grpc.Server
	listen net.Listener
	served chan struct{} // closed when it serves no more

	mu        sync.Mutex
	rev       int64 // of the last write
	compacted int64
	keys      *mvcc.History[*mvccpb.KeyValue]
	log       []written     // since the compaction, oldest first
	moved     chan struct{} // closed by the next write
	leases    map[int64]*lease
}

// written is what one write did.
type written struct {
	rev    int64
	events []*mvccpb.Event // with what was there before
}

// Start starts an empty etcd on loopback. Its error is that of a machine on which it cannot listen.
func Start(o Options) (*Server, error) {
	if o.Progress == 0 {
		o.Progress = 10 * time.Minute
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	const first = 1 // an empty etcd is at this revision
	s := &Server{o: o, listen: l, served: make(chan struct{}), rev: first, keys: mvcc.NewHistory[*mvccpb.KeyValue](first), moved: make(chan struct{}), leases: map[int64]*lease{}}
	s.server = grpc.NewServer(grpc.MaxRecvMsgSize(mostBytes), grpc.MaxSendMsgSize(mostBytes))
	etcdserverpb.RegisterKVServer(s.server, s)
	etcdserverpb.RegisterWatchServer(s.server, s)
	etcdserverpb.RegisterLeaseServer(s.server, s)
	etcdserverpb.RegisterMaintenanceServer(s.server, s)
	go func() {
		defer close(s.served)
		_ = s.server.Serve(l) // until Close
	}()
	return s, nil
}

// mostBytes is how long a message may be.
const mostBytes = 1 << 30

// Endpoint is the address for clients.
func (s *Server) Endpoint() string { return "http://" + s.listen.Addr().String() }

// Close ends all requests, watches and leases, and drops the content.
func (s *Server) Close() {
	s.server.Stop()
	<-s.served
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.leases {
		l.timer.Stop()
	}
}

// header is that of an answer. The lock is held.
func (s *Server) header() *etcdserverpb.ResponseHeader {
	return &etcdserverpb.ResponseHeader{ClusterId: 1, MemberId: 1, Revision: s.rev, RaftTerm: 1}
}

// commit makes a state true that follows from events, which become one revision. The lock is held.
func (s *Server) commit(now mvcc.Tree[*mvccpb.KeyValue], events []*mvccpb.Event) {
	s.rev++
	s.keys.Set(uint64(s.rev), now)
	s.log = append(s.log, written{s.rev, events})
	close(s.moved)
	s.moved = make(chan struct{})
}

// Status implements etcdserverpb.MaintenanceServer.
func (s *Server) Status(context.Context, *etcdserverpb.StatusRequest) (*etcdserverpb.StatusResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := int64(0)
	for kv := range s.keys.Now().Within("", "") {
		size += int64(proto.Size(kv))
	}
	return &etcdserverpb.StatusResponse{Header: s.header(), Version: version.Version, StorageVersion: version.Version, DbSize: size, DbSizeInUse: size, Leader: 1, RaftTerm: 1, RaftIndex: uint64(s.rev), RaftAppliedIndex: uint64(s.rev)}, nil
}
