package command

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// imported runs the command on a file with that text in a new store, and returns its exit code and outputs.
func imported(t *testing.T, name, text string, args ...string) (code int, out, errs string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	args = append([]string{"import", "--data-dir", filepath.Join(dir, "data"), "--store.retention", "0s"}, args...)
	code = run(t.Context(), console{out: &o, err: &e}, append(args, path))
	return code, o.String(), e.String()
}

// row returns the rest of the row of the table that begins with what.
func row(out, what string) string {
	for line := range strings.Lines(out) {
		if rest, found := strings.CutPrefix(strings.TrimSpace(line), what); found {
			return strings.Join(strings.Fields(rest), " ")
		}
	}
	return ""
}

// TestImportEndsWithATable: the table says what was in the file, what the store took, and what was refused and why.
func TestImportEndsWithATable(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	other := harbourReport(0)
	other.MMSI = 211378121
	nowhere := harbourReport(0)
	nowhere.Place = ais.Place{Lon: 181 * 600000, Lat: 91 * 600000}
	text := stamped(t, day, harbourReport(0), harbourReport(1), harbourReport(2), harbourReport(3), nowhere) +
		stamped(t, day, other, other, other)
	text += "not a sentence\r\n" + "!AIVDM,1,1,,A,13aI8e?P00PGpU:NR6s00?vT2000,0*00\r\n"
	code, out, errs := imported(t, "log", text)
	want := map[string]string{"lines": "10", "messages": "8", "ships": "2", "fixes stored": "7",
		"period": "2026-03-01T12:00:10Z to 2026-03-01T12:00:50Z"}
	for what, number := range want {
		if row(out, what) != number {
			t.Errorf("%s: %q, want %q", what, row(out, what), number)
		}
	}
	for _, part := range []string{"1 sentence: checksum is missing or wrong", "1 place: the ship says that it has none"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), "refused "+part) {
			t.Errorf("no row for %q", part)
		}
	}
	if code != exitOK {
		t.Errorf("exit %d: %s", code, errs)
	}
	if t.Failed() {
		t.Log(out)
	}
}

// TestImportOfNothingFails: a file of which nothing was taken is no success, and the words say why.
func TestImportOfNothingFails(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 100_000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("id,speed\n1,2\n")); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, one := range map[string]struct{ text, says string }{
		"empty":  {"", "the file is empty"},
		"random": {string(noise), "nothing was taken"},
		"gzip":   {packed.String(), "none of the 2 lines is an AIS sentence"},
		"other":  {"$GPRMC,120000,A,5400.0,N,01000.0,E,0.0,0.0,010326,,*18\r\n", "none of the 1 lines"},
		"broken": {strings.Repeat("!AIVDM,1,1,,A,13aI8e?P00PGpU:NR6s00?vT2000,0*00\r\n", 7), "7 times, sentence: checksum is missing or wrong"},
		"header": {"MMSI,BaseDateTime,LAT,LON,SOG,COG\n", "nothing was taken"},
		"rows":   {"MMSI,BaseDateTime,LAT,LON,SOG,COG\nabc,2026-03-01T12:00:00,54,10,1,1\n", `line 2, column MMSI: "abc"`},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := imported(t, "file", one.text)
			if code != exitFail || !strings.Contains(errs, one.says) || !strings.Contains(errs, "nothing was taken") {
				t.Errorf("exit %d: %s\n%s", code, errs, out)
			}
		})
	}
}

// TestImportGoesOnAfterAFileOfNothing: one wrong file among many costs only itself, and the exit code.
func TestImportGoesOnAfterAFileOfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	text := stamped(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), harbourReport(0), harbourReport(1), harbourReport(2))
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), console{out: &out, err: &errs}, []string{"import", "--data-dir", filepath.Join(dir, "data"), empty, log})
	if code != exitFail || !strings.Contains(errs.String(), empty) || row(out.String()[strings.Index(out.String(), log):], "messages") != "3" {
		t.Errorf("exit %d: %s\n%s", code, errs.String(), out.String())
	}
}
