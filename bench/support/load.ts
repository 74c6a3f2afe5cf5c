/**
 * The load generator, as a separate process: `connections` keep-alive sockets with one request in flight on each, for a
 * certain time. Both sides of every comparison get the same client. Prints one line of JSON.
 */
import { connect, type Socket } from 'node:net';

export interface LoadPlan {
  readonly port: number;
  readonly connections: number;
  readonly warmupMs: number;
  readonly durationMs: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The pause after each response; default: none. */
  readonly pauseMs?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Bytes of the last response, including the head. */
  readonly responseBytes: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /\r\ncontent-length: (\d+)/i;

async function main(): Promise<void> {
  const plan = JSON.parse(process.argv[2] ?? '') as LoadPlan;
  const shared = { counting: false, stopped: false, latencies: [] as number[], responseBytes: 0 };
  const sockets = await Promise.all(Array.from({ length: plan.connections }, () => open(plan.port)));
  const ended = sockets.map((socket) => drive(socket, plan, shared));
  await pause(plan.warmupMs);
  shared.counting = true;
  const begin = performance.now();
  await pause(plan.durationMs);
  const seconds = (performance.now() - begin) / 1000;
  shared.counting = false;
  shared.stopped = true;
  await Promise.all(ended);
  const sorted = Float64Array.from(shared.latencies).sort();
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  const result: LoadResult = {
    requests: sorted.length,
    seconds,
    requestsPerSecond: sorted.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    responseBytes: shared.responseBytes,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

function requestBytes({ method, path, headers, body }: LoadPlan): Buffer {
  const length =
    body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)), 'content-type': 'application/json' };
  const lines = Object.entries({ host: 'localhost', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends, waits for the whole response, sends again; resolves when it was told to stop and nothing is in flight. */
function drive(
  socket: Socket,
  plan: LoadPlan,
  shared: { counting: boolean; stopped: boolean; latencies: number[]; responseBytes: number },
): Promise<void> {
  const request = requestBytes(plan);
  return new Promise((resolve) => {
    let sentAt = 0;
    let got: Buffer = Buffer.alloc(0);
    let expected = 0;
    const send = (): void => {
      if (shared.stopped) {
        socket.destroy();
        resolve();
        return;
      }
      got = Buffer.alloc(0);
      expected = 0;
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('data', (chunk: Buffer) => {
      got = got.length === 0 ? chunk : Buffer.concat([got, chunk]);
      if (expected === 0) expected = responseLength(got);
      if (expected === 0 || got.length < expected) return;
      if (shared.counting) shared.latencies.push(performance.now() - sentAt);
      shared.responseBytes = expected;
      if (plan.pauseMs === undefined) send();
      else setTimeout(send, plan.pauseMs);
    });
    socket.on('close', () => {
      if (!shared.stopped) throw new Error('The server closed a connection under load.');
    });
    send();
  });
}

/** The length of head and body; 0 while the head is incomplete. Any status other than 200 ends the benchmark. */
function responseLength(bytes: Buffer): number {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return 0;
  const head = bytes.toString('latin1', 0, end);
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`Not a 200:\n${bytes.toString()}`);
  const length = LENGTH.exec(head)?.[1];
  if (length === undefined) throw new Error(`A response without Content-Length:\n${head}`);
  return end + HEAD_END.length + Number(length);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

await main();
