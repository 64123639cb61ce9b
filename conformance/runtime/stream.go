package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var streamSame = harness.Rule{
	Clause: harness.Clause{
		ID:      "stream/same",
		Level:   harness.Must,
		Text:    "A streaming list has what the list of the same filter has, each item once, and no message without an item.",
		Sources: []harness.Source{api("RuntimeService.StreamContainers"), inClient("remote_runtime.go#remoteRuntimeService.streamContainersV1")},
		Why:     "A kubelet that streams sees other containers than one that lists.",
		Advice:  "Let the streaming call and the list share the code that filters and fills items. Send each item once, and end the stream without an empty message.",
		Classes: []string{"StreamContainers OK"},
	},
	Needs: []harness.Feature{StreamingLists},
	Judge: judgeStreams,
}

var streamAll = harness.Rule{
	Clause: harness.Clause{
		ID:      "stream/all",
		Level:   harness.Should,
		Text:    "A runtime has all six streaming lists, or none.",
		Sources: []harness.Source{inClient("remote_runtime.go#remoteRuntimeService.ListContainers"), api("RuntimeService.StreamPodSandboxMetrics")},
		Why:     "One that is missing makes a kubelet stop streaming for all of them, until it is restarted.",
		Advice:  "Build all six streaming calls on the lists that you have, those of statistics and images too, or return Unimplemented from each of them.",
		Classes: []string{"StreamContainers OK", "StreamImages OK"},
	},
	Needs: []harness.Feature{StreamingLists},
	Judge: judgeStreamAll,
}

// listOf has the list that each streaming list belongs to.
var listOf = map[string]string{
	"StreamContainers": "ListContainers", "StreamPodSandboxes": "ListPodSandbox", "StreamContainerStats": "ListContainerStats",
	"StreamPodSandboxStats": "ListPodSandboxStats", "StreamPodSandboxMetrics": "ListPodSandboxMetrics", "StreamImages": "ListImages",
}

// collect makes a call of a streaming list. Its answer has the items of all messages.
func collect[Q any, T any, P interface {
	*T
	proto.Message
}](open func(context.Context, Q, ...grpc.CallOption) (grpc.ServerStreamingClient[T], error)) method[Q, P] {
	return func(ctx context.Context, q Q, _ ...grpc.CallOption) (P, error) {
		all := P(new(T))
		stream, err := open(ctx, q)
		for err == nil {
			var part *T
			if part, err = stream.Recv(); err == nil {
				if proto.Size(P(part)) == 0 {
					return nil, status.Error(codes.DataLoss, "a message of the stream has no item")
				}
				proto.Merge(all, P(part))
			}
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return all, err
	}
}

// idsOf returns the ids of the items of a list, sorted.
func idsOf(list proto.Message) (ids []string) {
	list.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.IsList() {
			for i := range v.List().Len() {
				ids = append(ids, idOf(v.List().Get(i).Message()))
			}
		}
		return true
	})
	slices.Sort(ids)
	return ids
}

// idOf returns the id of an item, which statistics have in their attributes.
func idOf(item protoreflect.Message) string {
	fields := item.Descriptor().Fields()
	for _, name := range []protoreflect.Name{"id", "pod_sandbox_id"} {
		if f := fields.ByName(name); f != nil {
			return item.Get(f).String()
		}
	}
	return idOf(item.Get(fields.ByName("attributes")).Message())
}

func judgeStreams(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	for _, x := range r.calls {
		list, ok := listOf[x.Method]
		if !ok || lost(x) || x.code() == codes.Unimplemented {
			continue
		}
		if x.Err != nil {
			if !slices.ContainsFunc(r.of(list), func(y *exchange) bool { return y.Err != nil }) { // else the list fails, too
				j.Tested++
				j.Fail("items, and the end of the stream", outcome(x), x.Num, x.Return)
			}
			continue
		}
		j.Tested++
		ids := idsOf(x.Reply)
		if unique := slices.Compact(slices.Clone(ids)); len(unique) < len(ids) {
			j.Fail("each item once", fmt.Sprint(shorts(ids)), x.Num, x.Return)
		}
		for _, y := range slices.Backward(r.of(list)) { // the list before, if nothing has changed since
			if y.Num > x.Num || !y.ok() || !driven(h) && byState(x) || filterText(y) != filterText(x) {
				continue
			}
			if !r.changed(y.Num, x.Return) {
				want := idsOf(y.Reply)
				if list == "ListPodSandboxMetrics" { // it has no filter, and others come and go
					want, ids = l.known(want), l.known(ids)
				}
				if !slices.Equal(want, ids) {
					j.Fail(fmt.Sprint("what the list has: ", shorts(want)), fmt.Sprint(shorts(ids)), y.Return, x.Return)
				}
			}
			break // an earlier one is no better
		}
	}
	return j
}

// known returns those of some ids that calls of the history have answered.
func (l *lives) known(ids []string) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return l.byID[id] == nil })
}

// byState reports whether a list has what runs, of which some may end by itself at any time.
func byState(x *exchange) bool {
	switch ask := x.Ask.(type) {
	case *runtimeapi.StreamContainersRequest:
		return ask.GetFilter().GetState() != nil
	case *runtimeapi.StreamPodSandboxesRequest:
		return ask.GetFilter().GetState() != nil
	case *runtimeapi.StreamImagesRequest:
		return false
	}
	return true
}

// filterText describes the filter of a list.
func filterText(x *exchange) string {
	m := x.Ask.ProtoReflect()
	if f := m.Descriptor().Fields().ByName("filter"); f != nil {
		return fmt.Sprint(m.Get(f).Message().Interface())
	}
	return ""
}

func shorts(ids []string) (out []string) {
	for _, id := range ids {
		out = append(out, short(id))
	}
	return out
}

// changed reports whether something may have changed what is there or runs, between two events.
func (r *record) changed(from, to int32) bool {
	changing := slices.ContainsFunc(r.of("RunPodSandbox", "StopPodSandbox", "RemovePodSandbox", "CreateContainer", "StartContainer", "StopContainer", "RemoveContainer", "PullImage", "RemoveImage"),
		func(x *exchange) bool { return x.Num < to && (x.Return == 0 || x.Return > from || x.vague()) })
	ending := slices.ContainsFunc(livesOf(r.h).containers, func(c *containerLife) bool { // by itself
		return begunBefore(c.starts, to) && !c.work.Runs && !slices.ContainsFunc(c.seen, func(s sight) bool { return s.Return < from && s.status.GetState() == exited })
	})
	return changing || ending || r.killed(from, to)
}

func judgeStreamAll(h *history.History) (j harness.Judgement) {
	var has, lacks *exchange
	for _, x := range recordOf(h).calls {
		switch {
		case listOf[x.Method] == "" || lost(x):
		case x.code() == codes.Unimplemented:
			lacks = x
		default:
			has = x
			j.Tested++
		}
	}
	if has != nil && lacks != nil {
		j.Fail(lacks.Method+", as there is "+has.Method, outcome(lacks), has.Return, lacks.Return)
	}
	return j
}
