package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
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

// TestOnlyFilesAreReplaced: a device, a pipe, a folder and a link that leads nowhere stay what they are. Through a link its file is written.
func TestOnlyFilesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700), os.Symlink(at("nowhere"), at("dangling")),
		os.WriteFile(at("file"), []byte("old"), 0o600), os.Symlink(at("file"), at("link"))); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 && syscall.Mknod(at("device"), syscall.S_IFCHR|0o600, 1<<8|3) == nil {
		if err := Write(at("device"), []byte("new")); err == nil {
			t.Error("a device was replaced")
		}
	}
	for _, name := range []string{"pipe", "folder", "dangling"} {
		before, _ := os.Lstat(at(name))
		if err := Write(at(name), []byte("new")); err == nil {
			t.Errorf("%s was written", name)
		}
		if after, err := os.Lstat(at(name)); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s is %v, was %v", name, after, before)
		}
	}
	if err := Write(at("link"), []byte("new")); err != nil {
		t.Error(err)
	}
	if is, err := os.Lstat(at("link")); err != nil || is.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link is %v, %v", is, err)
	}
	if text, err := os.ReadFile(at("file")); err != nil || string(text) != "new" {
		t.Errorf("the file behind the link holds %q, %v", text, err)
	}
}

// TestAFileOfTheAdministratorIsTheServices: what the administrator makes in the folder of another user belongs to that user.
func TestAFileOfTheAdministratorIsTheServices(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the administrator gives files away")
	}
	dir := t.TempDir()
	const service = 65534
	if err := errors.Join(os.Chown(dir, service, service), os.WriteFile(filepath.Join(dir, "new"), nil, 0o600),
		RenameSynced(filepath.Join(dir, "new"), filepath.Join(dir, "file"))); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	if is := info.Sys().(*syscall.Stat_t); is.Uid != service || is.Gid != service {
		t.Errorf("it belongs to %d:%d", is.Uid, is.Gid)
	}
}
