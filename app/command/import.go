package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/ais/logtime"
	"quaywatch/app"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/traffic"
)

// importCommand takes recorded logs and decoded histories into the store of a service that does not run.
func importCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "import", true)
	format := f.String("format", "", "one of "+strings.Join(formats(), ", ")+" (default: by the file's first lines)")
	start := f.String("start", "", "when the log began, as 2026-03-01T12:00:00Z, for a log that tells no time; it goes on by the UTC seconds of the reports")
	rate := f.Float64("rate", 0, "with --start: sentences a second, which then make the time")
	var table csvFlags
	table.registerFlags(f)
	cfg, err := f.loadConfig(args, 1, math.MaxInt)
	if err != nil {
		return err
	}
	begin, err := beginOf(f, *start, *rate, *format)
	if err != nil {
		return err
	}
	how, err := table.readWay(f, *format)
	if err != nil {
		return err
	}
	if table.dry {
		return importFiles(f.Args(), func(path string) error { return dryRun(ctx, c.out, path, how, begin) })
	}
	if err := findFiles(f.Args()); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if err := findStore(c, cfg, makeStore); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	db, err := openStore(cfg, records.RefuseVital)
	if err != nil {
		return err
	}
	err = importFiles(f.Args(), func(path string) error { return importFile(ctx, c, db, path, how, begin) })
	warnOfRetention(c.err, db)
	return errors.Join(err, db.Close())
}

// findFiles fails when none of the files is there: no store is made for that.
func findFiles(paths []string) (err error) {
	for _, path := range paths {
		_, fault := os.Stat(path)
		if fault == nil {
			return nil
		}
		err = errors.Join(err, fault)
	}
	return err
}

// importFiles takes in each file. After one that holds nothing it goes on with the next, and still fails at the end.
func importFiles(paths []string, take func(path string) error) (err error) {
	for _, path := range paths {
		fault := take(path)
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
func importFile(ctx context.Context, c console, db *store.DB, path string, how way, begin logBegin) error {
	log, err := feed.OpenLog(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errNothing, err)
	}
	defer log.Close()
	bar := &progress{out: c.err, log: log, name: filepath.Base(path)}
	in := bufio.NewReaderSize(bar, longestLine)
	isTable := how.isTable(in)
	if isTable && !begin.at.IsZero() {
		return errors.New("--start is for a log of sentences, and this is a table")
	}
	var t *taken
	if isTable {
		t, err = importCSV(ctx, in, db, how.table)
	} else {
		t, err = importLog(ctx, in, db, path, begin)
	}
	bar.done()
	t.printTable(c.out, path)
	if err == nil {
		err = t.nothing()
	}
	return err
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
	app.LearnReceivers(picture, db, known)
	decoder := ais.NewDecoder(ais.DecoderConfig{Feed: filepath.Base(name), Clock: ais.LogClock, Begin: begin.at, Rate: begin.rate})
	before := db.Status().Fixes
	backpressure := &app.Backpressure{DB: db}
	observers := []traffic.Observer{db, backpressure}
	timed := logtime.NewReader(in, writtenBy(name, time.Now()))
	t.clock = timed.Column()
	untimed := refusal{why: "time: the log tells none, by stamps, RMC, ZDA or messages 4; --start TIME says when it began"}
	if doubt := timed.Doubt(); doubt != "" {
		untimed.why += "; not taken: " + doubt
	}
	if !begin.at.IsZero() {
		t.clock = ""
	}
	err := decodeAll(ctx, timed, decoder, false, func(b *ais.Batch) error {
		all := len(b.Reports)
		b.Reports = slices.DeleteFunc(b.Reports, func(r ais.Report) bool { return r.Received.IsZero() })
		untimed.number += uint64(all - len(b.Reports))
		t.batch(b)
		picture.Apply(b, observers...)
		return backpressure.Err()
	})
	if err == nil {
		err = db.Settle()
	}
	if untimed.number > 0 {
		t.refused = append(t.refused, untimed)
	}
	t.takeCounts(decoder.Counters(), picture.Stats())
	t.doubtClock(decoder, time.Now())
	t.fixes = db.Status().Fixes - before
	return t, err
}

// writtenBy returns when a log was written at the latest: when its file was, or else now.
func writtenBy(path string, now time.Time) time.Time {
	if info, err := os.Stat(path); err == nil && info.ModTime().Before(now) {
		return info.ModTime()
	}
	return now
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
