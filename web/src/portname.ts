/** PortName is how the server names a port; of a port that the user may not know it gives the number alone. */
export interface PortName {
  id: number;
  locode?: string;
  name?: string;
}

/** portText names a port by what is known of it. */
export function portText(port: PortName): string;
export function portText(port: PortName | undefined): string | undefined;
export function portText(port: PortName | undefined): string | undefined {
  return port && (port.name || port.locode || String(port.id));
}
