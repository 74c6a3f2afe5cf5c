/** The memory: memories, facts, drawers, and the context of an agent; or one memory. */
import type { JSX } from 'preact';
import { count } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { useResource } from '../../resource.ts';
import { href, type ViewProps } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { Head } from '../../ui/head.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ContextPart } from './context.tsx';
import { stats } from './data.ts';
import { DrawersPart } from './drawers.tsx';
import { EntryPage } from './entry.tsx';
import { FactsPart } from './facts.tsx';
import { KeepDialog, TellDialog } from './forms.tsx';
import { SearchPart } from './search.tsx';

const text = all.memory;
const PARTS = ['search', 'facts', 'drawers', 'context'] as const;
type Part = (typeof PARTS)[number];

export function View({ path, query }: ViewProps): JSX.Element {
  const [first, id] = path;
  if (first === 'entry' && id !== undefined) return <EntryPage key={id} id={id} />;
  const part: Part = PARTS.find((each) => each === first) ?? 'search';
  return <Parts part={part} query={query} />;
}

function Parts({ part, query }: { readonly part: Part; readonly query: URLSearchParams }): JSX.Element {
  useResource(stats);
  const { open, opened } = useDialog();
  const counts = stats.value.value;
  const note =
    counts === undefined
      ? '\u00a0'
      : text.note(count(counts.total_memories), count(counts.total_facts), count(counts.total_drawers));
  useShortcuts(text.title, [
    {
      keys: '/',
      label: text.shortcuts.search,
      run: () => document.querySelector<HTMLElement>('.memory input')?.focus(),
    },
    { keys: 'e', label: text.shortcuts.keep, run: open },
  ]);
  const isFacts = part === 'facts';
  return (
    <div class="memory">
      <Head title={text.title} note={note}>
        <Button tone="primary" icon="plus" onClick={open}>
          {isFacts ? text.facts.action : text.keep.action}
        </Button>
      </Head>
      <Tabs label={text.partsLabel} current={part}>
        {PARTS.map((each) => (
          <a
            key={each}
            href={href(each === 'search' ? ['memory'] : ['memory', each])}
            aria-current={each === part ? 'page' : undefined}
          >
            {text.parts[each]}
          </a>
        ))}
      </Tabs>
      {part === 'search' && <SearchPart query={query} />}
      {part === 'facts' && <FactsPart query={query} />}
      {part === 'drawers' && <DrawersPart query={query} />}
      {part === 'context' && <ContextPart />}
      {isFacts ? <TellDialog {...opened} /> : <KeepDialog {...opened} />}
    </div>
  );
}
