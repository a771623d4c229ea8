package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzip"

	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/store"
)

// form is how an answer is written.
type layout struct {
	name        string // of ?format=
	contentType string
	extension   string // of a file to save; "" where the answer is no file
}

// The forms of answers.
func jsonForm() layout    { return layout{"json", "application/json", ""} }
func geoJSONForm() layout { return layout{"geojson", "application/geo+json", ""} }
func csvForm() layout     { return layout{"csv", "text/csv", "csv"} }
func gpxForm() layout     { return layout{"gpx", "application/gpx+xml", "gpx"} }
func kmlForm() layout     { return layout{"kml", "application/vnd.google-earth.kml+xml", "kml"} }

// shipForms are those of answers about ships, trackForms those of a track.
func shipForms() []layout  { return []layout{jsonForm(), geoJSONForm(), csvForm()} }
func trackForms() []layout { return append(shipForms(), gpxForm(), kmlForm()) }

// chooseForm takes ?format=, else what Accept likes best; an Accept that names nothing we have gets JSON, never an error.
func chooseForm(c *call, forms []layout) (layout, error) {
	if name := c.Query("format"); name != "" {
		if i := slices.IndexFunc(forms, func(f layout) bool { return f.name == name }); i >= 0 {
			return forms[i], nil
		}
		return layout{}, badField("format", rule.New("one_of", "must be one of {words}", "words", formNames(forms)))
	}
	best, quality := forms[0], 0.0
	for part := range strings.SplitSeq(c.GetHeader("Accept"), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			q, _ = strconv.ParseFloat(text, 64) // what is no number is 0: not wanted
		}
		i := slices.IndexFunc(forms, func(f layout) bool { return f.contentType == kind })
		if kind == "*/*" || kind == "application/*" {
			i = 0
		}
		if i >= 0 && q > quality {
			best, quality = forms[i], q
		}
	}
	return best, nil
}

func formNames(forms []layout) string {
	names := make([]string, len(forms))
	for i, f := range forms {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

// sendForm sends a body in the form, as a file to save where the form is one.
func (s *Server) sendForm(c *call, f layout, file string, body []byte) error {
	contentType := f.contentType
	if f.name == "csv" {
		contentType += "; charset=utf-8"
	}
	if f.extension != "" {
		c.Header("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.%s"`, file, f.extension))
	}
	c.Writer.Header().Add("Vary", "Accept")
	s.send(c.Context, http.StatusOK, contentType, body)
	return nil
}

// sendList sends ships as {"records":[...]} from a buffer that is used again: a list may take megabytes.
func (s *Server) sendList(c *call, f layout, ships []ship.State, one func(*object, *ship.State)) error {
	buffer := s.buffers.Get().(*[]byte)
	defer s.buffers.Put(buffer)
	*buffer = list((*buffer)[:0], ships, func(o *object, state *ship.State) {
		o.entry = s.deps.Register.Find
		one(o, state)
	})
	return s.sendForm(c, f, "", *buffer)
}

// sendJSON sends a small answer.
func (s *Server) sendJSON(c *call, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	s.send(c.Context, status, "application/json", body)
	return nil
}

// compressFrom is the size from which compressing pays: what is smaller goes in one packet anyway.
const compressFrom = 1400

// newCompressors gives gzip writers to use again; one holds about 800 kB.
func newCompressors() *sync.Pool {
	return &sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
		return w
	}}
}

// newBuffers gives buffers to use again.
func newBuffers() *sync.Pool {
	return &sync.Pool{New: func() any { return new([]byte) }}
}

// send sends the body, compressed when the client takes that and it pays.
func (s *Server) send(g *gin.Context, status int, contentType string, body []byte) {
	h := g.Writer.Header()
	h.Set("Content-Type", contentType)
	h.Add("Vary", "Accept-Encoding")
	if len(body) < compressFrom || !acceptsGzip(g.Request) {
		h.Set("Content-Length", strconv.Itoa(len(body)))
		g.Writer.WriteHeader(status)
		s.write(g, body)
		return
	}
	h.Set("Content-Encoding", "gzip")
	var packed bytes.Buffer
	packed.Grow(len(body) / 6)
	w := s.compressors.Get().(*gzip.Writer)
	defer s.compressors.Put(w)
	w.Reset(&packed)
	_, err := w.Write(body)
	if err := errors.Join(err, w.Close()); err != nil {
		s.deps.Log.Error("compress an answer", "error", err)
		return
	}
	h.Set("Content-Length", strconv.Itoa(packed.Len()))
	g.Writer.WriteHeader(status)
	s.write(g, packed.Bytes())
}

func (s *Server) write(g *gin.Context, body []byte) {
	if _, err := g.Writer.Write(body); err != nil {
		s.deps.Log.Debug("client went away", "path", g.Request.URL.EscapedPath(), "error", err)
	}
}

// acceptsGzip reads Accept-Encoding; a quality of 0 is a no.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
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

// contextWithin limits how long a step of the request may take.
func contextWithin(g *gin.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(g.Request.Context(), d)
}

// storageProblem is what the caller hears when the store cannot write, nil for any other error.
func storageProblem(err error) *problem {
	if errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrReadOnly) {
		return &problem{status: http.StatusInsufficientStorage, code: codeStorageFull, rule: rule.New("store_full", "the store cannot write")}
	}
	return nil
}
