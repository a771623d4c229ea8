// Package backups writes a backup of the running store from time to time into a folder, and removes the old ones.
//
// It promises that a file that has its name was read whole after it was written. An old backup goes only when a new good backup stands beside it. A backup of a
// damaged store has another name and replaces no good backup. A failure is told, and tried again. A file whose name is of the future, as a clock that was ahead
// leaves it, counts for nothing and stays.
package backups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"quaywatch/store/files"
	"quaywatch/store/salvage"
)

// Options say what is written, how often and where to.
type Options struct {
	Every time.Duration // 0 is never
	Keep  int           // good backups that stay
	To    string        // the folder, which must be there; "" is none

	Dir   string                // of the store
	Write func(io.Writer) error // the database as it is at this moment
	Now   func() time.Time      // nil is time.Now
	Log   *slog.Logger
}

// The results of the last try.
const (
	None       = "none"       // there was none since the start
	OK         = "ok"         // it is whole
	Incomplete = "incomplete" // the store is damaged: it has what is whole
	Failed     = "failed"     // nothing was written
)

// Status is how the backups fare.
type Status struct {
	To     string
	Every  time.Duration
	Keep   int
	Files  int       // good ones in the folder, without those of the future
	Newest time.Time // of these; zero when there is none
	Bytes  int64     // of the newest
	Unread bool      // the folder cannot be read: what is in it is not known
	Known  time.Time // the newest that was there when the folder was read last; zero when there was none
	Result string    // of the last try
	Error  string    // what went wrong at the last try
}

// Late reports whether a good backup is missing for more than one and a half intervals. While the folder cannot be read, what was there before counts.
func (s *Status) Late(now, started time.Time) bool {
	since := s.Known
	if since.IsZero() {
		since = started
	}
	return s.Every > 0 && now.Sub(since) > s.Every+s.Every/2
}

// Schedule writes backups.
type Schedule struct {
	Options
	mu     sync.Mutex
	status Status
	tried  time.Time
}

// The names of the files: the time of the backup between the two. The second kind is of a damaged store.
const (
	prefix     = "quaywatch-"
	suffix     = ".backup"
	incomplete = ".incomplete"
	stamp      = "20060102T150405Z"
)

// againAfter is how soon a backup that failed is tried again, unless the next one is due before.
const againAfter = 15 * time.Minute

// mostAhead is how far the time of a file may lie ahead of a clock that was set back. A shorter interval is that limit itself.
const mostAhead = 24 * time.Hour

// New makes a schedule. It does not run yet.
func New(o Options) *Schedule {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Schedule{Options: o, status: Status{To: o.To, Every: o.Every, Keep: o.Keep, Result: None}}
	if s.on() {
		s.countBackups()
	}
	return s
}

func (s *Schedule) on() bool { return s.Every > 0 && s.To != "" }

// Status tells how the backups fare. Without a schedule ok is false. It never waits for the disk.
func (s *Schedule) Status() (status Status, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, s.on()
}

// Run writes backups until ctx ends. The first is due when the newest good one in the folder is old enough: a restart moves nothing.
func (s *Schedule) Run(ctx context.Context) error {
	if !s.on() {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(min(time.Minute, s.Every))
	defer tick.Stop()
	for {
		s.Step(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Step writes a backup when one is due. Run calls it each minute.
func (s *Schedule) Step(ctx context.Context) {
	if s.isDue(s.Now()) {
		s.once(ctx)
	}
}

// isDue reports whether it is time. A file that is ahead by little says nothing, as after the clock was set back. A folder that cannot be read is tried at once,
// so that what is wrong with it is told. After a failure only a good backup ends that.
func (s *Schedule) isDue(now time.Time) bool {
	s.countBackups()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch again := now.Sub(s.tried).Abs() >= min(againAfter, s.Every); {
	case s.status.Result == Failed:
		return again
	case s.status.Result == Incomplete && !again:
		return false
	}
	age := now.Sub(s.status.Newest)
	return s.status.Newest.IsZero() || age >= s.Every || age < 0 && now.Sub(s.tried).Abs() >= s.Every
}

// once writes one backup and removes the old ones.
func (s *Schedule) once(ctx context.Context) {
	now := s.Now().UTC()
	report, err := s.write(ctx, filepath.Join(s.To, prefix+now.Format(stamp)))
	if ctx.Err() != nil {
		return // the service stops
	}
	result, text := OK, ""
	switch {
	case err != nil:
		result, text = Failed, err.Error()
		s.Log.Error("the scheduled backup failed", "to", s.To, "error", err)
	case !report.Whole():
		result, text = Incomplete, fmt.Sprintf("the store is damaged: %d things are missing or may be", len(report.Missing))
		s.Log.Error("the scheduled backup lacks what is damaged", "file", report.To, "damage", report.Damage[:min(10, len(report.Damage))])
	default:
		s.Log.Info("backup written", "file", report.To, "ships", report.Ships, "fixes", report.Fixes)
	}
	if err == nil {
		if err := s.prune(report.To); err != nil {
			text = "old backups stay: " + err.Error()
			s.Log.Warn("remove old backups", "error", err)
		}
	}
	s.mu.Lock()
	s.tried, s.status.Result, s.status.Error = now, result, text
	s.mu.Unlock()
	s.countBackups()
}

// write writes a backup under the name that it deserves.
func (s *Schedule) write(ctx context.Context, path string) (*salvage.Findings, error) {
	if info, err := os.Stat(s.To); err != nil || !info.IsDir() {
		return nil, errors.Join(fmt.Errorf("%s is no folder: is the medium there?", s.To), err)
	}
	report, err := salvage.Backup(ctx, s.Dir, s.Write, path+incomplete)
	if err != nil || !report.Whole() {
		return report, err
	}
	report.To = path + suffix
	return report, files.PutInPlace(path+incomplete, report.To)
}

// prune removes the oldest files of the kind of the one that was written. That one stays, whatever its time, and so do those of the future.
func (s *Schedule) prune(written string) error {
	kind := filepath.Ext(written)
	list, err := s.files(kind)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(name string) bool { return name == filepath.Base(written) })
	for ; len(list) >= s.Keep; list = list[1:] {
		if err := os.Remove(filepath.Join(s.To, list[0])); err != nil {
			return err
		}
	}
	return nil
}

// files returns the names of our files of one kind that are not of the future, the oldest first.
func (s *Schedule) files(kind string) (names []string, err error) {
	list, err := os.ReadDir(s.To)
	last := s.Now().Add(min(mostAhead, s.Every))
	for _, entry := range list {
		if at, ok := timeOf(entry.Name(), kind); ok && entry.Type().IsRegular() && !at.After(last) {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

// timeOf returns the time that a name of ours tells.
func timeOf(name, kind string) (time.Time, bool) {
	text, ok1 := strings.CutPrefix(name, prefix)
	text, ok2 := strings.CutSuffix(text, kind)
	at, err := time.Parse(stamp, text)
	return at, ok1 && ok2 && err == nil
}

// countBackups counts the good backups in the folder. Of a folder that cannot be read it tells none.
func (s *Schedule) countBackups() {
	names, err := s.files(suffix)
	var newest time.Time
	var bytes int64
	if n := len(names); n > 0 && err == nil {
		newest, _ = timeOf(names[n-1], suffix)
		if info, err := os.Stat(filepath.Join(s.To, names[n-1])); err == nil {
			bytes = info.Size()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status.Unread = err != nil; s.status.Unread {
		names = nil
	} else {
		s.status.Known = newest
	}
	s.status.Files, s.status.Newest, s.status.Bytes = len(names), newest, bytes
}
