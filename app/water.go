package app

import (
	"sync/atomic"

	"quaywatch/geo/chart/water"
	"quaywatch/geo/route"
)

// taught is the water that ships taught, for the network of sea ways, which is opened when a way is first looked for.
type taught struct {
	water   atomic.Pointer[water.Overlay]
	network atomic.Pointer[route.Network]
}

// learnWater takes the water of now.
func (t *taught) learnWater(o *water.Overlay) {
	t.water.Store(o)
	if n := t.network.Load(); n != nil {
		n.Learn(o)
	}
}

// opened takes the network. Water that is learned meanwhile is not missed.
func (t *taught) opened(n *route.Network) {
	t.network.Store(n)
	for o := t.water.Load(); ; o = t.water.Load() {
		n.Learn(o)
		if t.water.Load() == o {
			return
		}
	}
}
