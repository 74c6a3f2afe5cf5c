/** Host names as clients send them: parsing, and which of them mean this machine. */

/** The name of `name[:port]` or `[v6][:port]`, lower case, without a trailing dot; empty for anything else. */
export function hostName(host: string): string {
  return /^(\[[^\]]*\]|[^:@[\]]*?)\.?(?::\d*)?$/.exec(host.trim().toLowerCase())?.[1] ?? '';
}

export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** Whether a local interface may answer to this Host header. Browsers always send one. */
export function isLocalHost(host: string | undefined): boolean {
  return host === undefined || isLoopbackName(hostName(host));
}

export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || isLoopbackName(address.replace(/^::ffff:/, ''));
}
