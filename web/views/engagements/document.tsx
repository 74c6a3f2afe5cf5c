/** The report or the handover of an engagement, to read, print or save. */
import type { JSX } from 'preact';
import { api } from '../../api.ts';
import { when } from '../../format.ts';
import { save, saveBundle, savePdf } from '../../lib/save.ts';
import { resources } from '../../resource.ts';
import { href } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Head } from '../../ui/head.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Loaded } from '../../ui/states.tsx';
import { reports } from './data.ts';

const text = all.engagements.document;
const KEPT = 6;
/** A report with 4,000 pieces of evidence has that many. */
const CHARACTERS_MAX = 1_000_000;

type Kind = 'report' | 'handover';

interface DocumentPageProps {
  readonly id: string;
  readonly kind: Kind;
  readonly at: string | null;
}

function markdownOf(id: string, kind: string, at: string | null): Promise<string> {
  const query = { at: at ?? undefined };
  return kind === 'report' ? api.engagements.report(id, { query }) : api.engagements.handover(id, { query });
}

const documents = resources(KEPT, (key) => {
  const [id = '', kind = '', at = ''] = key.split(' ');
  return {
    load: () => markdownOf(id, kind, at === '' ? null : at),
    concerns: ({ stream }) => at === '' && stream === `engagement-${id}`,
  };
});

export function DocumentPage({ id, kind, at }: DocumentPageProps): JSX.Element {
  const document = documents(`${id} ${kind} ${at ?? ''}`);
  const name = reports(id).value.value?.report.engagement.name;
  const file = `${kind}-${id.slice(0, 12)}`;
  const saveMarkdown = async (): Promise<void> =>
    save(await markdownOf(id, kind, at), { type: 'text/markdown', name: `${file}.md` });
  const pdf = async (): Promise<void> => {
    const query = { at: at ?? undefined };
    const ask =
      kind === 'report' ? api.engagements.reportPdf(id, { query }) : api.engagements.handoverPdf(id, { query });
    savePdf(await ask, file);
  };
  const bundle = async (): Promise<void> =>
    saveBundle(await api.engagements.evidenceBundle(id, { query: { with_files: '1' } }), id);
  const back = (
    <a href={href(['engagements', id], { at })}>
      {text.back}
      {name !== undefined && `: ${name}`}
    </a>
  );
  const moment = at === null ? undefined : text.asOf(/^\d+$/.test(at) ? `#${at}` : when(Date.parse(at)));
  return (
    <div class="engagement-document">
      <Head title={text[kind]} above={back} note={moment}>
        <Action run={saveMarkdown}>{text.markdown}</Action>
        {at === null && (
          <Action run={bundle} label={`${all.bundle.save}. ${text.bundleHelp}`}>
            {all.bundle.save}
          </Action>
        )}
        <Action run={async () => print()}>{text.print}</Action>
        <Action tone="primary" run={pdf}>
          {text.pdf}
        </Action>
      </Head>
      <Loaded of={document} lines={8}>
        {(markdown) => (
          <article class="card engagement-paper" aria-label={text[kind]}>
            <Markdown of={markdown} heading={2} charactersMax={CHARACTERS_MAX} />
          </article>
        )}
      </Loaded>
    </div>
  );
}
