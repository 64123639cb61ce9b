package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/plugins/resources"
)

// traceLimit is how long a controller may take to write to what was just made.
// Where there is none, each run of a resource that one could look after waits so
// long, once.
const traceLimit = 2 * time.Second

// ready refuses a resource that a controller of this server writes to. What
// that writes moves the resourceVersion of objects that the checks take for
// theirs alone, and says nothing of the server. It is tried with an object in a
// namespace that is made, marked and removed as a check's.
func (s *server) ready(ctx context.Context) (err error) {
	if !s.resource.Controlled {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	ns, err := s.make(ctx, baseName(""), "")
	if ns != nil {
		defer func() { err = errors.Join(err, s.remove(context.WithoutCancel(ctx), ns)) }()
	}
	if err == nil {
		err = s.usable(ctx, ns.Name)
	}
	if err != nil {
		return err
	}
	return s.alone(ctx, ns.Name)
}

// alone makes an object, and waits whether anybody else writes to it.
func (s *server) alone(ctx context.Context, namespace string) error {
	c := client{s.objects, s.resource, namespace}
	m := &corev1.ConfigMap{Data: map[string]string{}}
	m.Namespace, m.Name = namespace, "probe"
	made, err := c.Create(ctx, m, metav1.CreateOptions{})
	if err != nil {
		return needsRole("create "+s.resource.Name+" in a namespace that it has just created", err)
	}
	for began := time.Now(); time.Since(began) < traceLimit; {
		if err := sleep(ctx, pollEvery); err != nil {
			return err
		}
		now, err := c.Get(ctx, m.Name, metav1.GetOptions{})
		if err != nil {
			return needsRole("get "+s.resource.Name, err)
		}
		if now.ResourceVersion != made.ResourceVersion {
			return s.tended(writer(now))
		}
	}
	return nil
}

// writer is who else has written to an object, as its managedFields say.
func writer(m *corev1.ConfigMap) string {
	who := ""
	for _, f := range m.ManagedFields {
		if f.Manager != userAgent {
			who = f.Manager
		}
	}
	return cmp.Or(who, "somebody")
}

// tended says what to do where somebody writes to all objects of the resource.
func (s *server) tended(who string) error {
	var free []string
	for _, r := range resources.All {
		if !r.Controlled {
			free = append(free, r.Name)
		}
	}
	return fmt.Errorf("%[2]s writes to the %[1]s of this server: it changed one that lwtest had just created, in a field that lwtest does not compare. "+
		"The checks would blame the server for that, and prove nothing. Use --resource %[3]s; "+
		"or test %[4]s on a server without controllers, such as `hack/kube/kube.sh with` or envtest starts",
		s.resource.Name, who, strings.Join(free, ", "), s.resource.Name)
}
