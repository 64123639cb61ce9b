package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ours is how Create names clusters: a name that nobody else thinks of.
var ours = regexp.MustCompile(`^lwtest-[a-z2-7]{8}$`)

// strangers are clusters of such a name that no claim in dir knows: of a run of another user, or with another cache folder,
// that is under way or has been killed. Which of the two cannot be seen from here.
func (e engine) strangers(ctx context.Context, dir string) ([]string, error) {
	before, err := e.list(ctx)
	if err != nil || !slices.ContainsFunc(before, ours.MatchString) {
		return nil, err
	}
	unknown := slices.DeleteFunc(before, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name+claimEnd))
		return !ours.MatchString(name) || err == nil
	})
	after, err := e.list(ctx) // a run that ended meanwhile has dropped its claim
	return slices.DeleteFunc(unknown, func(name string) bool { return !slices.Contains(after, name) }), err
}

// tell says of clusters that are there and unknown how they are deleted by somebody who knows.
func (e engine) tell(ctx context.Context, dir string) error {
	names, err := e.strangers(ctx, dir)
	if len(names) == 0 {
		return err
	}
	return fmt.Errorf("lwtest created the kind clusters %[2]s, but not in a run of this user with this cache folder (%[1]s): when their run is over, `lwtest clean --cluster %[3]s` deletes them",
		dir, strings.Join(names, ", "), strings.Join(names, ","))
}

// Delete deletes clusters by their names, which are such as Create gives: also those that another user has made, or that a
// run made with another cache folder. One that a run of this user holds stays. It says each that it deleted.
func Delete(ctx context.Context, names []string, say func(string)) error {
	dir, err := claims()
	if err != nil {
		return err
	}
	e, err := findEngine(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		if err := e.delete(ctx, dir, name, say); err != nil {
			errs = append(errs, fmt.Errorf("the kind cluster %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func (e engine) delete(ctx context.Context, dir, name string, say func(string)) error {
	if !ours.MatchString(name) {
		return errors.New("lwtest gives no cluster such a name: use `kind delete cluster --name` for it")
	}
	path := filepath.Join(dir, name+claimEnd)
	if _, err := os.Stat(path); err == nil {
		c, err := grab(path)
		if err == nil && c == nil {
			err = errors.New("a run that has not ended uses it: interrupt that run first")
		}
		if err != nil {
			return err
		}
		if c.Engine != e.name || c.Host != os.Getenv("DOCKER_HOST") {
			return errors.Join(elsewhere(c, nil), c.letGo())
		}
		return e.clear(ctx, c, say)
	}
	there, err := e.has(ctx, name)
	if err == nil && !there {
		err = errors.New("there is no cluster with that name")
	}
	if err == nil {
		err = e.remove(ctx, name)
	}
	if err == nil {
		say("deleted the kind cluster " + name)
	}
	return err
}
