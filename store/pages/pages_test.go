package pages_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/pages"
)

const pageSize = 4096

// made is a file with buckets of all kinds: in a leaf, of one page, with branches, nested, with values over several pages, and with free pages.
func made(t testing.TB) (image []byte, model map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	db, err := bolt.Open(path, 0o600, &bolt.Options{PageSize: pageSize})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	model = map[string]string{}
	for round := range 12 {
		err := db.Update(func(tx *bolt.Tx) error {
			head, err := tx.CreateBucketIfNotExists([]byte("head"))
			if err != nil {
				return err
			}
			put(head, "head", 1, fmt.Appendf(nil, "round %d", round), model)
			for i, name := range []string{"small", "page", "large", "long"} {
				most := []int{2, 20, 600, 3}[i]
				b, err := tx.CreateBucketIfNotExists([]byte(name))
				if err != nil {
					return err
				}
				nested, err := b.CreateBucketIfNotExists([]byte("names"))
				if err != nil {
					return err
				}
				for range most / 2 {
					n := rng.IntN(120)
					if name == "long" {
						n = 3000 + rng.IntN(9000)
					}
					put(b, name, rng.IntN(most), fmt.Appendf(nil, "%s %d %0*d", name, round, n, 7), model)
					put(nested, name+"/names", rng.IntN(most), fmt.Appendf(nil, "names %s %d", name, round), model)
				}
				for range most / 20 {
					key := binary.BigEndian.AppendUint64(nil, uint64(rng.IntN(most)))
					delete(model, name+":"+string(key))
					if err := b.Delete(key); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if image, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return image, model
}

func put(b *bolt.Bucket, path string, n int, text []byte, model map[string]string) {
	key := binary.BigEndian.AppendUint64(nil, uint64(n))
	if err := b.Put(key, binary.BigEndian.AppendUint32(text, sum(path, key, text))); err != nil {
		panic(err)
	}
	model[path+":"+string(key)] = string(text)
}

func sum(path string, key, text []byte) uint32 {
	return crc32.ChecksumIEEE(append(append([]byte(path+"\x00"), key...), text...))
}

func whole(path string, key, value []byte) error {
	n := len(value) - 4
	if len(key) != 8 || n < 0 || sum(path, key, value[:n]) != binary.BigEndian.Uint32(value[n:]) {
		return errors.New("checksum")
	}
	return nil
}

// read returns what a walk finds in an image.
func read(t *testing.T, image []byte) (found map[string]string, file *pages.File, tree *pages.Tree) {
	t.Helper()
	file, err := pages.Open(bytes.NewReader(image), int64(len(image)), pageSize)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Metas()) == 0 {
		return nil, file, nil
	}
	found = map[string]string{}
	tree, err = file.Walk(file.Metas()[0], pages.TreeVisitor{Whole: whole, Value: func(path string, key, value []byte) error {
		found[path+":"+string(key)] = string(value[:len(value)-4])
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return found, file, tree
}

func TestWalkGivesWhatBboltHolds(t *testing.T) {
	image, model := made(t)
	found, file, tree := read(t, image)
	if len(tree.Faults) > 0 || len(tree.Lost) > 0 || !tree.Exact {
		t.Errorf("a whole file: %v, %d lost pages", tree.Faults, len(tree.Lost))
	}
	if len(found) != len(model) {
		t.Errorf("%d values, want %d", len(found), len(model))
	}
	for k, v := range model {
		if found[k] != v {
			t.Errorf("%q: %.20q, want %.20q", k, found[k], v)
		}
	}
	if roots := file.Roots("head"); !slices.ContainsFunc(roots, func(r pages.Root) bool { return r.Page == file.Metas()[0].Root }) {
		t.Errorf("the page that the tree begins with is not among %v", roots)
	}
}

// TestDamageIsTold flips bits and wipes pages: what a walk gives was there, and what it lacks stands on a lost page or is told.
func TestDamageIsTold(t *testing.T) {
	image, model := made(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for try := range 1000 {
		bad := bytes.Clone(image)
		what := ""
		switch at := rng.IntN(len(bad)); try % 10 {
		case 0:
			page := at / pageSize
			clear(bad[page*pageSize : (page+1)*pageSize])
			what = fmt.Sprintf("page %d wiped", page)
		case 1:
			bad = bad[:at]
			what = fmt.Sprintf("cut to %d", at)
		default:
			bad[at] ^= 1 << rng.IntN(8)
			what = fmt.Sprintf("a bit of byte %d of page %d", at%pageSize, at/pageSize)
		}
		if len(bad) < 2*pageSize {
			continue
		}
		found, file, tree := read(t, bad)
		if len(file.Metas()) < 2 {
			continue // another transaction
		}
		for k, v := range found {
			if model[k] != v {
				t.Errorf("%s: %q was not there", what, k)
			}
		}
		if !tree.Exact && len(tree.Faults) == 0 {
			t.Errorf("%s: not exact without a word", what)
		}
		if tree.Exact {
			if _, err := file.Orphans(tree.Lost, func(string) {}, func(o pages.Orphan) error {
				for _, path := range []string{"head", "small", "page", "large", "long", "small/names", "page/names", "large/names", "long/names"} {
					if k := path + ":" + string(o.Key); whole(path, o.Key, o.Value) == nil && model[k] == string(o.Value[:len(o.Value)-4]) {
						found[k] = model[k]
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		for k := range model {
			if _, ok := found[k]; !ok && !told(tree, k) {
				t.Errorf("%s: %q is missing without a word; told was %v", what, k, tree.Faults)
				break
			}
		}
	}
}

// told reports whether the faults of a tree say that a value may be missing.
func told(tree *pages.Tree, k string) bool {
	path, key, _ := bytes.Cut([]byte(k), []byte(":"))
	for _, f := range tree.Faults {
		within := bytes.Compare(key, f.From) >= 0 && (f.To == nil || bytes.Compare(key, f.To) < 0)
		if f.Missing && (f.Path == "" || f.Path == string(path) && within || len(f.Path) < len(path) && string(path[:len(f.Path)]) == f.Path) {
			return true
		}
	}
	return false
}

// FuzzWalk: no bytes make it panic or run for ever.
func FuzzWalk(f *testing.F) {
	image, _ := made(f)
	f.Add(image[:16*pageSize])
	f.Fuzz(func(t *testing.T, image []byte) {
		_, file, tree := read(t, image)
		file.Roots("head")
		_, _ = file.Orphans(file.Unused(tree), func(string) {}, func(pages.Orphan) error { return nil })
	})
}

// TestEachPageIsLookedAt: the first page and the last one are among those that a walk did not use, and a tree that begins there is found.
func TestEachPageIsLookedAt(t *testing.T) {
	image, _ := made(t)
	_, file, tree := read(t, image)
	count := uint64(len(image)) / pageSize
	all := file.Unused(nil)
	if len(all) != int(count)-2 || all[0] != 2 || all[len(all)-1] != count-1 {
		t.Fatalf("%d pages from %d to %d, of %d with two metas", len(all), all[0], all[len(all)-1], count)
	}
	root := file.Metas()[0].Root
	if unused := file.Unused(tree); len(unused) == 0 || slices.Contains(unused, root) {
		t.Errorf("unused are %v, and the tree begins at %d", unused, root)
	}
	for _, at := range []uint64{2, count - 1} {
		moved := bytes.Clone(image)
		page := moved[at*pageSize:][:pageSize]
		copy(page, image[root*pageSize:][:pageSize])
		binary.LittleEndian.PutUint64(page, at)
		_, file, _ := read(t, moved)
		if !slices.ContainsFunc(file.Roots("head"), func(r pages.Root) bool { return r.Page == at }) {
			t.Errorf("a tree that begins at page %d of %d is not found", at, count)
		}
	}
}
