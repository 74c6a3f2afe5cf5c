/**
 * Requests that hand over their body in one piece.
 *
 * Node makes a stream of every body; its events, and the turns of the tick queue in which it ends and closes, cost more
 * than the parsing of a small body. Here the parser's pieces go past the stream to whoever takes the body. A request
 * whose body nobody takes is the stream that it always was.
 */
import { IncomingMessage } from 'node:http';
import { HttpError } from './errors.ts';

type Taken = (error: HttpError | null, body: Buffer) => void;

/** Node's own steps, which its types do not show. */
interface Steps {
  /** To the state of a stream that was read to its end and closed, with no events of it. */
  _dumpAndCloseReadable(this: IncomingMessage): void;
}

const { _dumpAndCloseReadable: close } = IncomingMessage.prototype as unknown as Steps;
const NOTHING = Buffer.alloc(0);

export class WholeRequest extends IncomingMessage {
  #body: Body | null = null;

  /**
   * Calls `taken` once, with the body, or with why there is none: 413 beyond `bytesMax`, 400 when the caller is gone.
   * Only in the turn in which the request came in: before the parser goes on to its body.
   */
  takeBody(bytesMax: number, taken: Taken): void {
    const body = new Body(bytesMax, taken);
    this.#body = body;
    this._read(0);
    if (Number(this.headers['content-length']) > bytesMax) body.refuse();
  }

  /** Node's parser calls this with each piece of the body, and with null at its end. */
  override push(piece: Buffer | null): boolean {
    const body = this.#body;
    if (body === null) return super.push(piece);
    if (piece !== null) body.add(piece);
    else {
      this.#body = null;
      close.call(this);
      body.end();
    }
    return true;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    super._destroy(error, callback);
    this.#body?.fail(new HttpError(400, 'The body did not arrive whole.'));
  }
}

/** What has come of a body, until it is whole or refused. */
class Body {
  readonly #bytesMax: number;
  /** null once it was called. */
  #taken: Taken | null;
  /** The first piece as it came; of more, one buffer with room behind them: kept, each would cost a hundred bytes. */
  #body: Buffer = NOTHING;
  #bytes = 0;

  constructor(bytesMax: number, taken: Taken) {
    this.#bytesMax = bytesMax;
    this.#taken = taken;
  }

  add(piece: Buffer): void {
    if (this.#taken === null) return;
    const bytes = this.#bytes + piece.length;
    if (bytes > this.#bytesMax) {
      this.refuse();
      return;
    }
    if (this.#bytes === 0) this.#body = piece;
    else {
      if (bytes > this.#body.length) this.#body = larger(this.#body, Math.min(2 * bytes, this.#bytesMax));
      piece.copy(this.#body, this.#bytes);
    }
    this.#bytes = bytes;
  }

  end(): void {
    this.#settle(null, this.#bytes === this.#body.length ? this.#body : this.#body.subarray(0, this.#bytes));
  }

  refuse(): void {
    this.fail(new HttpError(413, 'The request body is too large.'));
  }

  fail(error: HttpError): void {
    this.#body = NOTHING;
    this.#settle(error, NOTHING);
  }

  #settle(error: HttpError | null, body: Buffer): void {
    const taken = this.#taken;
    this.#taken = null;
    taken?.(error, body);
  }
}

function larger(body: Buffer, bytes: number): Buffer {
  const grown = Buffer.allocUnsafeSlow(bytes);
  body.copy(grown);
  return grown;
}
