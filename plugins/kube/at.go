package kube

import (
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/plugins/resources"
)

// At gives the clients of a server that is a check's alone, and what lets go of its connections: they ask for ConfigMaps,
// and each call of one is one HTTP request. Nothing is asked of the server before the first. An error is of the configuration.
func At(config *rest.Config) (in func(namespace string) watchcache.Client, hangUp func(), err error) {
	s := &server{resource: resources.ConfigMaps, clock: &clock{}}
	if err := s.clients(config); err != nil {
		return nil, nil, err
	}
	return func(namespace string) watchcache.Client { return client{s.objects, s.resource, namespace} }, s.hangUp, nil
}
