package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Step is one thing that an adapter must do, whatever the implementation makes of it.
type Step struct {
	Name string
	Want string
	do   func(ctx context.Context, s *smoke) error
}

// smoke is a process that is looked at.
type smoke struct {
	*conn
	offers []Offer
}

// endLimit is what a process may take to end with its input.
const endLimit = 5 * time.Second

// stepLimit is what an adapter may take for a step.
const stepLimit = controlLimit

// steps are all that do not end the process, in their order.
var steps = []Step{
	{"case", "case.begin and case.end are answered, again and again", func(ctx context.Context, s *smoke) error {
		for range 3 {
			if err := errors.Join(s.ok(ctx, "case.begin", CaseBegin{"smoke/case"}), s.ok(ctx, "case.end", Nothing{})); err != nil {
				return err
			}
		}
		return nil
	}},
	{"barrier", "barrier is answered", func(ctx context.Context, s *smoke) error { return s.ok(ctx, "barrier", Nothing{}) }},
	{"unknown-op", "an op that there is not is answered with skip", func(ctx context.Context, s *smoke) error {
		err := s.ok(ctx, "smoke.unknown", Nothing{})
		var skipped *Skipped
		if errors.As(err, &skipped) {
			return nil
		}
		return fmt.Errorf("it is answered with %s", wording(err))
	}},
	{"unknown-field", "a field that it does not know is ignored", func(ctx context.Context, s *smoke) error {
		return s.ok(ctx, "barrier", struct {
			Smoke []string `json:"smoke"`
		}{[]string{"of", "a later version"}})
	}},
	{"unknown-request", "cancel of a request that there is not, or was answered, is answered with ok", func(ctx context.Context, s *smoke) error {
		return s.ok(ctx, "cancel", Cancel{1})
	}},
	{"together", "requests may be in flight together: fifty are all answered", func(ctx context.Context, s *smoke) error {
		var all []pending
		for range 50 {
			p, err := s.ask("barrier", Nothing{})
			if err != nil {
				return err
			}
			all = append(all, p)
		}
		for _, p := range all {
			if err := s.wait(ctx, awhile, p, nil); err != nil {
				return err
			}
		}
		return nil
	}},
	{"open", "what it offers can be opened, whether its server is there or not, and ends with case.end", func(ctx context.Context, s *smoke) error {
		if err := s.ok(ctx, "case.begin", CaseBegin{"smoke/open"}); err != nil {
			return err
		}
		for _, o := range s.offers {
			if err := s.opens(ctx, o); err != nil {
				return fmt.Errorf("%s: %w", o.Kind, err)
			}
		}
		return s.ok(ctx, "case.end", Nothing{})
	}},
	{"unknown-handle", "a handle that there is not is answered with err", func(ctx context.Context, s *smoke) error {
		for _, o := range s.offers {
			op := map[string]string{"listerwatcher": "lw.list", "informer": "inf.list", "store": "store.resync", "watchcache": "wc.list"}[o.Kind]
			if o.Serves {
				op = "wc.restart"
			}
			var f *Failure
			var lacks *Skipped // a server that speaks HTTP may have nothing with a handle
			if err := s.ok(ctx, op, struct {
				H       string   `json:"h"`
				Options struct{} `json:"options"`
			}{"nobody", struct{}{}}); !errors.As(err, &f) && !(o.Serves && errors.As(err, &lacks)) {
				return fmt.Errorf("%s is answered with %s", op, wording(err))
			}
		}
		return nil
	}},
}

// ends are those that end the process, each of a process of its own.
var ends = []Step{
	{"shutdown", "shutdown is answered, and the process ends with status 0", func(ctx context.Context, s *smoke) error {
		p, err := s.ask("shutdown", Nothing{})
		if err == nil {
			err = s.wait(ctx, awhile, p, nil)
		}
		if err != nil {
			return err
		}
		return s.ends(ctx, "exit status 0")
	}},
	{"end-of-input", "at the end of its input the process ends with status 0", func(ctx context.Context, s *smoke) error {
		go s.p.Stop(endLimit)
		return s.ends(ctx, "exit status 0")
	}},
	{"crash", "crash ends the process with status 7, unanswered", func(ctx context.Context, s *smoke) error {
		err := s.ok(ctx, "crash", Nothing{})
		if gone := (*Gone)(nil); !errors.As(err, &gone) {
			return fmt.Errorf("it is answered with %s", wording(err))
		}
		return s.ends(ctx, "exit status 7")
	}},
}

// opens opens what an adapter offers of a kind, on a server that refuses connections.
func (s *smoke) opens(ctx context.Context, o Offer) error {
	nobody, maps := Server{URL: "http://127.0.0.1:9"}, Resource{Version: "v1", Resource: "configmaps"}
	switch o.Kind {
	case "listerwatcher":
		return s.ok(ctx, "lw.open", LWOpen{H: "smoke1", Server: nobody, Resource: maps, Namespace: "default"})
	case "informer":
		if err := s.ok(ctx, "inf.open", InformerOpen{H: "smoke2", Server: nobody, Resource: maps, Namespace: "default"}); err != nil {
			return err
		}
		run, err := s.ask("inf.run", Informer{"smoke2"})
		if err != nil {
			return err
		}
		if err := s.ok(ctx, "cancel", Cancel{run.id}); err != nil {
			return err
		}
		if err := s.wait(ctx, awhile, run, nil); err != nil {
			return fmt.Errorf("inf.run, cancelled: %w", err)
		}
		return nil
	case "store":
		return s.ok(ctx, "store.open", StoreOpen{H: "smoke3"})
	}
	if !o.Serves {
		return s.ok(ctx, "wc.open", WCServer{"smoke4"})
	}
	var at WCStarted
	if err := s.call(ctx, awhile, "wc.start", WCServer{"smoke4"}, &at); err != nil {
		return err
	}
	return answers(ctx, at.Server)
}

// answers asks a server that an adapter has started for a list.
func answers(ctx context.Context, at Server) error {
	in, hangUp, err := at.clients()
	if err != nil {
		return fmt.Errorf("wc.start: %w", err)
	}
	defer hangUp()
	if _, err := in("a").List(ctx, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("wc.start says that it serves %s, and a list of configmaps in the namespace a is answered: %w", at.URL, err)
	}
	return nil
}

func (s *smoke) ok(ctx context.Context, op string, args any) error {
	err := s.call(ctx, awhile, op, args, nil)
	if err != nil && !strings.Contains(err.Error(), op) {
		err = fmt.Errorf("%s: %w", op, err)
	}
	return err
}

// ends waits for the end of the process.
func (s *smoke) ends(ctx context.Context, want string) error {
	select {
	case <-s.p.Gone():
	case <-ctx.Done():
		return fmt.Errorf("it goes on after %s", stepLimit)
	}
	switch how := s.p.How(); how {
	case want:
	case "signal: killed":
		return fmt.Errorf("it goes on after %s", endLimit)
	default:
		return fmt.Errorf("it ends with %s", how)
	}
	return nil
}

func wording(err error) string {
	if err == nil {
		return "ok"
	}
	return err.Error()
}

// Smoke puts an adapter through the steps that do not depend on the implementation, and has told hear of each as it ends;
// an error says what was wrong. A step that ends the talk is the last but for those that end a process each. It gives what
// the adapter says of itself; the error says why nobody can talk with it.
func Smoke(ctx context.Context, command string, told func(Step, error)) (HelloReply, error) {
	a := &adapter{command: command}
	c, hello, err := a.live()
	if err != nil {
		return hello, err
	}
	s := &smoke{c, hello.Offers}
	for _, step := range steps {
		if s.ended() != nil {
			break
		}
		told(step, step.run(ctx, s))
	}
	s.p.Stop(patience)
	for _, step := range ends {
		c, _, err := a.live()
		if err != nil {
			told(step, err)
			continue
		}
		told(step, step.run(ctx, &smoke{c, hello.Offers}))
		c.p.Kill()
	}
	return hello, nil
}

// run does a step within its limit. What it has written to its log stands beside what was wrong.
func (st Step) run(ctx context.Context, s *smoke) error {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	err := st.do(ctx, s)
	if err != nil {
		err = fmt.Errorf("%w%s", err, logged(s.p.Log()))
	}
	return err
}
