package wms

import (
	"cmp"
	"errors"
	"image/color"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"quaywatch/internal/rule"
	"quaywatch/render"
)

// Names of the service.
const (
	version     = "1.3.0"
	pictureType = "image/png"
)

// mostLayers bounds how many layers a request may name; farthest is how far outside of the picture a legend may begin, in pixels.
const (
	mostLayers = 16
	farthest   = 2 * render.MostPixels
)

// params are the parameters of a request by their names in small letters: clients write them as they like.
type params map[string]string

// paramsOf reads the parameters. Of one that is given twice, in whatever letters, the first name in the order of their bytes counts.
func paramsOf(query url.Values) params {
	p := params{}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		small := strings.ToLower(name)
		if _, there := p[small]; !there {
			p[small] = query[name][0]
		}
	}
	return p
}

// mapRequest is a picture that is asked for.
type mapRequest struct {
	period           period   // of the tracks
	layers           []string // from the lowest to the highest
	job              int64    // 0 for none
	frame            render.Viewport
	width, height    int
	style            render.Style
	ground           *color.RGBA // nil for a transparent picture
	german           bool
	legend           bool
	legendX, legendY int
}

// readMap reads the parameters of GetMap. Its errors are *exception.
func readMap(p params) (*mapRequest, error) {
	for _, name := range []string{"version", "layers", "bbox", "width", "height"} {
		if p[name] == "" {
			return nil, makeException(codeMissing, "the parameter "+name+" is missing")
		}
	}
	if p["version"] != version {
		return nil, makeException(codeValue, "version must be "+version)
	}
	if !oneOf(p["exceptions"], "", "XML", "INIMAGE", "BLANK") {
		return nil, makeException(codeValue, "exceptions must be XML, INIMAGE or BLANK")
	}
	m := &mapRequest{}
	for _, read := range []func(params) error{m.readLayers, m.readFrame, m.readGround, m.readLanguage, m.readLegend, m.readTime} {
		if err := read(p); err != nil {
			return nil, err
		}
	}
	var err error
	m.job, err = jobOf(p)
	return m, err
}

// oneOf reports whether a text is one of some words, in whatever letters.
func oneOf(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(text, word) })
}

// jobOf returns the number of the statistic, 0 for none.
func jobOf(p params) (int64, error) {
	if p["job"] == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(p["job"], 10, 64)
	if err != nil || id < 1 {
		return 0, makeException(codeValue, "job must be the number of a statistic")
	}
	return id, nil
}

// readLayers reads the layers, their styles, and the format. Of a layer that is named twice the higher one is drawn: it hides the other.
func (m *mapRequest) readLayers(p params) error {
	names := strings.Split(p["layers"], ",")
	if len(names) > mostLayers {
		return makeException(codeValue, "there are too many layers")
	}
	for i, name := range names {
		if layerOf(name) == nil {
			return makeException(codeLayer, "the layers are "+strings.Join(layerNames(), ", "))
		}
		if !slices.Contains(names[i+1:], name) {
			m.layers = append(m.layers, name)
		}
	}
	if err := m.readStyles(p["styles"], len(names)); err != nil {
		return err
	}
	if !oneOf(p["format"], "", pictureType) {
		return makeException(codeFormat, "the only format is "+pictureType)
	}
	return nil
}

// readStyles reads the style of each layer. A picture has one palette, so those that are named are the same one.
func (m *mapRequest) readStyles(text string, layers int) error {
	names := strings.Split(text, ",")
	if text != "" && len(names) != layers {
		return makeException(codeValue, "styles must have one style for each layer, or none")
	}
	chosen := ""
	for _, name := range names {
		if _, ok := render.StyleOf(name); !ok {
			return makeException(codeStyle, "the styles are day, dusk and night")
		}
		if chosen != "" && name != "" && name != chosen {
			return makeException(codeValue, "all layers of a picture must have the same style")
		}
		chosen = cmp.Or(chosen, name)
	}
	m.style, _ = render.StyleOf(chosen)
	return nil
}

// readFrame reads the box, its system and the size of the picture. Without a system the box is as the interface of the service has it: EPSG:4326.
func (m *mapRequest) readFrame(p params) error {
	crs := render.EPSG4326
	if name := p["crs"]; name != "" {
		i := slices.IndexFunc(render.Names(), func(known string) bool { return strings.EqualFold(known, name) })
		if i < 0 {
			return makeException(codeCRS, "crs must be one of "+strings.Join(render.Names(), ", "))
		}
		crs = render.CRS(i)
	}
	var box [4]float64
	parts := strings.Split(p["bbox"], ",")
	if len(parts) != len(box) {
		return makeException(codeValue, "bbox must be four numbers")
	}
	for i, part := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return makeException(codeValue, "bbox must be four numbers")
		}
		box[i] = v
	}
	if err := m.readSize(p); err != nil {
		return err
	}
	var err error
	if m.frame, err = render.NewFrame(crs, box, m.width, m.height); err != nil {
		var why *rule.Rule
		if errors.As(err, &why) {
			return makeException(codeValue, why.Error())
		}
	}
	return err
}

func (m *mapRequest) readSize(p params) error {
	var wrong, also error
	m.width, wrong = strconv.Atoi(p["width"])
	m.height, also = strconv.Atoi(p["height"])
	if wrong != nil || also != nil || m.width < 1 || m.height < 1 || m.width > render.MostPixels || m.height > render.MostPixels {
		return makeException(codeValue, "width and height must be from 1 to "+strconv.Itoa(render.MostPixels))
	}
	return nil
}

// readGround reads what lies behind the drawing. A request without a system is of the form of the interface, which wants an overlay.
func (m *mapRequest) readGround(p params) error {
	clear := p["crs"] == ""
	if text := p["transparent"]; text != "" {
		if !oneOf(text, "TRUE", "FALSE") {
			return makeException(codeValue, "transparent must be TRUE or FALSE")
		}
		clear = oneOf(text, "TRUE")
	}
	ground := m.style.Ground()
	if text := p["bgcolor"]; text != "" {
		digits, ok := strings.CutPrefix(strings.ToLower(text), "0x")
		v, err := strconv.ParseUint(digits, 16, 32)
		if !ok || err != nil || len(digits) != 6 {
			return makeException(codeValue, "bgcolor must be 0xRRGGBB")
		}
		ground = color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
	}
	if !clear {
		m.ground = &ground
	}
	return nil
}

// readLanguage reads the language of the words: English where none is asked for.
func (m *mapRequest) readLanguage(p params) error {
	if !oneOf(p["lang"], "", "en", "de") {
		return makeException(codeValue, "lang must be en or de")
	}
	m.german = oneOf(p["lang"], "de")
	return nil
}

// readLegend reads where the legend is drawn: nowhere unless both of its numbers are given.
func (m *mapRequest) readLegend(p params) error {
	given := 0
	for name, into := range map[string]*int{"legendx": &m.legendX, "legendy": &m.legendY} {
		if p[name] == "" {
			continue
		}
		v, err := strconv.Atoi(p[name])
		if err != nil || v < -farthest || v > farthest {
			return makeException(codeValue, "legendx and legendy must be whole numbers, in pixels")
		}
		*into = v
		given++
	}
	m.legend = given == 2
	return nil
}
