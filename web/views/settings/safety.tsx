/** Approvals, the encryption of memories, and backups. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { type ApprovalPolicy, api, type MemoryEncryptionAnswer } from '../../api.ts';
import { APPROVALS, approvalPolicy, setApprovalPolicy } from '../../approval.ts';
import { useEvery } from '../../resource.ts';
import { BackupsCard } from '../../store/backups.tsx';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { type DialogState, useDialog } from '../../ui/dialog.tsx';
import { Field, FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { attempt, toast } from '../../ui/toasts.tsx';
import { backups, encryption, SETTINGS_EVERY_MS } from './data.ts';

const text = all.settings.safety;

export function SafetyPart(): JSX.Element {
  const { open, opened } = useDialog();
  useEvery(SETTINGS_EVERY_MS, backups);
  return (
    <div class="stack">
      <section class="card">
        <h2>{text.approvals}</h2>
        <Loaded of={approvalPolicy} lines={2}>
          {(known) => <ApprovalChoice of={known} />}
        </Loaded>
      </section>
      <section class="card">
        <h2>{text.encryption}</h2>
        <Loaded of={encryption}>
          {(state) => (
            <>
              <p>{wordsOf(state)}</p>
              {!state.enabled && (
                <p class="row">
                  <Button tone="danger" onClick={open}>
                    {text.encrypt}
                  </Button>
                </p>
              )}
            </>
          )}
        </Loaded>
      </section>
      <Loaded of={backups} lines={2}>
        {(known) => <BackupsCard of={known} refresh={() => backups.refresh()} />}
      </Loaded>
      <EncryptDialog {...opened} />
    </div>
  );
}

function ApprovalChoice({ of: { policy, configured } }: { readonly of: ApprovalPolicy }): JSX.Element {
  return (
    <>
      <Choice
        label={
          <>
            {text.approvalDefault}{' '}
            {approvalPolicy.isPending.value && <span class="pending-mark">{all.unconfirmed}</span>}
          </>
        }
        value={policy ?? ''}
        options={[
          ['', text.approvalConfigured(all.approvals[configured])],
          ...APPROVALS.map((name) => [name, all.approvals[name]] as const),
        ]}
        choose={(chosen) => attempt(() => setApprovalPolicy(chosen === '' ? null : chosen))}
      />
      <p class="quiet">{text.approvalsText}</p>
    </>
  );
}

function wordsOf({ enabled, locked, key_source }: MemoryEncryptionAnswer): string {
  if (locked) return text.isLocked;
  return enabled && key_source !== null ? text.isOn(text.sources[key_source]) : text.isOff;
}

function EncryptDialog(opened: DialogState): JSX.Element {
  const source = useSignal<'keyring' | 'passphrase'>('keyring');
  const encrypt = async (fields: FormData): Promise<void> => {
    const passphrase = String(fields.get('passphrase') ?? '');
    await api.memory.encrypt({ key_source: source.value, ...(passphrase !== '' && { passphrase }) });
    await encryption.refresh();
    toast(text.done);
  };
  return (
    <FormDialog title={text.title} submit={text.confirm} tone="danger" send={encrypt} {...opened}>
      <p>{text.loss}</p>
      <Choice
        label={text.keySource}
        value={source.value}
        options={(['keyring', 'passphrase'] as const).map((each) => [each, text.sources[each]])}
        choose={(chosen) => (source.value = chosen)}
      />
      {source.value === 'passphrase' && <Field label={text.passphrase} name="passphrase" type="password" required />}
    </FormDialog>
  );
}
