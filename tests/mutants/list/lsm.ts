/** The `lsm` engine. */
import { type Mutant, mutantsOf, without } from '../mutant.ts';

const CRASH = 'storage/crash.test.ts';
const DAMAGE = 'storage/lsm-damage.test.ts';
const SAFEGUARDS = 'mutants/lsm-safeguards.test.ts';
const DIFFERENTIAL = 'storage/differential.test.ts';

export const LSM_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('lsm/memtable.ts', ['storage/hot-entries.test.ts'], {
    'a hot entry outlives its change': without('    this.#changed(hash);\n'),
  }),
  ...mutantsOf('lsm/table-writer.ts', [CRASH, DIFFERENTIAL], {
    'a table is not synced': without('    this.#file.syncNow();\n'),
  }),
  ...mutantsOf('lsm/merge.ts', [SAFEGUARDS], {
    "a table's name is not synced before the manifest names it": without('    disk.syncDirectory(task.directory);\n'),
  }),
  ...mutantsOf('lsm/merge.ts', [DIFFERENTIAL], {
    'versions that a snapshot sees are dropped': {
      find: 'this.#newer === Number.POSITIVE_INFINITY || this.#isSeen(sequence);',
      replace: 'this.#newer === Number.POSITIVE_INFINITY;',
    },
    'a tombstone is dropped while deeper levels have older values': {
      find: 'if (!isSeenByAll || sequence === 0 || this.#below.mayHold(version)) return version;',
      replace: 'if (!isSeenByAll || sequence === 0) return version;',
    },
  }),
  ...mutantsOf('lsm/manifest.ts', [CRASH, DIFFERENTIAL], {
    'the new manifest is not synced before it is renamed': without('    file.syncNow();\n'),
    "the manifest's new name is not synced": {
      find: '  disk.rename(next, join(directory, MANIFEST));\n  disk.syncDirectory(directory);\n',
      replace: '  disk.rename(next, join(directory, MANIFEST));\n',
    },
  }),
  ...mutantsOf('lsm/manifest.ts', [SAFEGUARDS, DAMAGE], {
    'the checksum of the manifest is not checked': without(
      "  if (readU32(bytes, end) !== crc32c(bytes.subarray(0, end))) throw corrupt(end, 'its checksum does not match');\n",
    ),
    'an unknown format version is read': { find: 'if (version !== FORMAT_VERSION)', replace: 'if (version < 0)' },
  }),
  ...mutantsOf('lsm/table-format.ts', [DAMAGE], {
    'the checksum of a block is not checked': {
      find: 'if (readU32(stored, bytes) !== blockCheck(payload, place)) {',
      replace: 'if (bytes < 0) {',
    },
    'the checksum of a footer is not checked': {
      find: 'if (readU32(bytes, FOOTER_CHECK_AT) !== crc32c(bytes.subarray(0, FOOTER_CHECK_AT))) {',
      replace: 'if (bytes.length < 0) {',
    },
  }),
  ...mutantsOf('lsm/table-frame.ts', [SAFEGUARDS], {
    'a table is not compared with the manifest': {
      find: 'if (footerCheckOf(bytes) !== footerCheck) throw',
      replace: 'if (footerCheck < 0) throw',
    },
    'the size of a table is not compared with the manifest': {
      find: 'if (size !== fileBytes) {',
      replace: 'if (size < 0) {',
    },
  }),
  ...mutantsOf('lsm/maintenance.ts', [SAFEGUARDS, CRASH, DIFFERENTIAL], {
    'a flush contains commits that are not durable in the log': {
      find: 'const parts = [merging, this.#owner.syncLog()] as const;',
      replace: 'const parts = [merging] as const;',
    },
    'the log is released before the manifest names the table': [
      without('    this.#owner.flushed(frozen.lastSequence);\n'),
      {
        find: '    await editor.apply({\n      remove: [],\n',
        replace: '    this.#owner.flushed(frozen.lastSequence);\n    await editor.apply({\n      remove: [],\n',
      },
    ],
    'the manifest does not record the last commit of the tables': without('      lastSequence: frozen.lastSequence,\n'),
  }),
  ...mutantsOf('lsm/manifest-editor.ts', [CRASH, DIFFERENTIAL], {
    'tables are removed while the manifest still names them': {
      find: "      await this.#background.run({ kind: 'edit', directory: this.#host.directory, manifest });\n",
      replace:
        "      this.levels.unpin();\n      await this.removed();\n      this.levels.pin();\n      await this.#background.run({ kind: 'edit', directory: this.#host.directory, manifest });\n",
    },
  }),
  ...mutantsOf('lsm/tasks.ts', [SAFEGUARDS], {
    'a table of a backup is not synced': without('    to.syncNow();\n'),
    'the removal of a table is not synced': {
      find: '    yield done;\n  }\n  disk.syncDirectory(task.directory);\n',
      replace: '    yield done;\n  }\n',
    },
  }),
  ...mutantsOf('lsm/wal-maintenance.ts', [SAFEGUARDS, CRASH, DAMAGE], {
    'the log is emptied before the manifest covers it': without('      await editor.cover(wal.lastSequence);\n'),
  }),
  ...mutantsOf('wal.ts', [SAFEGUARDS, CRASH, DAMAGE], {
    'a closed log does not prove its last commits': without(
      '    await this.sync();\n    this.#writeEmpty();\n    await this.sync();\n    this.attest();\n',
    ),
  }),
  ...mutantsOf('lsm/sorted-keys.ts', [DIFFERENTIAL], {
    'a range repeats keys of a memtable leaf that has grown': {
      find: 'return { keys: leaf.keys.subarray(from), count: leaf.count - from };',
      replace: 'return leaf;',
    },
  }),
  ...mutantsOf('lsm/state.ts', [DIFFERENTIAL, 'storage/lsm.test.ts'], {
    'a memtable is reused while a range reads it': {
      find: 'if (memtable.pins > 0 || this.#spares',
      replace: 'if (this.#spares',
    },
  }),
  ...mutantsOf('lsm/levels.ts', [DIFFERENTIAL, 'storage/lsm.test.ts'], {
    'tables are removed while a range reads them': without('    this.#pins += 1;\n'),
  }),
  ...mutantsOf('lsm/engine.ts', ['storage/lsm.test.ts'], {
    'deleted bytes are called removed while a range reads them': without(
      '    if (this.#editor.isEarlierRead) throw earlierStateRead();\n',
    ),
  }),
  ...mutantsOf('lsm/verify.ts', [SAFEGUARDS], {
    'verify does not check the manifest on disk': {
      find: '      if (readManifest(place.disk, place.directory) === undefined) {',
      replace: '      if (place.directory.length === 0) {',
    },
  }),
];
