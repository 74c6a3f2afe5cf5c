/** `daybook room show`: the texts of a room, once or after every change. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Doc } from 'yjs';
import { isPlainText } from '../../client/yjs.ts';
import { createSignal } from '../../lib/signal.ts';
import type { Client } from '../client.ts';
import { untilInterrupted } from '../interrupt.ts';
import type { AnswerOptions } from '../options.ts';
import { createScreen } from '../screen.ts';
import { withLog } from '../temporary-daemon.ts';
import { outputJson, print, printable, printJson, styled } from '../text.ts';
import { roomIdOf } from './rooms.ts';
import { type Visit, visit } from './visit.ts';

interface ShowOptions extends AnswerOptions {
  readonly follow?: boolean;
}

/** Changes within this time are shown at once. */
const SETTLE_MS = 100;
/** After Ctrl-C the room has this long to answer. */
const LEAVE_MS_MAX = 1_000;

export async function show(idOrPrefix: string, options: ShowOptions): Promise<void> {
  await withLog(options, async (client) => {
    const id = await roomIdOf(client, idOrPrefix);
    if (options.follow === true) return follow(client, id, options);
    await visit(client, id, async ({ doc }) => {
      const texts = textsOf(doc);
      await (options.json === true ? printJson({ room_id: id, texts }) : print(textsText(texts)));
      for (const name of Object.keys(texts).filter((each) => !isPlainText(doc.getText(each)))) {
        process.stderr.write(`daybook: ${printable(name)} has content of an editor that is not shown.\n`);
      }
    });
  });
  // Without a network the socket would keep the process for minutes.
  if (options.follow === true) setTimeout(() => process.exit(), LEAVE_MS_MAX).unref();
}

function textsOf(doc: Doc): Readonly<Record<string, string>> {
  const names = [...doc.share.keys()].toSorted();
  return Object.fromEntries(names.map((name) => [name, doc.getText(name).toString()]));
}

/** A single text without its name; several texts below their names. On a terminal without control characters. */
function textsText(texts: Readonly<Record<string, string>>): string {
  const all = Object.entries(texts);
  if (all.length === 0) return 'The room is empty.\n';
  return all
    .map(([name, text]) => {
      const heading = all.length === 1 ? '' : `${styled('bold', printable(name))}\n`;
      const shown = process.stdout.isTTY ? printable(text) : text;
      return `${heading}${shown}${text.endsWith('\n') ? '' : '\n'}`;
    })
    .join('\n');
}

async function follow(client: Client, id: string, { json }: AnswerOptions): Promise<void> {
  const changed = createSignal();
  const screen = createScreen();
  await untilInterrupted(async (signal) => {
    const work = async ({ doc, peers }: Visit): Promise<void> => {
      for (let last = ''; !signal.aborted; ) {
        const names = peers().map(({ name }) => name);
        const texts = textsOf(doc);
        const state = outputJson({ room_id: id, peers: names, texts });
        if (state !== last) {
          const heading = styled('dim', printable(`${id} · with ${names.join(', ') || 'nobody else'}`));
          await (json === true ? print(`${state}\n`) : screen.show(`${heading}\n\n${textsText(texts)}`));
          last = state;
        }
        await changed.wait(signal);
        await sleep(SETTLE_MS, undefined, { signal }).catch(() => undefined);
      }
    };
    await visit(client, id, work, { changed: () => changed.send() }).finally(() => screen.close());
  });
}
