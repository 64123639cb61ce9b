// Package etcd starts an etcd in this process.
package etcd

import (
	"errors"
	"net/url"
	"os"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// Start starts an empty etcd with one member on loopback. It returns the address for clients, and what ends it.
func Start() (endpoint string, end func(), err error) {
	dir, err := os.MkdirTemp("", "lwtest-etcd-")
	if err != nil {
		return "", nil, err
	}
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.UnsafeNoFsync = dir, "fatal", true
	c.TickMs, c.ElectionMs = 20, 200
	here := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	c.ListenClientUrls, c.ListenPeerUrls = here, here
	e, err := embed.StartEtcd(c)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	end = func() {
		e.Close()
		_ = os.RemoveAll(dir) // nobody needs it
	}
	select {
	case <-e.Server.ReadyNotify():
		return "http://" + e.Clients[0].Addr().String(), end, nil
	case <-time.After(starting):
		end()
		return "", nil, errors.New("etcd is not ready")
	}
}

const starting = 30 * time.Second
