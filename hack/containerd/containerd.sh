#!/usr/bin/env bash
# containerd.sh with VERSION -- COMMAND runs COMMAND beside a containerd of its own. VERSION is 1.6, which is Debian's, or 2.4, which
# is built from Go modules. COMMAND gets these variables: CRI_SOCKET, CRI_IMAGE (a shell), CRI_PARENT (a cgroup for pods), CRI_KILL
# and CRI_START (commands that kill that containerd and start it again). It needs root, and Debian's runc, containernetworking-plugins and busybox-static.
# When COMMAND ends, all of it is removed, with what COMMAND left.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
say() { echo "containerd: $*" >&2; }
skip() { say "$version skipped: $*"; exit 75; } # EX_TEMPFAIL: this machine cannot run it

[ "${1:-}" = with ] && [[ ${2:-} =~ ^(1\.6|2\.4)$ ]] && [ "${3:-}" = -- ] || { say "usage: containerd.sh with 1.6|2.4 -- COMMAND"; exit 64; }
version=$2
[ "$(uname)" = Linux ] || skip "it needs Linux"
[ "$(id -u)" = 0 ] || skip "it needs root"
if [ -z "${LWTEST_UNSHARED:-}" ]; then # mounts of others would count as those of this containerd
  unshare -m true 2>/dev/null || skip "there are no mount namespaces"
  exec env LWTEST_UNSHARED=1 unshare -m "$0" "$@"
fi
unset LWTEST_UNSHARED
shift 3
runc=$(command -v runc || true)
[ -n "$runc" ] || skip "there is no runc: install Debian's package"
busybox=$(command -v busybox || true)
[ -n "$busybox" ] || skip "there is no busybox: install busybox-static"
[ -x /usr/lib/cni/bridge ] || skip "there are no CNI plugins: install containernetworking-plugins"

dir=$(mktemp -d)
bridge=lwtest$$
finish() {
  local status=$?
  set +e
  trap '' HUP INT TERM
  # Without a daemon, too: COMMAND may have killed it.
  for container in "$dir"/runc/*/*; do "$runc" --root "${container%/*}" delete --force "${container##*/}" 2>/dev/null; done
  pkill -9 -f "containerd -c $dir/config.toml" 2>/dev/null
  pkill -f "containerd-shim-runc-v2 .*-address $dir/containerd.sock" 2>/dev/null
  grep -rhoE '/run/containerd/s/[0-9a-f]+' "$dir/state/io.containerd.runtime.v2.task" 2>/dev/null | xargs -r rm -f
  findmnt -rno TARGET | grep "^$dir/" | sort -r | xargs -r umount -l 2>/dev/null
  [ ! -e "/sys/class/net/$bridge" ] || ip link delete "$bridge"
  find /sys/fs/cgroup -depth -type d -path "*/${dir##*/}*" -exec rmdir {} + 2>/dev/null
  for _ in $(seq 50); do rm -rf "$dir" 2>/dev/null && break || sleep 0.1; done # until the last process is gone
  exit "$status"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "${LWTEST_CACHE:-$HOME/.cache/lwtest}/containerd"
cache=$(cd "${LWTEST_CACHE:-$HOME/.cache/lwtest}/containerd" && pwd)
go build -C "$here" -buildvcs=false -o "$dir/helper" .
case $version in
1.6)
  command -v containerd >/dev/null || skip "there is no containerd: install Debian's package"
  [[ $(containerd --version) == *" 1.6."* ]] || skip "this machine has another: $(containerd --version)" ;;
2.4)
  path=$("$dir/helper" programs "$cache")
  export PATH=$path:$PATH ;;
esac

mkdir "$dir/cni"
cat >"$dir/cni/10-lwtest.conflist" <<EOF
{"cniVersion": "0.4.0", "name": "lwtest", "plugins": [
  {"type": "bridge", "bridge": "$bridge", "isGateway": true, "ipMasq": false, "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.88.0.0/16"}]], "dataDir": "$dir/ipam"}},
  {"type": "loopback"}]}
EOF
cat >"$dir/config.toml" <<EOF
version = 2
root = "$dir/root"
state = "$dir/state"
[grpc]
  address = "$dir/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$dir/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "lwtest.local/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
      Root = "$dir/runc"
EOF
cat >"$dir/start" <<EOF
#!/bin/sh
[ ! -e $dir/pid ] || ! grep -qs . /proc/\$(cat $dir/pid)/cmdline || exit 0 # it is up
setsid containerd -c $dir/config.toml >>$dir/log 2>&1 </dev/null &
echo \$! >$dir/pid
EOF
cat >"$dir/kill" <<EOF
#!/bin/sh
kill -9 \$(cat $dir/pid)
EOF
chmod +x "$dir/start" "$dir/kill"

"$dir/helper" images "$busybox" "$dir"
"$dir/start"
for _ in $(seq 100); do
  [ -S "$dir/containerd.sock" ] && ctr -a "$dir/containerd.sock" version >/dev/null 2>&1 && break
  kill -0 "$(cat "$dir/pid")" 2>/dev/null || { tail -n 5 "$dir/log" >&2; say "containerd did not start"; exit 1; }
  sleep 0.1
done
for image in image pause; do
  ctr -a "$dir/containerd.sock" -n k8s.io images import "$dir/$image.tar" >"$dir/import" 2>&1 || { cat "$dir/import" >&2; exit 1; }
done
export CRI_SOCKET=$dir/containerd.sock CRI_IMAGE=lwtest.local/busybox:1 CRI_PARENT=/${dir##*/} CRI_KILL=$dir/kill CRI_START=$dir/start
say "$(containerd --version | awk '{print $1, $3}') at $CRI_SOCKET"
"$@"
