/** How the scripted model reads a task. */
import { expect, it } from 'vitest';
import { stepsOf } from '../../src/integrations/models/scripted-task.ts';

const TOOLS = new Set(['list_directory', 'read_file', 'write_file']);

function filesRead(task: string): readonly unknown[] {
  return stepsOf(task, TOOLS).flatMap(({ calls }) =>
    calls.filter(({ name }) => name === 'read_file').map(({ input }) => input.path),
  );
}

it('reads the files that a task names', () => {
  expect(filesRead('Compare ~/notes.txt with a~b.md and src/main.ts.')).toEqual([
    '~/notes.txt',
    'a~b.md',
    'src/main.ts',
  ]);
});

function filesWritten(task: string): readonly unknown[] {
  return stepsOf(task, TOOLS).flatMap(({ calls }) =>
    calls
      .filter(({ name }) => name === 'write_file')
      .map(({ input, writesNotes }) => [input.path, writesNotes ? 'notes' : input.content]),
  );
}

it.each([
  ['write "a, b" to hello.txt', [['hello.txt', 'a, b']]],
  ['Write a short text "hi" to hello.txt.', [['hello.txt', 'hi']]],
  ['put the text “hi” into the new file docs/hello.md', [['docs/hello.md', 'hi']]],
  ['Write a summary of README.md to SUMMARY.md.', [['SUMMARY.md', 'notes']]],
  [
    'write "one" to a.txt, then save it as b.txt',
    [
      ['a.txt', 'one'],
      ['b.txt', 'notes'],
    ],
  ],
  [
    'Make notes.md, and add a file todo.md',
    [
      ['notes.md', 'notes'],
      ['todo.md', 'notes'],
    ],
  ],
  ['Make main.ts faster and add old.ts to the index', []],
  ['Put a comment into main.ts, write an entry to CHANGELOG.md and check the write access to a.txt', []],
  ['Write tests, then look into main.ts', []],
  ['Do not write to main.ts', []],
])('writes the files that a task asks for, no other: %s', (task, files) => expect(filesWritten(task)).toEqual(files));

it('reads a long run of ~ in linear time', () => {
  expect(filesRead('~'.repeat(1_000_000))).toEqual([]);
});
