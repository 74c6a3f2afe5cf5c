/** Rules for the ids of rooms and the names of peers, and the colours of peers. */
import { cut } from '../../lib/characters.ts';

/** The name of a stream, which includes the room's id, has at most 255 bytes. */
export const ROOM_ID_BYTES_MAX = 200;
const NAME_CHARACTERS_MAX = 64;
const NAMELESS = 'Anonymous';

const COLORS = ['#e06c75', '#61afef', '#98c379', '#e5c07b', '#c678dd', '#56b6c2', '#d19a66', '#7f9cf5'] as const;

/** Why a room cannot have this id; null when it can. */
export function roomIdFault(id: string): string | null {
  if (id === '') return 'must not be empty';
  // URL parsers remove these segments from the path, even if they are written as %2e.
  if (id === '.' || id === '..') return 'must not be . or .., which no URL can name';
  if (!id.isWellFormed() || /\p{Cc}/u.test(id)) return 'must hold no control characters and no half characters';
  if (Buffer.byteLength(id) > ROOM_ID_BYTES_MAX) return `must have at most ${ROOM_ID_BYTES_MAX} bytes`;
  return null;
}

/** The requested name without control characters, cut to NAME_CHARACTERS_MAX. */
export function peerName(requested: string | null): string {
  const visible = (requested ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim();
  return cut(visible, NAME_CHARACTERS_MAX).text || NAMELESS;
}

/** `ordinal` counts the peers that have entered since the room was loaded, from 0. */
export function peerColor(ordinal: number): string {
  return COLORS[ordinal % COLORS.length]!;
}
