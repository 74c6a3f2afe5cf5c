/** One tool call: its input, its output, its exit code, and its changes. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { count, duration } from '../../format.ts';
import type { FileChange } from '../../runs/diff.ts';
import { Diff } from '../../runs/diff-view.tsx';
import type { ToolItem, ToolState } from '../../runs/fold.ts';
import { exitCodeOf, subjectOf } from '../../runs/words.ts';
import { text as all } from '../../text.ts';
import type { IconName } from '../../ui/icon.tsx';
import { isPrinting } from '../../ui/printing.ts';
import { Badge, type Tone } from '../../ui/status.tsx';

const text = all.runs.items;

const LOOKS: Readonly<Record<ToolState, readonly [Tone, IconName]>> = {
  running: ['busy', 'play'],
  ok: ['good', 'check'],
  failed: ['bad', 'cross'],
  rejected: ['warn', 'dash'],
  interrupted: ['warn', 'warning'],
};

interface ToolCallProps {
  readonly item: ToolItem;
  readonly change: FileChange | undefined;
}

/** Rendered when it is opened: a run may have thousands. */
export function ToolCall({ item, change, isOpened }: ToolCallProps & { readonly isOpened: boolean }): JSX.Element {
  const isOpen = useSignal(isOpened);
  const [tone, icon] = LOOKS[item.state];
  const code = exitCodeOf(item.name, item.output);
  return (
    <details
      id={`at-${item.position}`}
      class="entry-call"
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>
        <span class="quiet number">{text.step(count(item.step))}</span>
        <code class="call-name">{item.name}</code>
        <span class="call-subject mono" dir="auto">
          {subjectOf(item.input)}
        </span>
        {code !== null && code !== 0 && (
          <Badge tone="bad" icon="cross">
            {text.exit(code)}
          </Badge>
        )}
        <Badge tone={tone} icon={icon}>
          {text.states[item.state]}
        </Badge>
        <span class="quiet number call-took">{item.durationMs === null ? '' : duration(item.durationMs)}</span>
      </summary>
      {(isOpen.value || isPrinting.value) && <Details item={item} change={change} code={code} />}
    </details>
  );
}

function Details({ item, change, code }: ToolCallProps & { readonly code: number | null }): JSX.Element {
  return (
    <div class="call-details">
      {change !== undefined && <Diff of={change} />}
      {change === undefined && (
        <Block title={text.input}>
          {typeof item.input.command === 'string' ? item.input.command : JSON.stringify(item.input, null, 2)}
        </Block>
      )}
      {item.files.length > 0 && (
        <p class="quiet">
          {text.files}: <span class="mono">{item.files.join(', ')}</span>
        </p>
      )}
      {item.output !== null && (
        <Block title={code === null ? text.output : `${text.output} · ${text.exit(code)}`}>
          {item.output === '' ? text.noOutput : item.output}
        </Block>
      )}
    </div>
  );
}

function Block({ title, children }: { readonly title: string; readonly children: string }): JSX.Element {
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <pre
        class="well"
        dir="auto"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
        tabIndex={0}
      >
        {children}
      </pre>
    </figure>
  );
}
