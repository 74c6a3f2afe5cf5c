/** The types of settings. Numbers and switches are also read from text, as variables and flags give them. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { PLUGIN_CATALOGUE } from '../commands/plugin/catalogue.ts';
import { knownApproval } from '../commands/run/rules.ts';
import { APPROVALS } from '../events/run/events.ts';
import { orList } from '../lib/or-list.ts';
import { DISK_BACKENDS } from '../storage/marker.ts';

interface Range {
  readonly min: number;
  readonly max: number;
}

/** A whole number, or its digits as text. */
export function zWhole({ min, max }: Range) {
  const error = `must be a whole number from ${min} to ${max}`;
  const digits = z.string().regex(/^\d+$/).transform(Number);
  return z
    .union([z.number(), digits], { error })
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, error);
}

/** A number, or its decimal digits as text. */
export function zAmount({ min, max }: Range) {
  const error = `must be a number from ${min} to ${max}`;
  const digits = z
    .string()
    .regex(/^\d+(?:\.\d+)?$/)
    .transform(Number);
  return z.union([z.number(), digits], { error }).refine((value) => value >= min && value <= max, error);
}

export const zPort = zWhole({ min: 0, max: 65_535 });
export const zRate = zWhole({ min: 1, max: 1_000_000_000 });
export const zSwitch = z.union([z.stringbool(), z.boolean()], { error: 'must be true or false' });

// With `min`, an empty array would fail twice: by its type and by its length.
export const zText = z
  .string({ error: 'must be text' })
  .refine((text) => text !== '', { error: 'must not be empty', abort: true });
export const zTextList = z.array(zText, { error: 'must be a list of texts' });
export const zPath = zText.refine((text) => !text.includes('\0'), 'must be a path');

const HOST_NAME = /^[A-Za-z0-9_.-]+$/;
export const zHost = zText
  .transform((text) => (text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text))
  .refine((text) => isIP(text) !== 0 || HOST_NAME.test(text), 'must be a name or an address, without scheme and port');

const FORGE_HOST = /^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
export const zForgeHost = zText.regex(FORGE_HOST, 'must hold names or addresses, each with or without a port');

const NODE_NAME = /^[A-Za-z0-9._-]{1,64}$/;
export const zNodeName = zText.regex(NODE_NAME, 'must be 1 to 64 letters, digits, dots, hyphens and underscores');

const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;
export const zVoiceModel = zText.regex(MODEL_NAME, 'must be a name of letters, digits, dots and hyphens');

export const zBackendName = z.enum(DISK_BACKENDS, { error: `must be ${orList(DISK_BACKENDS)}` });

export const CATALOGUED = 'must be a list of plugins of the catalogue';
export const zPluginName = z.enum(
  PLUGIN_CATALOGUE.map(({ name }) => name),
  CATALOGUED,
);

export const zMcpServer = z.looseObject(
  {
    command: zText,
    args: z.array(z.string('must be text'), { error: 'must be a list of texts' }).optional(),
    env: z.record(z.string(), z.string('must be text'), { error: 'must be an object of texts' }).optional(),
  },
  { error: 'must be an object of servers by name, each with a command' },
);

/** An approval policy, in any spelling that requests may use. */
export const zApproval = zText.transform((text, context) => {
  const approval = knownApproval(text);
  if (approval !== undefined) return approval;
  context.addIssue(`must be ${orList(APPROVALS)}`);
  return z.NEVER;
});
