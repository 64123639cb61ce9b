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
	b.WriteString("# A kind cluster, compared with a kube-apiserver alone\n\n" +
		"Generated from conformance/watchcache/golden/cluster.go by `go run ./hack/docs`: do not edit.\n\n" +
		"The watchcache suite was recorded twice: on a cluster that `lwtest --target kind` created, and on a server of `make kube`.\n" +
		"Controllers of the cluster put the ConfigMap `kube-root-ca.crt` into each namespace. Without that ConfigMap, the two have the\n" +
		"same histories, event by event, except for the checks in the first two tables. All rules pass on the cluster, except for\n" +
		"those in the third table.\n\nDifferent because of the cluster's controllers or its cache:\n\n")
	table(&b, "checks", golden.Differ)
	b.WriteString("Different from run to run, also on one server:\n\n")
	table(&b, "checks", golden.Chance())
	b.WriteString("Broken by the cluster:\n\n")
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
