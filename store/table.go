package store

import "errors"

// Table holds records of one kind as JSON by id, unique by name where a name is given.
type Table[T any] struct{ db *DB }

// Record is one row of a Table.
type Record[T any] struct {
	ID    uint64
	Name  string // as given; "" when the record has none
	Value T
}

func OpenTable[T any](db *DB, name string) (*Table[T], error) { return nil, errors.ErrUnsupported }
func (t *Table[T]) Get(id uint64) (T, error)                  { var v T; return v, errors.ErrUnsupported }
func (t *Table[T]) ByName(name string) (Record[T], error)     { return Record[T]{}, errors.ErrUnsupported }
func (t *Table[T]) Insert(name string, v T) (uint64, error)   { return 0, errors.ErrUnsupported }
func (t *Table[T]) Put(id uint64, name string, v T) error     { return errors.ErrUnsupported }
func (t *Table[T]) Delete(id uint64) error                    { return errors.ErrUnsupported }
func (t *Table[T]) All() ([]Record[T], error)                 { return nil, errors.ErrUnsupported }
