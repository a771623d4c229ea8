// Package web holds the built client. It knows nothing of what the client shows: it only embeds the files that Vite wrote
// to dist, which pack packed.
package web

import (
	"archive/zip"
	"bytes"
	"embed"
	"io/fs"
)

//go:embed all:packed
var packed embed.FS

// Files returns the files of the client, rooted where index.html lies. It is not ok when the binary was compiled before the
// client was built.
func Files() (files fs.FS, ok bool) {
	body, err := packed.ReadFile("packed/client.zip")
	if err != nil {
		return nil, false
	}
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	return archive, err == nil
}
