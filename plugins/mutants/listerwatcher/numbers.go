package listerwatcher

import (
	"net/url"
	"strconv"
)

// What becomes of a resourceVersion that is kept as a number of some sort; of a text that is none nothing.

func asInt16(rv string) string {
	return asNumber(rv, func(n uint64) string { return strconv.Itoa(int(int16(n))) })
}
func asInt32(rv string) string {
	return asNumber(rv, func(n uint64) string { return strconv.Itoa(int(int32(n))) })
}
func asFloat(rv string) string {
	return asNumber(rv, func(n uint64) string { return strconv.FormatFloat(float64(n), 'f', 0, 64) })
}

func asNumber(rv string, as func(uint64) string) string {
	n, err := strconv.ParseUint(rv, 10, 64)
	if err != nil {
		return rv
	}
	return as(n)
}

// numbered asks at such resourceVersions.
func numbered(as func(rv string) string) wire {
	return query(func(q url.Values) {
		if q.Has("resourceVersion") {
			q.Set("resourceVersion", as(q.Get("resourceVersion")))
		}
	})
}

// laterNumbered does so from the second request of each call on.
func laterNumbered(as func(rv string) string) wire {
	return byTurn(func(q url.Values, first bool) {
		if !first && q.Has("resourceVersion") {
			q.Set("resourceVersion", as(q.Get("resourceVersion")))
		}
	})
}
