package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// message makes a message of fields: numbers, texts and messages.
func message(fields ...any) (b []byte) {
	for i := 0; i < len(fields); i += 2 {
		num := protowire.Number(fields[i].(int))
		switch v := fields[i+1].(type) {
		case int:
			b = protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(v))
		case string:
			b = protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), v)
		case []byte:
			b = protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
		}
	}
	return b
}

func header(revision int) []byte { return message(revisionField, revision) }

// event is a watch's response with some events.
func events(revision int, keys ...string) []byte {
	b := message(headerField, header(revision), watchID, 7)
	for _, k := range keys {
		b = append(b, message(watchEvent, message(2, message(1, k)))...)
	}
	return b
}

// upstream is an etcd that answers each range and transaction at revision 10, and whose watches say what it is given.
type upstream struct {
	mu    sync.Mutex
	asked [][]byte
	says  [][]byte
}

func (u *upstream) serve(_ any, s grpc.ServerStream) error {
	var f frame
	if err := s.RecvMsg(&f); err != nil {
		return err
	}
	u.mu.Lock()
	u.asked = append(u.asked, f.b)
	u.mu.Unlock()
	method, _ := grpc.MethodFromServerStream(s)
	if method == "/etcdserverpb.KV/RangeStream" {
		return errors.Join(s.SendMsg(&frame{message(streamedRange, message(2, "first"))}), s.SendMsg(&frame{message(streamedRange, message(headerField, header(10), 2, "last"))}))
	}
	if method != "/etcdserverpb.Watch/Watch" {
		return s.SendMsg(&frame{message(headerField, header(10), 2, "value")})
	}
	for _, b := range append([][]byte{message(headerField, header(10), watchID, 7, watchCreated, 1)}, u.says...) {
		if err := s.SendMsg(&frame{b}); err != nil {
			return err
		}
	}
	return nil
}

// start starts an etcd, a proxy before it, and a client of that.
func start(t *testing.T, u *upstream, faults ...Fault) *grpc.ClientConn {
	t.Helper()
	_, c := startProxy(t, u, nil, faults...)
	return c
}

func startProxy(t *testing.T, u *upstream, struck func(fault, verb, key string), faults ...Fault) (*Proxy, *grpc.ClientConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.UnknownServiceHandler(u.serve))
	go func() { _ = s.Serve(l) }() // until it is stopped
	t.Cleanup(s.Stop)
	p, err := New(l.Addr().String(), nil, "127.0.0.1:0", struck, faults...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p, client(t, p)
}

func client(t *testing.T, p *Proxy) *grpc.ClientConn {
	t.Helper()
	c, err := grpc.NewClient("passthrough:///"+p.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// An etcd with TLS, as those of real clusters.
func TestTLS(t *testing.T) {
	b, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(b, key)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&pair)), grpc.ForceServerCodecV2(raw{}), grpc.UnknownServiceHandler((&upstream{}).serve))
	go func() { _ = s.Serve(l) }() // until it is stopped
	t.Cleanup(s.Stop)
	roots, err := cert.NewPoolFromBytes(b)
	require.NoError(t, err)
	for _, secure := range []*tls.Config{nil, {RootCAs: roots}} {
		p, err := New(l.Addr().String(), secure, "127.0.0.1:0", nil, Fault{Status: TooManyRequests, Nth: 2})
		require.NoError(t, err)
		c := client(t, p)
		_, err = call(t, c, "Range", message(rangeKey, "/pods/a"))
		assert.Equal(t, secure != nil, err == nil, "%v", err)
		require.NoError(t, p.Close())
	}
}

func call(t *testing.T, c *grpc.ClientConn, method string, request []byte) ([]byte, error) {
	t.Helper()
	var out frame
	err := c.Invoke(t.Context(), "/etcdserverpb.KV/"+method, &frame{request}, &out)
	return out.b, err
}

// watched returns what a watch says of keys from /pods on, until its stream ends.
func watched(t *testing.T, c *grpc.ClientConn) (all [][]byte, err error) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	s, err := c.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/etcdserverpb.Watch/Watch")
	require.NoError(t, err)
	require.NoError(t, s.SendMsg(&frame{message(watchCreate, message(createKey, "/pods"))}))
	for {
		var f frame
		if err := s.RecvMsg(&f); err != nil {
			return all[min(1, len(all)):], err
		}
		all = append(all, f.b)
	}
}

func TestCalls(t *testing.T) {
	request := message(rangeKey, "/pods/a")
	txn := message(compareField, message(compareKey, "/pods/a"))
	for name, c := range map[string]struct {
		fault  Fault
		method string
		ask    []byte
		passes int // calls that reach etcd, of two
		code   codes.Code
	}{
		"another key":   {Fault{Prefix: "/nodes", Status: NoLeader}, "Range", request, 2, codes.OK},
		"no leader":     {Fault{Prefix: "/pods", Status: NoLeader, Nth: 2}, "Range", request, 1, codes.Unavailable},
		"another verb":  {Fault{Verbs: []string{"txn"}, Status: NoLeader}, "Range", request, 2, codes.OK},
		"answer lost":   {Fault{Verbs: []string{"txn"}, Prefix: "/pods", LoseAnswer: true, Nth: 2}, "Txn", txn, 2, codes.Unavailable},
		"never":         {Fault{Status: Timeout, Probability: new(1e-300)}, "Txn", txn, 2, codes.OK},
		"once":          {Fault{Status: TooManyRequests, Nth: 1}, "Put", request, 1, codes.OK},
		"unknown calls": {Fault{Status: TooManyRequests}, "Unknown", request, 2, codes.OK},
	} {
		t.Run(name, func(t *testing.T) {
			u := &upstream{}
			conn := start(t, u, c.fault)
			_, _ = call(t, conn, c.method, c.ask)
			_, err := call(t, conn, c.method, c.ask)
			assert.Equal(t, c.code, status.Code(err), "%v", err)
			assert.Len(t, u.asked, c.passes)
		})
	}
}

// A stale range is asked, and answered, at an earlier revision. The first range, before which no revision is known, and one that says its revision are
// not changed, and no strike is counted for them.
func TestStale(t *testing.T) {
	u, strikes := &upstream{}, 0
	_, c := startProxy(t, u, func(string, string, string) { strikes++ }, Fault{Stale: 3, Nth: 1, Times: 2})
	request := message(rangeKey, "/pods/a")
	_, err := call(t, c, "Range", request)
	require.NoError(t, err)
	answer, err := call(t, c, "Range", request)
	require.NoError(t, err)
	assert.Equal(t, int64(7), rangeRevision(u.asked[1]))
	assert.Equal(t, int64(7), headerRevision(answer))
	value, _ := field(answer, 2)
	assert.Equal(t, "value", string(value))
	answer, err = call(t, c, "Range", atRevision(request, 5))
	require.NoError(t, err)
	assert.Equal(t, int64(5), rangeRevision(u.asked[2]))
	assert.Equal(t, int64(10), headerRevision(answer))
	assert.Equal(t, 1, strikes)
}

func TestWatches(t *testing.T) {
	first, second := events(11, "/pods/a", "/pods/b"), events(12, "/pods/a")
	one := func(e string, more int) []byte {
		b := message(headerField, header(11), watchID, 7)
		if more > 0 {
			b = append(b, message(watchFragment, 1)...)
		}
		return append(b, message(watchEvent, message(2, message(1, e)))...)
	}
	for do, want := range map[Do][][]byte{
		"":       {first, second},
		Drop:     {second},
		Double:   {first, first, second},
		Fragment: {one("/pods/a", 1), one("/pods/b", 0), second},
		Compact:  {message(headerField, header(11), watchID, 7, watchCanceled, 1, watchCompacted, 11)}, // etcd goes on, the client has heard the end
		Early:    {message(headerField, header(11), watchID, 7), first, second},
		Close:    {},
	} {
		t.Run("do "+string(do), func(t *testing.T) {
			var all []Fault
			if do != "" {
				all = []Fault{{Prefix: "/pods", Nth: 1, Events: &Events{Do: do}}}
			}
			got, err := watched(t, start(t, &upstream{says: [][]byte{first, second}}, all...))
			assert.Equal(t, len(want), len(got))
			assert.Equal(t, append([][]byte{}, want...), append([][]byte{}, got...))
			assert.Equal(t, do == Close, status.Code(err) == codes.Unavailable, "%v", err)
		})
	}
}

// Where there is no leader a watch ends in place of a response.
func TestWatchWithoutLeader(t *testing.T) {
	c := start(t, &upstream{says: [][]byte{events(11, "/pods/a"), events(12, "/pods/a")}}, Fault{Status: NoLeader, Nth: 2})
	got, err := watched(t, c)
	assert.Len(t, got, 1)
	assert.ErrorContains(t, err, "etcdserver: no leader")
}

// What comes after a delayed response is delayed, too.
func TestDelay(t *testing.T) {
	wait := 50 * time.Millisecond
	c := start(t, &upstream{says: [][]byte{events(11, "/pods/a"), events(12, "/pods/a")}}, Fault{Nth: 1, Events: &Events{Do: Delay, For: &metav1.Duration{Duration: wait}}})
	from := time.Now()
	got, _ := watched(t, c)
	assert.Len(t, got, 2)
	assert.GreaterOrEqual(t, time.Since(from), wait)
}

// Each response is late by as much as the fault says, however many there are, and a fault that is removed holds nothing back.
func TestLag(t *testing.T) {
	var strikes sync.WaitGroup
	strikes.Add(1)
	late := Fault{Name: "late", Events: &Events{Do: Delay, For: &metav1.Duration{Duration: time.Hour}}}
	p, c := startProxy(t, &upstream{says: [][]byte{events(11, "/pods/a"), events(12, "/pods/a"), events(13, "/pods/a")}}, func(string, string, string) { strikes.Done() }, late)
	go func() {
		strikes.Wait()
		p.Remove("late")
	}()
	got, _ := watched(t, c)
	assert.Len(t, got, 3)

	wait := 200 * time.Millisecond
	late.Events.For.Duration = wait
	many := &upstream{}
	for i := range 50 {
		many.says = append(many.says, events(i+11, "/pods/a"))
	}
	from := time.Now()
	got, _ = watched(t, start(t, many, late))
	assert.Len(t, got, 50)
	assert.Less(t, time.Since(from), 50*wait, "they are late one after the other")
}

func TestRefused(t *testing.T) {
	second := metav1.Duration{Duration: time.Second}
	for want, f := range map[string]Fault{
		"say exactly one of":                         {},
		"exactly one of latency":                     {Stale: 1, LoseAnswer: true},
		`the verb "get" is none that it can strike`:  {Verbs: []string{"get"}, LoseAnswer: true},
		`there is no status "gone"`:                  {Status: "gone"},
		"requests and events count from 1":           {Nth: -1, LoseAnswer: true},
		"say more than 0 and at most 1":              {Probability: new(2.0), LoseAnswer: true},
		"say how many revisions ago":                 {Stale: -1},
		"say how long a request waits":               {Latency: &metav1.Duration{Duration: -time.Second}},
		"say for how long a delay is":                {Events: &Events{Do: Delay, For: &metav1.Duration{Duration: -time.Second}}},
		`the verb "watch" is none that it can`:       {Verbs: []string{"watch"}, Status: Timeout},
		`there is no "swap"`:                         {Events: &Events{Do: "swap"}},
		"a delay, and nothing else, says":            {Events: &Events{Do: Delay}},
		"events: a delay, and nothing else":          {Events: &Events{Do: Drop, For: &second}},
		`the verb "txn" is none that it can strike:`: {Verbs: []string{"txn"}, Stale: 1},
	} {
		_, err := New("127.0.0.1:1", nil, "127.0.0.1:0", nil, f)
		assert.ErrorContains(t, err, want)
	}
}

func TestRead(t *testing.T) {
	all, err := Read([]byte("faults:\n- {verbs: [txn], nth: 3, loseAnswer: true}\n- {prefix: /registry/pods, events: {do: delay, for: 30s}}\n"))
	require.NoError(t, err)
	assert.Len(t, all, 2)
	assert.Equal(t, 30*time.Second, all[1].Events.For.Duration)
	for text, want := range map[string]string{"faults: []": "there is no fault in it", "a: b": "unknown field", "faults: [{stale: 1}, {nth: 1}]": "fault 2: say exactly one of"} {
		_, err := Read([]byte(text))
		assert.ErrorContains(t, err, want)
	}
}

// A range that is streamed is a range. Its last answer alone has a header.
func TestRangeStream(t *testing.T) {
	for name, c := range map[string]struct {
		faults []Fault
		says   []int64 // revisions
		code   codes.Code
	}{
		"whole":   {nil, []int64{0, 10}, codes.OK},
		"stale":   {[]Fault{{Stale: 3}}, []int64{0, 7}, codes.OK},
		"refused": {[]Fault{{Verbs: []string{"range"}, Status: NoLeader}}, nil, codes.Unavailable},
		"lost":    {[]Fault{{Verbs: []string{"range"}, LoseAnswer: true}}, nil, codes.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			conn := start(t, &upstream{}, c.faults...)
			says, err := streamed(t, conn) // a stale answer is so many revisions before the newest that etcd has said
			if c.code == codes.OK {
				says, err = streamed(t, conn)
			}
			assert.Equal(t, c.says, says)
			if c.code == codes.OK {
				assert.ErrorIs(t, err, io.EOF)
			} else {
				assert.Equal(t, c.code, status.Code(err))
			}
		})
	}
}

// streamed returns the revisions that the answers of a range say, and how they end.
func streamed(t *testing.T, c *grpc.ClientConn) (says []int64, err error) {
	t.Helper()
	s, err := c.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, "/etcdserverpb.KV/RangeStream")
	require.NoError(t, err)
	require.NoError(t, s.SendMsg(&frame{message(rangeKey, "/pods")}))
	require.NoError(t, s.CloseSend())
	for {
		var f frame
		if err := s.RecvMsg(&f); err != nil {
			return says, err
		}
		content, _ := field(f.b, streamedRange)
		says = append(says, headerRevision(content))
	}
}
