/** `daybook engagement advance` and `set`. */
import type { EngagementsUpdateBody } from '../../client/client.ts';
import { UsageError } from '../errors.ts';
import { counted, print, printable, printJson, styled } from '../text.ts';
import { type ChangeOptions, withEngagement } from './find.ts';
import { blockersText } from './overview.ts';

interface AdvanceOptions extends ChangeOptions {
  readonly force?: boolean;
}

type SetOptions = ChangeOptions & Pick<EngagementsUpdateBody, 'status' | 'phase'>;

export async function advance(nameOrId: string, options: AdvanceOptions): Promise<void> {
  const { force, reason } = options;
  if (force === true && (reason ?? '').trim() === '')
    throw new UsageError('--force needs --reason: it is recorded with the blockers that are passed over.');
  await withEngagement(nameOrId, options, async (client, id) => {
    const answer = await client.api.engagements.advance(id, { force, reason });
    const { advanced, from, to, forced, blockers } = answer.outcome;
    if (!advanced) process.exitCode = 1;
    if (options.json === true) return printJson(answer);
    if (advanced) {
      await print(`${from} → ${to}\n`);
      const over = counted(blockers.length, 'blocker');
      if (forced) await print(`${styled('red', `Forced, over ${over}, which the report always shows.`)}\n`);
    } else if (to === null) await print(`${from} is the last phase.\n`);
    else await print(`${from} cannot be left yet.\n${blockersText({ phase: from, blockers }, true)}`);
  });
}

export async function set(nameOrId: string, options: SetOptions): Promise<void> {
  const { status, phase, reason } = options;
  if (status === undefined && phase === undefined) throw new UsageError('Give --status, --phase or both.');
  await withEngagement(nameOrId, options, async (client, id) => {
    const answer = await client.api.engagements.update(id, { status, phase, reason });
    if (options.json === true) return printJson(answer);
    const { engagement } = answer;
    await print(printable(`${engagement.name}: ${engagement.status}, phase ${engagement.current_phase}\n`));
  });
}
