package mutants

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// altered are stores that write what they are sent a little otherwise, and answer with that.
func altered() []Mutant {
	const values, notes = "values", "annotations"
	var all []Mutant
	for _, a := range []struct {
		name, where, about string
		alter              func(string) string
	}{
		{"newline-unstored", values, "values without the newline at their end", func(v string) string { return strings.TrimRight(v, "\n") }},
		{"ascii-stored", values, "a ? for each character of values that is not ASCII", above(127)},
		{"returns-unstored", values, "a newline for each carriage return and newline in values", strings.NewReplacer("\r\n", "\n").Replace},
		{"escapes-stored", values, "&amp; for each & in values", strings.NewReplacer("&", "&amp;").Replace},
		{"tabs-unstored", values, "a blank for each tab in values", strings.NewReplacer("\t", " ").Replace},
		{"plane-stored", values, "a ? for each character of values above U+FFFF", above(0xffff)},
		{"note-ascii-stored", notes, "a ? for each character of annotations that is not ASCII", above(127)},
		{"note-returns-unstored", notes, "a newline for each carriage return and newline in annotations", strings.NewReplacer("\r\n", "\n").Replace},
		{"note-escapes-stored", notes, "&amp; for each & in annotations", strings.NewReplacer("&", "&amp;").Replace},
		{"note-tabs-unstored", notes, "a blank for each tab in annotations", strings.NewReplacer("\t", " ").Replace},
		{"note-plane-stored", notes, "a ? for each character of annotations above U+FFFF", above(0xffff)},
		{"note-cut", notes, "the first 32 KiB of annotations", func(v string) string { return v[:min(len(v), 32<<10)] }},
	} {
		all = append(all, Mutant{
			Name: a.name, Rule: "watchcache/write/response",
			About: fmt.Sprintf("creates and updates store %s, and say so in their answers", a.about),
			Open: storing(func(m, _ *corev1.ConfigMap) {
				of := map[string]map[string]string{values: m.Data, notes: m.Annotations}[a.where]
				for k, v := range of {
					of[k] = a.alter(v)
				}
			}),
		})
	}
	return all
}

// above writes a ? for each character above one.
func above(last rune) func(string) string {
	return func(v string) string {
		return strings.Map(func(c rune) rune {
			if c > last {
				return '?'
			}
			return c
		}, v)
	}
}
