/** The list of runs, and one run. */
import type { JSX } from 'preact';
import { text } from '../../text.ts';
import { Head } from '../../ui/head.tsx';

export function View(): JSX.Element {
  return <Head title={text.runs.title} />;
}
