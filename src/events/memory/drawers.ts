/**
 * Drawers: texts kept word for word in chunks. Appended by the chunk route, all texts of one source on one stream
 * `drawer-<source key>`.
 *
 * - A text is its places in order. A place holds a drawer of its own, points at a drawer that holds the same words
 *   (`of`), or keeps words that are not worth a drawer: nearly those of a recent one, or blank.
 */
import { z } from 'zod';
import { define, type EventIn } from '../define.ts';

export const zPlace = z.object({
  /** The drawer's id, or of a place without a drawer its own. */
  id: z.string(),
  text_id: z.string(),
  index: z.int().nonnegative(),
  /** Characters (code points) from the beginning of the text. */
  start: z.int().nonnegative(),
  kind: z.enum(['new', 'exact', 'near', 'blank']),
  /** The drawer it repeats, exactly or nearly; of a text that was recalled, whatever of ours it repeats. */
  of: z.string().nullable(),
  /** Empty when `kind` is exact: the words are in the drawer `of`. */
  content: z.string(),
  source: z.string(),
  /** Content and source as ciphertext, and both are empty; null without encryption. */
  sealed: z.string().nullable(),
  content_key: z.string(),
  line_key: z.string(),
  source_key: z.string(),
  wing: z.string(),
  room: z.string(),
});
export type Place = z.infer<typeof zPlace>;

const zText = z.object({
  text_id: z.string(),
  text_key: z.string(),
  chunks: z.int(),
  created: z.int(),
  exact: z.int(),
  near: z.int(),
  blank: z.int(),
});
export type ChunkedText = z.infer<typeof zText>;

export const drawerEvents = {
  /** One ingestion, summed up; the places follow. No text in it. */
  TextChunked: define('TextChunked', zText),
  /** The same of before encryption, under its new key. */
  TextSealed: define('TextSealed', zText.extend({ repeated: z.int(), positions: z.array(z.int().positive()) })),
  /** The very text again under the same source: counted (blank chunks aside), nothing is stored. */
  TextRepeated: define('TextRepeated', z.object({ text_key: z.string(), chunks: z.int() })),
  DrawerStored: define('DrawerStored', zPlace),
  /** A place of before encryption as ciphertext; the event before it is erased. */
  DrawerSealed: define('DrawerSealed', zPlace.extend({ created_at: z.int(), position: z.int().positive() })),
  /** The texts it was a piece of are not whole any more: stored again they are new. */
  DrawerDeleted: define(
    'DrawerDeleted',
    z.object({ id: z.string(), text_ids: z.array(z.string()), positions: z.array(z.int().positive()) }),
  ),
} as const;

export type DrawerEvent = EventIn<typeof drawerEvents>;
