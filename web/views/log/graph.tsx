/** The causes and effects of an event as a graph: earlier decisions, its own, and later ones, each a link. */
import type { JSX } from 'preact';
import type { Envelope } from '../../api.ts';
import { clock, count } from '../../format.ts';
import { useOwnResource } from '../../resource.ts';
import { href } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Loaded } from '../../ui/states.tsx';
import { type Decision, type Related, relatedOf } from './related.ts';

const text = all.log.graph;
/** In pixels, for text of the usual size; the same as in the style sheet. */
const NODE = 44;
const GAP = 8;
const GUTTER = 44;

export function Graph({ event }: { readonly event: Envelope }): JSX.Element {
  const related = useOwnResource(
    () => ({
      load: () => relatedOf(event),
      concerns: ({ correlation }) => correlation !== null && correlation === event.correlation,
    }),
    event.position,
  );
  return (
    <section class="card log-graph" aria-labelledby="log-graph">
      <div class="row-ends">
        <h2 id="log-graph">{text.title}</h2>
        {event.correlation !== null && (
          <a class="quiet" href={href(['log'], { correlation: event.correlation })}>
            {text.all}
          </a>
        )}
      </div>
      <Loaded of={related}>{(found) => <Columns of={found} event={event} />}</Loaded>
      <p class="quiet">{text.note}</p>
    </section>
  );
}

function Columns({ of, event }: { readonly of: Related; readonly event: Envelope }): JSX.Element {
  const causes = of.origin === null ? of.causes : [of.origin, ...of.causes];
  const { effects } = of;
  const own = of.together.findIndex(({ position }) => position === event.position);
  return (
    <>
      <div class="log-columns">
        <Column title={text.causes} empty={text.noCauses}>
          {causes.map((decision) => (
            <DecisionNode key={decision.events[0]!.position} decision={decision} />
          ))}
        </Column>
        <Lines left={causes.length} right={of.together.length} from={null} to={own} />
        <Column title={text.together} empty="">
          {of.together.map((each) => (
            <Node key={each.position} event={each} isCurrent={each.position === event.position} />
          ))}
        </Column>
        <Lines left={of.together.length} right={effects.length} from={own} to={null} />
        <Column title={text.effects} empty={text.noEffects}>
          {effects.map((decision) => (
            <DecisionNode key={decision.events[0]!.position} decision={decision} />
          ))}
        </Column>
      </div>
      {of.lookedTo !== null && <p class="quiet">{text.notSearched(count(of.lookedTo))}</p>}
    </>
  );
}

interface ColumnProps {
  readonly title: string;
  readonly empty: string;
  readonly children: readonly JSX.Element[];
}

function Column({ title, empty, children }: ColumnProps): JSX.Element {
  return (
    <div class="log-column">
      <h3>{title}</h3>
      {children.length === 0 ? <p class="quiet log-nothing">{empty}</p> : <ol>{children}</ol>}
    </div>
  );
}

function DecisionNode({ decision }: { readonly decision: Decision }): JSX.Element {
  const [first, ...others] = decision.events;
  const isRepeated = others.every(({ type }) => type === first!.type);
  const more = others.length === 0 ? '' : isRepeated ? text.times(decision.events.length) : text.more(others.length);
  return <Node event={first!} more={more} />;
}

interface NodeProps {
  readonly event: Envelope;
  readonly isCurrent?: boolean;
  /** The label of the further nodes that it represents. */
  readonly more?: string;
}

function Node({ event, isCurrent = false, more = '' }: NodeProps): JSX.Element {
  const { position, type, stream, at } = event;
  return (
    <li>
      <a class="log-node" href={href(['log', position])} aria-current={isCurrent ? 'true' : undefined}>
        <span class="log-node-type">
          {type}
          <span class="quiet">{more}</span>
        </span>
        <span class="quiet number">
          {count(position)} · {clock(at)} · {stream}
        </span>
      </a>
    </li>
  );
}

interface LinesProps {
  /** The number of nodes in the column on each side. */
  readonly left: number;
  readonly right: number;
  /** The node on a side that all lines lead to; null: each node of that side has a line. */
  readonly from: number | null;
  readonly to: number | null;
}

const ROOT_EM = 16;
const inRem = (pixels: number): string => `${pixels / ROOT_EM}rem`;

const middle = (index: number): number => index * (NODE + GAP) + NODE / 2;

function Lines({ left, right, from, to }: LinesProps): JSX.Element {
  const starts = from === null ? Array.from({ length: left }, (_, index) => middle(index)) : [middle(from)];
  const ends = to === null ? Array.from({ length: right }, (_, index) => middle(index)) : [middle(to)];
  const height = Math.max(left, right, 1) * (NODE + GAP);
  const paths = starts.flatMap((start) =>
    ends.map((end) => `M0 ${start}C${GUTTER / 2} ${start} ${GUTTER / 2} ${end} ${GUTTER} ${end}`),
  );
  return (
    <svg
      class="log-lines"
      width={inRem(GUTTER)}
      height={inRem(height)}
      viewBox={`0 0 ${GUTTER} ${height}`}
      aria-hidden="true"
      focusable="false"
    >
      {paths.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}
