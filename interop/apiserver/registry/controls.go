package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/etcd"
)

// Compact implements adapter.Compactor: it compacts the etcd at its present revision.
func (s *Server) Compact(ctx context.Context) (string, error) {
	now, err := s.client.Get(ctx, "compact")
	if err == nil {
		_, err = s.client.Compact(ctx, now.Header.Revision, clientv3.WithCompactPhysical())
	}
	if errors.Is(err, rpctypes.ErrCompacted) { // it is, and nothing was written since
		err = nil
	}
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(now.Header.Revision, 10), nil
}

// WriteOther implements adapter.OtherWriter: it creates a ConfigMap of another cluster in the same etcd.
func (s *Server) WriteOther(ctx context.Context) (string, error) {
	s.mu.Lock()
	s.others++
	name := fmt.Sprint("other-", s.others)
	s.mu.Unlock()
	b, err := runtime.Encode(codec, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID(name)}})
	if err != nil {
		return "", err
	}
	key := otherPrefix + "/configmaps/a/" + name
	done, err := s.client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(key), "=", 0)).Then(clientv3.OpPut(key, string(b))).Commit()
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(done.Header.Revision, 10), nil
}

// SetLag implements adapter.Lagger: what the etcd says of changes comes late.
func (s *Server) SetLag(_ context.Context, d time.Duration) error {
	s.proxy.Remove("lag")
	if d == 0 {
		return nil
	}
	return s.proxy.Add(etcd.Fault{Name: "lag", Events: &etcd.Events{Do: etcd.Delay, For: &metav1.Duration{Duration: d}}})
}

// SetStorageFault implements adapter.StorageFaulter.
func (s *Server) SetStorageFault(_ context.Context, fault json.RawMessage) error {
	s.proxy.Remove("storage")
	if len(fault) == 0 {
		return nil
	}
	f := etcd.Fault{}
	if err := json.Unmarshal(fault, &f); err != nil {
		return err
	}
	f.Name = "storage"
	return s.proxy.Add(f)
}

// Restart implements adapter.Restarter: the etcd lives on.
func (s *Server) Restart(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.now.close(), s.begin())
}
