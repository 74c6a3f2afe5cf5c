/**
 * A Map in memory, as the upper limit of the language. Its keys are strings made of the bytes, because a Map cannot
 * look up bytes; its values are copies, as in a store.
 */
import type { Put } from '../data.ts';
import type { Subject } from './subject.ts';

export async function openMap(): Promise<Subject> {
  const map = new Map<string, Uint8Array>();
  const put = ({ key, value }: Put): void => {
    map.set((key as Buffer).toString('latin1'), value.slice());
  };
  return {
    load: (batch) => {
      for (const each of batch) put(each);
    },
    get: (key) => map.get((key as Buffer).toString('latin1')),
    put,
    close: () => map.clear(),
  };
}
