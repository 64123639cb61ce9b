//go:build linux

// Command fuzz-cluster plays the shards of examples/fuzz-ci/job.yaml on a kind cluster of two nodes that it makes, kills one
// of the pods on the way, merges the reports of all, and deletes the cluster. Start it with `make fuzz-cluster`, in the
// repository's root.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/fuzz"
	"github.com/lwtest/lwtest/hack/image"
	"github.com/lwtest/lwtest/plugins/kind"
)

// nodes are what the configuration of lwtest's node image lacks for a second node.
const nodes = `
nodes: [{role: control-plane}, {role: worker}]
`

// join lets the second node join as the first begins: with nothing checked before.
const join = `- |
  kind: JoinConfiguration
  skipPhases: [preflight]
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "fuzz-cluster NODE-IMAGE: see make fuzz-cluster")
		os.Exit(3)
	}
	if err := run(ctx, os.Args[1]); err != nil {
		say("%v", err)
		os.Exit(1)
	}
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "fuzz-cluster: "+format+"\n", args...) }

func run(ctx context.Context, nodeImage string) (err error) {
	dir, err := os.MkdirTemp("", "fuzz-cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	archive, err := pack(ctx, dir)
	if err != nil {
		return err
	}
	config, err := configFile(dir)
	if err != nil {
		return err
	}
	c, err := kind.Create(ctx, kind.Options{Image: nodeImage, Config: config, Say: func(s string) { say("%s", s) }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := load(c.Name, archive); err != nil {
		return err
	}
	rest, err := c.Config(ctx)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(rest)
	if err != nil {
		return err
	}
	return shards(ctx, client)
}

// pack builds lwtest without C, and writes an image of it alone.
func pack(ctx context.Context, dir string) (archive string, err error) {
	program := filepath.Join(dir, "lwtest")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/lwtest")
	cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("lwtest could not be built: %w", err)
	}
	archive = filepath.Join(dir, "image.tar")
	to, err := os.Create(archive)
	if err != nil {
		return "", err
	}
	defer to.Close()
	i := image.Image{Ref: "docker.io/lwtest/fuzz:local", Config: image.Config{Entrypoint: []string{"/lwtest"}}, Files: []image.File{{From: program, To: "lwtest"}}}
	return archive, i.Write(to, dir)
}

// configFile writes the configuration of the cluster: that of the node image, with a second node.
func configFile(dir string) (string, error) {
	b, err := os.ReadFile("hack/kind-node/cluster.yaml")
	if err != nil {
		return "", fmt.Errorf("%w: start it in the repository's root", err)
	}
	path := filepath.Join(dir, "cluster.yaml")
	return path, os.WriteFile(path, []byte(string(b)+join+nodes), 0o600)
}

// load gives each node the image.
func load(name, archive string) error {
	all, err := cluster.NewProvider().ListInternalNodes(name)
	if err != nil {
		return err
	}
	say("%d nodes get the image", len(all))
	for _, n := range all {
		f, err := os.Open(archive)
		if err != nil {
			return err
		}
		err = nodeutils.LoadImageArchive(n, f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s did not take the image: %w", n, err)
		}
	}
	return nil
}

// limit is how long the job may take.
const limit = 10 * time.Minute

// shards runs the job to its end, kills one of its pods on the way, and prints the merged report.
func shards(ctx context.Context, client kubernetes.Interface) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	b, err := os.ReadFile("examples/fuzz-ci/job.yaml")
	if err != nil {
		return err
	}
	job := &batchv1.Job{}
	if err := yaml.UnmarshalStrict(b, job); err != nil {
		return err
	}
	jobs, pods := client.BatchV1().Jobs("default"), client.CoreV1().Pods("default")
	if job, err = jobs.Create(ctx, job, metav1.CreateOptions{}); err != nil {
		return err
	}
	ours := metav1.ListOptions{LabelSelector: "job-name=" + job.Name}
	killed := ""
	err = wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		all, err := pods.List(ctx, ours)
		if err != nil {
			return false, err
		}
		for _, p := range all.Items {
			if killed == "" && p.Status.Phase == corev1.PodRunning {
				killed = p.Name
				say("killing %s on %s", p.Name, p.Spec.NodeName)
				if err := pods.Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}); err != nil {
					return false, err
				}
			}
		}
		job, err = jobs.Get(ctx, job.Name, metav1.GetOptions{})
		return err == nil && over(job), err
	})
	if err != nil {
		return fmt.Errorf("the job did not end: %w", err)
	}
	say("%d of %d shards have found nothing", job.Status.Succeeded, *job.Spec.Completions)
	return merged(ctx, client, ours, int(*job.Spec.Completions))
}

// over reports whether the job has completed or failed.
func over(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed)
	})
}

// reported reports whether a pod came to its end: with 0, or with 1 or 2, where it has found something or proved nothing.
func reported(p *corev1.Pod) bool {
	return len(p.Status.ContainerStatuses) == 1 && p.Status.ContainerStatuses[0].State.Terminated != nil && p.Status.ContainerStatuses[0].State.Terminated.ExitCode <= 2
}

// merged prints the sum of the reports that the pods have printed. It returns an error if one of the shards has none.
func merged(ctx context.Context, client kubernetes.Interface, ours metav1.ListOptions, shards int) error {
	pods := client.CoreV1().Pods("default")
	all, err := pods.List(ctx, ours)
	if err != nil {
		return err
	}
	var reports []*fuzz.Report
	for _, p := range all.Items {
		if !reported(&p) {
			continue
		}
		say("the report of shard %s, from %s on %s", p.Annotations[batchv1.JobCompletionIndexAnnotation], p.Name, p.Spec.NodeName)
		r, err := pods.GetLogs(p.Name, &corev1.PodLogOptions{}).Stream(ctx)
		if err != nil {
			return err
		}
		b, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return err
		}
		report, err := fuzz.ReadReport(b[max(0, firstBrace(b)):])
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		reports = append(reports, report)
	}
	if len(reports) != shards {
		return fmt.Errorf("%d of %d shards have printed a report", len(reports), shards)
	}
	sum, err := fuzz.Merge(reports[0], reports[1:]...)
	if err != nil {
		return err
	}
	return sum.Text(os.Stdout)
}

// firstBrace returns where the report begins: before it come lines of progress, as logs hold stderr, too.
func firstBrace(b []byte) int {
	for i := range b {
		if b[i] == '{' && (i == 0 || b[i-1] == '\n') {
			return i
		}
	}
	return 0
}
