/** Changes one byte of a bundle at a time, and runs the whole verification each time. */
import { storedZip } from '../../../src/lib/stored-zip.ts';
import {
  type FaultyBundle,
  type Once,
  type VerifiedBundle,
  verifyBundle,
  verifyFiles,
} from '../../../web/evidence/verify.js';
import { readZip } from '../../../web/evidence/zip.js';

/** `container`: the byte alone; `content`: a byte of a file in the bundle, in a container that is made anew for it. */
export const PASSES = ['container', 'content'] as const;
export type Pass = (typeof PASSES)[number];
export type Report = VerifiedBundle | FaultyBundle;

export interface Change {
  /** File and offset in it, or offset in the zip file. */
  readonly where: string;
  readonly report: Report;
}

/** All changes of a pass over a bundle, in an order that does not change. */
export class Changes {
  readonly #zip: Buffer;
  readonly #vkey: string;
  readonly #files: ReadonlyMap<string, Uint8Array>;
  readonly #memory = new Memory();
  readonly counts: Readonly<Record<Pass, number>>;

  constructor(zip: Buffer, vkey: string) {
    this.#zip = zip;
    this.#vkey = vkey;
    this.#files = readZip(zip);
    const content = [...this.#files.values()].reduce((sum, { length }) => sum + length, 0);
    this.counts = { container: zip.length, content };
  }

  async at(pass: Pass, number: number): Promise<Change> {
    if (pass === 'container') {
      return { where: `byte ${number}`, report: await verifyBundle(flipped(this.#zip, number), this.#vkey) };
    }
    const { name, at } = this.#placeOf(number);
    const files = this.#with(name, readBack(name, flipped(this.#files.get(name)!, at)));
    return { where: `${name} ${at}`, report: await verifyFiles(files, this.#vkey, { once: this.#memory.once }) };
  }

  /** The same change of the content without anything that is kept: a zip file of all files, read and verified anew. */
  anew(number: number): Promise<Report> {
    const { name, at } = this.#placeOf(number);
    const files = this.#with(name, flipped(this.#files.get(name)!, at));
    return verifyBundle(storedZip([...files].map(([each, content]) => ({ name: each, content }))), this.#vkey);
  }

  #placeOf(number: number): { readonly name: string; readonly at: number } {
    let at = number;
    for (const [name, { length }] of this.#files) {
      if (at < length) return { name, at };
      at -= length;
    }
    throw new RangeError(`There is no byte ${number}.`);
  }

  #with(name: string, content: Uint8Array): ReadonlyMap<string, Uint8Array> {
    return new Map(this.#files).set(name, content);
  }
}

function flipped(bytes: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1 << (at % 8);
  return copy;
}

/** What a reader finds in a container that holds this file, with the checksums that fit it. */
function readBack(name: string, content: Uint8Array): Uint8Array {
  return readZip(storedZip([{ name, content }])).get(name)!;
}

interface Known {
  readonly content: unknown;
  readonly value: unknown;
}

/** Keeps what was made of a content: for each place the first one, which is compared whole with each later one. */
class Memory {
  readonly #known = new Map<string, Map<string | number, Known>>();

  readonly once: Once = (kind, place, content, make) => {
    const places = this.#known.get(kind) ?? new Map<string | number, Known>();
    this.#known.set(kind, places);
    const known = places.get(place);
    if (known !== undefined && isSame(known.content, content)) return known.value as ReturnType<typeof make>;
    const value = make();
    if (known === undefined) places.set(place, { content, value });
    return value;
  };
}

function isSame(left: unknown, right: unknown): boolean {
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right) === 0;
  return left === right;
}
