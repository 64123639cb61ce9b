package history

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type labelled struct {
	Labels map[string]string `json:"labels"`
}

type counted struct {
	Labels int `json:"labels"`
}

func TestContent(t *testing.T) {
	h, err := New(Header{Kind: "test", Time: VirtualTime}, nil)
	require.NoError(t, err)
	const body = `{"labels":{"app":"one"},"more":1}`
	first := Content[labelled](h, body)
	require.NotNil(t, first)
	assert.Equal(t, "one", first.Labels["app"])
	assert.Nil(t, Content[counted](h, body), "it is no counted")
	assert.Nil(t, Content[labelled](h, ""))
	assert.Nil(t, Content[labelled](h, "no object: x"))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { assert.Same(t, first, Content[labelled](h, body), "it is decoded once") })
	}
	all.Wait()
}
