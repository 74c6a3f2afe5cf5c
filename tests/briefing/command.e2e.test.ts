/** `daybook briefing` against a real daemon. */
import { expect, it } from 'vitest';
import { cliHere } from '../cli/support.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { post } from './support.ts';

const daemon = sharedDaemon();

it('says how to make the first one, makes one and follows it, shows it again, and has it whole as JSON', async () => {
  const { home } = daemon;
  const none = await cliHere(['briefing'], { home });
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('daybook briefing --generate')]);
  await post(daemon, '/v1/goals', { title: 'Ship \u001b[31mit' });
  const made = await cliHere(['briefing', '--generate', '--hours', '2'], { home });
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(made.stdout).toMatch(/^# Briefing, /);
  expect(made.stdout).toContain('created');
  expect(made.stdout).not.toContain('\u001b[31m');
  const again = await cliHere(['briefing'], { home });
  expect(again.stdout).toBe(made.stdout);
  const json = JSON.parse((await cliHere(['briefing', '--json'], { home })).stdout) as {
    facts: object;
    settings: object;
  };
  expect(json).toMatchObject({ status: 'written', settings: { hours: 2 }, facts: { goals: { active: 1 } } });
});

it('refuses what makes no sense', async () => {
  const { home } = daemon;
  const wrong = await cliHere(['briefing', '--generate', '--hours', 'x'], { home });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--hours must be')]);
  expect((await cliHere(['briefing', '--hours', '2'], { home })).code).toBe(2);
});
