/**
 * The proof, computed by the browser, that an event is in the log, and that the log only grew since this browser first
 * saw it.
 */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type Envelope } from '../../api.ts';
import { ago, count } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { canHash, isGrowth, leafHash, rootOf } from '../../lib/merkle.ts';
import { inBrowser } from '../../lib/storage.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { attempt } from '../../ui/toasts.tsx';

const text = all.log.proof;

interface Step {
  readonly words: string;
  readonly detail?: string;
  readonly holds: boolean;
}

interface Outcome {
  readonly size: number;
  readonly steps: readonly Step[];
  /** The log does not continue the one that was seen before: the user decides what to trust. */
  readonly replaced: Head | null;
}

interface Head {
  readonly size: number;
  readonly hash: string;
  readonly at: number;
}

const STORED = 'daybook.log-head';

function seenHead(): Head | null {
  try {
    const { size, hash, at } = JSON.parse(inBrowser.get(STORED) ?? 'null') as Head;
    return typeof size === 'number' && typeof hash === 'string' ? { size, hash, at } : null;
  } catch {
    return null;
  }
}

const remember = (head: Head): void => inBrowser.set(STORED, JSON.stringify(head));

/** The leaf of the shown event; for an erased event, whose bytes are gone, the leaf in the tree. */
async function leafStep(event: Envelope, claimed: string): Promise<{ readonly leaf: string; readonly step: Step }> {
  if (event.erased === true) return { leaf: claimed, step: { words: text.leafErased, detail: claimed, holds: true } };
  const { leaf_hash: _, ...hashed } = event;
  const leaf = await leafHash(canonicalJson(hashed));
  return { leaf, step: { words: text.leaf, detail: leaf, holds: leaf === claimed } };
}

async function growthStep(head: Head): Promise<{ readonly step: Step; readonly replaced: Head | null }> {
  const seen = seenHead();
  if (seen === null) {
    remember(head);
    return { step: { words: text.growthNew, holds: true }, replaced: null };
  }
  const words = text.growth(count(seen.size), ago(seen.at));
  const path =
    seen.size < head.size ? (await api.log.consistency({ query: { from: seen.size, to: head.size } })).path : [];
  const holds = seen.size <= head.size && (await isGrowth({ from: seen, to: head, path }));
  return { step: { words, holds, ...(!holds && { detail: text.growthBad }) }, replaced: holds ? null : head };
}

async function check(event: Envelope): Promise<Outcome> {
  const { position, size, leaf_hash, path, tree_hash } = await api.log.proof({ query: { position: event.position } });
  const { leaf, step } = await leafStep(event, leaf_hash);
  const root = await rootOf({ leaf, position, size, path });
  const growth = await growthStep({ size, hash: tree_hash, at: Date.now() });
  return {
    size,
    replaced: growth.replaced,
    steps: [
      step,
      { words: text.path(path.length), holds: root !== null },
      { words: text.root, detail: tree_hash, holds: root === tree_hash },
      growth.step,
    ],
  };
}

export function Proof({ event }: { readonly event: Envelope }): JSX.Element {
  const outcome = useSignal<Outcome | null>(null);
  const isBusy = useSignal(false);
  const run = async (): Promise<void> => {
    isBusy.value = true;
    await attempt(async () => {
      outcome.value = await check(event);
    });
    isBusy.value = false;
  };
  const shortcut = { keys: 'p', label: all.log.shortcuts.check, run: () => void run() };
  useShortcuts(all.log.title, canHash() ? [shortcut] : []);
  return (
    <section class="card" aria-labelledby="log-proof">
      <h2 id="log-proof">{text.title}</h2>
      {canHash() ? (
        <>
          <p class="quiet">{text.lead}</p>
          <Button aria-busy={isBusy.value} onClick={() => void run()}>
            {isBusy.value ? text.checking : text.check} <kbd>P</kbd>
          </Button>
        </>
      ) : (
        <p class="quiet">{text.unavailable}</p>
      )}
      <div role="status">{outcome.value !== null && <Steps event={event} outcome={outcome.value} again={run} />}</div>
    </section>
  );
}

interface StepsProps {
  readonly event: Envelope;
  readonly outcome: Outcome;
  again(): Promise<void>;
}

function Steps({ event, outcome, again }: StepsProps): JSX.Element {
  const { steps, size, replaced } = outcome;
  const isProven = steps.every(({ holds }) => holds);
  return (
    <div class="stack">
      <p class={`log-verdict ${isProven ? 'good' : 'bad'}`}>
        <Icon name={isProven ? 'check' : 'cross'} />{' '}
        {isProven ? text.good(count(event.position), count(size)) : text.bad}
      </p>
      <ol class="log-steps">
        {steps.map(({ words, detail, holds }) => (
          <li key={words} class={holds ? '' : 'bad'}>
            <Icon name={holds ? 'check' : 'cross'} />
            <span>{words}</span>
            {detail !== undefined && <code>{detail}</code>}
          </li>
        ))}
      </ol>
      {replaced !== null && (
        <Button
          onClick={() => {
            remember(replaced);
            void again();
          }}
        >
          {text.trust}
        </Button>
      )}
    </div>
  );
}
