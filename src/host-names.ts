/** Parses host names as clients send them, and recognises the names of this machine. */
import { isIP } from 'node:net';

/** The name of `name[:port]` or `[v6][:port]`, lower case, without a trailing dot; empty for anything else. */
export function hostName(host: string): string {
  return /^(\[[^\]]*\]|[^:@[\]]*?)\.?(?::\d*)?$/.exec(host.trim().toLowerCase())?.[1] ?? '';
}

export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** Whether a request with this `Host` header is meant for this machine. Browsers always send the header. */
export function isLocalHost(host: string | undefined): boolean {
  return host === undefined || isLoopbackName(hostName(host));
}

export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || isLoopbackName(address.replace(/^::ffff:/, ''));
}

/** Those of the machine's addresses at which other machines reach a server that listens on `bound`. */
export function reachableAddresses(bound: string, addresses: readonly string[]): readonly string[] {
  if (isLoopbackAddress(bound)) return [];
  const isEveryAddress = bound === '0.0.0.0' || bound === '::' || isIP(bound) === 0;
  return isEveryAddress ? addresses : addresses.filter((address) => address === bound);
}
