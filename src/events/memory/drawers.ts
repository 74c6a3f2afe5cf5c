/**
 * Drawers: texts stored word for word in chunks. Appended by the drawer intake and by encryption, all texts of one
 * source on one stream `drawer-<source key>`.
 *
 * - A text is a sequence of places. A place holds a new drawer, points to a drawer with the same words (`of`), or holds
 *   words that make no drawer, because they are blank or nearly equal a recent drawer.
 */
import { z } from 'zod';
import { define, type EventIn } from '../define.ts';

const zPlace = z.object({
  /** The id of the drawer, or of the place when it makes no drawer. */
  id: z.string(),
  text_id: z.string(),
  index: z.int().nonnegative(),
  /** Characters (code points) from the beginning of the text. */
  start: z.int().nonnegative(),
  kind: z.enum(['new', 'exact', 'near', 'blank']),
  /** The drawer it repeats, exactly or nearly; of a recall loop the entry that the text repeats. */
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
  /** A text, without its words; its places follow, for a long text in several commits. */
  TextChunked: define('TextChunked', zText),
  /** A text from before encryption, under its new key. */
  TextSealed: define('TextSealed', zText.extend({ repeated: z.int(), positions: z.array(z.int().positive()) })),
  /** The same text again under the same source. Its chunks (without blank ones) are counted, not stored. */
  TextRepeated: define('TextRepeated', z.object({ text_key: z.string(), chunks: z.int() })),
  DrawerStored: define('DrawerStored', zPlace),
  /** A place from before encryption as ciphertext; its plain event is erased. */
  DrawerSealed: define('DrawerSealed', zPlace.extend({ created_at: z.int(), position: z.int().positive() })),
  /** Its texts are incomplete afterwards: a text that is stored again is a new one. */
  DrawerDeleted: define(
    'DrawerDeleted',
    z.object({ id: z.string(), text_ids: z.array(z.string()), positions: z.array(z.int().positive()) }),
  ),
} as const;

export type DrawerEvent = EventIn<typeof drawerEvents>;
