/** Settings of the office converter. Appended by `PUT /office/soffice/path` to the one stream `settings-office`. */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

export const officeEvents = {
  /** The program that overrides the search. It was started successfully before this event was appended. */
  OfficePathSet: define('OfficePathSet', z.object({ path: z.string() })),
  OfficePathCleared: define('OfficePathCleared', z.object({})),
} as const;

export type OfficeEvent = EventIn<typeof officeEvents>;
