package acceptance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoCommandMakesAStoreUnasked: in the wrong folder a command fails and leaves nothing; what makes a store says so.
func TestNoCommandMakesAStoreUnasked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "typo")
	box := filepath.Join(t.TempDir(), "box.json")
	if err := os.WriteFile(box, []byte(`{"version":1,"groups":[{"name":"Pilots"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]string{
		{"user", "list"}, {"user", "add", "anna"}, {"user", "set", "anna", "--email", "a@port"}, {"user", "passwd", "anna"}, {"user", "delete", "anna"},
		{"group", "list"}, {"group", "add", "Pilots"}, {"group", "set", "admin", "--right", "change_user=deny"}, {"group", "delete", "viewer"},
		{"export-config"}, {"export-config", filepath.Join(dir, "x.json")}, {"import-config", box}, {"import-config", "--dry-run", box}, {"import-ports", box},
		{"backup", filepath.Join(dir, "x.backup")}, {"compact"}, {"check"},
	} {
		verb := 1
		if row[0] == "user" || row[0] == "group" {
			verb = 2
		}
		args := append(append(append([]string{}, row[:verb]...), "--data-dir", data), row[verb:]...)
		out, stderr, code := runCommand(t, "harbour-master-1\n", args...)
		if code != 1 || out != "" || !strings.Contains(stderr, "there is no store in "+data) {
			t.Errorf("%q: exit %d\n%s%s", args, code, out, stderr)
		}
		makes := row[0] == "import-config" || len(row) > 1 && row[1] == "add"
		if strings.Contains(stderr, "--new") != makes {
			t.Errorf("%q says %s", args, stderr)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("%q leaves %v (%v)", args, left, err)
		}
	}
	for _, args := range [][]string{{"import", "--data-dir", data, filepath.Join(dir, "no.nmea")}, {"salvage", filepath.Join(dir, "no"), data}} {
		if _, stderr, code := runCommand(t, "", args...); code != 1 || !strings.Contains(stderr, "no such file") {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("%q leaves %v (%v)", args, left, err)
		}
	}
	for _, row := range [][]string{{"user", "list", "--new"}, {"user", "set", "anna", "--email", "a@port", "--new"}} {
		if _, stderr, code := runCommand(t, "", append(row, "--data-dir", data)...); code != 2 || !strings.Contains(stderr, "only add takes --new") {
			t.Errorf("%q: exit %d, %s", row, code, stderr)
		}
	}
}

// TestABoxIsSetUpBeforeItsFirstStart, by --new, in each of the ways.
func TestABoxIsSetUpBeforeItsFirstStart(t *testing.T) {
	t.Parallel()
	box := filepath.Join(t.TempDir(), "box.json")
	if err := os.WriteFile(box, []byte(`{"version":1,"groups":[{"name":"Pilots"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, first := range [][]string{{"user", "add", "anna"}, {"group", "add", "Pilots"}, {"import-config", box}} {
		dir := t.TempDir()
		data := filepath.Join(dir, "data")
		out, stderr, code := runCommand(t, "harbour-master-1\n", append(first[:len(first)-1:len(first)-1], "--new", "--data-dir", data, first[len(first)-1])...)
		if code != 0 || !strings.Contains(stderr, "making a new store in "+data) || !strings.Contains(out, "in "+data) {
			t.Fatalf("%q: exit %d\n%s%s", first, code, out, stderr)
		}
		if _, stderr, code := runCommand(t, "", "group", "set", "--data-dir", data, "admin", "--right", "change_user=deny"); code != 1 ||
			!strings.Contains(stderr, "last administrator must stay") {
			t.Errorf("%q, then the group admin: exit %d, %s", first, code, stderr)
		}
		if first[0] == "user" {
			if !strings.Contains(out, "user anna added as the first user, an administrator, in ") {
				t.Errorf("said %s", out)
			}
		} else {
			if _, stderr, code := runCommand(t, "harbour-master-1\n", "user", "add", "--data-dir", data, "bert", "--groups", "viewer"); code != 1 ||
				!strings.Contains(stderr, "has to be an administrator") {
				t.Errorf("a viewer alone: exit %d, %s", code, stderr)
			}
			if out, stderr, code := runCommand(t, "harbour-master-1\n", "user", "add", "--new", "--data-dir", data, "anna"); code != 0 ||
				strings.Contains(stderr, "new store") {
				t.Errorf("the first user: exit %d\n%s%s", code, out, stderr)
			}
		}
		if _, stderr, code := runCommand(t, "harbour-master-1\n", "user", "add", "--data-dir", data, "bert"); code != 1 ||
			!strings.Contains(stderr, "--groups with some of admin, operator, ") {
			t.Errorf("a second user without groups: exit %d, %s", code, stderr)
		}
		list, stderr, code := runCommand(t, "", "user", "list", "--data-dir", data)
		if code != 0 || !strings.Contains(strings.Join(strings.Fields(list), " "), "anna admin 73") || strings.Contains(list, "bert") || stderr != "in "+data+"\n" {
			t.Errorf("exit %d\n%s%s", code, list, stderr)
		}
	}
}
