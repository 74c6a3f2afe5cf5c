/**
 * The `cow` engine. Two safeguards are not listed, because nothing is lost without them: the sync of the name of the
 * compacted file, which scrubbing the log repeats before anything is removed; and the count of shape changes when a
 * root is replaced, because the removal before it was already counted.
 */
import { type Mutant, mutantsOf, without } from '../mutant.ts';

const CRASH = 'storage/crash.test.ts';
const DAMAGE = 'storage/cow-damage.test.ts';
const SPACE = 'storage/cow-space.test.ts';
const SAFEGUARDS = 'mutants/cow-safeguards.test.ts';
const DIFFERENTIAL = 'storage/differential.test.ts';

export const COW_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('cow/store.ts', [SAFEGUARDS, CRASH, DIFFERENTIAL], {
    'the meta page is flipped before its pages are synced': {
      find: '      const freeMap = writer.writeFreeMap(unreachable);\n      await this.file.sync();\n',
      replace: '      const freeMap = writer.writeFreeMap(unreachable);\n',
    },
    'the flipped meta page is not synced': {
      find: '      this.file.writeMeta(meta);\n      await this.file.sync();\n',
      replace: '      this.file.writeMeta(meta);\n',
    },
    'a checkpoint contains commits that are not durable in the log': without('      await syncLog();\n'),
    'pages of the last checkpoint are reused before the next one is durable': {
      find: '    const unreachable = [...this.#waiting, ...freed,',
      replace:
        '    for (const { page } of freed) this.units.free(page);\n    this.units.findRuns();\n    const unreachable = [...this.#waiting, ...freed,',
    },
    'a damaged meta page is not repaired': {
      find: '    if (faults.length === 0) return faults;\n',
      replace: '    if (this.meta.checkpoint >= 0) return faults;\n',
    },
  }),
  ...mutantsOf('cow/store.ts', ['storage/failed-syncs.test.ts'], {
    'the meta page in use is not written again': without('    await this.#secureMeta();\n'),
  }),
  ...mutantsOf('cow/page-file.ts', [CRASH, DIFFERENTIAL, SPACE], {
    'pages that wait to be written are read from the file': without(
      '    if (at >= 0 && at < this.#pendingBytes) return this.#pending.slice(at, at + length);\n',
    ),
    'pages that wait are not written before a sync': {
      find: '    this.#writePending();\n    await this.#file.sync();\n',
      replace: '    await this.#file.sync();\n',
    },
    'a page is written together with pages that are not adjacent': {
      find: 'if (!isNext || this.#pendingBytes + size > PENDING_BYTES_MAX)',
      replace: 'if (this.#pendingBytes + size > PENDING_BYTES_MAX)',
    },
  }),
  ...mutantsOf('cow/store.ts', [SPACE], {
    'pages are reused while a snapshot reads them': without('      if (epoch > oldest) return true;\n'),
  }),
  ...mutantsOf('cow/store.ts', [DAMAGE, SAFEGUARDS], {
    'a truncated page file is opened': {
      find: 'if (file.size() < meta.units * UNIT_BYTES) throw',
      replace: 'if (file.size() < 0) throw',
    },
    'the older meta page is taken': {
      find: 'meta.checkpoint > newest.checkpoint',
      replace: 'meta.checkpoint < newest.checkpoint',
    },
  }),
  ...mutantsOf('cow/epochs.ts', [DIFFERENTIAL, 'storage/cow.test.ts'], {
    'a snapshot is changed in place': without('    this.current += 1;\n'),
  }),
  ...mutantsOf('cow/tree.ts', [DIFFERENTIAL, 'storage/cow.test.ts'], {
    'a finger stays valid after a split': {
      find: '    this.#shape += 1;\n    this.#addSibling(leafRef,',
      replace: '    this.#addSibling(leafRef,',
    },
    'a finger stays valid after an empty leaf was removed': without('        this.#shape += 1;\n'),
    'a finger stays valid after a merge': {
      find: '    this.#shape += 1;\n    const into',
      replace: '    const into',
    },
  }),
  ...mutantsOf('cow/engine.ts', ['storage/hot-entries.test.ts'], {
    'a hot entry outlives its change': without(
      '    this.#hot.invalidate(hashOf(change.bytes, change.keyStart, change.keyEnd));\n',
    ),
  }),
  ...mutantsOf('cow/finger.ts', [DIFFERENTIAL, 'storage/cow.test.ts'], {
    'a finger stays valid after a reader acquired the state': {
      find: 'if (this.#epoch !== epoch || ',
      replace: 'if (',
    },
    'a finger is used for keys outside its leaf': {
      find: '    return this.#high.end === 0 || compareProbes(key, this.#high, 0) < 0;\n',
      replace: '    return true;\n',
    },
  }),
  ...mutantsOf('cow/format.ts', [CRASH, DIFFERENTIAL], {
    'both meta pages have the same offset': {
      find: '(checkpoint % META_PAGES) * UNIT_BYTES',
      replace: '(checkpoint % 1) * UNIT_BYTES',
    },
  }),
  ...mutantsOf('cow/format.ts', [DAMAGE, SAFEGUARDS], {
    'no checksum of a page is checked': [
      without("  if (readU32(page, 0) !== crc) return 'checksum of the page does not match';\n"),
      without("  if (crc !== reference.crc) return 'this is not the page that its parent means: a write was lost';\n"),
    ],
    'a page is not compared with its reference': without(
      "  if (crc !== reference.crc) return 'this is not the page that its parent means: a write was lost';\n",
    ),
    'the checksum of a meta page is not checked': {
      find: 'if (readU32(bytes, META_CHECKED_BYTES) !== crc32c(bytes, 0, 0, META_CHECKED_BYTES)) {',
      replace: 'if (bytes.length < 0) {',
    },
    'an unknown format version is read': { find: 'if (version !== VERSION) throw', replace: 'if (version < 0) throw' },
  }),
  ...mutantsOf('cow/checkpoints.ts', [CRASH, DIFFERENTIAL], {
    'the log is released before the checkpoint is durable': {
      find: '    this.#bytesSince = 0;\n    try {\n',
      replace: '    this.#bytesSince = 0;\n    wal.release(sequence);\n    try {\n',
    },
  }),
  ...mutantsOf('cow/open.ts', [CRASH, DIFFERENTIAL], {
    'the name of a new page file is not synced': {
      find: '  disk.syncDirectory(directory);\n}\n\nasync function recover',
      replace: '}\n\nasync function recover',
    },
    'a new page file has its name before it has a log': [
      without('  disk.rename(join(directory, DRAFT_FILE), join(directory, PAGE_FILE));\n'),
      {
        find: '  const visit = (): never => {\n',
        replace:
          '  disk.rename(join(directory, DRAFT_FILE), join(directory, PAGE_FILE));\n  disk.syncDirectory(directory);\n  const visit = (): never => {\n',
      },
    ],
  }),
  ...mutantsOf('cow/builder.ts', [CRASH, DIFFERENTIAL], {
    'a new page file is not synced': without('    await this.#file.sync();\n'),
  }),
  ...mutantsOf('cow/compact.ts', [SPACE], {
    'commits during a compaction are lost': without('  follow((payload) => missed.push(payload));\n'),
    'the log is emptied before the page file contains its commits': without(
      '  if (store.isDirty(sequence())) await store.checkpoint(sequence, () => wal.sync());\n',
    ),
    'a compaction leaves deleted bytes in the log': without('  await wal.scrub();\n'),
  }),
  ...mutantsOf('cow/backup.ts', ['storage/cow.test.ts', CRASH], {
    'a backup overwrites existing files': {
      find: 'if (disk.exists(directory) && disk.list(directory).length > 0) {',
      replace: 'if (directory.length === 0) {',
    },
  }),
  ...mutantsOf('cow/verify.ts', ['storage/cow-verify.test.ts'], {
    'verify does not count the keys': { find: 'if (this.#keys !== state.keys)', replace: 'if (this.#keys < 0)' },
    'verify does not check the order of a leaf': {
      find: 'if (index > 0 && compareProbes(leaf.keyAt(index - 1, keyB), key, 0) >= 0) {',
      replace: 'if (index < 0) {',
    },
    'verify does not see a page with two owners': { find: 'if (owners > 1)', replace: 'if (owners > 254)' },
    'verify does not see a page in use that is marked free': {
      find: 'if (owners > 0 && !isUsed)',
      replace: 'if (owners > 254 && !isUsed)',
    },
    'verify does not see lost pages': without('if (owners === 0 && isUsed) lost += 1;'),
    'verify does not compare keys with separators': {
      find: 'if (isBelow || isAbove) this.#fault(',
      replace: 'if (isBelow && isAbove) this.#fault(',
    },
  }),
];
