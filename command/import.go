package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/app"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/traffic"
)

// rowsAtOnce is the most rows of a CSV history that are held in memory before they go into the store.
const rowsAtOnce = 1_000_000

// importCommand takes recorded logs and decoded histories into the store of a service that does not run.
func importCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "import", true)
	format := f.String("format", "", "nmea, noaa, dma or quaywatch (default: by the file's first line)")
	start := f.String("start", "", "when the log began, as 2026-03-01T12:00:00Z, for a log that tells no time; it goes on by the UTC seconds of the reports")
	rate := f.Float64("rate", 0, "with --start: sentences a second, which then make the time")
	cfg, err := f.load(args, 1, math.MaxInt)
	if err != nil {
		return err
	}
	begin, err := beginOf(f, *start, *rate, *format)
	if err != nil {
		return err
	}
	if *format != "" && !slices.Contains([]string{"nmea", "noaa", "dma", "quaywatch"}, *format) {
		return f.wrong("format %q is not one of nmea, noaa, dma, quaywatch", *format)
	}
	if err := findStore(c, cfg, makeStore); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	db, err := openStore(cfg, store.RefuseVital)
	if err != nil {
		return err
	}
	err = importFiles(ctx, c, db, f.Args(), *format, begin)
	warnOfRetention(c.err, db)
	return errors.Join(err, db.Close())
}

// importFiles takes in each file. After one that holds nothing it goes on with the next, and still fails at the end.
func importFiles(ctx context.Context, c console, db *store.DB, paths []string, format string, begin logBegin) (err error) {
	for _, path := range paths {
		fault := importFile(ctx, c, db, path, format, begin)
		if fault != nil {
			err = errors.Join(err, fmt.Errorf("import %s: %w", path, fault))
		}
		if fault != nil && !errors.Is(fault, errNothing) {
			break
		}
	}
	return err
}

// logBegin is what the user says of the time of a log that tells none. The zero logBegin says nothing.
type logBegin struct {
	at   time.Time
	rate float64 // sentences a second; 0 is not said
}

// beginOf reads the flags that say when a log began.
func beginOf(f *flags, start string, rate float64, format string) (logBegin, error) {
	switch {
	case start == "" && rate != 0:
		return logBegin{}, f.wrong("--rate needs --start")
	case start == "":
		return logBegin{}, nil
	case f.NArg() > 1:
		return logBegin{}, f.wrong("--start is for one file, and %d are given", f.NArg())
	case format != "" && format != "nmea":
		return logBegin{}, f.wrong("--start is for a log of sentences")
	case rate != 0 && !(rate >= 0.001 && rate <= 1e6):
		return logBegin{}, f.wrong("--rate %v: want 0.001 to 1000000 sentences a second", rate)
	}
	at, err := time.Parse(time.RFC3339, start)
	if err != nil || at.Year() < 1990 || at.Year() > 9999 {
		return logBegin{}, f.wrong("--start %q: want a time from 1990 on, as 2026-03-01T12:00:00Z", start)
	}
	return logBegin{at.UTC(), rate}, nil
}

// warnOfRetention warns that the service will drop imported history that is older than store.retention.
func warnOfRetention(w io.Writer, db *store.DB) {
	s := db.Status()
	if s.Retention <= 0 || s.Oldest.IsZero() || time.Since(s.Oldest) < s.Retention {
		return
	}
	fmt.Fprintf(w, "warning: the store now holds history from %s on; the service drops what is older than store.retention (%d days). "+
		"To keep it, set store.retention before you start the service.\n", s.Oldest.Format(time.DateOnly), int(s.Retention.Hours()/24))
}

// importFile opens one file, finds its format and takes it in.
func importFile(ctx context.Context, c console, db *store.DB, path, format string, begin logBegin) error {
	log, err := feed.OpenLog(path)
	if err != nil {
		return err
	}
	defer log.Close()
	bar := &progress{out: c.err, log: log, name: filepath.Base(path)}
	in := bufio.NewReaderSize(bar, longestLine)
	if format == "" {
		format = guessFormat(in)
	}
	if format != "nmea" && !begin.at.IsZero() {
		return errors.New("--start is for a log of sentences, and this is a table")
	}
	var t *taken
	if format == "nmea" {
		t, err = importLog(ctx, in, db, path, begin)
	} else {
		t, err = importCSV(ctx, in, db, format)
	}
	bar.done()
	t.print(c.out, path)
	if err == nil {
		err = t.nothing()
	}
	return err
}

// guessFormat looks at the beginning: sentences have no header with the word MMSI.
func guessFormat(in *bufio.Reader) string {
	head, _ := in.Peek(2048)
	first, _, _ := strings.Cut(string(head), "\n")
	if strings.Contains(strings.ToLower(first), "mmsi") {
		return "csv"
	}
	return "nmea"
}

// importLog decodes sentences by the log's own clock, on the same path as live ones. Reports of which the log tells no time are left out.
func importLog(ctx context.Context, in io.Reader, db *store.DB, name string, begin logBegin) (*taken, error) {
	t := &taken{unit: "messages"}
	rules := traffic.DefaultConfig()
	rules.Clock = ais.LogClock
	picture := traffic.New(rules)
	var known []ship.State // read now: an earlier file may have added more than the store held when it was opened
	if err := db.EachShip(func(s ship.State) error { known = append(known, s); return nil }); err != nil {
		return t, err
	}
	picture.Restore(known)
	decoder := ais.NewDecoder(ais.DecoderConfig{Feed: filepath.Base(name), Clock: ais.LogClock, Begin: begin.at, Rate: begin.rate})
	before := db.Status().Fixes
	backpressure := &app.Backpressure{DB: db}
	observers := []traffic.Observer{db, backpressure}
	untimed := refusal{why: "time: the log tells none, by stamps, RMC, ZDA or messages 4; --start TIME says when it began"}
	err := decodeAll(ctx, in, decoder, false, func(b *ais.Batch) error {
		all := len(b.Reports)
		b.Reports = slices.DeleteFunc(b.Reports, func(r ais.Report) bool { return r.Received.IsZero() })
		untimed.number += uint64(all - len(b.Reports))
		t.batch(b)
		picture.Apply(b, observers...)
		return backpressure.Err()
	})
	if err == nil {
		err = errors.Join(keepNewest(db, known), db.Settle())
	}
	if untimed.number > 0 {
		t.refused = append(t.refused, untimed)
	}
	t.count(decoder.Counters(), picture.Stats())
	t.fixes = db.Status().Fixes - before
	return t, err
}

// keepNewest puts back what was known of a ship before the import of a log, where that is newer than the log.
func keepNewest(db *store.DB, known []ship.State) error {
	for i := range known {
		was := &known[i]
		s, err := db.Ship(was.MMSI)
		if err != nil {
			return err
		}
		u := ship.Update{Was: s, Now: s}
		if was.Static != nil && (s.Static == nil || s.Static.At < was.Static.At) {
			u.Now.Static = was.Static
			u.Change |= ship.ChangedStatic
		}
		if was.Voyage != nil && (s.Voyage == nil || s.Voyage.At < was.Voyage.At) {
			u.Now.Voyage = was.Voyage
			u.Change |= ship.ChangedVoyage
		}
		if u.Change != 0 {
			db.Observe(&u)
		}
	}
	return nil
}

// importCSV takes rows in, ship by ship.
func importCSV(ctx context.Context, in io.Reader, db *store.DB, format string) (*taken, error) {
	if format == "csv" {
		format = ""
	}
	t := &taken{unit: "rows"}
	reader, err := newCSVReader(in, format)
	if err != nil {
		return t, err
	}
	pending := map[ais.MMSI]*history{}
	held := uint64(0)
	for ctx.Err() == nil {
		row, err := reader.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return t, err
		}
		if err == nil {
			h := pending[row.mmsi]
			if h == nil {
				h = &history{}
				pending[row.mmsi] = h
			}
			h.add(&row)
			t.messages++
			t.heard(row.mmsi, row.fix.At)
			held++
		}
		if held >= rowsAtOnce || err != nil {
			if err := flushHistories(db, pending); err != nil {
				return t, err
			}
			t.fixes += held
			clear(pending)
			held = 0
		}
		if err != nil {
			break
		}
	}
	t.lines = reader.read
	for _, reason := range slices.Sorted(maps.Keys(reader.bad)) {
		t.refused = append(t.refused, refusal{uint64(reader.bad[reason]), reason})
	}
	return t, ctx.Err()
}

// history is what the rows read so far say of one ship.
type history struct {
	track  ship.Track
	static ship.Static
	voyage ship.VoyageData
}

// add takes a row. Static and voyage data hold from the first row that has them. A value that a row lacks stays.
func (h *history) add(row *csvRow) {
	h.track = append(h.track, row.fix)
	if s := withStatic(h.static, &row.static); s != h.static {
		h.static = s
		h.static.At = row.fix.At
	}
	v := h.voyage
	v.Destination = cmp.Or(row.voyage.Destination, v.Destination)
	v.Draught = cmp.Or(row.voyage.Draught, v.Draught)
	if v != h.voyage {
		h.voyage = v
		h.voyage.At = row.fix.At
	}
}

// withStatic gives was with the values that row has.
func withStatic(was ship.Static, row *ship.Static) ship.Static {
	was.Name, was.CallSign = cmp.Or(row.Name, was.Name), cmp.Or(row.CallSign, was.CallSign)
	was.IMO, was.Type = cmp.Or(row.IMO, was.IMO), cmp.Or(row.Type, was.Type)
	was.Dimensions = cmp.Or(row.Dimensions, was.Dimensions)
	return was
}

func flushHistories(db *store.DB, pending map[ais.MMSI]*history) error {
	for mmsi, h := range pending {
		slices.SortStableFunc(h.track, func(a, b ship.Fix) int { return int(min(1, max(-1, a.At-b.At))) })
		var static *ship.Static
		if h.static.At != 0 {
			static = &h.static
		}
		var voyage *ship.VoyageData
		if h.voyage.At != 0 {
			voyage = &h.voyage
		}
		if err := db.ImportTrack(mmsi, h.track, static, voyage); err != nil {
			return fmt.Errorf("ship %d: %w", mmsi, err)
		}
	}
	return nil
}

// progress draws a bar as a log is read, where a person sees standard error.
type progress struct {
	out   io.Writer
	log   *feed.Log
	name  string
	drawn int64 // percent
}

// Read reads from the log.
func (p *progress) Read(buffer []byte) (int, error) {
	n, err := p.log.Read(buffer)
	if !isTerminal(p.out) {
		return n, err
	}
	const width = 40
	read, all := p.log.Position()
	if percent := 100 * read / max(1, all); percent != p.drawn {
		p.drawn = percent
		full := int(percent) * width / 100
		fmt.Fprintf(p.out, "\r%s [%s%s] %3d %%", p.name, strings.Repeat("=", full), strings.Repeat(" ", width-full), percent)
	}
	return n, err
}

func (p *progress) done() {
	if p.drawn > 0 {
		fmt.Fprintln(p.out)
	}
}
