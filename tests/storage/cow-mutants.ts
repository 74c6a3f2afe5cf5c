/**
 * Shows that the tests of the log and of `cow` bite: removes one sync, check or ordering step at a time from a copy of the
 * sources and expects a red test for every one. Run by hand: `node tests/storage/cow-mutants.ts [name…]`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const MUTANTS: readonly Mutant[] = [
  // Syncs.
  mutant('log: sync does nothing', 'wal.ts', 'await segment.file.sync();', ''),
  mutant('log: sync on this thread does nothing', 'wal.ts', 'segment.file.syncNow();', ''),
  mutant(
    'log: replayed segments are not synced',
    'wal-recovery.ts',
    'for (const segment of kept) segment.file.syncNow();',
    '',
  ),
  mutant('log: the header is not synced', 'wal-segments.ts', 'draft.file.syncNow();', ''),
  mutant(
    'log: the name of a segment is not synced',
    'wal-segments.ts',
    'segmentName(number)));\n    this.syncNames();',
    'segmentName(number)));',
  ),
  mutant(
    'log: names of spares are not synced',
    'wal-segments.ts',
    'this.#spares.push(spare);\n    }\n    this.syncNames();',
    'this.#spares.push(spare);\n    }',
  ),
  mutant(
    'checkpoint: pages are not synced before the meta page',
    'cow/store.ts',
    'await this.file.sync();\n      const { keys',
    'const { keys',
  ),
  mutant(
    'checkpoint: the meta page is not synced',
    'cow/store.ts',
    'this.file.writeMeta(meta);\n      await this.file.sync();',
    'this.file.writeMeta(meta);',
  ),
  mutant('compaction: the new file is not synced', 'cow/builder.ts', 'await this.#file.sync();', ''),
  mutant('compaction: the rename is not synced', 'cow/compact.ts', 'disk.syncDirectory(directory);', ''),
  mutant('creation: the name of the page file is not synced', 'cow/open.ts', 'disk.syncDirectory(directory);', ''),
  // Checks.
  mutant(
    'log: record checksums are not checked',
    'wal-format.ts',
    'if (view.getUint32(at + 4, true) !== crc32c(bytes, header.salt ^ length, at + 8, end)) return null;',
    '',
  ),
  mutant(
    'log: header checksums are not checked',
    'wal-format.ts',
    "return 'checksum of the segment header does not match';",
    '',
  ),
  mutant(
    'log: damage behind a torn record is taken for its end',
    'wal-recovery.ts',
    'if (scan.durable > scan.last) throw',
    'if (false as boolean) throw',
  ),
  mutant(
    'log: a missing end of a segment is taken for the end',
    'wal-recovery.ts',
    'if (scan.durable > last) throw',
    'if (false as boolean) throw',
  ),
  mutant(
    'pages: checksums are not checked',
    'cow/format.ts',
    "if (view.getUint32(0, true) !== crc) return 'checksum of the page does not match';",
    '',
  ),
  mutant(
    'pages: what the parent says is not checked',
    'cow/format.ts',
    "if (crc !== reference.crc) return 'this is not the page that its parent means: a write was lost';",
    '',
  ),
  mutant('meta: checksums are not checked', 'cow/format.ts', "return 'checksum of the meta page does not match';", ''),
  // Order and lifetime.
  mutant(
    'log: a commit that nobody synced is called durable',
    'wal.ts',
    'if (segment.first === 0) segment.first = first;',
    'this.#durable = this.#last;\n    if (segment.first === 0) segment.first = first;',
  ),
  mutant(
    'log: what lies behind the end stays',
    'wal-recovery.ts',
    'for (const segment of found.slice(kept.length).reverse()) segment.remove();',
    '',
  ),
  mutant('log: writing goes on over a shadowed tail', 'wal-recovery.ts', 'const seal = shadowed ||', 'const seal ='),
  mutant(
    'log: released before the checkpoint',
    'cow/engine.ts',
    'const sequence = this.#sequence;\n',
    'const sequence = this.#sequence;\n    this.#wal.release(sequence);\n',
  ),
  mutant(
    'queue: applied before the sync',
    'commit-queue.ts',
    'if (group.durable) await this.#sync(group);\n      this.#apply(group, first);',
    'this.#apply(group, first);\n      if (group.durable) await this.#sync(group);',
  ),
  mutant(
    'checkpoint: the meta page goes first',
    'cow/store.ts',
    'await writer.writeTree(frozen.root);',
    'await writer.writeTree(frozen.root);\n      this.file.writeMeta({ ...this.meta, checkpoint: writer.checkpoint, root: frozen.root, sequence });',
  ),
  mutant('units: reused while readers need them', 'cow/store.ts', 'if (epoch > oldest) return true;', ''),
  mutant(
    'units: freed pages are reused in the same checkpoint',
    'cow/store.ts',
    'const gone = [',
    'for (const { page } of freed) this.units.free(page);\n    this.units.findRuns();\n    const gone = [',
  ),
  mutant(
    'tree: nodes that readers see are changed in place',
    'cow/tree.ts',
    'return size === 0 ||',
    'return size < 9 ||',
  ),
  mutant('tree: a replaced page is not freed', 'cow/tree.ts', 'this.freed.push({ page: ref, epoch: this.epoch });', ''),
  mutant('reads: a changed entry stays hot', 'cow/engine.ts', 'this.#hot.forget(this.#changed);', ''),
  mutant(
    'compaction: commits that came meanwhile are lost',
    'cow/compact.ts',
    'for (const payload of missed.splice(0)) applyTo(store, payload);',
    '',
  ),
  mutant('compaction: the log keeps old payloads', 'cow/compact.ts', 'await wal.scrub();', ''),
];

const TESTS = ['wal', 'cow-space', 'cow-crash', 'cow-damage', 'cow-model', 'cow-hot'];

function mutant(name: string, file: string, from: string, to: string): Mutant {
  return { name, file: join('src/storage', file), from, to };
}

/** True when some test is red. */
function isCaught(root: string, copy: string, { file, from, to, name }: Mutant): boolean {
  const source = readFileSync(join(root, file), 'utf8');
  if (source.split(from).length !== 2) throw new Error(`mutant "${name}": its text must occur once in ${file}`);
  writeFileSync(
    join(copy, file),
    source.replace(from, () => to),
  );
  const files = TESTS.map((test) => `tests/storage/${test}.test.ts`);
  const run = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', '--bail', '1', ...files],
    { cwd: copy },
  );
  writeFileSync(join(copy, file), source);
  return run.status !== 0;
}

function main(wanted: readonly string[]): number {
  const root = resolve(import.meta.dirname, '../..');
  const copy = mkdtempSync(join(tmpdir(), 'daybook-mutants-'));
  try {
    for (const part of ['src/storage', 'tests/storage']) {
      mkdirSync(join(copy, part), { recursive: true });
      cpSync(join(root, part), join(copy, part), { recursive: true });
    }
    for (const part of ['package.json', 'tsconfig.json', 'vitest.config.ts'])
      cpSync(join(root, part), join(copy, part));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const chosen = MUTANTS.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
    const survivors = chosen.filter((each) => {
      const caught = isCaught(root, copy, each);
      console.log(`${caught ? 'caught  ' : 'SURVIVED'} ${each.name}`);
      return !caught;
    });
    console.log(`${chosen.length - survivors.length} of ${chosen.length} caught`);
    return survivors.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

process.exitCode = main(process.argv.slice(2));
