// Package rows reads the reports of ships from CSV files of other programs: one position with its time a row, decoded, in knots and degrees.
//
// It finds the delimiter, the columns by their usual names, and the way that times and codes are written. A Reader gives each row that is
// right. A row that is not costs itself alone: the RowFault names its line, its column and the rule. What a value means is never guessed: when
// a day and a month cannot be told apart, NewReader fails and says what to do.
//
// It opens nothing, and keeps no more than one line in memory.
package rows

import (
	"errors"
	"fmt"
	"io"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Row is one row. Its texts are valid until the next row is read.
type Row struct {
	MMSI   ais.MMSI
	Class  ship.Class // ClassUnknown when neither number nor file tell
	HasFix bool
	Fix    ship.Fix // only its time when HasFix is false

	Name, CallSign, Destination []byte // empty when the row has none, as all that follow are zero
	IMO                         uint32
	Type                        ais.ShipType
	Dimensions                  ais.Dimensions
	Draught                     ais.Decimetres
	ETA                         ais.ETA
}

// Options say what a file does not say itself. The zero Options leave all to the file.
type Options struct {
	Columns    map[Field]string // the name of a column, or its number from 1 on
	TimeFormat string           // as strptime has it (%d/%m/%Y %H:%M:%S), "unix" or "unix-ms"
	Layout     string           // one of Layouts; "" finds it by the header
	MMSI       ais.MMSI         // of all rows, in a file without such a column; 0 for none
	Raw        bool             // the integers of the air interface: 1/600000 degree, tenths of a knot and of a degree
}

// RowFault says what is wrong with a file or a row.
type RowFault struct {
	Line   uint64
	Column string // as the header has it; "" when the whole line is meant
	Rule   BrokenRule
	Value  string // cut to 40 bytes
	Detail string // what the rule leaves open
}

// Error returns the fault as a sentence: line, column, value and rule.
func (f *RowFault) Error() string { return f.Where() + ": " + f.Rule.String() }

// Where returns line, column and value.
func (f *RowFault) Where() string {
	text := fmt.Sprintf("line %d", f.Line)
	if f.Column != "" {
		text += ", column " + f.Column
	}
	if f.Value != "" {
		text += fmt.Sprintf(": %q", f.Value)
	}
	if f.Detail != "" {
		text += " " + f.Detail
	}
	return text
}

// BrokenRule is a rule that a file, a row or a value breaks.
type BrokenRule uint8

// The rules. A row that breaks one of the first group is refused. Of a row that breaks one of the second group only the value is left out.
const (
	RuleMMSI BrokenRule = iota
	RuleTime
	RulePlace
	RuleZero
	RuleNoPlace
	RuleFields
	RuleQuote
	RuleLong
	RuleControl

	RuleSOG
	RuleCOG
	RuleHeading
	RuleROT
	RuleStatus
	RuleType
	RuleClass
	RuleIMO
	RuleDimension
	RuleDraught
	RuleText
	RuleETA
	rules
)

// Rules is the number of rules.
const Rules = int(rules)

// Refuses reports whether a row that breaks the rule is refused. Else only the value is left out.
func (r BrokenRule) Refuses() bool { return r < RuleSOG }

// String returns the rule as a sentence.
func (r BrokenRule) String() string {
	return [...]string{
		"the MMSI is a number of one to ten digits",
		"the time is not one that can be read, of the years 1990 to 2100",
		"the latitude is from -90 to 90 degrees and the longitude from -180 to 180",
		"0° 0° is the place of receivers without a position",
		"the row has no position, and says nothing of the ship",
		"the row has another number of fields than the header",
		"a quotation mark is not closed in its line, or text follows it",
		"the line is longer than 65,536 bytes",
		"the line has bytes that are no text",
		"the speed is from 0 to 102.2 knots, of aircraft to 1,022",
		"the course is from 0 to 360 degrees",
		"the heading is from 0 to 360 degrees, or 511",
		"the rate of turn is a number in the range of AIS",
		"the status is a number from 0 to 15, or its words",
		"the type of ship is a number from 0 to 255, or its words",
		"the class is A or B, or the kind of station",
		"the IMO number has at most nine digits",
		"a length is from 0 to 1,022 metres",
		"the draught is from 0 to 25.5 metres",
		"a text has at most 60 bytes, none of them a control character",
		"the ETA has month, day, hour and minute",
	}[r]
}

// ErrHeader is what an error of NewReader wraps when the file has no header, or one without the columns that a row needs.
var ErrHeader = errors.New("the header is not that of a CSV file with reports of ships")

// Reader reads the rows of one file. It belongs to one goroutine.
type Reader struct {
	lines   lines
	options Options
	layout  *layout
	columns columns
	times   timeReader
	codes   codes
	fields  [][]byte
	broken  [Rules]uint64
	pending []byte // the first line of a file without a header
	column  Field  // that the latest fault is in
	comma   bool   // a comma may be the decimal point
	rows    uint64

	byValues bool   // the column of times was found by what stands in it
	whole    []byte // the time of a row where it stands in several columns
}

// NewReader reads the header and the first rows, and finds out how the file is written. Its errors say what is missing and how to give it.
func NewReader(in io.Reader, o Options) (*Reader, error) {
	r := &Reader{lines: newLines(in), options: o}
	r.codes.init()
	if err := r.readHeader(); err != nil {
		return nil, err
	}
	return r, nil
}

// Lines returns the number of lines that were read.
func (r *Reader) Lines() uint64 { return r.lines.number }

// Rows returns the number of rows that were read, the refused ones included.
func (r *Reader) Rows() uint64 { return r.rows }

// Broken returns how many rows or values broke the rule.
func (r *Reader) Broken(rule BrokenRule) uint64 { return r.broken[rule] }

// Layout returns the name of the file's layout, and what is special about it.
func (r *Reader) Layout() (name, special string) { return r.layout.name, r.layout.special }

// TimeByValues returns the name of the column of times when its values told it and not its name, else "".
func (r *Reader) TimeByValues() string {
	if !r.byValues {
		return ""
	}
	return r.columns.columnName(Time)
}

// TimeParts returns the names of the columns in which parts of the time stand, and nil where one column has it as a whole.
func (r *Reader) TimeParts() []string {
	if !r.columns.joined {
		return nil
	}
	return r.columns.timeColumns()
}

// Found returns the column of each field that the file has, as the header names it.
func (r *Reader) Found() map[Field]string {
	found := map[Field]string{}
	for f := range fields {
		if name := r.columns.columnName(f); name != "" {
			found[f] = name
		}
	}
	return found
}

// Next reads the next row that is not empty. It returns a *Fault when the row is refused, and the rows after it can still be read. At the
// end it returns io.EOF.
func (r *Reader) Next(row *Row) error {
	for {
		line, err := r.nextLine()
		if errors.Is(err, errLong) {
			r.rows++
			return r.countFault(RuleLong, nil)
		}
		if err != nil {
			return err
		}
		if len(line) == 0 {
			continue
		}
		r.rows++
		return r.decode(line, row)
	}
}

func (r *Reader) nextLine() ([]byte, error) {
	if line := r.pending; line != nil {
		r.pending = nil
		return line, nil
	}
	return r.lines.next()
}

// countFault counts a rule and returns the fault, with the column that was read last.
func (r *Reader) countFault(rule BrokenRule, value []byte) error {
	r.broken[rule]++
	f := &RowFault{Line: r.lines.number, Rule: rule, Value: string(value[:min(len(value), 40)])}
	switch rule {
	case RuleMMSI, RuleTime, RulePlace, RuleZero, RuleNoPlace:
		f.Column = r.columns.columnName(r.column)
	}
	if rule == RuleFields {
		f.Detail = fmt.Sprintf("(%d, not %d)", len(r.fields), len(r.columns.header))
	}
	if rule == RulePlace && !r.options.Raw && len(value) > 5 {
		f.Detail = r.placeHint(value)
	}
	return f
}
