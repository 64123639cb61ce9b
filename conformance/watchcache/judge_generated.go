package watchcache

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

// mostRefusedNames is how many creates, one after the other, cannot all have met a name that exists by chance:
// a server makes five letters of its own, and there are millions of those.
const mostRefusedNames = 3

// judgeGenerated looks at creates of which the server makes the name, by place and by what that begins with.
// Where nobody else writes none of them takes the place of an object that is there.
func judgeGenerated(j *harness.Judgement, r *replay.Replay) {
	refused := map[string][]int32{} // calls and returns since the last that was taken
	for i := range r.Writes {
		w := &r.Writes[i]
		call := r.H.Event(w.Call)
		if w.Verb() != replay.Create || !generated(&call.Obj) || w.Return == 0 || w.Outcome == replay.Unknown {
			continue
		}
		of := call.Obj.Key + replay.GenerateName(call)
		switch err := r.H.Event(w.Return).Err(); {
		case err == nil:
			refused[of] = nil
			if _, name := replay.SplitKey(r.H.Key(w.K)); name == "" {
				continue // write/response judges that
			}
			j.Tested++
			if overwritten(r, w) {
				j.Fail("a name that nothing has: "+r.H.Key(w.K)+" was there all the time", "the CREATE was answered with it", w.Call, w.Return)
			}
		case err.Code == http.StatusConflict && err.Reason == string(metav1.StatusReasonAlreadyExists):
			if refused[of] = append(refused[of], w.Call, w.Return); len(refused[of]) == 2*mostRefusedNames {
				j.Tested++
				j.Fail("a name that nothing has", err.String()+", for the third time", refused[of]...)
			}
		}
	}
}

// uncut is how much of a generateName a server keeps that cuts long ones.
const uncut = 30

// beginsAs says that a key's name begins with a generateName, and is more than that; "": there is none.
func beginsAs(generateName, key string) bool {
	_, name := replay.SplitKey(key)
	return generateName == "" || len(generateName) > uncut || strings.HasPrefix(name, generateName) && name != generateName
}
