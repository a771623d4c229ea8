package handlers

import "testing"

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
