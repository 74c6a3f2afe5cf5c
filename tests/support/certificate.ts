/** A self-signed TLS certificate, made by openssl. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from './folders.ts';

/** The environment of a daemon that uses the certificate. */
export function selfSigned(names = 'IP:127.0.0.1,DNS:localhost') {
  const folder = temporaryFolder('tls');
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=daybook', '-addext', `subjectAltName=${names}`];
  const files = ['-keyout', key, '-out', cert, '-days', '2', '-nodes'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...files, ...subject], { stdio: 'ignore' });
  return { DAYBOOK_TLS_CERT: cert, DAYBOOK_TLS_KEY: key };
}
