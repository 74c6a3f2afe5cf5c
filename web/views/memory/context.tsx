/** The context that an agent would get for a task: layer by layer, and as one block. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { api, type MemoryContextAnswer } from '../../api.ts';
import { count } from '../../format.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { attempt } from '../../ui/toasts.tsx';

const text = all.memory.context;
const BUDGETS = [
  ['essential', 'l1_tokens', 100_000],
  ['scoped', 'l2_limit', 100],
  ['deep', 'l3_threshold', 100],
] as const;
const CHARACTERS_PER_TOKEN = 4;

export function ContextPart(): JSX.Element {
  const answer = useSignal<MemoryContextAnswer | null>(null);
  const isBusy = useSignal(false);
  /** Counts the questions: the answer to an older one may come last. */
  const asked = useRef(0);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form);
    const budgets = BUDGETS.flatMap(([, field]) => {
      const value = data.get(field);
      return typeof value === 'string' && value !== '' ? [[field, Number(value)] as const] : [];
    });
    asked.current += 1;
    const own = asked.current;
    isBusy.value = true;
    await attempt(async () => {
      const found = await api.memory.context({ query: String(data.get('query')), ...Object.fromEntries(budgets) });
      if (own === asked.current) answer.value = found;
    });
    if (own === asked.current) isBusy.value = false;
  };
  return (
    <div class="stack">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <p>{text.lead}</p>
        <label class="field">
          <span>{text.question}</span>
          <input name="query" dir="auto" required />
        </label>
        <div class="memory-axes">
          {BUDGETS.map(([name, field, max]) => (
            <label key={field} class="field">
              <span>{text[name]}</span>
              <input name={field} type="number" min={0} max={max} placeholder={text.usual} />
            </label>
          ))}
        </div>
        <div class="row">
          <Button tone="primary" type="submit" aria-busy={isBusy.value}>
            {text.submit}
          </Button>
          <span class="quiet">{text.note}</span>
        </div>
      </form>
      <div role="status">{answer.value !== null && <Block of={answer.value} />}</div>
    </div>
  );
}

function Block({ of }: { readonly of: MemoryContextAnswer }): JSX.Element {
  const layers = {
    essential: of.l1_essential_story,
    scoped: of.l2_scoped.map(({ content }) => content),
    deep: of.l3_deep.map(({ content }) => content),
    drawers: of.l3_drawers.map(({ content }) => content),
    facts: of.facts,
  };
  const { length } = of.context;
  return (
    <div class="memory-halves">
      <section class="card">
        <p class="quiet">{text.here(of.wing, of.sector)}</p>
        {(Object.keys(layers) as (keyof typeof layers)[]).map((name) => (
          <div key={name}>
            <h3>{text.layers[name]}</h3>
            {layers[name].length === 0 ? (
              <p class="quiet">{text.nothing}</p>
            ) : (
              <ul class="memory-layer">
                {layers[name].map((line, index) => (
                  <li key={index} dir="auto">
                    {line}
                  </li>
                ))}
              </ul>
            )}
          </div>
        ))}
      </section>
      <section class="card">
        <div class="row-ends">
          <h2>{text.block}</h2>
          <span class="quiet">{text.characters(count(length), count(Math.ceil(length / CHARACTERS_PER_TOKEN)))}</span>
        </div>
        <pre
          class="well"
          dir="auto"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
          tabIndex={0}
        >
          {of.context}
        </pre>
      </section>
    </div>
  );
}
