package statistics

import "errors"

// densityText is a record.
type densityText struct {
	Ship struct {
		MMSI int32 `json:"mmsi"`
	} `json:"ship"`
	EPSG  int      `json:"epsg"`
	Size  int64    `json:"cell"`
	Cells cellList `json:"cells"`
}

// cellList is the cells of a record: five numbers each, in thousandths.
type cellList [][5]int64

// errCells says that the cells of a record are not those that were kept.
var errCells = errors.New("the cells of a record cannot be read")

// UnmarshalJSON reads plain decimals with up to three places, as they are written. It is some times faster than reading any JSON.
func (l *cellList) UnmarshalJSON(text []byte) error {
	var cell [5]int64
	count := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '-' || c >= '0' && c <= '9':
			v, n := thousandths(text[i:])
			if n == 0 || count == len(cell) {
				return errCells
			}
			cell[count] = v
			count++
			i += n
			continue
		case c == ']' && count > 0:
			if count != len(cell) {
				return errCells
			}
			*l, count = append(*l, cell), 0
		}
		i++
	}
	return nil
}

// thousandths reads a number, and returns how many bytes it takes; 0 where it is no plain one.
func thousandths(text []byte) (v int64, n int) {
	negative := text[0] == '-'
	if negative {
		n++
	}
	places := -1
	for ; n < len(text); n++ {
		switch c := text[n]; {
		case c == '.' && places < 0:
			places = 0
			continue
		case c < '0' || c > '9':
			if c == 'e' || c == 'E' {
				return 0, 0
			}
		default:
			if places < 3 {
				v = v*10 + int64(c-'0')
			}
			if places >= 0 {
				places++
			}
			continue
		}
		break
	}
	for places = max(0, places); places < 3; places++ {
		v *= 10
	}
	if negative {
		v = -v
	}
	return v, n
}
