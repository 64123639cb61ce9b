package main

import (
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// What the suite calls spec is the schedulerName of a pod, and what it calls status the message of its status.
const (
	inSpec   = "spec"
	inStatus = "status"
)

// pod is what the suite shows as a ConfigMap.
func pod(object json.RawMessage, namespace string) (*corev1.Pod, error) {
	var m corev1.ConfigMap
	if err := json.Unmarshal(object, &m); err != nil {
		return nil, err
	}
	p := &corev1.Pod{ObjectMeta: m.ObjectMeta}
	p.Namespace, p.Spec.SchedulerName, p.Status.Message = namespace, m.Data[inSpec], m.Data[inStatus]
	return p, nil
}

// shown is a pod as the suite has it.
func shown(p *corev1.Pod) json.RawMessage {
	m := corev1.ConfigMap{ObjectMeta: p.ObjectMeta, Data: map[string]string{}}
	for name, v := range map[string]string{inSpec: p.Spec.SchedulerName, inStatus: p.Status.Message} {
		if v != "" {
			m.Data[name] = v
		}
	}
	return plainJSON(m)
}

func plainJSON(o any) json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil {
		return json.RawMessage(fmt.Sprintf("%q", err.Error())) // nothing that a client has
	}
	return b
}

// answered is a pod that a request gave.
func answered(p *corev1.Pod, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, failed(err)
	}
	return shown(p), nil
}

// failed is an error with the Status that it was made of, where there is one.
func failed(err error) error {
	var s apierrors.APIStatus
	if err == nil || !errors.As(err, &s) {
		return err
	}
	return &adapter.Error{Msg: err.Error(), Status: plainJSON(s.Status())}
}
