package apiserver

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// tokenVersion names the only form of continue token there is.
const tokenVersion = "meta.k8s.io/v1"

// token is what a continue token says: go on at this key, at this revision. Its key is relative to the
// namespace listed, and nothing in it names the list it came from.
type token struct {
	start  string
	rev    uint64
	latest bool // whatever the revision is then (a negative one on the wire)
}

// wireToken is the JSON inside. The revision is a number of any size.
type wireToken struct {
	Version string      `json:"v"`
	Rev     json.Number `json:"rv"`
	Start   string      `json:"start"`
}

// inner gives types the names that kube-apiserver's own have in errors.
var inner = strings.NewReplacer("apiserver.wireToken", "storage.continueToken", "wireToken", "continueToken")

// after is the token that goes on behind key. What comes from a cache
// has a slash before it.
func after(key string, slash bool, rev uint64) token {
	if slash {
		key = "/" + key
	}
	return token{start: key + "\x00", rev: rev}
}

func (t token) encode() string {
	w := wireToken{Version: tokenVersion, Rev: json.Number(format(t.rev)), Start: t.start}
	if t.latest {
		w.Rev = "-1"
	}
	b, err := json.Marshal(w)
	if err != nil {
		panic(err) // two strings and digits
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// key is where the list goes on, below its prefix.
func (t token) key() string { return strings.TrimPrefix(t.start, "/") }

// decodeToken reads a token. Errors are what the real server says after "invalid continue token: ".
func decodeToken(s string) (token, error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return token{}, fmt.Errorf("continue key is not valid: %w", err)
	}
	var w wireToken
	if err := json.Unmarshal(b, &w); err != nil {
		return token{}, fmt.Errorf("continue key is not valid: %s", inner.Replace(err.Error()))
	}
	if w.Version != tokenVersion {
		return token{}, fmt.Errorf("continue key is not valid: server does not recognize this encoded version %v", w.Version)
	}
	t := token{start: w.Start, latest: strings.HasPrefix(string(w.Rev), "-")}
	if !t.latest {
		if t.rev, err = parse(string(w.Rev)); err != nil {
			return token{}, fmt.Errorf("continue key is not valid: %w", err)
		}
		if t.rev == 0 {
			return token{}, errors.New("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
		}
	}
	if w.Start == "" {
		return token{}, errors.New("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
	}
	if key := "/" + t.key(); path.Clean(key) != key { // it must not leave its prefix
		return token{}, fmt.Errorf("continue key is not valid: %s", w.Start)
	}
	return t, nil
}
