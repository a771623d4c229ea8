package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestReplace: the file is whole or it is the old one, and nothing else is left in the folder.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "backup")
	broken := errors.New("the service went away")
	for _, test := range []struct {
		name  string
		write func(io.Writer) error
		err   error
		want  string // what the file holds afterwards
	}{
		{"new", func(w io.Writer) error { _, err := io.WriteString(w, "one"); return err }, nil, "one"},
		{"replaced", func(w io.Writer) error { _, err := io.WriteString(w, "two"); return err }, nil, "two"},
		{"cut", func(w io.Writer) error { _, err := io.WriteString(w, "thr"); return errors.Join(err, broken) }, broken, "two"},
		{"not synced", func(w io.Writer) error {
			_, err := io.WriteString(w, "three")
			return errors.Join(err, w.(io.Closer).Close()) // so that the sync fails
		}, os.ErrClosed, "two"},
	} {
		if err := Replace(path, test.write); !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != test.want {
			t.Errorf("%s: the file holds %q (%v), want %q", test.name, text, err, test.want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v %v", test.name, info.Mode(), err)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
			t.Errorf("%s: %v is left (%v)", test.name, left, err)
		}
	}
	if err := Replace(filepath.Join(path, "below"), func(io.Writer) error { return nil }); err == nil {
		t.Error("a file below a file")
	}
}
