package acceptance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"quaywatch/ais"
)

// messageRecords are messages as the interface gives them.
type messageRecords struct {
	Records []struct {
		MMSI       int64
		Kind, Text string
		To         struct{ MMSI int64 }
	}
}

// String returns each message as text: the sender, the kind, the station that a text is for, and the text.
func (m messageRecords) String() string {
	list := []string{}
	for _, r := range m.Records {
		text := fmt.Sprint(r.MMSI, " ", r.Kind)
		if r.To.MMSI != 0 {
			text += fmt.Sprint(" to ", r.To.MMSI)
		}
		list = append(list, strings.TrimSpace(text+" "+r.Text))
	}
	return strings.Join(list, "; ")
}

// as asks as a user; the caller closes the body.
func (p *process) as(user, path string) *http.Response {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), "GET", p.base+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.SetBasicAuth(user, adminPassword)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	return response
}

// messages returns the messages of a user, or the status of a refusal.
func (p *process) messages(user string) string {
	p.t.Helper()
	response := p.as(user, "/api/messages")
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.Status
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	var m messageRecords
	if err := json.Unmarshal(text, &m); err != nil {
		p.t.Fatalf("%v: %s", err, text)
	}
	return m.String()
}

// liveMessages returns the first messages of a live stream.
func (p *process) liveMessages(user string) string {
	p.t.Helper()
	response := p.as(user, "/api/live")
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 64<<20)
	for event := ""; lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			event = name
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || event != "messages" {
			continue
		}
		var m messageRecords
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			p.t.Fatalf("%v: %s", err, data)
		}
		return m.String()
	}
	p.t.Fatalf("the stream ended without messages: %v", lines.Err())
	return ""
}

// TestTextsOnTheAirAreShown: sentences of messages 12, 14 and 21 come in at the UDP port and go out as messages, to each user those of the senders that
// it may see. Texts outlive a restart, and changes do not.
func TestTextsOnTheAirAreShown(t *testing.T) {
	dir := t.TempDir()
	config, feed := udpFeed(t)
	p := startServe(t, dir, config)
	for user, more := range map[string]string{
		"anna": `"groups":[{"name":"operator"}]`, "swede": `"groups":[{"name":"operator"}],"receive_filter":{"countries":[265]}`,
		"dane": `"groups":[{"name":"operator"}],"receive_filter":{"countries":[219]}`, "viewer": `"groups":[{"name":"viewer"}]`,
	} {
		p.want(200, "POST", "/api/config/user", fmt.Sprintf(`{"name":%q,"password":%q,%s}`, user, adminPassword, more))
	}
	for _, m := range []ais.Message{
		aShip(219000001, 1), aShip(265000001, 1),
		&ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: 219000001}, Text: "ENGINE FAILURE"},
		&ais.AddressedSafety{Header: ais.Header{Type: 12, MMSI: 219000001}, Destination: 265000001, Text: "KEEP CLEAR"},
		&ais.AidToNavigation{Header: ais.Header{Type: 21, MMSI: 992650001}, Name: "GRUND", OffPosition: true, Second: 60,
			Place: ais.Place{Lon: 6000000, Lat: 33600000}},
	} {
		if _, err := feed.Write(sentences(t, m)); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{
		"anna":  "992650001 off_position; 219000001 addressed to 265000001 KEEP CLEAR; 219000001 broadcast ENGINE FAILURE",
		"swede": "992650001 off_position",
		"dane":  "219000001 addressed KEEP CLEAR; 219000001 broadcast ENGINE FAILURE",
	}
	for user, messages := range want {
		eventually(t, patience, "the messages of "+user, func() bool { return p.messages(user) == messages })
		parts := strings.Split(p.liveMessages(user), "; ")
		for i, part := range strings.Split(messages, "; ") {
			if len(parts) <= i || parts[len(parts)-1-i] != part { // the latest is the last
				t.Errorf("the live stream of %s has %q, want %q the other way round", user, parts, messages)
			}
		}
	}
	if got := p.messages("viewer"); got != "403 Forbidden" {
		t.Errorf("a user without the right gets %q", got)
	}
	if code := p.stop(patience); code != 0 {
		t.Fatalf("stopped with %d", code)
	}
	p = startServe(t, dir, config)
	if got := p.messages("anna"); got != "219000001 addressed to 265000001 KEEP CLEAR; 219000001 broadcast ENGINE FAILURE" {
		t.Errorf("after a restart: %q", got)
	}
}
