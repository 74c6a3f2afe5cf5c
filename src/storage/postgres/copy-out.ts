/**
 * `COPY … TO STDOUT` of one column of type bytea. The server sends the bytes as they are; in the rows of a query it
 * would send two hex digits for each.
 */
import type pg from 'pg';
import type { Client } from './hosts.ts';

/** The header before the rows: a signature, flags, and the length of an extension. */
const SIGNATURE_BYTES = 15;
const FIRST_BYTES = 65_536;

/** The values of the only column of a query, in its order. Rejects with the error of the server or the connection. */
export function copyOut(client: Client, query: string): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const received = (bytes: Buffer) => resolve(valuesIn(bytes));
    client.query(new CopyOut(`COPY (${query}) TO STDOUT (FORMAT binary)`, received, reject));
  });
}

/** A statement as the driver sees it: it calls these methods with the messages of the server. */
class CopyOut implements pg.Submittable {
  readonly #text: string;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #used = 0;
  /** The driver wraps it, to stop its own timer. */
  callback: (error?: Error | null) => void;

  constructor(text: string, received: (bytes: Buffer) => void, failed: (error: Error) => void) {
    this.#text = text;
    this.callback = (error) => {
      if (error === undefined || error === null) received(this.#bytes.subarray(0, this.#used));
      else failed(error);
    };
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  /** Copies the chunk, because the driver reuses its memory. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const end = this.#used + chunk.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#used);
    this.#used = end;
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

function valuesIn(bytes: Buffer): Buffer[] {
  const values: Buffer[] = [];
  let at = SIGNATURE_BYTES + 4 + bytes.readInt32BE(SIGNATURE_BYTES);
  // Each row begins with the number of its columns, -1 after the last one.
  while (bytes.readInt16BE(at) > 0) {
    const start = at + 6;
    at = start + bytes.readInt32BE(at + 2);
    values.push(bytes.subarray(start, at));
  }
  return values;
}
