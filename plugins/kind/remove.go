package kind

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// removeLimit is how long nodes may stay: docker does not delete what it is just starting.
var removeLimit = 30 * time.Second

// remove deletes nodes, and sees that they are gone: that kind cannot write a kubeconfig, on a disk that is full, is no matter
// then.
func (e engine) remove(ctx context.Context, name string) error {
	if err := e.answers(ctx); err != nil {
		return err
	}
	dir, err := claims()
	if err != nil {
		return err
	}
	private, forget := private(dir, name)
	defer forget()
	for end := time.Now().Add(removeLimit); ; {
		_, err := within(ctx, e, workLimit, func() (struct{}, error) {
			return struct{}{}, e.provider(func(string) {}).Delete(name, private)
		})
		there, unseen := e.has(ctx, name)
		switch {
		case unseen == nil && !there:
			return nil
		case time.Now().After(end):
			if err = errors.Join(err, unseen); err == nil {
				err = fmt.Errorf("it is still there after %s", removeLimit)
			}
			return err
		}
		if gone := pause(ctx); gone != nil {
			return errors.Join(err, unseen, gone)
		}
	}
}
