package rig

import "strings"

// Alike are names of objects, each of which an API server takes, that are alike: up to a dot, in their first 63 characters
// (what a label has), 128 or 252, but for what is no letter, as numbers; and what some languages have words for.
func Alike() []string {
	all := []string{"kube-root-ca", "kube-root-ca.crt", "kube-root-ca.key", "kube.root.ca", "1", "01", "1.0", "1e0", "null", "true", "constructor"}
	for _, n := range []int{63, 128, 252} {
		same := strings.Repeat("n", n)
		all = append(all, same+"1", same+"2")
	}
	return all
}
