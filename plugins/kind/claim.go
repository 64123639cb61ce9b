package kind

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// claim says that a cluster was made by lwtest, in a file of the user's cache folder. Whoever made it holds the file's lock
// for as long as it lives, kill -9 or not: a claim that nobody holds is of a run that is over.
type claim struct {
	path string
	lock *flock.Flock
	told
}

// told is what stands in the file.
type told struct {
	Cluster string    `json:"cluster"`
	Engine  string    `json:"engine"`
	Host    string    `json:"host,omitempty"` // DOCKER_HOST: on another there is another cluster of that name, or none
	Kept    bool      `json:"kept,omitempty"` // it was to stay
	Made    time.Time `json:"made"`
	Process int       `json:"process,omitempty"` // that made it

	// Nodes are being started, or were when the run was killed: what docker was asked for may come long after.
	Creating bool      `json:"creating,omitempty"`
	CutOff   time.Time `json:"cutOff,omitzero"` // when that was seen first
}

const claimEnd = ".json"

// claims is the folder of all of them.
func claims() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	dir := filepath.Join(base, "lwtest", "kind")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("lwtest cannot write the folder that lists its clusters: %w: set XDG_CACHE_HOME to a folder that you can write", err)
	}
	return dir, nil
}

// stake makes a claim, and holds it. It is seen by others once it is held.
func stake(dir string, t told) (*claim, error) {
	c := &claim{path: filepath.Join(dir, t.Cluster+claimEnd), told: t}
	hidden := filepath.Join(dir, "."+t.Cluster)
	c.lock = flock.New(hidden)
	held, err := c.lock.TryLock()
	if err == nil && !held {
		err = errors.New("another process holds it")
	}
	if err == nil {
		err = write(hidden, c.path, t)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the claim file of the cluster %s: %w", t.Cluster, err), c.lock.Close(), os.RemoveAll(hidden))
	}
	return c, nil
}

// write puts it there whole, by way of a hidden file.
func write(hidden, path string, t told) error {
	b, err := json.Marshal(t)
	if err == nil {
		err = os.WriteFile(hidden, b, 0o600)
	}
	if err == nil {
		err = os.Rename(hidden, path)
	}
	return err
}

// update writes what has changed into the file, which stays the one that is locked; with one call, so that it is whole.
func (c *claim) update() error {
	b, err := json.Marshal(c.told)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		b = append(b, bytes.Repeat([]byte(" "), max(0, int(info.Size())-len(b)))...)
		_, err = f.WriteAt(b, 0)
	}
	return errors.Join(err, f.Close())
}

// keep says in it that the cluster is to stay, and lets go of it.
func (c *claim) keep() error {
	c.Kept = true
	return errors.Join(write(c.path+".new", c.path, c.told), c.lock.Close())
}

// drop says that there is no such cluster any more.
func (c *claim) drop() error {
	return errors.Join(c.forget(), os.Remove(c.path), c.lock.Close())
}

// private is where kind may write a kubeconfig of a cluster, as it does in the user's otherwise: beside its claim, so that who
// finds that finds what a run that was killed has left there. kind makes the folder; forget removes it.
func private(dir, cluster string) (path string, forget func()) {
	at := privately(dir, cluster)
	return filepath.Join(at, "config"), func() { _ = os.RemoveAll(at) }
}

func privately(dir, cluster string) string { return filepath.Join(dir, "."+cluster+".kubeconfig") }

// forget removes what kind wrote.
func (c *claim) forget() error { return os.RemoveAll(privately(filepath.Dir(c.path), c.Cluster)) }

// letGo leaves it to the next run.
func (c *claim) letGo() error { return c.lock.Close() }

// abandoned gives those that nobody holds any more, and holds them; and the clusters of the others, which are in use.
func abandoned(dir string) (all []*claim, used []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	var errs []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), claimEnd) {
			continue
		}
		c, err := grab(filepath.Join(dir, e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist): // just dropped
		case err != nil:
			errs = append(errs, err)
		case c != nil:
			all = append(all, c)
		default:
			used = append(used, strings.TrimSuffix(e.Name(), claimEnd))
		}
	}
	return all, used, errors.Join(errs...)
}

// grab takes a claim that nobody holds; nil: somebody does.
func grab(path string) (*claim, error) {
	c := &claim{path: path, lock: flock.New(path, flock.SetFlag(os.O_RDWR))}
	held, err := c.lock.TryLock()
	if err != nil || !held {
		return nil, errors.Join(err, c.lock.Close())
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &c.told)
	}
	if err == nil && c.Cluster+claimEnd != filepath.Base(path) {
		err = fmt.Errorf("it is of the cluster %q", c.Cluster)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the claim file %s cannot be read: %w: remove it if that cluster does not exist", path, err), c.lock.Close())
	}
	return c, nil
}

// use holds the claim of a cluster that is there, as all may who use it: nobody deletes it meanwhile. It gives nil where there
// is no claim, or whoever made the cluster holds that.
func use(cluster string) *flock.Flock {
	dir, err := claims()
	if err != nil {
		return nil
	}
	path := filepath.Join(dir, cluster+claimEnd)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	if held, err := lock.TryRLock(); err != nil || !held {
		_ = lock.Close() // it is not locked
		return nil
	}
	return lock
}
