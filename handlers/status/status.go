// Package status answers how the program is doing: the status page, metrics, and whether it lives and is ready.
package status

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/box/backups"
	"quaywatch/box/health"
	"quaywatch/engine/portcalls"
	"quaywatch/engine/tracking"
	"quaywatch/engine/watchdogs"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/notify"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/store"
	"quaywatch/traffic"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Version says which build answers.
type Version struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Built   string `json:"built,omitempty"`
	Go      string `json:"go,omitempty"`
}

// Deps is what the status is made of.
type Deps struct {
	Sight       *sight.Sight
	Stats       func() traffic.Stats // of the picture
	StoreStatus func() store.Status
	Feeds       func() []ais.FeedStatus
	Outputs     func() []ais.OutputStatus
	Backups     func() (b backups.Status, ok bool) // scheduled ones; nil is none
	Live        func() (open int, dropped uint64)  // live streams
	Notices     func() []health.Notice             // what an operator must know; nil is nothing
	Stuck       func() []string                    // the parts that no longer move; nil is none
	HTTPS       func() HTTPS
	Calls       func() int                           // that go on
	Review      func() (portcalls.Reviewing, bool)   // of the past of ports that were drawn anew; false while there is none
	Tracked     func() [tracking.Ended + 1]int       // tracks by status
	Exceeded    func() ([]tracking.Exceeded, uint64) // limits of passages, and ships that went through with more
	TextsLost   func() uint64                        // safety messages that were heard and not kept
	Watchdogs   func() watchdogs.Status
	Waits       func() int             // callers that wait for an event
	Ways        func() []notify.Target // that notices go out by
	Version     Version
	Now         func() time.Time
}

// HTTPS is how callers reach the box.
type HTTPS struct {
	Port        int       // beside HTTP, 0 for none
	NotAfter    time.Time // of the certificate, zero without one
	Fingerprint string    // of the box's own authority, "" without one
	Clear       uint64    // passwords that came over plain HTTP from other machines
}

// Server answers how the program is doing. It is the one area that reads the figures of the picture and of the store.
type Server struct {
	deps    Deps
	started time.Time
	metrics *metrics
}

// New makes the server; what it counts begins now.
func New(d Deps) *Server {
	if d.Backups == nil {
		d.Backups = func() (b backups.Status, ok bool) { return b, false }
	}
	if d.Notices == nil {
		d.Notices = func() []health.Notice { return nil }
	}
	if d.Stuck == nil {
		d.Stuck = func() []string { return nil }
	}
	s := &Server{deps: d, started: d.Now().UTC()}
	s.metrics = newMetrics(s)
	return s
}

// Routes are the calls about the program's health.
func (s *Server) Routes() []request.Route {
	return []request.Route{
		{Method: "GET", Path: "/api/status", Right: right.GetSystemStatusInformation, Handle: s.sendStatus},
		{Method: "GET", Path: "/metrics", Need: request.UnlessOpen, Problem: request.PlainProblem, Right: right.GetSystemStatusInformation, Handle: s.serveMetrics},
		{Method: "GET", Path: "/healthz", Need: request.Nothing, Handle: s.healthz},
		{Method: "GET", Path: "/readyz", Need: request.Nothing, Handle: s.readyz},
	}
}

// areaVersions are those of the interface specification; the configuration's is our decision.
func areaVersions() map[string]string {
	return map[string]string{"portserver": "0.2.1", "wms": "0.1.0", "watchdog": "0.1.1", "jobserver": "133.5", "config": "0.1.0"}
}

// statusAnswer is the operator's page.
type statusAnswer struct {
	Time        string            `json:"time"`
	PictureTime string            `json:"picture_time,omitempty"`
	Started     string            `json:"started"`
	Uptime      int64             `json:"uptime_s"`
	Version     Version           `json:"version"`
	Versions    map[string]string `json:"versions"`
	Notices     []noticeRecord    `json:"notices"`
	Ships       int               `json:"ships"`
	Feeds       []feedRecord      `json:"feeds"`
	Picture     pictureAnswer     `json:"picture"`
	Store       storeAnswer       `json:"store"`
	Backup      *backupAnswer     `json:"backup,omitempty"`
	HTTPS       *httpsAnswer      `json:"https,omitempty"`
	Clear       uint64            `json:"plain_sign_ins"`
	Watchdogs   watchdogAnswer    `json:"watchdogs"`
	Review      *reviewAnswer     `json:"review,omitempty"`
	Live        liveAnswer        `json:"live"`
	Outputs     []outputRecord    `json:"outputs"`
	Memory      memoryAnswer      `json:"memory"`
	Channels    []channelRecord   `json:"channels"`
	Passages    []passageRecord   `json:"passages_exceeded,omitempty"` // for callers that see all ships
}

// channelRecord is a way out of notices that the configuration has, and its name where it has several of the kind.
type channelRecord struct {
	Channel string `json:"channel"`
	Name    string `json:"name,omitempty"`
}

type pictureAnswer struct {
	Ships       map[string]map[string]int `json:"ships"` // by class, by signal
	Unconfirmed int                       `json:"unconfirmed"`
	Reports     uint64                    `json:"reports"`
	Fixes       uint64                    `json:"fixes"`
	Late        uint64                    `json:"late"`
	Untrusted   uint64                    `json:"untrusted"` // of receivers that lie
	Duplicates  uint64                    `json:"duplicates"`
	Rejected    map[string]uint64         `json:"rejected"` // by reason
	Evicted     uint64                    `json:"evicted"`
	Behind      float64                   `json:"behind_s"`
}

type storeAnswer struct {
	DBBytes    int64  `json:"db_bytes"`
	LogBytes   int64  `json:"log_bytes"`
	Fixes      uint64 `json:"fixes"`
	FreeBytes  int64  `json:"free_bytes"`
	LogWritten uint64 `json:"log_written_bytes"`
	DBWritten  uint64 `json:"db_written_bytes"`
	Pending    int    `json:"pending"`
	Dropped    uint64 `json:"dropped"`
	LastSync   string `json:"last_sync,omitempty"`
	Retention  int64  `json:"retention_s"`
	Oldest     string `json:"oldest,omitempty"`
	Newest     string `json:"newest,omitempty"`
	ReadOnly   string `json:"read_only,omitempty"` // why it no longer writes

	Stalled  float64 `json:"stalled_s"`            // how long the oldest write that is under way has taken
	DiskSize uint64  `json:"disk_bytes,omitempty"` // of the disk that the data folder is on
	DiskFree uint64  `json:"disk_free_bytes,omitempty"`

	Damaged map[string]int `json:"damaged,omitempty"` // what could not be read, by kind
}

// backupAnswer is how the scheduled backups fare; there is none without a schedule.
type backupAnswer struct {
	To     string `json:"to"`
	Every  int64  `json:"every_s"`
	Keep   int    `json:"keep"`
	Files  int    `json:"files"`            // good ones in the folder
	Newest string `json:"newest,omitempty"` // of the good ones
	Age    *int64 `json:"age_s,omitempty"`  // of the newest good one
	Bytes  int64  `json:"bytes"`            // of the newest good one
	Result string `json:"result"`           // of the last try: none, ok, incomplete, failed
	Late   bool   `json:"late"`             // for more than one and a half intervals there was no good one
	Error  string `json:"error,omitempty"`
	Unread bool   `json:"unread,omitempty"` // the folder cannot be read: how many it has is not known
	Known  string `json:"known,omitempty"`  // the newest good one that was there when the folder was read last; with Unread alone
}

// httpsAnswer is how callers reach the box by HTTPS.
type httpsAnswer struct {
	Port        int    `json:"port,omitempty"`
	NotAfter    string `json:"not_after,omitempty"`
	Fingerprint string `json:"ca_fingerprint,omitempty"`
}

// httpsRecord is the record of HTTPS, nil when there is none.
func httpsRecord(h HTTPS) *httpsAnswer {
	if h.NotAfter.IsZero() && h.Port == 0 {
		return nil
	}
	return &httpsAnswer{h.Port, wire.OptionalTime(h.NotAfter), h.Fingerprint}
}

// watchdogAnswer is how the watchdogs are. What is counted is counted since the start.
type watchdogAnswer struct {
	Watching     int    `json:"watching"`
	Idle         int    `json:"idle"`
	Alarms       int    `json:"alarms"`
	Events       uint64 `json:"events"`
	Lost         uint64 `json:"events_lost"`
	LostBusy     uint64 `json:"events_lost_busy"` // of these, because the processor was busy
	Paused       int    `json:"paused"`           // watchdogs that ring too often
	Held         uint64 `json:"events_held"`      // that were counted and not told
	Evicted      uint64 `json:"evicted"`          // alarms that were forgotten for want of room
	Unremembered uint64 `json:"unremembered"`     // pairs of ships that there was no room to remember
	Untold       int    `json:"untold"`           // what is so of feeds and of the box now and is not told for want of room
}

// reviewAnswer is how far the past of ports that were drawn anew is looked at.
type reviewAnswer struct {
	Ports []uint64 `json:"ports"`
	Ships int      `json:"ships"`
	Done  int      `json:"done"`
}

// reviewRecord is the record of the review that goes on, nil when there is none.
func (s *Server) reviewRecord() *reviewAnswer {
	r, goes := s.deps.Review()
	if !goes {
		return nil
	}
	return &reviewAnswer{r.Ports, r.Ships, r.Done}
}

type liveAnswer struct {
	Clients int    `json:"clients"`
	Dropped uint64 `json:"dropped"`
}

type memoryAnswer struct {
	Heap       uint64 `json:"heap"`
	Goroutines int    `json:"goroutines"`
}

// sendStatus is the operator's page: of the feeds that the caller may hear of, with the ships that the caller may see. What is counted of
// the program as a whole is told as a whole.
func (s *Server) sendStatus(c *request.Request) error {
	v, err := s.deps.Sight.Of(c.HTTP.Context(), c.Caller.User, c.Caller.Key)
	if err != nil {
		return err
	}
	now := s.deps.Now().UTC()
	stats := s.deps.Stats()
	feeds := heardFeeds(v, s.deps.Feeds(), stats)
	seen, err := recount(c.HTTP.Context(), v, feeds)
	if err != nil {
		return err
	}
	var passages []passageRecord
	if seen != nil {
		stats.Ships = *seen
	} else {
		limits, _ := s.deps.Exceeded()
		passages = passageRecords(limits)
	}
	open, dropped := s.deps.Live()
	https := s.deps.HTTPS()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return c.SendJSON(http.StatusOK, statusAnswer{
		Time: wire.TimeText(now.UnixMilli()), PictureTime: wire.OptionalTime(v.PictureTime()), Started: wire.TimeText(s.started.UnixMilli()),
		Uptime: int64(now.Sub(s.started) / time.Second), Version: s.deps.Version, Versions: areaVersions(), Ships: liveShips(&stats.Ships),
		Feeds: feeds, Picture: pictureRecord(stats), Store: storeRecord(s.deps.StoreStatus()), Backup: s.backup(now),
		Notices: s.notices(v), HTTPS: httpsRecord(https), Clear: https.Clear,
		Watchdogs: watchdogRecord(s.deps.Watchdogs()), Review: s.reviewRecord(),
		Live: liveAnswer{open, dropped}, Outputs: outputRecords(s.deps.Outputs()), Memory: memoryAnswer{memory.HeapAlloc, runtime.NumGoroutine()},
		Channels: channelRecords(s.deps.Ways()), Passages: passages,
	})
}

func channelRecords(ways []notify.Target) []channelRecord {
	records := make([]channelRecord, 0, len(ways))
	for _, w := range ways {
		records = append(records, channelRecord{w.Channel, w.To})
	}
	return records
}

func pictureRecord(stats traffic.Stats) pictureAnswer {
	a := pictureAnswer{
		Ships: map[string]map[string]int{}, Unconfirmed: stats.Unconfirmed, Reports: stats.Reports, Fixes: stats.Fixes, Late: stats.Late, Untrusted: stats.Untrusted,
		Duplicates: stats.Duplicates, Rejected: map[string]uint64{}, Evicted: stats.Evicted, Behind: roundTo(stats.Behind.Seconds(), 1),
	}
	for class, byAge := range stats.Ships {
		for age, n := range byAge {
			if n == 0 {
				continue
			}
			name := ship.Class(class).String()
			if a.Ships[name] == nil {
				a.Ships[name] = map[string]int{}
			}
			a.Ships[name][ship.Age(age).String()] = n
		}
	}
	for reason, n := range stats.Rejected {
		if n > 0 {
			a.Rejected[ship.Reason(reason).String()] = n
		}
	}
	return a
}

func watchdogRecord(w watchdogs.Status) watchdogAnswer {
	return watchdogAnswer{w.Watching, w.Idle, w.Alarms, w.Events, w.Lost, w.LostBusy, w.Paused, w.Held, w.Evicted, w.Unremembered, w.Untold}
}

func storeRecord(st store.Status) storeAnswer {
	return storeAnswer{
		DBBytes: st.DBBytes, LogBytes: st.LogBytes, Fixes: st.Fixes, FreeBytes: st.FreeBytes, LogWritten: st.LogWritten, DBWritten: st.WrittenToDB(),
		Pending: st.Pending, Dropped: st.Dropped,
		LastSync: wire.OptionalTime(st.LastSync), Retention: int64(st.Retention / time.Second), Oldest: wire.OptionalTime(st.Oldest),
		Newest: wire.OptionalTime(st.Newest), ReadOnly: st.ReadOnly,
		Stalled: roundTo(st.Stalled.Seconds(), 1), DiskSize: st.Folder.Size, DiskFree: st.Folder.Free,
		Damaged: st.Damaged,
	}
}

// backup is the record of the scheduled backups, nil when there are none.
func (s *Server) backup(now time.Time) *backupAnswer {
	b, ok := s.deps.Backups()
	if !ok {
		return nil
	}
	a := &backupAnswer{To: b.To, Every: int64(b.Every / time.Second), Keep: b.Keep, Files: b.Files, Newest: wire.OptionalTime(b.Newest), Bytes: b.Bytes,
		Result: b.Result, Late: b.Late(now, s.started), Error: b.Error}
	if !b.Newest.IsZero() {
		age := int64(now.Sub(b.Newest) / time.Second)
		a.Age = &age
	}
	if a.Unread = b.Unread; b.Unread {
		a.Known = wire.OptionalTime(b.Known)
	}
	return a
}

// heardFeeds are the records of the feeds that the caller may hear of.
func heardFeeds(v *sight.Viewer, feeds []ais.FeedStatus, stats traffic.Stats) []feedRecord {
	return feedRecords(slices.DeleteFunc(slices.Clone(feeds), func(f ais.FeedStatus) bool { return !v.SeesFeed(f.Name) }), stats)
}

// LiveEvent is the status event of the live stream. It is of the feeds that the caller may hear of, with the ships that the caller may see. A user that may
// read the status gets the notices with it. Its clock is that of the box, as are the times of the feeds' last messages. The picture of a log, of a faster
// simulation or of a delayed user has another time.
func (s *Server) LiveEvent(ctx context.Context, v *sight.Viewer, user *access.User, feeds []ais.FeedStatus) ([]byte, error) {
	stats := s.deps.Stats()
	records := heardFeeds(v, feeds, stats)
	seen, err := recount(ctx, v, records)
	if err != nil {
		return nil, err
	}
	if seen != nil {
		stats.Ships = *seen
	}
	body, err := json.Marshal(struct {
		Time  string       `json:"time"`
		Clock string       `json:"clock"`
		Ships int          `json:"ships"`
		Feeds []feedRecord `json:"feeds"`

		Notices []noticeRecord `json:"notices,omitempty"`
	}{wire.TimeText(v.Now().UnixMilli()), wire.TimeText(s.deps.Now().UnixMilli()), liveShips(&stats.Ships), records, s.liveNotices(v, user)})
	if err != nil {
		return nil, fmt.Errorf("encode the live status: %w", err)
	}
	return body, nil
}

// healthAnswer says that all is well.
type healthAnswer struct {
	Status string `json:"status"`
}
