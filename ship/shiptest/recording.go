package shiptest

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Recording opens a file of recorded data, unpacked, and skips the test where there is none. QUAYWATCH_TESTDATA names the folder; without it
// that is shared/data beside the project.
func Recording(t testing.TB, name string) io.Reader {
	t.Helper()
	file, err := os.Open(filepath.Join(recordings(t), name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("recorded data is not here (%s); QUAYWATCH_TESTDATA names its folder", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return file
	}
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// recordings returns the folder of recorded data.
func recordings(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("QUAYWATCH_TESTDATA"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || dir == filepath.Dir(dir) {
			return filepath.Join(dir, "..", "shared", "data")
		}
		dir = filepath.Dir(dir)
	}
}
