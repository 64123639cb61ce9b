package apiserver

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// expr is an expression of the little of CEL that a shardSelector needs, and that it is mistaken for.
type expr struct {
	kind int
	text string // of a name, a path, a function or a string
	is   string // the type of a literal
	args []expr // of a call
}

// The kinds of expressions, by CEL's numbers: kube-apiserver names them so.
const (
	aCall    = 1
	aName    = 3
	aLiteral = 5
	aSelect  = 8
)

// word is a token, behind what does not count.
var word = regexp.MustCompile(`^(?:\s|//[^\n]*)*(\|\||&&|[().,!]|[A-Za-z_][A-Za-z_0-9]*|-?[0-9]+|'[^'\n]*'|"[^"\n]*"|$)`)

// reader takes tokens from a text, one ahead.
type reader struct {
	rest, next string
	err        error
	deep       int
}

// CEL's limits: of characters, and of expressions within each other.
const (
	longest = 100_000
	deepest = 250
)

// within counts how deep an expression lies; the answer is for a defer.
func (r *reader) within() (up func()) {
	if r.deep++; r.deep > deepest && r.err == nil {
		r.err = fmt.Errorf("expression recursion limit exceeded: %d", deepest)
	}
	return func() { r.deep-- }
}

func (r *reader) take() string {
	taken := r.next
	m := word.FindStringSubmatch(r.rest)
	if m == nil {
		r.next, r.err = "", fmt.Errorf("token recognition error at: '%s'", strings.TrimSpace(r.rest))
		return taken
	}
	r.rest, r.next = r.rest[len(m[0]):], m[1]
	return taken
}

// accept takes a token if it is the next one.
func (r *reader) accept(t string) bool {
	ok := r.next == t
	if ok {
		r.take()
	}
	return ok
}

// errSyntax: kube-apiserver goes on to say what it expected.
var errSyntax = errors.New("mismatched input")

func parseExpr(text string) (expr, error) {
	if n := utf8.RuneCountInString(text); n > longest {
		return expr{}, fmt.Errorf("expression code point size exceeds limit: size: %d, limit %d", n, longest)
	}
	r := &reader{rest: text}
	r.take()
	e, err := r.any()
	switch {
	case r.err != nil:
		return e, r.err
	case err == nil && r.next != "":
		err = errSyntax
	}
	return e, err
}

func (r *reader) any() (expr, error) {
	return r.binary("||", func() (expr, error) { return r.binary("&&", r.unary) })
}

// binary reads operands joined by an operator.
func (r *reader) binary(op string, operand func() (expr, error)) (expr, error) {
	left, err := operand()
	for err == nil && r.accept(op) {
		var right expr
		right, err = operand()
		left = expr{kind: aCall, text: "_" + op + "_", args: []expr{left, right}}
	}
	return left, err
}

func (r *reader) unary() (expr, error) {
	defer r.within()()
	if r.err != nil {
		return expr{}, r.err
	}
	if !r.accept("!") {
		return r.primary()
	}
	e, err := r.unary()
	return expr{kind: aCall, text: "!_", args: []expr{e}}, err
}

func (r *reader) primary() (expr, error) {
	switch t := r.take(); {
	case t == "(":
		e, err := r.any()
		if err == nil && !r.accept(")") {
			err = errSyntax
		}
		return e, err
	case t == "true", t == "false":
		return expr{kind: aLiteral, is: "bool"}, nil
	case t == "null":
		return expr{kind: aLiteral, is: "structpb.NullValue"}, nil
	case strings.HasPrefix(t, "'"), strings.HasPrefix(t, `"`):
		return expr{kind: aLiteral, is: "string", text: t[1 : len(t)-1]}, nil
	case t != "" && strings.Contains("-0123456789", t[:1]):
		return expr{kind: aLiteral, is: "int64"}, nil
	case isName(t):
		return r.path(t)
	case t == "." && isName(r.next):
		return r.path("." + r.take())
	}
	return expr{}, errSyntax
}

func isName(t string) bool { return t != "" && (t[0] == '_' || t[0]|0x20 >= 'a' && t[0]|0x20 <= 'z') }

// path reads on from a name: fields of it, and a call of a function or of what is taken for a method.
func (r *reader) path(name string) (expr, error) {
	e, last := expr{kind: aName, text: name}, name
	for fields := 0; fields < deepest; fields++ {
		switch {
		case r.accept("("):
			args, err := r.arguments()
			return expr{kind: aCall, text: last, args: args}, err
		case r.accept("."):
			if last = r.take(); !isName(last) {
				return e, errSyntax
			}
			e = expr{kind: aSelect, text: e.text + "." + last}
		default:
			return e, nil
		}
	}
	return e, fmt.Errorf("expression recursion limit exceeded: %d", deepest)
}

func (r *reader) arguments() (out []expr, err error) {
	if r.accept(")") {
		return nil, nil
	}
	for {
		e, err := r.any()
		out = append(out, e)
		switch {
		case err != nil:
			return out, err
		case r.accept(")"):
			return out, nil
		case !r.accept(","):
			return out, errSyntax
		}
	}
}
