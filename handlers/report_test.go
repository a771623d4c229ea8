package handlers

import (
	"strings"
	"testing"
	"time"

	"quaywatch/handlers/request"
	"quaywatch/users/access"
)

// set gives the user anna settings.
func (s *site) set(settings string) {
	s.t.Helper()
	s.call("admin", "PUT", usersPath+"/anna", `{"settings":`+settings+`}`).is(s.t, 200)
}

func TestReportPermissions(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.addUser("anna", access.GroupViewer)
	for settings, want := range map[string][2]int{ // areas, tracks
		`{}`:                                     {200, 202},
		`{"report_permissions":{"area":"deny"}}`: {403, 202},
		`{"report_permission_allow_all":false,"report_permissions":{}}`:                          {403, 403},
		`{"report_permission_allow_all":false,"report_permissions":{"historicaltrack":"allow"}}`: {403, 202},
		`{"report_permission_allow_all":true,"report_permissions":{"historicaltrack":"deny"}}`:   {200, 403},
	} {
		s.set(`{"report_permission_allow_all":null,"report_permissions":null}`)
		s.set(settings)
		for i, a := range []answer{
			s.call("anna", "POST", areaPath, `{"area":`+harbour+`}`),
			s.call("anna", "POST", trackPath, `{"mmsi":219018765,"begin":"2026-11-20","end":"2026-11-21"}`),
		} {
			kind := []string{access.ReportArea, access.ReportTrack}[i]
			if a.status != want[i] || a.status == 403 && !strings.Contains(string(a.body), "report_permissions does not allow the kind "+kind) {
				t.Errorf("%s: %s answers %d, want %d: %s", settings, kind, a.status, want[i], a.body)
			}
		}
		s.server.jobs.Forget(request.OwnerKey(s.user("anna").UID))
	}
}

func TestLargestReport(t *testing.T) {
	s := newSite(t)
	s.sail(nordic, noon().Add(-time.Hour), time.Minute, 60)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), position(219000002, 10.31, 56.14, 112, 1814))
	s.addUser("anna", access.GroupViewer)
	result := func(settings string) (area, track answer) {
		s.set(settings)
		areaID := s.started(s.call("anna", "POST", areaPath, `{"area":`+harbour+`}`), 200)
		trackID := s.started(s.call("anna", "POST", trackPath, `{"mmsi":219018765,"begin":"2026-11-20","end":"2026-11-20T12:00:00Z"}`), 202)
		return s.call("anna", "GET", areaPath+"/"+areaID, ""), s.call("anna", "GET", trackPath+"?id="+trackID, "")
	}
	area, track := result(`{"report_max_job_size":1}`)
	if area.is(t, 400, "limit_reached"); !strings.Contains(string(area.body), "report_max_job_size allows 1") {
		t.Errorf("the area says %s", area.body)
	}
	if track.is(t, 400, "limit_reached"); !strings.Contains(string(track.body), "more than 1 fixes, which the setting report_max_job_size allows") {
		t.Errorf("the track says %s", track.body)
	}
	area, track = result(`{"report_max_job_size":60}`)
	area.is(t, 200)
	track.is(t, 200)
	// What a filter hides does not count.
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":"mmsi = 219018765"}}`).is(t, 200)
	area, _ = result(`{"report_max_job_size":1}`)
	area.is(t, 200)
}

// Of the jobs that wait the one with the highest priority runs first, whatever came first.
func TestReportPriority(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	first, second := s.block(100), s.block(100)
	defer second()
	start := func(priority string) (path string) {
		s.set(`{"report_priority":"` + priority + `"}`)
		return areaPath + "/" + s.started(s.call("anna", "POST", areaPath, `{"area":`+harbour+`}`), 200)
	}
	low := start("low")
	defer s.block(0)()
	high := start("high")
	first()
	s.call("anna", "GET", high, "").is(t, 200)
	s.server.desk.Wait = time.Nanosecond
	s.call("anna", "GET", low, "").is(t, 202) // the job between them holds the place
}

// web_max_lookback_time holds for every call that looks into the past.
func TestLookback(t *testing.T) {
	s := newSite(t)
	s.sail(nordic, noon().Add(-10*time.Hour), time.Hour, 3)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.addUser("anna", access.GroupViewer)
	s.set(`{"web_max_lookback_time":6}`)
	for _, row := range []struct {
		path, body string
		status     int
	}{
		{trackPath, `{"mmsi":219018765,"begin":"2026-11-20T05:00:00Z","end":"2026-11-20T12:00:00Z"}`, 403},
		{trackPath, `{"mmsi":219018765}`, 202}, // what is usual is as far back as it may be, here too
		{trackPath, `{"mmsi":219018765,"begin":"2026-11-20T07:00:00Z","end":"2026-11-20T12:00:00Z"}`, 202},
		{areaPath, `{"area":` + harbour + `,"duration":"07:00:00"}`, 403},
		{areaPath, `{"area":` + harbour + `,"duration":"06:00:00"}`, 200},
		{areaPath, `{"area":` + harbour + `}`, 200}, // what is usual is as far back as it may be
		{portserver + "/ship/info", `{"mmsi":219018765,"time":"2026-11-20T05:00:00Z"}`, 403},
		{portserver + "/ship/info", `{"mmsi":219018765,"time":"2026-11-20T11:00:00Z"}`, 200},
		{portserver + "/ship/info", `{"mmsi":219018765}`, 200},
	} {
		if a := s.call("anna", "POST", row.path, row.body); a.status != row.status || a.status == 403 && !strings.Contains(string(a.body), "web_max_lookback_time") {
			t.Errorf("%s %s: %d, want %d: %s", row.path, row.body, a.status, row.status, a.body)
		}
	}
}
