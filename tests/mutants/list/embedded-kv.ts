/** The `embedded_kv` engine. */
import { type Mutant, mutantsOf, without } from '../mutant.ts';

const DAMAGE = 'storage/embedded-kv-damage.test.ts';
const REAL = 'mutants/real-disk.test.ts';
const SAFEGUARDS = 'mutants/embedded-kv-safeguards.test.ts';

export const EMBEDDED_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('embedded-kv/writer.ts', [REAL], {
    'a durable commit is not synced': {
      find: '    this.setSynchronous(durable);\n',
      replace: '    this.setSynchronous(false);\n',
    },
  }),
  ...mutantsOf('embedded-kv/engine.ts', [REAL], {
    'the last commit of a group decides whether it is durable': {
      find: 'group.some(({ durable }) => durable)',
      replace: 'group.at(-1)!.durable',
    },
  }),
  ...mutantsOf('embedded-kv/writer.ts', ['storage/embedded-kv.test.ts', REAL], {
    'a part of a group stays after an error': {
      find: "      if (database.inTransaction) database.exec('ROLLBACK');\n",
      replace: "      if (database.inTransaction) database.exec('COMMIT');\n",
    },
  }),
  ...mutantsOf('embedded-kv/engine.ts', ['storage/embedded-kv.test.ts', REAL], {
    'a failed write is forgotten': without(
      "    if (reason instanceof StorageError && reason.code !== 'STORAGE_LOCKED') this.failure ??= reason;\n",
    ),
  }),
  ...mutantsOf('embedded-kv/rows.ts', [DAMAGE], {
    'the checksum of a row is not checked': {
      find: 'if (crc32(value, crc32(key)) === sealed.readUInt32BE(value.length)) return value;',
      replace: 'return value;',
    },
  }),
  ...mutantsOf('embedded-kv/database.ts', [DAMAGE], {
    'a damaged log is taken for a torn one': without(
      '    checkWal(options.directory, readAttested(options.directory));\n',
    ),
    'a truncated file is opened': without('      checkSize(path);\n'),
  }),
  ...mutantsOf('embedded-kv/database.ts', [SAFEGUARDS], {
    'a header with other constants is opened': without('      checkHeader(headerOf(path));\n'),
    'another description of the table is accepted': {
      find: "  if (JSON.stringify(row.get()) === JSON.stringify(['table', 'entries', 'entries', 2, SCHEMA])) return;\n",
      replace: '  if (row.get() !== undefined) return;\n',
    },
  }),
  ...mutantsOf('embedded-kv/attestation.ts', [DAMAGE], {
    'a damaged attestation is accepted': {
      find: 'return hasForm && bytes.readUInt32LE(CHECKED_BYTES) === crc32c(bytes, 0, 0, CHECKED_BYTES);',
      replace: 'return hasForm;',
    },
  }),
  ...mutantsOf('embedded-kv/wal-check.ts', [DAMAGE], {
    'a damaged header of the log is not noticed': {
      find: 'if (!isMagic || !isEqual(',
      replace: 'if (!isMagic && !isEqual(',
    },
    'the attestation is ignored': [
      without('        this.#checkAttested(index, attested);\n'),
      without('    this.#checkAttested(count, attested);\n'),
    ],
    'the attestation of another log is accepted': without(
      '    if (this.#header.compare(attested.salts, 0, 8, 16, 24) !== 0) return;\n',
    ),
    'a damaged frame is taken for a torn one': {
      find: 'let hasCommit = before.isCommit ||',
      replace: 'let hasCommit = false && before.isCommit ||',
    },
  }),
  ...mutantsOf('embedded-kv/database.ts', [SAFEGUARDS, 'storage/embedded-kv.test.ts'], {
    'a foreign database is opened': { find: 'if (id !== APPLICATION_ID) {', replace: 'if (id === 1) {' },
    'an unknown format version is read': {
      find: 'if (version !== FORMAT_VERSION) throw',
      replace: 'if (version === 0) throw',
    },
    'a backup overwrites existing files': {
      find: '  if (readdirSync(directory).length > 0) {',
      replace: '  if (directory.length === 0) {',
    },
  }),
  ...mutantsOf('embedded-kv/database.ts', [REAL], {
    'the name of a new database is not synced': without('    if (isNew) syncDirectory(options.directory);\n'),
    'a backup is not synced': without('    syncFile(path);\n'),
    'the name of a backup is not synced': {
      find: '    syncFile(path);\n    syncDirectory(directory);\n',
      replace: '    syncFile(path);\n',
    },
  }),
];
