/**
 * A proxy between a client and a database that recognises messages of the wire protocol. It forwards everything until
 * it is told to cut, or until a number of messages have passed.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listening } from '../support/ports.ts';

/** What stands before the length of a message: its type, which the first message of a client lacks. */
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

interface Direction {
  readonly from: Socket;
  readonly to: Socket;
  readonly messages: Messages;
}

export class MessageProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Messages that still pass before every connection is cut; null: all of them. */
  #left: number | null = null;
  #isClosed = false;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  /** Begins to listen; ends when the test ends. */
  static async start(target: number): Promise<MessageProxy> {
    const server = createServer();
    const proxy = new MessageProxy(server, await listening(server));
    server.on('connection', (client) => proxy.#join(client, connect(target, '127.0.0.1')));
    onTestFinished(() => proxy.close());
    return proxy;
  }

  /** The address of a log, through the proxy. */
  through(url: string): string {
    return url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${this.port}`);
  }

  /** Cuts all connections as soon as `count` more messages have passed in either direction. */
  cutAfter(count: number): void {
    this.#left = count;
    if (count === 0) this.#cut();
  }

  /** Whether the cut that was ordered has happened. */
  get hasCut(): boolean {
    return this.#left === null;
  }

  close(): void {
    this.#isClosed = true;
    this.#cut();
    this.#server.close();
  }

  #join(client: Socket, server: Socket): void {
    if (this.#isClosed) client.destroy();
    // The first message of a client has no type.
    this.#pass({ from: client, to: server, messages: new Messages(0) });
    this.#pass({ from: server, to: client, messages: new Messages(TYPE_BYTES) });
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.once('close', () => {
        this.#sockets.delete(socket);
        (socket === client ? server : client).destroy();
      });
    }
  }

  #pass({ from, to, messages }: Direction): void {
    from.on('data', (chunk: Buffer) => {
      for (const part of messages.split(chunk)) {
        to.write(part.bytes);
        if (!part.isEnd || this.#left === null) continue;
        this.#left -= 1;
        if (this.#left > 0) continue;
        // What has passed arrives, as it does on a network.
        to.end();
        this.#cut(to);
        return;
      }
    });
  }

  #cut(except?: Socket): void {
    this.#left = null;
    for (const socket of this.#sockets) if (socket !== except) socket.destroy();
  }
}

/** Finds the ends of messages in a stream of bytes. */
class Messages {
  /** Bytes before the length of the next message. */
  #typeBytes: number;
  #head = Buffer.alloc(0);
  /** Bytes of the message that are still to come, once its length is known. */
  #missing = 0;

  constructor(typeBytes: number) {
    this.#typeBytes = typeBytes;
  }

  split(chunk: Buffer): { readonly bytes: Buffer; readonly isEnd: boolean }[] {
    const parts: { bytes: Buffer; isEnd: boolean }[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#missing === 0) {
        const wanted = this.#typeBytes + LENGTH_BYTES - this.#head.length;
        this.#head = Buffer.concat([this.#head, rest.subarray(0, wanted)]);
        parts.push({ bytes: rest.subarray(0, wanted), isEnd: false });
        rest = rest.subarray(wanted);
        if (this.#head.length < this.#typeBytes + LENGTH_BYTES) break;
        this.#missing = this.#head.readUInt32BE(this.#typeBytes) - LENGTH_BYTES;
        this.#head = Buffer.alloc(0);
        this.#typeBytes = TYPE_BYTES;
        if (this.#missing === 0) parts.push({ bytes: Buffer.alloc(0), isEnd: true });
        continue;
      }
      const bytes = rest.subarray(0, this.#missing);
      this.#missing -= bytes.length;
      rest = rest.subarray(bytes.length);
      parts.push({ bytes, isEnd: this.#missing === 0 });
    }
    return parts;
  }
}
