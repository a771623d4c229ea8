package stats

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/store/records"
	"quaywatch/users/document"
)

// MostInAll bounds the statistics that an import may bring the box to.
const MostInAll = 5000

// mostNamedInACL is how many groups and users an access list of a document may name.
const mostNamedInACL = 100

// Join makes the statistics an area of a box, where they find users and groups. It is called once, before anything asks the box.
func (s *Statistics) Join(box *document.Box) {
	s.box = box
	box.Join(s)
}

// Sections returns the section of the statistics. A document has what was asked, and no result.
func (s *Statistics) Sections() []document.Section {
	now := len(s.All())
	return []document.Section{{Key: "statistics", Kind: "statistic", Room: func(entries int) error { return roomInAll(now, entries) }}}
}

func roomInAll(now, then int) error {
	return form.Room(MostInAll, now, then, rule.New("too_many_statistics", "there may be at most {max} statistics", "max", MostInAll))
}

// Export returns all statistics, the oldest first. An entry reads what was asked when it is written.
func (s *Statistics) Export(string) (all []any) {
	for _, j := range s.All() {
		all = append(all, exported{s, j})
	}
	return all
}

// exported is a statistic as the entry of a document.
type exported struct {
	stats *Statistics
	job   Job
}

// MarshalJSON writes the entry. What it says of ships holds on a box that never heard them: they have their MMSI.
func (x exported) MarshalJSON() ([]byte, error) {
	keys, err := x.stats.askedFields(&x.job)
	if err != nil {
		return nil, err
	}
	find := form.Finder(x.stats.box.Find)
	keys["uid"] = x.job.UID
	if x.job.Name != "" {
		keys["name"] = x.job.Name
	}
	if owner, ok := find("user", x.job.Owner); ok && x.job.Owner != "" {
		keys["owner"] = owner
	}
	if !x.job.Shared {
		keys["acl"] = find.Named(x.job.ACL)
	}
	return json.Marshal(keys)
}

// askedFields returns the fields of a statistic that say what is asked.
func (s *Statistics) askedFields(j *Job) (map[string]any, error) {
	row, err := s.bodies.Get(uint64(j.ID))
	if err != nil {
		return nil, err
	}
	keys := map[string]any{"type": j.Kind, "begin": j.Begin.UTC().Format(time.RFC3339Nano), "end": j.End.UTC().Format(time.RFC3339Nano)}
	if j.Filter != "" {
		keys["filter"] = j.Filter
	}
	for key, value := range row.Value.Posted {
		keys[key] = value
	}
	if row.Value.Posted["ships"] != nil {
		var plan shipsPlan
		if err := json.Unmarshal(row.Value.Plan, &plan); err != nil {
			return nil, err
		}
		keys["ships"] = byNumber(plan.Ships)
	}
	return keys, nil
}

// byNumber describes ships by their MMSI.
func byNumber(ships []ais.MMSI) (all []map[string]ais.MMSI) {
	for _, m := range ships {
		all = append(all, map[string]ais.MMSI{"mmsi": m})
	}
	return all
}

// Find finds nothing: nothing names a statistic.
func (s *Statistics) Find(string, string) (found form.Ref, ok bool) { return found, false }

// Referring returns the statistics that are shared with a user or group.
func (s *Statistics) Referring(to form.Reference) (by []form.Referrer) {
	for _, j := range s.All() {
		if to.UID != "" && slices.Contains(j.ACL, to.UID) {
			by = append(by, form.Referrer{Kind: "statistic", Name: cmp.Or(j.Name, j.Kind), UID: j.UID})
		}
	}
	return by
}

// draft is what an import or a reassignment does to the statistics.
type draft struct {
	stats   *Statistics
	others  document.Others
	version uint64 // of the statistics that were copied
	jobs    map[string]*drafted
	order   []*drafted // in which they are written: that of the document, behind those that were here
	named   document.NameTable
	placed  map[*document.Entry]*drafted
	count   int // before
	ports   map[uint64]*chart.Port
	given   [][2]string // users, and to whom what they own went
}

// drafted is a statistic of a draft.
type drafted struct {
	Job
	was     *Job // nil for a new one
	body    body // of a new one
	changed bool
}

// Draft returns a copy of what is kept of each statistic. How it runs is not part of it.
func (s *Statistics) Draft(others document.Others) document.Draft {
	d := &draft{stats: s, others: others, jobs: map[string]*drafted{}, placed: map[*document.Entry]*drafted{}, ports: map[uint64]*chart.Port{}}
	s.mu.Lock()
	d.version = s.version
	s.mu.Unlock() // what changes from here on raises the version
	for _, j := range s.All() {
		d.addStatistic(&drafted{Job: j, was: &j})
	}
	d.count = len(d.jobs)
	return d
}

// addStatistic takes a statistic into the draft.
func (d *draft) addStatistic(entry *drafted) {
	d.jobs[entry.UID], d.order = entry, append(d.order, entry)
	if entry.Name != "" {
		d.named.Set(entry.UID, entry.Name)
	}
}

// Announce finds the statistic of an entry, or makes it.
func (d *draft) Announce(e *document.Entry) {
	if !e.Given("uid") && e.Name == "" {
		e.Refuse("name", rule.New("stat_unnamed", "is required where there is no uid"))
	}
	uid, there := e.Identify(func(uid string) bool { return d.jobs[uid] != nil }, func(name string) (string, bool) {
		uid, ok := d.named.First(name)
		if ok && d.named.Shared(uid) {
			e.Refuse("name", rule.New("stat_same_name", "is the name of several statistics here: say which by its uid"))
		}
		return uid, ok
	})
	if !there {
		d.addStatistic(&drafted{Job: Job{UID: uid, Shared: true, Definition: Definition{Name: e.Name}}})
	}
	d.placed[e] = d.jobs[uid]
}

// Apply takes what an entry says of a statistic. One that is here stays as it was asked, for its result answers that.
func (d *draft) Apply(e *document.Entry) {
	entry := d.placed[e]
	if e.Given("execute") {
		e.Refuse("execute", rule.New("stat_held", "is in no document: a statistic of a document waits until its owner lets it run"))
	}
	if entry.was == nil {
		d.parseDefinition(e, entry)
	} else {
		d.compareEntry(e, entry)
		if e.Given("name") {
			entry.Name = e.TidyOr("name", "")
			e.Check("name", form.CheckTitle(entry.Name))
		}
	}
	if e.Given("owner") {
		entry.Owner = e.Reference("owner", "user", d.others.Find)
	}
	if e.Given("acl") {
		entry.ACL, entry.Shared = e.Holders("acl", mostNamedInACL, d.others.Find), false
	}
	entry.changed = entry.was == nil || !form.Same(*entry.was, entry.Job)
	e.Done(entry.Name, entry.was != nil, entry.changed)
}

// parseDefinition reads the definition of a new statistic.
func (d *draft) parseDefinition(e *document.Entry, job *drafted) {
	e.Require("type")
	name, _ := NameOf(e.Text("type"))
	k, ok := d.stats.Kind(name)
	if !ok {
		if e.Given("type") {
			e.Check("type", Unknown(form.CutName(name)))
		}
		return
	}
	asked, err := d.stats.Read(e.Fields, k, d.asker())
	if err != nil {
		e.Check("", err)
		return
	}
	job.Kind, job.Definition, job.State, job.Bytes, job.body = k.Name, asked.Definition, Idle, asked.definitionBytes(), asked.body
	job.Held, job.Start = true, time.Time{}
	job.Created = d.stats.config.Now().UTC()
}

// asker returns what a document may name: what stands in it, or here.
func (d *draft) asker() Asker {
	return Asker{Names: form.Existing(d.others.Find), Ports: d.findPort, Ship: func(q ship.Identity, _ time.Time) (ais.MMSI, error) {
		if q.MMSI == 0 {
			return 0, rule.New("stat_by_mmsi", "must have an mmsi: a document names ships by it")
		}
		return q.MMSI, nil
	}}
}

// findPort finds a port of the document, or of here.
func (d *draft) findPort(ref string) []*chart.Port {
	if found, ok := d.others.Find("port", ref); ok {
		id, err := strconv.ParseUint(found.UID, 10, 64)
		if err != nil {
			return nil
		}
		if d.ports[id] == nil {
			d.ports[id] = &chart.Port{ID: id}
		}
		return []*chart.Port{d.ports[id]}
	}
	return d.stats.config.Ports().Find(ref)
}

// compareEntry refuses what an entry asks otherwise than the statistic that is here.
func (d *draft) compareEntry(e *document.Entry, job *drafted) {
	here, err := d.stats.askedFields(&job.Job)
	if err != nil {
		e.Check("", err)
		return
	}
	keys := []string{"type", "begin", "end", "filter"}
	if k, ok := d.stats.Kind(job.Kind); ok {
		keys = append(keys, k.Keys...)
	}
	for _, key := range keys {
		same := !e.Given(key)
		switch {
		case same:
		case key == "begin":
			same = e.Time(key, job.Begin).Equal(job.Begin)
		case key == "end":
			same = e.Time(key, job.End).Equal(job.End)
		default:
			same = form.Same(e.Raw(key), here[key])
		}
		if !same {
			e.Refuse(key, rule.New("stat_asked", "is not what this statistic asks here; take out the uid and give a new name to ask anew"))
		}
	}
}

// Check refuses more statistics than there may be. It does not limit those of one owner: the owner then makes no new ones.
func (d *draft) Check(r *document.ImportReport) { r.Check(roomInAll(d.count, len(d.jobs))) }

// Find finds nothing.
func (d *draft) Find(string, string) (found form.Ref, ok bool) { return found, false }

// Shares reports whether a statistic is shared with a user or group.
func (d *draft) Shares(uid string) bool {
	for _, job := range d.jobs {
		if slices.Contains(job.ACL, uid) {
			return true
		}
	}
	return false
}

// Reassign hands the statistics of a user to another, or puts a group in the place of another in the access lists.
func (d *draft) Reassign(kind, from, to string) map[string]int {
	count := 0
	for _, job := range d.jobs {
		switch acl := form.Replaced(job.ACL, from, to); {
		case kind == "user" && job.Owner == from:
			job.Owner = to
		case kind == "group" && !slices.Equal(acl, job.ACL):
			job.ACL = acl
		default:
			continue
		}
		job.changed = true
		count++
	}
	if kind == "user" {
		d.given = append(d.given, [2]string{from, to})
	}
	return map[string]int{"statistics": count}
}

// Lock keeps others from changing statistics. They can be read, and go on.
func (d *draft) Lock() { d.stats.writing.Lock() }

// Unlock lets them go.
func (d *draft) Unlock() { d.stats.writing.Unlock() }

// Stands fails if a statistic came, went, or got another owner since the copy.
func (d *draft) Stands() error {
	d.stats.mu.Lock()
	defer d.stats.mu.Unlock()
	if d.stats.version != d.version {
		return document.ErrMeanwhile
	}
	return nil
}

// Write writes what was added or changed.
func (d *draft) Write(tx *records.Tx) error {
	s := d.stats
	for _, job := range d.order {
		if !job.changed {
			continue
		}
		if job.was != nil {
			if err := s.rows.PutIn(tx, uint64(job.ID), "", s.latestJob(job)); err != nil {
				return err
			}
			continue
		}
		s.mu.Lock()
		job.ID = max(s.last+1, job.Created.UnixMilli())
		s.last = job.ID
		s.mu.Unlock()
		_, err := s.rows.SetIn(tx, uint64(job.ID), "", job.Job)
		if err == nil {
			_, err = s.bodies.SetIn(tx, uint64(job.ID), "", job.body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// latestJob returns a statistic as it is kept now, with what the draft changes of it. The caller holds writing.
func (s *Statistics) latestJob(job *drafted) Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := job.Job
	if j := s.jobs[job.ID]; j != nil {
		now = j.Job
	}
	now.Name, now.Owned, now.Shared = job.Name, job.Owned, job.Shared
	return now
}

// Adopt makes the draft what is kept.
func (d *draft) Adopt() {
	s := d.stats
	for _, job := range d.order {
		if !job.changed {
			continue
		}
		now := s.latestJob(job)
		s.mu.Lock()
		if j := s.jobs[job.ID]; j != nil {
			j.Job = now
		} else {
			s.jobs[job.ID] = &kept{Job: now}
		}
		s.version++
		s.mu.Unlock()
	}
}

// Follow lets what waits or runs count for its new owner.
func (d *draft) Follow() error {
	for _, change := range d.given {
		d.stats.runner.Reassign(change[0], change[1])
	}
	return nil
}

// uidOf returns the uid of a statistic that was kept before statistics had one.
func uidOf(j *Job) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("quaywatch statistic "+j.Owner+" "+j.Kind+" "+strconv.FormatInt(j.ID, 10))).String()
}
