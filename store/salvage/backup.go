package salvage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"quaywatch/store"
	"quaywatch/store/files"
)

// Backup writes the store in the folder from to one file. Each value of it was proved by its checksum; what is damaged is left out and
// named in the report. live, when a service runs on the store, writes its database as it is at this moment. The file gets its name when it
// is whole and synced, and what stood under the name stays until then. What is no file is not replaced. What a killed backup leaves, the next one removes.
func Backup(ctx context.Context, from string, live func(io.Writer) error, file string) (report *Findings, err error) {
	if err := store.RefuseOwn(from, file); err != nil {
		return nil, err
	}
	if file, err = files.Target(file); err != nil {
		return nil, err
	}
	work, done, err := files.Workplace(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	result := filepath.Join(work, resultName)
	if live == nil {
		report, err = rescue(ctx, from, work)
	} else {
		report, result, err = image(ctx, live, work)
	}
	if err != nil {
		return nil, err
	}
	report.From, report.To = from, file
	return report, files.PutInPlace(result, file)
}

// image has a running service write its database, and reads it whole. Of one that is damaged it returns what is whole.
func image(ctx context.Context, live func(io.Writer) error, work string) (r *Findings, result string, err error) {
	path := filepath.Join(work, imageName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, "", err
	}
	if err := errors.Join(live(&stoppable{ctx, f}), f.Close()); err != nil {
		return nil, "", err
	}
	r = newReport(path)
	if r.countFile(ctx, path) == nil {
		return r, path, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	r, err = rescue(ctx, path, work)
	return r, filepath.Join(work, resultName), err
}

// stoppable is a writer that ends with a context: a service that stops does not wait for a slow medium.
type stoppable struct {
	ctx context.Context
	w   io.Writer
}

func (s *stoppable) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.w.Write(b)
}

// Verify is a restore drill: it opens a copy of a backup as a service would, reads all of it, and returns what it holds. The copy is made
// beside the file, or where that cannot be written in the folder for temporary files.
func Verify(ctx context.Context, file string) (report *Findings, err error) {
	work, done, err := files.Workplace(filepath.Dir(file))
	if err != nil {
		work, done, err = files.Workplace(os.TempDir())
	}
	if err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	check, _, err := store.Trial(ctx, file, work)
	if err != nil {
		return nil, fmt.Errorf("verify %s: %w", file, err)
	}
	report = newReport(file)
	report.setCounts(&check)
	return report, nil
}
