/**
 * Makes the base image of the Dockerfile: the Debian release that its tag names, by debootstrap, with the Node of the
 * checkout, the npm that runs this, and the certificates that this machine trusts. For machines that reach Debian's
 * packages but no image registry.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const MIRROR = 'http://deb.debian.org/debian';

/** For example `node:24.21.0-bookworm-slim`. */
export function baseName(): string {
  return /^FROM (\S+)/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))![1]!;
}

/** Makes the image with the given `buildah`, in `folder`. */
export function makeBase(buildah: (...words: string[]) => string, folder: string): void {
  const name = baseName();
  const [, version, release] = /:(\d+\.\d+\.\d+)-(\w+)-slim$/.exec(name)!;
  if (version !== process.versions.node) throw new Error(`This is Node ${process.versions.node}, not that of ${name}.`);
  const root = join(folder, 'debian');
  execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', release!, root, MIRROR], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  addNode(root);
  cpSync(CERTIFICATES, join(root, CERTIFICATES));
  const container = buildah('from', 'scratch');
  buildah('copy', '--quiet', container, root, '/');
  buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container);
  buildah('commit', '--quiet', '--rm', container, `docker.io/library/${name}`);
  rmSync(root, { recursive: true });
}

function addNode(root: string): void {
  const [bin, modules] = [join(root, 'usr/local/bin'), join(root, 'usr/local/lib/node_modules')];
  mkdirSync(modules, { recursive: true });
  cpSync(process.execPath, join(bin, 'node'));
  cpSync(npmFolder(), join(modules, 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm'));
}

/** The folder of the npm in PATH. */
function npmFolder(): string {
  const root = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim();
  const folders = [join(root, 'npm'), resolve(dirname(process.env.npm_execpath ?? '/'), '..')];
  const found = folders.find((folder) => existsSync(join(folder, 'bin/npm-cli.js')));
  if (found === undefined) throw new Error('The package of npm was not found.');
  return found;
}
