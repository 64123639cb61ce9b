package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/lwtest/lwtest/harness"
)

// knownLines reads --known.
func (f *flags) knownLines() ([]harness.Known, error) {
	if f.known == "" {
		return nil, nil
	}
	lines, err := harness.ReadKnown(f.known)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return lines, nil
	case isDir(f.known):
		err = fmt.Errorf("--known %s is a directory: say which file in it", f.known)
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("--known %s is empty: write [] where nothing is known to fail", f.known)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("--known %s ends in the middle: was it cut off?", f.known)
	case errors.As(err, &wrong) && wrong.Field == "":
		err = fmt.Errorf("--known %s holds a JSON %s where a list of known failures belongs: want an array of %s", f.known, wrong.Value, knownLine)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("--known cannot be read: %w", err)
	}
	return nil, usage{err}
}

const knownLine = `{"check","rule","verdict","got","reason"}`

func isDir(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.IsDir()
}
