package apiserver_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// kilobyte is a configmap of about 1 KB.
func kilobyte(name string) *corev1.ConfigMap {
	o := cm(name, "app", "bench")
	o.Data = map[string]string{"k": strings.Repeat("x", 1000)}
	return o
}

func fill(b *testing.B, s *apiserver.Server, n int) {
	b.Helper()
	for i := range n {
		if _, err := apiserver.ConfigMaps(s, "ns").Create(ctx, kilobyte(fmt.Sprintf("o%06d", i)), metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		_ = apiserver.New(apiserver.Options{}).Close()
	}
}

func BenchmarkCreate(b *testing.B) {
	s := apiserver.New(apiserver.Options{})
	defer s.Close()
	c, i := apiserver.ConfigMaps(s, "ns"), 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Create(ctx, kilobyte("o"+strconv.Itoa(i)), metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
}

func BenchmarkUpdate(b *testing.B) {
	s := apiserver.New(apiserver.Options{})
	defer s.Close()
	fill(b, s, 10_000)
	c, i := apiserver.ConfigMaps(s, "ns"), 0
	b.ReportAllocs()
	for b.Loop() {
		o := kilobyte(fmt.Sprintf("o%06d", i%10_000))
		o.Data["i"] = strconv.Itoa(i)
		if _, err := c.Update(ctx, o, metav1.UpdateOptions{}); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
}

func BenchmarkList10k(b *testing.B) {
	s := apiserver.New(apiserver.Options{CompactEvery: -1})
	defer s.Close()
	fill(b, s, 10_000)
	for name, o := range map[string]metav1.ListOptions{
		"latest":      {},
		"exact":       {ResourceVersion: "9000", ResourceVersionMatch: exact},
		"page500":     {Limit: 500},
		"label-none":  {LabelSelector: "app=other"},
		"single-name": {FieldSelector: "metadata.name=o000001"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := apiserver.ConfigMaps(s, "ns").List(ctx, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// One write after the other to 1,000 watches, each with a reader: events received each second.
func BenchmarkFanOut(b *testing.B) {
	const watches = 1000
	for _, backlog := range []bool{false, true} {
		b.Run(fmt.Sprintf("backlog=%v", backlog), func(b *testing.B) {
			s := apiserver.New(apiserver.Options{WindowCount: -1, WatchTimeout: -1})
			defer s.Close()
			fill(b, s, 100)
			from := s.Revision()
			var wg sync.WaitGroup
			open := func() {
				for range watches {
					w, err := apiserver.ConfigMaps(s, "ns").Watch(ctx, metav1.ListOptions{ResourceVersion: from})
					if err != nil {
						b.Fatal(err)
					}
					wg.Go(func() { drain(w, b.N) })
				}
			}
			write := func() {
				for i := range b.N {
					o := kilobyte("o000001")
					o.Data["i"] = strconv.Itoa(i)
					if _, err := apiserver.ConfigMaps(s, "ns").Update(ctx, o, metav1.UpdateOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ResetTimer()
			if backlog {
				write()
				open()
			} else {
				open()
				write()
			}
			wg.Wait()
			b.ReportMetric(float64(b.N*watches)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func drain(w watch.Interface, n int) {
	for range n {
		<-w.ResultChan()
	}
	w.Stop()
}

// BenchmarkDefinitions creates 50 definitions with large schemas, as suites with many CRDs do.
func BenchmarkDefinitions(b *testing.B) {
	fields := map[string]apiextensionsv1.JSONSchemaProps{}
	for i := range 200 {
		fields["f"+strconv.Itoa(i)] = apiextensionsv1.JSONSchemaProps{Type: "string", Description: "a field"}
	}
	for b.Loop() {
		s := apiserver.New(apiserver.Options{})
		for i := range 50 {
			plural := fmt.Sprintf("p%ds", i)
			d := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: plural + ".example.com"}, Spec: apiextensionsv1.CustomResourceDefinitionSpec{
				Group: "example.com", Scope: apiextensionsv1.NamespaceScoped, Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: fmt.Sprintf("P%d", i)},
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
					OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object", Properties: fields}}},
				}}},
			}}
			if _, err := s.Create(ctx, crds, d, metav1.CreateOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		if n := len(s.Defined().Resources); n != 50 {
			b.Fatalf("%d resources are served", n)
		}
		_ = s.Close()
	}
}
