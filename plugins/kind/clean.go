package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Clean deletes the clusters that runs which are over have left, and with kept those, too, that --keep let stay. Clusters
// that lwtest did not make on this machine, by this user, are never touched. It says each that it deleted.
func Clean(ctx context.Context, kept bool, say func(string)) error {
	dir, err := claims()
	if err != nil {
		return err
	}
	left, err := abandoned(dir)
	if len(left) == 0 {
		return err
	}
	errs := []error{err}
	e, err := findEngine(ctx)
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
	return errors.Join(errs...)
}

// elsewhere says why a cluster that was left stays.
func elsewhere(c *claim, err error) error {
	if err == nil {
		err = fmt.Errorf("it was made with %s (DOCKER_HOST %q)", c.Engine, c.Host)
	}
	return fmt.Errorf("the kind cluster %s, which a run of %s left, stays for now: %w", c.Cluster, c.Made.Format("2006-01-02 15:04"), err)
}

// clear deletes what is left of a cluster, and its claim.
func (e engine) clear(ctx context.Context, c *claim, say func(string)) error {
	there, err := e.has(c.Cluster)
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

// has says whether there are nodes of that cluster, running or not.
func (e engine) has(name string) (bool, error) {
	all, err := e.provider(func(string) {}).List()
	return slices.Contains(all, name), explain(err)
}
