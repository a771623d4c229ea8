package wire

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// Column is a column of a table that is made of records of JSON. It has its name, and where its cell stands in a record, by keys and indexes with a dot between
// them.
type Column struct{ Name, At string }

// Columns reads columns as they are written in a row: a name, or a name and a place with = between them.
func Columns(texts ...string) (all []Column) {
	for word := range strings.FieldsSeq(strings.Join(texts, " ")) {
		name, at, other := strings.Cut(word, "=")
		if !other {
			at = name
		}
		all = append(all, Column{name, at})
	}
	return all
}

// ColumnNames returns the line of names above a table.
func ColumnNames(columns []Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// ReadRecord reads a record of JSON. Its numbers stay as they are written.
func ReadRecord(text []byte) (record map[string]any, err error) {
	read := json.NewDecoder(bytes.NewReader(text))
	read.UseNumber()
	err = read.Decode(&record)
	return record, err
}

// ValueAt returns what stands at a place of a record; nil for nothing.
func ValueAt(of any, at string) any {
	for key := range strings.SplitSeq(at, ".") {
		switch here := of.(type) {
		case map[string]any:
			of = here[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(here) {
				return nil
			}
			of = here[i]
		default:
			return nil
		}
	}
	return of
}

// ValueText returns a value as a cell, and text so that no program takes it for a formula. The elements of a list have a blank between them.
func ValueText(of any) string {
	switch v := of.(type) {
	case string:
		return Cell(v)
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = ValueText(item)
		}
		return strings.Join(texts, " ")
	}
	return ""
}

// Sheet writes records as a table with a header line. What is not known is empty.
type Sheet struct {
	columns []Column
	to      *csv.Writer
	cells   []string
}

// NewSheet begins a table.
func NewSheet(to io.Writer, columns []Column) *Sheet {
	s := &Sheet{columns, csv.NewWriter(to), make([]string, len(columns))}
	_ = s.to.Write(ColumnNames(columns)) // a writer that fails says so at the end
	return s
}

// Row writes a record.
func (s *Sheet) Row(record map[string]any) error {
	for i, c := range s.columns {
		s.cells[i] = ValueText(ValueAt(record, c.At))
	}
	return s.to.Write(s.cells)
}

// End writes what is left.
func (s *Sheet) End() error {
	s.to.Flush()
	return s.to.Error()
}
