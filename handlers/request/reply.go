package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"quaywatch/internal/rule"
)

// Layout is how an answer is written.
type Layout struct {
	Name        string // of ?format=
	ContentType string
	Extension   string // of a file to save; "" where the answer is no file
}

// ShipLayouts are those of answers about ships, the usual one first.
func ShipLayouts() []Layout {
	return []Layout{{"json", "application/json", ""}, {"geojson", "application/geo+json", ""}, {"csv", "text/csv", "csv"}}
}

// TableLayouts are those of lists that have no place on a map.
func TableLayouts() []Layout {
	return []Layout{{"json", "application/json", ""}, {"csv", "text/csv", "csv"}}
}

// TrackLayouts are those of a track.
func TrackLayouts() []Layout {
	return append(ShipLayouts(), Layout{"gpx", "application/gpx+xml", "gpx"}, Layout{"kml", "application/vnd.google-earth.kml+xml", "kml"})
}

// Choose takes ?format=, else what Accept likes best; an Accept that names nothing we have gets the first, never an error.
func (c *Request) Choose(layouts []Layout) (Layout, error) {
	if name := c.Query("format"); name != "" {
		if i := slices.IndexFunc(layouts, func(l Layout) bool { return l.Name == name }); i >= 0 {
			return layouts[i], nil
		}
		return Layout{}, BadField("format", rule.New("one_of", "must be one of {words}", "words", layoutNames(layouts)))
	}
	best, quality := layouts[0], 0.0
	for part := range strings.SplitSeq(c.HTTP.Header.Get("Accept"), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			q, _ = strconv.ParseFloat(text, 64) // what is no number is 0: not wanted
		}
		i := slices.IndexFunc(layouts, func(l Layout) bool { return l.ContentType == kind })
		if kind == "*/*" || kind == "application/*" {
			i = 0
		}
		if i >= 0 && q > quality {
			best, quality = layouts[i], q
		}
	}
	return best, nil
}

func layoutNames(layouts []Layout) string {
	names := make([]string, len(layouts))
	for i, l := range layouts {
		names[i] = l.Name
	}
	return strings.Join(names, ", ")
}

// SendAs sends a body in a layout, as a file of that name to save where the layout is one.
func (c *Request) SendAs(l Layout, file string, body []byte) error {
	c.Send(http.StatusOK, c.laidOut(l, file), body)
	return nil
}

// laidOut sets the headers of a layout but for its content type, which it returns.
func (c *Request) laidOut(l Layout, file string) (contentType string) {
	contentType = l.ContentType
	if l.ContentType == "text/csv" {
		contentType += "; charset=utf-8"
	}
	if l.Extension != "" {
		c.Writer.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.%s"`, file, l.Extension))
	}
	c.Writer.Header().Add("Vary", "Accept")
	return contentType
}

// SendJSON sends a small answer.
func (c *Request) SendJSON(status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	c.Send(status, "application/json", body)
	return nil
}

// Records is a list as every list is answered.
type Records[T any] struct {
	Records []T `json:"records"`
}

// NoContent says that it is done.
func (c *Request) NoContent() error {
	c.Writer.WriteHeader(http.StatusNoContent)
	return nil
}

// compressFrom is the size from which compressing pays: what is smaller goes in one packet anyway.
const compressFrom = 1400

// Send sends the body, compressed when the client takes that, it pays, and the route has not packed it already. A body that is neither short nor counted as a
// result counts while it is sent. Where there is no room for it, the answer is that problem.
func (c *Request) Send(status int, contentType string, body []byte) {
	c.sendFrom(status, contentType, body, func() {})
}

// sendFrom is Send of a body in a buffer that free takes back, once, when it is needed no more.
func (c *Request) sendFrom(status int, contentType string, body []byte, free func()) {
	pack := !c.Route.Packed && len(body) >= compressFrom && c.AcceptsGzip()
	if pack {
		packed, err := c.base.packBody(body)
		free()
		if err != nil {
			c.base.Log.Error("compress an answer", "error", err)
			return
		}
		body = packed
	} else {
		defer free()
	}
	if len(body) > uncounted && !c.Route.Packed && c.answer == nil {
		if err := c.holdAnswer(int64(len(body))); err != nil {
			c.Writer.Header().Del("Content-Disposition") // a problem is no file to save
			c.Refuse(err)
			return
		}
	}
	h := c.Writer.Header()
	h.Set("Content-Type", contentType)
	h.Add("Vary", "Accept-Encoding")
	if pack {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.Writer.WriteHeader(status)
	if _, err := c.Writer.Write(body); err != nil {
		c.base.Log.Debug("client went away", "path", c.HTTP.URL.EscapedPath(), "error", err)
	}
}

// packer compresses bodies, one after the other. It holds about 800 kB and the last body.
type packer struct {
	writer *gzip.Writer
	packed bytes.Buffer
}

// packer returns one that is free, or a new one.
func (b *Base) packer() *packer {
	if p, ok := b.packers.Get().(*packer); ok {
		return p
	}
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
	return &packer{writer: w}
}

// packBody compresses a body. The packer is free again then, however slowly the client reads.
func (b *Base) packBody(body []byte) ([]byte, error) {
	p := b.packer()
	defer b.packers.Put(p)
	p.packed.Reset()
	p.packed.Grow(len(body) / 6)
	p.writer.Reset(&p.packed)
	_, err := p.writer.Write(body)
	err = errors.Join(err, p.writer.Close())
	return bytes.Clone(p.packed.Bytes()), err
}

// AcceptsGzip reads Accept-Encoding; a quality of 0 is a no.
func (c *Request) AcceptsGzip() bool {
	for part := range strings.SplitSeq(c.HTTP.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name != "gzip" && name != "*" {
			continue
		}
		q, found := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		if !found {
			return true
		}
		v, err := strconv.ParseFloat(q, 64)
		return err == nil && v > 0
	}
	return false
}
