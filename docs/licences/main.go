// Command licences prints the licence text of every module that is linked into the quaywatch binary, for the release. It prints that of the chart data in it
// too.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

type module struct{ Path, Version, Dir string }

func main() {
	if err := printLicences(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// printLicences writes one section a module; a module without a licence file is an error, for then it may not be shipped.
func printLicences(w io.Writer) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "Quaywatch is made with these modules and data. Each keeps its licence.")
	for _, m := range modules {
		text, err := licence(m.Dir)
		if err != nil {
			return fmt.Errorf("module %s: %w", m.Path, err)
		}
		fmt.Fprintf(w, "\n%s\n%s %s\n%[1]s\n\n%[4]s\n", strings.Repeat("=", 100), m.Path, m.Version, text)
	}
	if err := charts(w); err != nil {
		return err
	}
	return client(w)
}

// charts prints where the embedded chart data is from, and its licences.
func charts(w io.Writer) error {
	text, err := os.ReadFile("geo/chart/DATA.md")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s\nThe chart\n%[1]s\n\n%s", strings.Repeat("=", 100), text)
	return err
}

// linked asks the go command which modules the packages of the binary come from.
func linked() ([]module, error) {
	out, err := exec.Command("go", "list", "-tags", "nomsgpack", "-deps", "-json=Module", ".").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	seen := map[string]module{}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var pkg struct {
			Module *struct {
				module
				Main bool
			}
		}
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if pkg.Module != nil && !pkg.Module.Main {
			seen[pkg.Module.Path] = pkg.Module.module
		}
	}
	var list []module
	for _, m := range seen {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// licence reads the first file of dir that is named like one, and the texts of the folder licenses that it may point to.
func licence(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if !entry.IsDir() && (strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING")) {
			text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			return string(text) + chosen(dir), err
		}
	}
	return "", errors.New("no licence file")
}

// chosen returns the FreeType licence of a module that offers it beside the GPL. It is the licence that we take, and it wants to be named.
func chosen(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "licenses", "ftl.txt"))
	if err != nil {
		return "" // of most modules
	}
	return "\nQuaywatch takes the FreeType licence. Portions of this software are copyright The FreeType Project (www.freetype.org). All rights reserved.\n\n" + string(text)
}

// client prints the licences of what the web client is bundled from; its build collects them.
func client(w io.Writer) error {
	text, err := os.ReadFile("web/dist/licences.txt")
	if err != nil {
		return fmt.Errorf("the web client must be built first: %w", err)
	}
	_, err = fmt.Fprintf(w, "\n%s\nThe web client\n%[1]s\n\n%s", strings.Repeat("=", 100), text)
	return err
}
