package mutants

import (
	"encoding/base64"
	"regexp"
)

var (
	tokenVersion = regexp.MustCompile(`"rv":-?[0-9]+`)
	tokenStart   = regexp.MustCompile(`"start":"(\\.|[^"\\])*"`)
)

// atPresent is a continue token that goes on where another does, at whatever state there is then.
func atPresent(token string) string { return rewritten(token, tokenVersion, `"rv":-1`) }

// atKey is a continue token that goes on at another key.
func atKey(token, key string) string { return rewritten(token, tokenStart, `"start":"/`+key+`"`) }

func rewritten(token string, what *regexp.Regexp, by string) string {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return token
	}
	return base64.RawURLEncoding.EncodeToString(what.ReplaceAll(b, []byte(by)))
}
