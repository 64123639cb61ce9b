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
//	life1 PUT configmaps/default/a -> OBJECT a write and its answer; with "! 409 Conflict" it fails; rv=3 is what it has sent, creates marks a server-side apply that creates its object, was=OBJECT what a delete found
//	user DELETE configmaps/default/a         a write of a user, which sends=OBJECT; other is another client
//	DISTURB TEXT                             what was to go wrong does, at the last write; TEXT says what
//	REST OBJECT, ... 5s                      nothing is written, and the objects are these; time passes
//	OVER life1 TEXT                          the life has ended by itself, for this reason
//	life1 LEASE KEY holder 15                the life writes a Lease; "-" is no holder
//	REMAINS life1 TEXT TEXT                     these still run of a life that has ended
//	MAY list:pods get:pods                   the role of the controller in the runs that follow
//	FINAL OBJECT OBJECT                      the run ends with these; reads=N: so many reads in the last ten minutes; spared: nothing went wrong; asks=get:pods: what the controller has asked for
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
	last   int32 // write
	runs   int
	role   []Allowed
	wrong  []string // what disturbs the run, and comes about
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
		b.wrong = nil
		if len(rest) > 0 {
			b.wrong = []string{strings.Join(rest, " ")}
		}
		info := runInfo{Run: b.runs, Role: b.role, Disturbed: b.wrong}
		b.add(history.Event{Actor: runActor, Kind: evRun, X: &history.Ext{Body: b.raw(info)}})
	case "MAY":
		for _, w := range rest {
			verb, resource, _ := strings.Cut(w, ":")
			b.role = append(b.role, Allowed{PolicyRule: rbacv1.PolicyRule{Verbs: []string{verb}, APIGroups: []string{""}, Resources: []string{resource}}})
		}
	case "REST":
		b.rest(rest)
	case "DISTURB":
		e := history.Event{Actor: "life1", Kind: evDisturb}
		if len(rest) > 0 {
			e.Call, e.X = b.last, &history.Ext{Body: b.raw(strings.Join(rest, " "))}
		}
		b.add(e)
	case "START", "STOP", "KILL", "OVER", "STUCK":
		e := history.Event{Actor: rest[0], Kind: words[0]}
		if len(rest) > 1 {
			e.X = &history.Ext{Err: &history.Error{Msg: strings.Join(rest[1:], " ")}}
		}
		b.add(e)
	case evLeft:
		b.add(history.Event{Actor: rest[0], Kind: evLeft, X: &history.Ext{Body: b.raw(rest[1:])}})
	case "FINAL":
		b.final(rest)
	default:
		if rest[0] == evLease {
			b.lease(words[0], rest[1:])
			return
		}
		b.write(words[0], rest)
	}
}

func (b *builder) rest(objects []string) {
	e := history.Event{Actor: runActor, Kind: evRest}
	if len(objects) > 0 {
		var at rested
		for _, o := range objects {
			at.Objects = append(at.Objects, b.object(o))
		}
		e.X = &history.Ext{Body: b.raw(at)}
	}
	b.add(e)
}

func (b *builder) lease(actor string, words []string) {
	now := lease{Key: words[0], Holder: strings.TrimPrefix(words[1], "-")}
	_, err := fmt.Sscan(words[2], &now.Seconds)
	require.NoError(b.t, err)
	b.add(history.Event{Actor: actor, Kind: evLease, X: &history.Ext{Body: b.raw(now)}})
}

func (b *builder) final(words []string) {
	end := final{Came: b.wrong}
	for _, w := range words {
		if w == "spared" {
			end.Came = nil
			continue
		}
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
	var sent json.RawMessage
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
		case w == "creates":
			args.Creates = true
		case w == "ownerless":
			args.Ownerless = true
		case k == "beside":
			args.Beside = strings.Split(v, ",")
		case k == "sends":
			sent = b.object(v)
		case k == "was":
			args.Was = b.object(v)
		}
	}
	if sent == nil {
		sent = b.raw(args)
	}
	b.last = b.add(history.Event{Phase: history.Call, Actor: actor, Kind: words[0], Obj: history.Ref{Key: words[1]}, X: &history.Ext{Args: sent}})
	answer.Call = b.last
	b.add(answer)
}

// judged is a history, and what a rule says of it.
type judged struct {
	name, history string
	got           string // a part of the only finding; empty: there is none
	untested      bool
	spared        string
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
	held = begin + `life1 LEASE leases/l me 15
	`
	pair = begin + `user POST fleets.example.com/default -> Fleet/f[size=1]
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
		{name: "nothing could be disturbed", untested: true, spared: "nothing that the controller did could be disturbed in this way, in any of 1 runs", history: disturbed + `FINAL spared`},
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
		{name: "one more by a server-side apply", got: "2 are created", history: disturbed + `life1 POST configmaps/default -> ConfigMap/a
			life1 PATCH configmaps/default/b creates -> ConfigMap/b
			FINAL ConfigMap/a`},
		{name: "a server-side apply to an object that exists", history: disturbed + `life1 POST configmaps/default -> ConfigMap/a
			life1 PATCH configmaps/default/a -> ConfigMap/a
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
		{name: "a third that is made anew, where undisturbed one is", got: "it is deleted by write 3", history: begin + `
			life1 DELETE persistentvolumeclaims/default/c was=PersistentVolumeClaim/c
			FINAL PersistentVolumeClaim/c
			RUN kill
			life1 DELETE persistentvolumeclaims/default/c was=PersistentVolumeClaim/c[uid=u1]
			life1 DELETE persistentvolumeclaims/default/c was=PersistentVolumeClaim/c[uid=u1]
			life1 DELETE persistentvolumeclaims/default/c was=PersistentVolumeClaim/c[uid=u2]
			FINAL PersistentVolumeClaim/c`},
		{name: "it is made anew in undisturbed runs, too", history: begin + `
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
		{name: "more than undisturbed", got: "kill: 3 writes", history: disturbed + "DISTURB kill\n... 8m\n" + strings.Repeat("... 1m\nlife1 PUT fleets.example.com/default/f -> Fleet/f\n", 3) + "FINAL"},
		{name: "more, and something has just gone wrong", history: disturbed + "DISTURB kill\n" + strings.Repeat("... 1m\nlife1 PUT fleets.example.com/default/f -> Fleet/f\n", 3) + "FINAL"},
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
		{name: "once, after a while", history: begin + "life1 PUT configmaps/default/a ! 500 InternalError\n... 2s\nlife1 PUT configmaps/default/a -> ConfigMap/a\nFINAL"},
		{name: "never", untested: true, history: begin + "life1 PUT configmaps/default/a ! 500 InternalError\nFINAL"},
		{name: "slowly", history: begin + strings.Repeat("life1 PUT configmaps/default/a ! 500 InternalError\n... 100ms\n", 30) + "FINAL"},
		{name: "in a tight loop", got: "is refused and sent again 50 times", history: begin + strings.Repeat("life1 PUT configmaps/default/a ! 500 InternalError\n... 10ms\n", 55) + "FINAL"},
		{name: "of two lives", history: begin + strings.Repeat("life1 PUT configmaps/default/a ! 500 InternalError\nlife2 PUT configmaps/default/a ! 500 InternalError\n... 1ms\n", 30) + "FINAL"},
		{name: "of two lives that undo what the other does", history: begin + strings.Repeat("life1 PUT configmaps/default/a ! 409 Conflict\nlife1 PUT configmaps/default/a ! 409 Conflict\nlife2 DELETE configmaps/default/b\n... 1ms\n", 60) + "FINAL"},
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
		{name: "it began beside the other", untested: true, history: begin + `START life2
			life2 PUT configmaps/default/a wasrv=5 -> ConfigMap/a[rv=6]
			REST
			STOP life1
			OVER life1
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
	"stop/lease": {
		{name: "released", history: held + `STOP life1
			life1 LEASE leases/l - 1
			OVER life1
			FINAL`},
		{name: "made shorter", history: held + `STOP life1
			life1 LEASE leases/l me 1
			OVER life1
			FINAL`},
		{name: "kept", got: "me still holds it for 15 seconds", history: held + `STOP life1
			OVER life1
			FINAL`},
		{name: "another holds it", untested: true, history: held + `START life2
			life2 LEASE leases/l you 15
			STOP life1
			OVER life1
			FINAL`},
		{name: "it was killed", untested: true, history: held + `KILL life1
			OVER life1
			FINAL`},
		{name: "there is none", untested: true, history: begin + `STOP life1
			OVER life1
			FINAL`},
	},
	"undo/same": {
		{name: "as before", history: pair + `REST Fleet/f[size=1,observed=1,generation=1] ConfigMap/a
			user PATCH fleets.example.com/default/f -> Fleet/f[size=2]
			REST Fleet/f[size=2] ConfigMap/a ConfigMap/b
			user PATCH fleets.example.com/default/f -> Fleet/f[size=1]
			REST Fleet/f[size=1,observed=3,generation=3] ConfigMap/a
			FINAL`},
		{name: "one more is there", got: "1 of ConfigMap default/b, where before there are 0", history: pair + `REST Fleet/f[size=1] ConfigMap/a
			user PATCH fleets.example.com/default/f -> Fleet/f[size=2]
			user PATCH fleets.example.com/default/f -> Fleet/f[size=1]
			REST Fleet/f[size=1] ConfigMap/a ConfigMap/b
			FINAL`},
		{name: "a claim stays", history: pair + `REST Fleet/f[size=1]
			user PATCH fleets.example.com/default/f -> Fleet/f[size=2]
			user PATCH fleets.example.com/default/f -> Fleet/f[size=1]
			REST Fleet/f[size=1] PersistentVolumeClaim/c
			FINAL`},
		{name: "a claim is gone", got: "0 of PersistentVolumeClaim default/c", history: pair + `REST Fleet/f[size=1] PersistentVolumeClaim/c
			user PATCH fleets.example.com/default/f -> Fleet/f[size=2]
			user PATCH fleets.example.com/default/f -> Fleet/f[size=1]
			REST Fleet/f[size=1]
			FINAL`},
		{name: "it is not changed back", untested: true, history: pair + `REST Fleet/f[size=1]
			user PATCH fleets.example.com/default/f -> Fleet/f[size=2]
			user PATCH fleets.example.com/default/f -> Fleet/f[size=3]
			REST Fleet/f[size=3]
			FINAL`},
		{name: "something else is done meanwhile", untested: true, history: pair + `REST Fleet/f[size=1]
			user PATCH fleets.example.com/default/f -> Fleet/f[size=2]
			user DELETE configmaps/default/a
			user PATCH fleets.example.com/default/f -> Fleet/f[size=1]
			REST Fleet/f[size=1]
			FINAL`},
	},
	"stop/goroutines": {
		{name: "nothing is left", history: begin + `STOP life1
			REMAINS life1
			FINAL`},
		{name: "it was killed", untested: true, history: begin + `KILL life1
			FINAL`},
		{name: "two wait", got: "1m0s later there is loop, and 1 more", history: begin + `STOP life1
			REMAINS life1 loop sleep
			FINAL`},
	},
	"survive/disturbances": {
		{name: "it goes on", history: disturbed + `FINAL`},
		{name: "it is stopped", history: disturbed + `STOP life1
			OVER life1 context canceled
			FINAL`},
		{name: "it is killed", history: disturbed + `KILL life1
			OVER life1 signal: killed
			FINAL`},
		{name: "it ends", got: "kill: it ends by itself: exit status 2", history: disturbed + `OVER life1 exit status 2
			START life2
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
	assert.Equal(t, c.spared, j.Spared)
	if c.got == "" {
		assert.Empty(t, j.Bad)
		return
	}
	if assert.Len(t, j.Bad, 1) {
		assert.Contains(t, j.Bad[0].Got, c.got)
	}
}
