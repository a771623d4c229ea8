package records

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/store/layout"
)

func TestDatabaseIsReopenedAfterAnInputOutputError(t *testing.T) {
	db := openTest(t, t.TempDir())
	users, err := OpenTable[int](db, "users")
	must(t, err)
	id, err := users.Insert("anna", 1)
	must(t, err)
	before := db.bolt
	_ = db.fault.note(db.logger, syscall.EIO)
	if err := users.Put(id, "anna", 2); !errors.Is(err, ErrReadOnly) {
		t.Errorf("put: %v, want ErrReadOnly", err)
	}
	if r, ok := named(t, users, "anna"); !ok || r.Value != 1 {
		t.Errorf("anna is %+v", r)
	}
	if !db.Recover(time.Now()) || db.bolt == before {
		t.Error("the file was not opened anew")
	}
	must(t, users.Put(id, "anna", 3))
}

// TestLastingDamageIsTriedLessOften: each try to open the file anew reads it whole.
func TestLastingDamageIsTriedLessOften(t *testing.T) {
	db := openDamaged(t, t.TempDir())
	must(t, db.Together(func(tx *Tx) error {
		for i := range uint64(50) {
			must(t, tx.Put(layout.Blocks, layout.BlockKey(492_322, 219000001+ais.MMSI(i)), make([]byte, 6000)))
		}
		return nil
	}))
	f, err := os.OpenFile(db.path(), os.O_WRONLY, 0)
	must(t, err)
	for page := int64(2); page < 12; page++ { // all but the meta pages
		_, err = f.WriteAt([]byte("damage, damage, damage, damage"), page*pageSize)
		must(t, err)
	}
	must(t, f.Close())
	_ = db.fault.note(db.logger, syscall.EIO)
	start, tries := time.UnixMilli(at0), []int{}
	for second := range 80 {
		now := start.Add(time.Duration(second) * time.Second)
		was := db.fault.reopenAt
		if db.Recover(now); db.fault.reopenAt != was {
			tries = append(tries, second)
		}
	}
	if want := []int{0, 1, 3, 7, 15, 30, 45, 60, 75}; !slices.Equal(tries, want) {
		t.Errorf("tries at seconds %d, want %d", tries, want)
	}
	if db.Fault() == nil {
		t.Error("the damaged file was taken for whole")
	}
}

// TestTheNewestDamagesAreListed: of more than are kept the newest are listed, and all are counted.
func TestTheNewestDamagesAreListed(t *testing.T) {
	db := openTest(t, t.TempDir())
	for i := range MostDamages + 2 {
		db.damage.remember(Damage{Kind: DamagedPage, Where: fmt.Sprint(i)})
		if list := db.Damages(); len(list) != min(i+1, MostDamages) || list[0].Where != fmt.Sprint(max(0, i+1-MostDamages)) || list[len(list)-1].Where != fmt.Sprint(i) {
			t.Fatalf("after %d damages %d are listed, from %s to %s", i+1, len(list), list[0].Where, list[len(list)-1].Where)
		}
	}
	if n := db.DamageCounts()[DamagedPage]; n != MostDamages+2 {
		t.Errorf("%d damages are counted", n)
	}
}
