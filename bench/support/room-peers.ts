/**
 * Peers of rooms, as a separate process: 20 in each room. `writers` of them insert 4 KB of text `perSecond` times a
 * second, and half of the others read nothing. Prints one line of JSON.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { Doc, encodeStateAsUpdate, encodeStateVector } from 'yjs';

export interface RoomPlan {
  readonly port: number;
  readonly token: string;
  readonly peers: number;
  readonly writers: number;
  readonly perSecond: number;
  readonly durationMs: number;
}

export interface RoomResult {
  /** Bytes per second received by all peers together. */
  readonly bytesPerSecond: number;
}

const PEERS_A_ROOM = 20;
const TEXT = 'x'.repeat(4_000);
const UPDATE = Buffer.from([2]);

const plan = JSON.parse(process.argv[2] ?? '') as RoomPlan;
let bytes = 0;
const sockets: WebSocket[] = [];
for (let peer = 0; peer < plan.peers; peer += 1) sockets.push(await open(peer));
for (const [index, socket] of sockets.entries()) if (index >= plan.writers && index % 2 === 0) socket.pause();
const writing = sockets.slice(0, plan.writers).map((socket) => setInterval(insertInto(socket), 1_000 / plan.perSecond));
const begin = performance.now();
await pause(plan.durationMs);
const result: RoomResult = { bytesPerSecond: bytes / ((performance.now() - begin) / 1_000) };
for (const timer of writing) clearInterval(timer);
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);

/** Writers come first, each in a different room as far as there are rooms. */
function open(peer: number): Promise<WebSocket> {
  const room = peer % Math.ceil(plan.peers / PEERS_A_ROOM);
  const socket = new WebSocket(`ws://127.0.0.1:${plan.port}/ws/collab/room-${room}?token=${plan.token}&name=peer`);
  socket.on('message', (data: Buffer) => {
    bytes += data.length;
  });
  return new Promise((resolve, reject) => socket.once('open', () => resolve(socket)).once('error', reject));
}

function insertInto(socket: WebSocket): () => void {
  const text = new Doc();
  return () => {
    const before = encodeStateVector(text);
    text.getText('content').insert(0, TEXT);
    socket.send(Buffer.concat([UPDATE, encodeStateAsUpdate(text, before)]));
  };
}
