package handlers

import (
	"fmt"
	"strings"
	"testing"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// A user that may not write filters cannot widen its own filter by changing what the filter names.
func TestNobodyWidensTheOwnFilterByWhatItNames(t *testing.T) {
	const hidden, shape, list = "/api/portserver/ship/info/211000001", configPath + "/shape/cage", configPath + "/shiplist/ll"
	const farCircle, world = `{"center":{"type":"Point","coordinates":[100,10]},"radius":1000}`,
		`{"center":{"type":"Point","coordinates":[10,56]},"radius":10000000}`
	s := newSite(t)
	s.hear(s.clock.now(), position(211000001, 10, 56, 0, 0))
	s.settle()
	s.post(configPath+"/shape", `{"name":"cage","circle":`+farCircle+`}`).is(t, 200)
	s.post(configPath+"/shiplist", `{"name":"ll","ships":[{"mmsi":1}]}`).is(t, 200)
	s.post(configPath+"/shape", `{"name":"free","circle":`+farCircle+`}`).is(t, 200)
	rights := append(access.Anonymous().Effective(), right.ConfigureShipLists, right.AdminShipLists, right.AdminShapes, right.AdminFilters,
		right.ChangeSettings, right.ChangeUser)
	s.may("oper", rights...)
	s.may("boss", append(rights, right.ChangeFilterSettings)...)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.post(groups, `{"name":"others"}`).is(t, 200)
	s.call("admin", "PUT", usersPath+"/oper", `{"groups":["crew"]}`).is(t, 200)
	widen := map[string]string{shape: `{"circle":` + world + `}`, list: `{"ships":[{"mmsi":211000001}]}`}
	keep := map[string]string{shape: `{"color":"#FF0000","name":"Cage"}`, list: `{"name":"LL","ships":[{"mmsi":1}]}`}
	id := strings.TrimSuffix(strings.SplitAfter(string(s.get(shape).body), `"id":`)[1][:2], ",")
	for _, row := range []struct{ path, filter string }{
		{shape, `{"areas":["cage"]}`}, {shape, `{"regions":["cage"]}`}, {shape, `{"expression":"pos within shape('cage')"}`},
		{shape, `{"expression":"pos within shape(` + id + `)"}`}, {shape, `{"expression":"mmsi = 5 or not (mmsi = 6 or pos not within shape(CAGE))"}`},
		{list, `{"include_predefined_ship_list":true,"predefined_ship_list":["ll"]}`}, {list, `{"expression":"shiplist = 'll'"}`},
	} {
		for _, at := range []string{usersPath + "/oper", groups + "/crew"} {
			for _, key := range []string{"receive_filter", "transmit_filter"} {
				if key == "transmit_filter" && strings.Contains(row.filter, `s":`) && !strings.Contains(row.filter, "expression") &&
					!strings.Contains(row.filter, "predefined") {
					continue // it knows neither areas nor regions
				}
				s.call("admin", "PUT", at, `{"`+key+`":`+row.filter+`}`).is(t, 200)
				if key == "receive_filter" {
					s.call("oper", "GET", hidden, "").is(t, 404)
				}
				d := s.call("oper", "PUT", row.path, widen[row.path]).is(t, 403, "forbidden").json(t)["detail"].(string)
				if !strings.Contains(d, "change_filter_settings") {
					t.Error(d)
				}
				s.call("oper", "PUT", row.path, keep[row.path]).is(t, 200)
				if key == "receive_filter" {
					s.call("oper", "GET", hidden, "").is(t, 404)
				}
				s.call("boss", "PUT", row.path, widen[row.path]).is(t, 200)
				s.call("admin", "PUT", row.path, `{"circle":`+farCircle+`,"ships":[{"mmsi":1}]}`).is(t, 200)
				s.call("admin", "PUT", at, `{"`+key+`":{"areas":null,"regions":null,"expression":null,"include_predefined_ship_list":null,"predefined_ship_list":null}}`).is(t, 200)
			}
		}
	}
	// Only a user that sees everything may change what others see.
	s.call("admin", "PUT", groups+"/others", `{"receive_filter":{"areas":["cage"]}}`).is(t, 200)
	s.call("oper", "PUT", shape, `{"circle":`+farCircle+`}`).is(t, 200)
	s.call("oper", "PUT", shape, widen[shape]).is(t, 200)
	s.call("admin", "PUT", usersPath+"/oper", `{"receive_filter":{"areas":["free"]}}`).is(t, 200)
	s.call("oper", "PUT", shape, `{"circle":`+farCircle+`}`).is(t, 403, "forbidden")
}

// A filter that names a deleted thing shows nothing. A user that may not write filters cannot make the thing anew.
func TestNobodyMakesWhatTheOwnFilterWaitsFor(t *testing.T) {
	const circle = `"circle":{"center":{"type":"Point","coordinates":[10,56]},"radius":10000000}`
	s := newSite(t)
	s.hear(s.clock.now(), position(211000001, 10, 56, 0, 0))
	s.settle()
	s.may("oper", access.Anonymous().Effective()...)
	if _, err := s.users.Change("oper", func(u *access.User) error {
		u.ReceiveFilter = form.Keys{"expression": []byte(`"pos within shape('Lost')"`)} // as it was deleted in older versions
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	s.call("oper", "POST", configPath+"/shape", `{"name":"lost",`+circle+`}`).is(t, 403, "forbidden")
	s.call("oper", "POST", configPath+"/shape", `{"name":"found",`+circle+`}`).is(t, 200)
	s.call("oper", "PUT", configPath+"/shape/found", `{"name":"LOST"}`).is(t, 403, "forbidden")
	s.call("oper", "GET", "/api/portserver/ship/info/211000001", "").is(t, 404)
	s.post(configPath+"/shape", `{"name":"lost",`+circle+`}`).is(t, 200)
	s.call("oper", "GET", "/api/portserver/ship/info/211000001", "").is(t, 200)
}

// An entry in the register lets no hidden ship pass the filter of the user that wrote it.
func TestTheRegisterUncoversNobody(t *testing.T) {
	const register = "/api/portserver/ship/register"
	s := newSite(t)
	for _, m := range []ais.MMSI{211000001, 211000002, 211000004} {
		for range ship.ConfirmedReports { // a ship that was heard less often is not stored
			s.hear(s.clock.now(), position(m, 10, 56, 0, 0))
		}
	}
	s.settle()
	rights := append(access.Anonymous().Effective(), right.AddRemoveMMSIEntries)
	s.may("oper", rights...)
	s.may("boss", append(rights, right.ChangeFilterSettings)...)
	for _, name := range []string{"oper", "boss"} {
		s.setFilter(name, `{"types_of_ship":["tug"],"expression":"lon < 11 and name = TUG*"}`)
	}
	s.call("oper", "POST", register, `{"mmsi":211000001,"name":"TUG 1","type_code":52}`).is(t, 403, "forbidden")
	s.call("oper", "GET", "/api/portserver/ship/info/211000001", "").is(t, 404)
	s.call("oper", "POST", register, `{"mmsi":211000002,"name":"BARGE","type_code":52}`).is(t, 403, "forbidden") // hidden all the same
	s.call("oper", "POST", register, `{"mmsi":211000003,"name":"TUG 3","type_code":52}`).is(t, 403, "forbidden") // not heard yet, and would pass when it is
	s.call("oper", "POST", register, `{"name":"TUG 5","type_code":52}`).is(t, 200)                               // has a number that no radio has
	s.call("boss", "POST", register, `{"mmsi":211000001,"name":"TUG 1","type_code":52}`).is(t, 200)
	s.tick(noon())
	s.call("oper", "GET", "/api/portserver/ship/info/211000001", "").is(t, 200)
	s.restart() // only the store knows the ship now
	s.call("oper", "POST", register, `{"mmsi":211000004,"name":"TUG 4","type_code":52}`).is(t, 403, "forbidden")
}

// A user that sees one area only enters ships without an MMSI there: of an MMSI that it does not see it would learn whether the ship was heard.
func TestAUserEntersShipsAtPlacesThatItSees(t *testing.T) {
	s := newSite(t)
	s.may("oper", append(access.Anonymous().Effective(), right.AddRemoveMMSIEntries)...)
	s.setFilter("oper", `{"expression":"lon < 11"}`)
	const register = "/api/portserver/ship/register"
	made := s.call("oper", "POST", register, `{"name":"PONTOON","position":{"type":"Point","coordinates":[10,56]}}`).is(t, 200).json(t)
	s.call("oper", "POST", register, `{"mmsi":211000001,"name":"PONTOON","position":{"type":"Point","coordinates":[10,56]}}`).is(t, 403, "forbidden")
	s.hear(noon(), position(211000002, 10, 56, 0, 0))
	s.settle()
	s.call("oper", "POST", register, `{"mmsi":211000002,"name":"SEEN"}`).is(t, 200)
	s.tick(noon())
	s.call("oper", "GET", fmt.Sprintf("/api/portserver/ship/info/%.0f", made["mmsi"]), "").is(t, 200)
}

// A user whose settings limit how far it looks back, or how many records it gets, makes no user without these limits.
func TestNobodyMakesAUserThatReachesFurther(t *testing.T) {
	s := newSite(t)
	rights := append(access.Anonymous().Effective(), right.AddRemoveUsers, right.ChangeUser, right.ChangeAccessRights, right.UserConfigurationAccess, right.ResetPasswords)
	s.may("head", rights...)
	s.may("boss", append(rights, right.ChangeSettings)...)
	made := 0
	for _, limit := range []string{`"web_max_lookback_time":2`, `"report_max_job_size":10`} {
		s.call("admin", "PUT", usersPath+"/head", `{"settings":{"web_max_lookback_time":null,"report_max_job_size":null}}`).is(t, 200)
		s.call("admin", "PUT", usersPath+"/head", `{"settings":{`+limit+`}}`).is(t, 200)
		body := func() string { made++; return fmt.Sprintf(`{"name":"u%d","password":%q}`, made, adminPassword) }
		if d := s.call("head", "POST", usersPath, body()).is(t, 403, "forbidden").json(t)["detail"].(string); !strings.Contains(d, "change_settings") {
			t.Error(d)
		}
		s.call("boss", "POST", usersPath, body()).is(t, 200)
		s.call("head", "PUT", fmt.Sprintf("%s/u%d", usersPath, made), `{"password":"another-password-1"}`).is(t, 403, "forbidden")
		s.call("admin", "PUT", fmt.Sprintf("%s/u%d", usersPath, made), `{"settings":{`+limit+`}}`).is(t, 200)
		s.call("head", "PUT", fmt.Sprintf("%s/u%d", usersPath, made), `{"password":"another-password-1"}`).is(t, 200)
	}
}

// A filter that names the ship list of a watchdog depends on what the watchdog's own filter names, also over several lists.
func TestNobodyWidensTheOwnFilterThroughAWatchdog(t *testing.T) {
	const shape, list, dogs = configPath + "/shape/cage", configPath + "/shiplist/ll", "/api/watchdog/definition"
	const farCircle, bay = `{"center":{"type":"Point","coordinates":[100,10]},"radius":1000}`, `{"type":"Polygon","coordinates":[[[9,55],[11,55],[11,57],[9,57],[9,55]]]}`
	s := newSite(t)
	s.post(configPath+"/shape", `{"name":"cage","circle":`+farCircle+`}`).is(t, 200)
	s.post(configPath+"/shiplist", `{"name":"ll","ships":[{"mmsi":1}]}`).is(t, 200)
	for name, filter := range map[string]string{"byshape": "pos within shape('cage')", "bylist": "shiplist = 'll'", "byport": "port = 'AARHUS'", "free": "lon < 5"} {
		s.post(dogs, `{"name":"`+name+`","type":"polygon","polygon":`+bay+`,"create_shiplist":true,"filter":"`+filter+`"}`).is(t, 200)
	}
	s.post(dogs, `{"name":"chained","type":"polygon","polygon":`+bay+`,"create_shiplist":true,"filter":"shiplist = 'byshape'"}`).is(t, 200)
	s.may("oper", append(access.Anonymous().Effective(), right.ConfigureShipLists, right.AdminShipLists, right.AdminShapes, right.AdminPort, right.ViewPort)...)
	port := `{"name":"Elsewhere","position":{"type":"Point","coordinates":[10,56]}}`
	for _, row := range []struct{ filter, method, path, body string }{
		{"byshape", "PUT", shape, `{"circle":{"center":{"type":"Point","coordinates":[10,56]},"radius":10000000}}`},
		{"chained", "PUT", shape, `{"circle":{"center":{"type":"Point","coordinates":[10,56]},"radius":9000000}}`},
		{"bylist", "PUT", list, `{"ships":[{"mmsi":211000001}]}`},
		{"byport", "POST", configPath + "/shape/port", port},
	} {
		s.setFilter("oper", `{"expression":"shiplist = '`+row.filter+`'"}`)
		s.call("oper", row.method, row.path, row.body).is(t, 403, "forbidden")
		s.setFilter("oper", `{"expression":"shiplist = 'free'"}`)
		s.call("oper", row.method, row.path, row.body).is(t, 200)
	}
}

// A filter that asks for ports, calls or destinations depends on the names and borders of all ports.
func TestNobodyWidensTheOwnFilterByAPort(t *testing.T) {
	const ports = configPath + "/shape/port"
	s := newSite(t)
	s.may("oper", append(access.Anonymous().Effective(), right.AdminPort, right.ViewPort)...)
	s.may("other", access.Anonymous().Effective()...)
	s.post(ports, `{"name":"Far","position":{"type":"Point","coordinates":[100,10]}}`).is(t, 200)
	for _, filter := range []string{"port = 'Far'", "in port", "not in port", "to Far", "alongside", "type = tug or (lon < 5 and not to Far)"} {
		s.setFilter("oper", `{"expression":"`+filter+`"}`)
		for _, body := range []string{`{"aliases":["TESTHAVN"]}`, `{"name":"Near"}`, `{"position":{"type":"Point","coordinates":[10,56]}}`,
			`{"outer":{"type":"Polygon","coordinates":[[[9,55],[11,55],[11,57],[9,57],[9,55]]]}}`, `{"berths":[{"id":1,"name":"B","position":{"type":"Point","coordinates":[10,56]}}]}`} {
			s.call("oper", "PUT", ports+"/Far", body).is(t, 403, "forbidden")
		}
		s.call("oper", "DELETE", ports+"/Far", "").is(t, 403, "forbidden")
		s.call("oper", "POST", ports, `{"name":"Own","position":{"type":"Point","coordinates":[10,56]}}`).is(t, 403, "forbidden")
		s.call("oper", "PUT", ports+"/Far", `{"max_draught":9.5}`).is(t, 200) // no filter asks for it
	}
	s.setFilter("oper", `{"expression":"type = tug"}`)
	s.call("oper", "PUT", ports+"/Far", `{"aliases":["FARHAVN"]}`).is(t, 200)
	s.setFilter("other", `{"expression":"to Far"}`)
	s.call("oper", "PUT", ports+"/Far", `{"aliases":["TESTHAVN"]}`).is(t, 403, "forbidden") // it is not shown everything
	s.setFilter("oper", `{}`)
}
