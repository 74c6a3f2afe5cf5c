/** The file tools: read_file, write_file, edit_file, list_directory, and bad input to every tool. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { confine } from '../../src/integrations/tools/confine.ts';
import { replaceFile } from '../../src/integrations/tools/replace-file.ts';
import { bench } from './helper.ts';

describe('the catalogue', () => {
  test('every input schema is a closed object in JSON Schema, ready for a provider', () => {
    const { tools } = bench();
    for (const spec of tools.specs) {
      expect(spec.input_schema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(spec.input_schema).not.toHaveProperty('$schema');
      expect(JSON.parse(JSON.stringify(spec.input_schema))).toEqual(spec.input_schema);
    }
  });
});

describe('input', () => {
  test.each([
    ['read_file', {}, 'path'],
    ['read_file', { path: 3 }, 'path'],
    ['read_file', { path: 'a', offset: 0 }, 'offset'],
    ['read_file', { path: 'a', surprise: 1 }, 'surprise'],
    ['read_file', 'not json', 'not a JSON object'],
    ['read_file', null, 'not right'],
    ['edit_file', { path: 'a', old_string: '', new_string: 'x' }, 'old_string'],
    ['update_plan', { steps: [{ description: 'x', status: 'maybe' }] }, 'steps.0.status'],
    ['finish', { summary: 7 }, 'summary'],
    ['search_files', {}, 'Give a pattern'],
  ])('%s %j is an outcome that says what is wrong', async (name, input, why) => {
    const { run } = bench();
    const outcome = await run(name, input);
    expect(outcome).toMatchObject({ success: false, files_modified: [] });
    expect(outcome.output).toContain(why);
  });

  test('an unknown tool answers with the names there are', async () => {
    const { run } = bench();
    const outcome = await run('constructor', {});
    expect(outcome.success).toBe(false);
    expect(outcome.output).toContain('read_file');
  });

  test('an aborted call rejects with the reason of the signal', async () => {
    const { run } = bench();
    const reason = new Error('cancelled by the user');
    await expect(run('list_directory', {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('after close a call rejects', async () => {
    const { run, tools } = bench();
    await tools.close();
    await expect(run('list_directory', {})).rejects.toThrow('closed');
  });

  test('update_plan and finish answer plainly', async () => {
    const { run } = bench();
    expect(await run('update_plan', { steps: [{ description: 'a', status: 'done' }] })).toMatchObject({
      success: true,
    });
    expect(await run('finish', { summary: 'ok' })).toMatchObject({ success: true });
  });
});

describe('read_file', () => {
  test('shows text as it is, and a part of it with numbers', async () => {
    const { put, run } = bench();
    put('f.txt', 'one\n  two\n\nfour\n');
    expect(await run('read_file', { path: 'f.txt' })).toEqual({
      success: true,
      output: 'one\n  two\n\nfour',
      files_modified: [],
    });
    const part = await run('read_file', { path: 'f.txt', offset: 2, limit: 2, line_numbers: true });
    expect(part.output).toBe('2\t  two\n3\t\n[more lines follow; continue with offset 4]');
  });

  test('following the offsets gives every line exactly once, whatever the budget', async () => {
    const { put, run } = bench({ outputBytesMax: 700 });
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index} ${'ä'.repeat(index % 60)}`);
    put('long.txt', lines.join('\n'));
    const seen: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const { output } = await run('read_file', { path: 'long.txt', offset });
      const next = /\n\[more lines follow; continue with offset (\d+)\]$/.exec(output);
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(700);
      seen.push(...output.slice(0, next?.index).split('\n'));
      offset = next === null ? undefined : Number(next[1]);
    }
    expect(seen).toEqual(lines);
  });

  test('a line longer than the budget is cut between characters, and the next one can still be read', async () => {
    const { put, run } = bench({ outputBytesMax: 1_000 });
    put('wide.txt', `${'€'.repeat(100_000)}\nafter\n`);
    const first = await run('read_file', { path: 'wide.txt' });
    expect(first.output).toMatch(
      /^€+\n\[the line is too long and was cut; more lines follow; continue with offset 2\]$/,
    );
    expect((await run('read_file', { path: 'wide.txt', offset: 2 })).output).toBe('after');
  });

  test('says what is special: empty, past the end, CR LF, not UTF-8, control characters', async () => {
    const { put, run } = bench();
    put('empty', '');
    put('short', 'a\nb\n');
    put('dos', 'a\r\nb\r\n');
    put('mixed', 'a\r\nb\n');
    put('mac', 'a\rb\r');
    put('latin', Buffer.from([0x61, 0xe9, 0x0a]));
    put('escape', 'a\x1b[31mred\x07');
    expect((await run('read_file', { path: 'empty' })).output).toBe('[the file is empty]');
    expect((await run('read_file', { path: 'short', offset: 9 })).output).toBe('[the file has only 2 lines]');
    expect((await run('read_file', { path: 'dos' })).output).toBe('a\nb\n[lines end with CR LF]');
    const mixed = 'some lines end with CR LF, others with LF';
    expect((await run('read_file', { path: 'mixed' })).output).toBe(`a\nb\n[${mixed}]`);
    const controls = 'control characters are shown as \\x1b';
    expect((await run('read_file', { path: 'mac' })).output).toBe(`a\\x0db\\x0d\n[${controls}]`);
    expect((await run('read_file', { path: 'latin' })).output).toContain('not UTF-8');
    expect((await run('read_file', { path: 'escape' })).output).toBe(`a\\x1b[31mred\\x07\n[${controls}]`);
  });

  test.each([
    ['binary', 'binary'],
    ['gone.txt', 'does not exist'],
    ['dir', 'is a directory'],
    ['dir/file/below', 'parent that is not a directory'],
    ['../home', 'outside'],
  ])('%s is refused with a reason and without absolute paths', async (path, why) => {
    const { put, run, outside } = bench();
    put('binary', Buffer.from([1, 0, 2]));
    put('dir/file', 'x');
    const outcome = await run('read_file', { path });
    expect(outcome.success).toBe(false);
    expect(outcome.output).toContain(why);
    expect(outcome.output).not.toContain(outside);
  });

  test('a file larger than can be looked through is refused when the offset lies beyond', async () => {
    const { put, run } = bench({ scanBytesMax: 128 * 1024 });
    put('big', 'x\n'.repeat(200_000));
    expect((await run('read_file', { path: 'big', offset: 150_000 })).output).toContain('Only the first 131072 bytes');
    const last = await run('read_file', { path: 'big', offset: 65_000 });
    expect(last.output).toMatch(/^(?:x\n){537}\[more lines follow; continue with offset 65537\]$/);
    put('endless', 'x'.repeat(200_000));
    expect((await run('read_file', { path: 'endless' })).output).toMatch(
      /^x{32256}\n\[the line is too long and was cut\]$/,
    );
    expect((await run('read_file', { path: 'big', limit: 1 })).success).toBe(true);
  });
});

describe('write_file', () => {
  test('makes the file with its directories, and says so', async () => {
    const { run, workspace } = bench();
    const outcome = await run('write_file', { path: 'a/b/c.txt', content: 'hé\n' });
    expect(outcome).toMatchObject({ success: true, files_modified: ['a/b/c.txt'] });
    expect(outcome.output).toBe('Created a/b/c.txt (4 bytes).');
    expect(readFileSync(join(workspace, 'a/b/c.txt'), 'utf8')).toBe('hé\n');
    expect(readdirSync(join(workspace, 'a/b'))).toEqual(['c.txt']);
  });

  test('keeps the mode of what it replaces, and names only what changed', async () => {
    const { put, run, workspace } = bench();
    put('run.sh', 'old');
    chmodSync(join(workspace, 'run.sh'), 0o750);
    expect(await run('write_file', { path: 'run.sh', content: 'new' })).toMatchObject({ files_modified: ['run.sh'] });
    expect(statSync(join(workspace, 'run.sh')).mode & 0o777).toBe(0o750);
    expect(await run('write_file', { path: 'run.sh', content: 'new' })).toMatchObject({
      success: true,
      files_modified: [],
    });
  });

  test('replaces the file in one step: whoever has the old one open keeps the old content', async () => {
    const { put, run, workspace } = bench();
    put('f', 'old');
    const before = statSync(join(workspace, 'f')).ino;
    await run('write_file', { path: 'f', content: 'new' });
    expect(statSync(join(workspace, 'f')).ino).not.toBe(before);
  });

  test('writes through a link to a file inside, and the link stays', async () => {
    const { put, run, workspace } = bench();
    put('real.txt', 'old');
    symlinkSync('real.txt', join(workspace, 'alias'));
    expect(await run('write_file', { path: 'alias', content: 'new' })).toMatchObject({ files_modified: ['real.txt'] });
    expect(lstatSync(join(workspace, 'alias')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(workspace, 'real.txt'), 'utf8')).toBe('new');
  });

  test('does not write outside, through links, into .git or over a directory or a read-only file', async () => {
    const { put, run, outside, workspace } = bench({ fileBytesMax: 100 });
    mkdirSync(join(outside, 'target'));
    symlinkSync(join(outside, 'target'), join(workspace, 'link'));
    symlinkSync(join(outside, 'target/new'), join(workspace, 'dangling'));
    put('dir/x', '');
    put('fixed', 'x');
    chmodSync(join(workspace, 'fixed'), 0o444);
    const refused = ['../target/f', 'link/f', 'dangling', '.git/hooks/pre-commit', 'dir', 'fixed', '.', 'dir/x/y'];
    for (const path of refused) {
      const outcome = await run('write_file', { path, content: 'evil' });
      expect(outcome, path).toMatchObject({ success: false, files_modified: [] });
      expect(outcome.output).not.toContain(outside);
    }
    expect(await run('write_file', { path: 'f', content: 'x'.repeat(101) })).toMatchObject({ success: false });
    expect(await run('write_file', { path: 'f', content: '\ud800' })).toMatchObject({ success: false });
    expect(readdirSync(join(outside, 'target'))).toEqual([]);
    expect(readdirSync(workspace).sort()).toEqual(['dangling', 'dir', 'fixed', 'link']);
    expect(readFileSync(join(workspace, 'fixed'), 'utf8')).toBe('x');
  });

  test('removes what a daemon that was killed had written for this file, and not what another daemon writes', async () => {
    const { put, run, tools, workspace, home, outside } = bench();
    put('f', 'old');
    let written = '';
    const mayChange = (): void => {
      written = readdirSync(workspace).find((name) => name.endsWith('.tmp')) ?? '';
    };
    const call = { callId: 'a', name: 'write_file', input: { path: 'f', content: 'new' }, workspace, mayChange };
    await tools.call(call, new AbortController().signal);
    const own = written;
    const found = await confine({ workspace, home }, 'f', 'write');
    if (!found.ok) throw new Error(found.reason);
    await replaceFile(found, Buffer.from('newer'), { home: outside, mayChange });
    const others = written;
    for (const name of [own, others]) put(name, 'half a');
    expect(await run('write_file', { path: 'f', content: 'newest' })).toMatchObject({ success: true });
    expect(readdirSync(workspace).sort()).toEqual([others, 'f']);
  });

  test('a parent swapped for a link between check and write leads nowhere', async () => {
    const { put, outside, workspace, home } = bench();
    mkdirSync(join(outside, 'target'));
    put('d/f', 'mine');
    const confined = async (path: string) => {
      const found = await confine({ workspace, home }, path, 'write');
      if (!found.ok) throw new Error(found.reason);
      return found;
    };
    const targets = [await confined('d/f'), await confined('d/g'), await confined('d/new/h')];
    renameSync(join(workspace, 'd'), join(workspace, 'moved'));
    symlinkSync(join(outside, 'target'), join(workspace, 'd'));
    for (const target of targets) await expect(replaceFile(target, Buffer.from('evil'), { home })).rejects.toThrow();
    expect(readdirSync(join(outside, 'target'))).toEqual([]);
    expect(readFileSync(join(workspace, 'moved/f'), 'utf8')).toBe('mine');
  });

  test('a missing parent made as a link by someone else in between is not entered', async () => {
    const { outside, workspace, home } = bench();
    mkdirSync(join(outside, 'target'));
    const found = await confine({ workspace, home }, 'made/later/f', 'write');
    if (!found.ok) throw new Error(found.reason);
    symlinkSync(join(outside, 'target'), join(workspace, 'made'));
    await expect(replaceFile(found, Buffer.from('evil'), { home })).rejects.toThrow();
    expect(readdirSync(join(outside, 'target'))).toEqual([]);
  });
});

describe('edit_file', () => {
  test('replaces exactly one place, taking the new text literally', async () => {
    const { put, run, workspace } = bench();
    put('f', 'a = 1;\nb = 2;\n');
    const outcome = await run('edit_file', { path: 'f', old_string: 'b = 2', new_string: "b = '$&$1$$'" });
    expect(outcome).toEqual({ success: true, output: 'Replaced 1 place (line 2) in f.', files_modified: ['f'] });
    expect(readFileSync(join(workspace, 'f'), 'utf8')).toBe("a = 1;\nb = '$&$1$$';\n");
  });

  test('says how often and where the text is when it is not once', async () => {
    const { put, run, workspace } = bench();
    put('f', 'x\ny\nx\nx\n');
    const many = await run('edit_file', { path: 'f', old_string: 'x', new_string: 'z' });
    expect(many).toMatchObject({ success: false, files_modified: [] });
    expect(many.output).toContain('3 times (lines 1, 3, 4)');
    expect((await run('edit_file', { path: 'f', old_string: 'q', new_string: 'z' })).output).toContain('nowhere in f');
    expect(readFileSync(join(workspace, 'f'), 'utf8')).toBe('x\ny\nx\nx\n');
    const all = await run('edit_file', { path: 'f', old_string: 'x', new_string: 'zz', replace_all: true });
    expect(all.output).toBe('Replaced 3 places in f.');
    expect(readFileSync(join(workspace, 'f'), 'utf8')).toBe('zz\ny\nzz\nzz\n');
  });

  test('places that overlap are not one place', async () => {
    const { put, run } = bench();
    put('f', 'aaa');
    expect((await run('edit_file', { path: 'f', old_string: 'aa', new_string: 'b' })).output).toContain('2 times');
  });

  test('in a CR LF file an edit written with LF fits, and the endings stay', async () => {
    const { put, run, workspace } = bench();
    put('dos', 'one\r\ntwo\r\nthree\r\n');
    await run('edit_file', { path: 'dos', old_string: 'one\ntwo', new_string: '1\n2\n2b' });
    expect(readFileSync(join(workspace, 'dos'), 'utf8')).toBe('1\r\n2\r\n2b\r\nthree\r\n');
    put('mixed', 'one\r\ntwo\nthree\r\n');
    const mixed = await run('edit_file', { path: 'mixed', old_string: 'one\ntwo', new_string: '1\n2' });
    expect(mixed.output).toContain('Some of its lines end with CR LF and others with LF');
  });

  test('keeps a byte order mark, refuses binary, other encodings and growth without bound', async () => {
    const { put, run, workspace } = bench({ fileBytesMax: 1_000 });
    put('bom', '\ufeffa');
    put('latin', Buffer.from([0x61, 0xe9]));
    put('binary', Buffer.from([0x61, 0]));
    put('many', 'a'.repeat(900));
    await run('edit_file', { path: 'bom', old_string: 'a', new_string: 'b' });
    expect(readFileSync(join(workspace, 'bom'), 'utf8')).toBe('\ufeffb');
    const edit = { old_string: 'a', new_string: 'b'.repeat(100_000), replace_all: true };
    expect((await run('edit_file', { path: 'latin', ...edit })).output).toContain('not UTF-8');
    expect((await run('edit_file', { path: 'binary', ...edit })).output).toContain('binary');
    expect((await run('edit_file', { path: 'many', ...edit })).output).toContain('too large; it may have 1000 bytes');
    expect(readFileSync(join(workspace, 'latin'))).toEqual(Buffer.from([0x61, 0xe9]));
  });

  // Each looked whether the file was still what it had read, and then put its own in place of what another had just put.
  test('loses none of many edits of one file at the same time', async () => {
    const { put, run, workspace } = bench();
    put('shared', 'start\n');
    const names = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const edit = (name: string) =>
      run('edit_file', { path: 'shared', old_string: 'start\n', new_string: `start\n${name}\n` });
    const outcomes = await Promise.all([
      ...names.map(edit),
      run('edit_file', { path: 'shared', old_string: 'none', new_string: '' }),
    ]);
    expect(outcomes.map(({ success }) => success)).toEqual([...names.map(() => true), false]);
    expect(readFileSync(join(workspace, 'shared'), 'utf8').split('\n').toSorted()).toEqual(
      ['', ...names, 'start'].toSorted(),
    );
  });

  test("does not overwrite somebody's change made after reading", async () => {
    const { put, workspace, home } = bench();
    put('f', 'read');
    const found = await confine({ workspace, home }, 'f', 'write');
    if (!found.ok) throw new Error(found.reason);
    const stats = statSync(found.absolute, { bigint: true });
    writeFileSync(found.absolute, 'changed by a person');
    await expect(replaceFile(found, Buffer.from('edited'), { home, expected: stats })).rejects.toThrow(
      'changed by someone else',
    );
    expect(readFileSync(found.absolute, 'utf8')).toBe('changed by a person');
    expect(readdirSync(workspace)).toEqual(['f']);
  });
});

describe('list_directory', () => {
  test('is sorted and marks kinds', async () => {
    const { put, run, workspace } = bench();
    put('b.txt', '');
    put('a/x', '');
    put('.hidden', '');
    put('Z', '');
    put('line\nbreak', '');
    symlinkSync('b.txt', join(workspace, 'link'));
    expect(await run('list_directory', {})).toEqual({
      success: true,
      output: '.hidden\nZ\na/\nb.txt\nline\\x0abreak\nlink@',
      files_modified: [],
    });
    expect((await run('list_directory', { path: 'a' })).output).toBe('x');
  });

  test('is capped with a note, and an empty directory says that it is', async () => {
    const { put, run, workspace } = bench({ listEntriesMax: 3 });
    for (const name of ['a', 'b', 'c', 'd']) put(`many/${name}`, '');
    mkdirSync(join(workspace, 'none'));
    const { output } = await run('list_directory', { path: 'many' });
    expect(output.split('\n')).toHaveLength(4);
    expect(output).toContain('[3 of more entries, whichever the disk gave first;');
    expect((await run('list_directory', { path: 'none' })).output).toBe('[the directory is empty]');
  });

  test('is cut between names, not inside one', async () => {
    const { put, run } = bench({ outputBytesMax: 128 + 20 });
    for (const name of ['a-name-1', 'a-name-2', 'a-name-3']) put(name, '');
    const note = '[more entries follow; search_files with a glob finds them]';
    expect((await run('list_directory', {})).output).toBe(`a-name-1\na-name-2\n${note}`);
  });

  test.each(['gone', 'file', 'out', '.ssh'])('%s is refused', async (path) => {
    const { put, run, outside, workspace } = bench();
    put('file', '');
    put('.ssh/id', '');
    symlinkSync(outside, join(workspace, 'out'));
    const outcome = await run('list_directory', { path });
    expect(outcome.success).toBe(false);
    expect(outcome.output).not.toContain(outside);
    expect(existsSync(join(workspace, 'out'))).toBe(true);
  });

  test('a file is said to be one, not to have an odd parent', async () => {
    const { put, run } = bench();
    put('file', '');
    expect((await run('list_directory', { path: 'file' })).output).toBe('"file" is not a directory.');
  });
});
