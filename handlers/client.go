package handlers

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
)

// clientFiles is the built web client in memory. It is small, and every file of it is asked for at every new start of a browser.
type clientFiles struct {
	byPath map[string][]byte // "/assets/index-abc.js"
}

// indexFile is the page that everything else hangs on.
const indexFile = "/index.html"

// notBuilt is what / says when the program was made without the client.
const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Quaywatch</title>
<h1>Quaywatch is running</h1><p>This program was built without its web client. Build it with <code>make</code> (needs Node), or use the API:
<a href="api/openapi.yaml">api/openapi.yaml</a>.</p></html>
`

func newClientFiles(web fs.FS) (*clientFiles, error) {
	files := &clientFiles{byPath: map[string][]byte{}}
	if web == nil {
		return files, nil
	}
	err := fs.WalkDir(web, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(web, name)
		files.byPath["/"+name] = body
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the client's files: %w", err)
	}
	return files, nil
}

// serveFile gives a file of the client. A path without an extension is a page inside the client and gets the index. A file that is not there is 404, so that a
// broken client shows.
func (s *Server) serveFile(c *request.Request, name string) {
	index, built := s.files.byPath[indexFile]
	if !built {
		c.Send(http.StatusOK, "text/html; charset=utf-8", []byte(notBuilt))
		return
	}
	name = path.Clean("/" + name)
	body, ok := s.files.byPath[name]
	switch {
	case ok && name != indexFile:
		c.Writer.Header().Set("Cache-Control", caching(name))
		c.Send(http.StatusOK, contentTypeOf(name), body)
	case path.Ext(name) != "" && name != indexFile:
		c.Refuse(request.NotFound(rule.New("no_file", "there is no such file")))
	default:
		c.Writer.Header().Set("Cache-Control", "no-cache")
		c.Writer.Header().Set("Content-Security-Policy", s.pagePolicy(c.HTTP))
		c.Send(http.StatusOK, "text/html; charset=utf-8", index)
	}
}

// caching lets browsers keep for ever what carries a hash of its content in its name.
func caching(name string) string {
	if strings.HasPrefix(name, "/assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

// contentTypeOf goes by the extension, independent of the machine's own table for what a client is made of.
func contentTypeOf(name string) string {
	switch path.Ext(name) {
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json", ".map":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".woff2":
		return "font/woff2"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/x-icon"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}
