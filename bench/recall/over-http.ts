/**
 * Sends the same questions to a running daemon: texts are stored through its routes and found by `POST /memory/query`,
 * which orders by the composite score. Each conversation uses a new daemon with a temporary home.
 */
import { joined } from '../../src/commands/memory/chunk.ts';
import { removeFolder, startDaemon, temporaryFolder } from '../support/processes.ts';
import type { Searcher } from './measure.ts';
import type { Level, Unit } from './units.ts';

interface Told {
  readonly results: readonly { readonly content: string }[];
  readonly drawers?: readonly { readonly content: string }[];
}

export function overHttp(level: Level): Searcher {
  return async (units) => {
    const home = temporaryFolder('recall');
    const daemon = await startDaemon(home);
    const post = async (path: string, body: unknown): Promise<Told> => {
      const response = await daemon.request(path, { method: 'POST', body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as Told;
    };
    if (level === 'drawers') {
      for (const [source, content] of wholeTexts(units)) await post('/memory/chunk', { source, content });
    } else for (const { text } of units) await post('/memory/add', { content: text });
    const unitsWith = Map.groupBy([...units.keys()], (unit) => units[unit]!.text);
    return {
      async search(text, k) {
        const asked = level === 'drawers' ? { limit: 1, drawers: k } : { limit: k };
        const { results, drawers } = await post('/memory/query', { query: text, ...asked });
        return (level === 'drawers' ? drawers! : results).map(({ content }) => unitsWith.get(content) ?? []);
      },
      async close() {
        await daemon.stop();
        removeFolder(home);
      },
    };
  };
}

/** Joins the sessions that were cut into drawers: the daemon cuts them itself. */
function wholeTexts(units: readonly Unit[]): ReadonlyMap<string, string> {
  const cut = Map.groupBy(units, ({ session }) => session);
  return new Map(
    [...cut].map(([session, drawers]) => [
      session,
      joined(drawers.map(({ text, start }) => ({ content: text, start }))),
    ]),
  );
}
