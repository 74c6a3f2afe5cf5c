/** The HTTPS server, and the certificate that it uses. */
import type { RequestListener, Server } from 'node:http';
import type { ServerOptions } from 'node:https';

/** PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Tls extends TlsFiles {
  /** Asked at each connection: what the files hold since they changed; null while they are unchanged or unusable. */
  renewed(): TlsFiles | null;
}

/** HTTPS. node:https is loaded only when a certificate is configured. */
export function encryptedServer({ cert, key, renewed }: Tls, options: ServerOptions, handler: RequestListener): Server {
  const server = process.getBuiltinModule('node:https').createServer({ ...options, cert, key }, handler);
  return server.prependListener('connection', () => {
    const files = renewed();
    if (files !== null) server.setSecureContext(files);
  });
}
