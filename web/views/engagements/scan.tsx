/** The dialog that scans a folder: it proposes each file that may be evidence, and the user accepts it. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { api, type EngagementsScanAnswer } from '../../api.ts';
import { bytes, count, listed } from '../../format.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import type { DialogState } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { deliverables, type Whole } from './data.ts';

const text = all.engagements.scanning;
type Scan = EngagementsScanAnswer['scan'];
type Candidate = Scan['candidates'][number];

const keyOf = ({ deliverable_key, path }: Candidate): string => `${deliverable_key} ${path}`;

export function ScanDialog({ whole, ...opened }: DialogState & { readonly whole: Whole }): JSX.Element {
  const { id } = whole.report.engagement;
  const scan = useSignal<Scan | null>(null);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => {
    scan.value = null;
    chosen.value = new Set();
  }, [opened.isOpen]);
  const send = async (fields: FormData): Promise<boolean> => {
    if (scan.value === null) {
      const found = await api.engagements.scan(id, { path: written(fields, 'path') || null });
      scan.value = found.scan;
      return false;
    }
    await accept({ whole, scan: scan.value, chosen: chosen.value });
    return true;
  };
  const found = scan.value;
  return (
    <FormDialog
      title={text.title}
      submit={found === null ? text.run : text.accept(chosen.value.size)}
      disabled={found !== null && chosen.value.size === 0}
      send={send}
      {...opened}
    >
      {found === null ? (
        <Field label={text.folder} name="path" help={text.folderHelp} />
      ) : (
        <Proposals scan={found} whole={whole} chosen={chosen} />
      )}
    </FormDialog>
  );
}

interface Acceptance {
  readonly whole: Whole;
  readonly scan: Scan;
  readonly chosen: ReadonlySet<string>;
}

async function accept({ whole, scan, chosen }: Acceptance): Promise<void> {
  const { id } = whole.report.engagement;
  const only = scan.candidates
    .filter((each) => chosen.has(keyOf(each)))
    .map(({ deliverable_key, path }) => ({ deliverable_key, path }));
  const { attached } = await api.engagements.scan(id, { path: scan.root, attach: true, only });
  toast(text.attached(count(attached ?? 0)));
  await deliverables(id).refresh();
}

interface ProposalsProps {
  readonly scan: Scan;
  readonly whole: Whole;
  readonly chosen: { value: ReadonlySet<string> };
}

function Proposals({ scan, whole, chosen }: ProposalsProps): JSX.Element {
  const { candidates, files_scanned, notes, undetectable } = scan;
  const titleOf = (key: string): string => whole.deliverables.find((each) => each.key === key)?.title ?? key;
  const toggle = (key: string): void => {
    const next = new Set(chosen.value);
    if (!next.delete(key)) next.add(key);
    chosen.value = next;
  };
  const chooseAll = async (): Promise<void> => {
    chosen.value = new Set(candidates.map(keyOf));
  };
  return (
    <>
      <p role="status">{text.scanned(count(files_scanned), count(candidates.length))}</p>
      {candidates.length === 0 ? (
        <p class="quiet">{text.nothing}</p>
      ) : (
        <>
          <div class="row-ends">
            <span class="quiet">{text.help}</span>
            <Action run={chooseAll}>{text.all}</Action>
          </div>
          <ul class="engagement-proposals">
            {candidates.map((candidate) => (
              <li key={keyOf(candidate)}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={chosen.value.has(keyOf(candidate))}
                    onChange={() => toggle(keyOf(candidate))}
                  />
                  <span>
                    <code dir="auto">{candidate.path}</code> <span class="quiet">{bytes(candidate.bytes)}</span>
                    <span class="quiet engagement-for" dir="auto">
                      {titleOf(candidate.deliverable_key)} · {candidate.rule}
                    </span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
        </>
      )}
      {undetectable.length > 0 && (
        <p class="quiet">
          {text.undetectable} {listed(undetectable.map(titleOf))}.
        </p>
      )}
      {notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
    </>
  );
}
