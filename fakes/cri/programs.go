package cri

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// builtins are the commands that are programs of their own in a real container, too.
var builtins = map[string]func(*Process, []string) int32{
	"echo": echo, "sleep": nap, "seq": seq, "env": env, "printenv": env, "cat": cat, "head": head, "tail": tail, "ls": ls, "id": id, "date": date, "ps": ps, "tar": tar,
	"test": test, "[": test, "mkdir": mkdir, "rm": rm, "touch": touch, "grep": grep, "kill": kill,
	"true":  func(*Process, []string) int32 { return 0 },
	":":     func(*Process, []string) int32 { return 0 },
	"false": func(*Process, []string) int32 { return 1 },
	"pwd": func(p *Process, _ []string) int32 {
		fmt.Fprintln(p.Stdout, "/"+strings.TrimPrefix(p.dir, "."))
		return 0
	},
	"hostname": func(p *Process, _ []string) int32 { fmt.Fprintln(p.Stdout, p.Env["HOSTNAME"]); return 0 },
}

// programs are the names of all commands, which a container has as files. It is set here because some of them read files.
var programs []string

func init() { programs = slices.AppendSeq(slices.Clone(shells), maps.Keys(builtins)) }

// at returns the name of a path that may begin in the working directory.
func (p *Process) at(name string) string {
	if !path.IsAbs(name) {
		name = path.Join(p.dir, name)
	}
	return clean(name)
}

// fails says why a program failed, and returns its status.
func (p *Process) fails(program, what string, err error) int32 {
	fmt.Fprintf(p.Stderr, "%s: %s: %s\n", program, what, why(err))
	return 1
}

// flags splits arguments into the letters of flags and the rest.
func flags(args []string) (letters string, rest []string) {
	for _, a := range args {
		if len(a) > 1 && a[0] == '-' && a != "--" {
			letters += strings.TrimLeft(a, "-")
		} else if a != "--" {
			rest = append(rest, a)
		}
	}
	return letters, rest
}

func echo(p *Process, args []string) int32 {
	end := "\n"
	if len(args) > 0 && args[0] == "-n" {
		args, end = args[1:], ""
	}
	if _, err := fmt.Fprint(p.Stdout, strings.Join(args, " ")+end); err != nil {
		return p.fails("echo", "write error", err)
	}
	return 0
}

func nap(p *Process, args []string) int32 {
	for _, a := range args {
		seconds, err := strconv.ParseFloat(a, 64)
		if err != nil && a != "infinity" {
			fmt.Fprintf(p.Stderr, "sleep: invalid number '%s'\n", a)
			return 1
		}
		if a == "infinity" {
			seconds = 1e9
		}
		p.Sleep(time.Duration(seconds * float64(time.Second)))
	}
	return 0
}

func seq(p *Process, args []string) int32 {
	n, between := 0, "\n"
	if len(args) > 1 && args[0] == "-s" {
		between = args[1]
	}
	if len(args) > 0 {
		n, _ = strconv.Atoi(args[len(args)-1])
	}
	var b bytes.Buffer
	for i := 1; i <= n && p.ctx.Err() == nil; i++ {
		fmt.Fprint(&b, i, map[bool]string{true: "\n", false: between}[i == n])
	}
	_, _ = p.Stdout.Write(b.Bytes())
	return 0
}

// env prints the environment, or the variables that printenv names.
func env(p *Process, names []string) int32 {
	for _, k := range slices.Sorted(maps.Keys(p.Env)) {
		if len(names) == 0 {
			fmt.Fprintf(p.Stdout, "%s=%s\n", k, p.Env[k])
		} else if slices.Contains(names, k) {
			fmt.Fprintln(p.Stdout, p.Env[k])
		}
	}
	if len(names) == 1 && p.Env[names[0]] == "" {
		return 1
	}
	return 0
}

func cat(p *Process, names []string) (status int32) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		if name == "-" {
			_, _ = io.Copy(p.Stdout, p.Stdin)
			continue
		}
		text, err := fs.ReadFile(p.files, p.at(name))
		if err != nil {
			fmt.Fprintf(p.Stderr, "cat: can't open '%s': %s\n", name, why(err))
			status = 1
			continue
		}
		_, _ = p.Stdout.Write(text)
	}
	return status
}

// part reads the arguments of head and tail: a number of lines or bytes, and a file.
func part(p *Process, args []string) (n int, bytes, follows bool, text []byte, err error) {
	n, name := 10, ""
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case (a == "-n" || a == "-c") && i+1 < len(args):
			i++
			n, err = strconv.Atoi(strings.TrimLeft(args[i], "+-"))
			bytes = a == "-c"
		case strings.HasPrefix(a, "-n"), strings.HasPrefix(a, "-c"):
			n, err = strconv.Atoi(strings.TrimLeft(a[2:], "+-"))
			bytes = a[1] == 'c'
		case a == "-f", a == "-F":
			follows = true
		default:
			name = a
		}
	}
	switch {
	case err != nil:
	case name == "":
		text, err = io.ReadAll(p.Stdin)
	case strings.HasPrefix(name, "/dev/"):
	default:
		text, err = fs.ReadFile(p.files, p.at(name))
	}
	return n, bytes, follows, text, err
}

// head prints the beginning of a file; of a device, zeros.
func head(p *Process, args []string) int32 {
	n, inBytes, _, text, err := part(p, args)
	switch {
	case err != nil:
		return p.fails("head", args[len(args)-1], err)
	case inBytes && len(args) > 0 && strings.HasPrefix(args[len(args)-1], "/dev/"):
		for part := bytes.Repeat([]byte{'0'}, 32*1024); n > 0 && p.ctx.Err() == nil; n -= len(part) {
			part = part[:min(n, len(part))]
			_, _ = p.Stdout.Write(part)
		}
	case inBytes:
		_, _ = p.Stdout.Write(text[:min(n, len(text))])
	default:
		lines := bytes.SplitAfter(text, []byte("\n"))
		_, _ = p.Stdout.Write(bytes.Join(lines[:min(n, len(lines))], nil))
	}
	return 0
}

// tail prints the end of a file. With -f it goes on until it is killed.
func tail(p *Process, args []string) int32 {
	if slices.Contains(args, "/dev/zero") {
		return p.OutOfMemory()
	}
	n, inBytes, follows, text, err := part(p, args)
	if err != nil {
		return p.fails("tail", args[len(args)-1], err)
	}
	if !inBytes {
		lines := bytes.SplitAfter(text, []byte("\n"))
		if len(lines[len(lines)-1]) == 0 {
			lines = lines[:len(lines)-1]
		}
		text, n = bytes.Join(lines[max(len(lines)-n, 0):], nil), len(text)
	}
	_, _ = p.Stdout.Write(text[max(len(text)-n, 0):])
	if follows {
		<-p.ctx.Done()
	}
	return 0
}

func ls(p *Process, args []string) (status int32) {
	letters, names := flags(args)
	if len(names) == 0 {
		names = []string{"."}
	}
	for i, name := range names {
		info, err := fs.Stat(p.files, p.at(name))
		if err != nil {
			status = p.fails("ls", name, err)
			continue
		}
		if !info.IsDir() || strings.Contains(letters, "d") {
			show(p, info, name, letters)
			continue
		}
		if len(names) > 1 {
			fmt.Fprintf(p.Stdout, "%s%s:\n", map[bool]string{true: "\n"}[i > 0], name)
		}
		all, err := p.files.list(p.at(name))
		if err != nil {
			status = p.fails("ls", name, err)
		}
		for _, x := range all {
			if strings.Contains(letters, "a") || !strings.HasPrefix(x.Name(), ".") {
				show(p, x, x.Name(), letters)
			}
		}
	}
	return status
}

// show prints a line of ls.
func show(p *Process, x fs.FileInfo, name, letters string) {
	if strings.Contains(letters, "l") {
		fmt.Fprintf(p.Stdout, "%s    1 root     root     %9d %s ", strings.Replace(x.Mode().String(), "Dc", "c", 1), x.Size(), x.ModTime().UTC().Format("Jan _2 15:04"))
	}
	fmt.Fprintln(p.Stdout, name)
}

// userName returns the name that /etc/passwd has for a user.
func userName(uid int64) string {
	return map[int64]string{0: "root", 65534: "nobody"}[uid]
}

func id(p *Process, args []string) int32 {
	title := func(n int64) string {
		if name := userName(n); name != "" {
			return fmt.Sprintf("%d(%s)", n, name)
		}
		return fmt.Sprint(n)
	}
	if len(args) > 0 {
		fmt.Fprintln(p.Stdout, map[string]int64{"-u": p.uid, "-g": p.groups[0]}[args[0]])
		return 0
	}
	groups := make([]string, len(p.groups))
	for i, g := range p.groups {
		groups[i] = title(g)
	}
	fmt.Fprintf(p.Stdout, "uid=%s gid=%s groups=%s\n", title(p.uid), title(p.groups[0]), strings.Join(groups, ","))
	return 0
}

// date prints the time, or with an argument +FORMAT parts of it.
func date(p *Process, args []string) int32 {
	now := time.Now().UTC()
	text := now.Format("Mon Jan _2 15:04:05 MST 2006")
	for _, a := range args {
		if format, ok := strings.CutPrefix(a, "+"); ok {
			text = strings.NewReplacer("%F", now.Format("2006-01-02"), "%T", now.Format("15:04:05"), "%Y", now.Format("2006"), "%m", now.Format("01"), "%d", now.Format("02"), "%H", now.Format("15"),
				"%M", now.Format("04"), "%S", now.Format("05"), "%Z", "UTC", "%z", "+0000", "%s", strconv.FormatInt(now.Unix(), 10), "%N", now.Format("000000000"), "%%", "%").Replace(format)
		}
	}
	fmt.Fprintln(p.Stdout, text)
	return 0
}

func ps(p *Process, _ []string) int32 {
	fmt.Fprintln(p.Stdout, "PID   USER     TIME  COMMAND")
	fmt.Fprintf(p.Stdout, "    1 %-8s  0:00 %s\n", userName(p.uid), strings.Join(p.first, " "))
	fmt.Fprintf(p.Stdout, "    7 %-8s  0:00 %s\n", userName(p.uid), strings.Join(p.Args, " "))
	return 0
}

// test has the status 0 if a condition holds. It knows -e, -f, -d and -s for files, and -n, -z, = and != for texts.
func test(p *Process, args []string) int32 {
	if n := len(args); n > 0 && args[n-1] == "]" {
		args = args[:n-1]
	}
	holds := len(args) == 1 && args[0] != ""
	switch {
	case len(args) == 3 && (args[1] == "=" || args[1] == "=="):
		holds = args[0] == args[2]
	case len(args) == 3 && args[1] == "!=":
		holds = args[0] != args[2]
	case len(args) == 2 && (args[0] == "-n" || args[0] == "-z"):
		holds = (args[1] == "") == (args[0] == "-z")
	case len(args) == 2:
		info, err := fs.Stat(p.files, p.at(args[1]))
		holds = err == nil && (args[0] == "-e" || args[0] == "-f" && !info.IsDir() || args[0] == "-d" && info.IsDir() || args[0] == "-s" && info.Size() > 0)
	}
	if holds {
		return 0
	}
	return 1
}

func mkdir(p *Process, args []string) (status int32) {
	letters, names := flags(args)
	for _, name := range names {
		at, err := p.at(name), error(nil)
		if !strings.Contains(letters, "p") {
			if _, err = fs.Stat(p.files, at); err == nil {
				err = fs.ErrExist
			} else {
				_, err = fs.Stat(p.files, path.Dir(at))
			}
		}
		if err == nil {
			err = p.files.put(at, fs.ModeDir|0o755, nil)
		}
		if err != nil {
			status = p.fails("mkdir: can't create directory", "'"+name+"'", err)
		}
	}
	return status
}

func rm(p *Process, args []string) (status int32) {
	letters, names := flags(args)
	for _, name := range names {
		info, err := fs.Stat(p.files, p.at(name))
		switch {
		case err != nil && strings.Contains(letters, "f"):
			continue
		case err == nil && info.IsDir() && !strings.ContainsAny(letters, "rR"):
			fmt.Fprintf(p.Stderr, "rm: '%s' is a directory\n", name)
			status = 1
			continue
		case err == nil:
			err = p.files.remove(p.at(name))
		}
		if err != nil {
			status = p.fails("rm: can't remove", "'"+name+"'", err)
		}
	}
	return status
}

func touch(p *Process, names []string) (status int32) {
	for _, name := range names {
		if _, err := (appender{p.files, p.at(name)}).Write(nil); err != nil {
			status = p.fails("touch", name, err)
		}
	}
	return status
}

// grep prints the lines of files, or of the input, that contain a text.
func grep(p *Process, args []string) int32 {
	letters, rest := flags(args)
	if len(rest) == 0 {
		fmt.Fprintln(p.Stderr, "usage: grep TEXT [FILE]...")
		return 2
	}
	var text bytes.Buffer
	q := *p
	q.Stdout = &text
	if status := cat(&q, rest[1:]); status != 0 {
		return 2
	}
	status := int32(1)
	for line := range strings.Lines(text.String()) {
		if strings.Contains(line, rest[0]) == strings.Contains(letters, "v") {
			continue
		}
		if status = 0; !strings.Contains(letters, "q") {
			fmt.Fprint(p.Stdout, line)
		}
	}
	return status
}

// kill sends a signal to the first process of the container. It is not killed by SIGKILL, as none is from within.
func kill(p *Process, args []string) int32 {
	name := "SIGTERM"
	for _, a := range args {
		if a == "1" && p.toFirst != nil {
			p.toFirst(name)
			return 0
		}
		if word, ok := strings.CutPrefix(a, "-"); ok {
			name = "SIG" + strings.TrimPrefix(strings.ToUpper(word), "SIG")
			if number, ok := map[string]string{"1": "HUP", "2": "INT", "3": "QUIT", "9": "KILL", "15": "TERM"}[word]; ok {
				name = "SIG" + number
			}
		}
	}
	fmt.Fprintln(p.Stderr, "kill: can't kill pid: No such process")
	return 1
}
