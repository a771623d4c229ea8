package chart

import (
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

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
	chart  atomic.Pointer[Chart]
	cuts   chan struct{}
	flight singleflight.Group

	mu   sync.Mutex
	kept *simplelru.LRU[tileKey, CutTile]
	held int // bytes, with perTile for each
}

type tileKey struct {
	z, x, y int
	seen    bool
}

// NewTiles returns the tiles of a chart; none is cut yet.
func NewTiles(c *Chart) *Tiles {
	t := &Tiles{cuts: make(chan struct{}, runtime.GOMAXPROCS(0))}
	t.chart.Store(c)
	t.kept, _ = simplelru.NewLRU(math.MaxInt, func(_ tileKey, tile CutTile) { t.held -= perTile + len(tile.Data) }) // fails for size 0 only
	return t
}

// Use cuts tiles of another chart from now on.
func (t *Tiles) Use(c *Chart) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.chart.Store(c)
	t.kept.Purge()
}

// Learned reports whether the chart has learned water, so that its tiles change while the program runs.
func (t *Tiles) Learned() bool { return t.chart.Load().water != nil }

// Attribution names the makers of the chart's data.
func (t *Tiles) Attribution() string { return t.chart.Load().Attribution() }

// Tile returns a kept tile, or cuts it. Errors are those of Chart.Tile.
func (t *Tiles) Tile(z, x, y int) (CutTile, error) { return t.tileOf(tileKey{z, x, y, true}) }

// TileWithoutSeen is Tile without the layer "seen", which tells where a single ship sailed.
func (t *Tiles) TileWithoutSeen(z, x, y int) (CutTile, error) {
	return t.tileOf(tileKey{z, x, y, z < learnedZoom || !t.Learned()}) // one tile for both, where there is nothing to leave out
}

func (t *Tiles) tileOf(key tileKey) (CutTile, error) {
	if tile, ok := t.find(key); ok {
		return tile, nil
	}
	tile, err, _ := t.flight.Do(fmt.Sprint(key), func() (any, error) {
		t.cuts <- struct{}{}
		defer func() { <-t.cuts }()
		return t.cutTile(key)
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

func (t *Tiles) cutTile(key tileKey) (CutTile, error) {
	if tile, ok := t.find(key); ok { // a caller before this one has just cut it
		return tile, nil
	}
	c := t.chart.Load()
	data, err := c.tile(key.z, key.x, key.y, key.seen)
	if err != nil {
		return CutTile{}, err
	}
	sum := fnv.New64a()
	sum.Write(data)
	tile := CutTile{Data: data, Tag: fmt.Sprintf(`"%x"`, sum.Sum64())}
	t.keepTile(c, key, tile)
	return tile, nil
}

// keepTile keeps a tile, unless another chart took the place of the one that it is of.
func (t *Tiles) keepTile(c *Chart, key tileKey, tile CutTile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c != t.chart.Load() {
		return
	}
	t.kept.Add(key, tile)
	t.held += perTile + len(tile.Data)
	for t.held > TileBytes {
		t.kept.RemoveOldest()
	}
}
