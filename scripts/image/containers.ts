/**
 * buildah, podman and docker-compose with a store and networks of their own, which are removed at the end.
 *
 * docker-compose uses podman's service, which runs in a network namespace of its own: no port of this machine is
 * occupied and its firewall rules do not change.
 */
import { type ChildProcess, execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { StepFailed } from '../steps.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
/** Enough for npm's output, which lists every file of the package. */
const OUTPUT_BYTES_MAX = 67_108_864;
const HEALTHY_MS_MAX = 60_000;
const SERVICE_MS_MAX = 20_000;
/** The same as in compose.yaml. */
export const STOP_SECONDS_MAX = 15;

export interface Containers {
  readonly folder: string;
  buildah(...words: string[]): string;
  podman(...words: string[]): string;
  /** Like `podman`, but returns a failure instead of throwing it. */
  tried(...words: string[]): SpawnSyncReturns<string>;
  /** Runs `docker-compose` in the checkout; meanwhile runs the health checks of the container, as systemd would. */
  compose(container: string, ...words: string[]): Promise<void>;
  /** Runs a program of this machine where the ports of compose.yaml are published. */
  beside(...words: string[]): string;
}

export function createContainers(): Containers {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-image-'));
  const namespace = basename(folder);
  const network = ['nsenter', `--net=/run/netns/${namespace}`] as const;
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'overlay'];
  const runtime = ['--cgroup-manager', 'cgroupfs', '--runtime', join(ROOT, 'scripts/image/runc')];
  const words = [...store, ...runtime, '--network-config-dir', join(folder, 'networks')];
  const options = { cwd: ROOT, encoding: 'utf8', stdio: 'pipe', maxBuffer: OUTPUT_BYTES_MAX } as const;
  const run = (program: string, ...given: string[]) => execFileSync(program, given, options).trim();
  const tried = (...given: string[]) => spawnSync('podman', [...words, ...given], { encoding: 'utf8' });
  run('ip', 'netns', 'add', namespace);
  run(...network, 'ip', 'link', 'set', 'lo', 'up');
  const service = podmanService(folder, [...network, 'podman', ...words]);
  process.once('exit', () => {
    for (const name of ['container', 'pod', 'network', 'volume']) tried(name, 'rm', '--all', '--force');
    service.stop();
    spawnSync('umount', [join(folder, 'store/overlay')]);
    spawnSync('ip', ['netns', 'delete', namespace]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return {
    folder,
    buildah: (...given) => run('buildah', ...store, ...given),
    podman: (...given) => run('podman', ...words, ...given),
    tried,
    async compose(container, ...given) {
      const env = { ...process.env, DOCKER_HOST: await service.address() };
      const child = spawn('docker-compose', given, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] });
      const asking = setInterval(() => tried('healthcheck', 'run', container), 5_000);
      const [errors, code] = await Promise.all([text(child.stderr), exitOf(child)]);
      clearInterval(asking);
      if (code !== 0) throw new StepFailed(errors);
    },
    beside: (...given) => run(...network, ...given),
  };
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((ended, failed) => child.once('exit', ended).once('error', failed));
}

/** podman's service for docker-compose, started when its address is first requested. */
function podmanService(folder: string, [program = '', ...words]: readonly string[]) {
  const socket = join(folder, 'podman.sock');
  let child: ChildProcess | undefined;
  return {
    async address(): Promise<string> {
      const address = `unix://${socket}`;
      child ??= spawn(program, [...words, 'system', 'service', '--time', '0', address], { stdio: 'ignore' });
      const since = performance.now();
      while (!existsSync(socket)) {
        if (performance.now() - since > SERVICE_MS_MAX) throw new StepFailed('podman system service does not start');
        await sleep(100);
      }
      return address;
    },
    stop: () => child?.kill('SIGKILL'),
  };
}

/** Runs the image's own health check until it passes. */
export async function healthy({ tried, podman }: Containers, container: string): Promise<string> {
  const since = performance.now();
  while (tried('healthcheck', 'run', container).status !== 0) {
    if (performance.now() - since > HEALTHY_MS_MAX) throw new StepFailed(podman('logs', container));
    await sleep(250);
  }
  return `after ${((performance.now() - since) / 1_000).toFixed(1)} s`;
}
