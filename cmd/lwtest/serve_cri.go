package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/fakes/cri"
)

// servingCRI holds the options of `serve cri`.
type servingCRI struct {
	personality, faults, log string
	images, handlers         []string
	cgroupfs                 bool
}

func (a app) serveCRIVerb() *cobra.Command {
	var o servingCRI
	cmd := &cobra.Command{
		Use:   "cri SOCKET",
		Short: "Serve the container runtime fake on a unix socket until Ctrl-C",
		Long: `Serve the container runtime fake on a unix socket until Ctrl-C. It runs no processes: containers are played, and a command
such as sh -c "sleep 5; exit 3" does what it says. Every image can be pulled.`,
		Example: `  lwtest serve cri ./cri.sock
  lwtest serve cri ./cri.sock --personality cri-o    # answer as CRI-O does where runtimes differ
  lwtest serve cri ./cri.sock --log calls.jsonl      # what it was sent, and what it answered, once it ends
  lwtest serve cri ./cri.sock --faults faults.yaml   # where faults.yaml is, for one:
      faults:
      - {method: StartContainer, nth: 2, times: 1, code: UNAVAILABLE}
      - {method: StopPodSandbox, times: 1, code: DEADLINE_EXCEEDED, applied: true}
      - {method: PullImage, hang: true, for: 20s}
      - {event: drop, type: CONTAINER_STOPPED_EVENT, chance: 0.1}`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("say the path of one unix socket")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.serveCRI(cmd.Context(), args[0], o) },
	}
	cmd.Flags().StringVar(&o.personality, "personality", cri.Containerd.Name, "answer as `NAME` does where correct runtimes differ: containerd or cri-o")
	cmd.Flags().StringVar(&o.faults, "faults", "", "a YAML or JSON file that says which calls and events fail, and how")
	cmd.Flags().StringVar(&o.log, "log", "", "write the calls to this file, as JSON Lines, when the fake ends")
	cmd.Flags().StringSliceVar(&o.images, "image", nil, "an image that is there at the start. May be repeated")
	cmd.Flags().StringSliceVar(&o.handlers, "handler", nil, "a runtime handler beside the default one. May be repeated")
	cmd.Flags().BoolVar(&o.cgroupfs, "cgroupfs", false, "say that the cgroup driver is cgroupfs, and not systemd")
	return cmd
}

func (a app) serveCRI(ctx context.Context, socket string, o servingCRI) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	options := cri.Options{Images: o.images, Handlers: o.handlers}
	switch o.personality {
	case cri.Containerd.Name:
	case cri.CRIO.Name:
		options.Personality = cri.CRIO
	default:
		return usagef("--personality %q: say containerd or cri-o", o.personality)
	}
	if o.cgroupfs {
		options.CgroupDriver = 1
	}
	faults, err := readCRIFaults(o.faults)
	if err != nil {
		return err
	}
	var log *os.File
	if o.log != "" {
		if log, err = os.Create(o.log); err != nil {
			return fmt.Errorf("--log: %w", err)
		}
	}
	l, err := cri.Listen(socket)
	if err != nil {
		return fmt.Errorf("the socket cannot be made: %w", err)
	}
	r := cri.New(options)
	for _, f := range faults {
		r.Arm(f)
	}
	r.Arm(cri.Fault{Method: "CreateContainer", Slow: cri.Duration(40 * time.Millisecond)}) // as real runtimes, so that a deadline can pass in the middle
	done := make(chan error, 1)
	go func() { done <- r.Serve(l) }()
	fmt.Fprintf(a.stderr, "serving unix://%s as %s until Ctrl-C\n", socket, o.personality)
	select {
	case <-ctx.Done():
	case err = <-done:
	}
	r.Close()
	if log != nil {
		if broken := errors.Join(writeCalls(log, r.Calls()), log.Close()); broken != nil {
			err = errors.Join(err, fmt.Errorf("--log: %w", broken))
		}
	}
	return err
}

func writeCalls(f *os.File, all []cri.Call) error {
	out := json.NewEncoder(f)
	for _, c := range all {
		if err := out.Encode(c); err != nil {
			return err
		}
	}
	return nil
}
