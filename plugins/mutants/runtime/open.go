// Package runtime has container runtimes with exactly one fault each, and ones that are odd but correct. They are the runtime fake,
// with other options, with faults that its own fault engine knows, or with answers that are changed on their way to the client.
package runtime

import (
	"cmp"
	"context"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	conformance "github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
	plugin "github.com/lwtest/lwtest/plugins/cri"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// row is a mutant or an oddity. What is nil or zero is as in the fake.
type row struct {
	name, rule, about string

	options func(*cri.Options)
	faults  []cri.Fault
	memory  cri.Memory // what a restart leaves
	on      string     // the method that the following are about, a pattern
	skip    bool       // it succeeds, and nothing is done
	ask     func(q any)
	code    codes.Code                          // it fails, and nothing is done
	answer  func(q, reply any, err error) error // changes a reply, or makes it an error
	// around returns, for one runtime, what is done instead of a call; invoke makes that, or another one.
	around func() func(ctx context.Context, q, reply any, invoke func(method string, q, reply any) error) error
	pair   func(c *meeting) error   // so it is with calls of which what went before counts
	drops  func(stream, n int) bool // of a stream's messages; streams and messages are counted from 0
	empty  bool                     // a stream ends with a message without anything
	// message changes the messages of a stream.
	message   func(any)
	logs      func(line string) string // changes the log of each container that is told to have ended
	restarted codes.Code               // it fails after a restart of the runtime
}

// reply makes an answer of a function that changes replies of one type.
func reply[R any](f func(R)) func(q, reply any, err error) error {
	return func(_, m any, err error) error {
		if r, ok := m.(R); ok && err == nil {
			f(r)
		}
		return err
	}
}

// becomes makes an answer of which errors with one code have another. OK: there is no error.
func becomes(was, is codes.Code) func(q, reply any, err error) error {
	return func(_, _ any, err error) error {
		switch {
		case status.Code(err) != was:
			return err
		case is == codes.OK:
			return nil
		}
		return status.Error(is, status.Convert(err).Message())
	}
}

// changing is a connection on which a row changes what is asked and answered.
type changing struct {
	grpc.ClientConnInterface
	unary  grpc.UnaryClientInterceptor
	stream grpc.StreamClientInterceptor
}

// Invoke implements grpc.ClientConnInterface.
func (c changing) Invoke(ctx context.Context, method string, q, m any, o ...grpc.CallOption) error {
	return c.unary(ctx, method, q, m, nil, func(ctx context.Context, method string, q, m any, _ *grpc.ClientConn, o ...grpc.CallOption) error {
		return c.ClientConnInterface.Invoke(ctx, method, q, m, o...)
	}, o...)
}

// NewStream implements grpc.ClientConnInterface.
func (c changing) NewStream(ctx context.Context, d *grpc.StreamDesc, method string, o ...grpc.CallOption) (grpc.ClientStream, error) {
	return c.stream(ctx, d, nil, method, func(ctx context.Context, d *grpc.StreamDesc, _ *grpc.ClientConn, method string, o ...grpc.CallOption) (grpc.ClientStream, error) {
		return c.ClientConnInterface.NewStream(ctx, d, method, o...)
	}, o...)
}

// between returns what puts a row between a client and its runtime.
func (x row) between(r *running) func(grpc.ClientConnInterface) grpc.ClientConnInterface {
	around := func(ctx context.Context, q, m any, invoke func(string, any, any) error) error {
		return invoke("", q, m)
	}
	if x.around != nil {
		around = x.around()
	}
	before := &past{restarted: r.restarted.Load, pods: map[string]*sandbox{}, containers: map[string]*life{}, calls: map[string]*calls{}}
	unary := func(ctx context.Context, method string, q, m any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, o ...grpc.CallOption) error {
		service, name := path.Split(method)
		if ok, _ := path.Match(x.on, name); !ok && x.pair == nil {
			return invoke(ctx, method, q, m, conn, o...)
		}
		switch {
		case x.skip:
			return nil
		case x.code != codes.OK:
			return status.Error(x.code, "the mutant refuses it")
		case x.restarted != codes.OK && r.restarted.Load():
			return status.Error(x.restarted, "the mutant refuses it after a restart")
		case x.ask != nil:
			x.ask(q)
		}
		call := func(other string, q, m any) error { return invoke(ctx, service+cmp.Or(other, name), q, m, conn, o...) }
		if x.pair != nil {
			return before.meet(x.pair, &meeting{ctx: ctx, method: name, q: q, m: m, invoke: call})
		}
		err := around(ctx, q, m, call)
		if x.answer != nil {
			err = x.answer(q, m, err)
		}
		if told, ok := m.(*v1.ContainerStatusResponse); ok && x.logs != nil && told.GetStatus().GetState() == v1.ContainerState_CONTAINER_EXITED {
			rewrite(r.Fixture().Path(told.GetStatus().GetLogPath()), x.logs)
		}
		return err
	}
	var opened atomic.Int64
	streams := func(ctx context.Context, d *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, o ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, d, conn, method, o...)
		if ok, _ := path.Match(x.on, path.Base(method)); !ok || err != nil {
			return s, err
		}
		if x.code != codes.OK {
			return nil, status.Error(x.code, "the mutant refuses it")
		}
		return &changed{ClientStream: s, row: x, stream: int(opened.Add(1) - 1)}, nil
	}
	return func(conn grpc.ClientConnInterface) grpc.ClientConnInterface { return changing{conn, unary, streams} }
}

// changed is a stream whose messages a row changes.
type changed struct {
	grpc.ClientStream
	row       row
	stream, n int
	ended     bool
}

// RecvMsg implements grpc.ClientStream.
func (c *changed) RecvMsg(m any) error {
	for {
		err := c.ClientStream.RecvMsg(m)
		switch c.n++; {
		case err == io.EOF && c.row.empty && !c.ended:
			c.ended = true
			return nil
		case err == nil && c.row.drops != nil && c.row.drops(c.stream, c.n-1):
			continue
		case err == nil && c.row.message != nil:
			c.row.message(m)
		}
		return err
	}
}

// rewrite changes the lines of a log.
func rewrite(file string, f func(string) string) {
	b, _ := os.ReadFile(file)
	var out strings.Builder
	for line := range strings.Lines(string(b)) {
		out.WriteString(f(strings.TrimSuffix(line, "\n")) + "\n")
	}
	_ = os.WriteFile(file, []byte(out.String()), 0o600)
}

// running is a mutant's runtime.
type running struct {
	*plugin.Fake
	memory    cri.Memory
	restarted atomic.Bool
}

// Start implements conformance.Restarter.
func (s *running) Start(context.Context) error {
	s.Restart(s.memory)
	s.restarted.Store(true)
	return nil
}

func (x row) open(t *harness.T) (conformance.Subject, error) {
	var o cri.Options
	if x.options != nil {
		x.options(&o)
	}
	s := &running{memory: cmp.Or(x.memory, cri.Keeps)}
	var err error
	if s.Fake, err = plugin.OpenFake(t, o, x.between(s)); err != nil {
		return nil, err
	}
	for _, fault := range x.faults {
		s.Arm(fault)
	}
	return s, nil
}

func targets(sort string, rows []row) (all []mutants.Target) {
	for _, x := range rows {
		name := sort + "/" + x.name
		all = append(all, mutants.Target{Name: x.name, Rule: "runtime/" + x.rule, About: x.about, Target: harness.Target{Name: "cri:" + name}, Cases: func() []harness.Case {
			return conformance.Suite.Bind(harness.Plugin[conformance.Subject]{Name: name, Features: plugin.FakeFeatures,
				Open: func(t *harness.T) (conformance.Subject, error) { return x.open(t) }})
		}})
	}
	return all
}

// Correct returns the fake in each personality.
func Correct() (all []mutants.Target) {
	for _, p := range []cri.Personality{cri.Containerd, cri.CRIO} {
		all = append(all, mutants.Right(p.Name, plugin.FakeTarget(p)))
	}
	return all
}

// Mutants returns all mutants.
func Mutants() []mutants.Target { return targets("mutant", rows) }

// Pairs returns the mutants whose fault shows only where two things meet. Random stories find them; the checks of the suite may not.
func Pairs() []mutants.Target { return targets("mutant", pairs) }

// Nulls returns runtimes that do nothing. No rule may pass on them, but that of the removal of what is not there: nothing is there.
func Nulls() []mutants.Target {
	all := targets("null", nulls)
	for i := range all {
		all[i].Rule = ""
		for _, r := range conformance.Suite.Rules {
			if r.Address() != "idempotence/absent" {
				all[i].Withholds = append(all[i].Withholds, "runtime/"+r.Address())
			}
		}
	}
	return all
}

// Oddities returns all oddities.
func Oddities() []mutants.Target { return targets("oddity", oddities) }

// Open returns the fake, a mutant, an oddity or a null by its name: "fake", "fake/cri-o", "mutant/NAME" …
func Open(name string) (harness.Target, error) {
	if name == "fake" {
		name += "/" + cri.Containerd.Name
	}
	return mutants.Find("cri:"+name, slices.Concat(Correct(), Mutants(), Pairs(), Nulls(), Oddities()))
}
