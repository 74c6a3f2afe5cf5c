/** The name under which other peers of a room see this user. */
import { signal } from '@preact/signals';
import { inBrowser } from '../../lib/storage.ts';

const NAME_KEY = 'daybook.name';
const NAME_DEFAULT = 'Anonymous';
const NAME_CHARACTERS_MAX = 64;

/** The name of this user that other peers of a room see; kept in this browser. */
export const personName = signal(inBrowser.get(NAME_KEY) ?? NAME_DEFAULT);

export function rename(name: string): void {
  personName.value = name.slice(0, NAME_CHARACTERS_MAX) || NAME_DEFAULT;
  inBrowser.set(NAME_KEY, personName.value);
}
