/** The request schemas of the connector routes, with limits in characters. */
import { z } from 'zod';
import { zScopePath } from '../../queries/workspace-scope.ts';

const TEXT_CHARACTERS_MAX = 32_768;
const NAME_CHARACTERS_MAX = 200;
const COMMAND_CHARACTERS_MAX = 4_096;
const ARGUMENTS_MAX = 256;
const CREDENTIALS_MAX = 64;

const zWord = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be well-formed text without a NUL character');

/** Any text: an invalid id is answered like the id of an unknown connector. */
const zId = z.string().max(NAME_CHARACTERS_MAX);

export const zAdd = z.object({
  catalog_id: zWord(NAME_CHARACTERS_MAX).nullish(),
  id: zWord(NAME_CHARACTERS_MAX).nullish().describe('Its id in the project; left out with `catalog_id`.'),
  title: zWord(NAME_CHARACTERS_MAX)
    .nullish()
    .describe('One line that names it; left out with `catalog_id`; absent: the id.'),
  command: zWord(COMMAND_CHARACTERS_MAX).nullish().describe('The program to start; left out with `catalog_id`.'),
  args: z.array(zWord(TEXT_CHARACTERS_MAX)).max(ARGUMENTS_MAX).nullish(),
  credentials: z
    .record(z.string(), zWord(TEXT_CHARACTERS_MAX))
    .refine((of) => Object.keys(of).length <= CREDENTIALS_MAX, `must be at most ${CREDENTIALS_MAX}`)
    .nullish()
    .describe('By the name of the environment variable, the secret; stored in the vault only.'),
  path: zScopePath,
});
z.globalRegistry.add(zAdd, { examples: [{ catalog_id: 'filesystem', path: '/home/ada/notes' }] });

export const zToggle = z.object({
  id: zId.describe('Id of the connector.'),
  enabled: z.boolean().describe('Whether runs get its tools.'),
  path: zScopePath,
});
export const zOne = z.object({ id: zId.describe('Id of the connector.'), path: zScopePath });
export const zScope = z.object({ path: zScopePath });
