// Package web holds the built client. It knows nothing of what the client shows: it only embeds the files that Vite wrote
// to dist.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files gives the files of the client, rooted where index.html lies. It is not ok when the binary was compiled before the
// client was built: then only the placeholder of dist is there.
func Files() (fs.FS, bool) {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, false
	}
	_, err = fs.Stat(files, "index.html")
	return files, err == nil
}
