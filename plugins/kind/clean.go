package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// Clean deletes the clusters that runs which are over have left, and with kept those, too, that --keep let stay. Clusters
// that lwtest did not make on this machine, by this user, are never touched; the error names those that bear a name of
// lwtest's. It says each that it deleted.
func Clean(ctx context.Context, kept bool, say func(string)) error {
	dir, err := claims()
	if err != nil {
		return err
	}
	left, err := abandoned(dir)
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
		errs = append(errs, e.tell(dir))
	}
	return errors.Join(errs...)
}

// elsewhere says why a cluster that was left stays.
func elsewhere(c *claim, err error) error {
	if err == nil {
		err = fmt.Errorf("it was made with %s (DOCKER_HOST %q)", c.Engine, c.Host)
	}
	return fmt.Errorf("the kind cluster %s, which a run of %s left, stays for now: %w", c.Cluster, c.Made.Format("2006-01-02 15:04"), err)
}

// How long a claim keeps a cluster that is not there: what docker was asked by a process that was killed, it does, and a
// node may come up later. Nothing that was asked long ago is still on its way.
var (
	settle = 3 * time.Second
	young  = time.Hour
)

// clear deletes what is left of a cluster, and its claim.
func (e engine) clear(ctx context.Context, c *claim, say func(string)) error {
	there, err := e.comes(ctx, c)
	if err == nil && there {
		if err = e.remove(ctx, c.Cluster); err == nil {
			say(fmt.Sprintf("deleted the kind cluster %s, which a run of %s left", c.Cluster, c.Made.Format("2006-01-02 15:04")))
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("the kind cluster %s, which an earlier run left: %w", c.Cluster, err), c.letGo())
	}
	return c.drop()
}

// comes says whether the cluster is there, or comes soon.
func (e engine) comes(ctx context.Context, c *claim) (bool, error) {
	for end := time.Now().Add(settle); ; {
		there, err := e.has(c.Cluster)
		if there || err != nil || time.Since(c.Made) > young || time.Now().After(end) {
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
func (e engine) has(name string) (bool, error) {
	all, err := e.provider(func(string) {}).List()
	return slices.Contains(all, name), explain(err)
}
