package request

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"quaywatch/form"
	"quaywatch/internal/rule"
)

// Bind reads the body as one JSON object of at most most bytes.
func (c *Request) Bind(most int64) (*form.Fields, error) {
	body, err := c.jsonBody(most)
	if err != nil {
		return nil, err
	}
	f, err := c.bindFields(form.Read(body))
	if id, wrong := strconv.ParseUint(c.Param("id"), 10, 64); err == nil && wrong == nil && c.HTTP.Method == http.MethodPut {
		Same(f, "id", strconv.FormatUint(id, 10))
	}
	return f, err
}

// BindKeeping is BindConfig of a body of which the values of some keys stay as they came. It returns the whole body as well.
func (c *Request) BindKeeping(most int64, keeps func(key string) bool) (*form.Fields, []byte, error) {
	return c.bindWhole(most, func(body []byte) (*form.Fields, error) { return form.ReadKeeping(body, keeps) })
}

// BindAny is BindKeeping of a body that may be any JSON, and of which all values stay as they came. What is no object has no fields.
func (c *Request) BindAny(most int64) (*form.Fields, []byte, error) {
	return c.bindWhole(most, form.ReadAny)
}

// bindWhole reads a body of which values may stay as they came, and returns it as well.
func (c *Request) bindWhole(most int64, read func(body []byte) (*form.Fields, error)) (*form.Fields, []byte, error) {
	body, err := c.jsonBody(most)
	if err != nil {
		return nil, nil, err
	}
	f, err := c.bindFields(read(body))
	if err == nil {
		c.noteFields(f)
	}
	return f, body, err
}

// bindFields lets the reading of fields end with the request.
func (c *Request) bindFields(f *form.Fields, err error) (*form.Fields, error) {
	if err != nil {
		return nil, err
	}
	f.Until(func() bool { return c.HTTP.Context().Err() != nil })
	return f, nil
}

// Same refuses a body whose key names another object than the path does.
func Same(f *form.Fields, key, id string) {
	if f.Given(key) && strings.Trim(string(f.Raw(key)), `"`) != id {
		f.Refuse(key, rule.New("not_of_path", "is not that of the path"))
	}
}

// jsonBody reads the body, which has to say that it is JSON where it says anything.
func (c *Request) jsonBody(most int64) ([]byte, error) {
	if text := c.HTTP.Header.Get("Content-Type"); text != "" {
		kind, _, err := mime.ParseMediaType(text)
		if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			return nil, &Problem{Status: http.StatusUnsupportedMediaType, Code: CodeUnsupported, Rule: rule.New("not_json", "the body must be application/json")}
		}
	}
	return c.readBody(most)
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
