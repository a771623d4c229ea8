// The shared worker of all tabs of a browser: it holds the hub. Its name is the address of the live stream.
import { Hub, type Port } from "./hub";
import type { Asked } from "./messages";
import { addressOf, Stream } from "./stream";

const scope = globalThis as unknown as { name: string; onconnect: (event: MessageEvent) => void };
const hub = new Hub((query, lastID, listener) => new Stream(addressOf(scope.name, query), lastID, listener));

scope.onconnect = ({ ports: [channel] }) => {
  const port: Port = { post: (message) => channel.postMessage(message) };
  channel.onmessage = ({ data }: MessageEvent<Asked>) => hub.hear(port, data);
};
