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
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o differential.Options) error {
	result, err := differential.Run(ctx, o)
	if err != nil {
		return err
	}
	fmt.Print(result)
	if len(result.Found) > 0 {
		return fmt.Errorf("%d unexplained differences", len(result.Found))
	}
	return nil
}
