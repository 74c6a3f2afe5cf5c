/** The data directory around the engines: lock, marker, migration, backup, import, and the real disk. */
import { type Mutant, mutantsOf, without } from '../mutant.ts';

const OPEN = 'storage/open.test.ts';
const MIGRATE = 'storage/migrate.test.ts';
const SAFEGUARDS = 'mutants/directory-safeguards.test.ts';
const REAL = 'mutants/real-disk.test.ts';

export const DIRECTORY_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('lock.ts', ['storage/lock.e2e.test.ts'], {
    'a killed process that nobody waited for keeps the lock': without(' && !hasEnded(pid)'),
    'the lock of a directory in the place of its own is removed': {
      find: "if (readFileSync(path, 'utf8') === text) rmSync",
      replace: 'rmSync',
    },
    'a process that cannot be seen loses its lock': {
      find: '(isGuarded(directory) || livesUnguarded(holder))',
      replace: 'livesUnguarded(holder)',
    },
    'the guard is not kept': {
      find: '    kept.add(guard);\n',
      replace: "    kept.add(guard);\n    guard.exec('COMMIT');\n",
    },
  }),
  ...mutantsOf('lock.ts', [OPEN], {
    'the lock of a living process is taken over': {
      find: '(isGuarded(directory) || livesUnguarded(holder)) ? holder',
      replace: 'holder.pid < 0 ? holder',
    },
    'the lock is not written': { find: '    writeFileAtomic(join(', replace: '    String(join(' },
    'the lock is kept after a close': without('    if (kept.has(guard)) removeHolder(directory, text);\n'),
    'a later process with the pid of the holder keeps the lock': {
      find: 'return (started === null || startOf(pid) === started) && !hasEnded(pid);',
      replace: 'return !hasEnded(pid);',
    },
    'a holder on another machine counts as dead': {
      find: 'return guard !== true || !isOfThisBoot(started);',
      replace: 'return false;',
    },
  }),
  ...mutantsOf('open.ts', ['storage/open-place.test.ts'], {
    'a directory that was moved takes appends': without('place?.refusal ?? '),
  }),
  ...mutantsOf('open.ts', [SAFEGUARDS, OPEN], {
    "another engine's directory is opened": {
      find: 'if (wanted === undefined || wanted === found.backend) return found;',
      replace: 'return { ...found, backend: wanted ?? found.backend };',
    },
    'a missing engine folder is created again': {
      find: 'const lost = [store, join(store, MAIN_FILES[backend])].find(',
      replace: 'const lost = [MARKER_FILE].find(',
    },
    'missing files of an engine are created again': {
      find: 'const lost = [store, join(store, MAIN_FILES[backend])].find(',
      replace: 'const lost = [store].find(',
    },
    'a failed open keeps the lock': {
      find: '    await reserve?.close();\n    lock.release();\n    throw error;\n',
      replace: '    await reserve?.close();\n    throw error;\n',
    },
  }),
  ...mutantsOf('open.ts', ['storage/export-import.test.ts'], {
    'an unfinished restore is opened': {
      find: "if (found.state === 'restoring') {",
      replace: "if (directory === '') {",
    },
  }),
  ...mutantsOf('marker.ts', [OPEN], {
    'a foreign directory is used': {
      find: '  if (foreign === undefined) return;\n',
      replace: '  if (foreign !== null) return;\n',
    },
    'a damaged marker is accepted': { find: '  if (!isMarker) throw', replace: '  if (isMarker === null) throw' },
  }),
  ...mutantsOf('files.ts', [REAL], {
    'a file is renamed before it is synced': {
      find: '    writeFileSync(file.fd, content);\n    fsyncSync(file.fd);\n',
      replace: '    writeFileSync(file.fd, content);\n',
    },
    'a new name is not synced': {
      find: '  renameSync(temporary, path);\n  syncDirectory(dirname(path));\n',
      replace: '  renameSync(temporary, path);\n',
    },
    'copied files are not synced': without('      syncFile(target);\n'),
    'names of copied files are not synced': {
      find: '      yield statSync(target).size;\n    }\n  }\n  syncDirectory(to);\n',
      replace: '      yield statSync(target).size;\n    }\n  }\n',
    },
    'syncDirectory does not sync': without('  syncFile(directory);\n'),
  }),
  ...mutantsOf('node-disk.ts', [REAL], {
    'sync does not sync': {
      find: 'fs.fdatasync(this.#descriptor, (error) => (error === null ? resolve() : reject(error)));',
      replace: 'resolve(reject && undefined);',
    },
    'a failed sync counts as done': {
      find: '(error === null ? resolve() : reject(error))',
      replace: 'resolve(reject && error && undefined)',
    },
    'syncNow does not sync': without('    fs.fdatasyncSync(this.#descriptor);\n'),
    'a short write counts as whole': {
      find: '      done += count;\n    }\n  }\n\n  /** Writes what follows',
      replace: '      done = bytes.length;\n    }\n  }\n\n  /** Writes what follows',
    },
  }),
  ...mutantsOf('migrate.ts', [SAFEGUARDS, MIGRATE], {
    'the old store is removed before the marker names the new one': {
      find: '  writeMarker(directory, next);\n  rmSync(join(directory, marker.store), { recursive: true, force: true });\n',
      replace:
        '  rmSync(join(directory, marker.store), { recursive: true, force: true });\n  writeMarker(directory, next);\n',
    },
    'the migrated log is not verified': without('    await checkClean(target, log);\n'),
    'the tree hashes are not compared': { find: 'if (from.treeHash !== to.treeHash) {', replace: 'if (total < 0) {' },
    'an unfinished new store is not removed': {
      find: '    rmSync(store, { recursive: true, force: true });\n    throw error;\n',
      replace: '    throw error;\n',
    },
  }),
  ...mutantsOf('import.ts', ['storage/export-import.test.ts'], {
    'a changed line is imported': {
      find: 'if (toHex(leaf) === leafHash) return { position, record };',
      replace: 'return { position, record };',
    },
    'another log counts as imported before': {
      find: '  if (log.at(position)?.leafHash === toHex(leafOf(record))) return;\n',
      replace: '  if (position > 0) return;\n',
    },
  }),
  ...mutantsOf('backup.ts', ['storage/export-import.test.ts', 'ops/backups.e2e.test.ts', 'ops/bad-input.e2e.test.ts'], {
    'a restore is not verified': without('    await checkClean(engine, log);\n'),
    'a restore overwrites a store': {
      find: "if (marker === null || marker.state === 'restoring') return;",
      replace: 'return;',
    },
    'a restore is marked ready before it is verified': { find: "state: 'restoring' };", replace: "state: 'ready' };" },
    'a backup overwrites existing files': without('  checkUnused(target);\n'),
    'a backup is written into the data directory': without('  checkOutside(target, directory);\n'),
  }),
  ...mutantsOf('checks.ts', ['storage/memory.test.ts', 'storage/cow.test.ts'], {
    'an empty key is taken': { find: 'if (key.length === 0) throw', replace: 'if (key.length < 0) throw' },
    'a key of any length is taken': { find: 'if (key.length > KEY_BYTES_MAX) {', replace: 'if (key.length < 0) {' },
    'a value of any length is taken': {
      find: 'if (value.length > VALUE_BYTES_MAX) {',
      replace: 'if (value.length < 0) {',
    },
  }),
];
