/**
 * `npm run check:image`: builds the Dockerfile without a daemon (buildah, in a chroot), runs the image with a read-only
 * root file system and no capabilities (podman and runc), and checks the user, the volume, the health check and
 * SIGTERM. Then it starts compose.yaml (image/compose.ts). The base image is made here (image/base.ts). Needs root and
 * Debian's packages:
 *
 *     apt-get install --no-install-recommends buildah podman runc debootstrap docker-compose iproute2 iptables \
 *       containernetworking-plugins golang-github-containernetworking-plugin-dnsname dnsmasq-base
 *
 * It downloads packages of Debian and npm from their registries, and nothing else.
 */
import { spawnSync } from 'node:child_process';
import { baseName, makeBase } from './image/base.ts';
import { checkCompose } from './image/compose.ts';
import { createContainers, healthy, STOP_SECONDS_MAX } from './image/containers.ts';
import { optionsOf } from './options.ts';
import { StepFailed, step } from './steps.ts';

const PROGRAMS = ['buildah', 'podman', 'runc', 'debootstrap', 'docker-compose', 'ip', 'nsenter'];
const IMAGE = 'localhost/daybook:check';
const VOLUME = 'daybook-check';

optionsOf({});
await step('programs', () => {
  const missing = PROGRAMS.filter((program) => spawnSync(program, ['--version']).error !== undefined);
  if (missing.length > 0) throw new StepFailed(`not installed: ${missing.join(', ')}`);
  if (process.getuid?.() !== 0) throw new StepFailed('building in a chroot needs root');
  return undefined;
});
const containers = createContainers();
const { buildah, podman, tried } = containers;
await step(`base image ${baseName()}`, () => {
  makeBase(buildah, containers.folder);
  return undefined;
});
await step('build', () => {
  const words = ['--format', 'docker', '--isolation', 'chroot', '--pull-never', '--quiet', '--tag', IMAGE, '.'];
  buildah('build', ...words);
  const [size] = JSON.parse(podman('image', 'inspect', '--format', '[{{.Size}}]', IMAGE)) as [number];
  return `${Math.round(size / 1_048_576)} MiB`;
});

const first = started();
await step('healthy by its own health check', () => healthy(containers, first));
await step('runs as a user that is not root, without capabilities', () => {
  const uid = inside(first, 'id', '--user');
  const capabilities = inside(first, 'sh', '-c', 'grep CapEff /proc/1/status');
  if (uid === '0' || !/\t0+$/.test(capabilities)) throw new StepFailed(`user ${uid}, ${capabilities}`);
  return `user ${uid}`;
});
await step('writes to its volume and /tmp, and nowhere else', () => {
  inside(first, 'touch', '/data/kept', '/tmp/scratch');
  for (const place of ['/opt/daybook/x', '/usr/x', '/etc/x']) {
    if (tried('exec', first, 'touch', place).status === 0) throw new StepFailed(`${place} was written`);
  }
  return inside(first, 'ls', '/data');
});
const token = inside(first, 'cat', '/data/daybook/daemon.token');
await step('answers with the token of its volume', () => {
  const call = `fetch('http://127.0.0.1:7878/api/tasks', { method: 'POST', body: '{"title":"kept"}',
    headers: { authorization: 'Bearer ${token}', 'content-type': 'application/json' } }).then((a) => console.log(a.status))`;
  return is(inside(first, 'node', '--eval', call), '200');
});
await step('SIGTERM ends it with code 0', () => ended(first));

const second = started();
await step('a second container has the data of the first one', async () => {
  await healthy(containers, second);
  const call = `fetch('http://127.0.0.1:7878/api/tasks', { headers: { authorization: 'Bearer ' +
    require('node:fs').readFileSync('/data/daybook/daemon.token', 'utf8').trim() } })
    .then((a) => a.json()).then((tasks) => console.log(tasks.map((task) => task.title).join()))`;
  return is(inside(second, 'node', '--eval', call), 'kept');
});
await step('ends again', () => ended(second));

await checkCompose(containers, IMAGE);

/** Starts a container as docs/operations.md describes, without a network. */
function started(): string {
  const hardened = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
  return podman('run', '--detach', '--network', 'none', ...hardened, '--volume', `${VOLUME}:/data`, IMAGE);
}

function inside(container: string, ...words: string[]): string {
  return podman('exec', container, ...words);
}

function ended(container: string): string {
  const since = performance.now();
  podman('stop', '--time', String(STOP_SECONDS_MAX), container);
  is(podman('inspect', '--format', '{{.State.ExitCode}}', container), '0');
  return `in ${((performance.now() - since) / 1_000).toFixed(1)} s`;
}

function is(found: string, expected: string): string {
  if (found !== expected) throw new StepFailed(`found ${found}, not ${expected}`);
  return found;
}
