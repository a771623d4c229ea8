package health

import (
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/box/backups"
	"quaywatch/internal/rule"
	"quaywatch/store"
	"quaywatch/store/records"
)

// When what is seen is worth a notice.
const (
	stallLimit   = 2 * time.Second     // a write to the disk
	behindLimit  = 2 * time.Second     // the picture behind what is heard; the notice goes at half of that
	silentLimit  = 10 * time.Minute    // of a feed that is open
	downLimit    = time.Minute         // of a feed that is not, and of a channel that cannot deliver
	droppedLimit = 10 * time.Minute    // how long a loss is told
	certLimit    = 14 * 24 * time.Hour // before the end of a certificate, which is long renewed when all is well
	fillingAt    = 90                  // percent of the disk; the notice goes below one percent less
	clockSlack   = 5 * time.Minute     // by which a clock may be behind what it said before
)

// Figures are what is known of the box at a moment.
type Figures struct {
	Now      time.Time
	Store    store.Status
	Feeds    []ais.FeedStatus
	Stuck    []string        // the parts that no longer move
	Behind   time.Duration   // how long the last report waited for the picture
	Backups  *backups.Status // scheduled ones; nil is none
	LogClock bool            // recorded logs rule the clock of the picture; ours is not asked
	Clear    []string        // the users whose passwords came in clear in the last day
	CertEnd  time.Time       // of the certificate of HTTPS; zero without one
	Watchdogs
	Outbox OutboxHealth // the notices that watchdogs send
}

// Watchdogs is how the watchdogs and their alerts are. Counts are those since the start.
type Watchdogs struct {
	Idle    int    // watchdogs that watch nothing
	Lost    uint64 // events that there was no room for, because the disk stood still
	Crowded uint64 // the same, because the processor was busy
	Paused  int    // watchdogs that ring too often
	Evicted uint64 // alarms that were forgotten for want of room
	PutAway uint64 // alerts that left the board before they were over, for want of room
}

// OutboxHealth is how the notices are that watchdogs send.
type OutboxHealth struct {
	Waiting int
	Pushed  uint64    // those that were given up for want of room, since the start
	Failing []string  // the channels that cannot deliver
	Since   time.Time // when the first of them began to fail
	Reason  string    // its last error
}

// Assessor turns figures into notices. It remembers what cannot be seen at one moment. One goroutine uses it.
type Assessor struct {
	Built time.Time // when the program was built; zero when that is not known

	began     time.Time            // the first time it was asked
	down      map[string]time.Time // since when a feed is not open
	positions loss
	events    loss // of watchdogs
	crowded   loss // the same, for another reason
	pushed    loss // of notices
	evicted   loss // of alarms
	putAway   loss // of alerts
	filling   bool
	behind    bool // the picture, at the last look
}

// Notices returns what an operator must know. The times since when are left out: the Board has them.
func (j *Assessor) Notices(f Figures) []Notice {
	if j.began.IsZero() {
		j.began, j.down = f.Now, map[string]time.Time{}
		j.positions.count, j.events.count, j.pushed.count, j.evicted.count, j.putAway.count = f.Store.Dropped, f.Lost, f.Outbox.Pushed, f.Evicted, f.PutAway
		j.crowded.count = f.Crowded
	}
	var list []Notice
	add := func(s Severity, r *rule.Rule) { list = append(list, Notice{Rule: r, Severity: s}) }
	for _, part := range f.Stuck {
		add(Alarm, rule.New("part_stuck", "a part of the service no longer moves: {part}", "part", part))
	}
	if r := Unready(f.Store); r != nil {
		add(Alarm, r)
	}
	if j.isClockWrong(f) {
		add(Alarm, rule.New("clock_wrong", "the clock of the box is wrong: it says {time}, and it was {before} already",
			"time", clockText(f.Now), "before", clockText(j.earliestTime(f))))
	}
	if j.isBehind(f.Behind) {
		add(Alarm, rule.New("picture_behind", "the picture is {seconds} s behind what the feeds hear", "seconds", int(f.Behind.Seconds())))
	}
	if percent, filling := j.fills(f.Store.Folder); filling {
		add(Warning, rule.New("disk_filling", "the disk is {percent} % full", "percent", percent))
	}
	if n := damaged(f.Store); n > 0 {
		add(Warning, rule.New("damage_set_aside", "{count} stored values could not be read and were set aside", "count", n))
	}
	for _, r := range j.backups(f) {
		add(Warning, r)
	}
	if n := j.positions.lately(f.Now, f.Store.Dropped); n > 0 {
		add(Alarm, rule.New("positions_lost", "{count} positions were not stored, because the disk is too slow", "count", n))
	}
	if n := j.events.lately(f.Now, f.Lost); n > 0 {
		add(Alarm, rule.New("events_lost", "{count} events of watchdogs were lost, because the disk stood still", "count", n))
	}
	if n := j.crowded.lately(f.Now, f.Crowded); n > 0 {
		add(Alarm, rule.New("events_lost_busy", "{count} events of watchdogs were lost, because the processor was busy", "count", n))
	}
	if f.Paused > 0 {
		add(Warning, rule.New("watchdogs_paused", "{count} watchdogs ring too often and are paused", "count", f.Paused))
	}
	if n := j.evicted.lately(f.Now, f.Evicted); n > 0 {
		add(Warning, rule.New("alarms_evicted", "{count} alarms of watchdogs were forgotten, because too many stood", "count", n))
	}
	if n := j.putAway.lately(f.Now, f.PutAway); n > 0 {
		add(Warning, rule.New("alerts_put_away", "{count} alerts left the board before they were over, because too many stood", "count", n))
	}
	if n := j.pushed.lately(f.Now, f.Outbox.Pushed); n > 0 {
		add(Alarm, rule.New("notices_given_up", "{count} notices of watchdogs were given up, because too many waited", "count", n))
	}
	if o := f.Outbox; len(o.Failing) > 0 && f.Now.Sub(o.Since) >= downLimit {
		add(Warning, rule.New("notices_wait", "notices of watchdogs cannot be sent by {channels}, and {count} wait: {reason}",
			"channels", strings.Join(o.Failing, ", "), "count", o.Waiting, "reason", o.Reason))
	}
	if f.Idle > 0 {
		add(Warning, rule.New("watchdogs_idle", "{count} watchdogs watch nothing, because what they name is gone", "count", f.Idle))
	}
	if r := https(f); r != nil {
		add(Warning, r)
	}
	return append(list, j.feedNotices(f)...)
}

// https says what is wrong with how callers reach the box, nil when nothing is. An end that nobody may notice counts for more.
func https(f Figures) *rule.Rule {
	switch {
	case !f.CertEnd.IsZero() && f.Now.Add(certLimit).After(f.CertEnd):
		return rule.New("certificate_ends", "the certificate of HTTPS ends at {time}", "time", clockText(f.CertEnd))
	case len(f.Clear) > 0:
		return rule.New("sent_in_clear", "passwords or tokens came over plain HTTP in the last day, of {users}", "users", joinNames(f.Clear))
	}
	return nil
}

// joinNames writes a list of names that may be long.
func joinNames(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// Unready says why the store does not write now, nil when it does.
func Unready(s store.Status) *rule.Rule {
	switch {
	case s.Folder.Gone:
		return rule.New("folder_gone", "the data folder is gone, or another stands in its place: nothing is stored")
	case s.Full:
		return rule.New("disk_full", "the disk is full")
	case s.ReadOnly != "":
		return rule.New("disk_failed", "the disk cannot be written: {reason}", "reason", s.ReadOnly)
	case max(s.Stalled, s.Folder.Looking) >= stallLimit:
		return rule.New("disk_stalled", "the disk does not answer: changes wait, and positions are kept in memory")
	}
	return nil
}

// earliestTime is a time that was already: the build of the program, or the newest position that the store knew at the start.
func (j *Assessor) earliestTime(f Figures) time.Time {
	if newest := f.Store.NewestFix; newest.After(j.Built) {
		return newest
	}
	return j.Built
}

// isClockWrong reports whether the clock is wrong.
func (j *Assessor) isClockWrong(f Figures) bool {
	return !f.LogClock && f.Now.Add(clockSlack).Before(j.earliestTime(f))
}

func clockText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// fills returns how full the disk is, and whether that is too full.
func (j *Assessor) fills(f records.Folder) (percent int, filling bool) {
	if f.Size == 0 {
		return 0, false
	}
	percent = int((f.Size - min(f.Free, f.Size)) * 100 / f.Size)
	limit := fillingAt
	if j.filling {
		limit--
	}
	j.filling = percent >= limit
	return percent, j.filling
}

// isBehind reports whether the picture is too far behind. No cause is told: a busy processor and a log on a slow disk look alike from here.
func (j *Assessor) isBehind(by time.Duration) bool {
	limit := behindLimit
	if j.behind {
		limit /= 2
	}
	j.behind = by >= limit
	return j.behind
}

// loss is how many of something were lost, and when the latest.
type loss struct {
	count uint64
	at    time.Time
}

// lately returns how many were lost so far, when some were lost lately.
func (l *loss) lately(now time.Time, count uint64) uint64 {
	if count > l.count {
		l.count, l.at = count, now
	}
	if ago := now.Sub(l.at); ago < 0 || ago > droppedLimit {
		return 0
	}
	return l.count
}

// damaged counts what could not be read, of every kind.
func damaged(s store.Status) (count int) {
	for _, n := range s.Damaged {
		count += n
	}
	return count
}

// backups returns what is wrong with the scheduled backups. Why the last try failed stands for as long as it is the last, beside how old the newest is.
func (j *Assessor) backups(f Figures) (list []*rule.Rule) {
	b := f.Backups
	if b == nil {
		return nil
	}
	switch b.Result {
	case backups.Failed:
		list = append(list, rule.New("backup_failed", "the last backup failed: {reason}", "reason", b.Error))
	case backups.Incomplete:
		list = append(list, rule.New("backup_incomplete", "the last backup lacks what is damaged in the store"))
	}
	switch late := b.Late(f.Now, j.began); {
	case late && !b.Known.IsZero():
		list = append(list, rule.New("backup_old", "the newest backup is of {time}", "time", clockText(b.Known)))
	case late && !b.Unread:
		list = append(list, rule.New("backup_none", "there is no backup in {folder}", "folder", b.To))
	}
	return list
}

// feedNotices returns the notices of the feeds that should hear something and do not. A recording ends when it ends.
func (j *Assessor) feedNotices(f Figures) (list []Notice) {
	for i := range f.Feeds {
		feed := &f.Feeds[i]
		if feed.Clock == ais.LogClock || strings.HasPrefix(feed.URL, "file:") || strings.HasPrefix(feed.URL, "stdin:") {
			continue
		}
		if feed.Connected {
			delete(j.down, feed.Name)
		} else if _, known := j.down[feed.Name]; !known {
			j.down[feed.Name] = f.Now
		}
		heard := feed.LastMessage
		if heard.Before(j.began) {
			heard = j.began
		}
		switch since, down := j.down[feed.Name]; {
		case down && f.Now.Sub(since) >= downLimit:
			r := rule.New("feed_down", "the feed {feed} is not connected: {reason}", "feed", feed.Name, "reason", feed.LastError)
			list = append(list, Notice{Rule: r, Severity: Warning, Feed: feed.Name})
		case !down && f.Now.Sub(heard) >= silentLimit:
			r := rule.New("feed_silent", "the feed {feed} is connected and hears nothing", "feed", feed.Name)
			list = append(list, Notice{Rule: r, Severity: Warning, Feed: feed.Name})
		}
	}
	return list
}
