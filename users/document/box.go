package document

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/store/records"
)

// Box is all areas of a program.
type Box struct {
	db     *records.Database
	areas  []Collection
	owners []Owner
}

// Owner is of what users own and no document has, as jobs.
type Owner struct {
	// Reassign hands what one user owns to another, and counts it by its word in the plural.
	Reassign func(from, to string) (map[string]int, error)
	// Owns reports whether a user owns anything that outlives it; nil where it does not.
	Owns func(uid string) bool
}

// NewBox makes a box of areas. Their sections stand in a document in this order, and their locks are taken in it.
func NewBox(db *records.Database, areas ...Collection) *Box { return &Box{db: db, areas: areas} }

// Join adds an area, behind the others. It is for what is opened later than they are, and is called before anything asks the box.
func (b *Box) Join(a Collection) { b.areas = append(b.areas, a) }

// Add adds an owner of what is in no document.
func (b *Box) Add(o Owner) { b.owners = append(b.owners, o) }

// Find finds a thing of any area.
func (b *Box) Find(kind, ref string) (form.Ref, bool) {
	if b != nil {
		for _, area := range b.areas {
			if found, ok := area.Find(kind, ref); ok {
				return found, true
			}
		}
	}
	return form.Ref{}, false
}

// Referring returns what refers to something, in all areas.
func (b *Box) Referring(to form.Reference) (by []form.Referrer) {
	if b != nil {
		for _, area := range b.areas {
			by = append(by, area.Referring(to)...)
		}
	}
	return form.SortReferrers(by)
}

// Owns reports whether a user owns anything.
func (b *Box) Owns(uid string) bool {
	return b != nil && (slices.ContainsFunc(b.areas, func(a Collection) bool { return a.Owns(uid) }) ||
		slices.ContainsFunc(b.owners, func(o Owner) bool { return o.Owns != nil && o.Owns(uid) }))
}

// Reassign hands what a user owns to another, or puts a group in the place of another. It does so in all areas or in none, in one commit with also. It counts
// by the word of what came to another, in the plural.
func (b *Box) Reassign(kind, from, to string, also ...records.CommitPart) (map[string]int, error) {
	var counts map[string]int
	err := b.amend(false, func(drafts []Draft) error {
		counts = map[string]int{}
		for _, d := range drafts {
			maps.Copy(counts, d.Reassign(kind, from, to))
		}
		return nil
	}, func() []records.CommitPart { return also })
	for _, owner := range b.owners {
		if err != nil || kind != "user" {
			break
		}
		var more map[string]int
		more, err = owner.Reassign(from, to)
		maps.Copy(counts, more)
	}
	if err != nil {
		return nil, fmt.Errorf("reassign: %w", err)
	}
	return counts, nil
}

// ErrMeanwhile says that something was changed between the copying of a draft and its writing.
var ErrMeanwhile = rule.New("meanwhile", "it was changed in the meantime; try again")

// tries is how often a draft is made anew when somebody else was quicker.
const tries = 5

// Export returns what is configured.
func (b *Box) Export() (*Document, error) {
	doc := &Document{}
	for _, area := range b.areas {
		for _, s := range area.Sections() {
			p := part{key: s.Key}
			for _, entry := range area.Export(s.Key) {
				raw, err := json.Marshal(entry)
				if err != nil {
					return nil, fmt.Errorf("export %s: %w", s.Kind, err)
				}
				p.entries = append(p.entries, raw)
			}
			if len(p.entries) > 0 {
				doc.sections = append(doc.sections, p)
			}
		}
	}
	return doc, nil
}

// Import reads a document in. A thing with a uid that is here becomes as the document says; a new uid is added. An entry without a
// uid means the thing with its name. A name that another thing has is refused.
//
// Import checks everything before it writes anything (Error), and writes in one transaction, with the changes that also makes of the
// report. A dry import writes nothing and returns the same report. When ctx ends before the writing begins, nothing is changed.
func (b *Box) Import(ctx context.Context, doc *Document, dry bool, also ...func(*ImportReport) records.CommitPart) (*ImportReport, error) {
	var report *ImportReport
	err := b.amend(dry, func(drafts []Draft) (err error) {
		report, err = b.applyDocument(ctx, doc, drafts)
		return err
	}, func() (with []records.CommitPart) {
		for _, of := range also {
			with = append(with, of(report))
		}
		return with
	})
	var wrong Error
	if errors.As(err, &wrong) {
		return nil, wrong
	}
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	return report, nil
}

// amend lets edit change a draft of each area, and writes the drafts together, with the changes that also gives then. If dry is true it
// only checks whether they could be written.
func (b *Box) amend(dry bool, edit func([]Draft) error, also func() []records.CommitPart) error {
	err := error(ErrMeanwhile)
	for try := 0; try < tries && errors.Is(err, ErrMeanwhile); try++ {
		drafts := b.drafts()
		if err = edit(drafts); err == nil {
			err = b.write(drafts, dry, also())
		}
	}
	return err
}

func (b *Box) drafts() []Draft {
	drafts := make([]Draft, len(b.areas))
	others := Others{
		Find: func(kind, ref string) (form.Ref, bool) {
			for _, d := range drafts {
				if found, ok := d.Find(kind, ref); ok {
					return found, true
				}
			}
			return form.Ref{}, false
		},
		Shared: func(uid string) bool { return slices.ContainsFunc(drafts, func(d Draft) bool { return d.Shares(uid) }) },
	}
	for i, area := range b.areas {
		drafts[i] = area.Draft(others)
	}
	return drafts
}

func (b *Box) write(drafts []Draft, dry bool, also []records.CommitPart) error {
	if err := b.writeLocked(drafts, dry, also); err != nil || dry {
		return err
	}
	for _, d := range drafts {
		if err := d.Follow(); err != nil {
			return err
		}
	}
	return nil
}

func (b *Box) writeLocked(drafts []Draft, dry bool, also []records.CommitPart) error {
	for _, d := range drafts {
		d.Lock()
		defer d.Unlock()
	}
	for _, d := range drafts {
		if err := d.Stands(); err != nil {
			return err
		}
	}
	if dry {
		return nil
	}
	err := b.db.Together(func(batch *records.Tx) error {
		for _, d := range drafts {
			if err := d.Write(batch); err != nil {
				return err
			}
		}
		return nil
	}, also...)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		d.Adopt()
	}
	return nil
}

// applyDocument takes a document into drafts in two rounds: all are announced, then each is applied. It ends when ctx does.
func (b *Box) applyDocument(ctx context.Context, doc *Document, drafts []Draft) (*ImportReport, error) {
	report := &ImportReport{Things: []Done{}, places: map[string]string{}}
	all, err := b.readEntries(ctx, doc, drafts, report)
	if err != nil {
		return nil, err
	}
	for _, round := range []func(meant){
		func(m meant) { m.draft.Announce(m.Entry) },
		func(m meant) { m.draft.Apply(m.Entry); m.strict() },
	} {
		if len(report.wrong) > 0 {
			return nil, report.wrong
		}
		for _, m := range all {
			if err := ctx.Err(); err != nil || report.isFull() {
				return nil, cmp.Or(err, error(report.wrong))
			}
			round(m)
			m.reportErrors()
		}
	}
	for _, d := range drafts {
		d.Check(report)
	}
	if len(report.wrong) > 0 {
		return nil, report.wrong
	}
	return report, ctx.Err()
}

// meant is an entry with the draft of its area.
type meant struct {
	*Entry
	draft Draft
}

// readEntries reads the entries of all sections, if the areas have room for so many.
func (b *Box) readEntries(ctx context.Context, doc *Document, drafts []Draft, report *ImportReport) (all []meant, err error) {
	known := map[string]bool{}
	for i := range drafts {
		for _, section := range b.areas[i].Sections() {
			known[section.Key] = true
			entries := doc.entriesOf(section.Key)
			if err := section.Room(len(entries)); err != nil {
				report.Check(err)
				continue
			}
			for place, raw := range entries {
				if err := ctx.Err(); err != nil || report.isFull() {
					return nil, cmp.Or(err, error(report.wrong))
				}
				all = append(all, meant{read(section, place+1, raw, report), drafts[i]})
			}
		}
	}
	for _, p := range doc.sections {
		if !known[p.key] {
			report.addLine(form.CutName(p.key) + ": unknown key")
		}
	}
	return all, nil
}

// read reads an entry as an object with a name.
func read(s Section, place int, raw json.RawMessage, report *ImportReport) *Entry {
	e := &Entry{Fields: form.Of(nil), Section: s, place: place, report: report}
	var keys form.Keys
	if json.Unmarshal(raw, &keys) != nil || keys == nil {
		e.Refuse("", rule.New("object", "must be an object"))
	}
	e.Fields.Set(keys)
	e.Name = e.Text("name")
	e.reportErrors()
	return e
}
