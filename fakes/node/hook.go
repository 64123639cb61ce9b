package node

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// runHook runs a postStart or preStop hook to its end.
func (a *Agent) runHook(ctx context.Context, pod *v1.Pod, c *v1.Container, id string, h *v1.LifecycleHandler) error {
	switch {
	case h.Exec != nil:
		out, err := a.rt.ExecSync(ctx, &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: h.Exec.Command})
		if err == nil && out.GetExitCode() != 0 {
			err = fmt.Errorf("command %v exited with %d: %s", h.Exec.Command, out.ExitCode, out.Stderr)
		}
		return err
	case h.Sleep != nil:
		if !sleep(ctx, time.Duration(h.Sleep.Seconds)*time.Second) {
			return ctx.Err()
		}
		return nil
	case h.HTTPGet != nil:
		return a.httpGet(ctx, h.HTTPGet, c, a.addressOf(pod.UID))
	case h.TCPSocket != nil:
		return a.dial(ctx, h.TCPSocket.Host, h.TCPSocket.Port, c, a.addressOf(pod.UID))
	}
	return errors.New("the hook has no handler")
}

// httpGet asks a container, and returns an error for an answer that is no success.
func (a *Agent) httpGet(ctx context.Context, g *v1.HTTPGetAction, c *v1.Container, address string) error {
	port, err := portOf(g.Port, c)
	if err != nil {
		return err
	}
	if g.Host != "" {
		address = g.Host
	}
	url := fmt.Sprintf("%s://%s/%s", strings.ToLower(string(g.Scheme)), net.JoinHostPort(address, port), strings.TrimPrefix(g.Path, "/"))
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	for _, h := range g.HTTPHeaders {
		q.Header.Add(h.Name, h.Value)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: a.c.Dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := client.Do(q)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode >= 400 {
		return fmt.Errorf("HTTP probe failed with statuscode: %d", answer.StatusCode)
	}
	return nil
}

// dial connects to a container.
func (a *Agent) dial(ctx context.Context, host string, port intstr.IntOrString, c *v1.Container, address string) error {
	if host == "" {
		host = address
	}
	number, err := portOf(port, c)
	if err != nil {
		return err
	}
	conn, err := a.c.Dial(ctx, "tcp", net.JoinHostPort(host, number))
	if err == nil {
		conn.Close()
	}
	return err
}

// portOf returns the number of a port that may be named.
func portOf(p intstr.IntOrString, c *v1.Container) (string, error) {
	if p.Type == intstr.Int {
		return p.String(), nil
	}
	for _, known := range c.Ports {
		if known.Name == p.StrVal {
			return strconv.Itoa(int(known.ContainerPort)), nil
		}
	}
	if _, err := strconv.Atoi(p.StrVal); err != nil {
		return "", fmt.Errorf("container %s has no port %q", c.Name, p.StrVal)
	}
	return p.StrVal, nil
}
