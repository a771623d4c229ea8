//go:build !race

package store

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/wal"
)

// injury is one way to damage a store.
type injury struct {
	kind  string
	count int // of trials; the first part of them is the quick run
	quick int
	hurt  func(file []byte, random *rand.Rand, used int) []byte // used: the bytes that hold anything
}

func injuries() []injury {
	return []injury{
		{"flip", 2000, 40, func(file []byte, random *rand.Rand, used int) []byte {
			file[random.IntN(used)] ^= 1 << random.IntN(8)
			return file
		}},
		{"cut", 300, 10, func(file []byte, random *rand.Rand, used int) []byte { return file[:random.IntN(used)] }},
		{"zeroes", 100, 6, func(file []byte, random *rand.Rand, used int) []byte {
			at := random.IntN(used) / 4096 * 4096
			clear(file[at:min(at+4096, len(file))])
			return file
		}},
	}
}

// damagedStep is something that is tried on a store right after it was damaged. It gives what it has to say of that, "" for nothing.
type damagedStep struct {
	name string
	try  func(t *testing.T, dir string) string
}

// damagedSteps are tried before the store is started. None may panic, and none may change a file.
func damagedSteps() []damagedStep {
	return []damagedStep{
		{"check", func(t *testing.T, dir string) string {
			r, err := Check(dir)
			if err != nil {
				return err.Error()
			}
			if len(r.Problems) == 0 {
				return ""
			}
			return r.Problems[0]
		}},
	}
}

// TestDamageAnywhereIsNamed damages a store at random places: bits, cuts and zeroed parts, in the database and in the log. It starts, or says
// why not. What it gives no more is named, all else is there, and it can be used. QUAYWATCH_FAULTS=1 makes many more trials.
func TestDamageAnywhereIsNamed(t *testing.T) {
	o := quiet(t.TempDir(), true)
	fillStock(t, o)
	files := readAll(t, o.Dir)
	db := killTest(t, o)
	before := takeStock(t, db)
	outcome := map[string]int{}
	for _, in := range injuries() {
		n := in.quick
		if os.Getenv("QUAYWATCH_FAULTS") != "" {
			n = in.count
		}
		for i := range n {
			random := rand.New(rand.NewPCG(uint64(i), 11))
			name, used := layout.DBName, len(files[layout.DBName])
			if i%3 == 2 {
				name, used = layout.LogName, logUsed(files[layout.LogName])
			}
			t.Run(fmt.Sprintf("%s %d of %s", in.kind, i, name), func(t *testing.T) {
				dir := t.TempDir()
				for other, b := range files {
					must(t, writeSparse(filepath.Join(dir, other), b))
				}
				hurt := in.hurt(append([]byte(nil), files[name]...), random, used)
				must(t, writeSparse(filepath.Join(dir, name), hurt))
				outcome[in.kind+": "+tryDamaged(t, dir, before)]++
			})
		}
	}
	t.Log(outcome)
	if outcome["flip: named"] == 0 || outcome["cut: named"] == 0 || outcome["cut: refused"] == 0 {
		t.Errorf("the trials were not of all kinds: %v", outcome)
	}
}

// logUsed returns the length of a log up to its last frame, and a little more.
func logUsed(log []byte) int {
	for n := len(log); n > 0; n-- {
		if log[n-1] != 0 {
			return n
		}
	}
	return 0
}

// writeSparse writes a file without the zeros at its end, but as long.
func writeSparse(path string, b []byte) error {
	return errors.Join(os.WriteFile(path, b[:logUsed(b)], 0o600), os.Truncate(path, int64(len(b))))
}

// tryDamaged takes a damaged store through a service's life.
func tryDamaged(t *testing.T, dir string, before stock) (outcome string) {
	damaged := readAll(t, dir)
	told := ""
	for _, step := range damagedSteps() {
		if said := step.try(t, dir); said != "" {
			told = said
		}
		if !sameFiles(damaged, readAll(t, dir)) {
			t.Errorf("%s changed a file", step.name)
		}
	}
	o := quiet(dir, true)
	o.Vital = records.SetVitalAside
	db, err := Open(o)
	if err != nil {
		if !errors.Is(err, records.ErrDamaged) && !errors.Is(err, wal.ErrVersion) || told == "" {
			t.Errorf("refused with %v; told was %q", err, told)
		}
		if !sameFiles(map[string][]byte{layout.DBName: damaged[layout.DBName]}, map[string][]byte{layout.DBName: readAll(t, dir)[layout.DBName]}) {
			t.Error("the damaged database was changed")
		}
		return "refused"
	}
	now := takeStock(t, db)
	db.WaitForCheck()
	must(t, db.SetAsideFound())
	named := db.Damages()
	before.judge(t, now, named)
	if len(named) > 0 && told == "" {
		t.Errorf("%+v is named, and the check found nothing", named)
	}
	must(t, db.Backup(io.Discard))
	live(t, db)
	lived := takeStock(t, db)
	must(t, db.Close())
	if db, err = Open(o); err != nil {
		t.Fatalf("a second start: %v", err)
	}
	lived.judge(t, takeStock(t, db), nil)
	if again := db.Damages(); len(again) != len(named) {
		t.Errorf("after a second start named is %+v, was %+v", again, named)
	}
	must(t, db.Close())
	if len(named) > 0 {
		return "named"
	}
	return "nothing lost"
}
