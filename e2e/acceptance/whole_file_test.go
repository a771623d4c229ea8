package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAFileIsWholeOrTheOldOne: without room for a backup or an export the command fails, and yesterday's file stays.
func TestAFileIsWholeOrTheOldOne(t *testing.T) {
	dir := t.TempDir()
	config, _ := udpFeed(t)
	startServe(t, dir, config) // so that the commands write nothing but their files
	data := filepath.Join(dir, "data")
	for _, command := range []string{"backup", "export-config"} {
		file := filepath.Join(t.TempDir(), "file")
		if _, stderr, code := runCommand(t, "", command, "--data-dir", data, file); code != 0 {
			t.Fatalf("%s: exit %d: %s", command, code, stderr)
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// The nearest thing to a full disk that needs no rights: a file may have 1 KiB.
		small := exec.Command("sh", "-c", `trap "" XFSZ; ulimit -f 1; exec "$0" "$@"`, binary(t), command, "--data-dir", data, file)
		out, err := small.CombinedOutput()
		if err == nil || small.ProcessState.ExitCode() != 1 {
			t.Errorf("%s without room: %v\n%s", command, err, out)
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
			t.Errorf("%s without room: %d bytes stand there (%v), %d before", command, len(after), err, len(before))
		}
		if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
			t.Errorf("%s without room leaves %v (%v)", command, left, err)
		}
	}
}
