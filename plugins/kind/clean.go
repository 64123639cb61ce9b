package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Clean deletes the clusters that runs which are over have left, and with kept those, too, that --keep-cluster let stay. Clusters
// that lwtest did not make on this machine, by this user, are never touched; the error names those that bear a name of
// lwtest's. It says each that it deleted, what may still come, and what is in use.
func Clean(ctx context.Context, kept bool, say func(string)) error {
	used, err := clean(ctx, kept, say)
	if len(used) > 0 {
		say("the kind clusters " + strings.Join(used, ", ") + " stay: a run that has not ended uses them; run `lwtest clean` again when it has")
	}
	return err
}

// clean is Clean, and gives the clusters that are in use.
func clean(ctx context.Context, kept bool, say func(string)) (used []string, err error) {
	dir, err := claims()
	if err != nil {
		return nil, err
	}
	left, used, err := abandoned(dir)
	errs := []error{err}
	e, err := findEngine(ctx) // without one nothing runs here: that matters to what is known only
	for _, c := range left {
		switch {
		case c.Kept && !kept:
			errs = append(errs, c.letGo())
		case err != nil || c.Engine != e.name || c.Host != os.Getenv("DOCKER_HOST"):
			errs = append(errs, c.letGo(), elsewhere(c, err))
		default:
			errs = append(errs, e.clear(ctx, c, say))
		}
	}
	if err == nil {
		errs = append(errs, e.tell(ctx, dir))
	}
	return used, errors.Join(errs...)
}

// elsewhere says why a cluster that was left stays.
func elsewhere(c *claim, err error) error {
	if err == nil {
		err = fmt.Errorf("it was created with %s (DOCKER_HOST %q)", c.Engine, c.Host)
	}
	return fmt.Errorf("the kind cluster %s, left by a run of %s, stays for now: %w", c.Cluster, c.Made.Format("2006-01-02 15:04"), err)
}

// How long a claim is waited for, and kept, whose cluster is not there: what docker was asked by a process that was killed,
// it does, and a node may come up later. late is after it was seen that a creation was cut off; nothing that was asked for
// longer ago than young is still on its way.
var (
	settle = 3 * time.Second
	late   = 5 * time.Minute
	young  = time.Hour
)

// clear deletes what is left of a cluster, and its claim once nothing of it can come any more.
func (e engine) clear(ctx context.Context, c *claim, say func(string)) error {
	if c.Creating {
		kill(starters(c.Cluster)) // nobody waits for what they would start
	}
	deleted, err := e.purge(ctx, c)
	if deleted {
		say(fmt.Sprintf("deleted the kind cluster %s, left by a run of %s", c.Cluster, c.Made.Format("2006-01-02 15:04")))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("the kind cluster %s, left by an earlier run: %w", c.Cluster, err), c.letGo())
	}
	if !c.mayCome() {
		return c.drop()
	}
	if err := c.forget(); err != nil {
		return errors.Join(err, c.letGo())
	}
	say(fmt.Sprintf("kept the claim file of the kind cluster %s: its creation was interrupted, and a node may still appear; `lwtest clean` after %s, or the next run, deletes it",
		c.Cluster, c.CutOff.Add(late).Local().Format(time.TimeOnly)))
	return errors.Join(c.update(), c.letGo())
}

// mayCome says whether nodes may come that nobody will use; it notes when that was seen first.
func (c *claim) mayCome() bool {
	if !c.Creating || time.Since(c.Made) > young {
		return false
	}
	if c.CutOff.IsZero() {
		c.CutOff = time.Now().UTC()
	}
	return time.Since(c.CutOff) < late
}

// purge deletes the nodes that are there, and those that come soon.
func (e engine) purge(ctx context.Context, c *claim) (deleted bool, err error) {
	for {
		there, err := e.comes(ctx, c)
		if err == nil && there {
			if err = e.remove(ctx, c.Cluster); err == nil {
				deleted, c.CutOff = true, time.Time{} // where one came, another may: the time begins anew
			}
		}
		if err != nil || !there || !c.Creating {
			return deleted, err
		}
	}
}

// comes says whether the cluster is there, or comes soon; what was waited for by an earlier clean is not waited for again.
func (e engine) comes(ctx context.Context, c *claim) (bool, error) {
	for end := time.Now().Add(settle); ; {
		there, err := e.has(ctx, c.Cluster)
		if there || err != nil || !c.CutOff.IsZero() || time.Since(c.Made) > young || time.Now().After(end) {
			return there, err
		}
		if err := pause(ctx); err != nil {
			return false, err
		}
	}
}

// pause is between two looks at what an engine does.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(250 * time.Millisecond):
		return nil
	}
}

// has says whether there are nodes of that cluster, running or not.
func (e engine) has(ctx context.Context, name string) (bool, error) {
	all, err := e.list(ctx)
	return slices.Contains(all, name), err
}

// list gives the clusters that have nodes.
func (e engine) list(ctx context.Context) ([]string, error) {
	return within(ctx, e, answerLimit, e.provider(func(string) {}).List)
}
