// Command gen makes land.bin, the land of the earth as package land reads it, from the npm package @geo-maps/earth-lands-100m
// (OpenStreetMap, ODbL). With -ports it makes the list of ports from the npm package sea-ports (MIT). It is run by `go generate
// ./geo/chart` and needs npm.
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
	out := flag.String("out", "land.bin", "file of the land to write")
	ports := flag.String("ports", "", "file of the ports to write, in the place of the land")
	flag.Parse()
	what, name := land100m(), *out
	if *ports != "" {
		what, name = seaPorts(), *ports
	}
	if err := generate(what, *archive, name); err != nil {
		log.Fatal(err)
	}
}

// product is a file to make, and the package that it is made from.
type product struct {
	source, checksum, file string
	make                   func(io.Reader) (data []byte, summary string, err error)
}

func land100m() product {
	return product{source, sourceChecksum, sourceFile, func(r io.Reader) ([]byte, string, error) {
		rings, err := readMap(r)
		if err != nil {
			return nil, "", err
		}
		data, err := encode(rings, levels())
		return data, fmt.Sprintf("%d rings", len(rings)), err
	}}
}

func seaPorts() product {
	return product{portSource, portChecksum, portFile, func(r io.Reader) ([]byte, string, error) {
		text, lines, err := readPorts(r)
		return text, fmt.Sprintf("%d ports", lines), err
	}}
}

func generate(p product, archive, out string) error {
	if archive == "" {
		dir, err := os.MkdirTemp("", "quaywatch-chart")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if archive, err = fetchPackage(dir, p.source); err != nil {
			return err
		}
	}
	data, summary, err := p.read(archive)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	log.Printf("%s: %s, %d bytes, sha256 %s", out, summary, len(data), hex.EncodeToString(sum[:]))
	return os.WriteFile(out, data, 0o644)
}

// fetchPackage gets the package by npm into a directory.
func fetchPackage(dir, source string) (string, error) {
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

// read checks the package and makes the product of its file.
func (p product) read(name string) (data []byte, summary string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, "", err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != p.checksum {
		return nil, "", fmt.Errorf("check %s: sha256 is %s, want %s", name, got, p.checksum)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, "", err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, "", err
	}
	for files := tar.NewReader(z); ; {
		head, err := files.Next()
		if err != nil {
			return nil, "", fmt.Errorf("find %s in %s: %w", p.file, name, err)
		}
		if head.Name == p.file {
			return p.make(files)
		}
	}
}
