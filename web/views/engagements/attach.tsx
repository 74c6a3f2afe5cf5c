/** The dialog that attaches evidence: a file of the workspace, found by its path or by a scan, or a link. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { api, type Deliverable, type EngagementsScanAnswer, repeatable } from '../../api.ts';
import { bytes } from '../../format.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import type { DialogState } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import type { Shown } from './blockers.tsx';
import { type EvidenceItem, evidence, evidenceKey } from './data.ts';
import { FileField } from './file-field.tsx';
import { Radios } from './radios.tsx';

const text = all.engagements.evidence;
const addEvidence = repeatable(api.engagements.addEvidence);
const KINDS: readonly EvidenceItem['kind'][] = ['file', 'url', 'run', 'metric', 'note'];

interface AttachDialogProps extends DialogState {
  readonly deliverable: Deliverable;
  readonly shown: Shown;
}

export function AttachDialog({ deliverable, shown, isOpen, onClose }: AttachDialogProps): JSX.Element {
  const kind = useSignal<EvidenceItem['kind']>('file');
  const path = useSignal('');
  useLayoutEffect(() => {
    path.value = '';
  }, [isOpen]);
  const { id, title } = deliverable;
  const folder = shown.whole.report.engagement.workspace_path;
  const attach = async (fields: FormData): Promise<void> => {
    const { evidence: item } = await addEvidence(shown.id, id, {
      kind: kind.value,
      reference: path.value.trim(),
      label: written(fields, 'label') || path.value.trim(),
      reason: written(fields, 'reason'),
    });
    const isUnread = item.kind === 'file' && item.file_path === null;
    toast(isUnread ? text.unread : text.attached, isUnread ? 'bad' : 'good');
    await evidence(evidenceKey(shown.id, id, null)).refresh();
  };
  return (
    <FormDialog
      title={text.attachTo(title)}
      isOpen={isOpen}
      onClose={onClose}
      submit={text.submit}
      disabled={path.value.trim() === ''}
      send={attach}
    >
      <Radios label={text.kind} hidesLabel words={text.kinds} of={KINDS} chosen={kind} />
      {kind.value === 'file' && folder !== null ? (
        <>
          <FileField engagementId={shown.id} folder={folder} path={path} />
          <Finder deliverable={deliverable} onAttached={onClose} />
        </>
      ) : (
        <Reference kind={kind.value} path={path} />
      )}
      <Field label={text.label} name="label" help={text.labelHelp} />
      <Field label={text.reason} name="reason" />
    </FormDialog>
  );
}

interface ReferenceProps {
  readonly kind: EvidenceItem['kind'];
  readonly path: Signal<string>;
}

function Reference({ kind, path }: ReferenceProps): JSX.Element {
  return (
    <label class="field">
      <span>{text.references[kind]}</span>
      <input
        type="text"
        inputMode={kind === 'url' ? 'url' : 'text'}
        dir="auto"
        autocomplete="off"
        required
        value={path.value}
        onInput={(event) => {
          path.value = event.currentTarget.value;
        }}
      />
      {kind === 'file' && <small class="quiet">{text.fileHelp(text.daemonFolder)}</small>}
    </label>
  );
}

interface FinderProps {
  readonly deliverable: Deliverable;
  onAttached(): void;
}

/** The files of the folder that may belong to the deliverable; choosing one attaches it. */
function Finder({ deliverable, onAttached }: FinderProps): JSX.Element {
  const { engagement_id, id, key: deliverable_key } = deliverable;
  const found = useSignal<EngagementsScanAnswer['scan']['candidates'] | null>(null);
  /** The user may have closed the dialog, and opened it again, before the file is attached. */
  const isShown = useRef(true);
  useLayoutEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const find = async (): Promise<void> => {
    const { scan } = await api.engagements.scan(engagement_id);
    found.value = scan.candidates.filter((each) => each.deliverable_key === deliverable_key);
  };
  const attach = async (path: string): Promise<void> => {
    const { attached } = await api.engagements.scan(engagement_id, { attach: true, only: [{ deliverable_key, path }] });
    toast(attached === 0 ? text.already : text.attached);
    await evidence(evidenceKey(engagement_id, id, null)).refresh();
    if (isShown.current) onAttached();
  };
  if (found.value === null) return <Action run={find}>{text.find}</Action>;
  if (found.value.length === 0) return <p class="quiet">{text.nothingFound}</p>;
  return (
    <div>
      <p class="quiet">{text.found(found.value.length)}</p>
      <ul class="engagement-found">
        {found.value.map(({ path, bytes: size }) => (
          <li key={path}>
            <Action run={() => attach(path)}>
              <code>{path}</code> <span class="quiet">{bytes(size)}</span>
            </Action>
          </li>
        ))}
      </ul>
    </div>
  );
}
