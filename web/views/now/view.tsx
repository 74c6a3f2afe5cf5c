/** What runs, what waits for a person, and what changed. */
import type { JSX } from 'preact';
import { text } from '../../text.ts';
import { Head } from '../../ui/head.tsx';

export function View(): JSX.Element {
  return <Head title={text.now.title} />;
}
