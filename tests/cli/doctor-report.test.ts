/** How `daybook doctor` shows its findings on a terminal. */
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { report } from '../../src/cli/doctor/command.ts';
import { asTerminal } from './as-terminal.ts';

beforeEach(() => asTerminal(process.stdout, { columns: 60 }));

// Details were cut at the width: of a workspace its path, of a warning what it is about.
test('what does not fit is wrapped below its beginning, and nothing is cut', () => {
  const path = `/home/ada/${'folder/'.repeat(10)}shop`;
  const findings = [
    { name: 'node', state: 'ok', detail: '24.21.0' },
    {
      name: 'settings',
      state: 'warning',
      detail: `defaults and environment; workspace ${path}`,
      mend: 'choose another',
    },
  ] as const;
  expect(stripVTControlCharacters(report(findings))).toBe(
    [
      '✓  node      24.21.0',
      '!  settings  defaults and environment; workspace',
      `             ${path}`,
      '             → choose another',
      '',
      'Everything that is needed works.',
      '',
    ].join('\n'),
  );
});
