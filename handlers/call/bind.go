package call

import (
	"mime"
	"net/http"
	"strings"

	"quaywatch/form"
	"quaywatch/rule"
)

// Bind reads the body as one JSON object of at most most bytes.
func (c *Call) Bind(most int64) (*form.Fields, error) {
	if text := c.Request.Header.Get("Content-Type"); text != "" {
		kind, _, err := mime.ParseMediaType(text)
		if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			return nil, &Problem{Status: http.StatusUnsupportedMediaType, Code: CodeUnsupported, Rule: rule.New("not_json", "the body must be application/json")}
		}
	}
	body, err := c.readBody(most)
	if err != nil {
		return nil, err
	}
	f, err := form.Read(body)
	if err != nil {
		return nil, err
	}
	f.Until(func() bool { return c.Request.Context().Err() != nil })
	return f, nil
}

// Fresh refuses a change of what has another revision than the one that the caller read. A body without a revision is not checked.
func Fresh(f *form.Fields, now string) error {
	read := f.Text("revision")
	if err := f.Err(); err != nil {
		return err
	}
	if read != "" && read != now {
		return Stale()
	}
	return nil
}
