package exec

import (
	"encoding/json"
	"fmt"
	"time"
)

// opens is a request after which there may be events of a handle.
type opens interface{ handle() string }

func (o InformerOpen) handle() string { return o.H }
func (o StoreOpen) handle() string    { return o.H }

// pending is a request under way.
type pending struct {
	id     int64
	op     string
	answer chan answer
	line   []byte    // of the request
	sent   time.Time // when
}

// sendLimit is what an adapter may take to read a request.
const sendLimit = 10 * time.Second

// ask sends a request.
func (c *conn) ask(op string, args any) (pending, error) {
	c.sending.Lock()
	defer c.sending.Unlock()
	c.mu.Lock()
	if c.end != nil {
		defer c.mu.Unlock()
		return pending{}, c.end
	}
	c.last++
	p := pending{id: c.last, op: op, answer: make(chan answer, 1), sent: time.Now()}
	line, err := request(p.id, op, args)
	if err != nil {
		defer c.mu.Unlock()
		return pending{}, err
	}
	p.line = line
	c.waiting[p.id] = p
	switch a := args.(type) {
	case opens:
		c.opened[a.handle()] = true
	case Stop:
		c.stopped[a.W] = p.sent
	case Cancel:
		c.cancelled[a.Of] = p.sent
	}
	c.mu.Unlock()
	c.wire.log(toAdapter, line)
	if err := c.p.Send(line, time.Now().Add(sendLimit)); err != nil {
		return pending{}, c.unsent(err)
	}
	return p, nil
}

// unsent is why a request could not be sent: mostly, that nobody is there.
func (c *conn) unsent(err error) error {
	select {
	case <-c.over:
	case <-time.After(2 * patience): // an end, too, may take its time to be seen
		c.close(c.protocolError("it does not read its stdin: "+err.Error(), nil))
	}
	return c.end
}

// request is the line of one: id and op come first, so that it reads well.
func request(id int64, op string, args any) ([]byte, error) {
	fields, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	line := fmt.Appendf(nil, `{"id":%d,"op":%q`, id, op)
	if len(fields) > 2 {
		line = append(append(line, ','), fields[1:]...)
		return line, nil
	}
	return append(line, '}'), nil
}
