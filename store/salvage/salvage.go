// Package salvage reads what can still be read of a damaged store, and writes it into a new one.
//
// It promises that nothing is written to what it reads from, and that each value was proved by its checksum. What an operator deleted or changed does not come
// back from an old page while the tree above it stands. What may be missing is named, by ship and hour where that can be known.
//
// It reads pages with its own reader, since bbolt trusts what it reads. It reads first all to which the tree leads, then pages to which nothing leads. The log
// is read as a start reads it, over every damage.
package salvage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"quaywatch/store"
	"quaywatch/store/files"
	"quaywatch/store/records"
)

// The names of the files in a store, and of the folder for the work in the new one.
const (
	dbName     = "quaywatch.db"
	walName    = "quaywatch.wal"
	resultName = "result"
	imageName  = "image"
	workFolder = ".quaywatch-salvage"
)

// Findings says what was read, and what is missing.
type Findings struct {
	From     string    `json:"from"`
	To       string    `json:"to"`
	Ships    int       `json:"ships"`
	Fixes    int       `json:"fixes"`
	Blocks   int       `json:"blocks"`
	Static   int       `json:"static_records"`
	Records  int       `json:"records"`
	Frames   int       `json:"log_frames"`
	Astray   int       `json:"found_astray"` // values from pages to which nothing led
	Oldest   time.Time `json:"oldest,omitzero"`
	Newest   time.Time `json:"newest,omitzero"`
	Damage   []string  `json:"damage"`   // what is damaged, and how
	Missing  []Missing `json:"missing"`  // what is lost, or may be
	Doubtful []string  `json:"doubtful"` // what was taken and may be out of date: look at it
}

// Whole reports whether nothing was damaged.
func (r *Findings) Whole() bool { return len(r.Damage)+len(r.Missing)+len(r.Doubtful) == 0 }

// Missing is something that is lost, or may be.
type Missing struct {
	What    string    `json:"what"` // positions, last_state, static, record, log, or all
	Text    string    `json:"text"`
	Bucket  string    `json:"bucket,omitempty"`
	FromKey string    `json:"from_key,omitempty"` // in hex: of the bucket, all keys with from_key <= key < to_key
	ToKey   string    `json:"to_key,omitempty"`
	From    time.Time `json:"from,omitzero"` // hours, where they are known
	To      time.Time `json:"to,omitzero"`
	Ship    int64     `json:"ship,omitempty"` // when it is of one ship
}

// Run reads the store in the folder from, or the database file from. It writes what this holds as a new store into the folder to. That may not hold anything.
// It returns records.ErrLocked when a service runs on from.
func Run(ctx context.Context, from, to string) (*Findings, error) {
	if _, err := findDatabase(from); err != nil { // before a folder is made
		return nil, fmt.Errorf("salvage: %w", err)
	}
	work, err := prepare(from, to)
	if err != nil {
		return nil, fmt.Errorf("salvage: %w", err)
	}
	report, err := rescue(ctx, from, work)
	if err == nil {
		err = files.PutInPlace(filepath.Join(work, resultName), filepath.Join(to, dbName))
	}
	err = errors.Join(err, os.RemoveAll(work))
	if err != nil {
		return nil, fmt.Errorf("salvage %s: %w", from, err)
	}
	report.To = to
	return report, nil
}

// prepare makes the folder for the work in a folder that holds nothing, or what a salvage left that was killed.
func prepare(from, to string) (work string, err error) {
	work = filepath.Join(to, workFolder)
	if inside, err := liesWithin(to, from); err != nil || inside {
		return "", errors.Join(err, fmt.Errorf("%s lies in %s: nothing is written there", to, from))
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return "", err
	}
	if err := os.RemoveAll(work); err != nil {
		return "", err
	}
	if list, err := os.ReadDir(to); err != nil || len(list) > 0 {
		return "", errors.Join(err, fmt.Errorf("%s holds something: give a folder that is empty, or not there", to))
	}
	return work, os.Mkdir(work, 0o700)
}

// liesWithin reports whether a path is dir or lies in it.
func liesWithin(path, dir string) (bool, error) {
	a, err1 := real(path)
	b, err2 := real(dir)
	if err := errors.Join(err1, err2); err != nil {
		return false, err
	}
	return a == b || strings.HasPrefix(a, b+string(filepath.Separator)), nil
}

// real returns a path in full, without links as far as it is there.
func real(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for rest := ""; ; {
		if found, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(found, rest), nil
		}
		if path == filepath.Dir(path) {
			return filepath.Join(path, rest), nil
		}
		path, rest = filepath.Dir(path), filepath.Join(filepath.Base(path), rest)
	}
}

// findDatabase returns the path of the database of from, which is a data folder or the database itself. A folder may have its log alone.
func findDatabase(from string) (string, error) {
	info, err := os.Stat(from)
	if err != nil || !info.IsDir() {
		return from, err
	}
	database := filepath.Join(from, dbName)
	_, err1 := os.Stat(database)
	if _, err2 := os.Stat(filepath.Join(from, walName)); errors.Is(err1, os.ErrNotExist) && errors.Is(err2, os.ErrNotExist) {
		return "", fmt.Errorf("there is no store in %s: neither %s nor %s", from, dbName, walName)
	}
	return database, nil
}

// rescue builds a store in the folder work, lets it read the log, and writes it to one file there.
func rescue(ctx context.Context, from, work string) (*Findings, error) {
	database, err := findDatabase(from)
	if err != nil {
		return nil, err
	}
	r := newReport(from)
	if err := r.buildStore(ctx, database, from, work, database != from); err != nil {
		return nil, err
	}
	file := filepath.Join(work, resultName)
	if err := r.writeOneFile(work, file); err != nil {
		return nil, err
	}
	if err := records.TieToNewLog(file); err != nil {
		return nil, err
	}
	return r, r.countFile(ctx, file)
}

func newReport(from string) *Findings {
	return &Findings{From: from, Damage: []string{}, Missing: []Missing{}, Doubtful: []string{}}
}

// writeOneFile opens the new store, which moves the log into the database, and writes that into one file.
func (r *Findings) writeOneFile(work, file string) error {
	o := store.Options{Dir: work, Log: slog.New(slog.DiscardHandler)}
	db, err := store.Open(o)
	if err != nil {
		r.noteLoss("log", "what the log holds could not be read", fmt.Sprintf("the log: %v", err))
		if err := os.Remove(filepath.Join(work, walName)); err != nil {
			return err
		}
		if db, err = store.Open(o); err != nil {
			return err
		}
	}
	for _, d := range db.Damages() {
		r.noteLoss(d.Kind, d.What, "set aside: "+d.Where)
	}
	if err = db.ForgetDamages(); err == nil {
		err = files.Replace(file, func(w io.Writer) error { return db.Backup(w) })
	}
	return errors.Join(err, db.Close())
}

// noteLoss notes a damage by which something of a kind is missing.
func (r *Findings) noteLoss(what, missing, damage string) {
	r.Damage = append(r.Damage, damage)
	r.Missing = append(r.Missing, Missing{What: what, Text: missing})
}

// countFile reads the new file and counts what it holds. It is whole, or the salvage failed.
func (r *Findings) countFile(ctx context.Context, file string) error {
	check, err := records.CheckFile(ctx, file)
	if err != nil {
		return err
	}
	if len(check.Problems) > 0 {
		return fmt.Errorf("the new store is not whole: %s", check.Problems[0])
	}
	r.setCounts(&check)
	return nil
}

func (r *Findings) setCounts(check *records.Inspection) {
	r.Ships, r.Fixes, r.Blocks, r.Static, r.Records = check.Ships, check.Fixes, check.Blocks, check.Static, check.Records
	r.Oldest, r.Newest = check.Oldest, check.Newest
}
