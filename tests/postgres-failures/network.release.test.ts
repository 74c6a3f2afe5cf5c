/** The network between a daemon's log and its database breaks in both directions, breaks in one, or becomes slow. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { IS_LONG } from '../support/depth.ts';
import { memoryFolder } from '../support/folders.ts';
import { type Cluster, POSTGRES_PROGRAMS, startCluster } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { type Fault, Namespace, NO_NAMESPACES } from './namespace.ts';
import type { Slowness } from './slow-proxy.ts';
import { expectWhole } from './support.ts';

const SETTINGS = 'connect_timeout_ms=500&statement_timeout_ms=500&lock_timeout_ms=500&patience_ms=1000&poll_ms=100';
const WRITERS = 4;
/** A cut is longer than every time limit of the connection. */
const CUT_MS = IS_LONG ? 20_000 : 3_500;
const SLOW_MS = IS_LONG ? 20_000 : 2_000;
const DELAY_MS = 200;
/** A connection takes some journeys there and back. */
const SLOW_SETTINGS =
  'connect_timeout_ms=5000&statement_timeout_ms=3000&lock_timeout_ms=3000&patience_ms=5000&poll_ms=500';
const TIMEOUT_MS = 120_000;

const why = POSTGRES_PROGRAMS === null ? 'PostgreSQL is not installed' : NO_NAMESPACES;

describe.skipIf(why !== null)(`the network between log and database${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let cluster: Cluster;
  let network: Namespace;
  beforeAll(async () => {
    network = new Namespace();
    cluster = await startCluster({ listen_addresses: `127.0.0.1,${network.outside}` });
    appendFileSync(join(cluster.folder, 'data', 'pg_hba.conf'), `host all all ${network.outside}/30 trust\n`);
    await cluster.query('SELECT pg_reload_conf()');
  }, TIMEOUT_MS);
  afterAll(async () => {
    await cluster?.remove();
    network?.remove();
  }, TIMEOUT_MS);

  const faults: readonly Fault[] = ['in both directions', 'to the database', 'from the database'];
  test.each(faults)(
    'breaks %s: no acknowledged event is lost or doubled, and writers go on when it is mended',
    async (fault) => {
      const { writer, url } = await writerInside();
      await writer.reaches(50);
      network.cut(fault);
      await pause(CUT_MS);
      const during = writer.acknowledged.size;
      await pause(300);
      expect(writer.acknowledged.size).toBe(during);
      network.mend();
      await writer.reaches(50);
      await endsWhole({ writer, url });
    },
    TIMEOUT_MS,
  );

  const slow: readonly [string, Slowness][] = [
    ['both directions', { toMs: DELAY_MS, fromMs: DELAY_MS, loss: 0 }],
    ['one direction', { toMs: DELAY_MS, fromMs: 0, loss: 0 }],
    ['both directions, and connections break off', { toMs: DELAY_MS, fromMs: DELAY_MS, loss: 0.02 }],
  ];
  test.each(slow)(
    'is slow in %s: writers are answered more slowly, and each event is there once',
    async (_, slowness) => {
      const line = await SlowLine.lay(network, cluster.port);
      const { writer, url } = await writerInside({ settings: SLOW_SETTINGS, by: `127.0.0.1:${line.port}` });
      await writer.reaches(50);
      line.become(slowness);
      await pause(SLOW_MS);
      await writer.reaches(1);
      line.become({ toMs: 0, fromMs: 0, loss: 0 });
      await writer.reaches(50);
      await endsWhole({ writer, url });
    },
    TIMEOUT_MS,
  );

  test(
    'is narrow: writers are answered more slowly, and each event is there once',
    async () => {
      const { writer, url } = await writerInside();
      await writer.reaches(50);
      network.narrow();
      await pause(SLOW_MS);
      await writer.reaches(1);
      network.mend();
      await writer.reaches(50);
      await endsWhole({ writer, url });
    },
    TIMEOUT_MS,
  );

  /** Writers inside, on a whole network; when the test ends they are gone. */
  async function writerInside({ settings = SETTINGS, by = `${network.outside}:${cluster.port}` } = {}) {
    const url = await cluster.newLog(settings);
    const writer = new InsideWriter(network, url.replace(`127.0.0.1:${cluster.port}`, by));
    onTestFinished(() => {
      writer.kill();
      network.mend();
    });
    return { url, writer };
  }

  /** Ends the writer. The log has each event that it acknowledged once, and no other. */
  async function endsWhole({ url, writer }: { readonly url: string; readonly writer: InsideWriter }): Promise<void> {
    await writer.stop();
    expect(await expectWhole(url, writer.acknowledged)).toHaveLength(writer.acknowledged.size);
  }
});

/** A proxy inside that holds what passes. */
class SlowLine {
  readonly port: string;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;

  private constructor(process: ChildProcessByStdio<Writable, Readable, null>, port: string) {
    this.#process = process;
    this.port = port;
  }

  /** It is gone when the test ends. */
  static async lay({ prefix, outside }: Namespace, port: number): Promise<SlowLine> {
    const [program, ...words] = prefix;
    const file = join(import.meta.dirname, 'slow-proxy.ts');
    const child = spawn(program!, [...words, process.execPath, file, outside, String(port)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [first] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    return new SlowLine(child, first.trim());
  }

  become(slowness: Slowness): void {
    this.#process.stdin.write(`${JSON.stringify(slowness)}\n`);
  }
}

class InsideWriter {
  readonly acknowledged = new Map<string, number>();
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor({ prefix }: Namespace, url: string) {
    const [program, ...words] = prefix;
    const file = join(import.meta.dirname, 'writer.ts');
    const child = spawn(program!, [...words, process.execPath, file, url, memoryFolder('copy'), String(WRITERS)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#process = child;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const [id, position] = line.split(' ');
        this.acknowledged.set(id!, Number(position));
      }
    });
  }

  async reaches(more: number): Promise<void> {
    const goal = this.acknowledged.size + more;
    await until(() => this.acknowledged.size >= goal, `${more} more events are acknowledged`);
  }

  /** Resolves when all that was begun is acknowledged. */
  async stop(): Promise<void> {
    this.#process.stdin?.end('stop\n');
    expect(await this.#ended).toBe(0);
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
