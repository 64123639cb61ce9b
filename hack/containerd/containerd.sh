#!/usr/bin/env bash
# containerd.sh with -- COMMAND: runs COMMAND beside a containerd of its own, whose socket is in $CRI_SOCKET. It needs root, runc,
# and Debian's containerd, containernetworking-plugins and busybox-static. Nothing is left but what COMMAND leaves running.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
say() { echo "containerd: $*" >&2; }
skip() { say "skipped: $*"; exit 75; } # EX_TEMPFAIL, as for a machine that cannot run it

[ "${1:-}" = with ] && [ "${2:-}" = -- ] || { say "usage: containerd.sh with -- COMMAND"; exit 64; }
shift 2
[ "$(id -u)" = 0 ] || skip "it needs root"
daemon=$(command -v containerd || true)
[ -n "$daemon" ] || skip "there is no containerd: install Debian's package"
command -v runc >/dev/null || skip "there is no runc: install Debian's package"
busybox=$(command -v busybox || true)
[ -n "$busybox" ] || skip "there is no busybox: install busybox-static"
[ -x /usr/lib/cni/bridge ] || skip "there are no CNI plugins: install containernetworking-plugins"

dir=$(mktemp -d)
mkdir "$dir/cni"
cat >"$dir/cni/10-lwtest.conflist" <<EOF
{"cniVersion": "0.4.0", "name": "lwtest", "plugins": [
  {"type": "bridge", "bridge": "lwtest0", "isGateway": true, "ipMasq": false, "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.88.0.0/16"}]], "dataDir": "$dir/ipam"}},
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
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
EOF
finish() {
  local status=$?
  [ -z "${pid:-}" ] || { kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; }
  pkill -f "containerd-shim-runc-v2 .*-address $dir/containerd.sock" 2>/dev/null || true
  findmnt -rno TARGET | grep "^$dir/" | sort -r | xargs -r umount 2>/dev/null || true
  rm -rf "$dir"
  exit "$status"
}
trap finish EXIT
(cd "$here" && go run . "$busybox" "$dir/image.tar" "$dir/pause.tar")
"$daemon" -c "$dir/config.toml" >"$dir/log" 2>&1 &
pid=$!
for _ in $(seq 100); do
  [ -S "$dir/containerd.sock" ] && ctr -a "$dir/containerd.sock" version >/dev/null 2>&1 && break
  kill -0 "$pid" 2>/dev/null || { tail -n 5 "$dir/log" >&2; say "containerd did not start"; exit 1; }
  sleep 0.1
done
for image in image pause; do ctr -a "$dir/containerd.sock" -n k8s.io images import "$dir/$image.tar" >/dev/null; done
export CRI_SOCKET=$dir/containerd.sock CRI_IMAGE=lwtest.local/busybox:1
say "$("$daemon" --version | awk '{print $1, $3}') at $CRI_SOCKET"
"$@"
