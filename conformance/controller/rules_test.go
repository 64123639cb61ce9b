package controller

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// byHand is a history that is written by hand, one event a line:
//
//	RUN                                      an undisturbed run; RUN TEXT is one that TEXT disturbs
//	START life1, STOP life1, KILL life1, OVER life1, STUCK life1
//	life1 PUT configmaps/default/a -> OBJECT a write and its answer; with "! 409 Conflict" it fails; rv=3 is what it has sent, was=OBJECT what a delete found
//	user DELETE configmaps/default/a         a write of a user; other is another client
//	DISTURB                                  what was to go wrong does
//	REST, ... 5s                             nothing is written; time passes
//	MAY list:pods get:pods                   the role of the controller in the runs that follow
//	FINAL OBJECT OBJECT                      the run ends with these; reads=N: so many reads in the last ten minutes; asks=get:pods: what the controller has asked for
//
// An object is KIND/NAME followed by uid=, rv=, generation= and other fields in brackets: ConfigMap/a[uid=u1 data=x].
func byHand(t *testing.T, text string) *history.History {
	t.Helper()
	b := &builder{t: t}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			b.line(words)
		}
	}
	h, err := history.New(history.Header{Kind: "controller", Time: history.VirtualTime}, b.events)
	require.NoError(t, err)
	return h
}

type builder struct {
	t      *testing.T
	events []history.Event
	now    time.Duration
	writes int
	runs   int
	role   []Allowed
}

func (b *builder) add(e history.Event) int32 {
	e.At = int64(b.now)
	b.events = append(b.events, e)
	return int32(len(b.events))
}

func (b *builder) raw(v any) json.RawMessage {
	out, err := json.Marshal(v)
	require.NoError(b.t, err)
	return out
}

func (b *builder) line(words []string) {
	rest := words[1:]
	switch words[0] {
	case "...":
		d, err := time.ParseDuration(rest[0])
		require.NoError(b.t, err)
		b.now += d
	case "RUN":
		b.runs++
		b.writes = 0
		info := runInfo{Run: b.runs, Role: b.role}
		if len(rest) > 0 {
			info.Disturbed = []string{strings.Join(rest, " ")}
		}
		b.add(history.Event{Actor: runActor, Kind: evRun, X: &history.Ext{Body: b.raw(info)}})
	case "MAY":
		for _, w := range rest {
			verb, resource, _ := strings.Cut(w, ":")
			b.role = append(b.role, Allowed{PolicyRule: rbacv1.PolicyRule{Verbs: []string{verb}, APIGroups: []string{""}, Resources: []string{resource}}})
		}
	case "REST":
		b.add(history.Event{Actor: runActor, Kind: evRest})
	case "DISTURB":
		b.add(history.Event{Actor: "life1", Kind: evDisturb})
	case "START", "STOP", "KILL", "OVER", "STUCK":
		b.add(history.Event{Actor: rest[0], Kind: words[0]})
	case "FINAL":
		b.final(rest)
	default:
		b.write(words[0], rest)
	}
}

func (b *builder) final(words []string) {
	end := final{Struck: true}
	for _, w := range words {
		if n, ok := strings.CutPrefix(w, "reads="); ok {
			_, err := fmt.Sscan(n, &end.Reads)
			require.NoError(b.t, err)
			continue
		}
		if what, ok := strings.CutPrefix(w, "asks="); ok {
			verb, resource, _ := strings.Cut(what, ":")
			end.Asked = append(end.Asked, Right{Verb: verb, Resource: resource})
			continue
		}
		end.Objects = append(end.Objects, b.object(w))
	}
	b.add(history.Event{Actor: runActor, Kind: evFinal, X: &history.Ext{Body: b.raw(end)}})
}

// object reads KIND/NAME[field=value,…].
func (b *builder) object(text string) json.RawMessage {
	name, fields, _ := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	kind, name, _ := strings.Cut(name, "/")
	version := "v1"
	if kind == "Fleet" {
		version = "example.com/v1"
	}
	m := map[string]any{"name": name, "namespace": "default", "uid": "uid-" + name, "resourceVersion": "1"}
	o := map[string]any{"apiVersion": version, "kind": kind, "metadata": m}
	for _, f := range strings.Split(fields, ",") {
		k, v, ok := strings.Cut(f, "=")
		var value any = v
		if json.Unmarshal([]byte(v), &value) != nil {
			value = v
		}
		switch k {
		case "uid", "rv", "generation", "deletionTimestamp", "finalizers", "generateName":
			if k == "rv" {
				k, value = "resourceVersion", v
			}
			m[k] = value
		case "owner":
			m["ownerReferences"] = []any{map[string]any{"kind": "Fleet", "uid": v, "controller": true}}
		case "note":
			m["annotations"] = map[string]string{OtherAnnotation: v}
		case "observed":
			o["status"] = map[string]any{"observedGeneration": value}
		default:
			if ok {
				o[k] = value
			}
		}
	}
	return b.raw(o)
}

func (b *builder) write(actor string, words []string) {
	var args written
	if strings.HasPrefix(actor, "life") {
		b.writes++
		args.Write = b.writes
	}
	answer := history.Event{Phase: history.Return, Actor: actor, Kind: words[0], X: &history.Ext{}}
	for i, w := range words[2:] {
		k, v, _ := strings.Cut(w, "=")
		switch {
		case w == "!":
			answer.X.Err = &history.Error{Reason: words[i+4], Definite: true, Msg: "it says why"}
			_, err := fmt.Sscan(words[i+3], &answer.X.Err.Code)
			require.NoError(b.t, err)
		case w == "->":
			answer.X.Body = b.object(words[i+3])
		case k == "rv":
			args.RV = v
		case k == "wasrv":
			args.WasRV = v
		case w == "ownerless":
			args.Ownerless = true
		case k == "beside":
			args.Beside = strings.Split(v, ",")
		case k == "was":
			args.Was = b.object(v)
		}
	}
	answer.Call = b.add(history.Event{Phase: history.Call, Actor: actor, Kind: words[0], Obj: history.Ref{Key: words[1]}, X: &history.Ext{Args: b.raw(args)}})
	b.add(answer)
}

// judged is a history, and what a rule says of it.
type judged struct {
	name, history string
	got           string // a part of the only finding; empty: there is none
	untested      bool
}

const (
	begin = `
		RUN
		START life1
	`
	calm = begin + `
		life1 POST configmaps/default -> ConfigMap/a
		... 20m
		FINAL ConfigMap/a PersistentVolumeClaim/c
	`
	disturbed = calm + `
		RUN kill
		START life1
	`
	oneShip = begin + `
		life1 POST configmaps/default -> ConfigMap/a[owner=f]
		FINAL ConfigMap/a
		RUN late
		START life1
	`
)

var ruleHistories = map[string][]judged{
	"converge/same": {
		{name: "the same", history: disturbed + `DISTURB
			FINAL ConfigMap/a[rv=7,uid=other] PersistentVolumeClaim/c`},
		{name: "nothing was disturbed", untested: true, history: calm},
		{name: "one is missing", got: "0 of ConfigMap default/a, where undisturbed there are 1", history: disturbed + `FINAL PersistentVolumeClaim/c`},
		{name: "one more is not for this rule", history: disturbed + `FINAL ConfigMap/a ConfigMap/b PersistentVolumeClaim/c`},
		{name: "a field differs", got: `has data: "x", where undisturbed it has ""`, history: disturbed + `FINAL ConfigMap/a[data=x] PersistentVolumeClaim/c`},
		{name: "it differs among undisturbed runs, too", history: calm + `
			RUN
			FINAL ConfigMap/a[data=y] PersistentVolumeClaim/c
			RUN kill
			FINAL ConfigMap/a[data=x] PersistentVolumeClaim/c`},
	},
	"safety/create": {
		{name: "the same", history: disturbed + `life1 POST configmaps/default -> ConfigMap/a
			FINAL ConfigMap/a PersistentVolumeClaim/c`},
		{name: "one more", got: "1 of ConfigMap default/b", history: disturbed + `life1 POST configmaps/default -> ConfigMap/b
			FINAL ConfigMap/a ConfigMap/b PersistentVolumeClaim/c`},
	},
	"safety/surplus": {
		{name: "as many", history: disturbed + `life1 POST configmaps/default -> ConfigMap/a
			FINAL ConfigMap/a`},
		{name: "a create that was refused does not count", history: disturbed + `life1 POST configmaps/default -> ConfigMap/a
			life1 POST configmaps/default ! 409 AlreadyExists
			FINAL ConfigMap/a`},
		{name: "for an owner that is gone", history: disturbed + `life1 POST configmaps/default -> ConfigMap/a
			life1 POST configmaps/default ownerless -> ConfigMap/b
			FINAL ConfigMap/a`},
		{name: "one more", got: "2 are created", history: disturbed + `life1 POST configmaps/default -> ConfigMap/a
			life1 POST configmaps/default -> ConfigMap/b
			FINAL ConfigMap/a`},
	},
	"safety/own-creates": {
		{name: "as many", history: oneShip + `life1 POST configmaps/default -> ConfigMap/a[owner=f]
			FINAL ConfigMap/a`},
		{name: "one more", got: "2, all created by life1", history: oneShip + `life1 POST configmaps/default -> ConfigMap/a[owner=f]
			life1 POST configmaps/default beside=uid-a -> ConfigMap/b[owner=f]
			FINAL ConfigMap/a`},
		{name: "the first is gone", history: oneShip + `life1 POST configmaps/default -> ConfigMap/a[owner=f]
			life1 POST configmaps/default -> ConfigMap/b[owner=f]
			FINAL ConfigMap/a`},
		{name: "of another life", history: oneShip + `life1 POST configmaps/default -> ConfigMap/a[owner=f]
			life2 POST configmaps/default beside=uid-a -> ConfigMap/b[owner=f]
			FINAL ConfigMap/a`},
		{name: "of another owner", history: oneShip + `life1 POST configmaps/default -> ConfigMap/a[owner=f]
			life1 POST configmaps/default -> ConfigMap/b[owner=g]
			FINAL ConfigMap/a`},
		{name: "without an owner", untested: true, history: oneShip + `life1 POST configmaps/default -> ConfigMap/a
			life1 POST configmaps/default -> ConfigMap/b
			FINAL ConfigMap/a`},
	},
	"safety/delete": {
		{name: "nothing is deleted", history: disturbed + `FINAL ConfigMap/a PersistentVolumeClaim/c`},
		{name: "a claim is", got: "it is deleted by write 1 (DELETE persistentvolumeclaims/default/c)", history: disturbed + `
			life1 DELETE persistentvolumeclaims/default/c was=PersistentVolumeClaim/c
			FINAL ConfigMap/a PersistentVolumeClaim/c`},
		{name: "a user has deleted it", history: disturbed + `
			user DELETE persistentvolumeclaims/default/c
			life1 DELETE persistentvolumeclaims/default/c was=PersistentVolumeClaim/c
			FINAL ConfigMap/a`},
		{name: "a ConfigMap holds no data", history: disturbed + `
			life1 DELETE configmaps/default/a was=ConfigMap/a
			FINAL PersistentVolumeClaim/c`},
		{name: "it is made anew in undisturbed runs, too", untested: true, history: begin + `
			life1 DELETE persistentvolumeclaims/default/c was=PersistentVolumeClaim/c
			FINAL PersistentVolumeClaim/c
			RUN kill
			life1 DELETE persistentvolumeclaims/default/c was=PersistentVolumeClaim/c
			FINAL PersistentVolumeClaim/c`},
	},
	"quiet/writes": {
		{name: "quiet", history: calm},
		{name: "a heartbeat each minute", history: begin + strings.Repeat("... 1m\nlife1 PUT fleets.example.com/default/f -> Fleet/f\n", 10) + "FINAL"},
		{name: "eleven in ten minutes", got: "undisturbed: 11 writes", history: begin + strings.Repeat("... 50s\nlife1 PUT fleets.example.com/default/f -> Fleet/f\n", 11) + "FINAL"},
		{name: "more than undisturbed", got: "kill: 3 writes", history: disturbed + strings.Repeat("... 1m\nlife1 PUT fleets.example.com/default/f -> Fleet/f\n", 3) + "FINAL"},
	},
	"rights/enough": {
		{name: "all is allowed", history: "MAY list:pods get:pods\n" + begin + "FINAL asks=list:pods asks=get:pods"},
		{name: "one is not", got: "undisturbed: it asks to create pods", history: "MAY list:pods\n" + begin + "FINAL asks=list:pods asks=create:pods"},
		{name: "no role is known", untested: true, history: begin + "FINAL asks=create:pods"},
	},
	"rights/used": {
		{name: "all is used", history: "MAY list:pods get:pods\n" + begin + "FINAL asks=list:pods asks=get:pods"},
		{name: "one is not", got: "nothing asks to get pods", history: "MAY list:pods get:pods\n" + begin + "FINAL asks=list:pods"},
		{name: "no role is known", untested: true, history: begin + "FINAL asks=create:pods"},
	},
	"quiet/reads": {
		{name: "few", history: begin + "FINAL reads=600"},
		{name: "many", got: "601 reads", history: begin + "FINAL reads=601"},
	},
	"pace/errors": {
		{name: "slowly", history: begin + strings.Repeat("life1 PUT configmaps/default/a ! 500 InternalError\n... 100ms\n", 30) + "FINAL"},
		{name: "in a tight loop", got: "is refused and sent again 20 times", history: begin + strings.Repeat("life1 PUT configmaps/default/a ! 500 InternalError\n... 10ms\n", 25) + "FINAL"},
		{name: "of two lives", history: begin + strings.Repeat("life1 PUT configmaps/default/a ! 500 InternalError\nlife2 PUT configmaps/default/a ! 500 InternalError\n... 1ms\n", 12) + "FINAL"},
		{name: "nothing is refused", untested: true, history: calm},
	},
	"overwrite/fields": {
		{name: "it stays", history: begin + `other PATCH configmaps/default/a -> ConfigMap/a[note=1]
			FINAL ConfigMap/a[note=1]`},
		{name: "it is gone", got: "it is gone after write 1 (PUT configmaps/default/a)", history: begin + `other PATCH configmaps/default/a -> ConfigMap/a[note=1]
			life1 PUT configmaps/default/a -> ConfigMap/a
			FINAL ConfigMap/a`},
		{name: "the object is another", untested: true, history: begin + `other PATCH configmaps/default/a -> ConfigMap/a[note=1]
			FINAL ConfigMap/a[uid=new]`},
	},
	"conflict/fresh": {
		{name: "with what is there now", history: begin + `life1 PUT configmaps/default/a rv=3 ! 409 Conflict
			... 2m
			life1 PUT configmaps/default/a rv=4 -> ConfigMap/a
			FINAL`},
		{name: "its cache is behind for a moment", history: begin + `life1 PUT configmaps/default/a rv=3 ! 409 Conflict
			... 1m
			life1 PUT configmaps/default/a rv=3 ! 409 Conflict
			FINAL`},
		{name: "the same again", got: "has resourceVersion 3 again, 1m30s after it was refused", history: begin + `life1 PUT configmaps/default/a rv=3 ! 409 Conflict
			... 90s
			life1 PUT configmaps/default/a rv=3 ! 409 Conflict
			FINAL`},
	},
	"status/observed": {
		{name: "as the generation", history: begin + `life1 PUT fleets.example.com/default/f/status -> Fleet/f[generation=2,observed=2]
			FINAL`},
		{name: "ahead", got: "claims the generation 3", history: begin + `life1 PUT fleets.example.com/default/f/status -> Fleet/f[generation=2,observed=3]
			FINAL`},
	},
	"cleanup/finalizers": {
		{name: "gone", history: begin + `user DELETE fleets.example.com/default/f
			FINAL`},
		{name: "held", got: "is still there, with the finalizers x", history: begin + `user DELETE fleets.example.com/default/f
			FINAL Fleet/f[deletionTimestamp=2000-01-01T00:00:00Z,finalizers=["x"]]`},
	},
	"restart/quiet": {
		{name: "nothing", history: begin + `REST
			STOP life1
			OVER life1
			START life2
			life2 PUT configmaps/default/a wasrv=5 -> ConfigMap/a[rv=5]
			REST
			FINAL`},
		{name: "a change", got: "write 1 (PUT configmaps/default/a)", history: begin + `REST
			STOP life1
			OVER life1
			START life2
			life2 PUT configmaps/default/a wasrv=5 -> ConfigMap/a[rv=6]
			REST
			... 20m
			FINAL`},
		{name: "it was killed", untested: true, history: begin + `REST
			KILL life1
			OVER life1
			START life2
			life2 PUT configmaps/default/a wasrv=5 -> ConfigMap/a[rv=6]
			REST
			FINAL`},
		{name: "it was not at rest", untested: true, history: begin + `REST
			user PATCH configmaps/default/a
			STOP life1
			OVER life1
			START life2
			life2 PUT configmaps/default/a wasrv=5 -> ConfigMap/a[rv=6]
			REST
			FINAL`},
	},
	"stop/ends": {
		{name: "at once", history: begin + `STOP life1
			... 30s
			OVER life1
			FINAL`},
		{name: "late", got: "it runs 31s later", history: begin + `STOP life1
			... 31s
			OVER life1
			FINAL`},
		{name: "never", got: "it runs 5m0s later", history: begin + `STOP life1
			... 5m
			STUCK life1
			FINAL`},
	},
}

func TestRules(t *testing.T) {
	for _, rule := range Suite.Rules {
		all := ruleHistories[rule.Address()]
		assert.NotEmpty(t, all, "%s has no history", rule.Address())
		for _, c := range all {
			t.Run(rule.Address()+"/"+c.name, func(t *testing.T) { c.check(t, rule.Judge(byHand(t, c.history))) })
		}
	}
}

func (c judged) check(t *testing.T, j harness.Judgement) {
	assert.Equal(t, c.untested, j.Tested == 0, "tested %d times", j.Tested)
	if c.got == "" {
		assert.Empty(t, j.Bad)
		return
	}
	if assert.Len(t, j.Bad, 1) {
		assert.Contains(t, j.Bad[0].Got, c.got)
	}
}
