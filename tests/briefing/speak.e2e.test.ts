/** Markdown read aloud: sound where espeak-ng is installed, and clear error messages everywhere. */
import { describe, expect, it } from 'vitest';
import { daemonHere, sharedDaemon } from '../support/daemon.ts';
import { binFolder, ESPEAK } from '../voice/programs.ts';
import { post } from './support.ts';

const daemon = sharedDaemon();

describe('POST /briefing/speak', () => {
  it.each([
    [{}, /text/],
    [{ text: 7 }, /text/],
    [{ text: '' }, /nothing to say/],
    [{ text: '# \n\n---\n' }, /nothing to say/],
  ])('refuses %j', async (body, message) => {
    const response = await post(daemon, '/briefing/speak', body);
    const { error } = (await response.json()) as { error: string };
    expect([response.status, error]).toEqual([400, expect.stringMatching(message)]);
  });
  it('refuses more than is read, or spoken, at once', async () => {
    for (const text of ['x'.repeat(100_001), 'word '.repeat(19_000)]) {
      const response = await post(daemon, '/briefing/speak', { text });
      expect([response.status, await response.json()]).toEqual([413, { error: expect.stringMatching(/characters/) }]);
    }
  });
  it('counts characters, not UTF-16 units', async () => {
    const answered = async (text: string) => (await post(daemon, '/briefing/speak', { text })).json();
    expect(await answered('😀'.repeat(100_001))).toEqual({ error: expect.stringContaining('at most 100000') });
    expect(await answered('😀'.repeat(50_001))).not.toEqual({ error: expect.stringContaining('at most 100000') });
  });
  it('names what to install on a machine without a speech program', async () => {
    const mute = await daemonHere({ env: { PATH: binFolder({}) } });
    const response = await post(mute, '/briefing/speak', { text: 'Good morning' });
    expect([response.status, await response.json()]).toEqual([
      503,
      { error: expect.stringContaining('install espeak-ng') },
    ]);
  });
});

describe.skipIf(ESPEAK === null)('with espeak-ng', () => {
  it('answers a WAV file that is longer the more there is to say; marks of markdown are not read', async () => {
    const wav = async (text: string): Promise<Buffer> => {
      const response = await post(daemon, '/briefing/speak', { text });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
      return Buffer.from(await response.arrayBuffer());
    };
    const plain = await wav('Good morning. One run failed.');
    expect(plain.toString('latin1', 0, 4) + plain.toString('latin1', 8, 12)).toBe('RIFFWAVE');
    expect(plain.readUInt32LE(4)).toBe(plain.length - 8);
    expect([plain.readUInt16LE(20), plain.readUInt16LE(22), plain.readUInt16LE(34)]).toEqual([1, 1, 16]);
    expect(plain.subarray(44).some((byte) => byte !== 0)).toBe(true);
    const long = await wav('Good morning. One run failed. Two goals were touched, and three engagements moved.');
    expect(long.length).toBeGreaterThan(plain.length);
    const marked = await wav('**Good morning.** `One` run [failed](https://example.test/a/b/c).');
    expect(marked.length).toBe(plain.length);
  });
});
