package rest

import (
	"strings"

	"sigs.k8s.io/yaml"
)

// Kubeconfig is a file for kubectl and others, in YAML. A server in memory has none that
// would be of use.
func (s *Server) Kubeconfig() []byte { return Servers{{"lwtest", s}}.Kubeconfig() }

// Named is a server with the name of its context.
type Named struct {
	Name   string
	Server *Server
}

// Servers are several of one cluster, the first of which is asked unless another is named.
type Servers []Named

// Kubeconfig has a context for each server.
func (all Servers) Kubeconfig() []byte {
	type object = map[string]any
	var clusters, users, contexts []object
	for _, n := range all {
		cluster, user := object{"server": n.Server.URL()}, object{}
		if ca := n.Server.config.CAData; len(ca) > 0 {
			cluster["certificate-authority-data"] = ca // bytes are base64 in JSON, and there
		}
		if !strings.HasPrefix(n.Server.URL(), "https:") {
			cluster["insecure-skip-tls-verify"] = true // without it the client for JavaScript refuses to speak plain HTTP
		}
		if token := n.Server.config.BearerToken; token != "" {
			user["token"] = token
		}
		clusters = append(clusters, object{"name": n.Name, "cluster": cluster})
		users = append(users, object{"name": n.Name, "user": user})
		contexts = append(contexts, object{"name": n.Name, "context": object{"cluster": n.Name, "user": n.Name}})
	}
	b, err := yaml.Marshal(object{
		"apiVersion": "v1", "kind": "Config", "current-context": all[0].Name,
		"clusters": clusters, "users": users, "contexts": contexts,
	})
	if err != nil {
		panic(err) // texts
	}
	return b
}
