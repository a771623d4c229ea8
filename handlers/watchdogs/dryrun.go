package watchdogs

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sort"
	"time"
	"unsafe"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/jobs"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// The bounds of a dry run.
const (
	mostTrial     = 31 * 24 * time.Hour
	trialLimit    = 2 * time.Minute  // how long it may take
	trialKept     = 15 * time.Minute // how long a result waits for its caller
	trialFetched  = time.Hour        // and how long it is kept then
	trialRetry    = 2 * time.Second
	mostTrialFix  = 500_000 // of the ship that is asked for
	mostDescribed = 20_000  // ships of which it is remembered what they were
)

// trials is the policy of dry runs.
func trials() jobs.Policy {
	return jobs.Policy{Name: "dryrun_jobs", Limit: trialLimit, Unfetched: trialKept, Fetched: trialFetched}
}

// tried is the result of a dry run.
type tried struct {
	watchdogs.Rehearsed
	from, to time.Time
	kind     watchdog.Type
	seen     []ais.MMSI // the ships that were asked for or named, as far as the caller saw them
	warnings []*rule.Rule
}

// Bytes tells how much memory the result holds.
func (t *tried) Bytes() int64 {
	if t == nil {
		return 0
	}
	return int64(len(t.Events)) * int64(unsafe.Sizeof(watchdogs.Event{})+unsafe.Sizeof(ship.Fix{})+100)
}

// tryPast starts a job that tries a watchdog on the past.
func (s *Server) tryPast(c *request.Request) error {
	if err := request.Entitled(c.Caller.User, right.ViewHistory); err != nil {
		return err
	}
	f, err := c.Bind(request.MaxShapeBody)
	if err != nil {
		return err
	}
	f.Require("definition", "from", "to")
	from, to := f.Time("from", time.Time{}), f.Time("to", time.Time{})
	mmsi := ais.MMSI(f.Integer("mmsi", 0, int64(ship.LargestMMSI)))
	definition := f.Inner("definition", rule.New("object", "must be an object"))
	switch {
	case f.Err() != nil:
	case !from.Before(to):
		f.Refuse("from", rule.New("from_before_to", "must be before to"))
	case to.Sub(from) > mostTrial:
		f.Refuse("from", rule.New("trial_long", "must be at most {days} days before to", "days", int64(mostTrial/(24*time.Hour))))
	}
	if err := f.Err(); err != nil {
		return err
	}
	if err := s.deps.Desk.LookBack(c.Caller.User, from); err != nil {
		return err
	}
	r, err := s.deps.Definition(c, definition)
	if err != nil {
		return err
	}
	r.Name = cmp.Or(r.Name, string(r.Watchdog.Type))
	return s.beginTrial(c, definition, &r, from, to, mmsi)
}

// beginTrial starts the job.
func (s *Server) beginTrial(c *request.Request, f *form.Fields, r *library.Resource, from, to time.Time, mmsi ais.MMSI) error {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	if now := v.Now().Add(time.Second); to.After(now) { // positions of this second are there already
		to = now
	}
	if from.After(to) {
		from = to
	}
	t := &trial{server: s, viewer: v, mmsi: mmsi, known: map[ais.MMSI][]sight.Description{}, tried: &tried{from: from, to: to, kind: r.Watchdog.Type}}
	t.atSea = r.Watchdog.Type == watchdog.Fishing || r.Watchdog.Type == watchdog.Cable
	t.rehearsal, err = watchdogs.NewRehearsal(s.deps.Watch, *r, from, to, mmsi, t.last)
	var wrong *watchdog.FieldError
	var why *rule.Rule
	switch {
	case errors.As(err, &wrong):
		return request.BadField(f.Pointer(wrong.Pointer[1:]), wrong.Rule)
	case errors.As(err, &why):
		return request.BadField(f.Pointer(""), why)
	case err != nil:
		return request.BadFilter(f.Pointer("filter"), err)
	}
	return s.trials.Start(c, http.StatusOK, v, t.run)
}

// trial is one dry run.
type trial struct {
	server    *Server
	viewer    *sight.Viewer
	rehearsal *watchdogs.Rehearsal
	mmsi      ais.MMSI   // of the one ship; 0 for all
	whole     []ais.MMSI // the ships whose whole track was handed over
	atSea     bool       // the type asks how long a ship was out of port
	known     map[ais.MMSI][]sight.Description
	tried     *tried
}

// run tries the watchdog.
func (t *trial) run(ctx context.Context) (*tried, error) {
	jobs.Progress(ctx, 0)
	if err := t.playShips(ctx); err != nil {
		return nil, err
	}
	if err := t.viewer.InTurns(ctx, 1, func(int) { t.tried.Rehearsed = t.rehearsal.End() }); err != nil {
		return nil, err
	}
	return t.tried, t.warn()
}

// playShips hands over the ships that the watchdog asks for.
func (t *trial) playShips(ctx context.Context) error {
	named := t.rehearsal.Ship()
	if !t.rehearsal.Together() {
		if m := cmp.Or(t.mmsi, named); m != 0 {
			return t.rehearseShip(ctx, m)
		}
		return t.playAll(ctx)
	}
	for _, m := range []ais.MMSI{named, t.mmsi} {
		if m != 0 && !slices.Contains(t.whole, m) {
			t.whole = append(t.whole, m)
			if err := t.rehearseShip(ctx, m); err != nil {
				return err
			}
		}
	}
	if named == 0 || t.mmsi == 0 { // else no third ship is asked for
		if err := t.playAll(ctx); err != nil {
			return err
		}
	}
	return t.passTime(ctx, t.tried.to.Add(ship.GapLimit))
}

// playAll hands over the ships that came near.
func (t *trial) playAll(ctx context.Context) error {
	from, to := t.tried.from, t.tried.to
	take := func(of *ship.State, part ship.Track) error {
		if slices.Contains(t.whole, of.MMSI) {
			return nil
		}
		return t.addPart(ctx, of, part)
	}
	err := t.viewer.Passing(ctx, t.rehearsal.Near, from, to, take, func(now time.Time) error {
		jobs.Progress(ctx, float64(now.Sub(from))/float64(to.Sub(from)))
		return t.passTime(ctx, now)
	})
	if errors.Is(err, sight.ErrCrowded) {
		err = &request.Problem{Status: http.StatusBadRequest, Code: request.CodeLimitReached,
			Rule: rule.New("trial_crowded", "too many ships came near within an hour; try a smaller place")}
	}
	return err
}

// passTime tells the rehearsal that all of the time before now was handed over.
func (t *trial) passTime(ctx context.Context, now time.Time) (err error) {
	for done := false; !done && err == nil; {
		err = t.viewer.InTurns(ctx, 1, func(int) { done = t.rehearsal.Pass(now) })
	}
	return err
}

// rehearseShip hands over the ship that is asked for or named, wherever it was. One that is hidden was not heard.
func (t *trial) rehearseShip(ctx context.Context, m ais.MMSI) error {
	of, err := t.viewer.Ship(m)
	if errors.Is(err, sight.ErrUnknown) {
		return nil
	} else if err != nil {
		return err
	}
	t.tried.seen = append(t.tried.seen, of.MMSI)
	from, to := t.tried.from, t.tried.to
	until := to
	if t.tried.kind == watchdog.LostShip { // the next place tells how long a ship was heard at the end
		until = to.Add(time.Hour)
	}
	since := from
	if t.rehearsal.Together() { // of the others too, the leg is there that ends after the beginning
		since = from.Add(-ship.GapLimit)
	}
	track, err := t.viewer.Track(ctx, &of, since, until, 0, mostTrialFix)
	if errors.Is(err, sight.ErrTooLong) {
		return &request.Problem{Status: http.StatusBadRequest, Code: request.CodeLimitReached,
			Rule: rule.New("trial_track_long", "the track has more than {max} fixes; try a shorter time", "max", mostTrialFix)}
	} else if err != nil {
		return err
	}
	for _, h := range t.viewer.Holes(&of, from, to) {
		t.tried.warnings = append(t.tried.warnings,
			rule.New("dryrun_hole", "positions from {from} to {to} could not be read, and some may be missing", "from", timeText(h.From), "to", timeText(h.To)))
	}
	return t.addPart(ctx, &of, track)
}

// addPart hands over a part of a track. What it needs of the store is read before.
func (t *trial) addPart(ctx context.Context, of *ship.State, part ship.Track) (err error) {
	if !t.rehearsal.Concerns(of, part) {
		return nil
	}
	known, ok := t.known[of.MMSI]
	if !ok {
		if known, err = t.viewer.Descriptions(ctx, of, t.tried.from, t.tried.to); err != nil {
			return err
		}
		if len(t.known) >= mostDescribed {
			clear(t.known)
		}
		t.known[of.MMSI] = known
	}
	p := &watchdogs.ShipPast{Ship: of, LeftOut: t.viewer.LeftOut, Then: t.then(of, known), Said: countSaid(of, known),
		AtSea: func(time.Time) (time.Duration, bool) { return 0, false }}
	if t.atSea {
		err := t.viewer.Read(ctx, func() (err error) {
			p.AtSea, err = t.server.deps.AtSea(ctx, of.MMSI, t.tried.from, t.tried.to)
			return err
		})
		if err != nil {
			return err
		}
	}
	return t.viewer.InTurns(ctx, 1, func(int) { t.rehearsal.Take(p, part) })
}

// countSaid returns a function that counts the static and voyage data that a ship sent first.
func countSaid(of *ship.State, known []sight.Description) func(int64) int {
	return func(at int64) (count int) {
		for _, d := range known {
			if d.From >= of.First && d.From <= at {
				count++
			}
		}
		return count
	}
}

// then returns a function that puts in what was known of a ship at a fix.
func (t *trial) then(of *ship.State, known []sight.Description) func(*ship.State) {
	set, heard, feed, feeds := ship.FeedSet(0), false, "", ais.Feeds{}
	return func(s *ship.State) {
		n := sort.Search(len(known), func(i int) bool { return known[i].From > s.Fix.At })
		if s.Static, s.Voyage = nil, nil; n > 0 {
			s.Static, s.Voyage = known[n-1].Static, known[n-1].Voyage
		}
		if !heard || s.Fix.Feeds != set {
			set, heard = s.Fix.Feeds, true
			feed, feeds = t.viewer.HeardThen(of, &s.Fix)
		}
		s.Feed, s.Feeds = feed, feeds
	}
}

// last returns a ship as it was known at a time.
func (t *trial) last(m ais.MMSI, now time.Time) (ship.State, bool) {
	of, err := t.viewer.Ship(m)
	if err == nil {
		err = t.viewer.StaticAt(&of, now)
	}
	return of, err == nil
}

// warn says what the result rests on.
func (t *trial) warn() error {
	first, end, err := t.viewer.Recorded(&ship.State{}, t.tried.from, t.tried.to)
	if err != nil {
		return err
	}
	note := func(why *rule.Rule) { t.tried.warnings = append(t.tried.warnings, why) }
	switch {
	case !first.Before(end):
		note(rule.New("dryrun_unrecorded", "nothing is recorded of this time"))
	case first.After(t.tried.from):
		note(rule.New("dryrun_recorded_from", "nothing is recorded before {time}", "time", timeText(first)))
	}
	switch t.tried.kind {
	case watchdog.CPA, watchdog.Around:
		if sight.Sampled(t.viewer) {
			note(rule.New("dryrun_interval", "you get positions at an interval, so that where two ships are at one moment is hardly ever known"))
		}
	case watchdog.LostShip:
		note(rule.New("dryrun_silence", "messages that tell no place are not recorded: a ship that sent nothing else counts as silent"))
	case watchdog.Aid:
		note(rule.New("dryrun_aids", "only the places of aids are recorded, and not whether an aid says that it is off its position"))
	}
	if r := &t.tried.Rehearsed; r.Filled > 0 {
		note(rule.New("dryrun_filled", "{filled} of {reports} reports are filled in on the straight way between two that are recorded: the store had thinned them out",
			"filled", r.Filled, "reports", r.Reports))
	}
	return nil
}

// trialAnswer is a dry run as it is answered.
type trialAnswer struct {
	ID       int64        `json:"id"`
	From     string       `json:"from"`
	To       string       `json:"to"`
	Ships    int          `json:"ships"`
	Reports  int          `json:"reports"`
	Filled   int          `json:"filled"`
	Events   []record     `json:"events"`
	Count    int          `json:"count"`
	More     bool         `json:"more"`
	Warnings []*rule.Rule `json:"warnings"`
	Why      []reason     `json:"why,omitempty"`
}

// reason is why the watchdog raised nothing about the ship that was asked for.
type reason struct {
	Rule     string         `json:"rule"`
	Detail   string         `json:"detail"`
	Params   map[string]any `json:"params,omitempty"`
	Time     string         `json:"time,omitempty"`
	Distance *float64       `json:"distance_m,omitempty"`
}

func reasonOf(r *watchdogs.SilentReason) reason {
	told := reason{Rule: r.Rule.Word, Detail: r.Rule.Error(), Params: r.Rule.Params}
	if r.At != 0 {
		told.Time = wire.TimeText(r.At)
	}
	if r.HasMetres {
		told.Distance = &r.Metres
	}
	return told
}

// trialResult returns the result of a dry run, of what the caller may see by now.
func (s *Server) trialResult(c *request.Request) error {
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	t, id, v, err := s.trials.Result(c, id)
	if v == nil || err != nil {
		return err
	}
	if err := request.Entitled(c.Caller.User, right.ViewHistory); err != nil {
		return err
	}
	user := c.Caller.User
	if t.kind == watchdog.Port {
		if err := request.Entitled(user, right.ViewPort, right.ViewATAATD); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(t.seen, v.Hides) { // since the start
		return request.NoJob()
	}
	a := trialAnswer{ID: id, From: timeText(t.from), To: timeText(t.to), Ships: t.Ships, Reports: t.Reports, Filled: t.Filled, Events: []record{},
		Count: t.Count, More: t.Count > len(t.Events), Warnings: append([]*rule.Rule{}, t.warnings...)}
	l := s.deps.Desk.ListenerOf(user, v)
	err = v.InTurns(c.HTTP.Context(), len(t.Events), func(i int) {
		if e := t.Events[i]; s.deps.Events.Of(l, e) == telling.Shown {
			a.Events = append(a.Events, recordOf(v, e, true))
		} else {
			a.Count--
		}
	})
	if err != nil {
		return err
	}
	for i := range t.Why {
		a.Why = append(a.Why, reasonOf(&t.Why[i]))
	}
	return c.SendJSON(http.StatusOK, a)
}

// endTrial ends a dry run, and drops its result.
func (s *Server) endTrial(c *request.Request) error {
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	if !s.trials.Drop(c, id) {
		return request.NoJob()
	}
	return c.NoContent()
}
