package controller

import "github.com/lwtest/lwtest/harness/history"

// score counts the classes of request and event that a history has.
func score(h *history.History) map[string]int {
	out, r := map[string]int{}, recordOf(h)
	for _, p := range r.all() {
		if len(p.info.Disturbed) > 0 {
			out["disturbed"]++
		}
		if p.info.Role != nil {
			out["role"]++
		}
		for _, w := range p.writes {
			if w.created() {
				out["created"]++
			}
			if w.args.Subresource == "status" {
				out["status"]++
			}
			if w.err != nil && w.err.Code == 409 {
				out["conflict"]++
			}
			if w.err != nil && w.err.Code >= 400 {
				out["refused again and again"]++
			}
		}
		for _, u := range p.user {
			if u.actor == otherActor {
				out["other client"]++
			}
			if u.verb == "DELETE" {
				out["deleted"]++
			}
		}
		out["rest"] += len(p.rests)
		if len(p.info.Disturbed) == 0 {
			out["undone"] += len(p.undone())
		}
		for i, l := range p.lives {
			if l.stop.num != 0 {
				out["stop"]++
				out["lease"] += len(p.held(l))
			}
			if l.left.num != 0 {
				out["goroutines"]++
			}
			if i > 0 {
				out["restart"]++
			}
		}
	}
	return out
}
