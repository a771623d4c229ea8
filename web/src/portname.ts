import type { CallPort } from "./contract";

/** portText names a port by what is known of it. */
export function portText(port: CallPort): string;
export function portText(port: CallPort | undefined): string | undefined;
export function portText(port: CallPort | undefined): string | undefined {
  return port && (port.name || port.locode || String(port.id));
}
