package story

import (
	"iter"
	"reflect"
	"slices"

	"github.com/lwtest/lwtest/harness"
)

// Simpler implements harness.Language. It yields the story without half of its steps, without a quarter of them and so
// on, and then with one step simpler.
func (v *Vocabulary[W]) Simpler(s harness.Script) iter.Seq[harness.Script] {
	was := Of(s)
	return func(yield func(harness.Script) bool) {
		try := func(steps []Step) bool {
			now := was
			now.Steps = steps
			return len(steps) == 0 || yield(v.Script(now))
		}
		for size := (len(was.Steps) + 1) / 2; size > 0; size /= 2 {
			for at := 0; at < len(was.Steps); at += size {
				if !try(slices.Delete(slices.Clone(was.Steps), at, min(at+size, len(was.Steps)))) {
					return
				}
			}
		}
		for i, step := range was.Steps {
			for _, easier := range simplerStep(step) {
				if v.validate(easier) != nil {
					continue // an argument that it must have
				}
				steps := slices.Clone(was.Steps)
				steps[i] = easier
				if !try(steps) {
					return
				}
			}
		}
	}
}

// simplerStep returns the step with one thing less: not asynchronous, with a smaller number, or with an argument less.
func simplerStep(s Step) (out []Step) {
	change := func(f func(*Step)) {
		now := s
		f(&now)
		out = append(out, now)
	}
	if s.Async {
		change(func(s *Step) { s.Async = false })
	}
	if s.N > 1 {
		change(func(s *Step) { s.N = 1 })
		change(func(s *Step) { s.N /= 2 })
	}
	if s.With == nil {
		return out
	}
	change(func(s *Step) { s.With = nil })
	for _, with := range zeroed(reflect.ValueOf(s.With)) {
		change(func(s *Step) { s.With = with.Interface() })
	}
	return out
}

// zeroed returns copies of a struct, each with one field less that is not zero. What lies behind a pointer loses its
// fields, too, and a list loses one element, or a field of one.
func zeroed(v reflect.Value) (out []reflect.Value) {
	if v.Kind() != reflect.Struct {
		return nil
	}
	set := func(i int, to reflect.Value) {
		now := reflect.New(v.Type()).Elem()
		now.Set(v)
		now.Field(i).Set(to)
		out = append(out, now)
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() || !v.Type().Field(i).IsExported() {
			continue
		}
		set(i, reflect.Zero(f.Type()))
		switch f.Kind() {
		case reflect.Pointer:
			for _, less := range zeroed(f.Elem()) {
				p := reflect.New(less.Type())
				p.Elem().Set(less)
				set(i, p)
			}
		case reflect.Slice:
			for _, less := range shorter(f) {
				set(i, less)
			}
		case reflect.Struct:
			for _, less := range zeroed(f) {
				set(i, less)
			}
		}
	}
	return out
}

// shorter returns copies of a list, each with one element less, or with one that has a field less.
func shorter(list reflect.Value) (out []reflect.Value) {
	n := list.Len()
	for i := range n {
		without := reflect.AppendSlice(reflect.MakeSlice(list.Type(), 0, i), list.Slice(0, i)) // no capacity to share
		if n > 1 {
			out = append(out, reflect.AppendSlice(without, list.Slice(i+1, n)))
		}
		for _, less := range zeroed(list.Index(i)) {
			out = append(out, reflect.AppendSlice(reflect.Append(without, less), list.Slice(i+1, n)))
		}
	}
	return out
}

// Shrink returns the smallest story that it finds for which fails still holds, and how many it has tried. It tries none
// after more has returned false.
func Shrink(l harness.Language, s harness.Script, more func(tried int) bool, fails func(harness.Script) bool) (harness.Script, int) {
	tried := 0
	for again := true; again; {
		again = false
		for easier := range l.Simpler(s) {
			if !more(tried) {
				return s, tried
			}
			tried++
			if fails(easier) {
				s, again = easier, true
				break
			}
		}
	}
	return s, tried
}
