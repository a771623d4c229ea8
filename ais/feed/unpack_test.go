//go:build !race

package feed

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// packedAs returns a text packed by each way that is read.
func packedAs(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(text); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return map[string][]byte{"gzip": zipped.Bytes(), "zstd": e.EncodeAll(text, nil), "plain": text}
}

func logOf(t *testing.T, content []byte) (*Log, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := OpenLog(path)
	if err == nil {
		t.Cleanup(func() { log.Close() })
	}
	return log, err
}

// TestPackedLogs: a log is unpacked by what it begins with, whatever its name.
func TestPackedLogs(t *testing.T) {
	text := bytes.Repeat([]byte("!AIVDM,1,1,,A,13aI8e?P00PGpU:NR6s00?vT2000,0*1C\r\n"), 5000)
	for name, content := range packedAs(t, text) {
		log, err := logOf(t, content)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := io.ReadAll(log); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if read, all := log.Position(); read != all || all != int64(len(content)) {
			t.Errorf("%s: read %d of %d", name, read, all)
		}
	}
}

// TestOtherArchivesAreNamed: an archive that is not read is no log without a sentence.
func TestOtherArchivesAreNamed(t *testing.T) {
	for begins, name := range map[string]string{"PK\x03\x04 and more": "zip", "BZh91AY": "bzip2", "PAR1....": "Parquet"} {
		if _, err := logOf(t, []byte(begins)); err == nil || !strings.Contains(err.Error(), "it is a "+name+" file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, short := range []string{"", "P", "\x1f"} {
		if log, err := logOf(t, []byte(short)); err != nil || log == nil {
			t.Errorf("%q: %v", short, err)
		}
	}
}

// TestAnArchiveThatUnpacksWithoutEnd: a small file that unpacks to gigabytes ends soon, with words.
func TestAnArchiveThatUnpacksWithoutEnd(t *testing.T) {
	content := packedAs(t, make([]byte, 2*alwaysEnough))
	for _, name := range []string{"gzip", "zstd"} {
		log, err := logOf(t, content[name])
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, log); !errors.Is(err, errTooMuch) || n > alwaysEnough+readBuffer {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
}
