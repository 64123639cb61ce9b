package kube

import _ "embed"

//go:embed role.yaml
var role string

// Role is what this plugin may do at least, as two ClusterRoles in YAML: the
// first is all that a cluster with its controllers needs.
func Role() string { return role }
