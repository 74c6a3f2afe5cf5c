/** Loads the view of the address. One that could not be loaded is loaded again when the daemon is back. */
import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { connection, hasBegun, isOpen } from '../live.ts';
import { href, route, type ViewProps } from '../router.ts';
import { text } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { Head } from '../ui/head.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { VIEWS, type ViewDefinition } from '../views.ts';

const loaded = signal<ReadonlyMap<string, ComponentType<ViewProps>>>(new Map());

const failed = signal<ReadonlySet<string>>(new Set());
const begun = new Map<string, Promise<void>>();

isOpen.subscribe((open) => {
  if (!open) return;
  for (const id of failed.peek()) begun.delete(id);
  if (failed.peek().size > 0) failed.value = new Set();
});

function load({ id, load: fetchView }: ViewDefinition): Promise<void> {
  const known = begun.get(id);
  if (known !== undefined) return known;
  const loading = fetchView().then(
    ({ View }) => {
      loaded.value = new Map([...loaded.value, [id, View]]);
    },
    () => {
      failed.value = new Set([...failed.value, id]);
    },
  );
  begun.set(id, loading);
  return loading;
}

function current(): ViewDefinition | undefined {
  const [id = 'now'] = route.value.path;
  return VIEWS.find((view) => view.id === id);
}

/** Loads the view of the current address, so that it is painted together with the frame. */
export async function loadCurrent(): Promise<void> {
  const definition = current();
  if (definition !== undefined) await load(definition);
}

export function CurrentView(): JSX.Element {
  const [id = 'now', ...path] = route.value.path;
  const definition = current();
  if (definition === undefined) return <Unknown />;
  return <Opened key={id} definition={definition} path={path} query={route.value.query} />;
}

interface OpenedProps extends ViewProps {
  readonly definition: ViewDefinition;
}

function Opened({ definition, path, query }: OpenedProps): JSX.Element {
  void load(definition);
  const View = loaded.value.get(definition.id);
  if (View !== undefined && hasBegun.value) return <View path={path} query={query} />;
  if (!failed.value.has(definition.id)) return <Skeleton lines={5} />;
  if (connection.value.state === 'cut') return <Empty title={text.chunkAway} />;
  return (
    <Empty title={text.chunkFailed}>
      <Button tone="primary" onClick={() => location.reload()}>
        {text.reload}
      </Button>
    </Empty>
  );
}

function Unknown(): JSX.Element {
  return (
    <>
      <Head title={text.notFound.title} />
      <Empty title={text.notFound.body}>
        <a class="button" href={href(['now'])}>
          {text.notFound.action}
        </a>
      </Empty>
    </>
  );
}
