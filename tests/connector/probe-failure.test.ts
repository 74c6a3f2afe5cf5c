/** What the owner of a connector reads about a probe that failed: harmless, short, and without a credential. */
import { describe, expect, it } from 'vitest';
import { endedEarly, notStarted, refused } from '../../src/integrations/mcp/probe-failure.ts';
import { createRedactor } from '../../src/integrations/mcp/redact.ts';

const SECRET = 'sekrit/+value=of 42?';
const redactor = createRedactor([SECRET]);

describe('a program that does not start', () => {
  const missing = Object.assign(new Error(), { code: 'ENOENT' });

  it.each([
    ['npx', 'The program npx was not found: install Node.js, which brings it (https://nodejs.org).'],
    ['/opt/uvx', 'The program uvx was not found: install uv, which brings it (https://docs.astral.sh/uv).'],
    ['node server.js', 'The program node server.js was not found: its arguments belong in args, one each.'],
    ['mine', 'The program mine was not found: install it, or give the connector its full path.'],
    ['red\u001b[31m\u0007', 'The program red was not found: install it, or give the connector its full path.'],
    [
      encodeURIComponent(SECRET),
      'The program [redacted] was not found: install it, or give the connector its full path.',
    ],
  ])('is named with what to do: %j', (command, sentence) => {
    expect(notStarted(missing, command, redactor)).toBe(sentence);
  });

  it('is named with the code of any other failure, and cut to 200 characters', () => {
    const failure = Object.assign(new Error(), { code: 'ENAMETOOLONG' });
    expect(notStarted(failure, `/bin/much${'x'.repeat(1_000)}`, redactor)).toBe(
      `The program much${'x'.repeat(196)}… cannot be started (ENAMETOOLONG).`,
    );
    expect(notStarted(new Error(), 'x', redactor)).toBe('The program x cannot be started (an unknown error).');
  });
});

describe('the last words of a server', () => {
  const ended = (text: string, { cut = false, secrets = [SECRET] } = {}) =>
    endedEarly(
      { kind: 'exited', code: 1, signal: null },
      { command: 'x', said: { text, cut }, redactor: createRedactor(secrets) },
    );

  it('are shown without its credential, in whatever form it is written', () => {
    const bytes = Buffer.from(SECRET);
    const forms = [
      SECRET,
      encodeURIComponent(SECRET),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      Buffer.from(`user:${SECRET}`).toString('base64'),
      Buffer.from(`x${SECRET}y`).toString('base64url'),
      bytes.toString('hex'),
      JSON.stringify(SECRET),
      `${SECRET.slice(0, 5)}\u001b[31m${SECRET.slice(5)}`,
      new URLSearchParams({ key: SECRET }).toString(),
    ];
    const words = ended(forms.map((form, index) => `${index}<${form}>`).join('\n'));
    for (const [index, form] of forms.entries()) {
      expect(words).toContain(`${index}<`);
      expect(words).not.toContain(form);
    }
    expect(words.match(/\[redacted\]/g)).toHaveLength(forms.length);
  });
  it('are cut without half a credential at the beginning', () => {
    const long = Array.from({ length: 2_000 }, (_, index) => `part-${index}`).join(' ');
    const words = ended(long.repeat(20).slice(-80_000), { cut: true, secrets: [long] });
    expect(words).toMatch(/^The server ended with exit code 1 .* It said: (\[redacted\])+$/);
    expect(ended('x'.repeat(3_000))).toMatch(/It said: …x{2000}$/);
  });
  it('may be none', () => {
    expect(ended(' \n')).toBe('The server ended with exit code 1 before it had listed its tools. It said nothing.');
  });
});

it('a refusal of the server is shown without a credential', () => {
  expect(refused(`The key ${SECRET} was refused.`, redactor)).toBe(
    'The server did not list its tools: The key [redacted] was refused.',
  );
});
