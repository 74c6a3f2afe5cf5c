/** Tiles of height 8 (c2sp.org/tlog-tiles): 256 hashes of one level, and the paths that name them. */

/** Hashes of a full tile. */
export const TILE_HASHES = 256;
const LEVEL_MAX = 63;

export interface Tile {
  /** 0 holds leaf hashes; each hash of a level stands for a full tile of the level below. */
  readonly level: number;
  readonly index: number;
  /** Number of hashes: 256, or fewer in the last tile of a level. */
  readonly width: number;
}

/** Reads `<L>/<N>[.p/<W>]`; null for any other text. */
export function parseTilePath(path: string): Tile | null {
  const match = /^(0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path);
  if (match === null) return null;
  const [, level = '', groups = '', width] = match;
  // A number has one path: no group of zeros in front.
  if (groups.startsWith('x000/')) return null;
  const tile = {
    level: Number(level),
    index: Number(groups.replace(/[x/]/g, '')),
    width: width === undefined ? TILE_HASHES : Number(width),
  };
  const isTile = tile.level <= LEVEL_MAX && Number.isSafeInteger(tile.index);
  return isTile && (width === undefined || tile.width < TILE_HASHES) ? tile : null;
}

/** Whether a tree of `size` leaves has all hashes of the tile. */
export function hasTile(size: number, { level, index, width }: Tile): boolean {
  return index * TILE_HASHES + width <= Math.floor(size / TILE_HASHES ** level);
}
