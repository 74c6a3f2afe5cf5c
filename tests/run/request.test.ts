/** The request to the model that is due: its prompt, its tools, and what is left out of a long conversation. */
import { describe, expect, it } from 'vitest';
import { type AgentRequest, buildRequest, describeTools } from '../../src/commands/run/request.ts';
import type { HarnessSettings } from '../../src/events/harness.ts';
import type { Message, RunRequest } from '../../src/events/run/events.ts';
import { INPUTS } from '../../src/testing/commands/run-inputs.ts';
import { drive } from '../support/run.ts';

function requestOf(changes: Partial<RunRequest>, settings: Partial<HarnessSettings> = {}): AgentRequest {
  return buildRequest(drive(changes).state, { ...INPUTS, settings: { ...INPUTS.settings, ...settings } });
}

describe('the prompt', () => {
  const FACTS = 'Workspace: /work\nApproval policy: full-auto';
  const compact = requestOf({}).system;

  it('has parts with an empty line between them, the facts of the run last', () => {
    const [general, facts, ...more] = compact.split('\n\n');
    expect(general).toMatch(/^You are Daybook, an agent/);
    expect([facts, more]).toEqual([FACTS, []]);
  });
  it('says in full how to work, if the model’s dialect wants it', () => {
    const [general, details, facts] = requestOf({}, { prompt_dialect: 'full' }).system.split('\n\n');
    expect(compact.startsWith(`${general}\n\n`)).toBe(true);
    expect(details).toMatch(/^How to work:\n1\. /);
    expect(facts).toBe(FACTS);
  });
  it('says of an interactive run that a person is asked', () => {
    const interactive = { approval_prefix: 'apr', timeout_ms: 60_000 };
    expect(requestOf({ interactive }).system).toMatch(
      /\nApproval policy: full-auto\n.*a person is asked about each call/,
    );
    expect(compact).not.toContain('a person');
  });
  it('ends with the suffix of the model’s profile', () => {
    expect(requestOf({}, { system_prompt_suffix: 'Answer in Welsh.' }).system).toBe(`${compact}\n\nAnswer in Welsh.`);
  });
  it('of a run without tools has no word of them', () => {
    const { system, tools } = requestOf({ approval: 'chat-only' });
    expect(system).toMatch(/^You are Daybook, an assistant .*you have no tools here\.$/);
    expect(tools).toEqual([]);
  });
});

describe('the tools', () => {
  const tool = { name: 'mcp__x__look', description: 'Looks.', input_schema: { type: 'object' } };

  it('are those that the run may see, and those of its session', () => {
    const tools: RunRequest['tools'] = [
      { name: 'read_file', class: 'read', idempotent: true },
      { name: tool.name, class: 'execute', idempotent: false },
    ];
    const { tools: shown } = requestOf({ tools, session_tools: [tool] });
    expect(shown).toEqual([{ name: 'read_file', description: 'read_file', input_schema: { type: 'object' } }, tool]);
  });
  it('are described by name, description and schema alone', () => {
    const whole = { ...tool, class: 'execute' };
    expect(describeTools([whole])).toEqual([tool]);
  });
});

describe('a long conversation of a run that recorded no rule for it', () => {
  const output = (length: number): Message => {
    return { role: 'tool', call_id: 'c', name: 'bash', output: 'o'.repeat(length), is_error: false };
  };
  const person = (length: number): Message => ({ role: 'user', content: 'u'.repeat(length) });
  /** Its input has 2 characters. */
  const model = (length: number): Message => {
    return { role: 'assistant', content: 'a'.repeat(length), tool_calls: [{ id: 'c', name: 'bash', input: {} }] };
  };

  /** Which messages are left out in a window of so many tokens, of which each is taken for 2.8 characters. */
  function leftOut(messages: readonly Message[], tokens: number): readonly number[] {
    const settings = { ...INPUTS.settings, context_window_fallback: tokens };
    const asked = buildRequest({ ...drive().state, messages }, { ...INPUTS, settings }).messages;
    return asked.flatMap((message, index) => {
      if (message === messages[index]) return [];
      expect(message).toMatchObject({ ...messages[index], output: expect.stringContaining('was left out') });
      return [index];
    });
  }

  it.each([
    { text: 598, tokens: 1_000, out: [], what: 'fits to a character' },
    { text: 599, tokens: 1_000, out: [1], what: 'is a character too long' },
    // With its note in place of an output of 1 000 characters.
    { text: 598, tokens: 679, out: [1], what: 'fits without the oldest output' },
    { text: 598, tokens: 500, out: [1, 2], what: 'fits without two outputs' },
    { text: 598, tokens: 1, out: [1, 2, 3], what: 'does not fit' },
  ])('loses its oldest outputs first, as far as it must, when it $what', ({ text, tokens, out }) => {
    const newest = Array.from({ length: 15 }, () => person(0));
    const messages = [person(100), output(1_000), output(1_000), output(100), model(text), ...newest];
    expect(leftOut(messages, tokens)).toEqual(out);
  });

  it.each([
    { count: 4, kept: 4 },
    { count: 8, kept: 4 },
    { count: 20, kept: 5 },
  ])('of $count messages keeps the newest $kept', ({ count, kept }) => {
    const messages = Array.from({ length: count }, () => output(200));
    expect(leftOut(messages, 1)).toEqual(Array.from({ length: count - kept }, (_, index) => index));
  });

  it('keeps an output that is as short as the note in its place', () => {
    const long = Array.from({ length: 6 }, () => output(200));
    const settings = { ...INPUTS.settings, context_window_fallback: 1 };
    const [first] = buildRequest({ ...drive().state, messages: long }, { ...INPUTS, settings }).messages;
    const note = first?.role === 'tool' ? first.output.length : 0;
    expect(leftOut([output(note), output(note + 1), ...long], 1)).toEqual([1, 2, 3]);
  });

  it('has less room beside rules of plugins, by their length', () => {
    const guidance = { rules: [{ plugin: 'p', name: 'n', text: 'x'.repeat(900) }], skills: [] };
    const messages = Array.from({ length: 8 }, () => output(200));
    // About 1 000 characters of rules, which are 0.8 of as many in the conversation.
    const left = (tokens: number): number => {
      const settings = { ...INPUTS.settings, context_window_fallback: tokens };
      const asked = buildRequest({ ...drive({ guidance }).state, messages }, { ...INPUTS, settings }).messages;
      return asked.filter((message, index) => message !== messages[index]).length;
    };
    expect([left(600), left(900)]).toEqual([4, 0]);
  });
});

describe('a long conversation', () => {
  const call = (length: number): Message => {
    const input = { path: 'a.ts', edits: [{ old: 'short', new: 'n'.repeat(length) }], dry: false };
    return { role: 'assistant', content: 'I write it.', tool_calls: [{ id: 'c', name: 'edit_file', input }] };
  };
  const result = (length: number): Message => {
    return { role: 'tool', call_id: 'c', name: 'edit_file', output: 'o'.repeat(length), is_error: false };
  };
  /** A task, and `count` steps with an input and an output of so many characters each. */
  const steps = (count: number, size = 1_000): readonly Message[] => [
    { role: 'user', content: 'u'.repeat(1_000) },
    ...Array.from({ length: count }, () => [call(size), result(size)]).flat(),
  ];
  /** The conversation in a window for less than 10 000 characters. */
  function shown(messages: readonly Message[]): readonly Message[] {
    const settings = { ...INPUTS.settings, context_window_fallback: 3_572 };
    const { state } = drive({ context_policy: 'outputs-and-inputs' });
    return buildRequest({ ...state, messages }, { ...INPUTS, settings }).messages;
  }
  const size = (messages: readonly Message[]): number => JSON.stringify(messages).length;
  const shortened = (messages: readonly Message[]): number => {
    const seen = shown(messages);
    return messages.filter((message, index) => message !== seen[index]).length;
  };

  it('fits however many steps it has, and its newest step is whole', () => {
    for (const count of [5, 10, 40, 200]) {
      const messages = steps(count);
      const seen = shown(messages);
      // Each call and its result cost 300 characters without their texts.
      expect(size(seen)).toBeLessThan(12_000 + count * 400);
      expect([seen[0], ...seen.slice(-4)]).toEqual([messages[0], ...messages.slice(-4)]);
    }
  });

  it('keeps of an older call all but its long texts', () => {
    const [, asked, answered] = shown(steps(10));
    expect(asked).toEqual({
      role: 'assistant',
      content: 'I write it.',
      tool_calls: [
        {
          id: 'c',
          name: 'edit_file',
          input: {
            path: 'a.ts',
            edits: [{ old: 'short', new: expect.stringContaining('was left out to fit the context window') }],
            dry: false,
          },
        },
      ],
    });
    expect(answered).toMatchObject({ call_id: 'c', output: expect.stringContaining('run the tool again') });
  });

  it('keeps all results of the newest step, which the model has not seen', () => {
    const results = Array.from({ length: 8 }, () => result(2_000));
    const messages = [...steps(3), call(10), ...results];
    expect(shown(messages).slice(-8)).toEqual(results);
  });

  it('is shortened in steps of a quarter, so that the beginning of requests stays the same between them', () => {
    const counts = Array.from({ length: 12 }, (_, index) => shortened(steps(20 + index, 200)));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(new Set(counts).size).toBeLessThan(counts.length - 3);
  });

  it('has less room beside a long prompt or the tools of many servers', () => {
    const messages = steps(4);
    const asked = (changes: Partial<RunRequest>, settings: Partial<HarnessSettings> = {}): number => {
      const window = { ...INPUTS.settings, context_window_fallback: 4_000, ...settings };
      const { state } = drive({ context_policy: 'outputs-and-inputs', ...changes });
      const seen = buildRequest({ ...state, messages }, { ...INPUTS, settings: window }).messages;
      return messages.filter((message, index) => message !== seen[index]).length;
    };
    const tool = { name: 'look', description: 'd'.repeat(4_000), input_schema: {} };
    const known: RunRequest['tools'] = [{ name: 'look', class: 'execute', idempotent: false }];
    expect(asked({})).toBe(0);
    expect(asked({}, { system_prompt_suffix: 's'.repeat(4_000) })).toBeGreaterThan(0);
    expect(asked({ tools: known, session_tools: [tool] })).toBeGreaterThan(0);
  });

  it('that fits is not touched', () => {
    const messages = steps(4);
    expect(shown(messages)).toBe(messages);
  });
});
