// Package controller is the conformance suite of controllers: programs that watch an API server and write to it until the world is as their
// objects say.
//
// A rule cannot know what a controller is for. So a check plays what users do twice: once undisturbed, and once while something goes wrong at
// one request. The rules compare both, and judge what Kubernetes' conventions demand of each controller.
package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Subject is a controller that can be started again and again.
type Subject interface {
	// Scenario returns what users do, in words of this suite that are no disturbances. The word "scenario" plays it.
	Scenario() []story.Step
	// Open makes a cluster for one run, with what the controller needs in it, such as custom resource definitions. The seed decides
	// what the API server draws: uids and generated names.
	Open(ctx context.Context, seed uint64) (Cluster, error)
	// Quiet returns how long nothing must be written in real time before everything is at rest; 0: DefaultQuiet.
	Quiet() time.Duration
	// Role returns what the controller may do; nil: the user has not said so.
	Role() []Allowed
	// Shared reports whether all runs use one cluster, which only one can do at a time.
	Shared() bool
}

// Cluster is an API server, with whatever works on it beside the controller. Its methods may be called concurrently.
type Cluster interface {
	// Handler is the API server as an administrator uses it.
	http.Handler
	// Resource finds a resource by its plural or its kind, and its group where it has one: "pods", "StatefulSet.apps".
	Resource(name string) (Resource, error)
	// Objects returns all objects as JSON, each with its apiVersion and kind.
	Objects(ctx context.Context) ([]json.RawMessage, error)
	// Start starts a life of the controller. All its requests pass front.
	Start(ctx context.Context, front func(http.Handler) http.Handler, o Start) (Life, error)
	// Close ends the cluster. No life runs any more.
	Close() error
}

// Resource says where the API server has the objects of a resource.
type Resource struct {
	Root       string // "/api/v1", "/apis/apps/v1"
	Plural     string
	Namespaced bool
}

// path returns the path of an object; without a name, that of all of a namespace.
func (r Resource) path(namespace, name string) string {
	p := r.Root
	if r.Namespaced {
		p += "/namespaces/" + namespace
	}
	return strings.TrimSuffix(p+"/"+r.Plural+"/"+name, "/")
}

// Start says how a life begins.
type Start struct {
	// Behind gives it an API server whose caches stay as they were at the last Freeze, until Thaw (feature stale-views).
	Behind bool
}

// Freezer is a Cluster that has a second API server, whose caches can stand still (feature stale-views).
type Freezer interface {
	Freeze()
	Thaw()
}

// Life is one life of the controller.
type Life interface {
	// Stop tells the controller to stop, as SIGTERM does. Kill ends it as SIGKILL does: no request of it arrives any more. Neither waits.
	Stop()
	Kill()
	// Done is closed when the controller has ended.
	Done() <-chan struct{}
	// Err returns why it has ended by itself, or nil.
	Err() error
	// Output returns what it has written, or the beginning and the end of that; empty: nothing, or nobody can know.
	Output() string
}

// The features that a controller, or the cluster it runs on, may declare.
const (
	// StaleViews: the API server can show a controller an earlier state.
	StaleViews harness.Feature = "stale-views"
	// LongDelays: what goes wrong may last for minutes, as in virtual time, where they pass at once.
	LongDelays harness.Feature = "long-delays"
	// Role: the user has said what the controller may do.
	Role harness.Feature = "role"
)

// longDelay is what needs LongDelays if it is longer.
const longDelay = 30 * time.Second

var features = []harness.FeatureInfo{
	{Name: StaleViews, Help: "a life can begin on an API server whose caches are behind"},
	{Name: LongDelays, Help: "what goes wrong may last longer than 30 seconds; declared where time is virtual"},
	{Name: Role, Help: "the role of the controller is known (--role)"},
}

// Step is a step of a story.
type Step = story.Step

// Validate returns an error for steps that are none of a scenario: words that there are not, or that disturb.
func Validate(scenario []Step) error {
	for i, s := range scenario {
		if s.Op == "scenario" || slices.Contains(disturbing, s.Op) {
			return fmt.Errorf("step %d: the word %q is not for scenarios", i+1, s.Op)
		}
	}
	return vocabulary.Validate(story.Story{Kind: "controller", Steps: scenario})
}
