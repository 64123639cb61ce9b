// Package docker_test tries docker.sh, with a dockerd in a network of its own.
package docker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inside is what is run in new namespaces: eth0 is how that machine reaches others.
const inside = `
mount -t tmpfs tmpfs /run && ip link set lo up && ip link add eth0 type veth peer name veth0 && ip link set eth0 up || exit
ip addr add 10.9.9.2/24 dev eth0; ip addr add fd00::2/64 dev eth0; ip route add default dev eth0
show() { sysctl vm.overcommit_memory net.ipv4.ip_forward net.ipv6.conf.{all,default,eth0}.forwarding; iptables -S; ip6tables -S; ip -br link; }
iptables -S >/dev/null; ip6tables -S >/dev/null
as=$(cat /proc/sys/vm/overcommit_memory); echo "$as" >/proc/sys/vm/overcommit_memory || exit
show >"$LWTEST_CACHE/before"
./docker.sh start || exit
echo $((as == 1 ? 0 : 1)) >/proc/sys/vm/overcommit_memory # as a kubelet does
[ "$as" != "$(cat /proc/sys/vm/overcommit_memory)" ] && echo changed >"$LWTEST_CACHE/changed"
iptables -S >"$LWTEST_CACHE/rules"; ip6tables -S >"$LWTEST_CACHE/rules6"
docker -H unix:///var/run/docker.sock network create --ipv6 --subnet fc00:f853:ccd:e793::/64 kind >/dev/null
pid=$(cat "$LWTEST_CACHE/docker/pid"); kill -9 $pid; while [ -d /proc/$pid ]; do sleep 0.1; done
./docker.sh start || exit
./docker.sh stop || exit
mkdir "$LWTEST_CACHE/docker"; ./docker.sh stop || exit
show >"$LWTEST_CACHE/after"
`

// What is started keeps containers apart, by IPv4 and IPv6, and what is stopped is as if it had never run, also where one
// died in between, and where there is nothing to take back.
func TestStartStop(t *testing.T) {
	for _, name := range []string{"dockerd", "docker", "runc", "iptables", "ip6tables", "unshare", "ip", "sysctl"} {
		if _, err := exec.LookPath(name); err != nil || os.Geteuid() != 0 {
			t.Skip("it takes root, and dockerd with what that needs: ", err)
		}
	}
	dir := t.TempDir()
	cmd := exec.Command("unshare", "--mount", "--net", "--propagation", "private", "bash", "-c", inside)
	cmd.Env = append(os.Environ(), "LWTEST_CACHE="+dir, "DOCKER_HOST=")
	out, err := cmd.CombinedOutput()
	for _, why := range []string{"unshare failed", "RTNETLINK", "overcommit_memory: ", "dockerd did not become ready"} {
		if err != nil && strings.Contains(string(out), why) {
			t.Skipf("no dockerd in a network of its own can be had here: %s", out)
		}
	}
	require.NoError(t, err, string(out))
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(b)
	}
	assert.Contains(t, read("rules"), "-A DOCKER-USER -o eth0 -j REJECT")
	assert.Contains(t, read("rules6"), "-o eth0 -j REJECT")
	assert.Equal(t, read("before"), read("after"))
	assert.Equal(t, "changed\n", read("changed"))
	assert.NoDirExists(t, filepath.Join(dir, "docker"))
}

// A folder that a dead dockerd has left costs nobody else theirs: none of its containers is asked for.
func TestStopForeign(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "docker"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docker", "pid"), []byte("999999999"), 0o600))
	called := filepath.Join(dir, "called")
	for _, name := range []string{"docker", "ip", "iptables", "ip6tables"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho $0 \"$@\" >>"+called+"\n"), 0o755))
	}
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	b, err := os.ReadFile(sleep)
	require.NoError(t, err)
	foreign := filepath.Join(bin, "dockerd") // by its name
	require.NoError(t, os.WriteFile(foreign, b, 0o755))
	other := exec.Command(foreign, "60")
	require.NoError(t, other.Start())
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	cmd := exec.Command("./docker.sh", "stop")
	cmd.Env = append(os.Environ(), "LWTEST_CACHE="+dir, "PATH="+bin+":"+os.Getenv("PATH"), "DOCKER_HOST=tcp://127.0.0.1:1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "another dockerd runs")
	assert.NoFileExists(t, called)
}
