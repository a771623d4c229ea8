package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"quaywatch/store/files"
	"quaywatch/store/layout"
	"quaywatch/store/records"
)

// Backup writes all that the store holds at this moment, open blocks included, as one database file to w, while the store goes on. It writes pages as they
// stand: CheckFile says whether they are whole. The transaction lasts as long as w takes; pages freed meanwhile are not used again until it ends. While the
// disk is full nothing can be moved from the log into the database. A copy of the database alone would lack the last hours. Then Backup writes nothing, and the
// error, which wraps records.ErrFull, says what to do instead.
func (db *DB) Backup(w io.Writer) error {
	err := db.WriteCopy(w, func() error { return db.flushBlocks(true) })
	switch {
	case errors.Is(err, records.ErrFull):
		return fmt.Errorf("backup: nothing was written: the newest positions are still in %s and cannot join the database until the disk "+
			"has room again; make room and try again, or stop the service and copy %s and %s together: %w", layout.LogName, layout.DBName, layout.LogName, err)
	case err != nil:
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

// Trial opens a copy of a backup in a folder for work, as a service would, and reads all of it. It returns what the backup holds, and
// the copy, which no log belongs to yet. The error names the first damage.
func Trial(ctx context.Context, file, work string) (r records.Inspection, copied string, err error) {
	if r, err = records.CheckFile(ctx, file); err != nil {
		return r, "", err
	}
	if n := len(r.Problems); n > 0 && strings.Contains(r.Problems[0], records.ErrNewer.Error()) {
		return r, "", errors.New(r.Problems[0])
	} else if n > 0 {
		return r, "", fmt.Errorf("the backup is damaged: %s (%d problems); take an older one, or read what is whole with 'quaywatch salvage'", r.Problems[0], n)
	}
	copied = filepath.Join(work, layout.DBName)
	if err = copyWhole(copied, file); err == nil {
		err = records.TieToNewLog(copied)
	}
	if err != nil {
		return r, "", err
	}
	db, err := Open(Options{Dir: work, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return r, "", err
	}
	if err = errors.Join(db.Close(), os.RemoveAll(filepath.Join(work, layout.LogName))); err == nil {
		err = records.TieToNewLog(copied)
	}
	if err != nil {
		return r, "", err
	}
	if r, err = records.CheckFile(ctx, copied); err == nil && len(r.Problems) > 0 {
		err = errors.New(r.Problems[0])
	}
	return r, copied, err
}

// Restore puts a backup in the place of the store in dir. It tries the new store before: it is read whole, opened and closed.
// What stood there is kept under names that end in .before-restore, which aside gives. Restore returns records.ErrLocked, and changes nothing, when the
// store is running.
func Restore(ctx context.Context, dir, file string) (aside []string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	path := filepath.Join(dir, layout.DBName)
	lock, err := records.OpenToRead(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("restore: %w", err)
	}
	if err == nil {
		defer lock.Close()
	}
	work, done, err := files.Workplace(dir)
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	_, copied, err := Trial(ctx, file, work)
	if err != nil {
		return nil, fmt.Errorf("restore %s: %w", file, err)
	}
	if aside, err = exchange(copied, path); err != nil {
		return aside, fmt.Errorf("restore %s: %w", file, err)
	}
	return aside, nil
}

// exchange puts a database in the place of another, which is kept with its log. A power cut at any moment leaves a whole store. The name is never without a
// file, and a log that belongs to another database is set aside by the next start.
func exchange(copied, path string) (aside []string, err error) {
	wal := filepath.Join(filepath.Dir(path), layout.LogName)
	names := asideNames(path, wal)
	if err := os.Link(path, names[0]); err == nil {
		aside = append(aside, names[0])
	} else if !errors.Is(err, os.ErrNotExist) {
		if err := os.Rename(path, names[0]); err != nil { // a file system without links
			return nil, err
		}
		aside = append(aside, names[0])
	}
	if err := errors.Join(files.GiveToFolder(copied, path), files.PutInPlace(copied, path)); err != nil {
		return aside, err
	}
	if err := os.Rename(wal, names[1]); err == nil {
		aside = append(aside, names[1])
	} else if !errors.Is(err, os.ErrNotExist) {
		return aside, err
	}
	return aside, files.SyncFolderOf(path)
}

// asideNames returns names for a database and its log under which nothing stands yet.
func asideNames(paths ...string) []string {
	for n := 1; ; n++ {
		suffix := ".before-restore"
		if n > 1 {
			suffix = fmt.Sprintf("%s-%d", suffix, n)
		}
		names, taken := []string{}, false
		for _, path := range paths {
			_, err := os.Lstat(path + suffix)
			taken = taken || err == nil
			names = append(names, path+suffix)
		}
		if !taken {
			return names
		}
	}
}

func copyWhole(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Sync(), dst.Close())
}

// RefuseOwn tells when a path is a file of the store in dir, by its name or as another name of the same file.
func RefuseOwn(dir, path string) error {
	target, err := os.Stat(path)
	for _, name := range []string{layout.DBName, layout.LogName} {
		own := filepath.Join(dir, name)
		is, err2 := os.Stat(own)
		if err == nil && err2 == nil && os.SameFile(target, is) || samePath(own, path) {
			return fmt.Errorf("%s is a file of the store itself", path)
		}
	}
	return nil
}

// samePath reports whether two paths lead to one place, where no file may stand yet.
func samePath(a, b string) bool {
	folderA, err1 := os.Stat(filepath.Dir(a))
	folderB, err2 := os.Stat(filepath.Dir(b))
	return err1 == nil && err2 == nil && os.SameFile(folderA, folderB) && filepath.Base(a) == filepath.Base(b)
}
