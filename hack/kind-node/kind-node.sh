#!/usr/bin/env bash
# A node image for kind, made without a container registry: of Debian packages, Go modules, and the files that kind's own
# module has for its base image. kind-node.sh [--version V] [--tag REF]; prints the tag. README.md tells what is in it.
# The cache keeps the finished image: who asks for the same again gets it loaded from there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
version=v1.37.1
tag=
kind=v0.33.0
say() { echo "kind-node: $*" >&2; }
die() { say "$*"; exit 1; }
while [ $# -gt 0 ]; do
	case $1 in
	--version) version=${2:?--version wants one, such as v1.37.1}; shift 2 ;;
	--tag) tag=${2:?--tag wants one, such as local/node:1}; shift 2 ;;
	*) die "say [--version V] [--tag REF]" ;;
	esac
done
tag=${tag:-lwtest/kind-node:$version}

wants() { for tool; do command -v "$tool" >/dev/null || die "there is no $tool: install it (Debian: debootstrap, docker.io, gcc, jq, libseccomp-dev, pkg-config, systemd)"; done; }
wants go debootstrap docker gcc jq pkg-config systemctl
[ "$(id -u)" = 0 ] || die "debootstrap wants root"
docker version >/dev/null 2>&1 || die "no dockerd answers: make docker starts one"

mkdir -p "${LWTEST_CACHE:-$root/.cache}/kind-node"
cache=$(cd "${LWTEST_CACHE:-$root/.cache}/kind-node" && pwd)
work=$(mktemp -d "$cache/work.XXXXXX")
containerd=
clean() {
	[ -z "$containerd" ] || kill "$containerd" 2>/dev/null && wait "$containerd" 2>/dev/null || true
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM
go build -C "$root" -buildvcs=false -trimpath -o "$work/kind-node" ./hack/kind-node

# The image depends on this folder, on what kind-node was compiled from, and on the tag.
key=$(cat "$here"/* "$work/kind-node" <(echo "$version $tag") | sha256sum | cut -c1-16)
kept=$cache/node-$key.tar
if [ -e "$kept" ]; then
	docker load -i "$kept" >&2
	echo "$tag"
	exit
fi

module() { (cd "$work" && GOWORK=off GOFLAGS=-mod=mod go mod download -json "$1") | jq -r .Dir; }

# base is Debian with what kind's Dockerfile installs, its files, and its changes of units.
base() {
	local r=$cache/base-$kind
	[ ! -d "$r" ] || return 0
	say "debootstrap of Debian 12"
	rm -rf "$r.tmp"
	debootstrap --variant=minbase --include=systemd,conntrack,iptables,nftables,iproute2,ethtool,util-linux,mount,kmod,libseccomp2,pigz,bash,ca-certificates,curl,jq,procps \
		bookworm "$r.tmp" >"$cache/debootstrap.log" 2>&1 || die "debootstrap failed: $cache/debootstrap.log"
	units "$r.tmp"
	rm -rf "$r.tmp"/var/cache/apt/archives/* "$r.tmp"/var/lib/apt/lists/* "$r.tmp"/usr/share/{doc,man,locale}/*
	: >"$r.tmp/etc/machine-id"
	rm -f "$r.tmp/etc/hostname" "$r.tmp/etc/resolv.conf"
	mv "$r.tmp" "$r"
}

units() {
	local r=$1 wants=etc/systemd/system
	cp -r --no-preserve=mode,ownership "$(module sigs.k8s.io/kind@$kind)/images/base/files/." "$r/"
	chmod 755 "$r"/usr/local/bin/* "$r/kind" "$r/kind/bin" "$r"/kind/bin/*
	find "$r/lib/systemd/system/sysinit.target.wants" -name systemd-tmpfiles-setup.service -delete
	rm -f "$r"/lib/systemd/system/{multi-user,local-fs,basic}.target.wants/* "$r/$wants"/*.wants/* \
		"$r"/lib/systemd/system/sockets.target.wants/*{udev,initctl}*
	echo ReadKMsg=no >>"$r/etc/systemd/journald.conf"
	[ -e "$r/sbin/init" ] || ln -s /usr/lib/systemd/systemd "$r/sbin/init"
	systemctl --root="$r" enable kubelet.service containerd.service undo-mount-hacks.service 2>/dev/null
	systemctl --root="$r" mask systemd-binfmt.service 2>/dev/null
	mkdir -p "$r"/etc/kubernetes/manifests "$r"/opt/cni/bin "$r"/kind/manifests "$r"/etc/cni/net.d
}

# install puts the programs where kind expects them.
install_programs() {
	local n=$1 p=$2 pause=$3
	install -m755 "$p"/{containerd,ctr,crictl,containerd-shim-runc-v2} "$n/usr/local/bin/"
	install -D -m755 "$p/runc" "$n/usr/local/sbin/runc"
	install -m755 "$p"/{host-local,loopback,ptp} "$n/opt/cni/bin/"
	install -m755 "$p"/{kubelet,kubeadm,kubectl} "$n/usr/bin/"
	printf %s "$version" >"$n/kind/version"
	cp "$here/10-lwtest.conflist" "$n/etc/cni/net.d/"
	sed -i "s#sandbox_image = .*#sandbox_image = \"$pause\"#; s/restrict_oom_score_adj = false/restrict_oom_score_adj = true/" "$n/etc/containerd/config.toml"
	"$p/ctr" oci spec | jq '.hooks.createContainer += [{"path": "/kind/bin/mount-product-files.sh"}] | del(.process.rlimits)' >"$n/etc/containerd/cri-base.json"
}

# preload has the node's own containerd, run here, take the images into the node's folder.
preload() {
	local n=$1 p=$2
	mkdir -p "$n/var/lib/containerd"
	cat >"$work/containerd.toml" <<-TOML
		version = 3
		root = "$n/var/lib/containerd"
		state = "$work/state"
		disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.nri.v1.nri"]
		[grpc]
		  address = "$work/s"
		[ttrpc]
		  address = "$work/t"
	TOML
	"$p/containerd" -c "$work/containerd.toml" >"$cache/preload.log" 2>&1 &
	containerd=$!
	local i
	for i in $(seq 300); do
		"$p/ctr" -a "$work/s" version >/dev/null 2>&1 && break
		kill -0 "$containerd" 2>/dev/null || die "containerd ended: $cache/preload.log"
		sleep 0.1
	done
	for i in "$work"/images/*.tar; do
		"$p/ctr" -a "$work/s" -n k8s.io images import --label=io.cri-containerd.pinned=pinned --all-platforms --no-unpack "$i" >/dev/null
	done
	kill "$containerd"
	wait "$containerd" || true
	containerd=
}

programs=$work/programs
mkdir "$programs" "$work/images"
"$work/kind-node" programs "$cache" "$version" "$programs"
base
say "the node of Kubernetes $version"
mapfile -t refs < <("$programs/kubeadm" config images list --kubernetes-version "$version" 2>/dev/null)
pause=$(printf '%s\n' "${refs[@]}" | grep /pause:)
gcc -Os -static -DVERSION="${pause##*:}" -o "$programs/pause" "$(module "k8s.io/kubernetes@$version")/build/pause/linux/pause.c"
"$work/kind-node" images "$programs" "$work/images" "${refs[*]}"
cp -a "$cache/base-$kind" "$work/node"
install_programs "$work/node" "$programs" "$pause"
preload "$work/node" "$programs"
"$work/kind-node" node "$tag" "$work/node" "$work" >"$kept.tmp"
find "$cache" -maxdepth 1 -name 'node-*.tar' -delete # of other versions: each takes a gigabyte
mv "$kept.tmp" "$kept"
docker load -i "$kept" >&2
echo "$tag"
