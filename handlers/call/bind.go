package call

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"quaywatch/form"
	"quaywatch/rule"
)

// Limits of a request body, in bytes.
const (
	MaxBody      = 1 << 20
	MaxShapeBody = 10 << 20
)

// Bind reads the body as one JSON object of at most most bytes.
func (c *Call) Bind(most int64) (*form.Fields, error) {
	if text := c.Request.Header.Get("Content-Type"); text != "" {
		kind, _, err := mime.ParseMediaType(text)
		if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			return nil, &Problem{Status: http.StatusUnsupportedMediaType, Code: CodeUnsupported, Rule: rule.New("not_json", "the body must be application/json")}
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, most))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, &Problem{Status: http.StatusRequestEntityTooLarge, Code: CodeTooLarge,
			Rule: rule.New("body_large", "the body may have at most {max} bytes", "max", most)}
	}
	if err != nil {
		return nil, BadRequest(rule.New("body_cut", "the body could not be read to its end"))
	}
	return form.Read(body)
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
