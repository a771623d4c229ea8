// Quaywatch is a vessel-traffic monitor in one binary. It decodes what an AIS receiver hears, keeps every ship and its history, and serves browsers and
// programs on the network.
package main

import "quaywatch/app/command"

func main() { command.Main() }
