package handlers

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/traffic"
)

//go:embed openapi.yaml
var openAPIDocument []byte

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
	Ships       int               `json:"ships"`
	Feeds       []feedRecord      `json:"feeds"`
	Picture     pictureAnswer     `json:"picture"`
	Store       storeAnswer       `json:"store"`
	Live        liveAnswer        `json:"live"`
	Outputs     []outputRecord    `json:"outputs"`
	Memory      memoryAnswer      `json:"memory"`
}

type pictureAnswer struct {
	Ships       map[string]map[string]int `json:"ships"` // by class, by signal
	Unconfirmed int                       `json:"unconfirmed"`
	Reports     uint64                    `json:"reports"`
	Fixes       uint64                    `json:"fixes"`
	Late        uint64                    `json:"late"`
	Duplicates  uint64                    `json:"duplicates"`
	Rejected    map[string]uint64         `json:"rejected"` // by reason
	Evicted     uint64                    `json:"evicted"`
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
}

type liveAnswer struct {
	Clients int    `json:"clients"`
	Dropped uint64 `json:"dropped"`
}

type memoryAnswer struct {
	Heap       uint64 `json:"heap"`
	Goroutines int    `json:"goroutines"`
}

// status is the operator's page: of the feeds that the caller may hear of, with the ships that the caller may see. What is counted of
// the program as a whole is told as a whole.
func (s *Server) status(c *call) error {
	d, err := s.door(c)
	if err != nil {
		return err
	}
	now := s.config.Now().UTC()
	ships, stats := s.deps.Picture.Len(), s.deps.Picture.Stats()
	feeds := d.heardFeeds(s.deps.Feeds(), stats)
	if seen := d.recount(feeds); seen != nil {
		ships, stats.Ships = sum(seen), *seen
	}
	open, dropped := s.live.clients()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return s.sendJSON(c, http.StatusOK, statusAnswer{
		Time: timeText(now.UnixMilli()), PictureTime: optionalTime(d.world.picture.Now()), Started: timeText(s.started.UnixMilli()),
		Uptime: int64(now.Sub(s.started) / time.Second), Version: s.config.Version, Versions: areaVersions(), Ships: ships,
		Feeds: feeds, Picture: pictureRecord(stats), Store: storeRecord(s.deps.DB.Status()),
		Live: liveAnswer{open, dropped}, Outputs: outputRecords(s.deps.Outputs()), Memory: memoryAnswer{memory.HeapAlloc, runtime.NumGoroutine()},
	})
}

func pictureRecord(stats traffic.Stats) pictureAnswer {
	a := pictureAnswer{
		Ships: map[string]map[string]int{}, Unconfirmed: stats.Unconfirmed, Reports: stats.Reports, Fixes: stats.Fixes, Late: stats.Late,
		Duplicates: stats.Duplicates, Rejected: map[string]uint64{}, Evicted: stats.Evicted,
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

func storeRecord(st store.Status) storeAnswer {
	return storeAnswer{
		DBBytes: st.DBBytes, LogBytes: st.LogBytes, Fixes: st.Fixes, FreeBytes: st.FreeBytes, LogWritten: st.LogWritten, DBWritten: st.DBWritten, Pending: st.Pending, Dropped: st.Dropped,
		LastSync: optionalTime(st.LastSync), Retention: int64(st.Retention / time.Second), Oldest: optionalTime(st.Oldest),
		Newest: optionalTime(st.Newest), ReadOnly: st.ReadOnly,
	}
}

func optionalTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return timeText(t.UnixMilli())
}

// heardFeeds are the records of the feeds that the caller may hear of.
func (d *door) heardFeeds(feeds []ais.FeedStatus, stats traffic.Stats) []feedRecord {
	return feedRecords(slices.DeleteFunc(slices.Clone(feeds), func(f ais.FeedStatus) bool { return !d.view.SeesFeed(f.Name) }), stats)
}

// liveStatus is the status event of the live stream: of the feeds that the caller may hear of, with the ships that the caller may see.
func (d *door) liveStatus(feeds []ais.FeedStatus) ([]byte, error) {
	ships, records := d.world.picture.Len(), d.heardFeeds(feeds, d.deps.Picture.Stats())
	if seen := d.recount(records); seen != nil {
		ships = sum(seen)
	}
	body, err := json.Marshal(struct {
		Time  string       `json:"time"`
		Ships int          `json:"ships"`
		Feeds []feedRecord `json:"feeds"`
	}{timeText(d.now().UnixMilli()), ships, records})
	if err != nil {
		return nil, fmt.Errorf("encode the live status: %w", err)
	}
	return body, nil
}

// shipCounts are ships by class and age.
type shipCounts = [ship.ClassCount][3]int

// recount makes the ships of the feeds those that the caller may see, and counts these; nil for who sees all, now. How far a feed was
// heard at most may be the place of another ship; it is left out.
func (d *door) recount(feeds []feedRecord) *shipCounts {
	if d.view.Everything() && d.world.paced == nil {
		return nil
	}
	now, byFeed, seen := d.now(), map[string]int{}, shipCounts{}
	d.world.picture.Each(func(s *ship.State) bool {
		if d.view.Shows(s, now) {
			seen[min(int(s.Class), len(seen)-1)][min(int(s.Age), len(seen[0])-1)]++
			s.Feeds.Any(func(feed string) bool { byFeed[feed]++; return false })
		}
		return true
	})
	for i := range feeds {
		feeds[i].Ships, feeds[i].Farthest, feeds[i].FarthestBearing = byFeed[feeds[i].Name], 0, nil
	}
	return &seen
}

func sum(counts *shipCounts) (ships int) {
	for _, byAge := range counts {
		for _, n := range byAge {
			ships += n
		}
	}
	return ships
}

func (s *Server) openAPI(c *call) error {
	c.Header("Cache-Control", "no-cache")
	s.send(c.Context, http.StatusOK, "application/yaml", openAPIDocument)
	return nil
}

// healthAnswer says that all is well.
type healthAnswer struct {
	Status string `json:"status"`
}

func (s *Server) healthz(c *call) error {
	return s.sendJSON(c, http.StatusOK, healthAnswer{"ok"})
}

// readyz fails when the store no longer writes: the picture goes on, but nothing is recorded.
func (s *Server) readyz(c *call) error {
	if reason := s.deps.DB.Status().ReadOnly; reason != "" {
		return &problem{status: http.StatusServiceUnavailable, code: codeStorageFull, detail: "the store is read-only: " + reason}
	}
	return s.sendJSON(c, http.StatusOK, healthAnswer{"ok"})
}
