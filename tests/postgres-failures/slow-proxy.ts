/**
 * A slow connection to a database, as a process: `slow-proxy.ts HOST PORT`. It prints its port, then takes one line of
 * JSON per change: how long it delays bytes in each direction, and how often it breaks a connection.
 */
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface Slowness {
  /** Milliseconds, each with up to a quarter more. The order stays. */
  readonly toMs: number;
  readonly fromMs: number;
  /** The share of the packets with which the connection breaks off. */
  readonly loss: number;
}

const JITTER = 0.25;
let slowness: Slowness = { toMs: 0, fromMs: 0, loss: 0 };
const [host = '', port = ''] = process.argv.slice(2);

const server = createServer((client) => {
  const database = connect(Number(port), host);
  const end = (): void => {
    client.destroy();
    database.destroy();
  };
  for (const socket of [client, database]) socket.on('error', end).on('close', end).setNoDelay(true);
  hold(client, database, { ms: () => slowness.toMs, end });
  hold(database, client, { ms: () => slowness.fromMs, end });
});

/** Passes on what comes, later, and what came first goes first. */
function hold(from: Socket, to: Socket, { ms, end }: { readonly ms: () => number; readonly end: () => void }): void {
  const held: { readonly packet: Buffer; readonly at: number }[] = [];
  const pass = (): void => {
    while (held[0] !== undefined && held[0].at <= performance.now()) to.write(held.shift()!.packet);
    if (held[0] !== undefined) setTimeout(pass, Math.max(1, held[0].at - performance.now()));
  };
  from.on('data', (packet: Buffer) => {
    if (Math.random() < slowness.loss) return end();
    held.push({ packet, at: performance.now() + ms() * (1 + JITTER * Math.random()) });
    if (held.length === 1) pass();
  });
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
createInterface({ input: process.stdin })
  .on('line', (line) => {
    slowness = JSON.parse(line) as Slowness;
  })
  .on('close', () => process.exit());
