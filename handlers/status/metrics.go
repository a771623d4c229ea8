package status

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"quaywatch/box/backups"
	"quaywatch/engine/tracking"
	"quaywatch/handlers/request"
	"quaywatch/ship"
)

// metrics are the counters for Prometheus, in a registry of our own.
type metrics struct {
	handler  http.Handler
	requests *prometheus.HistogramVec
}

func newMetrics(s *Server) *metrics {
	registry := prometheus.NewRegistry()
	m := &metrics{requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "quaywatch_http_request_seconds", Help: "Time to answer a request.",
		Buckets: []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 5},
	}, []string{"method", "route", "status"})}
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), m.requests, newStateCollector(s))
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{DisableCompression: true})
	return m
}

// Observe notes how long an answer took; a stream is not an answer that takes long.
func (s *Server) Observe(r *request.Route, status int, took time.Duration) {
	if r.Endless {
		return
	}
	s.metrics.requests.WithLabelValues(r.Method, r.Path, strconv.Itoa(status)).Observe(took.Seconds())
}

func (s *Server) serveMetrics(c *request.Request) error {
	s.metrics.handler.ServeHTTP(c.Writer, c.HTTP)
	return nil
}

// stateCollector reads the picture, the store and the feeds when it is asked, so that nobody has to count twice.
type stateCollector struct {
	server *Server
	descs  map[string]*prometheus.Desc
}

// families are the metrics of the state: name, help, labels.
func families() [][]string {
	return [][]string{
		{"ships", "Ships of the picture.", "class", "signal"},
		{"reports_total", "Reports merged into the picture."},
		{"fixes_total", "Places that moved a ship."},
		{"late_total", "Places older than the latest."},
		{"untrusted_total", "Places told by receivers that lie while the ship is at rest."},
		{"duplicates_total", "Messages heard again."},
		{"rejected_total", "Reports refused as implausible.", "reason"},
		{"evicted_total", "Ships that had to make room."},
		{"feed_connected", "1 while the feed is connected.", "feed"},
		{"feed_messages_total", "AIS messages by type.", "feed", "type"},
		{"feed_bytes_total", "Bytes received.", "feed"},
		{"feed_bad_total", "Lines that were refused.", "feed", "reason"},
		{"feed_duplicates_total", "Messages that another feed had said.", "feed"},
		{"feed_ships", "Ships of the picture heard by the feed.", "feed"},
		{"feed_overflow_total", "Sentences dropped because the picture was busy.", "feed"},
		{"feed_kernel_drops_total", "Datagrams that the kernel dropped.", "feed"},
		{"feed_farthest_metres", "Farthest reception.", "feed"},
		{"feed_last_message_timestamp_seconds", "When the feed was heard last.", "feed"},
		{"store_database_bytes", "Size of the database file."},
		{"store_log_bytes", "Size of the append log."},
		{"store_fixes_total", "Fixes recorded."},
		{"store_log_written_bytes_total", "Bytes written to the append log."},
		{"store_database_written_bytes_total", "Bytes of pages written to the database, by what they were written for.", "table"},
		{"store_pending_bytes", "Bytes that wait to be synced."},
		{"store_dropped_total", "Fixes lost because the disk stalled."},
		{"store_read_only", "1 when the store no longer writes."},
		{"backup_newest_timestamp_seconds", "When the newest good scheduled backup was written."},
		{"backup_bytes", "Size of that backup."},
		{"backup_failed", "1 when the last scheduled backup failed, or lacks what is damaged."},
		{"store_stalled_seconds", "How long the oldest write that is under way has taken."},
		{"disk_bytes", "Size of the disk that the data folder is on."},
		{"disk_free_bytes", "What the service may still write there."},
		{"notices", "What an operator must know now, by the word of the notice.", "notice"},
		{"store_damaged", "Things that could not be read, of those that are listed.", "kind"},
		{"output_open", "1 while the outgoing stream listens or is connected.", "output"},
		{"output_subscribers", "Subscribers of the outgoing stream.", "output"},
		{"output_connects_total", "Subscribers that came, or how often it was opened.", "output"},
		{"output_messages_total", "Messages passed on.", "output"},
		{"output_bytes_total", "Bytes passed on.", "output"},
		{"output_dropped_total", "Messages that subscribers did not get.", "output", "reason"},
		{"output_ended_total", "Subscribers turned away or cut off.", "output", "reason"},
		{"output_lag_seconds", "How far the slowest subscriber is behind.", "output"},
		{"plain_sign_ins_total", "Passwords that came over plain HTTP from other machines."},
		{"certificate_end_timestamp_seconds", "When the certificate of HTTPS ends."},
		{"calls_open", "Calls at ports that go on."},
		{"tracks", "Tracked ships, finished ones that can still be read among them.", "status"},
		{"passages_exceeded_total", "Ships that sailed through a passage with more than its limit, each once a day."},
		{"texts_lost_total", "Safety messages that were heard and not kept, because there were too many."},
		{"picture_behind_seconds", "How long the last report waited between its feed and the picture."},
		{"watchdogs", "Enabled watchdogs: those that watch, those of them that are paused, and those that watch nothing.", "state"},
		{"watchdog_alarms", "What watchdogs remember of ships."},
		{"watchdog_events_total", "Events that watchdogs raised since the start."},
		{"watchdog_events_lost_total", "Events that were lost for want of room, by cause: the disk stood still, or the processor was busy.", "cause"},
		{"watchdog_events_held_total", "Events that were counted and not told, because their watchdog rang too often."},
		{"watchdog_alarms_evicted_total", "Alarms that were forgotten for want of room."},
		{"watchdog_waits", "Callers that wait for an event."},
		{"live_clients", "Open live streams."},
		{"paced_pictures", "Pictures kept for users with a delay or an interval."},
		{"paced_lag_seconds", "How far the slowest of these pictures is behind what it may tell."},
		{"live_dropped_total", "Live streams cut off because the client did not read."},
	}
}

func newStateCollector(s *Server) *stateCollector {
	c := &stateCollector{server: s, descs: map[string]*prometheus.Desc{}}
	for _, f := range families() {
		c.descs[f[0]] = prometheus.NewDesc("quaywatch_"+f[0], f[1], f[2:], nil)
	}
	return c
}

// Describe gives every family.
func (c *stateCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		out <- d
	}
}

// Collect reads the state.
func (c *stateCollector) Collect(out chan<- prometheus.Metric) {
	c.picture(out)
	c.collectFeeds(out)
	c.outputs(out)
	c.collectRest(out)
}

func (c *stateCollector) gauge(out chan<- prometheus.Metric, name string, v float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(c.descs[name], prometheus.GaugeValue, v, labels...)
}

func (c *stateCollector) counter(out chan<- prometheus.Metric, name string, v uint64, labels ...string) {
	out <- prometheus.MustNewConstMetric(c.descs[name], prometheus.CounterValue, float64(v), labels...)
}

func (c *stateCollector) picture(out chan<- prometheus.Metric) {
	stats := c.server.deps.Stats()
	for class, byAge := range stats.Ships {
		for age, n := range byAge {
			c.gauge(out, "ships", float64(n), ship.Class(class).String(), ship.Age(age).String())
		}
	}
	for reason, n := range stats.Rejected {
		if ship.Reason(reason) != ship.Accepted {
			c.counter(out, "rejected_total", n, ship.Reason(reason).String())
		}
	}
	c.counter(out, "reports_total", stats.Reports)
	c.counter(out, "fixes_total", stats.Fixes)
	c.counter(out, "late_total", stats.Late)
	c.counter(out, "untrusted_total", stats.Untrusted)
	c.counter(out, "duplicates_total", stats.Duplicates)
	c.counter(out, "evicted_total", stats.Evicted)
}

func (c *stateCollector) collectFeeds(out chan<- prometheus.Metric) {
	stats := c.server.deps.Stats()
	for _, f := range c.server.deps.Feeds() {
		heard := stats.Feeds[f.Name]
		c.gauge(out, "feed_connected", boolNumber(f.Connected), f.Name)
		c.gauge(out, "feed_ships", float64(heard.Ships), f.Name)
		c.gauge(out, "feed_farthest_metres", heard.Farthest, f.Name)
		c.counter(out, "feed_bytes_total", f.Bytes, f.Name)
		c.counter(out, "feed_duplicates_total", heard.Duplicates, f.Name)
		c.counter(out, "feed_overflow_total", f.Overflow.Sentences, f.Name)
		c.counter(out, "feed_kernel_drops_total", f.KernelDrops, f.Name)
		if !f.LastMessage.IsZero() {
			c.gauge(out, "feed_last_message_timestamp_seconds", float64(f.LastMessage.UnixMilli())/1000, f.Name)
		}
		for kind, n := range f.Messages {
			if n > 0 {
				c.counter(out, "feed_messages_total", n, f.Name, strconv.Itoa(kind))
			}
		}
		for reason, n := range f.BadByReason() {
			c.counter(out, "feed_bad_total", n, f.Name, reason)
		}
	}
}

func (c *stateCollector) outputs(out chan<- prometheus.Metric) {
	for _, o := range c.server.deps.Outputs() {
		var lag time.Duration
		for i := range o.Subscribers {
			lag = max(lag, o.Subscribers[i].Lag)
		}
		c.gauge(out, "output_open", boolNumber(o.Open), o.Name)
		c.gauge(out, "output_subscribers", float64(len(o.Subscribers)), o.Name)
		c.gauge(out, "output_lag_seconds", lag.Seconds(), o.Name)
		c.counter(out, "output_connects_total", o.Connects, o.Name)
		c.counter(out, "output_messages_total", o.Messages, o.Name)
		c.counter(out, "output_bytes_total", o.Bytes, o.Name)
		c.counter(out, "output_dropped_total", o.Dropped.Behind, o.Name, "behind")
		c.counter(out, "output_dropped_total", o.Dropped.Rate, o.Name, "rate")
		c.counter(out, "output_dropped_total", o.Dropped.Interval, o.Name, "interval")
		c.counter(out, "output_dropped_total", o.Dropped.Congestion, o.Name, "congestion")
		c.counter(out, "output_ended_total", o.Refused, o.Name, "refused")
		c.counter(out, "output_ended_total", o.Cut, o.Name, "stalled")
		c.counter(out, "output_ended_total", o.Revoked, o.Name, "revoked")
	}
}

func (c *stateCollector) collectRest(out chan<- prometheus.Metric) {
	st := c.server.deps.StoreStatus()
	c.gauge(out, "store_database_bytes", float64(st.DBBytes))
	c.gauge(out, "store_log_bytes", float64(st.LogBytes))
	c.counter(out, "store_fixes_total", st.Fixes)
	c.counter(out, "store_log_written_bytes_total", st.LogWritten)
	for table, bytes := range st.DBWritten {
		c.counter(out, "store_database_written_bytes_total", bytes, table)
	}
	c.gauge(out, "store_pending_bytes", float64(st.Pending))
	c.counter(out, "store_dropped_total", st.Dropped)
	c.gauge(out, "store_read_only", boolNumber(st.ReadOnly != ""))
	if b, ok := c.server.deps.Backups(); ok {
		if !b.Newest.IsZero() {
			c.gauge(out, "backup_newest_timestamp_seconds", float64(b.Newest.Unix()))
			c.gauge(out, "backup_bytes", float64(b.Bytes))
		}
		c.gauge(out, "backup_failed", boolNumber(b.Result == backups.Failed || b.Result == backups.Incomplete))
	}
	c.gauge(out, "store_stalled_seconds", st.Stalled.Seconds())
	if st.Folder.Size > 0 {
		c.gauge(out, "disk_bytes", float64(st.Folder.Size))
		c.gauge(out, "disk_free_bytes", float64(st.Folder.Free))
	}
	counts := map[string]int{}
	for _, n := range c.server.deps.Notices() {
		counts[n.Word]++
	}
	for word, n := range counts {
		c.gauge(out, "notices", float64(n), word)
	}
	for kind, n := range st.Damaged {
		c.gauge(out, "store_damaged", float64(n), kind)
	}
	https := c.server.deps.HTTPS()
	c.counter(out, "plain_sign_ins_total", https.Clear)
	if !https.NotAfter.IsZero() {
		c.gauge(out, "certificate_end_timestamp_seconds", float64(https.NotAfter.Unix()))
	}
	c.gauge(out, "calls_open", float64(c.server.deps.Calls()))
	for status, n := range c.server.deps.Tracked() {
		c.gauge(out, "tracks", float64(n), tracking.Status(status).String())
	}
	_, exceeded := c.server.deps.Exceeded()
	c.counter(out, "passages_exceeded_total", exceeded)
	c.counter(out, "texts_lost_total", c.server.deps.TextsLost())
	c.gauge(out, "picture_behind_seconds", c.server.deps.Stats().Behind.Seconds())
	dogs := c.server.deps.Watchdogs()
	c.gauge(out, "watchdogs", float64(dogs.Watching), "watching")
	c.gauge(out, "watchdogs", float64(dogs.Idle), "idle")
	c.gauge(out, "watchdog_alarms", float64(dogs.Alarms))
	c.counter(out, "watchdog_events_total", dogs.Events)
	c.gauge(out, "watchdogs", float64(dogs.Paused), "paused")
	c.counter(out, "watchdog_events_lost_total", dogs.Lost-dogs.LostBusy, "disk")
	c.counter(out, "watchdog_events_lost_total", dogs.LostBusy, "processor")
	c.counter(out, "watchdog_events_held_total", dogs.Held)
	c.counter(out, "watchdog_alarms_evicted_total", dogs.Evicted)
	c.gauge(out, "watchdog_waits", float64(c.server.deps.Waits()))
	open, dropped := c.server.deps.Live()
	c.gauge(out, "live_clients", float64(open))
	lags := c.server.deps.Sight.Lags()
	c.gauge(out, "paced_pictures", float64(len(lags)))
	c.gauge(out, "paced_lag_seconds", slices.Max(append(lags, 0)).Seconds())
	c.counter(out, "live_dropped_total", dropped)
}

func boolNumber(v bool) float64 {
	if v {
		return 1
	}
	return 0
}
