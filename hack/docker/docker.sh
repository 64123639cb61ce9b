#!/usr/bin/env bash
# docker.sh start: a dockerd, where none runs, with its data in the cache; docker.sh stop: takes all of that back.
# It is for machines like CI's: root, Debian's docker.io (or another dockerd) installed, and no init to start it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${LWTEST_CACHE:-$root/.cache}/docker
say() { echo "docker: $*" >&2; }
die() { say "$*"; exit 1; }

# ours is the dockerd that was started here: DOCKER_HOST and contexts may mean another.
ours() { env -u DOCKER_HOST -u DOCKER_CONTEXT docker -H "unix://$socket" "$@"; }
socket=/var/run/docker.sock

# running prints the process of the dockerd that was started here, if it runs.
running() {
	local pid
	pid=$(cat "$cache/pid" 2>/dev/null) && [ -n "$pid" ] || return 1
	[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ] || return 1
	tr '\0' '\n' <"/proc/$pid/cmdline" | grep -qxF "$cache/pid" || return 1
	echo "$pid"
}

# another says whether there is a dockerd here that nobody started here.
another() {
	local c
	for c in /proc/[0-9]*; do
		[ "$(cat "$c/comm" 2>/dev/null)" = dockerd ] && [ "$(readlink "$c/ns/net")" = "$(readlink /proc/self/ns/net)" ] && return
	done
	return 1
}

ready() { docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

start() {
	if ready; then
		say "a dockerd runs already, version $(docker version --format '{{.Server.Version}}'): it is left as it is"
		return
	fi
	command -v docker >/dev/null || die "there is no docker command: install docker.io, or your distribution's package"
	command -v dockerd >/dev/null || die "there is no dockerd: install docker.io, or your distribution's package"
	[ "$(id -u)" = 0 ] || die "dockerd wants root: sudo make docker"
	mkdir -p "$cache"
	cache=$(cd "$cache" && pwd)
	! running >/dev/null || die "the dockerd that was started here does not answer, or is just ending: $cache/log"
	! another || die "a dockerd runs already, and does not answer at the place that docker asks: see DOCKER_HOST, and docker context"
	flags=(--host "unix://$socket" --data-root "$cache/data" --exec-root "$cache/run" --pidfile "$cache/pid" --storage-driver overlay2 --exec-opt native.cgroupdriver=cgroupfs)
	local runc
	runc=$(command -v runc) || die "there is no runc: install runc"
	if ! capable; then
		say "this machine lacks CAP_SYS_RESOURCE, which docker run --privileged asks for: a front of runc leaves out what is missing (hack/docker/front)"
		CGO_ENABLED=0 go build -C "$root" -buildvcs=false -o "$cache/front" ./hack/docker/front
		flags+=(--add-runtime "lwtest=$cache/front" --default-runtime lwtest)
	fi
	[ -f "$cache/before" ] || before >"$cache/before" # one that died has left its settings, which are not those of before
	local out
	out=$(outside)
	LWTEST_RUNC=$runc setsid dockerd "${flags[@]}" >"$cache/log" 2>&1 </dev/null &
	local pid=$!
	for _ in $(seq 300); do
		if ours version >/dev/null 2>&1; then
			apart "$out"
			say "dockerd $(ours version --format '{{.Server.Version}}') is ready; stop it with: make docker-stop"
			return
		fi
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	tail -n 5 "$cache/log" >&2
	die "dockerd did not become ready: $cache/log"
}

# outside prints the devices by which this machine reaches others.
outside() {
	{
		awk 'NR > 1 {print $1}' /proc/net/route
		awk '{print $NF}' /proc/net/ipv6_route 2>/dev/null || true
	} | awk '!/^(lo|docker0|br-.*|veth.*)$/' | sort -u
}

# tables are the commands for rules that this machine has: of IPv4, and of IPv6 where there is such.
tables() {
	echo iptables
	! command -v ip6tables >/dev/null || ! ip6tables -S FORWARD >/dev/null 2>&1 || echo ip6tables
}

# apart keeps what runs in containers on this machine: nothing of theirs is forwarded to those devices. dockerd makes no
# DOCKER-USER for IPv6.
apart() {
	local dev t chain
	for t in $(tables); do
		chain=DOCKER-USER
		"$t" -n -L $chain >/dev/null 2>&1 || chain=FORWARD
		for dev in $1; do
			"$t" -C $chain -o "$dev" -j REJECT 2>/dev/null || "$t" -I $chain -o "$dev" -j REJECT
			# what a dockerd that died has left is there already, and is told of twice
			[ $chain = DOCKER-USER ] || echo "! $t -C $chain -o $dev -j REJECT 2>/dev/null || $t -D $chain -o $dev -j REJECT" >>"$cache/before"
		done
	done
	say "containers reach no further than this machine: what they send to others (by ${1//$'\n'/, }) is rejected"
}

# before prints how to set again what dockerd sets for good, and the kubelets of kind's nodes. all comes first: it sets the
# others.
before() {
	local f t
	for f in /proc/sys/{vm/overcommit_memory,vm/panic_on_oom,kernel/panic,kernel/panic_on_oops,kernel/keys/root_maxkeys,kernel/keys/root_maxbytes}; do
		[ ! -e "$f" ] || echo "[ ! -e $f ] || [ $(cat "$f") = \"\$(cat $f)\" ] || echo $(cat "$f") >$f"
	done
	for f in /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/{all,default}/forwarding /proc/sys/net/ipv6/conf/*/forwarding; do
		[ ! -e "$f" ] || echo "[ ! -e $f ] || echo $(cat "$f") >$f"
	done
	for t in $(tables); do
		"$t" -S FORWARD | awk -v t="$t" '$1 == "-P" {print t, $0}'
	done
}

# capable says whether all that a privileged container asks for can be had (CAP_SYS_RESOURCE is bit 24).
capable() {
	local bounding
	bounding=$(awk '$1 == "CapBnd:" {print $2}' /proc/self/status)
	[ $((0x$bounding >> 24 & 1)) = 1 ]
}

stop() {
	[ -d "$cache" ] || { say "none was started here"; return; }
	cache=$(cd "$cache" && pwd)
	local pid
	if pid=$(running); then
		ours ps -aq | while read -r c; do ours rm -fv "$c"; done >/dev/null
		ours network prune -f >/dev/null
		kill "$pid"
		for _ in $(seq 300); do
			[ -d "/proc/$pid" ] || break
			sleep 0.1
		done
		[ ! -d "/proc/$pid" ] || die "dockerd (process $pid) does not end"
	fi
	if another; then
		say "another dockerd runs: bridges, rules and settings are left as they are"
	else
		network
		[ ! -f "$cache/before" ] || bash "$cache/before"
	fi
	awk -v at="$cache/" 'index($2, at) == 1 {print $2}' /proc/mounts | sort -r | xargs -r umount -l
	rm -rf "$cache"
	say "stopped; its data, network and mounts are gone"
}

# network takes back what dockerd has made of bridges and rules, and leaves behind when it ends.
network() {
	ip link delete docker0 2>/dev/null || true
	local t c
	for t in filter nat; do
		iptables -t $t -S 2>/dev/null | sed -nE '/^-A (FORWARD|PREROUTING|OUTPUT|POSTROUTING) .*(DOCKER|docker0|172\.17\.0\.0\/16)/s/^-A/-D/p' | while read -r rule; do
			eval "iptables -t $t $rule" || true
		done
		for c in $(iptables -t $t -S 2>/dev/null | awk '$1 == "-N" && $2 ~ /^DOCKER/ {print $2}'); do iptables -t $t -F "$c"; done
		for c in $(iptables -t $t -S 2>/dev/null | awk '$1 == "-N" && $2 ~ /^DOCKER/ {print $2}'); do iptables -t $t -X "$c"; done
	done
}

case ${1:-} in
start | stop) "$1" ;;
*) die "say start or stop" ;;
esac
