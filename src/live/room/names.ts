/** Rules for the ids of rooms and the names of peers, and the colours of peers. */

/** A stream's name has at most 255 bytes; the id of its room is part of it. */
export const ROOM_ID_BYTES_MAX = 200;
const NAME_CHARACTERS_MAX = 64;
const NAMELESS = 'Anonymous';

/** Given to the peers of a room in turn. */
const COLORS = ['#e06c75', '#61afef', '#98c379', '#e5c07b', '#c678dd', '#56b6c2', '#d19a66', '#7f9cf5'] as const;

/** Why a room cannot have this id; null when it can. */
export function roomIdFault(id: string): string | null {
  if (id === '') return 'must not be empty';
  // URL parsers remove these segments from the path, also when they are written as %2e.
  if (id === '.' || id === '..') return 'must not be . or .., which no URL can name';
  if (!id.isWellFormed() || /\p{Cc}/u.test(id)) return 'must hold no control characters and no half characters';
  if (Buffer.byteLength(id) > ROOM_ID_BYTES_MAX) return `must have at most ${ROOM_ID_BYTES_MAX} bytes`;
  return null;
}

/** The given name without control characters, cut to NAME_CHARACTERS_MAX. */
export function peerName(given: string | null): string {
  const kept = (given ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim();
  return [...kept].slice(0, NAME_CHARACTERS_MAX).join('') || NAMELESS;
}

/** `ordinal` counts the peers that have entered since the room was loaded, from 0. */
export function peerColor(ordinal: number): string {
  return COLORS[ordinal % COLORS.length]!;
}
