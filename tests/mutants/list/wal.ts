/** The write-ahead log and group commit, which `cow` and `lsm` share. */
import { type Mutant, mutantsOf, without } from '../mutant.ts';

const WAL = 'storage/wal.test.ts';
const SYNCS = 'storage/failed-syncs.test.ts';
const SAFEGUARDS = 'mutants/wal-safeguards.test.ts';
const CRASH = 'storage/crash.test.ts';
const DAMAGE = [WAL, 'storage/cow-damage.test.ts', 'storage/lsm-damage.test.ts'];

export const WAL_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('wal.ts', [SAFEGUARDS, WAL, CRASH], {
    'a sync in the background syncs nothing': without('      await segment.file.sync();\n'),
    'a sync on this thread syncs nothing': without('      segment.file.syncNow();\n'),
    'records do not state the last durable sequence': {
      find: 'sequence, durable: this.#durable,',
      replace: 'sequence, durable: 0,',
    },
    'an attestation of what is not synced': {
      find: 'if (this.#durable !== this.#last || segment.first === 0) return;',
      replace: 'if (segment.first === 0) return;',
    },
    'no room for an attestation at the end of a segment': {
      find: 'const room = bytes + RECORD_HEADER_BYTES;',
      replace: 'const room = bytes;',
    },
    'a segment is released while the next one is not durable': {
      find: '.last > sequence || !nextIsDurable) break;',
      replace: '.last > sequence) break;',
    },
    'a segment is released before the owner has its records': {
      find: 'if (this.#segments[at]!.last > sequence || !nextIsDurable) break;',
      replace: 'if (!nextIsDurable) break;',
    },
    'old segments are removed before the new one is synced': {
      find: '      await this.sync();\n      while (this.#segments.length > 1) this.#segments.shift()!.remove();\n',
      replace:
        '      while (this.#segments.length > 1) this.#segments.shift()!.remove();\n      this.#maker.syncNames();\n      await this.sync();\n',
    },
  }),
  ...mutantsOf('wal.ts', [SYNCS], {
    'two syncs run at a time': without('    while (this.#syncing !== null) await this.#syncing;\n'),
    'a sync after a failed one counts': {
      find: '    if (this.#hasFailedSync) throw this.#failure;\n',
      replace: '',
    },
    'records follow a failed sync, and releases a failed one': {
      find: '    if (this.#failure !== null) throw this.#failure;\n',
      replace: '',
    },
  }),
  ...mutantsOf('wal-segments.ts', [WAL], {
    'what fills up a record is not checked': without('        filler ??= firstNonZero(bytes, end, (end + 7) & ~7);\n'),
    'the rest of a segment header is not checked': without(
      "      if (rest !== null) return fault(rest, 'the rest of the segment header is not zero');\n",
    ),
  }),
  ...mutantsOf('wal-segments.ts', [SAFEGUARDS, WAL, CRASH], {
    'a segment gets its name before its header is synced': without('      draft.file.syncNow();\n'),
    "a segment's name is not synced": {
      find: '      this.syncNames();\n      this.#hasPrepared = false;\n      return new Segment(',
      replace: '      return new Segment(',
    },
    'the name of a released file is not synced before its reuse': {
      find: '      this.#spares.push(spare);\n    }\n    this.syncNames();\n',
      replace: '      this.#spares.push(spare);\n    }\n',
    },
    'a refused write stays in the file': without(
      '        this.file.write(this.end, new Uint8Array(Math.min(RECORD_HEADER_BYTES, length)));\n',
    ),
  }),
  ...mutantsOf('wal-recovery.ts', [SAFEGUARDS, WAL], {
    'a damaged record at the end that the owner contains is not named': {
      find: 'const lacking = last < options.after ? gapBehind(',
      replace: 'const lacking = last < 0 ? gapBehind(',
    },
    'a damaged record between segments that the owner contains is not named': {
      find: 'if (!isFirst && scan.first > last + 1) gaps.push(',
      replace: 'if (!isFirst && scan.first < 0) gaps.push(',
    },
    'what is replayed is not synced': without('    segment.file.syncNow();\n'),
    'records beyond the end may be replayed later': {
      find: 'const seal = shadowed || last < options.after;',
      replace: 'const seal = last < options.after;',
    },
    'a damaged record is taken for the end of the log': without(
      '    if (scan.durable > scan.last) throw damaged(segment, scan.last);\n',
    ),
    'segments after a damaged one are dropped': without(
      '      if (scan.durable > last) throw damaged(kept.at(-1)!, last);\n',
    ),
    'a missing segment is not noticed': {
      find: 'if (gap !== -1) throw',
      replace: 'if (gap < -1) throw',
    },
    'a segment with the name of another is replayed': {
      find: 'if (header.number !== number) throw',
      replace: 'if (header.number < 0) throw',
    },
    'a truncated segment is accepted': {
      find: 'if (file.size() < header.capacity) throw',
      replace: 'if (file.size() < 0) throw',
    },
    'a missing log is created again': { find: 'if (!options.create) throw', replace: 'if (options.after < 0) throw' },
  }),
  ...mutantsOf('wal-recovery.ts', [SYNCS], {
    'what is replayed is synced and not written again': without('    if (segment.last > durable) segment.rewrite();\n'),
  }),
  ...mutantsOf('wal-format.ts', [SAFEGUARDS, ...DAMAGE], {
    'the checksum of a record is not checked': without(
      '  if (readU32(bytes, at + 4) !== crc32c(bytes, header.salt ^ length, at + 8, end)) return null;\n',
    ),
    'the checksum of a segment header is not checked': {
      find: 'if (readU32(bytes, HEADER_CHECKED_BYTES) !== crc32c(bytes, 0, 0, HEADER_CHECKED_BYTES)) {',
      replace: 'if (bytes.length < 0) {',
    },
    'an unknown format version is read': {
      find: 'if (version !== VERSION) throw',
      replace: 'if (version < 0) throw',
    },
  }),
  ...mutantsOf('wal-format.ts', [WAL], {
    'attestations are not searched for': {
      find: '    const record = recordOrAttestation(bytes, at, header);\n    if (record === null) continue;\n',
      replace: '    const record = validRecord(bytes, at, header);\n    if (record === null) continue;\n',
    },
  }),
  ...mutantsOf('wal-format.ts', [SAFEGUARDS], {
    'records of an earlier use of a segment file are replayed': [
      { find: 'crc32c(bytes, salt ^ length, at + 8,', replace: 'crc32c(bytes, length, at + 8,' },
      { find: 'crc32c(bytes, header.salt ^ length, at + 8, end)', replace: 'crc32c(bytes, length, at + 8, end)' },
    ],
  }),
  ...mutantsOf('wal-commit-queue.ts', [SYNCS], {
    'the log is changed after a failure': {
      find: '      this.#checkWhole();\n      return await',
      replace: '      return await',
    },
  }),
  ...mutantsOf('wal-commit-queue.ts', DAMAGE, {
    'a single commit is not attested': {
      find: '    else this.#owner.wal.attest();\n',
      replace: '',
    },
    'a shared group is not attested': {
      find: 'this.#refusal === null) this.#owner.wal.attest();',
      replace: 'this.#refusal === null) return;',
    },
  }),
  ...mutantsOf('wal-commit-queue.ts', [SAFEGUARDS, CRASH], {
    'a durable commit is not synced': without('      if (group.durable) await this.#sync(group);\n'),
    'a durable commit is answered before its sync': {
      find: '      if (group.durable) await this.#sync(group);\n',
      replace:
        '      for (const waiter of group.waiters) waiter.resolve();\n      if (group.durable) await this.#sync(group);\n',
    },
    'a durable commit is read before its sync': {
      find: '      if (group.durable) await this.#sync(group);\n      this.#apply(group, first);\n',
      replace: '      this.#apply(group, first);\n      if (group.durable) await this.#sync(group);\n',
    },
    'the last commit of a group decides whether it is durable': {
      find: 'group.durable ||= durable;',
      replace: 'group.durable = durable;',
    },
    'a failed sync is forgotten': {
      find: "throw this.#failed(diskError(error, 'Cannot sync the write-ahead log; nothing written since is certain'));",
      replace: "throw diskError(error, 'Cannot sync the write-ahead log; nothing written since is certain');",
    },
    'a failed write is forgotten': {
      find: "throw this.#failed(diskError(error, 'Cannot write the write-ahead log'));",
      replace: "throw diskError(error, 'Cannot write the write-ahead log');",
    },
  }),
];
