/** Texts of yjs documents that programs without an editor can read and change. */
import type { Text } from 'yjs';

/**
 * Whether a shared type holds characters and nothing else. An editor may keep other content under a name: paragraphs,
 * a map, a picture in the text. `toString` leaves it out, so positions in that string are not those of the type.
 */
export function isPlainText(shared: Text): boolean {
  return shared.length === shared.toString().length && Object.keys(shared.getAttributes()).length === 0;
}
