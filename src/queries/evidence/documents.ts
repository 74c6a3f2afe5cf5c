/** The documents of a bundle: a report of its subject, and one of each run and engagement that belongs to it. */
import { idOf } from '../../projections/projection.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';
import type { TextFile } from './bundle.ts';
import { goalReport } from './goal-report.ts';
import { runReport } from './run-report.ts';
import { type Selection, type Subject, streamOf } from './selection.ts';

/** `report.md` and `handover.md` of an engagement as of a size of the log; null when it did not exist then. */
export type EngagementDocuments = (
  id: string,
  size: number,
) => Promise<{ readonly report: string; readonly handover: string } | null>;

export interface DocumentsRequest {
  readonly subject: Subject;
  readonly size: number;
  readonly selection: Selection;
  readonly ofEngagement: EngagementDocuments;
}

export async function evidenceDocuments(request: DocumentsRequest): Promise<readonly TextFile[]> {
  const { subject, size, selection } = request;
  if (subject.kind === 'positions' || subject.kind === 'stream') return [];
  const { id } = subject;
  if (subject.kind === 'engagement') {
    const documents = await request.ofEngagement(id, size);
    if (documents === null) return [];
    return [
      ['report.md', documents.report],
      ['handover.md', documents.handover],
    ];
  }
  const byStream = Map.groupBy(selection.events, ({ stream }) => stream);
  const eventsOf = (stream: string): readonly RecordedEvent[] => byStream.get(stream) ?? [];
  const events = eventsOf(streamOf(subject));
  const head = { id, size };
  const own =
    subject.kind === 'run'
      ? await runReport(head, events)
      : await goalReport(head, { events, related: selection.related, eventsOf });
  return [['report.md', own], ...(await relatedReports(request, eventsOf))];
}

/** A file name that is valid on every file system. */
const PLAIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

async function relatedReports(
  { size, selection, ofEngagement }: DocumentsRequest,
  eventsOf: (stream: string) => readonly RecordedEvent[],
): Promise<readonly TextFile[]> {
  const files: TextFile[] = [];
  for (const { stream, relation, included } of selection.related) {
    if (!included || !PLAIN_NAME.test(stream)) continue;
    const id = idOf(stream);
    const text =
      relation === 'engagement'
        ? (await ofEngagement(id, size))?.report
        : await runReport({ id, size }, eventsOf(stream));
    if (text !== undefined) files.push([`reports/${stream}.md`, text]);
  }
  return files;
}
