package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/rows"
	"quaywatch/traffic"
)

// errNothing tells that a file held nothing that the store could take.
var errNothing = errors.New("nothing was taken")

// taken is what an import took of one file.
type taken struct {
	lines    uint64
	messages uint64 // or rows of a table
	unit     string // what messages counts
	layout   string // of a table, "" for a log
	clock    string // where the times stand, "" for nothing to say
	ships    map[ais.MMSI]struct{}
	places   uint64 // messages or rows that are of a kind that has a place
	copies   uint64 // messages that came before
	fleeting int    // ships heard too rarely to be believed
	fixes    uint64 // that the store took, before thinning
	from, to int64  // Unix milliseconds of the first and last report; 0 when there was none
	refused  []refusal
	noted    []refusal // what is wrong with lines that were taken all the same
}

// refusal is why lines, messages or places were refused.
type refusal struct {
	number   uint64
	why      string
	examples []string // lines and columns where it was so first
}

// mostExamples is how many examples of a refusal are shown.
const mostExamples = 3

// noteMessage notes a message of a ship.
func (t *taken) noteMessage(m ais.MMSI, at int64) {
	if t.ships == nil {
		t.ships = map[ais.MMSI]struct{}{}
	}
	t.ships[m] = struct{}{}
	if t.from == 0 || at < t.from {
		t.from = at
	}
	t.to = max(t.to, at)
}

// placed are the types of messages that have a place.
const placed = "\x01\x02\x03\x04\x09\x0b\x12\x13\x15\x1b"

// batch notes the reports of a batch.
func (t *taken) batch(b *ais.Batch) {
	t.messages += uint64(len(b.Reports))
	for i := range b.Reports {
		if strings.IndexByte(placed, b.Reports[i].Message.Head().Type) >= 0 {
			t.places++
		}
		t.noteMessage(b.Reports[i].Message.Head().MMSI, b.Reports[i].Received.UnixMilli())
	}
}

// takeCounts takes over what a decoder and a picture counted.
func (t *taken) takeCounts(c ais.Counters, s traffic.Stats) {
	t.lines = c.Lines
	for i, n := range c.Bad {
		reason := ais.ErrorReason(i)
		switch {
		case n == 0:
		case reason == ais.ErrorSurplus, reason == ais.ErrorTag, reason == ais.ErrorClock:
			t.noted = append(t.noted, refusal{number: n, why: reason.Error()})
		default:
			t.refused = append(t.refused, refusal{number: n, why: reason.Error()})
		}
	}
	t.fleeting = s.Unconfirmed
	if t.copies = s.Duplicates; t.copies > 0 {
		t.noted = append(t.noted, refusal{number: s.Duplicates, why: "message: came before, and counts once"})
	}
	for i, n := range s.Rejected {
		if n > 0 {
			t.refused = append(t.refused, refusal{number: n, why: placeText(ship.Reason(i))})
		}
	}
}

// era is after how long a GPS receiver that forgot it begins to count weeks anew.
const era = 1024 * 7 * 24 * time.Hour

// doubtClock notes that RMC and ZDA were wrong beside message 4, or may be. They may be where they alone told the time, for that may be an era behind.
func (t *taken) doubtClock(decoder *ais.Decoder, now time.Time) {
	off, alone := decoder.OwnClock()
	begun := time.UnixMilli(t.from).UTC()
	switch {
	case off >= era:
		t.noted = append(t.noted, refusal{number: 1, why: fmt.Sprintf("time: RMC and ZDA are %d weeks behind message 4, as of a GPS receiver that counts weeks anew; message 4 was followed", off/era*1024)})
	case off != 0:
		t.noted = append(t.noted, refusal{number: 1, why: fmt.Sprintf("time: RMC and ZDA are off by %v from message 4, which was followed", off)})
	case alone && t.from > 0 && now.Sub(begun) > era:
		t.noted = append(t.noted, refusal{number: 1, why: "time: RMC and ZDA alone told it; is the GPS receiver 1024 weeks behind? then say --start " + begun.Add(era).Format(time.RFC3339)})
	}
}

// countRows takes over what a reader of rows counted, with the first faults of each rule.
func (t *taken) countRows(reader *rows.Reader, faults *[rows.Rules][]string) {
	t.lines = reader.Lines()
	for i := range faults {
		rule := rows.BrokenRule(i)
		switch n := reader.Broken(rule); {
		case n == 0:
		case rule.Refuses():
			t.refused = append(t.refused, refusal{n, "row: " + rule.String(), faults[i]})
		default:
			t.noted = append(t.noted, refusal{number: n, why: "value left out: " + rule.String()})
		}
	}
}

// printTable writes the table that ends the import of a file.
func (t *taken) printTable(w io.Writer, path string) {
	row := func(what string, n uint64, more string) { fmt.Fprintf(w, "  %-13s %10d%s\n", what, n, more) }
	fmt.Fprintln(w, path)
	if t.layout != "" {
		fmt.Fprintf(w, "  %-13s %10s\n", "layout", t.layout)
	}
	if t.clock != "" {
		fmt.Fprintf(w, "  %-13s %s\n", "times", t.clock)
	}
	row("lines", t.lines, "")
	row(t.unit, t.messages, "")
	row("ships", uint64(len(t.ships)), "")
	row("fixes stored", t.fixes, t.whyNone())
	for _, r := range t.refused {
		row("refused", r.number, "  "+r.why)
		for _, example := range r.examples {
			fmt.Fprintf(w, "  %26s%s\n", "", example)
		}
	}
	for _, r := range t.noted {
		row("noted", r.number, "  "+r.why)
	}
	if t.to > 0 {
		text := func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
		fmt.Fprintf(w, "  %-13s %s to %s\n", "period", text(t.from), text(t.to))
	}
}

// whyNone says why the store took no fix, and "" when it took some, or when the file is empty.
func (t *taken) whyNone() string {
	refused := slices.DeleteFunc(slices.Clone(t.refused), func(r refusal) bool { return !strings.HasPrefix(r.why, "place: ") })
	switch {
	case t.fixes > 0, t.lines == 0:
		return ""
	case t.messages == 0 && len(t.refused) > 0:
		return "  " + slices.MaxFunc(t.refused, func(a, b refusal) int { return cmp.Compare(a.number, b.number) }).why
	case t.messages == 0:
		return "  nothing was read that could have one"
	case t.places == 0 && t.layout != "":
		return "  no row has a position"
	case t.places == 0:
		return "  no position is reported, as by messages 1, 2, 3, 18, 19 and 27"
	case t.copies >= t.messages:
		return "  all messages came before"
	case len(refused) > 0:
		most := slices.MaxFunc(refused, func(a, b refusal) int { return cmp.Compare(a.number, b.number) })
		return "  " + most.why
	case t.fleeting > 0 && t.fleeting >= len(t.ships):
		return fmt.Sprintf("  no ship was heard %d times, as it takes to be stored", ship.ConfirmedReports)
	}
	return "  the store has them already, or has later ones of these seconds"
}

// reasonText returns the reason, with the first example.
func (r refusal) reasonText() string {
	if len(r.examples) == 0 {
		return r.why
	}
	return r.why + ": " + r.examples[0]
}

// placeText says why the place in a message was refused.
func placeText(r ship.Reason) string {
	switch r {
	case ship.BadMMSI:
		return "message: MMSI is not a number of one to nine digits"
	case ship.NoPlace:
		return "place: the ship says that it has none"
	case ship.ImpossiblePlace:
		return "place: is not on the earth, or is exactly 0° 0°"
	case ship.Jump:
		return "place: is farther than the ship can have sailed, and no later place agreed with it"
	case ship.TooCoarse:
		return "place: is to a tenth of a minute, and an exact one is known of that time"
	case ship.LateJump:
		return "place: came late, and is farther than the ship can have sailed"
	}
	return r.String()
}

// nothing returns an error with the reason when no message was taken, and nil else.
func (t *taken) nothing() error {
	switch {
	case t.messages > 0:
		return nil
	case t.lines == 0:
		return fmt.Errorf("%w: the file is empty", errNothing)
	case len(t.refused) > 0:
		most := slices.MaxFunc(t.refused, func(a, b refusal) int { return cmp.Compare(a.number, b.number) })
		return fmt.Errorf("%w: %d times, %s", errNothing, most.number, most.reasonText())
	}
	return fmt.Errorf("%w: none of the %d lines is an AIS sentence (as !AIVDM,…), and it does not begin like a CSV file of ships; "+
		"for one with other names of columns say --columns mmsi=…,time=…,lat=…,lon=…",
		errNothing, t.lines)
}
