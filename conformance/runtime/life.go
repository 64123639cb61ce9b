package runtime

import (
	"encoding/json"
	"slices"

	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// sandboxLife is what is known of a sandbox whose id was answered.
type sandboxLife struct {
	id         string
	made       *exchange
	driven     bool // by the suite: it does not end by itself
	config     *runtimeapi.PodSandboxConfig
	stops      []*exchange // that may have stopped it, its removals included, in order
	removals   []*exchange
	containers []*containerLife
}

// containerLife is what is known of a container whose id was answered.
type containerLife struct {
	id       string
	pod      *sandboxLife
	made     *exchange
	config   *runtimeapi.ContainerConfig
	work     Work
	works    bool // the work is known: else what it does is its own affair
	starts   []*exchange
	stops    []*exchange // that may have ended it, those of its pod included
	removals []*exchange
	seen     []sight // in the order of their calls
}

// sight is a status of a container that was answered.
type sight struct {
	*exchange
	status *runtimeapi.ContainerStatus
}

// lives are all sandboxes and containers whose ids were answered, in that order.
type lives struct {
	sandboxes  []*sandboxLife
	containers []*containerLife
	byID       map[string]any
}

func livesOf(h *history.History) *lives { return history.Derive(h, newLives) }

func newLives(h *history.History) *lives {
	l := &lives{byID: map[string]any{}}
	listed := listedFirst(h)
	for _, x := range recordOf(h).calls {
		if at := listed[madeBy(x)]; at > 0 && at < x.Num && l.byID[madeBy(x)] == nil { // it was there before
			l.byID[madeBy(x)] = unclear{}
		}
		switch reply := x.Reply.(type) {
		case *runtimeapi.RunPodSandboxResponse:
			if ask, ok := x.Ask.(*runtimeapi.RunPodSandboxRequest); ok && l.first(reply.PodSandboxId, x) {
				s := &sandboxLife{id: reply.PodSandboxId, made: x, driven: driven(h), config: ask.GetConfig()}
				l.sandboxes, l.byID[s.id] = append(l.sandboxes, s), s
				if madeOtherwise(h, x, lost) {
					l.forget(s.id)
				}
			}
		case *runtimeapi.CreateContainerResponse:
			if ask, ok := x.Ask.(*runtimeapi.CreateContainerRequest); ok && l.first(reply.ContainerId, x) {
				l.create(x, ask, reply.ContainerId)
				if madeOtherwise(h, x, (*exchange).vague) {
					l.forget(reply.ContainerId)
				}
			}
		}
	}
	for _, x := range recordOf(h).calls {
		l.add(x)
	}
	return l
}

// first reports whether a call is the first that answers an id. If two calls were under way at once, nobody knows which one has made
// what the id names, and as what: that has no life here.
func (l *lives) first(id string, x *exchange) bool {
	var made *exchange
	switch was := l.byID[id].(type) {
	case nil:
		return id != "" // sandbox/unique and container/unique want one
	case *sandboxLife:
		made = was.made
	case *containerLife:
		made = was.made
	}
	if made != nil && x.Num <= made.Return {
		l.forget(id)
	}
	return false
}

// madeBefore returns the calls before one that makes something, each of which may have made it already, though its caller was not
// told.
func madeBefore(h *history.History, x *exchange) (all []*exchange) {
	for _, y := range recordOf(h).of(x.Method) {
		if y.Num < x.Num && y.vague() && sameName(y, x) {
			all = append(all, y)
		}
	}
	return all
}

// madeOtherwise reports whether the answer of a call may name what an earlier call with another configuration has made. The function
// may reports whether an earlier call may have been done.
func madeOtherwise(h *history.History, x *exchange, may func(*exchange) bool) bool {
	return slices.ContainsFunc(recordOf(h).of(x.Method), func(y *exchange) bool {
		return y.Num < x.Num && may(y) && sameName(y, x) && !proto.Equal(y.Ask, x.Ask)
	})
}

// sameName reports whether two calls are to make a sandbox, or a container of one sandbox, of the same name and attempt.
func sameName(x, y *exchange) bool {
	switch a := x.Ask.(type) {
	case *runtimeapi.RunPodSandboxRequest:
		b, ok := y.Ask.(*runtimeapi.RunPodSandboxRequest)
		return ok && proto.Equal(a.GetConfig().GetMetadata(), b.GetConfig().GetMetadata())
	case *runtimeapi.CreateContainerRequest:
		b, ok := y.Ask.(*runtimeapi.CreateContainerRequest)
		return ok && a.GetPodSandboxId() == b.GetPodSandboxId() && proto.Equal(a.GetConfig().GetMetadata(), b.GetConfig().GetMetadata())
	}
	return false
}

// twoAtOnce reports whether two calls of one name, of which the first was made before the second and not answered before that, have
// made two things that were there together.
func (l *lives) twoAtOnce(x, y *exchange) bool {
	last := max(x.Return, y.Return)
	return x.Num < y.Num && x.ok() && y.ok() && madeBy(x) != madeBy(y) && l.there(madeBy(x), last) && l.there(madeBy(y), last)
}

// contested reports whether another call of the same name as x may hold the name at x: it is under way then, or its caller gave up.
func contested(h *history.History, x *exchange) bool {
	return slices.ContainsFunc(recordOf(h).of(x.Method), func(y *exchange) bool {
		return y != x && y.Num < x.Return && (y.Return > x.Num || lost(y)) && sameName(x, y)
	})
}

// forget makes an id unclear, and those of all that is in it.
func (l *lives) forget(id string) {
	l.sandboxes = slices.DeleteFunc(l.sandboxes, func(s *sandboxLife) bool { return s.id == id })
	l.containers = slices.DeleteFunc(l.containers, func(c *containerLife) bool {
		of := c.id == id || c.pod.id == id
		if of {
			l.byID[c.id] = unclear{}
		}
		return of
	})
	for _, s := range l.sandboxes {
		s.containers = slices.DeleteFunc(s.containers, func(c *containerLife) bool { return c.id == id })
	}
	l.byID[id] = unclear{}
}

// unclear is what is known of an id that two calls were answered.
type unclear struct{}

func (l *lives) create(x *exchange, ask *runtimeapi.CreateContainerRequest, id string) {
	c := &containerLife{id: id, made: x, config: ask.GetConfig()}
	if c.pod, _ = l.byID[ask.GetPodSandboxId()].(*sandboxLife); c.pod == nil { // of a sandbox that is not known
		l.byID[id] = unclear{}
		return
	}
	c.works = json.Unmarshal([]byte(c.config.GetAnnotations()[workAnnotation]), &c.work) == nil
	c.pod.containers = append(c.pod.containers, c)
	l.containers, l.byID[id] = append(l.containers, c), c
}

// add adds a call to the life that it is about.
func (l *lives) add(x *exchange) {
	switch about := l.byID[x.ID].(type) {
	case *sandboxLife:
		if x.Method != "StopPodSandbox" && x.Method != "RemovePodSandbox" {
			return
		}
		about.stops = append(about.stops, x)
		for _, c := range about.containers {
			c.stops = append(c.stops, x)
		}
		if x.Method == "RemovePodSandbox" {
			about.removals = append(about.removals, x)
			for _, c := range about.containers {
				c.removals = append(c.removals, x)
			}
		}
	case *containerLife:
		switch x.Method {
		case "StartContainer":
			about.starts = append(about.starts, x)
		case "StopContainer":
			about.stops = append(about.stops, x)
		case "RemoveContainer":
			about.stops, about.removals = append(about.stops, x), append(about.removals, x)
		case "ContainerStatus":
			if reply, ok := x.Reply.(*runtimeapi.ContainerStatusResponse); ok && reply.GetStatus() != nil {
				about.seen = append(about.seen, sight{x, reply.GetStatus()})
			}
		}
	}
}

// begunBefore reports whether one of some calls was made before an event.
func begunBefore(all []*exchange, num int32) bool {
	return slices.ContainsFunc(all, func(x *exchange) bool { return x.Num < num })
}

// doneBefore returns the first of some calls that succeeded before an event; nil: none.
func doneBefore(all []*exchange, num int32) *exchange {
	for _, x := range all {
		if x.ok() && x.Return < num {
			return x
		}
	}
	return nil
}

// gone returns the removal after which an id names nothing at an event; nil: none, or not certain.
func (l *lives) gone(id string, num int32) *exchange {
	switch x := l.byID[id].(type) {
	case *sandboxLife:
		return doneBefore(x.removals, num)
	case *containerLife:
		if at := slices.IndexFunc(x.removals, func(y *exchange) bool { return y.Num > x.made.Return }); at >= 0 { // not those of its sandbox while it was made
			return doneBefore(x.removals[at:], num)
		}
	}
	return nil
}

// there reports whether what an id names was there from one event to another: nobody had begun to remove it.
func (l *lives) there(id string, to int32) bool {
	switch x := l.byID[id].(type) {
	case *sandboxLife:
		return !begunBefore(x.removals, to)
	case *containerLife:
		return !begunBefore(x.removals, to)
	}
	return false
}
