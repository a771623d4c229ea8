//go:build !race

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// holdsBars holds that each call between two times is found and none beside, and 95 of 100 times to the minute and draughts. What the ends of the
// simulation cut off is left out.
func holdsBars(t *testing.T, told, from, to string) {
	t.Helper()
	var listed, kept, both int
	if _, err := fmt.Sscanf(told, "%d calls in the list, %d kept here, %d in both", &listed, &kept, &both); err != nil || both < 50 || 100*both < 90*listed {
		t.Errorf("%v\n%s", err, told)
	}
	for _, name := range []string{"missed", "not in the list"} {
		for _, line := range regexp.MustCompile(`(?m)^`+name+`: .* ata (\S+), atd ([^,\s]+)`).FindAllStringSubmatch(told, -1) {
			if inside := func(at string) bool { return at == "-" || from < at && at < to }; inside(line[1]) && inside(line[2]) {
				t.Errorf("%s", line[0])
			}
		}
	}
	for _, bar := range []string{`arrival: (\d+) compared, (\d+) within a minute`, `departure: (\d+) compared, (\d+) within a minute`} {
		right := regexp.MustCompile(bar).FindStringSubmatch(told)
		if right == nil || !mostOf(right[2], right[1]) {
			t.Errorf("%q", right)
		}
	}
	if right := regexp.MustCompile(`draught: (\d+) of (\d+) right`).FindStringSubmatch(told); right == nil || !mostOf(right[1], right[2]) {
		t.Errorf("%q", right)
	}
}

// mostOf reports whether a number is 95 of 100 of another, which is large enough to say so.
func mostOf(part, all string) bool {
	n, err := strconv.Atoi(part)
	of, wrong := strconv.Atoi(all)
	return err == nil && wrong == nil && of >= 30 && 100*n >= 95*of
}

// TestCallsOfALog looks for calls in an imported log and compares them with lists.
func TestCallsOfALog(t *testing.T) {
	dir := t.TempDir()
	log, truth, ports, data := filepath.Join(dir, "day.nmea"), filepath.Join(dir, "truth"), filepath.Join(dir, "ports"), filepath.Join(dir, "data")
	done(t, exitFail, "detect-calls", "--data-dir", data)
	done(t, exitOK, "simulate", "--to", log, "--truth", truth, "--ports", ports, "--start", "2026-03-01T00:00:00Z", "--duration", "8h",
		"--speed", "0", "--ships", "80")
	done(t, exitOK, "import", "--data-dir", data, "--store.retention", "0s", log)
	done(t, exitOK, "import-ports", "--data-dir", data, ports)
	done(t, exitUsage, "detect-calls", "--data-dir", data, "--from", "yesterday")
	done(t, exitUsage, "detect-calls", "--data-dir", data, "--from", "2026-03-02", "--to", "2026-03-01")
	if said := done(t, exitOK, "detect-calls", "--data-dir", data); strings.Contains(said, " 0 calls found") {
		t.Errorf("no calls: %s", said)
	}
	if said := done(t, exitOK, "detect-calls", "--data-dir", data); !strings.Contains(said, " 0 of them new") {
		t.Errorf("again: %s", said)
	}
	// What the ships really did is the list of a port that knows all.
	holdsBars(t, done(t, exitOK, "eval-calls", "--data-dir", data, "--truth", truth), "2026-03-01T01:00:00Z", "2026-03-01T07:50:00Z")

	list := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(list, []byte("IMO;ATA;ATD\n9999999;2026-03-01 01:00;2026-03-01 03:00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	done(t, exitFail, "eval-calls", "--data-dir", data, "--truth", list)
	said := done(t, exitFail, "eval-calls", "--data-dir", data, "--truth", list, "--port", "DKCPH", "--zone", "UTC")
	done(t, exitUsage, "eval-calls", "--data-dir", data, "--truth", list, "--port", "DKCPH", "--zone", "Nowhere")
	if !strings.Contains(said, "1 calls in the list") || !strings.Contains(said, "ship never heard, or port not known: 9999999 at DKCPH") {
		t.Errorf("%s", said)
	}
}
