// Package proxy stands between a container runtime and its clients, such as a kubelet. It passes on all calls, records them as a
// history that the suite of conformance/runtime judges, and injects the faults of the runtime fake.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness/history"
)

// Options say what a proxy does beside passing on calls.
type Options struct {
	// Target names the runtime in the history.
	Target string
	// Out gets the history, event by event; nil: none is recorded.
	Out io.Writer
	// Secrets keeps passwords, environment variables and whatever else Redact takes out.
	Secrets bool
	// Faults are injected. They must not crash the runtime, or make it slow: only the fake can do that.
	Faults []cri.Fault
	// Seed decides the chances of faults.
	Seed uint64
	// Problem is called once if the history cannot be written any more. Calls are passed on all the same. It may be nil.
	Problem func(error)
}

// Proxy passes on the calls that its listener gets. Close ends it.
type Proxy struct {
	up      *grpc.ClientConn
	server  *grpc.Server
	faults  *cri.Faults
	rec     *recorder
	ctx     context.Context
	cancel  context.CancelFunc
	monitor sync.WaitGroup

	watches atomic.Int64 // streams of events that were opened

	mu   sync.Mutex
	down bool // the runtime is
}

// Dial returns a connection to the runtime that listens on a socket. The connection stays open while nothing is asked.
func Dial(socket string) (*grpc.ClientConn, error) {
	path, err := filepath.Abs(socket)
	if err != nil {
		return nil, err
	}
	return grpc.NewClient("unix://"+path, append(Stays(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
}

// Stays are the options of a connection to the runtime that a proxy needs: a connection that ends is a runtime that went down.
func Stays() []grpc.DialOption {
	quick := backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, MaxDelay: time.Second}
	return []grpc.DialOption{grpc.WithIdleTimeout(0), grpc.WithConnectParams(grpc.ConnectParams{Backoff: quick, MinConnectTimeout: 5 * time.Second})}
}

// New returns a proxy before the runtime at the other end of a connection, and asks that what it is. The caller closes the
// connection, after the proxy.
func New(ctx context.Context, up *grpc.ClientConn, o Options) (*Proxy, error) {
	p := &Proxy{up: up, faults: cri.NewFaults(o.Seed)}
	for i, f := range o.Faults {
		if f.Name == "" {
			f.Name = fmt.Sprint("fault ", i+1)
		}
		if f.Crash || f.Slow > 0 {
			return nil, fmt.Errorf("%s (%s): a proxy cannot do that to a runtime: leave it out, or use `lwtest serve cri`, which plays one", f.Name, f)
		}
		if f.Message == "" {
			f.Message = "injected by lwtest proxy: " + f.Name
		}
		p.faults.Arm(f)
	}
	header, err := about(ctx, up, o.Target)
	if err != nil {
		return nil, err
	}
	if p.rec, err = newRecorder(header, o); err != nil {
		return nil, err
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.server = grpc.NewServer(grpc.UnknownServiceHandler(p.handle), grpc.ForceServerCodecV2(frames{}), grpc.StatsHandler(&connections{}),
		grpc.MaxRecvMsgSize(cri.MostBytes), grpc.MaxSendMsgSize(cri.MostBytes), grpc.WaitForHandlers(true))
	p.monitor.Go(p.watchRuntime)
	p.look(ctx)
	return p, nil
}

// reach is how long a runtime may take to say what it is.
const reach = 10 * time.Second

// about asks a runtime what it is, and returns the header of a history of it.
func about(ctx context.Context, up *grpc.ClientConn, target string) (h history.Header, err error) {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	rt := runtimeapi.NewRuntimeServiceClient(up)
	v, err := rt.Version(ctx, &runtimeapi.VersionRequest{Version: "0.1.0"})
	switch {
	case status.Code(err) == codes.Unimplemented:
		return h, errors.New("what listens there does not serve the version v1 of the CRI: name the socket of a runtime that does, such as /run/containerd/containerd.sock")
	case err != nil:
		return h, fmt.Errorf("no runtime answers there: start it, or name the socket of one that runs, such as /run/containerd/containerd.sock: %s", status.Convert(err).Message())
	}
	has := runtime.TraceFeatures
	if _, err := rt.RuntimeConfig(ctx, &runtimeapi.RuntimeConfigRequest{}); status.Code(err) != codes.Unimplemented {
		has = append(has[:len(has):len(has)], runtime.Config)
	}
	if list, err := rt.StreamContainers(ctx, &runtimeapi.StreamContainersRequest{}); err == nil {
		if _, err := list.Recv(); err == nil || errors.Is(err, io.EOF) {
			has = append(has[:len(has):len(has)], runtime.StreamingLists)
		}
	}
	h = history.Header{Kind: runtime.Suite.Kind, Target: target, Plugin: v.GetRuntimeName() + " " + v.GetRuntimeVersion() + ", through lwtest proxy", Time: history.RealTime, Contract: runtime.Suite.Version}
	for _, f := range has {
		h.Features = append(h.Features, string(f))
	}
	return h, nil
}

// look records what is there when the history begins. It counts as no call.
func (p *Proxy) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	rt, large := runtimeapi.NewRuntimeServiceClient(p.up), grpc.MaxCallRecvMsgSize(cri.MostBytes)
	pods, all := &runtimeapi.ListPodSandboxRequest{}, &runtimeapi.ListContainersRequest{}
	c := p.rec.begin("proxy", "ListPodSandbox", pods)
	sandboxes, err := rt.ListPodSandbox(ctx, pods, large)
	c.end(sandboxes, err)
	c = p.rec.begin("proxy", "ListContainers", all)
	containers, err := rt.ListContainers(ctx, all, large)
	c.end(containers, err)
	p.rec.mu.Lock()
	defer p.rec.mu.Unlock()
	p.rec.sum = Summary{Recorded: p.rec.sum.Recorded}
}

// Serve serves a listener until that or the proxy is closed. It returns nil then.
func (p *Proxy) Serve(l net.Listener) error {
	err := p.server.Serve(l)
	if errors.Is(err, net.ErrClosed) || errors.Is(err, grpc.ErrServerStopped) || p.ctx.Err() != nil {
		return nil
	}
	return err
}

// Close ends all calls, and completes the history. What is under way has no return there. It returns what passed, and an error if
// the history is not complete.
func (p *Proxy) Close() (Summary, error) {
	p.cancel()
	sum, err := p.rec.close()
	p.server.Stop()
	p.monitor.Wait()
	return sum, err
}

// watchRuntime records when the runtime goes down, and when it is up again.
func (p *Proxy) watchRuntime() {
	for s := p.up.GetState(); p.up.WaitForStateChange(p.ctx, s); {
		if s = p.up.GetState(); s == connectivity.Idle {
			p.up.Connect()
		}
		p.runtimeIs(s != connectivity.Ready)
	}
}

func (p *Proxy) runtimeIs(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down == down {
		return
	}
	p.down = down
	kind := runtime.KindStart
	if down {
		kind = runtime.KindKill
	}
	p.rec.administered(kind)
}

// settled waits for a moment until it is known whether the runtime has gone down.
func (p *Proxy) settled() {
	ctx, cancel := context.WithTimeout(p.ctx, time.Second)
	defer cancel()
	if s := p.up.GetState(); s != connectivity.Ready || p.up.WaitForStateChange(ctx, s) {
		p.runtimeIs(true)
	}
}
