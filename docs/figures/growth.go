package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// curve is a figure of a benchmark at several sizes.
type curve struct {
	unit   string
	points []point
}

type point struct{ size, value float64 }

// row is a line of a benchmark of a group: its size, and its figures.
var row = regexp.MustCompile(`^BenchmarkSystemGrowth/(\w+)=(\d+)\S*\s+\d+\s+(.*)$`)

// readGrowth reads what go test prints of a group of BenchmarkSystemGrowth. The time of the whole is no figure.
func readGrowth(in io.Reader, group string) (curves []curve, err error) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		m := row.FindStringSubmatch(lines.Text())
		if m == nil || m[1] != group {
			continue
		}
		size, _ := strconv.ParseFloat(m[2], 64)
		figures := strings.Fields(m[3])
		for i := 0; i+1 < len(figures); i += 2 {
			value, err := strconv.ParseFloat(figures[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%q is no number", figures[i])
			}
			if unit := figures[i+1]; unit != "ns/op" {
				curves = appendPoint(curves, unit, point{size, value})
			}
		}
	}
	if len(curves) == 0 {
		return nil, fmt.Errorf("there is no benchmark of %s", group)
	}
	slices.SortFunc(curves, func(a, b curve) int { return strings.Compare(a.unit, b.unit) })
	return curves, lines.Err()
}

func appendPoint(curves []curve, unit string, p point) []curve {
	i := slices.IndexFunc(curves, func(c curve) bool { return c.unit == unit })
	if i < 0 {
		return append(curves, curve{unit, []point{p}})
	}
	curves[i].points = append(curves[i].points, p)
	return curves
}

// The size of a chart in pixels.
const (
	chartWidth  = 290.0
	chartHeight = 200.0
	marginLeft  = 46.0
	marginTop   = 34.0
	marginRight = 12.0
	marginEnd   = 30.0
)

// drawGrowth writes a chart for each figure, beside each other. The sizes stand on a logarithmic axis, the figures on one that begins at 0.
func drawGrowth(out io.Writer, group string, curves []curve) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="11">`+"\n", chartWidth*float64(len(curves)), chartHeight)
	fmt.Fprintln(w, `<rect width="100%" height="100%" fill="#fff"/>`)
	for i, c := range curves {
		fmt.Fprintf(w, `<g transform="translate(%.0f 0)">`, chartWidth*float64(i))
		c.draw(w, group)
		fmt.Fprintln(w, "</g>")
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

func (c *curve) draw(w io.Writer, group string) {
	top := 0.0
	for _, p := range c.points {
		top = max(top, p.value)
	}
	top = rounded(top)
	first, last := math.Log(c.points[0].size), math.Log(c.points[len(c.points)-1].size)
	x := func(size float64) float64 {
		return marginLeft + (math.Log(size)-first)/max(last-first, 1e-9)*(chartWidth-marginLeft-marginRight)
	}
	y := func(value float64) float64 {
		return chartHeight - marginEnd - value/top*(chartHeight-marginTop-marginEnd)
	}
	fmt.Fprintf(w, `<text x="%.0f" y="18" ><tspan font-weight="bold">%s</tspan>, by %s</text>`, marginLeft, html.EscapeString(c.unit), group)
	for i := range 3 {
		value := top * float64(i) / 2
		fmt.Fprintf(w, `<path d="M%.1f %.1fH%.1f" stroke="#ccc"/><text x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			marginLeft, y(value), chartWidth-marginRight, marginLeft-5, y(value)+4, strconv.FormatFloat(value, 'g', 4, 64))
	}
	line := ""
	for i, p := range c.points {
		line += fmt.Sprintf("%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], x(p.size), y(p.value))
		fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="3" fill="#0b6"/><text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`,
			x(p.size), y(p.value), min(x(p.size), chartWidth-marginRight-6), chartHeight-12, sizeText(p.size))
	}
	fmt.Fprintf(w, `<path d="%s" fill="none" stroke="#0b6" stroke-width="2"/>`, line)
}

// rounded returns the next number at or above a figure that has one digit.
func rounded(value float64) float64 {
	if value <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(value)))
	return math.Ceil(value/unit) * unit
}

// sizeText writes a size as 10k or 5M.
func sizeText(size float64) string {
	if size >= 1e6 {
		return fmt.Sprintf("%gM", size/1e6)
	}
	return fmt.Sprintf("%gk", size/1e3)
}
