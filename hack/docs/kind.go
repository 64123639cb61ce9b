package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/watchcache/golden"
)

// kindPage says what differs between a kind cluster and a kube-apiserver without controllers.
func kindPage() []byte {
	var b bytes.Buffer
	b.WriteString("# A kind cluster, and a kube-apiserver alone\n\n" +
		"Generated from conformance/watchcache/golden/cluster.go by `go run ./hack/docs`: do not edit.\n\n" +
		"The watchcache suite was recorded on a cluster that `lwtest --target kind` made, and on a server of `make kube`. What\n" +
		"the controllers of the cluster write themselves is left out: the ConfigMap `kube-root-ca.crt` of each namespace. Then the\n" +
		"two have the same histories, event by event, but for those of the checks in the first two tables. All rules pass on all that\n" +
		"was recorded on the cluster, but for those in the third.\n\nWhat the cluster's controllers, or its cache, make differ:\n\n")
	table(&b, "checks", golden.Differ)
	b.WriteString("What differs from run to run, on one and the same server, too:\n\n")
	table(&b, "checks", golden.Chance())
	b.WriteString("What the cluster breaks:\n\n")
	table(&b, "rules", golden.Broken)
	return b.Bytes()
}

// table has a row for each reason.
func table(b *bytes.Buffer, of string, reasons map[string]string) {
	names := map[string][]string{} // by reason
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		names[reasons[name]] = append(names[reasons[name]], "`watchcache/"+name+"`")
	}
	fmt.Fprintf(b, "| why | %s |\n|---|---|\n", of)
	for _, reason := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(b, "| %s | %s |\n", reason, strings.Join(names[reason], ", "))
	}
	b.WriteByte('\n')
}
