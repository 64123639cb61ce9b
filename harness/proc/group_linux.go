package proc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// group puts a process in a process group of its own.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Bind makes the kernel end a program, which is not started yet, when this process is killed. Only Linux can.
func Bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// kill kills a process and its group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// terminate sends SIGTERM to a process.
func terminate(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGTERM) }

// weigh kills the group when it has more than limit bytes in memory.
func (p *Process) weigh(limit int64) {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-p.gone:
			return
		case <-every.C:
			if has := resident(p.cmd.Process.Pid); has > limit {
				p.over.Store(true)
				kill(p.cmd)
				return
			}
		}
	}
}

// resident returns the resident memory of a group in bytes. Processes that it cannot read count as 0.
func resident(pgid int) (sum int64) {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range procs {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		// pid (name, which may hold anything) state ppid pgrp session tty tpgid flags ... rss is the 24th
		f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(f) < 22 || string(f[2]) != fmt.Sprint(pgid) {
			continue
		}
		pages, _ := strconv.ParseInt(string(f[21]), 10, 64)
		sum += pages * int64(os.Getpagesize())
	}
	return sum
}
