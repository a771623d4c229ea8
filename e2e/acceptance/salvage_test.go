package acceptance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// historyStore makes a store of 40 ships, three hours each, and users, with a log that is empty. It returns the data folder.
func historyStore(t *testing.T) (dir, data string) {
	t.Helper()
	dir = t.TempDir()
	data = filepath.Join(dir, "data")
	csv := filepath.Join(dir, "ships.csv")
	var text strings.Builder
	text.WriteString("MMSI,BaseDateTime,LAT,LON,SOG,COG\n")
	for m := range 40 {
		for i := range 3 * 360 {
			fmt.Fprintf(&text, "%d,2026-01-01T%02d:%02d:%02d,%.4f,%.4f,12.0,90\n", 211378000+m, i/360, i/6%60, i%6*10, 54+float64(i*(m+3)%97)*0.0011, 10+float64(m)*0.01)
		}
	}
	if err := os.WriteFile(csv, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, 0, "import", "--data-dir", data, "--store.full_rate", "true", csv)
	if _, stderr, code := runCommand(t, adminPassword+"\n", "user", "add", "--data-dir", data, "admin"); code != 0 {
		t.Fatalf("user add: exit %d, %s", code, stderr)
	}
	return dir, data
}

// run runs a command that ends with an exit code, and returns what it printed.
func run(t *testing.T, want int, args ...string) string {
	t.Helper()
	out, stderr, code := runCommand(t, "", args...)
	if code != want {
		t.Fatalf("%q: exit %d, want %d\n%s%s", args, code, want, out, stderr)
	}
	if strings.Contains(out+stderr, "panic") || strings.Contains(out+stderr, "goroutine ") {
		t.Fatalf("%q: %s%s", args, out, stderr)
	}
	return out + stderr
}

// wipe clears a page of a database.
func wipe(t *testing.T, path string, page int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, 16<<10), int64(page)*16<<10); err != nil {
		t.Fatal(err)
	}
}

// filesOf returns the files of a folder and their bytes.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range list {
		if !entry.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(text)
	}
	return files
}

// TestWhenTheDiskDies goes the way of docs/operations.md: from a damaged store over what can be read to a box that serves again.
func TestWhenTheDiskDies(t *testing.T) {
	t.Parallel()
	dir, data := historyStore(t)
	good := filepath.Join(dir, "good.backup")
	run(t, 0, "backup", "--data-dir", data, good)
	if out := run(t, 0, "backup", "verify", good); !strings.Contains(out, "40 ships, 43200 positions in 120 blocks") {
		t.Errorf("verify: %s", out)
	}
	if out := run(t, 0, "check", good); !strings.Contains(out, "43200 fixes") {
		t.Errorf("check of a backup: %s", out)
	}
	database := filepath.Join(data, "quaywatch.db")
	wipe(t, database, blockPage(t, database))
	before := filesOf(t, data)

	if out := run(t, 1, "check", "--data-dir", data); !strings.Contains(out, "blocks") || !strings.Contains(out, "salvage") {
		t.Errorf("check of a damaged store: %s", out)
	}
	run(t, 1, "compact", "--data-dir", data)
	part := filepath.Join(dir, "part.backup")
	if out := run(t, 3, "backup", "--data-dir", data, part); !strings.Contains(out, "missing: positions") {
		t.Errorf("backup of a damaged store: %s", out)
	}
	run(t, 0, "check", part)
	out, _, code := runCommand(t, "", "salvage", "--json", data, filepath.Join(dir, "new"))
	var report struct {
		Fixes, Blocks int
		Missing       []struct {
			What, Text, From, To string
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 3 {
		t.Fatalf("salvage: exit %d, %v\n%s", code, err, out)
	}
	if report.Blocks >= 120 || report.Blocks < 60 || report.Fixes != 360*report.Blocks || len(report.Missing) != 1 || report.Missing[0].What != "positions" {
		t.Errorf("salvage: %+v", report)
	}
	run(t, 0, "check", "--data-dir", filepath.Join(dir, "new"))
	if out := run(t, 0, "user", "list", "--data-dir", filepath.Join(dir, "new")); !strings.Contains(out, "admin") {
		t.Errorf("users of the new store: %s", out)
	}
	if after := filesOf(t, data); after["quaywatch.db"] != before["quaywatch.db"] {
		t.Error("the damaged store was changed")
	}

	run(t, 1, "restore", "--data-dir", data, database) // a damaged file is no backup
	if err := os.WriteFile(filepath.Join(data, "admin-password.txt"), []byte("of before"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, 0, "restore", "--data-dir", data, good)
	after := filesOf(t, data)
	if after["admin-password.txt.before-restore"] != "of before" || after["admin-password.txt"] != "" {
		t.Error("the first password of before stands as that of the restored box")
	}
	if after["quaywatch.db.before-restore"] != before["quaywatch.db"] {
		t.Error("the damaged store is not kept")
	}
	if out := run(t, 0, "check", "--data-dir", data); !strings.Contains(out, "43200 fixes") {
		t.Errorf("check of the restored store: %s", out)
	}
	run(t, 0, "restore", "--data-dir", data, good)
	if _, kept := filesOf(t, data)["quaywatch.db.before-restore-2"]; !kept {
		t.Error("a second restore keeps nothing")
	}
	p := startServe(t, dir, "")
	run(t, 0, "check", "--data-dir", data)
	live := filepath.Join(dir, "live.backup")
	run(t, 0, "backup", "--data-dir", data, live)
	run(t, 1, "restore", "--data-dir", data, live)
	run(t, 1, "salvage", data, filepath.Join(dir, "running"))
	if code := p.stop(patience); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
	run(t, 0, "check", live)
}

// blockPage returns a leaf of the tree of blocks: the page on which most keys of the first hour stand.
func blockPage(t *testing.T, path string) int {
	t.Helper()
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const size = 16 << 10
	best, most := 0, 0
	for page := 2; page < len(image)/size; page++ {
		text := string(image[page*size : (page+1)*size])
		n := 0
		for m := range 40 {
			mmsi := 211378000 + m
			n += strings.Count(text, "\x00\x00\x00\x00"+string([]byte{byte(mmsi >> 24), byte(mmsi >> 16), byte(mmsi >> 8), byte(mmsi)})+"\x02\x00")
		}
		if text[8] == 2 && n > most {
			best, most = page, n
		}
	}
	if most < 3 {
		t.Fatal("no page of blocks")
	}
	return best
}

// TestBackupRefusesItsOwnFiles: neither by name nor by another name of the same file; and nothing is left behind.
func TestBackupRefusesItsOwnFiles(t *testing.T) {
	t.Parallel()
	dir, data := historyStore(t)
	before := filesOf(t, data)
	link := filepath.Join(dir, "link")
	if err := os.Link(filepath.Join(data, "quaywatch.db"), link); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(data, "quaywatch.db")
	for _, target := range []string{own, filepath.Join(data, "quaywatch.wal"), data + "/../data/quaywatch.db", link} {
		if out := run(t, 1, "backup", "--data-dir", data, target); !strings.Contains(out, "a file of the store itself") {
			t.Errorf("%s: %s", target, out)
		}
	}
	for name, text := range filesOf(t, data) {
		if before[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
	folder := filepath.Join(dir, "usb")
	stale := filepath.Join(folder, ".quaywatch-work-1")
	if err := os.MkdirAll(stale, 0o700); err != nil { // as a kill leaves it
		t.Fatal(err)
	}
	run(t, 0, "backup", "--data-dir", data, filepath.Join(folder, "b"))
	if list, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(list) != 1 {
		t.Errorf("%v", list)
	}
	if list, err := os.ReadDir(folder); err != nil || slices.ContainsFunc(list, func(e os.DirEntry) bool { return e.Name() != "b" }) {
		t.Errorf("left behind: %v", list)
	}
}

// TestReadOnlyStore: a folder that may only be read is backed up, checked and salvaged.
func TestReadOnlyStore(t *testing.T) {
	t.Parallel()
	dir, data := historyStore(t)
	before := filesOf(t, data)
	for _, path := range []string{filepath.Join(data, "quaywatch.db"), filepath.Join(data, "quaywatch.wal"), data} {
		if err := os.Chmod(path, map[bool]os.FileMode{true: 0o500, false: 0o400}[path == data]); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(data, 0o700) })
	run(t, 0, "check", "--data-dir", data)
	run(t, 0, "backup", "--data-dir", data, filepath.Join(dir, "b"))
	run(t, 0, "salvage", data, filepath.Join(dir, "new"))
	for name, text := range filesOf(t, data) {
		if before[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
}

// TestScheduledBackups: the running service writes backups into a folder, keeps so many, and tells in status and metrics how they fare.
func TestScheduledBackups(t *testing.T) {
	t.Parallel()
	dir, data := historyStore(t)
	to := filepath.Join(dir, "usb")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, old := range []string{"20250101T000000Z", "20250102T000000Z", "20250103T000000Z"} {
		if err := os.WriteFile(filepath.Join(to, "quaywatch-"+old+".backup"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := startServe(t, dir, fmt.Sprintf("[backup]\nto = %q\nkeep = 2\n", to))
	var status struct {
		Backup struct {
			Result, Newest string
			Files          int
			Bytes          int64
			Age            *int64 `json:"age_s"`
		}
	}
	eventually(t, patience, "a backup is written", func() bool {
		p.get("/api/status", &status)
		return status.Backup.Result == "ok"
	})
	if b := status.Backup; b.Files != 2 || b.Age == nil || b.Bytes == 0 {
		t.Errorf("status: %+v", b)
	}
	if _, body := p.do("GET", "/metrics", ""); !strings.Contains(string(body), "quaywatch_backup_failed 0") ||
		!strings.Contains(string(body), "quaywatch_backup_newest_timestamp_seconds") {
		t.Error("metrics do not tell of backups")
	}
	list, err := filepath.Glob(filepath.Join(to, "*"))
	if err != nil || len(list) != 2 || filepath.Base(list[0]) != "quaywatch-20250103T000000Z.backup" {
		t.Fatalf("%v %v", list, err)
	}
	if out := run(t, 0, "backup", "verify", list[1]); !strings.Contains(out, "43200 positions") {
		t.Errorf("verify: %s", out)
	}
	if code := p.stop(patience); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
	run(t, 0, "check", "--data-dir", data)
}
