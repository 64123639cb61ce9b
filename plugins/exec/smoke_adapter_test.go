package exec

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

// afterwards does what the mode says behind an answer.
func (m *mini) afterwards(r asked) {
	switch m.mode + " " + r.Op {
	case "log-barrier barrier", "log-cancel cancel", "log-shutdown shutdown", "log-hello hello":
		fmt.Println("handled " + r.Op)
	case "again barrier":
		m.answer(r.ID, Nothing{})
	case "end-twice case.end":
		if m.now {
			m.answer(r.ID, Nothing{})
		}
	case "end-garbage case.end":
		if m.now {
			fmt.Println("bye")
		}
	case "end-exit case.end":
		if m.now {
			os.Exit(7)
		}
	case "leaves case.begin":
		if r.Case == "smoke/case" {
			m.begun++
		}
	case "leaves case.end":
		if m.begun == 3 {
			os.Exit(1)
		}
	}
}

// client is an adapter of a list call; true: that was the answer.
func (m *mini) client(r asked) bool {
	if !strings.HasPrefix(m.mode, "client") {
		return false
	}
	switch r.Op {
	case "hello":
		m.answer(r.ID, HelloReply{Protocol: Version, Implementation: "get", Offers: []Offer{{Kind: "listerwatcher", Features: []string{"lists"}}}})
	case "lw.open":
		m.urls[r.H] = r.Server.URL
		m.answer(r.ID, Nothing{})
	case "lw.list":
		err := fmt.Errorf("there is no client %s", r.H)
		if url, ok := m.urls[r.H]; ok {
			if m.mode == "client-dies" { // of an exception that nobody caught
				os.Exit(1)
			}
			_, err = http.Get(url)
		}
		if err == nil {
			m.answer(r.ID, map[string]any{"options": Nothing{}, "metadata": Nothing{}, map[bool]string{true: "items", false: "objects"}[m.mode != "client-objects"]: []Nothing{}})
			return true
		}
		m.say(map[string]any{"id": r.ID, "err": Failure{Msg: err.Error()}})
	case "case.end":
		if m.mode != "client-leaks" {
			clear(m.urls)
		}
		m.answer(r.ID, Nothing{})
	default:
		return false
	}
	return true
}
