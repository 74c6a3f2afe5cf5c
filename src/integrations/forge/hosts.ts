/**
 * The hosts that a signed delivery may name: those of `forge_hosts`.
 *
 * - An entry without a port allows every port of its host.
 * - A listed name is allowed, but its address must be public or listed itself: a listed name that resolves to this
 *   machine or its network is refused. `localhost` may resolve to loopback.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { ForgeError } from '../../ports/forge.ts';

export interface ForgeHosts {
  /** Parses the URL. Throws `ForgeError` when it is not allowed. */
  admit(text: string, base?: URL): URL;
  /** The address to connect to. Throws `ForgeError` when any address of the host is forbidden. */
  resolve(url: URL): Promise<{ readonly address: string; readonly family: 4 | 6 }>;
}

export type Resolver = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export function createForgeHosts(entries: readonly string[], resolver: Resolver = system): ForgeHosts {
  const listed = entries.map(entryOf);
  const isListed = (name: string, port: string): boolean =>
    listed.some((entry) => entry.name === name && (entry.port === null || entry.port === port));

  return {
    admit(text, base) {
      const url = parsed(text, base);
      if (url.protocol !== 'https:' && url.protocol !== 'http:')
        throw new ForgeError('Only http and https URLs are fetched.');
      if (url.username !== '' || url.password !== '')
        throw new ForgeError('A URL with a user or a password is not fetched.');
      if (isListed(url.hostname, portOf(url))) return url;
      throw new ForgeError(
        `The host ${shown(url)} is not in forge_hosts (DAYBOOK_FORGE_HOSTS); nothing was fetched from it.`,
      );
    },
    async resolve(url) {
      const name = url.hostname.replace(/^\[|\]$/g, '');
      const addresses = isIP(name) === 0 ? await lookedUp(resolver, name) : [{ address: name, family: isIP(name) }];
      for (const { address, family } of addresses) {
        const literal = family === 6 ? `[${address}]` : address;
        const own = url.hostname === 'localhost' && isLoopback(address);
        if (own || isPublic(address) || isListed(literal, portOf(url))) continue;
        throw new ForgeError(
          `The host ${shown(url)} has an address that is not public and not in forge_hosts; nothing was fetched.`,
        );
      }
      const first = addresses[0];
      if (first === undefined) throw new ForgeError(`The host ${shown(url)} has no address.`);
      return { address: first.address, family: first.family === 6 ? 6 : 4 };
    },
  };
}

/** A host for messages: letters, digits, hyphen, underscore and dot, and its port. */
export function shown(url: URL): string {
  const name = url.hostname.startsWith('[')
    ? 'with that IPv6 address'
    : url.hostname.replace(/[^\w.-]/g, '').slice(0, 200);
  return url.port === '' ? name : `${name} port ${url.port}`;
}

export function portOf(url: URL): string {
  return url.port !== '' ? url.port : url.protocol === 'https:' ? '443' : '80';
}

function entryOf(entry: string): { readonly name: string; readonly port: string | null } {
  const port = /:(\d+)$/.exec(entry)?.[1] ?? null;
  const name = port === null ? entry : entry.slice(0, -port.length - 1);
  // Normalised as in URLs: lower case, canonical addresses.
  return {
    name: URL.parse(`http://${name}/`)?.hostname ?? name.toLowerCase(),
    port: port === null ? null : String(Number(port)),
  };
}

function parsed(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw new ForgeError('The URL of the diff or of the clone cannot be read.');
  return url;
}

const system: Resolver = (name) => lookup(name, { all: true });

async function lookedUp(resolver: Resolver, name: string): ReturnType<Resolver> {
  try {
    return await resolver(name);
  } catch (error) {
    throw new ForgeError(
      `The host ${name} cannot be looked up: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`,
    );
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^127\./.test(address) || /^::ffff:127\./i.test(address);
}

function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !NOT_PUBLIC.check(address, 'ipv4');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return isPublic(mapped);
  return GLOBAL_UNICAST.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6');
}

const GLOBAL_UNICAST = new BlockList();
GLOBAL_UNICAST.addSubnet('2000::', 3, 'ipv6');

/** Addresses of this machine and its network, and reserved ones. */
const NOT_PUBLIC = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv4');
}
// Tunnels to IPv4 addresses, and documentation.
NOT_PUBLIC.addSubnet('2001::', 32, 'ipv6');
NOT_PUBLIC.addSubnet('2001:db8::', 32, 'ipv6');
NOT_PUBLIC.addSubnet('2002::', 16, 'ipv6');
