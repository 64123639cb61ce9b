package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/story"
)

func (a app) playVerb() *cobra.Command {
	f := &flags{}
	repeat := 1
	cmd := &cobra.Command{
		Use:   "play FILE-or-CHECK",
		Short: "Play a story, a check, or the check of a saved history, and judge what happens",
		Long: "Play one check. FILE is a story in JSON (docs/stories.md), or a history that lwtest saved: its header names\n" +
			"check, target, features and seed. CHECK is an address, as `lwtest list` prints it. A story and a CHECK need\n" +
			"--target. With --repeat each further time has the next seed.\n\n" + exitStatuses,
		Example: `  lwtest play mine.json --target go:client-go/shared-informer            # a story of your own
  lwtest play informer/sync/initial-flag --target go:client-go/shared-informer --repeat 20
  lwtest play runs/20260101T120000Z-1/histories/fake/watchcache.list.snapshot.jsonl.gz`,
		Args: oneFile("what to play: a story, a check or a history"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.play(cmd.Context(), f, args[0], repeat)
		},
	}
	f.aiming(cmd)
	f.running(cmd)
	cmd.Flags().Lookup("target").Usage = "the `CONNECT` string of the target (required, except for a saved history, which names one)"
	cmd.Flags().IntVar(&repeat, "repeat", 1, "play it this `COUNT` of times")
	return cmd
}

func (a app) play(ctx context.Context, f *flags, what string, repeat int) error {
	if repeat < 1 {
		return usagef("--repeat is %d: say how often, 1 or more", repeat)
	}
	if f.show == "" {
		f.show = string(report.ShowKnown) // somebody who plays one check wants to see what happened
	}
	if !f.set.Changed("keep") {
		f.keep = keepAll
	}
	s, err := f.settings(a, nil)
	if err != nil {
		return err
	}
	if !f.set.Changed("span") { // somebody who names a check wants it to run
		s.Span = 24 * time.Hour
	}
	if err := a.toPlay(&s, f, what, repeat); err != nil {
		return err
	}
	ctx, stop := a.interruptible(ctx)
	defer stop()
	se, err := a.start(ctx, f, s, a.args)
	if err != nil {
		return err
	}
	r, err := se.carryOut(ctx)
	if err != nil {
		return err
	}
	return a.print(r, f)
}

// toPlay completes the settings of a run that plays a file or a check.
func (a app) toPlay(s *report.Settings, f *flags, what string, repeat int) error {
	b, err := os.ReadFile(what)
	switch {
	case errors.Is(err, os.ErrNotExist) && !strings.Contains(what, ".json"):
		return a.playCheck(s, f, what, repeat)
	case err == nil && len(bytes.TrimSpace(b)) == 0:
		return fmt.Errorf("%s is empty: it holds neither a story nor a history", what)
	case err == nil && !isHistory(what) && !report.IsRunFile(what) && !beginsAsHistory(b):
		return a.playStory(s, f, what, b, repeat)
	}
	if repeat > 1 {
		return usagef("--repeat is for a story or a check: %s is a history, which names its seed", what)
	}
	h, err := readHistory(what)
	if err != nil {
		return err
	}
	again, err := a.again(what, h.Header)
	if err != nil {
		return err
	}
	switch {
	case len(f.targets) == 0:
		s.Targets = again.Targets
	case len(s.Targets) > 1:
		return severalTargets(s.Targets)
	}
	for i := range again.Checks {
		again.Checks[i].Target = s.Targets[0]
	}
	s.Checks, s.Seed, s.RealTime = again.Checks, again.Seed, s.RealTime || again.RealTime
	return nil
}

// beginsAsHistory reports whether a file begins like a history, compressed or not.
func beginsAsHistory(b []byte) bool {
	if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return true
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	var head struct {
		Format string `json:"lwtest"`
	}
	return json.Unmarshal(line, &head) == nil && strings.HasPrefix(head.Format, "history/")
}

func (a app) playStory(s *report.Settings, f *flags, file string, b []byte, repeat int) error {
	name, err := story.KindOf(b)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	k, err := a.kind(name)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if _, err := k.about.Story(b); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var short bytes.Buffer
	if err := json.Compact(&short, b); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return repeated(s, f, report.Planned{Check: name + "/story", Story: short.Bytes()}, repeat)
}

func (a app) playCheck(s *report.Settings, f *flags, address string, repeat int) error {
	k, c, err := a.oneCheck(address)
	if err != nil {
		return fmt.Errorf("there is no file %s, and %w", address, err)
	}
	return repeated(s, f, report.Planned{Check: k.Name + "/" + c.Name, Of: k.Name + "/" + c.Name}, repeat)
}

// severalTargets returns the error for more targets than one.
func severalTargets(connects []string) error {
	return usagef("play needs one --target, and there are %d", len(connects))
}

// repeated plans a check this often, each time with the next seed.
func repeated(s *report.Settings, f *flags, p report.Planned, repeat int) error {
	switch {
	case len(f.targets) == 0:
		return usagef("say on which target: --target; `lwtest list --targets` shows them")
	case len(s.Targets) > 1:
		return severalTargets(s.Targets)
	}
	p.Target = s.Targets[0]
	for i := range repeat {
		one := p
		one.Seed = s.Seed + int64(i)
		if repeat > 1 {
			one.Check = fmt.Sprintf("%s/%d", p.Check, i+1)
		}
		s.Checks = append(s.Checks, one)
	}
	return nil
}

// again returns the settings of a run of the one check that a history's header names.
func (a app) again(file string, h history.Header) (report.Settings, error) {
	switch {
	case h.Check == "" || h.Target == "":
		return report.Settings{}, fmt.Errorf("%s was not recorded by a check of lwtest: its header names no check or no target; `lwtest judge %s` judges it as it is", file, file)
	case h.Target == harness.GoTest:
		test := ""
		if strings.HasPrefix(h.Plugin, "Test") { // else the plugin has a name of its own
			test = h.Plugin
		}
		return report.Settings{}, fmt.Errorf("%s was recorded in a test of Go: run that test again in its package, LWTEST_SEED=%d go test -run '%s/%s'", file, h.Seed, test, strings.TrimPrefix(h.Check, h.Kind+"/"))
	}
	if _, _, err := a.targets.Find(h.Target); err != nil {
		return report.Settings{}, fmt.Errorf("%s: %w", file, err)
	}
	k, err := a.kindOf(h)
	if err != nil {
		return report.Settings{}, fmt.Errorf("%s: %w", file, err)
	}
	p := report.Planned{Target: h.Target, Check: h.Check}
	if _, ours := check(k.about, h.Check); !ours {
		p.Story = h.Story // a user's own story, or a check that was repeated
	}
	for _, name := range h.Features {
		p.Features = append(p.Features, harness.Feature(name))
	}
	return report.Settings{Targets: []string{h.Target}, Checks: []report.Planned{p}, Seed: h.Seed, RealTime: h.Time == history.RealTime}, nil
}

// readHistory reads a history file. If the file is something else, the error says what a history is.
func readHistory(file string) (*history.History, error) {
	h, err := history.ReadFile(file)
	switch {
	case err == nil:
		return h, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no file %s", file)
	case isDir(file):
		err = fmt.Errorf("%s is a directory", file)
	case report.IsRunFile(file):
		return nil, fmt.Errorf("%s tells of a run and is no history: `lwtest judge %s` judges those of the run", file, filepath.Dir(file))
	}
	return nil, fmt.Errorf("%w: a history is a file of JSON Lines, compressed or not, such as those below histories/ in a run directory", err)
}

func oneFile(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		use := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		switch {
		case len(args) != 1:
			return usagef("say %s: `%s`, %d were given", what, use, len(args))
		case args[0] == "":
			return usagef("say %s: `%s`, an empty name was given; is a variable not set?", what, use)
		}
		return nil
	}
}
