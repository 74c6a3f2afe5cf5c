/** The page of a tab without a token: pairing, or pasting the token. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { sentenceOf } from '../resource.ts';
import { notice, pair, useToken } from '../session.ts';
import { text } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { Head } from '../ui/head.tsx';
import { LimitBanner } from './connection.tsx';

export function Connect(): JSX.Element {
  const message = useSignal('');
  const isBusy = useSignal(false);
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    message.value = '';
    await work().catch((error: Error) => {
      message.value = sentenceOf(error, text);
    });
    isBusy.value = false;
  };
  return (
    <main class="connect">
      <p class="brand">{text.app}</p>
      <Head title={text.connect.title} />
      <p class="lead">{text.connect.lead}</p>
      <LimitBanner />
      <p class="failure-line" role="alert" dir="auto">
        {message.value || notice.value.message}
      </p>
      <PairForm isBusy={isBusy.value} onPair={(code) => run(() => pair(code))} />
      <PasteForm isBusy={isBusy.value} onToken={(token) => run(() => useToken(token))} />
      <p class="quiet">{text.connect.open}</p>
    </main>
  );
}

function PairForm({ isBusy, onPair }: { readonly isBusy: boolean; onPair(code: string): void }): JSX.Element {
  const code = useRef<HTMLInputElement>(null);
  const { needsCode } = notice.value;
  useLayoutEffect(() => {
    if (needsCode) code.current?.focus();
  }, [needsCode]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onPair(code.current?.value ?? '');
  };
  return (
    <form class="card" onSubmit={submit}>
      {needsCode && (
        <label class="field">
          <span>{text.connect.code}</span>
          <input ref={code} inputMode="numeric" autoComplete="one-time-code" maxLength={6} size={8} />
        </label>
      )}
      <Button tone="primary" type="submit" aria-busy={isBusy}>
        {isBusy ? text.connect.pairing : text.connect.pair}
      </Button>
      <p class="quiet">{text.connect.pairHelp}</p>
    </form>
  );
}

function PasteForm({ isBusy, onToken }: { readonly isBusy: boolean; onToken(token: string): void }): JSX.Element {
  const token = useRef<HTMLInputElement>(null);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const field = token.current!;
    onToken(field.value.trim());
    // What is pasted after a failure replaces it.
    field.select();
  };
  return (
    <form class="card" onSubmit={submit}>
      <h2>{text.connect.or}</h2>
      <label class="field">
        <span>{text.connect.token}</span>
        <input ref={token} type="password" autoComplete="off" spellcheck={false} required />
      </label>
      <Button type="submit" aria-busy={isBusy}>
        {text.connect.useToken}
      </Button>
      <p class="quiet">{text.connect.tokenHelp}</p>
    </form>
  );
}
