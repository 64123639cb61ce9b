// Package etcd stands between a storage, such as that of a kube-apiserver, and its etcd, or what speaks etcd's protocol. It lets go wrong what
// only an etcd can cause: watches that are late, lose events or end with a compaction, transactions whose answers are lost, leaders that are gone.
//
//	p, err := etcd.New("127.0.0.1:2379", nil, "127.0.0.1:0", nil, etcd.Fault{Verbs: []string{"txn"}, Nth: 3, LoseAnswer: true})
//	// kube-apiserver --etcd-servers=http://<p.Address()>
//
// All that it does not know passes as it is.
package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lwtest/lwtest/fakes/internal/nth"
)

// Proxy passes on what clients ask of an etcd. It is safe for concurrent use.
type Proxy struct {
	up     *grpc.ClientConn
	server *grpc.Server
	listen net.Listener
	done   chan struct{}

	struck func(fault, verb, key string)

	mu    sync.Mutex
	rand  *rand.Rand
	armed []*armed
	last  int64 // the newest revision that etcd has said
}

type armed struct {
	Fault
	nth.Count
	removed chan struct{}
}

// New starts a proxy that listens at an address, HOST:PORT, and passes on to the etcd at the address up, by TLS unless secure is nil. Its own clients
// have no TLS. It calls struck for each strike; struck may be nil. New returns an error for an address at which it cannot listen, and for a fault that
// can do nothing.
func New(up string, secure *tls.Config, listen string, struck func(fault, verb, key string), all ...Fault) (*Proxy, error) {
	p := &Proxy{done: make(chan struct{}), rand: rand.New(rand.NewPCG(1, 3)), struck: struck}
	for i, f := range all {
		if f.Name == "" {
			f.Name = fmt.Sprint("fault-", i+1)
		}
		if err := p.Add(f); err != nil {
			return nil, err
		}
	}
	transport := insecure.NewCredentials()
	if secure != nil {
		transport = credentials.NewTLS(secure)
	}
	large := grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{}), grpc.MaxCallRecvMsgSize(mostBytes), grpc.MaxCallSendMsgSize(mostBytes))
	conn, err := grpc.NewClient("passthrough:///"+up, grpc.WithTransportCredentials(transport), large)
	if err != nil {
		return nil, err
	}
	if p.listen, err = net.Listen("tcp", listen); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	p.up = conn
	p.server = grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.UnknownServiceHandler(p.serve), grpc.MaxRecvMsgSize(mostBytes), grpc.MaxSendMsgSize(mostBytes))
	go func() {
		defer close(p.done)
		_ = p.server.Serve(p.listen) // until Close
	}()
	return p, nil
}

// mostBytes is how long a message may be.
const mostBytes = 1 << 30

// Address is where it listens.
func (p *Proxy) Address() string { return p.listen.Addr().String() }

// Close ends all that passes.
func (p *Proxy) Close() error {
	p.server.Stop()
	<-p.done
	return p.up.Close()
}

// Add makes one more fault, which strikes from now on.
func (p *Proxy) Add(f Fault) error {
	if err := f.check(); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.ContainsFunc(p.armed, func(a *armed) bool { return a.Name == f.Name }) {
		return fmt.Errorf("two faults are called %q", f.Name)
	}
	p.armed = append(p.armed, &armed{Fault: f, removed: make(chan struct{})})
	return nil
}

// Remove takes a fault away. What it delays goes on at once.
func (p *Proxy) Remove(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = slices.DeleteFunc(p.armed, func(a *armed) bool {
		if a.Name == name {
			close(a.removed)
		}
		return a.Name == name
	})
}

// choose returns the faults that strike a request, or a response of a watch. Those that are not able to change anything about it do not.
func (p *Proxy) choose(verb, key string, able func(*armed) bool) (all []*armed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.armed {
		among := a.Verbs
		if len(among) == 0 {
			among = a.possible()
		}
		if slices.Contains(among, verb) && strings.HasPrefix(key, a.Prefix) && able(a) && a.Strikes(a.Nth, a.Times, a.Probability, p.rand) {
			all = append(all, a)
			if p.struck != nil {
				p.struck(a.Name, verb, key)
			}
		}
	}
	return all
}

// serve passes one call on.
func (p *Proxy) serve(_ any, down grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(down)
	md, _ := metadata.FromIncomingContext(down.Context())
	ctx, end := context.WithCancel(metadata.NewOutgoingContext(down.Context(), md.Copy()))
	defer end()
	up, err := p.up.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	verb := ""
	if strings.HasPrefix(method, "/etcdserverpb.") {
		verb = verbs[path.Base(method)]
	}
	switch verb {
	case "":
		return pass(down, up, func(b []byte) []byte { return b }, func(b []byte, _ time.Time) ([][]byte, error) { return [][]byte{b}, nil })
	case watching:
		w := &watches{p: p, keys: map[int64]string{}, over: map[int64]bool{}}
		return pass(down, up, w.asked, func(b []byte, came time.Time) ([][]byte, error) { return w.said(ctx, b, came) })
	}
	return p.call(ctx, verb, path.Base(method) == rangeStream, down, up)
}

// call passes a request on, and its answers: one, or those of a range that is streamed.
func (p *Proxy) call(ctx context.Context, verb string, streamed bool, down grpc.ServerStream, up grpc.ClientStream) error {
	var request frame
	if err := down.RecvMsg(&request); err != nil {
		return err
	}
	newest, lost, old := p.newest(), false, int64(0)
	// A range that says its revision is never stale, nor is one where there is no older revision.
	able := func(f *armed) bool { return f.Stale == 0 || newest > f.Stale && rangeRevision(request.b) == 0 }
	for _, f := range p.choose(verb, keyOf(verb, request.b), able) {
		switch {
		case f.Latency != nil:
			f.pause(ctx, f.Latency.Duration)
		case f.Status != "":
			return f.refusal()
		case f.LoseAnswer:
			lost = true
		case f.Stale != 0:
			old = newest - f.Stale
			request.b = atRevision(request.b, old)
		}
	}
	if err := up.SendMsg(&request); err != nil {
		return err
	}
	if err := up.CloseSend(); err != nil {
		return err
	}
	for {
		var answer frame
		if err := up.RecvMsg(&answer); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		content := answer.b
		if streamed {
			content, _ = field(answer.b, streamedRange)
		}
		revision := headerRevision(content) // of a range that is streamed the last answer alone has one
		p.learn(revision)
		if lost {
			return status.Error(codes.Unavailable, "the connection broke")
		}
		if old > 0 && revision > 0 {
			answer.b = withHeader(content, old)
			if streamed {
				answer.b = protowire.AppendBytes(protowire.AppendTag(nil, streamedRange, protowire.BytesType), answer.b)
			}
		}
		if err := down.SendMsg(&answer); err != nil {
			return err
		}
	}
}

// newest is the newest revision that etcd has said.
func (p *Proxy) newest() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

func (p *Proxy) learn(revision int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = max(p.last, revision)
}

// pause waits, or until ctx ends or the fault is removed.
func (a *armed) pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	case <-a.removed:
	}
}

// arrived is a message, and when it came.
type arrived struct {
	b   []byte
	at  time.Time
	err error
}

// arrivals receives what a stream says, up to so many messages ahead of who reads them. The last one has an error. It ends with done, too.
func arrivals(up grpc.ClientStream, done <-chan struct{}) <-chan arrived {
	out := make(chan arrived, 1<<12)
	go func() {
		for {
			var f frame
			err := up.RecvMsg(&f)
			select {
			case out <- arrived{f.b, time.Now(), err}:
			case <-done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// pass passes on what both sides of a stream say, until one of them ends it.
func pass(down grpc.ServerStream, up grpc.ClientStream, asked func([]byte) []byte, said func([]byte, time.Time) ([][]byte, error)) error {
	go func() {
		for {
			var f frame
			if down.RecvMsg(&f) != nil {
				_ = up.CloseSend() // the other side ends
				return
			}
			f.b = asked(f.b)
			if up.SendMsg(&f) != nil {
				return
			}
		}
	}()
	done := make(chan struct{})
	defer close(done)
	come := arrivals(up, done)
	for {
		m := <-come
		if errors.Is(m.err, io.EOF) {
			return nil
		} else if m.err != nil {
			return m.err
		}
		all, err := said(m.b, m.at)
		for _, b := range all {
			if err := down.SendMsg(&frame{b}); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}
