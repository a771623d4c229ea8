package handlers

import (
	"strings"
	"testing"

	"quaywatch/document"
)

// TestRefusalsBeginWithAWord: of a field with its pointer, of the body as a whole with the rule.
func TestRefusalsBeginWithAWord(t *testing.T) {
	s := newSite(t)
	for body, want := range map[string]string{
		`[]`: "must be a JSON object", `{"name":"s"}`: "needs exactly one of polygon, line and circle", `{"name":5}`: "/name must be a string",
	} {
		if detail := s.post(configPath+"/shape", body).is(t, 400, "bad_request").json(t)["detail"]; detail != want {
			t.Errorf("%s: %q, want %q", body, detail, want)
		}
	}
	if detail := s.post(registerPath, `{}`).is(t, 400).json(t)["detail"].(string); detail == "" || detail[0] == ' ' || detail[0] == '/' {
		t.Errorf("an empty register entry: %q", detail)
	}
}

// TestWhatClientsWrite: texts that cannot be kept are refused, and what other programs write for the same value is taken, by each door.
func TestWhatClientsWrite(t *testing.T) {
	s := newSite(t)
	for body, word := range map[string]string{
		"{\"name\":\"Hafen \xfc\",\"ships\":[]}": "no_utf8", `{"name":"half \ud83d","ships":[]}`: "half_character",
	} {
		if a := s.post(configPath+"/shiplist", body).is(t, 400, "bad_request"); a.json(t)["rule"] != word {
			t.Errorf("%q: %s", body, a.body)
		}
		if _, err := document.Read([]byte(`{"shiplists":[` + body + `]}`)); err == nil {
			t.Errorf("a document with %q is taken", body)
		}
	}
	s.post(configPath+"/shiplist", "\xef\xbb\xbf"+`{"name":"Tugs","max":5.0,"ships":[{"mmsi":219001262.0}]}`).is(t, 200)
	if list := string(s.get(configPath+"/shiplist/tugs").is(t, 200).body); !strings.Contains(list, `"mmsi":219001262`) || !strings.Contains(list, `"max":5`) {
		t.Error(list)
	}
	s.call("admin", "PUT", users+"/admin", `{"settings":{"max_message_rate":7.0}}`).is(t, 200)
	s.get(configPath+"/shiplist?full=False").is(t, 200)
	s.get(configPath+"/shiplist?full=maybe").is(t, 400, "bad_request")
}
