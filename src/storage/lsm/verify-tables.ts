/** Verification of all tables: reads every block and checks checksums, key order, counts, bloom filters and levels. */
import type { Disk } from '../disk.ts';
import { faultOf } from '../disk-error.ts';
import type { Fault } from '../engine.ts';
import { BlockReader } from './block.ts';
import { mayHold } from './bloom.ts';
import { compareBytes, hashKey } from './bytes.ts';
import { FOOTER_BYTES, tableName } from './table-format.ts';
import { TableFrame } from './table-frame.ts';
import type { TableMeta } from './table-writer.ts';

export interface VerifyTask {
  readonly kind: 'verify';
  readonly directory: string;
  readonly levels: readonly (readonly TableMeta[])[];
}

/** Yields the bytes read so far. */
export function* verifyLevels(disk: Disk, task: VerifyTask): Generator<number, readonly Fault[]> {
  const faults: Fault[] = [];
  let done = 0;
  for (const [level, metas] of task.levels.entries()) {
    if (level > 0) faults.push(...overlaps(level, metas));
    for (const meta of metas) {
      for (const bytes of verifyTable({ disk, directory: task.directory }, meta, faults)) {
        done += bytes;
        yield done;
      }
    }
  }
  return faults;
}

/** Yields the size of each block read; adds faults to `faults`. */
function* verifyTable(
  place: { readonly disk: Disk; readonly directory: string },
  meta: TableMeta,
  faults: Fault[],
): Generator<number> {
  const name = tableName(meta.id);
  try {
    using frame = new TableFrame(place, meta);
    const check = new TableCheck(meta, frame, faults);
    for (let block = 0; block < frame.index.count; block += 1) {
      try {
        check.block(block);
      } catch (error) {
        faults.push(faultOf(error, name));
        check.isWhole = false;
      }
      yield frame.index.payloadBytes(block);
    }
    check.end();
  } catch (error) {
    faults.push(faultOf(error, name));
  }
}

/** Checks the blocks of one table in order. */
class TableCheck {
  /** False once a block could not be read: the counts are then incomplete. */
  isWhole = true;
  readonly #meta: TableMeta;
  readonly #frame: TableFrame;
  readonly #faults: Fault[];
  #last: Uint8Array | undefined;
  #lastSequence = 0;
  #entries = 0;
  #tombstones = 0;
  #rawBytes = 0;

  constructor(meta: TableMeta, frame: TableFrame, faults: Fault[]) {
    this.#meta = meta;
    this.#frame = frame;
    this.#faults = faults;
  }

  block(block: number): void {
    const offset = this.#frame.index.offset(block);
    const reader = new BlockReader(this.#frame.readBlock(block));
    let isFirst = true;
    while (reader.next()) {
      const key = reader.key.slice(0, reader.keyLength);
      this.#entry(key, { sequence: reader.sequence, offset, isFirst });
      isFirst = false;
      this.#entries += 1;
      if (reader.code === 0) this.#tombstones += 1;
      this.#rawBytes += key.length + Math.max(0, reader.code - 1);
    }
    if (isFirst || compareBytes(this.#last!, this.#frame.index.lastKey(block)) !== 0) {
      this.#report(offset, 'the last key of the block is not the one in the index');
    }
  }

  end(): void {
    if (!this.isWhole) return;
    const { entries, tombstones, rawBytes, largest, fileBytes } = this.#meta;
    if (entries !== this.#entries || tombstones !== this.#tombstones || rawBytes !== this.#rawBytes) {
      this.#report(fileBytes - FOOTER_BYTES, 'the counts of the manifest do not match the entries');
    }
    if (this.#last === undefined || compareBytes(this.#last, largest) !== 0) {
      this.#report(0, 'the last key is not the one in the manifest');
    }
  }

  #entry(key: Uint8Array, of: { readonly sequence: number; readonly offset: number; readonly isFirst: boolean }): void {
    const { sequence, offset, isFirst } = of;
    const order = this.#last === undefined ? 1 : compareBytes(key, this.#last);
    if (order < 0) this.#report(offset, 'keys are out of order');
    else if (order === 0 && isFirst) this.#report(offset, 'versions of one key are in two blocks');
    else if (order === 0 && sequence >= this.#lastSequence) this.#report(offset, 'versions of a key are out of order');
    if (this.#last === undefined && compareBytes(key, this.#meta.smallest) !== 0) {
      this.#report(offset, 'the first key is not the one in the manifest');
    }
    if (!mayHold(this.#frame.bloom, hashKey(key, 0, key.length))) {
      this.#report(this.#frame.footer.bloomOffset, 'the bloom filter denies a key of the table');
    }
    this.#last = key;
    this.#lastSequence = sequence;
  }

  #report(offset: number, what: string): void {
    this.#faults.push({ file: tableName(this.#meta.id), offset, what });
  }
}

function overlaps(level: number, metas: readonly TableMeta[]): Fault[] {
  const faults: Fault[] = [];
  for (const [at, meta] of metas.entries()) {
    const before = metas[at - 1];
    if (before === undefined || compareBytes(before.largest, meta.smallest) < 0) continue;
    faults.push({ file: tableName(meta.id), offset: null, what: `overlaps ${tableName(before.id)} in level ${level}` });
  }
  return faults;
}
