package salvage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quaywatch/store/layout"
	"quaywatch/store/pages"
	"quaywatch/store/records"
	"quaywatch/store/wal"
)

// pageSize is that of every database of ours.
const pageSize = 16 << 10

// usualTables names the tables and series of this program, for a file of which no page tells their names any more.
func usualTables() []string {
	return []string{"users", "groups", "sessions", "tokens", "lists", "shapes", "filters", "register", "ports", "selections",
		"distress", "voyages", "water",
		"series/audit", "series/audit-refusals", "series/audit-sign-ins", "series/calls"}
}

// reading is one salvage of a database under way.
type reading struct {
	ctx     context.Context
	report  *Findings
	builder *records.Builder
	judge   layout.Verifier
	paths   []string          // of buckets that may be
	renamed map[string]string // name as it stands there -> name that proved right
	proved  map[string]bool   // buckets of which a value was taken
	numbers map[string]uint64 // sequences of buckets
	strays  []pages.Orphan    // values that stand in a bucket of which they are not
	likely  string            // the bucket of the last value that was found astray
	tied    bool              // the id of the log was read
	unclean bool              // the store was not closed
	file    *pages.File
	tree    *pages.Tree
}

// buildStore reads the database and the log, and makes a store of both in the folder work.
func (r *Findings) buildStore(ctx context.Context, database, from, work string, log bool) error {
	builder, err := records.NewBuilder(work)
	if err != nil {
		return err
	}
	s := &reading{ctx: ctx, report: r, builder: builder, renamed: map[string]string{}, proved: map[string]bool{},
		numbers: map[string]uint64{}}
	s.paths = append(layout.OwnBuckets(), usualTables()...)
	if err := s.database(database); err != nil {
		return errors.Join(err, builder.Abort())
	}
	id, first, err := builder.Log()
	if err == nil && log {
		err = s.copyLog(work, from, id, first)
	}
	if err != nil {
		return errors.Join(err, builder.Abort())
	}
	s.sequences()
	twice, err := builder.Finish()
	for _, name := range twice {
		r.Damage = append(r.Damage, "two records have one name: "+name+" was left out")
		r.Missing = append(r.Missing, Missing{What: "record", Text: name})
	}
	return err
}

// copyLog copies the log. When something of the database is missing all that stands in it is read again, what was thought to be safe too.
func (s *reading) copyLog(work, from string, id [16]byte, first uint64) error {
	if !s.tied {
		if known, ok := wal.LogID(from); ok {
			id, first = known, 0
			if err := s.builder.UseLog(id); err != nil {
				return err
			}
		}
	}
	if _, err := os.Stat(filepath.Join(from, walName)); errors.Is(err, os.ErrNotExist) && first == 0 && s.tied && !s.unclean {
		return nil // it was just restored
	}
	found, copied, err := wal.CopyLog(work, from, id, first)
	if err != nil {
		return err
	}
	s.report.Frames = found.Frames
	s.report.Damage = append(s.report.Damage, found.Damage...)
	for _, gap := range found.Missing {
		s.report.Missing = append(s.report.Missing, Missing{What: "log", Text: gap.Text, From: gap.From, To: gap.To})
	}
	if copied && len(s.report.Missing) > 0 {
		return s.builder.ReadLogFrom(0)
	}
	return nil
}

// database reads a database file, which may be missing.
func (s *reading) database(path string) error {
	f, err := records.OpenToRead(path)
	if errors.Is(err, os.ErrNotExist) {
		s.report.noteLoss("all", "all that was in the database", path+" is missing")
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if s.file, err = pages.Open(f, info.Size(), pageSize); err != nil {
		return err
	}
	meta, ok := s.chooseMeta()
	if ok {
		if s.tree, err = s.file.Walk(meta, pages.TreeVisitor{Whole: s.checkValue, Value: s.takeValue, Bucket: s.noteBucket}); err != nil {
			return err
		}
		s.reportFaults()
	}
	return s.orphans()
}

// chooseMeta chooses the page at which to begin. With a damaged meta page the newest change may stand in a tree to which only that led.
func (s *reading) chooseMeta() (meta pages.Meta, ok bool) {
	metas := s.file.Metas()
	if len(metas) == 2 {
		return metas[0], true
	}
	roots := s.file.Roots("meta")
	slices.SortStableFunc(roots, newerRoot)
	if len(metas) == 1 {
		s.report.noteLoss("record", "changes of the last moment before the stop", fmt.Sprintf("meta page %d is damaged", 1-metas[0].At))
		known := slices.IndexFunc(roots, func(r pages.Root) bool { return r.Page == metas[0].Root })
		for i := 0; i < known && newerRoot(roots[i], roots[known]) < 0; i++ {
			if s.isTreeWhole(roots[i].Page) {
				return s.file.AtRoot(roots[i].Page), true
			}
		}
		return metas[0], true
	}
	s.report.noteLoss("record", "changes of the last moments before the stop", "both meta pages are damaged")
	for _, root := range roots {
		if s.isTreeWhole(root.Page) {
			return s.file.AtRoot(root.Page), true
		}
	}
	if len(roots) > 0 {
		return s.file.AtRoot(roots[0].Page), true
	}
	s.report.noteLoss("all", "all of the database that stood on no leaf", "no page is left that the database begins with")
	return meta, false
}

// newerRoot puts the root of the later transaction first, as far as what only grows tells it.
func newerRoot(a, b pages.Root) int {
	return cmp.Or(cmp.Compare(logFirst(b), logFirst(a)), cmp.Compare(b.Sequences, a.Sequences))
}

// logFirst returns the first segment of the log that a root says to be needed: it only grows.
func logFirst(r pages.Root) uint64 {
	if v := r.Value("log-first"); len(v) >= 8 {
		return binary.BigEndian.Uint64(v)
	}
	return 0
}

// isTreeWhole reports whether a tree that begins at a page is whole.
func (s *reading) isTreeWhole(root uint64) bool {
	var judge layout.Verifier
	tree, err := s.file.Walk(s.file.AtRoot(root), pages.TreeVisitor{Whole: judge.Value, Value: func(string, []byte, []byte) error { return nil }})
	return err == nil && !slices.ContainsFunc(tree.Faults, func(f pages.Fault) bool { return f.Missing })
}

// checkValue judges a value under the name that its bucket has, or when that is damaged, under the one that proves right. A value of another bucket
// is kept for later: its page stands in a wrong place.
func (s *reading) checkValue(path string, key, value []byte) error {
	if path == "damaged" {
		return errors.New("was damaged and set aside")
	}
	if other, ok := s.renamed[path]; ok && s.judge.Value(other, key, value) == nil {
		return nil
	}
	err := s.judge.Value(path, key, value)
	if err == nil {
		delete(s.renamed, path)
	}
	if err == nil || path == "" {
		return err
	}
	for _, other := range s.paths {
		if other == path || other == "damaged" || s.judge.Value(other, key, value) != nil {
			continue
		}
		if s.proved[path] || slices.Contains(layout.OwnBuckets(), path) || slices.Contains(usualTables(), path) {
			s.strays = append(s.strays, pages.Orphan{Key: bytes.Clone(key), Value: bytes.Clone(value)})
			return err
		}
		s.renamed[path] = other
		return nil
	}
	return err
}

func (s *reading) takeValue(path string, key, value []byte) error {
	return s.putValue(s.provedName(path), key, value)
}

// putValue takes a value of a bucket whose name proved right.
func (s *reading) putValue(path string, key, value []byte) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	s.proved[path] = true
	s.tied = s.tied || path == "meta" && string(key) == "log"
	s.unclean = s.unclean || path == "meta" && string(key) == "open"
	if path == "meta" && string(key) == "format" {
		if err := records.CheckFormat(value, nil); errors.Is(err, records.ErrNewer) {
			return err // what it holds beyond our format would be lost without a word
		}
	}
	return s.builder.Put(path, key, value)
}

// noteBucket notes the name and the sequence of a bucket.
func (s *reading) noteBucket(path string, sequence uint64) error {
	if path == "damaged" || strings.Contains(path, "/names") {
		return nil
	}
	if !slices.Contains(s.paths, path) {
		s.paths = append(s.paths, path)
	}
	const most = 1 << 48 // a damaged sequence must not end the ids
	if sequence < most {
		s.numbers[path] = max(s.numbers[path], sequence)
	}
	return nil
}

// sequences hands the sequences on, of those buckets whose names are sure.
func (s *reading) sequences() {
	for path, n := range s.numbers {
		if name := s.provedName(path); s.proved[name] || slices.Contains(usualTables(), name) {
			s.builder.Sequence(name, n)
		}
	}
}

// reportFaults tells the faults of the tree.
func (s *reading) reportFaults() {
	for _, f := range s.tree.Faults {
		if f.Key == nil {
			s.report.Damage = append(s.report.Damage, f.String())
		}
	}
	for _, suspect := range s.tree.Suspects() {
		s.report.Damage = append(s.report.Damage, layout.DescribeSuspect(suspect.Path, &suspect)+": "+suspect.Text)
	}
	if s.tree.More > 0 {
		s.report.noteLoss("all", fmt.Sprintf("%d more values", s.tree.More), fmt.Sprintf("%d more faults", s.tree.More))
	}
}

// orphans takes values from pages to which nothing leads.
func (s *reading) orphans() error {
	var list []uint64
	exact := s.tree != nil && s.tree.Exact
	switch {
	case exact:
		list = s.tree.Lost
	case s.tree == nil || slices.ContainsFunc(s.tree.Faults, func(f pages.Fault) bool { return f.Missing }):
		list = s.file.Unused(s.tree)
	}
	unreadable, err := s.file.Orphans(list, func(name string) { _ = s.noteBucket(name, 0) }, func(o pages.Orphan) error { return s.orphan(o, exact) })
	if err != nil {
		return err
	}
	for _, stray := range s.strays {
		if err := s.orphan(stray, false); err != nil {
			return err
		}
	}
	s.listMissing(exact && unreadable == 0, exact && unreadable > 0)
	return nil
}

// orphan takes a value that stands on a page to which nothing leads, when it is of a place that is broken.
func (s *reading) orphan(o pages.Orphan, exact bool) error {
	path := s.provedPath(o)
	if path == "" || path == "meta" && s.tree != nil || !exact && !s.isBrokenAt(path, o.Key) {
		return s.ctx.Err()
	}
	was, err := s.builder.Get(path, o.Key)
	if err != nil {
		return err
	}
	if was != nil && (exact || bytes.Equal(was, o.Value) || !records.Better(path, o.Key, o.Value, was)) {
		return s.ctx.Err()
	}
	if was == nil {
		s.report.Astray++
	}
	if ours := slices.Contains(layout.OwnBuckets(), path) || strings.HasPrefix(path, "series/"); !ours && was == nil {
		where := "in another bucket"
		if o.Page != 0 {
			where = fmt.Sprintf("on page %d, to which nothing leads", o.Page)
		}
		s.report.Doubtful = append(s.report.Doubtful, fmt.Sprintf("%s %q was found %s", layout.Describe(path, o.Key), s.judge.Name, where))
	}
	return s.putValue(path, o.Key, o.Value)
}

// provedPath returns the bucket of which a value is, by its checksum; "" when none fits.
func (s *reading) provedPath(o pages.Orphan) string {
	if s.likely != "" && s.judge.Value(s.likely, o.Key, o.Value) == nil {
		return s.likely
	}
	for _, path := range s.paths {
		if path != "damaged" && s.judge.Value(path, o.Key, o.Value) == nil {
			s.likely = path
			return path
		}
	}
	return ""
}

// isBrokenAt reports whether a key stands where the tree is damaged.
func (s *reading) isBrokenAt(path string, key []byte) bool {
	if s.tree == nil {
		return true
	}
	return slices.ContainsFunc(s.tree.Faults, func(f pages.Fault) bool {
		if f.Missing && f.Path == "" {
			return (f.From == nil || path >= string(f.From)) && (f.To == nil || path < string(f.To))
		}
		return f.Missing && s.provedName(f.Path) == path && bytes.Compare(key, f.From) >= 0 && (f.To == nil || bytes.Compare(key, f.To) < 0)
	})
}

// provedName returns the name of a bucket that proved right.
func (s *reading) provedName(path string) string {
	if other, ok := s.renamed[path]; ok {
		return other
	}
	return path
}

// listMissing lists what is missing where the tree is damaged. complete tells that each page of this transaction was read; then nothing is
// missing where only a page that leads to others is damaged.
func (s *reading) listMissing(complete, lost bool) {
	if s.tree == nil {
		return
	}
	for _, f := range s.tree.Faults {
		if f.Key == nil && f.Missing && !(complete && f.Inner) && !strings.Contains(f.Path, "/names") {
			s.report.Missing = append(s.report.Missing, s.gap(f))
		}
	}
	for _, suspect := range s.tree.Suspects() {
		if !strings.Contains(suspect.Path, "/names") {
			s.report.Missing = append(s.report.Missing, s.valueGap(&suspect))
		}
	}
	if lost && len(s.report.Missing) == 0 {
		s.report.Missing = append(s.report.Missing, Missing{What: "all", Text: "values of pages that cannot be read, to which nothing leads"})
	}
}

// gap says in words, and by ship and hour where that can be known, what may be missing.
func (s *reading) gap(f pages.Fault) Missing {
	path := s.provedName(f.Path)
	m := Missing{What: kindOf(path), Bucket: path, FromKey: hex.EncodeToString(f.From), ToKey: hex.EncodeToString(f.To)}
	if path == "" {
		m.Text = fmt.Sprintf("buckets from %.60q to %.60q", f.From, f.To)
	} else {
		m.Text = fmt.Sprintf("%s: what stands %s", cmp.Or(bucketWords()[path], "bucket "+path), layout.DescribeSpan(path, f.From, f.To))
	}
	if path == "blocks" {
		if hour, _, ok := layout.BlockAt(f.From); ok {
			m.From = hour
		}
		if hour, _, ok := layout.BlockAt(f.To); ok {
			m.To = hour.Add(time.Hour)
		}
	}
	return m
}

// valueGap is gap for a value that was read and is damaged.
func (s *reading) valueGap(suspect *pages.Suspect) Missing {
	m := s.gap(suspect.Fault)
	m.Text = layout.DescribeSuspect(m.Bucket, suspect)
	if hour, ship, ok := layout.BlockAt(suspect.Key); ok && m.Bucket == "blocks" && !suspect.Unsure() {
		m.From, m.To, m.Ship = hour, hour.Add(time.Hour), int64(ship)
	}
	return m
}

// bucketWords returns what the buckets hold.
func bucketWords() map[string]string {
	return map[string]string{"blocks": "positions", "ships": "last states", "static": "static data", "feeds": "sets of feeds", "meta": "what ties the log"}
}

func kindOf(path string) string {
	switch path {
	case "blocks":
		return "positions"
	case "ships":
		return "last_state"
	case "static":
		return "static"
	case "":
		return "all"
	}
	return "record"
}
