package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// The files of a run directory.
const (
	resultsFile = "results.jsonl"
	reportFile  = "report.json"
	lockFile    = "lock"
	histories   = "histories"
)

// Logs is the folder of the run directory with the logs of targets. A run may begin in a directory that holds only
// this folder: its targets could not be opened before.
const Logs = "logs"

// Dir is a run directory that is being written. Each result is one write of one line, so that a killed run can be read
// up to its last check. Add may be called concurrently.
type Dir struct {
	Path     string
	Header   Header
	Finished []harness.Result // results of earlier sessions of this run
	earlier  time.Duration    // how long the earlier sessions took, as far as is known
	ended    bool             // an earlier session wrote the footer

	mu   sync.Mutex
	file *os.File
	lock *os.File
}

// Create begins a run in a directory without one. It creates the directory if necessary.
func Create(path string, h Header) (*Dir, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("the run directory cannot be created: %w: give another with --out", err)
	}
	if other := foreign(path); other != "" {
		return nil, fmt.Errorf("%s is not a run directory: it contains %s; give a new or empty directory with --out", path, other)
	}
	d := &Dir{Path: path, Header: h}
	d.Header.Format = Format
	if err := d.hold(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(d.join(resultsFile)); err == nil {
		return nil, errors.Join(fmt.Errorf("%s already holds a run: finish it with --resume %s, or give another directory with --out", path, path), d.Release())
	}
	if err := d.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("the run directory %s cannot be written: %w: make it writable, make room, or give another with --out", path, err), d.Release())
	}
	return d, nil
}

// foreign returns the name of a file in the directory that is not part of a run, or "".
func foreign(path string) string {
	entries, _ := os.ReadDir(path) // an error shows when the directory is written
	for _, e := range entries {
		if !slices.Contains([]string{lockFile, resultsFile, reportFile, histories, Logs}, e.Name()) && !strings.HasPrefix(e.Name(), ".") {
			return e.Name()
		}
	}
	return ""
}

func (d *Dir) begin() error {
	line, err := marshal(d.Header)
	if err != nil {
		return err
	}
	if err := WriteFile(d.join(resultsFile), whole(line)); err != nil {
		return err
	}
	return d.open()
}

// Resume opens a run that may have been killed. Finished holds its results, a line that was cut off is removed, and
// new results are appended.
func Resume(path string) (*Dir, error) {
	if i, err := os.Stat(path); err == nil && !i.IsDir() {
		return nil, fmt.Errorf("%s is a file: give --resume a run directory", path)
	}
	if _, err := os.Stat(filepath.Join(path, resultsFile)); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no run to resume: start one with `lwtest run --out %s`", path, path)
	}
	d := &Dir{Path: path}
	if err := d.hold(); err != nil {
		return nil, err
	}
	if err := d.reopen(); err != nil {
		return nil, errors.Join(err, d.Release())
	}
	return d, nil
}

func (d *Dir) reopen() error {
	log, err := readLog(d.join(resultsFile))
	if err != nil {
		return fmt.Errorf("%w: this run cannot be resumed; start a new one", err)
	}
	d.Header, d.Finished, d.earlier, d.ended = log.header, log.results, log.elapsed, log.ended
	if err := d.open(); err != nil {
		return err
	}
	d.tidy()
	return d.file.Truncate(log.whole)
}

// tidy removes temporary files that a killed run left.
func (d *Dir) tidy() {
	for _, name := range []string{resultsFile, reportFile} {
		left, _ := filepath.Glob(d.join("." + name + "-*"))
		for _, f := range left {
			os.Remove(f)
		}
	}
}

func (d *Dir) open() (err error) {
	d.file, err = os.OpenFile(d.join(resultsFile), os.O_APPEND|os.O_WRONLY, 0)
	return err
}

func (d *Dir) join(name string) string { return filepath.Join(d.Path, name) }

// Add appends a result.
func (d *Dir) Add(r harness.Result) error { return d.write(r) }

func (d *Dir) write(v any) error {
	line, err := marshal(v)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.file.Write(line); err != nil {
		return fmt.Errorf("a result could not be saved: %w: free some disk space, then run again with --resume %s", err, d.Path)
	}
	return nil
}

// Finish writes report.json, and the footer unless an earlier session did.
func (d *Dir) Finish(r *Report) error {
	if !d.ended {
		if err := d.write(Footer{End: true, Counts: r.Counts, Status: r.Status, Elapsed: r.Elapsed}); err != nil {
			return err
		}
		d.ended = true
	}
	b, err := marshal(r) // on one line, because indents would be a third of the file
	if err != nil {
		return err
	}
	if err := WriteFile(d.join(reportFile), whole(b)); err != nil {
		return fmt.Errorf("the report could not be saved: %w: free some disk space, then run again with --resume %s", err, d.Path)
	}
	return nil
}

// Earlier returns how long the earlier sessions of the run took, as far as is known.
func (d *Dir) Earlier() time.Duration { return d.earlier }

// Release unlocks the directory and closes its files. It may be called twice.
func (d *Dir) Release() error {
	var errs []error
	for _, f := range []**os.File{&d.file, &d.lock} {
		if *f != nil {
			errs = append(errs, (*f).Close())
			*f = nil
		}
	}
	return errors.Join(errs...)
}

// hold takes the directory's lock, which ends with the process.
func (d *Dir) hold() error {
	f, err := os.OpenFile(d.join(lockFile), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return fmt.Errorf("the run directory %s cannot be used: %w: make it writable, or give another with --out", d.Path, err)
	}
	if err := lock(f); err != nil {
		f.Close()
		return fmt.Errorf("another lwtest is using %s: wait until it ends, or give another directory with --out", d.Path)
	}
	d.lock = f
	return nil
}

func marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(b, '\n'), err
}
