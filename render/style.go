package render

import (
	"image/color"
	"slices"
)

// Style is how the classes look.
type Style struct {
	name   string
	paper  color.RGBA
	ink    color.RGBA
	colors [classes]color.RGBA
}

// Name returns the name of the style.
func (s *Style) Name() string { return s.name }

// Styles are those of the day, the dusk and the night, the usual one first. At night nothing is bright. Ships have the colours of the client.
func Styles() []Style {
	return []Style{
		{"day", gray(255), gray(26), [classes]color.RGBA{Asked: rgb(0x0b5fa5), First: rgb(0x0a6b36), Second: rgb(0xc23616), Third: rgb(0x5f2f9c), Fourth: rgb(0x9a6a00),
			Fifth: rgb(0x006d78), Sixth: rgb(0x9c1f6e),
			Land: rgb(0xefe8d4), Cargo: rgb(0x1f7a3a), Tanker: rgb(0xb3261e), Passenger: rgb(0x1a56b0), Service: rgb(0x00717a), Fishing: rgb(0xa3480f),
			Leisure: rgb(0x93218f), Authority: rgb(0x3a3f9e), Other: rgb(0x56636b)}},
		{"dusk", rgb(0x1c2831), rgb(0xdde3e6), [classes]color.RGBA{Asked: rgb(0x6fb3e8), First: rgb(0x63c98c), Second: rgb(0xff8a6b), Third: rgb(0xb79cf0), Fourth: rgb(0xe3bd5a),
			Fifth: rgb(0x58c6d1), Sixth: rgb(0xe889bf),
			Land: rgb(0x383a2e), Cargo: rgb(0x6fbf7f), Tanker: rgb(0xf0857a), Passenger: rgb(0x7fb4f2), Service: rgb(0x5cc4cc), Fishing: rgb(0xe89a5e),
			Leisure: rgb(0xd98ad8), Authority: rgb(0xaaa8f0), Other: rgb(0xa5b2ba)}},
		{"night", rgb(0x0d0605), rgb(0xb5533a), [classes]color.RGBA{Asked: rgb(0x7d4a3c), First: rgb(0x9c6a2c), Second: rgb(0xb03524), Third: rgb(0x84405a), Fourth: rgb(0xa88a3a),
			Fifth: rgb(0x6f6350), Sixth: rgb(0x9a4478),
			Land: rgb(0x262116), Cargo: rgb(0x4f8f5c), Tanker: rgb(0xbb5f56), Passenger: rgb(0x5580b5), Service: rgb(0x3d8b92), Fishing: rgb(0xab6c3c),
			Leisure: rgb(0xa05f9f), Authority: rgb(0x7b79b5), Other: rgb(0x78828a)}},
	}
}

// StyleOf returns a style by its name; "" is the usual one, and false is none.
func StyleOf(name string) (Style, bool) {
	all := Styles()
	if name == "" {
		return all[0], true
	}
	i := slices.IndexFunc(all, func(s Style) bool { return s.name == name })
	if i < 0 {
		return Style{}, false
	}
	return all[i], true
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

func gray(v uint8) color.RGBA { return color.RGBA{v, v, v, 255} }

// palette returns the colour and the opacity of each index. With a ground all are opaque, on it.
func (s *Style) palette(ground *color.RGBA) [1 + int(classes)*levels]color.NRGBA {
	var all [1 + int(classes)*levels]color.NRGBA
	for c := range classes {
		for level := 1; level <= levels; level++ {
			share := float64(level) / levels
			shade := color.NRGBA{s.colors[c].R, s.colors[c].G, s.colors[c].B, uint8(share*255 + 0.5)}
			switch {
			case c == Paper: // a text: from the ground of it to the ink
				shade = mixColours(s.paper, s.ink, float64(level-1)/(levels-1))
			case c == Land:
				shade = mixColours(s.paper, s.colors[c], 1)
			case ground != nil:
				shade = mixColours(*ground, s.colors[c], share)
			}
			all[colourIndex(c, level)] = shade
		}
	}
	if ground != nil {
		all[0] = mixColours(*ground, *ground, 1)
	}
	return all
}

// mixColours returns a share of one colour on another.
func mixColours(ground, of color.RGBA, share float64) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-share) + float64(b)*share + 0.5) }
	return color.NRGBA{mix(ground.R, of.R), mix(ground.G, of.G), mix(ground.B, of.B), 255}
}

// Ground returns what lies behind a picture that is not transparent: white by day, as the standard says, and dark else.
func (s *Style) Ground() color.RGBA { return s.paper }
