//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// machine is what a process here may ask for.
type machine struct {
	bounding uint64 // capabilities, a bit each
	oomScore int    // of this process
	hard     func(resource int) (uint64, bool)
}

// capabilities are the kernel's names of the bits, from 0 (include/uapi/linux/capability.h).
var capabilities = strings.Fields(`CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE
	NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT
	SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP
	MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE`)

// limits are the kernel's names of resources, from 0 (include/uapi/asm-generic/resource.h).
var limits = strings.Fields("CPU FSIZE DATA STACK CORE RSS NPROC NOFILE MEMLOCK AS LOCKS SIGPENDING MSGQUEUE NICE RTPRIO RTTIME")

func thisMachine() (machine, error) {
	m := machine{hard: func(resource int) (uint64, bool) {
		var l syscall.Rlimit
		err := syscall.Getrlimit(resource, &l)
		return l.Max, err == nil
	}}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(status)) {
		if v, ok := strings.CutPrefix(line, "CapBnd:"); ok {
			m.bounding, err = strconv.ParseUint(strings.TrimSpace(v), 16, 64)
		}
	}
	if err != nil || m.bounding == 0 {
		return m, fmt.Errorf("/proc/self/status says nothing of capabilities: %w", err)
	}
	score, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		return m, err
	}
	m.oomScore, err = strconv.Atoi(strings.TrimSpace(string(score)))
	return m, err
}

// has says that a capability is in the bounding set. What the table does not know is left to the kernel.
func (m machine) has(capability string) bool {
	bit := slices.Index(capabilities, strings.TrimPrefix(capability, "CAP_"))
	return bit < 0 || m.bounding&(1<<bit) != 0
}

// fit takes from a process of an OCI bundle what nobody can have here: capabilities; and without CAP_SYS_RESOURCE a lower
// score for the OOM killer than this process has, and limits above its own.
func (m machine) fit(process map[string]any) {
	sets, _ := process["capabilities"].(map[string]any)
	for name, set := range sets {
		if all, ok := set.([]any); ok {
			sets[name] = slices.DeleteFunc(all, func(c any) bool { s, ok := c.(string); return ok && !m.has(s) })
		}
	}
	if m.has("CAP_SYS_RESOURCE") {
		return
	}
	if n, ok := process["oomScoreAdj"].(json.Number); ok {
		if score, err := n.Int64(); err == nil && score < int64(m.oomScore) {
			process["oomScoreAdj"] = m.oomScore
		}
	}
	all, _ := process["rlimits"].([]any)
	for _, l := range all {
		if l, ok := l.(map[string]any); ok {
			m.lower(l)
		}
	}
}

// lower brings a limit down to what this process has.
func (m machine) lower(limit map[string]any) {
	name, _ := limit["type"].(string)
	resource := slices.Index(limits, strings.TrimPrefix(name, "RLIMIT_"))
	most, ok := m.hard(resource)
	if resource < 0 || !ok {
		return
	}
	for _, which := range []string{"soft", "hard"} {
		n, ok := limit[which].(json.Number)
		if v, err := strconv.ParseUint(string(n), 10, 64); ok && err == nil && v > most {
			limit[which] = most
		}
	}
}
