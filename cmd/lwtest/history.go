package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/plugins/fake"
)

func (a app) historyVerb() *cobra.Command {
	resource := "configmaps"
	cmd := &cobra.Command{
		Use:   "history LOG",
		Short: "Convert a request log to a history, for `lwtest judge`",
		Long: "Convert a log that `lwtest serve apiserver --log LOG` wrote to a history of one resource, and print it.\n" +
			"`lwtest judge` then checks the answers in it. Responses that a fault withheld from a client are left out.\n" +
			"Changes that the log does not show, such as those by an eviction or the deletion of a namespace, count as made\n" +
			"by somebody else. Less can be proved about such objects, and the judgement may be inconclusive.\n" +
			"An event that is missing at the end of a watch is not noticed, only one that is missing before others.",
		Example: `  lwtest history log.jsonl > history.jsonl && lwtest judge history.jsonl
  lwtest history log.jsonl --resource leases.coordination.k8s.io > leases.jsonl`,
		Args: oneFile("which request log"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.history(args[0], resource)
		},
	}
	cmd.Flags().StringVar(&resource, "resource", resource, "the `RESOURCE` of the history, with its group if it has one")
	return cmd
}

func (a app) history(file, resource string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	entries, err := requestlog.Read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	of := schema.ParseGroupResource(resource)
	about := fake.About{Resource: of, Features: fake.FeaturesOf(of)}
	if !slices.ContainsFunc(entries, func(e requestlog.Entry) bool {
		return e.Resource == about.Resource.Resource && e.Group == about.Resource.Group
	}) {
		return fmt.Errorf("%s holds no request about %s: choose another resource with --resource", file, resource)
	}
	h, err := fake.History(entries, about)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return h.Write(a.stdout)
}
