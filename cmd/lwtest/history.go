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
		Short: "Make a history of a request log, for `lwtest judge`",
		Long: "Make a history of what `lwtest serve apiserver --log LOG` has written, and print it: what was told of one\n" +
			"resource. `lwtest judge` says whether that was the truth. What a fault kept from a client is not in it.\n" +
			"What the log does not show, such as what an eviction or the end of a namespace did to an object, is a change by\n" +
			"somebody else: of that object less can be said, and the judgement may be inconclusive.\n" +
			"The end of a watch shows nothing that is missing there: only what comes after it does.",
		Example: `  lwtest history log.jsonl > history.jsonl && lwtest judge history.jsonl
  lwtest history log.jsonl --resource leases.coordination.k8s.io > leases.jsonl`,
		Args: oneFile("which request log"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.history(args[0], resource)
		},
	}
	cmd.Flags().StringVar(&resource, "resource", resource, "the `resource` it is about, with its group where it has one")
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
		return fmt.Errorf("%s: there is no request of %s in it: --resource says which", file, resource)
	}
	h, err := fake.History(entries, about)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return h.Write(a.stdout)
}
