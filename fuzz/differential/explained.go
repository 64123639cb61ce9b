package differential

import "regexp"

// explanation is a row of the table of differences that stay.
type explanation struct {
	request string // a regular expression of the request's line
	at      string // of the place
	answers string // of "REAL|FAKE"
	ends    bool   // the servers' states differ from there: the story ends
	why     string
}

// explained are the differences that stay, with their reasons.
var explained = []explanation{}

// explain returns the number of the row that explains a gap, or -1.
func explain(request string, g Gap) int {
	for i, e := range explained {
		if match(e.request, request) && match(e.at, g.At) && match(e.answers, g.Real+"|"+g.Fake) {
			return i
		}
	}
	return -1
}

func match(pattern, text string) bool {
	return pattern == "" || regexp.MustCompile(pattern).MatchString(text)
}
