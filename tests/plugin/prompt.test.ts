/** Plugins in the prompt of the runs that can use them, counted against the model's context window. */
import { describe, expect, it } from 'vitest';
import { replayRun } from '../../src/commands/run/replay.ts';
import { buildRequest } from '../../src/commands/run/request.ts';
import type { Guidance } from '../../src/events/run/events.ts';
import { INPUTS } from '../../src/testing/commands/run-inputs.ts';
import { drive } from '../support/run.ts';

const rule = { plugin: 'core-x', name: 'calm', text: '# Calm\n\nStay calm.\n' };
const facts = { plugin: 'core-y', name: 'look', description: 'Use when lost.' };
const file = '.vibecli/plugins/core-y/skills/look.md';
const guidance: Guidance = { rules: [rule], skills: [{ ...facts, file }] };

const systemOf = (given: Guidance | undefined, changes = {}): string =>
  buildRequest(drive({ ...(given && { guidance: given }), ...changes }).state, INPUTS).system;

describe('a prompt', () => {
  it('without guidance says nothing of it', () => {
    expect(systemOf(undefined)).not.toMatch(/rule|skill/i);
    expect(systemOf({ rules: [], skills: [] })).toBe(systemOf(undefined));
  });
  it('has the rules in full and of a skill what it is for and where it is', () => {
    expect(systemOf(guidance)).toContain('## Rule calm\n\n# Calm\n\nStay calm.');
    expect(systemOf(guidance)).toContain(`- look: Use when lost. (${file})`);
  });
  it('has the text of a skill that is out of reach, with and without tools', () => {
    const guidance: Guidance = { rules: [], skills: [{ ...facts, text: 'Look twice.' }] };
    expect(systemOf(guidance)).toContain('## Skill look\n\nLook twice.');
    expect(systemOf(guidance, { approval: 'chat-only' })).toContain('Look twice.');
  });
  it('lists no skill for a run that reads no files', () => {
    const system = systemOf(guidance, { approval: 'chat-only' });
    expect([system.includes('Stay calm.'), system.includes(file)]).toEqual([true, false]);
  });
});

describe('guidance', () => {
  const long = 'x'.repeat(4_000);
  const settings = { ...INPUTS.settings, context_window_fallback: 10_000 };

  /** How many tool outputs of a conversation of 24 000 characters are left in a window of 28 000. */
  function outputsKept(given: Guidance | undefined): number {
    const driven = drive({ ...(given && { guidance: given }) });
    for (let index = 0; index < 6; index += 1) {
      driven.answer('', { name: 'read_file', id: `r${index}` });
      driven.tool(true, long);
    }
    const { messages } = buildRequest(driven.state, { ...INPUTS, settings });
    return messages.filter((message) => message.role === 'tool' && message.output === long).length;
  }

  it('takes its room from the oldest outputs of a long conversation', () => {
    expect(outputsKept(undefined)).toBe(6);
    expect(outputsKept({ rules: [{ ...rule, text: 'y'.repeat(8_000) }], skills: [] })).toBeLessThan(6);
  });
  it('is part of what a replay compares', () => {
    const driven = drive({ guidance });
    driven.answer('Done.');
    expect(replayRun(driven.events, INPUTS.tools).identical).toBe(true);
    const without = driven.events.map((event) => {
      if (event.type !== 'RunRequested') return event;
      const { guidance: _, ...data } = event.data;
      return { ...event, data };
    });
    expect(replayRun(without, INPUTS.tools).divergence).toMatchObject({ field: 'data.request_hash' });
  });
});
