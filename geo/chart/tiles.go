package chart

import (
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"
)

// TileBytes is the most that kept tiles hold in memory. All 7,500 tiles of the zoom levels up to 6 take 4 MB.
const TileBytes = 32 << 20

// perTile is what a kept tile costs beside its bytes: the key, the tag and the list that the cache keeps.
const perTile = 256

// CutTile is a tile as Tile gives it, with the tag that changes when its bytes change.
type CutTile struct {
	Data []byte // gzip; nil without land; read only, since others read it too
	Tag  string // an ETag of RFC 9110, quotes included
}

// Tiles cuts each tile of a chart once and keeps those that were asked for last. It may be used by any number of goroutines. A cut takes
// up to 80 ms and some megabytes. So only as many tiles are cut at once as there are cores, however many callers ask.
type Tiles struct {
	chart  *Chart
	cuts   chan struct{}
	flight singleflight.Group

	mu   sync.Mutex
	kept *simplelru.LRU[tileKey, CutTile]
	held int // bytes, with perTile for each
}

type tileKey struct{ z, x, y int }

// NewTiles gives the tiles of a chart; none is cut yet.
func NewTiles(c *Chart) *Tiles {
	t := &Tiles{chart: c, cuts: make(chan struct{}, runtime.GOMAXPROCS(0))}
	t.kept, _ = simplelru.NewLRU(math.MaxInt, func(_ tileKey, tile CutTile) { t.held -= perTile + len(tile.Data) }) // fails for size 0 only
	return t
}

// Attribution names the makers of the chart's data.
func (t *Tiles) Attribution() string { return t.chart.Attribution() }

// Tile gives a kept tile, or cuts it. Errors are those of Chart.Tile.
func (t *Tiles) Tile(z, x, y int) (CutTile, error) {
	key := tileKey{z, x, y}
	if tile, ok := t.find(key); ok {
		return tile, nil
	}
	tile, err, _ := t.flight.Do(fmt.Sprint(key), func() (any, error) {
		t.cuts <- struct{}{}
		defer func() { <-t.cuts }()
		return t.cut(key)
	})
	if err != nil {
		return CutTile{}, err
	}
	return tile.(CutTile), nil
}

func (t *Tiles) find(key tileKey) (CutTile, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept.Get(key)
}

func (t *Tiles) cut(key tileKey) (CutTile, error) {
	if tile, ok := t.find(key); ok { // a caller before this one has just cut it
		return tile, nil
	}
	data, err := t.chart.Tile(key.z, key.x, key.y)
	if err != nil {
		return CutTile{}, err
	}
	sum := fnv.New64a()
	sum.Write(data)
	tile := CutTile{Data: data, Tag: fmt.Sprintf(`"%x"`, sum.Sum64())}
	t.keep(key, tile)
	return tile, nil
}

func (t *Tiles) keep(key tileKey, tile CutTile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept.Add(key, tile)
	t.held += perTile + len(tile.Data)
	for t.held > TileBytes {
		t.kept.RemoveOldest()
	}
}
