/** The network between a daemon's log and its database breaks: in both directions, in one, or becomes slow. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { memoryFolder } from '../support/folders.ts';
import { type Cluster, POSTGRES_PROGRAMS, startCluster } from '../support/postgres.ts';
import { type Fault, Namespace, NO_NAMESPACES } from './namespace.ts';
import { expectWhole, IS_LONG, until } from './support.ts';

const SETTINGS = 'connect_timeout_ms=500&statement_timeout_ms=500&lock_timeout_ms=500&patience_ms=1000&poll_ms=100';
const WRITERS = 4;
/** A cut is longer than every time limit of the connection. */
const CUT_MS = IS_LONG ? 20_000 : 3_500;
const SLOW_MS = IS_LONG ? 20_000 : 2_000;
const DELAY_MS = 60;
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
      await writer.stop();
      const events = await expectWhole(url, writer.acknowledged);
      expect(events).toHaveLength(writer.acknowledged.size);
    },
    TIMEOUT_MS,
  );

  test(
    'is slow and loses packets, or is narrow: writers are answered more slowly, and each event is there once',
    async () => {
      const { writer, url } = await writerInside();
      await writer.reaches(50);
      network.slow(DELAY_MS);
      await pause(SLOW_MS);
      await writer.reaches(1);
      network.mend();
      await writer.reaches(50);
      await writer.stop();
      const events = await expectWhole(url, writer.acknowledged);
      expect(events).toHaveLength(writer.acknowledged.size);
    },
    TIMEOUT_MS,
  );

  /** Writers inside, on a whole network; when the test ends they are gone. */
  async function writerInside() {
    const url = await cluster.newLog(SETTINGS);
    const writer = new InsideWriter(network, url.replace('127.0.0.1', network.outside));
    onTestFinished(() => {
      writer.kill();
      network.mend();
    });
    return { url, writer };
  }
});

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
