/** Loads the view that the address names. */
import { signal, useSignal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { href, route } from '../router.ts';
import { text } from '../text.ts';
import { Head } from '../ui/head.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { VIEWS, type ViewDefinition, type ViewProps } from '../views.ts';

const loaded = signal<ReadonlyMap<string, ComponentType<ViewProps>>>(new Map());

async function load({ id, load: fetchView }: ViewDefinition): Promise<void> {
  if (loaded.value.has(id)) return;
  const { View } = await fetchView();
  loaded.value = new Map([...loaded.value, [id, View]]);
}

export function CurrentView(): JSX.Element {
  const [id = 'now', ...path] = route.value.path;
  const definition = VIEWS.find((view) => view.id === id);
  if (definition === undefined) return <Unknown />;
  return <Opened key={id} definition={definition} path={path} query={route.value.query} />;
}

interface OpenedProps extends ViewProps {
  readonly definition: ViewDefinition;
}

function Opened({ definition, path, query }: OpenedProps): JSX.Element {
  const failed = useSignal(false);
  useEffect(() => {
    load(definition).catch(() => {
      failed.value = true;
    });
  }, [definition]);
  const View = loaded.value.get(definition.id);
  if (View !== undefined) return <View path={path} query={query} />;
  if (!failed.value) return <Skeleton lines={5} />;
  return (
    <Empty title={text.chunkFailed}>
      <button type="button" class="button primary" onClick={() => location.reload()}>
        {text.reload}
      </button>
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
