/**
 * Observers of one SSE stream, as a separate process: `observers` raw sockets that count messages, and writers that
 * cause them by POST. With `ratePerSecond` it measures delivery times, without it the maximum throughput. Prints one
 * line of JSON.
 *
 * A message is timed from just before its POST is written until an observer has received its last byte, which includes
 * the durable commit, the fold and the fan-out.
 */
import { connect, type Socket } from 'node:net';

export interface ObserverPlan {
  readonly port: number;
  readonly observers: number;
  /** How many of the observers read nothing; default: none. */
  readonly stalled?: number;
  readonly streamPath: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly post: { readonly path: string; readonly body: string };
  readonly writers: number;
  readonly warmupMs: number;
  readonly durationMs: number;
  /** Total posts per second; default: as fast as answers come. */
  readonly ratePerSecond?: number;
}

export interface ObserverResult {
  readonly messages: number;
  readonly deliveries: number;
  readonly seconds: number;
  readonly deliveriesPerSecond: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly messageBytes: number;
  /** Of all observers together, since the first one began to connect. */
  readonly bytesPerSecond: number;
  /** Answered POSTs. */
  readonly writesPerSecond: number;
  /** Observers that the server disconnected. */
  readonly lost: number;
}

const MARK = Buffer.from('\n\n');

interface Shared {
  counting: boolean;
  deliveries: number;
  bytes: number;
  writes: number;
  lost: number;
  ended: boolean;
  /** When the n-th message was posted, for the timed plan. */
  readonly posted: number[];
  readonly latencies: number[];
}

async function main(): Promise<void> {
  const plan = JSON.parse(process.argv[2] ?? '') as ObserverPlan;
  const shared: Shared = {
    counting: false,
    deliveries: 0,
    bytes: 0,
    writes: 0,
    lost: 0,
    ended: false,
    posted: [],
    latencies: [],
  };
  const timed = plan.ratePerSecond !== undefined;
  const sockets: Socket[] = [];
  const connecting = performance.now();
  for (let n = 0; n < plan.observers; n += 1) sockets.push(await observe(plan, shared, timed));
  for (const socket of sockets.slice(0, plan.stalled ?? 0)) socket.pause();
  const writers = await Promise.all(Array.from({ length: plan.writers }, () => openWriter(plan)));
  const write = (writer: Writer): Promise<void> => (timed ? writeTimed(writer, plan, shared) : writeOn(writer, shared));
  const writing = Promise.all(writers.map(write));
  await pause(plan.warmupMs);
  const { deliveries: earlier, writes } = shared;
  const begun = performance.now();
  shared.counting = true;
  await pause(plan.durationMs);
  shared.counting = false;
  const seconds = (performance.now() - begun) / 1000;
  const deliveries = shared.deliveries - earlier;
  const bytesPerSecond = shared.bytes / ((performance.now() - connecting) / 1000);
  const writesPerSecond = (shared.writes - writes) / seconds;
  shared.ended = true;
  await writing;
  const sorted = Float64Array.from(shared.latencies).sort();
  const at = (part: number): number | null =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;
  const result: ObserverResult = {
    messages: Math.round(deliveries / plan.observers),
    deliveries,
    seconds,
    deliveriesPerSecond: deliveries / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    messageBytes: shared.deliveries === 0 ? 0 : Math.round(shared.bytes / shared.deliveries),
    ...{ bytesPerSecond, writesPerSecond },
    lost: shared.lost,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exit(0);
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

/** Resolves when the response head has been received; from then on every blank line ends a message. */
function observe(plan: ObserverPlan, shared: Shared, timed: boolean): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: plan.port, host: '127.0.0.1' });
    let seen = 0;
    let open = false;
    let endedWithBreak = false;
    socket.on('error', reject);
    socket.on('close', () => {
      if (!shared.ended) shared.lost += 1;
    });
    socket.on('data', (chunk: Buffer) => {
      if (!open) {
        open = true;
        if (!chunk.toString('latin1', 0, 12).endsWith('200')) reject(new Error(chunk.toString()));
        resolve(socket);
        return;
      }
      shared.bytes += chunk.length;
      let found = endedWithBreak && chunk[0] === 10 ? 1 : 0;
      for (let at = chunk.indexOf(MARK, found); at >= 0; at = chunk.indexOf(MARK, at + 2)) found += 1;
      endedWithBreak = chunk[chunk.length - 1] === 10 && chunk[chunk.length - 2] !== 10;
      shared.deliveries += found;
      if (timed && shared.counting) {
        const now = performance.now();
        for (let n = seen; n < seen + found; n += 1) shared.latencies.push(now - (shared.posted[n] ?? now));
      }
      seen += found;
    });
    socket.write(`GET ${plan.streamPath} HTTP/1.1\r\nhost: localhost\r\n${headerLines(plan.headers)}\r\n`);
  });
}

interface Writer {
  /** Resolves when the answer has been received. */
  post(): Promise<void>;
  close(): void;
}

function openWriter(plan: ObserverPlan): Promise<Writer> {
  const { path, body } = plan.post;
  const request = Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headerLines(plan.headers)}content-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return new Promise((resolve, reject) => {
    let answered: (() => void) | null = null;
    const socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true }, () =>
      resolve({
        post: () =>
          new Promise<void>((done) => {
            answered = done;
            socket.write(request);
          }),
        close: () => socket.destroy(),
      }),
    );
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      if (!chunk.toString('latin1', 0, 12).endsWith('200')) throw new Error(chunk.toString());
      answered?.();
    });
  });
}

async function writeOn(writer: Writer, shared: Shared): Promise<void> {
  while (!shared.ended) {
    await writer.post();
    shared.writes += 1;
  }
  writer.close();
}

/**
 * Gives each writer its share of the rate. Only with one writer do messages reach the stream in the order of `posted`.
 */
async function writeTimed(writer: Writer, plan: ObserverPlan, shared: Shared): Promise<void> {
  const every = (1000 * plan.writers) / (plan.ratePerSecond ?? 1);
  let due = performance.now() + every * Math.random();
  while (!shared.ended) {
    due += every;
    await pause(Math.max(0, due - performance.now()));
    shared.posted.push(performance.now());
    await writer.post();
    shared.writes += 1;
  }
  writer.close();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

await main();
