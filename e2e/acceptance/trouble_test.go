package acceptance

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"quaywatch/internal/await"
)

// The tests of this file put the box into the troubles that an operator meets, and go the way out that its words name.

// refused starts the service, which has to end with words, and returns them.
func refused(t *testing.T, dir string, prefix ...string) string {
	t.Helper()
	p := launchPrefixed(t, dir, prefix, "serve")
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("the service runs")
	}
	said := p.stderr.String()
	if code := p.cmd.ProcessState.ExitCode(); code != 1 || strings.Contains(said, "goroutine ") {
		t.Fatalf("exit %d: %s", code, said)
	}
	return said
}

// ready starts the service and waits until it is open and writes.
func ready(t *testing.T, dir string, prefix ...string) *process {
	t.Helper()
	p := launchPrefixed(t, dir, prefix, "serve")
	p.waitReady(patience)
	eventually(t, patience, "the service is ready", func() bool {
		response, _, err := p.try("GET", "/readyz", "")
		return err == nil && response.StatusCode == http.StatusOK
	})
	return p
}

// holds fails when words lack one of these.
func holds(t *testing.T, what, said string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(said, word) {
			t.Errorf("%s does not say %q: %s", what, word, said)
		}
	}
}

// TestDamagedUserRefusesTheStart: rights depend on users, so the service does not start without one. It names the user and the two ways on. Reading
// goes on meanwhile, and after forget-damaged the service starts.
func TestDamagedUserRefusesTheStart(t *testing.T) {
	t.Parallel()
	dir, data := historyStore(t)
	if _, stderr, code := runCommand(t, adminPassword+"\n", "user", "add", "--data-dir", data, "--groups", "viewer", "--email", "anna@port", "anna"); code != 0 {
		t.Fatalf("user add: exit %d, %s", code, stderr)
	}
	path := filepath.Join(data, "quaywatch.db")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.ReplaceAll(file, []byte("anna@port"), []byte("anna@tort")) // one bit in each copy
	if bytes.Equal(bad, file) {
		t.Fatal("the record of the user does not stand in the file")
	}
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	holds(t, "the start", refused(t, dir), `\"anna\"`, "quaywatch restore", "quaywatch user forget-damaged")

	holds(t, "check", run(t, 1, "check", "--data-dir", data), "damaged", "of table users")
	holds(t, "user list", run(t, 0, "user", "list", "--data-dir", data), "admin")
	run(t, 0, "export-config", "--data-dir", data, filepath.Join(dir, "box.json"))
	backup := filepath.Join(dir, "b")
	holds(t, "backup", run(t, 3, "backup", "--data-dir", data, backup), "missing", "of table users")
	run(t, 0, "check", backup)
	refused(t, dir)

	holds(t, "forget-damaged", run(t, 0, "user", "forget-damaged", "--data-dir", data), "gone: ", `named "anna"`, "1 record(s) set aside in "+data)
	p := ready(t, dir)
	eventually(t, patience, "the status tells of it", func() bool {
		_, text := p.do("GET", "/api/status", "")
		return strings.Contains(string(text), `"damage_set_aside"`)
	})
	if response, _ := p.do("GET", "/api/config/user/anna", ""); response.StatusCode != http.StatusNotFound {
		t.Errorf("the user that is gone: %s", response.Status)
	}
	p.want(http.StatusOK, "POST", "/api/config/user", `{"name":"anna","password":"`+adminPassword+`"}`)
}

// TestWrongPermissionsAreNotDamage: of files that it may not use the service says so, names the way out, and starts after it.
func TestWrongPermissionsAreNotDamage(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip("setpriv is not installed; it is part of util-linux")
	}
	dir, data := historyStore(t)
	// root itself may do anything, but without its capabilities it is held to the modes.
	plain := []string{"setpriv", "--bounding-set=-all", "--inh-caps=-all"}
	if os.Geteuid() != 0 {
		plain = nil
	}
	files := []string{filepath.Join(data, "quaywatch.db"), filepath.Join(data, "quaywatch.wal"), data}
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		said := refused(t, dir, plain...)
		if err := os.Chmod(path, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		holds(t, "the start without "+path, said, filepath.Base(path), "may not be used by this user", "chown")
		for _, word := range []string{"is damaged", "restore"} {
			if strings.Contains(said, word) {
				t.Errorf("without %s it says %q: %s", path, word, said)
			}
		}
	}
	if code := ready(t, dir, plain...).stop(patience); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
}

// TestOldLogBesideANewDatabase: a log of another store, as one is left by a copy of the database alone, is never read into this one and never lost.
func TestOldLogBesideANewDatabase(t *testing.T) {
	t.Parallel()
	_, other := historyStore(t)
	dir, data := historyStore(t)
	old, err := os.ReadFile(filepath.Join(other, "quaywatch.wal"))
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(data, "quaywatch.wal")
	if err := os.WriteFile(log, old, 0o600); err != nil {
		t.Fatal(err)
	}
	holds(t, "check", run(t, 1, "check", "--data-dir", data), "belongs to another database")
	p := ready(t, dir)
	if code := p.stop(patience); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
	holds(t, "the log of the service", p.stderr.String(), "does not belong to the database", log+".old")
	if kept, err := os.ReadFile(log + ".old"); err != nil || !bytes.Equal(kept, old) {
		t.Errorf("the other log was not kept (%v)", err)
	}
	holds(t, "check", run(t, 1, "check", "--data-dir", data), "43200 fixes", "the log is missing", "1 problem(s)") // what its own log had is lost
}

// TestBackupThatIsKilled: what a killed backup leaves is never taken for a backup. What stood under its name stays, and the next backup cleans up.
func TestBackupThatIsKilled(t *testing.T) {
	t.Parallel()
	dir, data := historyStore(t)
	folder := filepath.Join(dir, "usb")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(folder, "b")
	run(t, 0, "backup", "--data-dir", data, target)
	good, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 5))
	killed, under := 0, 0
	for try := 0; try < 200 && under < 10; try++ {
		cmd := exec.Command(binary(t), "backup", "--data-dir", data, target)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitWork(folder)
		goesOnFor(time.Duration(random.IntN(1+try)) * time.Millisecond / 4) // somewhere in the work, whatever the machine
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if status, is := cmd.ProcessState.Sys().(syscall.WaitStatus); is && status.Signaled() {
			killed++
		}
		left, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range left {
			if strings.HasPrefix(one.Name(), ".quaywatch-work-") {
				under++
			} else if one.Name() != "b" {
				t.Errorf("a killed backup left %s", one.Name())
			}
		}
		run(t, 0, "backup", "verify", target) // the one before, or a whole new one
		run(t, 0, "check", "--data-dir", data)
	}
	if under < 10 {
		t.Errorf("%d backups were killed, %d of them at work", killed, under)
	}
	run(t, 0, "backup", "--data-dir", data, target)
	if list, err := os.ReadDir(folder); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v (%v)", list, err)
	}
	before := filesOf(t, data)
	for _, size := range []int{0, 16 << 10, len(good) / 2, len(good) - 16<<10} {
		half := filepath.Join(dir, "half")
		if err := os.WriteFile(half, good[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, 1, "backup", "verify", half)
		run(t, 1, "restore", "--data-dir", data, half)
		if after := filesOf(t, data); after["quaywatch.db"] != before["quaywatch.db"] || len(after) != len(before) {
			t.Errorf("%d bytes of a backup changed the store", size)
		}
	}
}

// awaitWork waits until a backup has begun to write in a folder, or might have ended.
func awaitWork(folder string) {
	for range await.Looks(time.Second) {
		if list, err := filepath.Glob(filepath.Join(folder, ".quaywatch-work-*", "*")); err == nil && len(list) > 0 {
			return
		}
	}
}

// smallDisk mounts a file system of so many bytes, or skips the test where that cannot be.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprint("size=", size)); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v)", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// TestSalvageOnAFullDisk: a salvage, a backup and a restore for which there is no room say so and leave nothing that could be taken for a store.
func TestSalvageOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir, data := historyStore(t)
	disk := smallDisk(t, 256<<10)
	before := filesOf(t, data)
	for _, args := range [][]string{
		{"salvage", data, filepath.Join(disk, "new")}, {"backup", "--data-dir", data, filepath.Join(disk, "b")},
	} {
		holds(t, args[0], run(t, 1, args...), "no space left")
		left := 0
		_ = filepath.WalkDir(disk, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				left++
			}
			return err
		})
		if left > 0 {
			t.Errorf("%s leaves %d files", args[0], left)
		}
	}
	if after := filesOf(t, data); after["quaywatch.db"] != before["quaywatch.db"] {
		t.Error("the store was changed")
	}
	good := filepath.Join(dir, "good")
	run(t, 0, "backup", "--data-dir", data, good)
	holds(t, "restore", run(t, 1, "restore", "--data-dir", filepath.Join(disk, "data"), good), "no space left")
	if _, err := os.Stat(filepath.Join(disk, "data", "quaywatch.db")); err == nil {
		t.Error("restore left half a database")
	}
}

// TestStartOnAFullDisk: the service serves what is there, tells that the disk is full, and writes again when there is room.
func TestStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	_, from := historyStore(t)
	dir := smallDisk(t, 64<<20)
	copyFolder(t, filepath.Join(dir, "data"), from)
	ballast := filepath.Join(dir, "ballast")
	fill(t, ballast)
	p := launch(t, dir, "serve")
	p.waitReady(patience)
	if fixes := track(p, 211378000, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"); len(fixes) == 0 {
		t.Error("the past is not there while the disk is full")
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, "writes work again", func() bool {
		response, _ := p.do("POST", "/api/config/shiplist", `{"name":"Tugs","ships":[{"mmsi":5}]}`)
		return response.StatusCode == http.StatusCreated || response.StatusCode == http.StatusConflict
	})
	if code := p.stop(patience); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
	holds(t, "check", run(t, 0, "check", "--data-dir", filepath.Join(dir, "data")), "43200 fixes")
}

// TestReadOnlyMount: on a file system that is mounted read-only the service does not start and says why. Reading works, and after
// a mount for writing the service starts.
func TestReadOnlyMount(t *testing.T) {
	t.Parallel()
	out, from := historyStore(t)
	dir := smallDisk(t, 64<<20)
	data := filepath.Join(dir, "data")
	copyFolder(t, data, from)
	eventually(t, patience, "the disk is read-only", func() bool { // a program that another test starts holds our files until it runs
		return syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "") == nil
	})
	said := refused(t, dir)
	holds(t, "the start", said, "mounted read-only", "data_dir")
	if strings.Contains(said, "is damaged") {
		t.Errorf("the start says %s", said)
	}
	holds(t, "check", run(t, 0, "check", "--data-dir", data), "43200 fixes")
	run(t, 0, "backup", "--data-dir", data, filepath.Join(out, "b"))
	run(t, 0, "salvage", data, filepath.Join(out, "new"))
	holds(t, "the users", run(t, 0, "user", "list", "--data-dir", data), "admin")
	run(t, 0, "export-config", "--data-dir", data, filepath.Join(out, "box.toml"))
	holds(t, "a change", run(t, 1, "group", "add", "night", "--data-dir", data), "mounted read-only")
	holds(t, "a backup onto it", run(t, 1, "backup", "--data-dir", data, filepath.Join(dir, "b")), "read-only")
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, ""); err != nil {
		t.Fatal(err)
	}
	if code := ready(t, dir).stop(patience); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
}

// copyFolder makes a folder with the files of another one.
func copyFolder(t *testing.T, to, from string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range filesOf(t, from) {
		if err := os.WriteFile(filepath.Join(to, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
