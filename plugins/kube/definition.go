package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// definitionLimit is how long a server may take to serve a new custom resource.
const definitionLimit = 30 * time.Second

// define creates the definition of a custom resource where it is not there,
// and waits until lists of it are served: the first request starts its cache.
func (s *server) define(ctx context.Context) error {
	if s.resource.Definition == "" {
		return nil
	}
	body, err := yaml.YAMLToJSON([]byte(s.resource.Definition))
	if err != nil {
		return err
	}
	var named struct{ Metadata struct{ Name string } }
	if err := json.Unmarshal(body, &named); err != nil {
		return err
	}
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	err = s.core.Get().AbsPath(path, named.Metadata.Name).Do(ctx).Error()
	switch {
	case apierrors.IsNotFound(err):
		if err := s.core.Post().MaxRetries(0).AbsPath(path).SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error(); err != nil && !apierrors.IsAlreadyExists(err) {
			return needsRole("create the definition "+named.Metadata.Name, err)
		}
		s.notes = append(s.notes, fmt.Sprintf("created the CustomResourceDefinition %s, which stays; `kubectl delete customresourcedefinition %s` removes it and all its objects", named.Metadata.Name, named.Metadata.Name))
	case err != nil && !apierrors.IsForbidden(err):
		return err
	}
	return s.serving(ctx)
}

// serving waits until the resource is listed.
func (s *server) serving(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, definitionLimit)
	defer cancel()
	for {
		_, err := client{s.objects, s.resource, baseName("")}.List(ctx, metav1.ListOptions{})
		switch {
		case err == nil:
			return nil
		case apierrors.IsForbidden(err):
			return needsRole("list "+s.resource.Name, err)
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return fmt.Errorf("the server does not serve %s, %s after their definition was created: %w", s.resource.Name, definitionLimit, err)
		}
	}
}
