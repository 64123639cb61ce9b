package main

import (
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// config is what a client of a server is made of. It may ask as often as it likes.
func config(s adapter.Server) *rest.Config {
	return &rest.Config{Host: s.URL, BearerToken: s.Token, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"},
		TLSClientConfig: rest.TLSClientConfig{CAData: []byte(s.CA)}}
}

// restClient is one for a resource's group and version.
func restClient(s adapter.Server, r adapter.Resource) (*rest.RESTClient, error) {
	c := config(s)
	c.GroupVersion = &schema.GroupVersion{Group: r.Group, Version: r.Version}
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	if c.APIPath = "/apis"; r.Group == "" {
		c.APIPath = "/api"
	}
	return rest.RESTClientFor(c)
}

// plainJSON is an object in JSON.
func plainJSON(o any) json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil {
		return json.RawMessage(fmt.Sprintf("%q", err.Error())) // nothing that a client has decoded
	}
	return b
}

func allJSON(list []any) (out []json.RawMessage) {
	for _, x := range list {
		out = append(out, plainJSON(x))
	}
	return out
}

// status is an error with the Status that it was made of, where there is one.
func status(err error) error {
	var s apierrors.APIStatus
	if err == nil || !errors.As(err, &s) {
		return err
	}
	return &adapter.Error{Msg: err.Error(), Status: plainJSON(s.Status())}
}
