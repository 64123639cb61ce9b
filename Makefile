# What a contributor types; CI calls the same through .ci/run.

VERSION ?= v1.37.1# of Kubernetes, for the targets that need a real one

.PHONY: all build lwtest-apiserver goldens-cel goldens-workloads test race servers upstream mutants real-time interop envtests operators envtest-assets containerd critest proxy node cluster metrics track-record vet lint docs kube docker docker-stop kind-node-image conformance-kube conformance-kubelet conformance-kind fuzz-cluster goldens goldens-store goldens-clients goldens-clients-real goldens-kind goldens-cri goldens-node goldens-node-real goldens-check differential results results-table bench bench-judging fuzzing-progress plots release image screenshots

all: vet lint test

build:
	go build -o bin/lwtest ./cmd/lwtest

# lwtest serve apiserver with CEL
lwtest-apiserver:
	go build -o bin/lwtest-apiserver ./cmd/lwtest-apiserver

# LWTEST_FULL=1 runs exhaustive tests in full, as CI does (internal/full)
test:
	go test ./...

# under the race detector each exhaustive test takes a smaller part; the comparisons of goldens have one goroutine each. PART=K/N
# runs one package in N, from the K-th on: so CI does, by the commit.
PART ?= 0/1
race:
	hack/race.sh -timeout 30m $$(go list ./harness/... ./conformance/... ./fakes/... ./fuzz/... ./plugins/... ./cmd/... | grep -v /golden$$ | awk -v part=$(PART) 'split(part, p, "/") && NR % p[2] == p[1]')

# every test in full: all mutants until they are caught, all oddities, and many perturbations of all goldens. The server's
# mutants and oddities run in two processes beside. CI runs a share of all, chosen by the commit.
mutants:
	go test -c -o bin/watchcache.test ./conformance/watchcache
	cd conformance/watchcache; pids=; failed=; for k in 0 1; do \
		LWTEST_FULL=1 LWTEST_SHARE=$$k/2 ../../bin/watchcache.test -test.timeout 20m -test.run '^(TestMutants|TestOddities)$$' & pids="$$pids $$!"; \
	done; for p in $$pids; do wait $$p || failed=1; done; [ -z "$$failed" ]
	LWTEST_FULL=1 go test -timeout 60m $$(go list ./... | grep -v conformance/watchcache$$)

# clients in real time, over loopback, where the same verdicts are wanted as in virtual time. A minute. CI leaves it out: tests
# of conformance/informer and plugins/clientgo compare a part of it, and the suites on a real kube-apiserver are in real time.
real-time: build
	bin/lwtest run --real-time --parallel 16 --suite informer --suite listerwatcher \
		--target go:client-go/shared-informer --target go:client-go/factory-typed --target go:client-go/reflector-undelta \
		--target go:client-go/typed --target go:client-go/retry-watcher --target go:client-go/until-with-sync

# modules of their own, which ./... never sees, and what npm installs; then what they adapt, with what that is known to break.
# PART=1/4 is a part of it, from 0: the last part is what they adapt.
modules = plugins/adapter hack/protocol tools/plots $(wildcard interop/*/go.mod) $(wildcard examples/*/go.mod)
interop:
	hack/modules.sh $(PART) $(patsubst %/go.mod,%,$(modules))

# tests of another project that use envtest, on the API server fake, compared with hack/envtests/known-PROJECT.json. Two minutes for
# controller-runtime, five for cluster-api, and some to build the first time. PACKAGES='pkg/manager pkg/source' are others.
PROJECT ?= controller-runtime
PACKAGES ?=
envtests:
	go run ./hack/envtests $(PROJECT) $(PACKAGES)

# k8s.io/apiserver's watch cache and storage over etcd, and its storage over what stands in for etcd, each with what it is known to break. Two
# minutes, and some to build the first time.
servers: build
	hack/servers.sh

# k8s.io/apiserver's own tests of its storage and its watch cache, on our etcd in memory. A minute and a half, and some to build the first time.
upstream:
	hack/upstream.sh

# a released operator, built from its module, with checks of the controller suite, compared with hack/operators/OPERATOR/known.json. Some
# minutes, and some to build the first time. CHECKS='controller/converge/same/*' are others.
OPERATOR ?= kuberay
CHECKS ?=
operators: build
	go run ./hack/operators $(OPERATOR) $(CHECKS)

# other projects' own tests, unchanged, on the programs that lwtest envtest installs, compared with hack/envtests/known-PROJECT-assets.json,
# and a user of client-node. Four minutes with warm caches. ENVTESTS=kueue runs all packages of a project that are listed, ENVTESTS='kueue
# test/integration/singlecluster/tas' others. ASSETS=folder starts other programs, such as a real kube-apiserver and etcd.
ASSETS ?=
ENVTESTS ?=
envtest-assets: build lwtest-apiserver
	assets=$${ASSETS:-$$(bin/lwtest envtest)} && go run ./hack/envtests --assets "$$assets" $(ENVTESTS) && hack/clientnode.sh "$$assets"

# releases with known bugs, and without: builds a dozen old ones, which takes ten minutes the first time
track-record: build
	bin/lwtest track-record

vet:
	go vet ./...
	test -z "$$(gofmt -l .)"

lint:
	go tool -modfile=tools/go.mod staticcheck ./...

# docs/*.md that are generated from the code
docs:
	go run ./hack/docs

# the runtime suite on a containerd of its own, of two releases; see docs/cri.md. One that this machine cannot run is left out.
containerd: build
	for v in 1.6 2.4; do \
		hack/containerd/containerd.sh with $$v -- sh -c 'bin/lwtest run --target "cri:unix://$$CRI_SOCKET?image=$$CRI_IMAGE&parent=$$CRI_PARENT&kill=$$CRI_KILL&start=$$CRI_START" --parallel 8 --known hack/containerd/known-'$$v.json || [ $$? = 75 ] || exit 1; \
	done

# critest's specs that need no real processes, mounts or networks, on the runtime fake. Fifteen seconds, and two minutes to build
# the first time.
critest:
	cd interop/critest && export GOWORK=off; go list -deps -test . >/dev/null || { echo "critest skipped: its Go modules cannot be downloaded"; exit 0; }; \
		go test -count=1 -v -run TestCritest .

# what containerd 2.4.2 answers to the checks of the runtime suite, anew: the fake is compared with it. A minute and a half.
goldens-cri:
	hack/containerd/containerd.sh with 2.4 -- sh -c 'LWTEST_CRI="cri:unix://$$CRI_SOCKET?image=$$CRI_IMAGE&parent=$$CRI_PARENT&kill=$$CRI_KILL&start=$$CRI_START" go test -count=1 -run TestGolden ./plugins/cri'

# what a real kubelet does in stories of the node suite, anew, each three times: the reference agent is compared with it. STORY is
# one of them, and MORE=1 adds to what is recorded: a line that one more recording lacks is marked. Ten minutes; needs root, and builds
# the kubelet the first time.
TIMES ?= 3
STORY ?=
MORE ?=
goldens-node:
	LWTEST_KUBELET="$$(hack/kube/kube.sh kubelet --version $(VERSION))" LWTEST_RECORD=$(TIMES) LWTEST_STORY="$(STORY)" LWTEST_MORE="$(MORE)" go test -count=1 -timeout 60m -run '^TestGolden$$' ./plugins/node

# the same kubelet on a containerd and a kube-apiserver, in a few of the stories, compared with these goldens. Two minutes.
goldens-node-real:
	hack/containerd/containerd.sh with 2.4 -- sh -c 'ctr -a $$CRI_SOCKET -n k8s.io images tag $$CRI_IMAGE docker.io/library/busybox:1 >/dev/null && \
		LWTEST_KUBELET="$$(hack/kube/kube.sh kubelet --version $(VERSION))" hack/kube/kube.sh with --version $(VERSION) -- go test -count=1 -v -run TestGoldenReal ./plugins/node'

# a real kubelet on the runtime fake, through lwtest proxy cri; builds the kubelet the first time. See docs/cri.md
proxy: build
	hack/kubelet/kubelet.sh "$$(hack/kube/kube.sh kubelet --version $(VERSION))" bin/lwtest

# the node suite on a real kubelet, which it builds the first time. Five minutes; needs root
conformance-kubelet: build
	bin/lwtest run --suite node --target "kubelet:$$(hack/kube/kube.sh kubelet --version $(VERSION))" --parallel 6

# a real kubelet as a node of the API server fake, on the runtime fake: logs, exec, attach and port-forward by kubectl
node: build
	hack/kubelet/node.sh "$$(hack/kube/kube.sh kubelet --version $(VERSION))" "$$(hack/kube/kube.sh kubectl --version $(VERSION))" bin/lwtest

# what users do every day, on lwtest serve cluster alone, and with a real scheduler and a real controller manager, which it builds the first
# time; with helm, if there is one on the PATH. A minute and a half.
cluster: build lwtest-apiserver
	hack/cluster/cluster.sh "$$(hack/kube/kube.sh kubectl --version $(VERSION))" bin/lwtest
	hack/cluster/cluster.sh "$$(hack/kube/kube.sh kubectl --version $(VERSION))" bin/lwtest --scheduler "$$(hack/kube/kube.sh scheduler --version $(VERSION))" \
		--controller-manager "$$(hack/kube/kube.sh controller-manager --version $(VERSION))"

# metrics-server behind the API server fake, with kubectl top, and an autoscaler of the real kube-controller-manager; builds them the
# first time. Half a minute.
metrics: build lwtest-apiserver
	hack/metrics/metrics.sh "$$(hack/kube/kube.sh metrics-server)" "$$(hack/kube/kube.sh kubectl --version $(VERSION))" \
		"$$(hack/kube/kube.sh controller-manager --version $(VERSION))" bin/lwtest

# etcd and kube-apiserver from public modules, into .cache, and kubectl; prints where
kube:
	hack/kube/kube.sh build --version $(VERSION)
	hack/kube/kube.sh kubectl --version $(VERSION)

# a dockerd, where none runs; and all of it taken back
docker:
	hack/docker/docker.sh start

docker-stop:
	hack/docker/docker.sh stop

# the suites on a real kube-apiserver that is started for it
conformance-kube: build
	hack/kube/kube.sh with --version $(VERSION) -- sh -c 'bin/lwtest run --target kubeconfig:$$KUBECONFIG --feature sole-writer --parallel 4'

# the same on a kind cluster that is made for it, and what becomes of one whose run is killed, interrupted or stopped; wants
# make docker kind-node-image. Six minutes; with LWTEST_FULL=1, which CI leaves out here, ten: then every moment of a run is
# interrupted.
conformance-kind: build
	bin/lwtest run --target kind --kind-image lwtest/kind-node:$(VERSION) --kind-etcd --feature compaction --feature restart --span 5m --timeout 60s --parallel 8
	bin/lwtest run --target go:client-go/typed --target go:client-go/shared-informer --server kind --kind-image lwtest/kind-node:$(VERSION) --parallel 4
	LWTEST_KIND_IMAGE=lwtest/kind-node:$(VERSION) go test -count=1 -parallel 2 -timeout 20m -run TestKind ./cmd/lwtest

# random stories on a kind cluster of two nodes: four shards, of which one is killed on the way, and their merged report; wants
# make docker kind-node-image
fuzz-cluster:
	go run ./hack/fuzz-cluster lwtest/kind-node:$(VERSION)

# histories of a real kube-apiserver, anew: what is served from a watch cache
# and what is not, a kind that never is, a custom resource. Ten minutes. CHECKS='watchcache/x …' are these alone.
goldens: build
	hack/kube/goldens.sh $(VERSION)

# histories of client-go's stores and queues, anew. Seconds. CHECKS='store/basic/x …' are these alone.
goldens-store: build
	hack/goldens-store.sh

# histories of client-go's list and watch calls and informers, on lwtest's own server, anew. Ten seconds.
# CHECKS='informer/sync/x …' are these alone.
goldens-clients: build
	hack/goldens-clients.sh

# the same on a real kube-apiserver, without faults. Six minutes.
goldens-clients-real: build
	hack/goldens-clients.sh $(VERSION)

# histories of a kind cluster, anew: what is compared of them with those of a server without controllers. Six minutes;
# wants make docker kind-node-image.
goldens-kind: build
	hack/kind-node/goldens.sh $(VERSION)

# what a real kube-apiserver answers to the tables of fakes/apiserver/rest, beside what it did: says what
# drifted. Two minutes. With RAW=Record it writes the answers down anew;
# TABLES='lists open' are these alone.
RAW ?= Drift
TABLES ?=
goldens-check:
	hack/kube/kube.sh with --version $(VERSION) --lag=coordination.k8s.io/leases -- sh -c 'LWTEST_RAW=$(RAW) LWTEST_TABLES="$(TABLES)" LWTEST_ETCD=$$ETCD LWTEST_RESTART="$$RESTART" go test -p 1 -count=1 -run TestReal$(RAW) ./fakes/apiserver/rest ./fakes/apiserver/apiservertest'

# what a real kube-apiserver answers to definitions and webhooks with CEL, anew: fakes/apiserver/cel is compared with it. Half a
# minute.
goldens-cel:
	hack/kube/kube.sh with --version $(VERSION) -- sh -c 'LWTEST_RECORD=1 go test -count=1 -run TestRecord ./fakes/apiserver/cel'

# the states that a real kube-controller-manager leads to, anew: fakes/workloads is compared with them. Seven minutes.
goldens-workloads:
	LWTEST_RECORD=1 LWTEST_CONTROLLER_MANAGER="$$(hack/kube/kube.sh controller-manager --version $(VERSION))" go test -count=1 -parallel 6 -timeout 15m -run '^TestCompared$$' ./fakes/workloads

# random requests to the API server fake and to a real kube-apiserver side by side: see docs/fidelity.md. A minute. GOLDENS=1 records
# what the real one answers to the stories of fuzz/differential/testdata.
SEED ?= $(shell date +%s)
REQUESTS ?= 5000
RECORD ?=
GOLDENS ?=
differential:
	hack/kube/kube.sh with --version $(VERSION) -- go run ./hack/differential --seed $(SEED) --requests $(REQUESTS) --record "$(RECORD)" \
		--goldens "$(if $(GOLDENS),fuzz/differential/testdata/goldens.json)"

# what each rule says on a real kube-apiserver in each configuration, and how often it was tested:
# docs/kube-apiserver.md. Half an hour.
results: build
	hack/kube/results.sh $(VERSION)

# docs/results.md: what every implementation here gets, in about half an hour
results-table:
	hack/results.sh
	go run ./hack/docs

bench:
	go test -run '^$$' -bench . -benchmem ./conformance/replay ./conformance/watchcache ./fakes/apiserver ./plugins/clientgo

# how fast histories of three sizes are judged, anew into docs/judging.txt. Five minutes; then make plots
bench-judging:
	mkdir -p bin; { echo '# make bench-judging, on' $$(date -u +%F) && go test -timeout 30m -run '^$$' -bench 'Build|History|Judge' -benchmem -count 3 ./conformance/replay ./conformance/watchcache; } >bin/judging.txt && mv bin/judging.txt docs/judging.txt

# how far fuzzing comes in ninety seconds, anew into docs/fuzzing.json; then make plots
fuzzing-progress: build
	bin/lwtest fuzz --target fake --for 90s --out bin/fuzzed
	jq '{command: "lwtest fuzz --target fake --for 90s", began, target, kind, seed, stories, progress}' bin/fuzzed/report.json >docs/fuzzing.json

# the pictures of docs/images that show measurements, from docs/speed.json, docs/judging.txt and docs/fuzzing.json
plots:
	cd tools/plots && GOWORK=off go run .

# the image of a kind node, without a registry; wants make docker
kind-node-image:
	hack/kind-node/kind-node.sh --version $(VERSION)

# dist/: binaries, checksums, a module proxy for go install, man pages, completions. RELEASE says which version.
RELEASE ?= v0.0.0-$(shell date -u +%Y%m%d%H%M%S)
release:
	hack/release.sh $(RELEASE)

# a container image with lwtest and lwtest-apiserver and nothing else, in bin/lwtest-image.tar; where docker answers, it runs the default suites in it
image:
	for p in lwtest lwtest-apiserver; do CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -trimpath -ldflags='-s -w' -o bin/$$p-linux-amd64 ./cmd/$$p || exit 1; done
	go run ./hack/lwtest-image bin/lwtest-linux-amd64 bin/lwtest-apiserver-linux-amd64 lwtest:dev > bin/lwtest-image.tar
	if docker version >/dev/null 2>&1; then docker load -i bin/lwtest-image.tar && docker run --rm --network none lwtest:dev; \
		else echo "not run: no docker answers; make docker starts one"; fi

# the pictures of docs/images, in a headless Chromium
screenshots:
	hack/screenshots.sh
