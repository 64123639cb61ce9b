package cri

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
)

// runs counts the pods of each run of lwtest that the runtime has, by the ID of the run.
func (s socket) runs(ctx context.Context) (map[string]int, error) {
	list, err := s.RuntimeService().ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{})
	if err != nil {
		return nil, err
	}
	all := map[string]int{}
	for _, p := range list.GetItems() {
		if label := p.GetLabels()[runtime.RunLabel]; label != "" {
			id, _, _ := strings.Cut(label, "-")
			all[id]++
		}
	}
	return all, nil
}

// leftovers returns a note about the pods of other runs, and how to delete them, or none. Nobody can say whether these runs are over.
func (s socket) leftovers(ctx context.Context, address string) []string {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	all, err := s.runs(ctx)
	if err != nil || len(all) == 0 { // the first check will say more
		return nil
	}
	var parts []string
	for _, id := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, fmt.Sprintf("%d of the run %s", all[id], id))
	}
	quoted := "'" + strings.ReplaceAll("cri:"+address, "'", `'\''`) + "'"
	return []string{fmt.Sprintf("it has pods of other runs of lwtest: %s. If a run is over, delete its pods: lwtest clean --target %s --run ID", strings.Join(parts, ", "), quoted)}
}

// Clean removes the pods and logs that runs of lwtest have left on the runtime that a URL names, as of Open. No IDs means all runs. It
// says what it removes, a line for each run.
func Clean(ctx context.Context, address string, ids []string, say func(line string)) error {
	s, _, err := parse(address)
	if err != nil {
		return err
	}
	if err := s.connect(); err != nil {
		return err
	}
	defer s.conn.Close()
	if err := s.clean(ctx, ids, say); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

func (s socket) clean(ctx context.Context, ids []string, say func(line string)) error {
	limited, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	if _, err := s.version(limited); err != nil {
		return err
	}
	all, err := s.runs(limited)
	if err != nil {
		return fmt.Errorf("its pods cannot be listed: %s", status.Convert(err).Message())
	}
	for _, id := range ids {
		if all[id] == 0 {
			return fmt.Errorf("it has no pods of the run %q: %s", id, describeRuns(all))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if len(ids) > 0 && !slices.Contains(ids, id) {
			continue
		}
		line, err := s.sweep(ctx, id)
		if line != "" {
			say(fmt.Sprintf("run %s: %s", id, line))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// describeRuns says which runs have pods.
func describeRuns(all map[string]int) string {
	if len(all) == 0 {
		return "it has no pods of lwtest"
	}
	return "it has pods of " + strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}
