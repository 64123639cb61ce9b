package cri

import (
	"fmt"
	"strings"
)

// token is a word of a script, or what separates commands.
type token struct {
	text      string
	literal   bool // it was in single quotes
	separator bool
	redirect  bool // it is an operator such as 2>
}

// redirect is where a stream of a command goes, or comes from.
type redirect struct {
	operator string // <, or > or >> with the number of a stream before it and, if the target is a stream, & after it
	target   token
}

// node is a command of a script.
type node struct {
	argv       []token
	redirects  []redirect
	background bool
	piped      bool   // its output is the input of the next command
	loop       []node // of an endless loop; nil: a simple command
	unless     byte   // '&': it runs only if the one before succeeded; '|': only if that failed
}

// parse reads a script; see Shell.
func parse(script string) ([]node, error) {
	tokens, err := tokenize(script)
	if err != nil {
		return nil, err
	}
	list, rest, err := parseList(tokens, "")
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("syntax error: unexpected %q", rest[0].text)
	}
	return list, err
}

// parseList reads commands up to a closing word.
func parseList(tokens []token, until string) (list []node, rest []token, err error) {
	var unless byte
	for len(tokens) > 0 {
		if t := tokens[0]; t.separator {
			if unless = 0; t.text == "&&" || t.text == "||" {
				unless = t.text[0]
			}
			tokens = tokens[1:]
			continue
		}
		if tokens[0].text == until && until != "" {
			return list, tokens[1:], nil
		}
		var n node
		if tokens[0].text == "while" {
			n, tokens, err = parseLoop(tokens[1:])
		} else {
			n, tokens, err = parseSimple(tokens)
		}
		if err != nil {
			return nil, nil, err
		}
		n.unless, n.piped = unless, len(tokens) > 1 && tokens[0].separator && tokens[0].text == "|"
		if n.background = len(tokens) > 0 && tokens[0].separator && tokens[0].text == "&"; len(n.argv) > 0 || n.loop != nil {
			list = append(list, n)
		}
	}
	if until != "" {
		return nil, nil, fmt.Errorf("syntax error: %q is missing", until)
	}
	return list, nil, nil
}

// parseLoop reads `true; do …; done`. There is no other condition.
func parseLoop(tokens []token) (node, []token, error) {
	for len(tokens) > 0 && tokens[0].text != "do" {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		return node{}, nil, fmt.Errorf(`syntax error: "do" is missing`)
	}
	list, rest, err := parseList(tokens[1:], "done")
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("syntax error: a loop has no command")
	}
	return node{loop: list}, rest, err
}

// parseSimple reads a command with its words.
func parseSimple(tokens []token) (n node, rest []token, err error) {
	for len(tokens) > 0 && !tokens[0].separator {
		if t := tokens[0]; !t.redirect {
			n.argv = append(n.argv, t)
		} else if len(tokens) > 1 && !tokens[1].separator && !tokens[1].redirect {
			n.redirects = append(n.redirects, redirect{t.text, tokens[1]})
			tokens = tokens[1:]
		} else {
			return n, nil, fmt.Errorf("syntax error: %s has no file", t.text)
		}
		tokens = tokens[1:]
	}
	return n, tokens, nil
}

// tokenize splits a script into words and separators.
func tokenize(script string) (all []token, err error) {
	var word strings.Builder
	quoted, literal := false, false
	end := func() {
		if word.Len() > 0 || quoted {
			all = append(all, token{text: word.String(), literal: literal})
		}
		word.Reset()
		quoted, literal = false, false
	}
	for i := 0; i < len(script); i++ {
		switch c := script[i]; {
		case c == '\'' || c == '"':
			n := strings.IndexByte(script[i+1:], c)
			if n < 0 {
				return nil, fmt.Errorf("syntax error: unterminated quoted string")
			}
			word.WriteString(script[i+1 : i+1+n])
			quoted, literal = true, c == '\''
			i += n + 1
		case c == ' ' || c == '\t':
			end()
		case c == '$' && strings.HasPrefix(script[i:], "$("): // the shell runs it when it expands the word
			n := closed(script[i:])
			if n < 0 {
				return nil, fmt.Errorf("syntax error: unterminated $(")
			}
			word.WriteString(script[i : i+n])
			i += n - 1
		case c == '<' || c == '>':
			number := ""
			if w := word.String(); !quoted && (w == "1" || w == "2") {
				number = strings.TrimPrefix(w, "1")
				word.Reset()
			}
			end()
			first := i
			for i+1 < len(script) && (script[i+1] == '&' || script[i+1] == c) {
				i++
			}
			all = append(all, token{text: number + script[first:i+1], redirect: true})
		case c == ';' || c == '\n' || c == '&' || c == '|':
			end()
			text := string(c)
			if i+1 < len(script) && script[i+1] == c && (c == '&' || c == '|') {
				text += string(c)
				i++
			}
			all = append(all, token{text: text, separator: true})
		default:
			word.WriteByte(c)
		}
	}
	end()
	return all, nil
}

// closed returns the length of a $(…) at the beginning of a text; -1: it has no end.
func closed(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
