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
			}
		case *runtimeapi.CreateContainerResponse:
			if ask, ok := x.Ask.(*runtimeapi.CreateContainerRequest); ok && l.first(reply.ContainerId, x) {
				l.create(x, ask, reply.ContainerId)
				if y := madeBefore(h, x); y != nil && !proto.Equal(y.Ask, x.Ask) {
					l.forget(reply.ContainerId) // it may be what the other call asked for
				}
			}
		}
	}
	for _, x := range recordOf(h).calls {
		l.add(x)
	}
	return l
}

// first reports whether a call is the first that answers an id. Of two calls under way at once nobody knows which one has made
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

// madeBefore returns a call before a CreateContainer that may have created the container already, though its caller was not told;
// nil: none.
func madeBefore(h *history.History, x *exchange) *exchange {
	ask, _ := x.Ask.(*runtimeapi.CreateContainerRequest)
	for _, y := range recordOf(h).of("CreateContainer") {
		other, _ := y.Ask.(*runtimeapi.CreateContainerRequest)
		if y.Num < x.Num && y.vague() && other.GetPodSandboxId() == ask.GetPodSandboxId() && proto.Equal(other.GetConfig().GetMetadata(), ask.GetConfig().GetMetadata()) {
			return y
		}
	}
	return nil
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
	if c.pod, _ = l.byID[ask.GetPodSandboxId()].(*sandboxLife); c.pod == nil { // who knows what becomes of it
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
		return doneBefore(x.removals, num)
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
