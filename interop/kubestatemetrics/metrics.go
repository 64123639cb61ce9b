package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/kube-state-metrics/v2/pkg/metric"
	metricsstore "k8s.io/kube-state-metrics/v2/pkg/metrics_store"
)

// A MetricsStore keeps of each object the lines that a function made of it, and can do no more than write them all. So the
// adapter has it make one line of each, with the whole object as a label, and reads what it writes as whoever scrapes it does.
const (
	family = "lwtest_object"
	label  = "json"
	header = "# HELP " + family + " An object.\n# TYPE " + family + " gauge"
)

// newStore is one whose lines show what show makes of an object.
func newStore(show func(any) ([]byte, error)) *metricsstore.MetricsStore {
	return metricsstore.NewMetricsStore([]string{header}, func(o any) []metric.FamilyInterface {
		b, err := show(o)
		if err != nil {
			b = fmt.Appendf(nil, "%q", err.Error()) // nothing that is read as an object
		}
		return []metric.FamilyInterface{&metric.Family{Name: family, Type: metric.Gauge,
			Metrics: []*metric.Metric{{LabelKeys: []string{label}, LabelValues: []string{string(b)}, Value: 1}}}}
	})
}

// scrape is all that a store writes.
func scrape(s *metricsstore.MetricsStore) ([]json.RawMessage, error) {
	var b bytes.Buffer
	if err := metricsstore.NewMetricsWriter("objects", s).WriteAll(&b); err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(&b)
	if err != nil || families[family] == nil {
		return nil, err
	}
	var out []json.RawMessage
	for _, m := range families[family].Metric {
		for _, l := range m.Label {
			out = append(out, json.RawMessage(l.GetValue()))
		}
	}
	return out, nil
}
