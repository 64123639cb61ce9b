package node

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// rotateLogs renames each log of a running container that is too long, and asks the runtime to go on in a new file. If that fails, the old name
// comes back. It touches no file outside the log folder.
func (a *Agent) rotateLogs() {
	for a.c.Logs != "" && a.sleep(a.c.ContainerLogMonitorInterval) {
		cs, err := a.listContainers(a.ctx, &runtimeapi.ContainerFilter{State: &runtimeapi.ContainerStateValue{State: running}})
		if err != nil {
			continue
		}
		for _, c := range cs {
			dir := filepath.Join(a.c.Logs, c.Labels[labelPodNamespace]+"_"+c.Labels[labelPodName]+"_"+c.Labels[labelPodUID], c.Labels[labelContainer])
			path := filepath.Join(dir, c.Annotations[noteRestarts]+".log")
			if info, err := os.Stat(path); err == nil && info.Size() >= a.c.ContainerLogMaxSize && strings.HasPrefix(path, a.c.Logs) {
				a.rotateLog(c.Id, path)
			}
		}
	}
}

func (a *Agent) rotateLog(id, path string) {
	old, _ := filepath.Glob(path + ".*")
	for keep := max(a.c.ContainerLogMaxFiles-2, 0); len(old) > keep; old = old[1:] {
		_ = os.Remove(old[0])
	}
	rotated := path + "." + time.Now().Format("20060102-150405.000")
	if os.Rename(path, rotated) != nil {
		return
	}
	if _, err := a.rt.ReopenContainerLog(a.ctx, &runtimeapi.ReopenContainerLogRequest{ContainerId: id}); err != nil {
		_ = os.Rename(rotated, path)
	}
}

// readTail returns the end of a file: at most so many bytes, and of a log (lines > 0) the text of so many lines.
func readTail(path string, most int64, lines int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if lines > 0 {
		if end, err := f.Seek(0, io.SeekEnd); err == nil {
			_, _ = f.Seek(max(end-64<<10, 0), io.SeekStart)
		}
	}
	b, err := io.ReadAll(f)
	if lines > 0 {
		b = logText(b, lines)
	}
	return b[max(int64(len(b))-most, 0):], err
}

// logText returns the last lines of a log without times and streams.
func logText(b []byte, lines int) []byte {
	all := bytes.SplitAfter(b, []byte("\n"))
	if n := len(all); n > 0 && len(all[n-1]) == 0 {
		all = all[:n-1]
	}
	var out []byte
	for _, line := range all[max(len(all)-lines, 0):] {
		parts := bytes.SplitN(line, []byte(" "), 4) // time, stream, tag, text
		if len(parts) == 4 {
			if text := parts[3]; string(parts[2]) == "P" {
				out = append(out, bytes.TrimSuffix(text, []byte("\n"))...)
			} else {
				out = append(out, text...)
			}
		}
	}
	return out
}
