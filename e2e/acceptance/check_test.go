package acceptance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckTellsDamage: the exit code of check is what a script and our own tests of faults look at.
func TestCheckTellsDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	csv, data := filepath.Join(dir, "one.csv"), filepath.Join(dir, "data")
	text := "MMSI,BaseDateTime,LAT,LON,SOG,COG\n"
	for i := range 3000 {
		text += fmt.Sprintf("211378120,2026-01-01T%02d:%02d:%02d,%.4f,10.2,12.0,90\n", i/3600, i/60%60, i%60, 54+float64(i%97)*0.0001)
	}
	if err := os.WriteFile(csv, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := runCommand(t, "", "import", "--data-dir", data, "--store.full_rate", "true", csv); code != 0 {
		t.Fatalf("import: exit %d, %s", code, stderr)
	}
	out, stderr, code := runCommand(t, "", "check", data)
	if code != 0 || !strings.Contains(out, "3000 fixes") {
		t.Fatalf("check of a whole store: exit %d\n%s%s", code, out, stderr)
	}
	damageValues(t, filepath.Join(data, "quaywatch.db"), 211378120)
	out, stderr, code = runCommand(t, "", "check", "--data-dir", data)
	if code != 1 || !strings.Contains(out+stderr, "211378120") || !strings.Contains(stderr, "problem") {
		t.Errorf("check of a damaged store: exit %d\n%s%s", code, out, stderr)
	}
}

// damageValues clears some bytes behind each key that ends in the MMSI.
func damageValues(t *testing.T, path string, mmsi uint32) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	key := []byte{0, 0, 0, 0, byte(mmsi >> 24), byte(mmsi >> 16), byte(mmsi >> 8), byte(mmsi)}
	hits := 0
	for at := 0; ; hits++ {
		next := bytes.Index(file[at:], key)
		if next < 0 || at+next+len(key)+24 > len(file) {
			break
		}
		at += next + len(key)
		clear(file[at : at+24])
	}
	if hits == 0 {
		t.Fatal("the ship is not in the file")
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
}
