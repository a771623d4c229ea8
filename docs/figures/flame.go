package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// frame is a function with the time in it and in what it called.
type frame struct {
	name   string
	ms     float64
	called map[string]*frame
}

func newFrame(name string) *frame { return &frame{name: name, called: map[string]*frame{}} }

// readTraces reads the stacks that pprof prints: each a time and the innermost function, then those that called it, one a line. Lines of dashes part them.
func readTraces(in io.Reader) (*frame, error) {
	root := newFrame("all")
	var stack []string
	ms := 0.0
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	begun := false
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case strings.HasPrefix(line, "------"):
			root.addStack(stack, ms)
			stack, ms, begun = nil, 0, true
		case !begun || line == "":
		case stack == nil:
			value, name, _ := strings.Cut(line, " ")
			var err error
			if ms, err = strconv.ParseFloat(strings.TrimSuffix(value, "ms"), 64); err != nil {
				return nil, fmt.Errorf("a stack begins with %q, want a time in ms", line)
			}
			stack = []string{inner(name)}
		default:
			stack = append(stack, inner(line))
		}
	}
	root.addStack(stack, ms)
	if root.ms == 0 {
		return nil, errors.Join(errors.New("there is no stack"), lines.Err())
	}
	return root, lines.Err()
}

// inner returns the name of a function without what pprof says of it.
func inner(line string) string { return strings.TrimSuffix(strings.TrimSpace(line), " (inline)") }

// addStack adds a stack, which has the innermost function first.
func (f *frame) addStack(stack []string, ms float64) {
	f.ms += ms
	for _, name := range slices.Backward(stack) {
		next := f.called[name]
		if next == nil {
			next = newFrame(name)
			f.called[name] = next
		}
		next.ms += ms
		f = next
	}
}

// The size of a flame graph in pixels.
const (
	flameWidth = 1200.0
	flameRow   = 16.0
	narrowest  = 2.0 // a frame that is left out
	letter     = 6.3 // the width of a letter
)

// drawFlame writes a flame graph: each function stands above the one that called it, as wide as its share of the time.
func drawFlame(out io.Writer, title string, root *frame) error {
	rows := root.depth(flameWidth)
	height := flameRow*float64(rows) + 30
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="monospace" font-size="10.5">`+"\n", flameWidth, height)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" fill="#fff"/><text x="6" y="16" font-size="13" font-family="sans-serif">%s</text>`+"\n", html.EscapeString(title))
	root.draw(w, 0, height, flameWidth/root.ms, root.ms)
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// depth counts the rows of a frame that is so wide.
func (f *frame) depth(width float64) (rows int) {
	for _, c := range f.called {
		if w := width * c.ms / f.ms; w >= narrowest {
			rows = max(rows, c.depth(w))
		}
	}
	return rows + 1
}

// draw writes a frame above a line, and what it called above that, the widest first.
func (f *frame) draw(w io.Writer, x, bottom, scale, all float64) {
	width := f.ms * scale
	if width < narrowest {
		return
	}
	fmt.Fprintf(w, `<g><title>%s, %.1f %%</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`,
		html.EscapeString(f.name), 100*f.ms/all, x, bottom-flameRow, width-0.3, flameRow-1, colourOf(f.name))
	if letters := int(width / letter); letters > 3 {
		fmt.Fprintf(w, `<text x="%.1f" y="%.1f">%s</text>`, x+2, bottom-4.5, html.EscapeString(shortened(f.name, letters)))
	}
	fmt.Fprintln(w, "</g>")
	called := slices.SortedFunc(maps.Values(f.called), func(a, b *frame) int { return cmp.Or(cmp.Compare(b.ms, a.ms), cmp.Compare(a.name, b.name)) })
	for _, c := range called {
		c.draw(w, x, bottom-flameRow, scale, all)
		x += c.ms * scale
	}
}

// shortened returns as much of a function's name as so many letters hold, from its package on.
func shortened(name string, letters int) string {
	if i := strings.LastIndex(strings.SplitN(name, "[", 2)[0], "/"); i >= 0 {
		name = name[i+1:]
	}
	if len(name) > letters {
		name = name[:letters-1] + "…"
	}
	return name
}

// colourOf returns the colour of a function: that of its package, if it is of this program, else grey.
func colourOf(name string) string {
	path, ours := strings.CutPrefix(name, "quaywatch/")
	if !ours {
		return "#d8d8d8"
	}
	h := fnv.New32a()
	h.Write([]byte(strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '/' })[0]))
	return fmt.Sprintf("hsl(%d,70%%,75%%)", h.Sum32()%360)
}
