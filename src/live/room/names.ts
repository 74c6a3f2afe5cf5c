/** What rooms and the people in them may be called, and their colours. */

/** A stream's name has at most 255 bytes, and the room's id is most of it. */
export const ROOM_ID_BYTES_MAX = 200;
const NAME_CHARACTERS_MAX = 64;
const NAMELESS = 'Anonymous';

/** Of the peers of a room, one after the other. */
const COLORS = ['#e06c75', '#61afef', '#98c379', '#e5c07b', '#c678dd', '#56b6c2', '#d19a66', '#7f9cf5'] as const;

/** Why a room cannot have this id; null when it can. */
export function roomIdFault(id: string): string | null {
  if (id === '') return 'must not be empty';
  // A client that reads URLs as a browser does takes these out of the path, also written as %2e.
  if (id === '.' || id === '..') return 'must not be . or .., which no URL can name';
  if (!id.isWellFormed() || /\p{Cc}/u.test(id)) return 'must hold no control characters and no half characters';
  if (Buffer.byteLength(id) > ROOM_ID_BYTES_MAX) return `must have at most ${ROOM_ID_BYTES_MAX} bytes`;
  return null;
}

/** As it was given, without what no name needs, cut where it is too long. */
export function peerName(given: string | null): string {
  const kept = (given ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim();
  return [...kept].slice(0, NAME_CHARACTERS_MAX).join('') || NAMELESS;
}

/** `ordinal` counts from 0 everybody who ever entered while the room was open. */
export function peerColor(ordinal: number): string {
  return COLORS[ordinal % COLORS.length]!;
}
