package trackrecord

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// PageFile is the path of the page in the tree.
const PageFile = "docs/track-record.md"

// Page returns the page of the cases and their last results. It returns an error if a case is faulty.
func Page(all []Case) ([]byte, error) {
	if err := Wrong(all); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# The track record\n\n" +
		"Releases that many used, each with a bug that breaks a clause of the contract, and a release without it. `lwtest track-record`\n" +
		"builds both, runs the checks that are named here on both, and wants the clause broken by the first, and by the second put to\n" +
		"the test and kept. \"Failed\" is of the most runs that there were of the case as it is, with the commit of lwtest that they were\n" +
		"of where the last was another. Written by it and by `go run ./hack/docs`: do not edit.\n\n" +
		"Cases numbered like a Kubernetes issue, and case 38, come from Kubernetes' own list of bugs that its storage once had. Edits of ours\n" +
		"bring them back: [interop/storagerecord](../interop/storagerecord) says how, and why four of the thirty are not here. Upstream's own suite\n" +
		"detects 20 of the thirty. The 26 here are six of the ten that it does not detect, and all those 20.\n\n" +
		"There is no case 9, etcd#17507: [interop/etcd](../interop/etcd) says why it cannot be had.\n\n" +
		"| case | | buggy | control | clause | failed | took | reproduced |\n|---|---|---|---|---|---|---|---|\n")
	var more bytes.Buffer
	for _, c := range all {
		r, ok, err := c.Result()
		if err != nil {
			return nil, err
		}
		row(&b, c, r, ok)
		section(&more, c, r, ok)
	}
	b.Write(more.Bytes())
	return b.Bytes(), nil
}

func row(b *bytes.Buffer, c Case, r Result, ok bool) {
	control := c.Control
	switch {
	case control == "":
		control = "none"
	case c.Left != nil:
		control += " (in part)"
	}
	failed, took, when := "", "", "never"
	switch {
	case !ok:
	case !r.Of.same(c.Of()):
		when = "never as it is now"
	default:
		m := r.most()
		if failed = m.String(); m.Commit != r.Commit {
			failed += " (" + m.Commit + ")"
		}
		took, when = seconds(r.Buggy.Took), fmt.Sprintf("%s, %s", r.Date, r.Commit)
	}
	fmt.Fprintf(b, "| [%d](#%s) | %s | %s %s | %s | `%s` | %s | %s | %s |\n", c.Number, c.Name, c.Title, c.Module, c.faulty(), control, c.Clause, failed, took, when)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func section(b *bytes.Buffer, c Case, r Result, ok bool) {
	fmt.Fprintf(b, "\n## %s\n\n%s: %s %s", c.Name, c.Title, c.Module, c.faulty())
	if c.Args != "" {
		fmt.Fprintf(b, ", `%s`", c.Args)
	}
	b.WriteString(".\n\n")
	fmt.Fprintf(b, "Clause `%s`; checks %s. Upstream: %s.\n", c.Clause, "`"+strings.Join(c.Checks, "`, `")+"`", strings.Join(c.Upstream, ", "))
	switch {
	case c.Control == "":
		fmt.Fprintf(b, "\nThere is no control: %s.\n", c.NoControl)
	case c.Left != nil:
		fmt.Fprintf(b, "\nThe control %s is mended in part: %s (%s).", c.Control, c.Left.Why, c.Left.Link)
		if c.Left.Got != "" {
			fmt.Fprintf(b, " Failures that got `%s` are that.", c.Left.Got)
		}
		b.WriteString("\n")
	}
	switch {
	case !ok:
		return
	case !r.Of.same(c.Of()): // its numbers are of another case.json
		fmt.Fprintf(b, "\nWhat was reproduced on %s (%s) was of another case.json: `lwtest track-record %s` is to be run.\n", r.Date, r.Commit, c.Name)
		return
	}
	fmt.Fprintf(b, "\n%s\n\n```\n%s\n```\n", c.Outcome(r), strings.Join(r.Buggy.First, "\n"))
}

// Outcome describes the result of a case in a line.
func (c Case) Outcome(r Result) string {
	out := fmt.Sprintf("%s broke it in %d of %d runs", c.faulty(), r.Buggy.Failed, r.Buggy.Runs)
	if len(r.Buggy.Checks) > 0 {
		out += " (" + strings.Join(r.Buggy.Checks, ", ") + ")"
	}
	switch k := r.Control; {
	case k == nil:
	case k.Left > 0:
		out += fmt.Sprintf("; %s, where it was tested %d times, only by what is left", c.Control, k.Tested)
	default:
		out += fmt.Sprintf("; %s, where it was tested %d times, in none of %d", c.Control, k.Tested, k.Runs)
	}
	if m := r.most(); m.Runs > r.Buggy.Runs {
		out += fmt.Sprintf("; of more runs, on %s, %s (%s)", m.Date, m, m.Commit)
	}
	return out + "."
}
