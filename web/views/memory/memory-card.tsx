/** One memory in a list: its text, its actions, and why it was found. */
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { FoundMemory, Memory } from '../../api.ts';
import { href } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { setPinned } from './data.ts';
import type { Doomed } from './forms.tsx';

const text = all.memory;
const SECOND_MS = 1_000;

interface MemoryCardProps {
  readonly memory: Memory | FoundMemory;
  readonly doomed: Signal<Doomed | null>;
}

export function MemoryCard({ memory, doomed }: MemoryCardProps): JSX.Element {
  const { id, content, sector, tags, pinned, created_at } = memory;
  return (
    <article class="card memory-card">
      <p class="memory-content" dir="auto">
        <a href={href(['memory', 'entry', id])}>{content}</a>
      </p>
      <div class="row-ends">
        <p class="row quiet">
          <Badge tone="quiet">{text.sectors[sector]}</Badge>
          {pinned && <Badge tone="good">{text.pinned}</Badge>}
          {tags.map((tag) => (
            <span key={tag} class="memory-tag" dir="auto">
              #{tag}
            </span>
          ))}
          <Ago at={created_at * SECOND_MS} />
        </p>
        <p class="row">
          <Action run={() => setPinned(id, !pinned)}>{pinned ? text.unpin : text.pin}</Action>
          <Button tone="danger" onClick={() => (doomed.value = { id, words: content, loss: text.loss.memory(0) })}>
            {text.remove}
          </Button>
        </p>
      </div>
      {'score' in memory && <Score of={memory} />}
    </article>
  );
}

/** The weights of the daemon: docs/memory.md. */
const WEIGHTS = { similarity: 0.45, salience: 0.2, recency: 0.15, waypoint: 0.1, sector: 0.1 } as const;
const TERMS = ['similarity', 'salience', 'recency', 'waypoint', 'sector'] as const;

const twoPlaces = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const three = new Intl.NumberFormat(undefined, { minimumFractionDigits: 3, maximumFractionDigits: 3 });

function Score({ of }: { readonly of: FoundMemory }): JSX.Element {
  const values = { ...of, sector: of.sector_match };
  const why = {
    ...text.score,
    similarity: text.score.similarityOf(twoPlaces.format(of.lexical), twoPlaces.format(of.vector)),
  };
  return (
    <details class="memory-score">
      <summary>
        <span class="memory-bar" aria-hidden="true">
          {TERMS.map((term) => (
            <span key={term} class={`memory-${term}`} style={{ width: `${WEIGHTS[term] * values[term] * 100}%` }} />
          ))}
        </span>
        <span class="number">{text.score.label(three.format(of.score))}</span>
      </summary>
      <table>
        <caption class="visually-hidden">{text.score.caption}</caption>
        <thead>
          <tr>
            <th>{text.score.term}</th>
            <th class="number">{text.score.value}</th>
            <th class="number">{text.score.weight}</th>
            <th class="number">{text.score.part}</th>
          </tr>
        </thead>
        <tbody>
          {TERMS.map((term) => (
            <tr key={term}>
              <td>
                <span class={`memory-key memory-${term}`} /> <strong>{text.score.terms[term]}</strong>
                <span class="quiet">: {why[term]}</span>
              </td>
              <td class="number">{twoPlaces.format(values[term])}</td>
              <td class="number">{twoPlaces.format(WEIGHTS[term])}</td>
              <td class="number">{three.format(WEIGHTS[term] * values[term])}</td>
            </tr>
          ))}
          <tr>
            <td colSpan={3}>{text.score.total}</td>
            <td class="number memory-total">{three.format(of.score)}</td>
          </tr>
        </tbody>
      </table>
    </details>
  );
}
