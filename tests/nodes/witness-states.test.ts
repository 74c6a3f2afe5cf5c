import { describe, expect, it } from 'vitest';
import { createWitnessStates, sharedWitnessStates } from '../../src/integrations/tlog/witness-states.ts';
import type { WitnessTable } from '../../src/ports/witness-states.ts';

const note = (size: number): string => `log.example\n${size}\nroot\n\n— sig\n`;

function table() {
  const notes = new Map<string, string>();
  const made: WitnessTable = {
    witnessed: async (origin) => notes.get(origin) ?? null,
    async witness(origin, next, before) {
      if ((notes.get(origin) ?? null) !== before) return false;
      notes.set(origin, next);
      return true;
    },
  };
  return { notes, made };
}

describe('what several daemons of a log cosigned', () => {
  it('is the same for all of them', async () => {
    const { made } = table();
    const [a, b] = [
      sharedWitnessStates(createWitnessStates(null), made),
      sharedWitnessStates(createWitnessStates(null), made),
    ];
    await a.write('log', note(5), null);
    expect(await b.read('log')).toBe(note(5));
    await b.write('log', note(7), note(5));
    expect(await a.read('log')).toBe(note(7));
  });

  it('is not replaced by who read it before another one replaced it', async () => {
    const { made } = table();
    const [a, b] = [
      sharedWitnessStates(createWitnessStates(null), made),
      sharedWitnessStates(createWitnessStates(null), made),
    ];
    await a.write('log', note(5), null);
    await b.write('log', note(7), note(5));
    await expect(a.write('log', note(6), note(5))).rejects.toThrow('Another daemon of this log cosigned');
    expect(await a.read('log')).toBe(note(7));
  });

  it('is not forgotten by a daemon whose database lost it', async () => {
    const { notes, made } = table();
    const a = sharedWitnessStates(createWitnessStates(null), made);
    await a.write('log', note(5), null);
    await a.write('log', note(9), note(5));
    notes.set('log', note(5));
    expect(await a.read('log')).toBe(note(9));
    await a.write('log', note(10), note(9));
    expect(notes.get('log')).toBe(note(10));
  });

  it('is not guessed while the database cannot be asked', async () => {
    const away = () => Promise.reject(new Error('out of reach'));
    const a = sharedWitnessStates(createWitnessStates(null), { witnessed: away, witness: away });
    await expect(a.read('log')).rejects.toThrow('cannot be asked for: out of reach');
    await expect(a.write('log', note(1), null)).rejects.toThrow('cannot be asked for: out of reach');
  });
});
