// Command differential plays random stories of requests on the API server fake and on a kube-apiserver, and says where the answers
// differ. See package fuzz/differential, and make differential.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/lwtest/lwtest/fuzz/differential"
)

func main() {
	o := differential.Options{Progress: os.Stderr}
	flag.StringVar(&o.Kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "of a kube-apiserver that nobody else uses")
	flag.Uint64Var(&o.Seed, "seed", 1, "which stories")
	flag.IntVar(&o.Requests, "requests", 5000, "how many requests to compare")
	flag.IntVar(&o.Workers, "workers", 4, "how many stories at a time")
	flag.StringVar(&o.Only, "only", "", "the one kind that stories are about")
	record := flag.String("record", "", "write the result to this file, of which go run ./hack/docs makes docs/fidelity.md")
	goldens := flag.String("goldens", "", "play the stories of this file alone, and write down what the server answers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, *record, *goldens); err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o differential.Options, record, goldens string) error {
	if goldens != "" {
		return differential.Record(o.Kubeconfig, goldens)
	}
	result, err := differential.Run(ctx, o)
	if err != nil {
		return err
	}
	fmt.Print(result)
	if record != "" {
		if err := result.Write(record); err != nil {
			return err
		}
	}
	if n := result.Unexplained(); n > 0 {
		return fmt.Errorf("%d unexplained differences", n)
	}
	return nil
}
