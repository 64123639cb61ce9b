//go:build linux

// Command front stands before runc, and asks it for nothing that this machine does not have: docker run --privileged asks
// for all capabilities, and in some virtual machines a few are missing from the bounding set of root itself.
// Where nothing is missing it changes nothing. The runc behind it is $LWTEST_RUNC.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

func main() {
	runc := os.Getenv("LWTEST_RUNC")
	if err := run(runc, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "front of runc (%s): %v\n", runc, err)
		os.Exit(1)
	}
}

// run makes what the arguments name fit, and becomes runc.
func run(runc string, args []string) error {
	if file, whole := named(args); file != "" {
		has, err := thisMachine()
		if err != nil {
			return err
		}
		if err := rewrite(file, whole, has); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return syscall.Exec(runc, append([]string{runc}, args...), os.Environ())
}

// named is the file that says what is to run: of create and run the config.json of the bundle, which has it as its process;
// of exec the process itself.
func named(args []string) (file string, whole bool) {
	valued := []string{"--root", "--log", "--log-format", "--criu", "--rootless"} // of runc itself, with the value as the next argument
	i := 0
	for i < len(args) && len(args[i]) > 0 && args[i][0] == '-' {
		if slices.Contains(valued, args[i]) {
			i++
		}
		i++
	}
	if i >= len(args) {
		return "", false
	}
	switch rest := args[i+1:]; args[i] {
	case "create", "run":
		bundle := value(rest, "--bundle", "-b")
		if bundle == "" {
			bundle = "."
		}
		return filepath.Join(bundle, "config.json"), true
	case "exec":
		return value(rest, "--process", "-p"), false
	}
	return "", false
}

// value is that of a flag, in either form.
func value(args []string, names ...string) string {
	for i, a := range args {
		for _, n := range names {
			if a == n && i+1 < len(args) {
				return args[i+1]
			}
			if v, ok := bytes.CutPrefix([]byte(a), []byte(n+"=")); ok {
				return string(v)
			}
		}
	}
	return ""
}

// rewrite makes the process in a file fit what the machine has; the rest stays as it is.
func rewrite(file string, whole bool, has machine) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var all map[string]any
	if err := d.Decode(&all); err != nil {
		return err
	}
	process, ok := all, true
	if whole {
		process, ok = all["process"].(map[string]any)
	}
	if !ok {
		return nil // there is none
	}
	has.fit(process)
	if b, err = json.Marshal(all); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o600)
}
