package adapter

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var early = os.Stdout // as libraries keep it

// TestMain is the adapter of the test below, too.
func TestMain(m *testing.M) {
	if os.Getenv("LWTEST_PROTOCOL") == "" {
		os.Exit(m.Run())
	}
	Main(Adapter{Implementation: "loud", Store: StoreOffer{Open: func(o StoreOptions) (Store, error) {
		fmt.Println("a store is opened")
		fmt.Fprintln(early, "indeed")
		if len(o.Indexers) > 0 {
			panic("no indexers here")
		}
		return openMap(o)
	}}})
}

// child is this program as an adapter, which is given lines; what comes of it.
func child(t *testing.T, lines ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LWTEST_PROTOCOL=1")
	var out, log bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(strings.Join(lines, "\n")+"\n"), &out, &log
	_ = cmd.Run() // its status says it
	return out.String(), log.String(), cmd.ProcessState.ExitCode()
}

// Whatever is printed, the protocol has stdout for itself.
func TestStdout(t *testing.T) {
	out, log, status := child(t, `{"id":1,"op":"store.open","h":"s1"}`, `{"id":2,"op":"case.end"}`, `{"id":3,"op":"shutdown"}`)
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if !strings.HasPrefix(line, `{"id":`) {
			t.Errorf("on stdout: %s", line)
		}
	}
	if status != 0 || !strings.Contains(out, `{"id":3,"ok":{}}`) {
		t.Errorf("status %d, stdout:\n%s", status, out)
	}
	if strings.Contains(out, "opened") || strings.Contains(out, "indeed") {
		t.Errorf("what was printed is on stdout:\n%s\nstderr:\n%s", out, log)
	}
}

func TestCrash(t *testing.T) {
	if out, _, status := child(t, `{"id":1,"op":"crash"}`); status != 7 || out != "" {
		t.Errorf("status %d, stdout:\n%s", status, out)
	}
}

// A panic ends the process with its stack, while stdin is still open.
func TestPanic(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LWTEST_PROTOCOL=1")
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"id":1,"op":"store.open","h":"s1","indexers":["value"]}`)
	if err := cmd.Wait(); err == nil || !strings.Contains(log.String(), "no indexers here") || !strings.Contains(log.String(), "goroutine") {
		t.Errorf("%v, stderr:\n%s", err, log.String())
	}
}
