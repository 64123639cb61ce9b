package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/fakes/cri"
)

// servingCRI holds the options of `serve cri`.
type servingCRI struct {
	personality, faults, log, memory string
	images, handlers                 []string
	cgroupfs                         bool
}

func (a app) serveCRIVerb() *cobra.Command {
	var o servingCRI
	cmd := &cobra.Command{
		Use:   "cri SOCKET",
		Short: "Serve the container runtime fake on a unix socket until Ctrl-C",
		Long: `Serve the container runtime fake on a unix socket until Ctrl-C. It runs no processes: containers are played, and a command
such as sh -c "sleep 5; exit 3" does what it says. Every image can be pulled. Only if its name begins with a loopback address and a port,
such as 127.0.0.1:5000/a/b:1, does the fake ask that registry for its manifest, by plain HTTP.

SIGUSR1 kills the fake, as kill -9 kills a runtime: its containers go on, and every call is Unavailable. SIGUSR2 starts it again.`,
		Example: `  lwtest serve cri ./cri.sock
  lwtest serve cri ./cri.sock --personality cri-o    # answer as CRI-O does where runtimes differ
  lwtest serve cri ./cri.sock --log calls.jsonl      # what it was sent, and what it answered, once it ends
  lwtest serve cri ./cri.sock --faults faults.yaml   # where faults.yaml is, for one:
      faults:
      - {method: StartContainer, nth: 2, times: 1, code: UNAVAILABLE}
      - {method: StopPodSandbox, times: 1, code: DEADLINE_EXCEEDED, applied: true}
      - {method: PullImage, hang: true, for: 20s}
      - {method: CreateContainer, nth: 3, times: 1, crash: true, restart: 5s}
      - {event: drop, type: CONTAINER_STOPPED_EVENT, chance: 0.1}

  lwtest serve cri ./cri.sock &                      # with the checks of restarts
  lwtest run --target "cri:unix://$PWD/cri.sock?kill=kill+-USR1+$!&start=kill+-USR2+$!"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("say the path of one unix socket")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.serveCRI(cmd.Context(), args[0], o) },
	}
	cmd.Flags().StringVar(&o.personality, "personality", cri.Containerd.Name, "answer as `NAME` does where correct runtimes differ: containerd or cri-o")
	cmd.Flags().StringVar(&o.faults, "faults", "", "a YAML or JSON `FILE` that says which calls and events fail, and how")
	cmd.Flags().StringVar(&o.log, "log", "", "write the calls to this `FILE`, as JSON Lines, when the fake ends")
	cmd.Flags().StringSliceVar(&o.images, "image", nil, "the `NAME` of an image that is there at the start. May be repeated")
	cmd.Flags().StringSliceVar(&o.handlers, "handler", nil, "the `NAME` of a runtime handler beside the default one. May be repeated")
	cmd.Flags().StringVar(&o.memory, "memory", string(cri.Keeps), "what the fake knows when it is started again; `WHAT` is keeps (everything), forgets-exits (how containers ended meanwhile) or forgets-all")
	cmd.Flags().BoolVar(&o.cgroupfs, "cgroupfs", false, "say that the cgroup driver is cgroupfs, and not systemd")
	return cmd
}

func (a app) serveCRI(ctx context.Context, socket string, o servingCRI) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	options, err := o.options()
	if err != nil {
		return err
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
	for i, f := range faults {
		if r.Arm(f); f.Crash && f.Restart == 0 {
			fmt.Fprintf(a.stderr, "--faults: fault %d kills the runtime, and it stays down: say when it comes back, such as restart: 5s, or send SIGUSR2\n", i+1)
		}
	}
	r.Arm(cri.Fault{Method: "*Container", Slow: cri.Duration(40 * time.Millisecond)}) // as real runtimes, so that a deadline can pass in the middle
	done := make(chan error, 1)
	kills, starts := make(chan os.Signal, 1), make(chan os.Signal, 1)
	defer signal.Stop(kills)
	defer signal.Stop(starts)
	restartSignals(kills, starts)
	go func() { done <- r.Serve(l) }()
	fmt.Fprintf(a.stderr, "serving unix://%s as %s until Ctrl-C\n", socket, o.personality)
	for serving := true; serving; {
		select {
		case <-kills:
			r.Crash()
		case <-starts:
			r.Restart(options.Memory)
		case <-ctx.Done():
			serving = false
		case err = <-done:
			serving = false
		}
	}
	r.Close()
	if log != nil {
		if broken := errors.Join(writeCalls(log, r.Calls()), log.Close()); broken != nil {
			err = errors.Join(err, fmt.Errorf("--log: %w", broken))
		}
	}
	return err
}

// options returns those of the fake.
func (o servingCRI) options() (cri.Options, error) {
	options := cri.Options{Pull: cri.Loopback, Images: o.images, Handlers: o.handlers, Memory: cri.Memory(o.memory)}
	switch o.personality {
	case cri.Containerd.Name:
	case cri.CRIO.Name:
		options.Personality = cri.CRIO
	default:
		return options, usagef("--personality %q: say containerd or cri-o", o.personality)
	}
	if !slices.Contains([]cri.Memory{cri.Keeps, cri.ForgetsExits, cri.ForgetsAll}, options.Memory) {
		return options, usagef("--memory %q: say %s, %s or %s", o.memory, cri.Keeps, cri.ForgetsExits, cri.ForgetsAll)
	}
	if o.cgroupfs {
		options.CgroupDriver = 1
	}
	return options, nil
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
