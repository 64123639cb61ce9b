package differential

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/lwtest/lwtest/harness/story"
)

// golden is a short story and what a kube-apiserver answered to it, normalised.
type golden struct {
	About   string          `json:"about"`
	Story   json.RawMessage `json:"story"`
	Answers []any           `json:"answers"`
}

func readGoldens(file string) (all []golden, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(raw, &all)
}

// steps are the story's steps.
func (g golden) steps() ([]story.Step, error) {
	s, err := language.Read(g.Story)
	return s.Steps, err
}

// answers plays a story on one server, in a new namespace, and returns the normalised answers.
func answers(on *server, namespace string, steps []story.Step) ([]any, error) {
	s, err := on.namespace(namespace)
	if err != nil {
		return nil, err
	}
	defer on.clean(namespace, steps)
	defer s.close()
	var out []any
	for _, step := range steps {
		if err := language.Do(s, step); err != nil {
			return nil, err
		}
	}
	for _, got := range s.answers {
		for got.stream {
			if _, quiet := got.sofar(); quiet > 300*time.Millisecond {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		out = append(out, s.normal(got))
	}
	return out, nil
}

// Record plays the stories of a file of goldens on a real server, and writes down what it answers.
func Record(kubeconfig, file string) error {
	all, err := readGoldens(file)
	if err != nil {
		return err
	}
	real, err := newReal(kubeconfig)
	if err != nil {
		return err
	}
	defer real.client.CloseIdleConnections()
	if err := real.ready(); err != nil {
		return err
	}
	for i := range all {
		steps, err := all[i].steps()
		if err != nil {
			return fmt.Errorf("%s: %w", all[i].About, err)
		}
		if all[i].Answers, err = answers(real, fmt.Sprintf("golden-%x-%d", time.Now().Unix(), i), steps); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}
