#!/usr/bin/env bash
# docker.sh start: a dockerd, where none runs, with its data in the cache; docker.sh stop: takes all of that back.
# It is for machines like CI's: root, Debian's docker.io (or another dockerd) installed, and no init to start it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${LWTEST_CACHE:-$root/.cache}/docker
say() { echo "docker: $*" >&2; }
die() { say "$*"; exit 1; }

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
	flags=(--data-root "$cache/data" --exec-root "$cache/run" --pidfile "$cache/pid" --storage-driver overlay2 --exec-opt native.cgroupdriver=cgroupfs)
	local runc
	runc=$(command -v runc) || die "there is no runc: install runc"
	if ! capable; then
		say "this machine lacks CAP_SYS_RESOURCE, which docker run --privileged asks for: a front of runc leaves out what is missing (hack/docker/front)"
		CGO_ENABLED=0 go build -C "$root" -buildvcs=false -o "$cache/front" ./hack/docker/front
		flags+=(--add-runtime "lwtest=$cache/front" --default-runtime lwtest)
	fi
	before >"$cache/before"
	local out
	out=$(outside)
	LWTEST_RUNC=$runc setsid dockerd "${flags[@]}" >"$cache/log" 2>&1 </dev/null &
	local pid=$!
	for _ in $(seq 300); do
		if ready; then
			apart "$out"
			say "dockerd $(docker version --format '{{.Server.Version}}') is ready; stop it with: make docker-stop"
			return
		fi
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	tail -n 5 "$cache/log" >&2
	die "dockerd did not become ready: $cache/log"
}

# outside prints the devices by which this machine reaches others.
outside() { awk 'NR > 1 && $1 !~ /^(docker0|br-)/ {print $1}' /proc/net/route | sort -u; }

# apart keeps what runs in containers on this machine: nothing of theirs is forwarded to those devices.
apart() {
	local dev
	for dev in $1; do
		iptables -I DOCKER-USER -o "$dev" -j REJECT
	done
	say "containers reach no further than this machine: what they send to others (by ${1//$'\n'/, }) is rejected"
}

# before prints how to set again what dockerd sets for good.
before() {
	echo "echo $(cat /proc/sys/net/ipv4/ip_forward) >/proc/sys/net/ipv4/ip_forward"
	iptables -S FORWARD | awk '$1 == "-P" {print "iptables", $0}'
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
	if pid=$(cat "$cache/pid" 2>/dev/null) && grep -qF "$cache/pid" "/proc/$pid/cmdline" 2>/dev/null; then
		docker ps -aq | xargs -r docker rm -fv >/dev/null
		docker network prune -f >/dev/null
		kill "$pid"
		for _ in $(seq 300); do
			[ -d "/proc/$pid" ] || break
			sleep 0.1
		done
		[ ! -d "/proc/$pid" ] || die "dockerd (process $pid) does not end"
	fi
	network
	[ ! -f "$cache/before" ] || bash "$cache/before"
	awk -v at="$cache/" 'index($2, at) == 1 {print $2}' /proc/mounts | sort -r | xargs -r umount -l
	rm -rf "$cache"
	say "stopped; its data, network and mounts are gone"
}

# network takes back what dockerd has made of bridges and rules, and leaves behind when it ends.
network() {
	ip link delete docker0 2>/dev/null || true
	local t c
	for t in filter nat; do
		iptables -t $t -S 2>/dev/null | grep -E '^-A (FORWARD|PREROUTING|OUTPUT|POSTROUTING) .*(DOCKER|docker0|172\.17\.0\.0/16)' | sed 's/^-A/-D/' | while read -r rule; do
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
