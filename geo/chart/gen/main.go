// Command gen makes land.bin, the world's land as package land reads it, from the npm package
// @geo-maps/earth-lands-100m (OpenStreetMap, ODbL). It is run by `go generate ./geo/chart` and needs npm.
package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

// The source. The checksum is that of the package as the registry serves it.
const (
	source         = "@geo-maps/earth-lands-100m@0.6.0"
	sourceChecksum = "249b08798b0b82c81c21fa73fee8c59f25c94571842d52da2d06650884aa3087"
	sourceFile     = "package/map.geo.json"
)

func main() {
	log.SetFlags(0)
	archive := flag.String("archive", "", "package file fetched before; empty = fetch it by npm pack")
	out := flag.String("out", "land.bin", "file to write")
	flag.Parse()
	if err := generate(*archive, *out); err != nil {
		log.Fatal(err)
	}
}

func generate(archive, out string) error {
	if archive == "" {
		dir, err := os.MkdirTemp("", "quaywatch-land")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if archive, err = fetch(dir); err != nil {
			return err
		}
	}
	rings, err := readArchive(archive)
	if err != nil {
		return err
	}
	data, err := encode(rings, levels())
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	log.Printf("%s: %d rings, %d bytes, sha256 %s", out, len(rings), len(data), hex.EncodeToString(sum[:]))
	return os.WriteFile(out, data, 0o644)
}

// fetch gets the package by npm into a directory.
func fetch(dir string) (string, error) {
	pack := exec.Command("npm", "pack", source, "--silent")
	pack.Dir, pack.Stderr = dir, os.Stderr
	if err := pack.Run(); err != nil {
		return "", fmt.Errorf("npm pack %s: %w", source, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(files) != 1 {
		return "", fmt.Errorf("npm pack %s: left %d files", source, len(files))
	}
	return files[0], nil
}

// readArchive checks the package and reads its map.
func readArchive(name string) ([]ring, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != sourceChecksum {
		return nil, fmt.Errorf("check %s: sha256 is %s, want %s", name, got, sourceChecksum)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(z); ; {
		head, err := files.Next()
		if err != nil {
			return nil, fmt.Errorf("find %s in %s: %w", sourceFile, name, err)
		}
		if head.Name == sourceFile {
			return readMap(files)
		}
	}
}
