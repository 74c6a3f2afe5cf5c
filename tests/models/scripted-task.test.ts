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

it('reads a long run of ~ in linear time', () => {
  expect(filesRead('~'.repeat(1_000_000))).toEqual([]);
});
