package kind

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// process is one of this machine; one that has ended has no arguments.
type process struct {
	pid, parent int
	args        []string
}

func processes() (all []process) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		args, argsErr := os.ReadFile(filepath.Join(dir, "cmdline"))
		end := bytes.LastIndexByte(stat, ')') // of its name, which may be anything
		if err != nil || argsErr != nil || end < 0 {
			continue
		}
		p := process{args: strings.Split(strings.TrimSuffix(string(args), "\x00"), "\x00")}
		p.pid, _ = strconv.Atoi(filepath.Base(dir))
		if f := strings.Fields(string(stat[end+1:])); len(f) > 1 {
			p.parent, _ = strconv.Atoi(f[1])
		}
		all = append(all, p)
	}
	return all
}

// starters are the processes that were asked to start nodes of a cluster: those of kind outlive one that is killed.
func starters(cluster string) (pids []int) {
	for _, p := range processes() {
		if slices.Contains(p.args, "io.x-k8s.kind.cluster="+cluster) {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// commands are the calls of the engine that this process has under way, and what they have started.
func (e engine) commands() (pids []int) {
	all := processes()
	for _, p := range all {
		if p.parent == os.Getpid() && slices.ContainsFunc(p.args[:min(2, len(p.args))], func(a string) bool { return filepath.Base(a) == e.name }) {
			pids = append(pids, p.pid)
		}
	}
	for n := 0; n < len(pids); n++ {
		for _, p := range all {
			if p.parent == pids[n] {
				pids = append(pids, p.pid)
			}
		}
	}
	return pids
}

func kill(pids []int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
