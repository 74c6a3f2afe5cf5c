/**
 * The sources of Ctrl-K. A view adds a source: things of the daemon, loaded when the palette opens, or its own
 * commands.
 */
import { api } from './api.ts';
import { rooms } from './rooms.ts';
import { href } from './router.ts';
import { leave } from './session.ts';
import { openOverlay } from './shell/overlay.ts';
import { text } from './text.ts';
import { THEMES, theme } from './theme.ts';
import { VIEWS } from './views.ts';

export interface Found {
  readonly key: string;
  readonly group: keyof typeof text.palette.groups;
  readonly name: string;
  /** Shown in a muted colour after the name; searched too. */
  readonly detail: string;
  /** Shown as a badge. */
  readonly status?: string;
  /** Of a run. */
  readonly session_id?: string;
  readonly keys?: string;
  /** The words for which the daemon found it, maybe by its id or a text that is not shown. */
  readonly answers?: string;
  run(): void;
}

/** Things of one kind that are requested from the daemon. */
const READ_MAX = 100;
const open = (address: string) => (): void => {
  location.hash = address;
};

export function commands(): readonly Found[] {
  return [
    {
      key: 'new-run',
      group: 'command',
      name: text.newRun,
      detail: '',
      keys: 'c',
      run: () => openOverlay('new-run'),
    },
    ...(['engagements', 'goals', 'rooms'] as const).map((view) => ({
      key: `new-${view}`,
      group: 'command' as const,
      name: text[view].create.title,
      detail: '',
      run: open(href([view], { new: '1' })),
    })),
    ...VIEWS.map(({ id, key }) => ({
      key: `view-${id}`,
      group: 'command' as const,
      name: text.palette.goTo(text.views[id].name),
      detail: text.views[id].hint,
      keys: `g ${key}`,
      run: open(href([id])),
    })),
    ...THEMES.map((name) => ({
      key: `theme-${name}`,
      group: 'command' as const,
      name: text.theme.command(text.theme[name]),
      detail: '',
      run: () => {
        theme.value = name;
      },
    })),
    {
      key: 'shortcuts',
      group: 'command',
      name: text.shortcuts.title,
      detail: '',
      keys: '?',
      run: () => openOverlay('shortcuts'),
    },
    {
      key: 'leave',
      group: 'command',
      name: text.connect.leave,
      detail: '',
      run: () => leave(text.connect.left),
    },
  ];
}

/**
 * The newest things of a kind, or the newest that match the words. The daemon searches, so ten thousand things are as
 * fast as ten. Each kind is loaded separately, so a slow one does not delay the others.
 */
export const SOURCES: readonly ((words: string) => Promise<readonly Found[]>)[] = [
  async (q) =>
    (await api.runs.list({ query: { limit: READ_MAX, ...(q !== '' && { q }) } })).map(
      ({ session_id, task, status, provider }) => ({
        key: `run-${session_id}`,
        group: 'run',
        session_id,
        name: task,
        detail: `${session_id.slice(0, 12)} ${provider}`,
        status,
        run: open(href(['runs', session_id])),
      }),
    ),
  async (q) =>
    (await api.goals.list({ query: { limit: READ_MAX, ...(q !== '' && { q }) } })).goals.map(
      ({ id, title, status }) => ({
        key: `goal-${id}`,
        group: 'goal',
        name: title,
        detail: id.slice(0, 12),
        status,
        run: open(href(['goals', id])),
      }),
    ),
  async (q) =>
    (await api.engagements.list({ query: { limit: READ_MAX, ...(q !== '' && { q }) } })).engagements.map(
      ({ id, name, client, status }) => ({
        key: `engagement-${id}`,
        group: 'engagement',
        name,
        detail: client,
        status,
        run: open(href(['engagements', id])),
      }),
    ),
  foundRooms,
];

/** The daemon searches no rooms: all are loaded when the palette opens, and searched here. */
async function foundRooms(q: string): Promise<readonly Found[]> {
  if (q === '' || rooms.value.value === undefined) await rooms.refresh();
  if (rooms.error.value !== null) throw rooms.error.value;
  const all = (rooms.value.value ?? []).map(({ id, isOpen }) => ({
    key: `room-${id}`,
    group: 'room' as const,
    name: id,
    detail: isOpen ? text.rooms.open : text.rooms.closed,
    run: open(href(['rooms', id])),
  }));
  return matching(all, q, READ_MAX);
}

/**
 * Best matches first: a prefix of the name, one of its words, anywhere; every word of the query must occur. Then what else
 * the daemon found.
 */
export function matching(items: readonly Found[], query: string, max: number): readonly Found[] {
  const asked = query.trim();
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items.slice(0, max);
  const scored = items.flatMap((item) => {
    const score = scoreOf(item, words) ?? (item.answers === asked ? 0 : null);
    return score === null ? [] : [{ item, score }];
  });
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, max)
    .map(({ item }) => item);
}

function scoreOf({ name, detail }: Found, words: readonly string[]): number | null {
  const title = name.toLowerCase();
  const whole = `${title} ${detail.toLowerCase()}`;
  let score = 0;
  for (const word of words) {
    const at = whole.indexOf(word);
    if (at < 0) return null;
    score += at === 0 ? 4 : whole[at - 1] === ' ' ? 2 : 1;
    if (at < title.length) score += 1;
  }
  return score;
}
